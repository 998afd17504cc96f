//! Logins, from where Docker, Helm and curl keep them, or from the environment. They are never shown, and each is for one
//! server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use super::http::Authorization;
use super::process::{self, ProcessLimits};
use crate::address::{WebAddress, WebScheme};
use base::FileId;

/// Addresses with logins, separated by spaces or lines: `https://user:password@host/path`.
pub const VARIABLE: &str = "CATALOG_FETCH_CREDENTIALS";
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
const HELPER_LIMITS: ProcessLimits = ProcessLimits {
    time: Duration::from_secs(20),
    output: 64 * 1024,
};
/// Name of Docker Hub in the configuration of Docker.
const DOCKER_HUB: &str = "index.docker.io";
const DOCKER_HUB_KEY: &str = "https://index.docker.io/v1/";

#[derive(Clone, PartialEq, Eq)]
pub enum Login {
    Password {
        user: String,
        password: String,
    },
    /// A token that a registry exchanges for one of its own.
    Identity(String),
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(…)")
    }
}

impl Login {
    /// As a header; none if only a registry can use it.
    pub fn basic(&self) -> Option<Authorization> {
        let Login::Password { user, password } = self else {
            return None;
        };
        let encoded = yaml::encode_base64(format!("{user}:{password}").as_bytes());
        Some(Authorization(format!(
            "Basic {}",
            encoded.replace('\n', "")
        )))
    }
}

/// All logins of the user.
#[derive(Default)]
pub struct Credentials {
    /// Those for addresses that begin like this one.
    by_address: Vec<(WebAddress, Login)>,
    /// Those for a host, with its port.
    by_host: Vec<(String, Login)>,
    /// Programs that know more, by the host that they are for; an empty host stands for all.
    helpers: Vec<(String, String)>,
    /// Answers of credential helpers.
    answered: Mutex<BTreeMap<String, Option<Login>>>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

impl Credentials {
    /// Those that the environment and the files in the user's home directory hold. What cannot be read is left out.
    pub fn of_user(variable: &dyn Fn(&str) -> Option<OsString>) -> Credentials {
        let mut credentials = Credentials::default();
        if let Some(text) = variable(VARIABLE).and_then(|text| text.into_string().ok()) {
            credentials.add_addresses(&text);
        }
        let path = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = path("HOME").or_else(|| path("USERPROFILE"));
        let at_home = |name: &str| home.as_ref().map(|home| home.join(name));
        let helm = path("HELM_CONFIG_HOME").or_else(|| helm_directory(&path));
        let in_helm = |name: &str| helm.as_ref().map(|helm| helm.join(name));
        let repositories = path("HELM_REPOSITORY_CONFIG").or_else(|| in_helm("repositories.yaml"));
        if let Some(text) = repositories.and_then(|path| text_of(&path)) {
            credentials.add_repositories(&text);
        }
        let registry = path("HELM_REGISTRY_CONFIG").or_else(|| in_helm("registry/config.json"));
        let docker = path("DOCKER_CONFIG").map(|directory| directory.join("config.json"));
        let docker = docker.or_else(|| at_home(".docker/config.json"));
        for text in [registry, docker]
            .into_iter()
            .flatten()
            .filter_map(|path| text_of(&path))
        {
            credentials.add_docker(&text);
        }
        let netrc =
            path("NETRC").or_else(|| at_home(if cfg!(windows) { "_netrc" } else { ".netrc" }));
        if let Some(text) = netrc.and_then(|path| text_of(&path)) {
            credentials.add_netrc(&text);
        }
        credentials
    }

    /// The login for an address that needs no program to find it.
    pub fn known(&self, address: &WebAddress) -> Option<&Login> {
        let by_address = self.by_address.iter().find(|(prefix, _)| {
            let path = prefix.path().trim_end_matches('/');
            let rest = address.path().strip_prefix(path);
            prefix.is_same_server(address)
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        });
        // Without a scheme, a login is not meant for everyone on the way.
        let is_private = address.scheme == WebScheme::Https || address.is_this_machine();
        let by_host = || {
            let host = host_key(address.authority());
            let mut hosts = self.by_host.iter().filter(|_| is_private);
            hosts.find(|(known, _)| *known == host)
        };
        by_address
            .map(|(_, login)| login)
            .or_else(|| Some(&by_host()?.1))
    }

    /// The login for an address, from a helper if no file has it. Helpers may ask the user, so they are only asked if a
    /// server wants a login.
    pub fn wanted(&self, address: &WebAddress) -> Option<Login> {
        if let Some(known) = self.known(address) {
            return Some(known.clone());
        }
        if address.scheme != WebScheme::Https && !address.is_this_machine() {
            return None;
        }
        let host = host_key(address.authority());
        let helper = |host: &str| self.helpers.iter().find(|(of, _)| of == host);
        let (_, helper) = helper(&host).or_else(|| helper(""))?;
        // Held while the helper runs: it is asked once for each host.
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answered
            .entry(host.clone())
            .or_insert_with(|| ask(helper, &host));
        answer.clone()
    }

    fn add_addresses(&mut self, text: &str) {
        for address in text.split_whitespace() {
            let parts = address.split_once("://").and_then(|(scheme, rest)| {
                let (login, rest) = rest.split_once('@')?;
                let (user, password) = login.split_once(':')?;
                Some((format!("{scheme}://{rest}"), user, password))
            });
            let Some((address, user, password)) = parts else {
                continue;
            };
            let plain = |text: &str| base::uri::decoded(text).map(|text| text.into_owned());
            if let (Ok(address), Some(user), Some(password)) =
                (WebAddress::parse(&address), plain(user), plain(password))
            {
                let login = Login::Password { user, password };
                self.by_address.push((address, login));
            }
        }
    }

    fn add_repositories(&mut self, text: &str) {
        let parsed = yaml::parse(text, FileId::NONE);
        let Some(document) = parsed.documents.first() else {
            return;
        };
        for repository in document.root.items_at("repositories") {
            let text = |key: &str| repository.text_at(&[key]).filter(|text| !text.is_empty());
            let address = text("url").and_then(|url| WebAddress::parse(url).ok());
            if let (Some(address), Some(user), Some(password)) =
                (address, text("username"), text("password"))
            {
                let (user, password) = (user.to_owned(), password.to_owned());
                self.by_address
                    .push((address, Login::Password { user, password }));
            }
        }
    }

    fn add_docker(&mut self, text: &str) {
        let Ok(config) = serde_json::from_str::<DockerConfig>(text) else {
            return;
        };
        for (key, entry) in config.auths {
            if let Some(login) = entry.login() {
                self.by_host.push((host_key(&key), login));
            }
        }
        let helpers = config.helpers.into_iter();
        self.helpers
            .extend(helpers.map(|(key, helper)| (host_key(&key), helper)));
        self.helpers
            .extend(config.store.map(|helper| (String::new(), helper)));
    }

    fn add_netrc(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        let (mut host, mut user) = (None, None);
        while let Some(word) = words.next() {
            match word {
                // A script follows.
                "macdef" => return,
                "default" => host = None,
                "machine" => (host, user) = (words.next(), None),
                "login" => user = words.next(),
                "password" => {
                    if let (Some(host), Some(user), Some(password)) = (host, user, words.next()) {
                        let (user, password) = (user.to_owned(), password.to_owned());
                        self.by_host.push((
                            host.to_ascii_lowercase(),
                            Login::Password { user, password },
                        ));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Docker's `config.json`, which Helm's has the form of.
#[derive(Deserialize)]
struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, DockerLogin>,
    #[serde(default, rename = "credHelpers")]
    helpers: BTreeMap<String, String>,
    #[serde(default, rename = "credsStore")]
    store: Option<String>,
}

#[derive(Deserialize)]
struct DockerLogin {
    #[serde(default)]
    auth: String,
    #[serde(default)]
    username: String,
    #[serde(default)]
    password: String,
    #[serde(default, rename = "identitytoken")]
    identity: String,
}

impl DockerLogin {
    fn login(self) -> Option<Login> {
        if !self.identity.is_empty() {
            return Some(Login::Identity(self.identity));
        }
        if !self.username.is_empty() {
            let (user, password) = (self.username, self.password);
            return Some(Login::Password { user, password });
        }
        let decoded = String::from_utf8(yaml::decode_base64(&self.auth)?).ok()?;
        let (user, password) = decoded.split_once(':')?;
        let password = password.trim_end_matches('\0').to_owned();
        let user = user.to_owned();
        (!user.is_empty()).then_some(Login::Password { user, password })
    }
}

/// The output of a credential helper.
#[derive(Deserialize)]
struct HelperAnswer {
    #[serde(rename = "Username")]
    user: String,
    #[serde(rename = "Secret")]
    secret: String,
}

/// The login that a helper has for a host.
fn ask(helper: &str, host: &str) -> Option<Login> {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if helper.is_empty() || !helper.chars().all(is_sign) {
        return None;
    }
    let mut command = Command::new(format!("docker-credential-{helper}"));
    command.arg("get");
    let asked = if host == DOCKER_HUB {
        DOCKER_HUB_KEY
    } else {
        host
    };
    let output = process::run(command, asked.as_bytes(), HELPER_LIMITS).ok()?;
    let answer: HelperAnswer = serde_json::from_slice(&output).ok()?;
    Some(match answer.user.as_str() {
        "<token>" => Login::Identity(answer.secret),
        _ => Login::Password {
            user: answer.user,
            password: answer.secret,
        },
    })
}

/// The host that a key of Docker's configuration is about.
fn host_key(key: &str) -> String {
    let rest = key.split_once("://").map_or(key, |(_, rest)| rest);
    let host = rest
        .split('/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    match host.as_str() {
        "docker.io" | "registry-1.docker.io" => DOCKER_HUB.to_owned(),
        _ => host,
    }
}

fn helm_directory(path: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let config = path("XDG_CONFIG_HOME").or_else(|| {
        if cfg!(windows) {
            path("APPDATA")
        } else if cfg!(target_os = "macos") {
            path("HOME").map(|home| home.join("Library/Preferences"))
        } else {
            path("HOME").map(|home| home.join(".config"))
        }
    });
    config.map(|config| config.join("helm"))
}

fn text_of(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    String::from_utf8(system::read_at_most(file, MAX_FILE_BYTES).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> WebAddress {
        WebAddress::parse(text).unwrap()
    }

    fn shown(login: Option<&Login>) -> String {
        match login {
            Some(Login::Password { user, password }) => format!("{user}:{password}"),
            Some(Login::Identity(token)) => format!("token {token}"),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn a_login_is_for_its_server_only() {
        let mut all = Credentials::default();
        all.add_addresses(
            "https://me:a%40b@charts.example.com/private http://x:y@plain.example.com bad",
        );
        all.add_repositories("repositories:\n- {name: a, url: 'https://helm.example.com/a', username: h, password: p}\n");
        // `user:word`
        all.add_docker("{\"auths\": {\"https://ghcr.io/v2/\": {\"auth\": \"dXNlcjp3b3Jk\"}, \"acr.example.com\": {\"identitytoken\": \"t\"}, \"https://index.docker.io/v1/\": {\"username\": \"d\", \"password\": \"p\"}}}");
        all.add_netrc(
            "machine netrc.example.com\n  login n password w\ndefault login any password thing\n",
        );
        let of = |text| shown(all.known(&address(text)));
        assert_eq!(
            of("https://charts.example.com/private/index.yaml"),
            "me:a@b"
        );
        for other in [
            "https://charts.example.com/privates",
            "https://charts.example.com/",
            "http://charts.example.com/private/",
            "https://charts.example.com:8443/private/",
            "https://helm.example.com/b",
            "http://netrc.example.com/",
            "http://ghcr.io/",
            "https://example.org/",
        ] {
            assert_eq!(of(other), "none", "{other}");
        }
        assert_eq!(of("http://plain.example.com/x"), "x:y");
        assert_eq!(of("https://helm.example.com/a/b.tgz"), "h:p");
        assert_eq!(of("https://ghcr.io/v2/x"), "user:word");
        assert_eq!(of("https://acr.example.com/"), "token t");
        assert_eq!(of("https://registry-1.docker.io/v2/"), "d:p");
        assert_eq!(of("https://netrc.example.com/"), "n:w");
        let debug = format!(
            "{all:?} {:?} {:?}",
            all.by_address[0].1,
            all.by_address[0].1.basic()
        );
        assert!(!debug.contains("a@b") && !debug.contains("bWU6"), "{debug}");
    }

    #[test]
    fn broken_configuration_is_left_out() {
        let mut all = Credentials::default();
        all.add_docker("{");
        all.add_docker("{\"auths\": {\"a\": {\"auth\": \"%%%\"}, \"b\": {}}}");
        all.add_repositories("[");
        all.add_netrc("machine a login b");
        all.add_addresses("https://nothing https://a@b");
        assert!(all.by_address.is_empty() && all.by_host.is_empty());
        assert!(ask("../../bin/sh", "a").is_none() && ask("", "a").is_none());
    }

    #[test]
    fn files_are_found_where_the_environment_says() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join(".docker")).unwrap();
        let config = "{\"auths\": {\"a.example.com\": {\"username\": \"u\", \"password\": \"p\"}}}";
        std::fs::write(home.path().join(".docker/config.json"), config).unwrap();
        let path = home.path().to_path_buf();
        let all = Credentials::of_user(&|name| (name == "HOME").then(|| path.clone().into()));
        assert_eq!(shown(all.known(&address("https://a.example.com/"))), "u:p");
    }
}
