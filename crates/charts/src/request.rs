//! Requests: a chart in a repository, with the version or revision to download.

use std::fmt;

use thiserror::Error;

use crate::address::{AddressError, WebAddress};
use crate::range::VersionRange;

/// A place that publishes charts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChartRepository {
    /// A server with an `index.yaml`, by its URL without a slash at its end.
    Http(String),
    /// A directory of an OCI registry, such as `oci://ghcr.io/acme/charts`.
    Oci(String),
    /// A git repository, as `https://…` or `ssh://…`.
    Git(String),
}

/// The version or revision that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AskedVersion {
    /// A version or a range of versions. Any release if empty.
    Version(String),
    /// A tag of an OCI registry or of git, as it is.
    Tag(String),
    /// The digest of a manifest in an OCI registry.
    Digest(String),
    Branch(String),
    Commit(String),
    /// Anything that git itself resolves. Its default branch if empty.
    Revision(String),
}

/// A chart that something refers to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChartRequest {
    pub repository: ChartRepository,
    /// The name of the chart; in git, its directory.
    pub chart: String,
    pub asked: AskedVersion,
}

/// Why a reference cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequestError {
    #[error(
        "its URL contains a secret, which is not read; remove it, and keep it in Docker's or Helm's configuration or in ~/.netrc"
    )]
    SecretUrl,
    #[error("its URL contains a variable that is not set here")]
    OpenUrl,
    #[error("its version contains a variable that is not set here")]
    OpenVersion,
    #[error("its name contains a variable that is not set here")]
    OpenName,
    #[error("its URL cannot be used: {0}")]
    Address(#[from] AddressError),
    #[error("`{0}` is neither a version nor a range of versions")]
    Version(String),
    #[error("`{0}` is not a valid name of a chart")]
    Name(String),
    #[error("`{0}` is not a valid revision")]
    Revision(String),
    #[error("`{0}` is not a digest such as `sha256:…`")]
    Digest(String),
}

impl ChartRequest {
    /// A chart of an HTTP repository or OCI registry: `oci://` tells them apart.
    pub fn published(
        url: &str,
        chart: &str,
        asked: AskedVersion,
    ) -> Result<ChartRequest, RequestError> {
        let repository = match url.strip_prefix("oci://") {
            Some(rest) => ChartRepository::Oci(format!("oci://{}", checked_oci(rest)?)),
            None => ChartRepository::Http(plain_url(url)?),
        };
        let chart = chart.trim_matches('/');
        if has_variable(chart) {
            return Err(RequestError::OpenName);
        }
        let request = ChartRequest {
            repository,
            chart: chart.to_owned(),
            asked: checked_asked(asked)?,
        };
        // A name may have directories: those of an OCI registry.
        match request.repository {
            ChartRepository::Oci(url) => {
                ChartRequest::oci(&format!("{url}/{chart}"), request.asked)
            }
            _ if is_name(chart) => Ok(request),
            _ => Err(RequestError::Name(chart.to_owned())),
        }
    }

    /// A chart by its own address in an OCI registry.
    pub fn oci(url: &str, asked: AskedVersion) -> Result<ChartRequest, RequestError> {
        let rest = url.strip_prefix("oci://").unwrap_or(url);
        let checked = checked_oci(rest)?;
        let (directory, chart) = checked.rsplit_once('/').ok_or(AddressError::Malformed)?;
        Ok(ChartRequest {
            repository: ChartRepository::Oci(format!("oci://{directory}")),
            chart: chart.to_owned(),
            asked: checked_asked(asked)?,
        })
    }

    /// A directory of a git repository.
    pub fn git(url: &str, path: &str, asked: AskedVersion) -> Result<ChartRequest, RequestError> {
        if has_variable(path) {
            return Err(RequestError::OpenName);
        }
        let path = base::RepoPath::new(path.trim_start_matches('/'));
        let path = path.ok_or_else(|| RequestError::Name("..".to_owned()))?;
        Ok(ChartRequest {
            repository: ChartRepository::Git(git_url(url)?),
            chart: path.as_str().to_owned(),
            asked: checked_asked(asked)?,
        })
    }

    /// The repository as the lock file has it.
    pub fn location(&self) -> String {
        match &self.repository {
            ChartRepository::Http(url) | ChartRepository::Oci(url) => url.clone(),
            ChartRepository::Git(url) => format!("git+{url}"),
        }
    }

    /// The request that the lock file has in these words.
    pub fn from_texts(
        location: &str,
        chart: &str,
        asked: &str,
    ) -> Result<ChartRequest, RequestError> {
        let asked = AskedVersion::from_text(asked);
        match location.strip_prefix("git+") {
            Some(url) => ChartRequest::git(url, chart, asked),
            None => ChartRequest::published(location, chart, asked),
        }
    }

    /// Whether people mean this chart by `name`: its name, or its name after that of its repository.
    pub fn is_called(&self, name: &str) -> bool {
        let whole = format!("{}/{}", self.location(), self.chart);
        self.chart == name || base::text::last_part(&self.chart) == name || whole == name
    }
}

impl fmt::Display for ChartRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.repository, self.chart.as_str()) {
            (ChartRepository::Git(url), "") => write!(f, "{url}"),
            (ChartRepository::Git(url), path) => write!(f, "{path} of {url}"),
            (_, chart) => write!(f, "{chart} from {}", self.location()),
        }
    }
}

impl AskedVersion {
    fn from_text(text: &str) -> AskedVersion {
        let (kind, value) = text.split_once(' ').unwrap_or(("", text));
        let value_of = || value.to_owned();
        match kind {
            "tag" => AskedVersion::Tag(value_of()),
            "digest" => AskedVersion::Digest(value_of()),
            "branch" => AskedVersion::Branch(value_of()),
            "commit" => AskedVersion::Commit(value_of()),
            "revision" => AskedVersion::Revision(value_of()),
            _ if text == "*" => AskedVersion::Version(String::new()),
            _ => AskedVersion::Version(text.to_owned()),
        }
    }
}

impl fmt::Display for AskedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskedVersion::Version(text) if text.is_empty() => f.write_str("*"),
            AskedVersion::Version(text) => f.write_str(text),
            AskedVersion::Tag(text) => write!(f, "tag {text}"),
            AskedVersion::Digest(text) => write!(f, "digest {text}"),
            AskedVersion::Branch(text) => write!(f, "branch {text}"),
            AskedVersion::Commit(text) => write!(f, "commit {text}"),
            AskedVersion::Revision(text) if text.is_empty() => f.write_str("revision HEAD"),
            AskedVersion::Revision(text) => write!(f, "revision {text}"),
        }
    }
}

/// Whether a text has a placeholder in it. `<` and `>` are none: versions have them.
fn has_variable(text: &str) -> bool {
    text.contains('$') || text.contains("{{") || text.contains("[[")
}

/// An error if a part of a URL is not known.
fn check_whole(url: &str) -> Result<(), RequestError> {
    if url.contains(base::MARKER) {
        Err(RequestError::SecretUrl)
    } else if has_variable(url) || url.contains('<') {
        Err(RequestError::OpenUrl)
    } else {
        Ok(())
    }
}

fn plain_url(url: &str) -> Result<String, RequestError> {
    check_whole(url)?;
    let address = WebAddress::parse(url)?;
    Ok(address.to_string().trim_end_matches('/').to_owned())
}

fn checked_oci(rest: &str) -> Result<String, RequestError> {
    check_whole(rest)?;
    let rest = rest.trim_matches('/');
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let server = WebAddress::registry(authority)?;
    let is_part = |part: &str| {
        let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
        !part.is_empty() && part.chars().all(is_sign) && !part.starts_with('.')
    };
    if !path.is_empty() && !path.split('/').all(is_part) {
        return Err(AddressError::Malformed.into());
    }
    let slash = if path.is_empty() { "" } else { "/" };
    Ok(format!("{}{slash}{path}", server.authority()))
}

/// A git address in the form in which it is kept: `git@host:path` becomes `ssh://git@host/path`.
fn git_url(url: &str) -> Result<String, RequestError> {
    check_whole(url)?;
    let url = url.trim_end_matches('/');
    if url.starts_with("https://") {
        return Ok(WebAddress::parse(url)?
            .to_string()
            .trim_end_matches('/')
            .to_owned());
    }
    let rest = match (url.strip_prefix("ssh://"), url.contains("://")) {
        (Some(rest), _) => rest.to_owned(),
        (None, true) => return Err(RequestError::Address(AddressError::Scheme)),
        (None, false) => url.replacen(':', "/", 1),
    };
    let (login, host_and_path) = rest.rsplit_once('@').unwrap_or(("", &rest));
    if login.contains(':') {
        return Err(AddressError::Credentials.into());
    }
    let is_user = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if login.starts_with('-') || !login.chars().all(is_user) {
        return Err(AddressError::Malformed.into());
    }
    // The same rules for hosts and paths.
    let address = WebAddress::parse(&format!("https://{host_and_path}"))?;
    let at = if login.is_empty() { "" } else { "@" };
    let path = address.path();
    Ok(format!("ssh://{login}{at}{}{path}", address.authority()))
}

fn checked_asked(asked: AskedVersion) -> Result<AskedVersion, RequestError> {
    let text = match &asked {
        AskedVersion::Version(text)
        | AskedVersion::Tag(text)
        | AskedVersion::Digest(text)
        | AskedVersion::Branch(text)
        | AskedVersion::Commit(text)
        | AskedVersion::Revision(text) => text.trim(),
    };
    if has_variable(text) {
        return Err(RequestError::OpenVersion);
    }
    let owned = || text.to_owned();
    match asked {
        AskedVersion::Version(_) if text.is_empty() || text == "*" => {
            Ok(AskedVersion::Version(String::new()))
        }
        AskedVersion::Version(_) if is_one_version(text) || VersionRange::parse(text).is_some() => {
            Ok(AskedVersion::Version(owned()))
        }
        AskedVersion::Version(_) => Err(RequestError::Version(owned())),
        AskedVersion::Tag(_) if is_reference(text) => Ok(AskedVersion::Tag(owned())),
        AskedVersion::Digest(_) if crate::digest::ContentDigest::parse(text).is_some() => {
            Ok(AskedVersion::Digest(owned()))
        }
        AskedVersion::Digest(_) => Err(RequestError::Digest(owned())),
        AskedVersion::Branch(_) if is_reference(text) => Ok(AskedVersion::Branch(owned())),
        AskedVersion::Commit(_) if is_commit(text) => Ok(AskedVersion::Commit(owned())),
        AskedVersion::Revision(_) if text.is_empty() || text == "HEAD" => {
            Ok(AskedVersion::Revision(String::new()))
        }
        AskedVersion::Revision(_) if is_reference(text) => Ok(AskedVersion::Revision(owned())),
        _ => Err(RequestError::Revision(owned())),
    }
}

/// A text that a repository may use as a version, whether it can be compared or not.
fn is_one_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == 'v')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
}

fn is_name(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !text.is_empty() && text.len() <= 250 && text.chars().all(is_sign)
}

/// Whether git and registries accept a name as a tag or branch. It must not look like an option.
fn is_reference(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "._-/+".contains(c);
    let is_sound = !text.is_empty() && text.len() <= 250 && text.chars().all(is_sign);
    is_sound && !text.starts_with(['-', '/', '.']) && !text.contains("..") && !text.ends_with('/')
}

pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 7..=64) && text.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> AskedVersion {
        AskedVersion::Version(text.to_owned())
    }

    #[test]
    fn a_request_survives_its_way_through_the_lock_file() {
        let digest = format!("sha256:{}", "a".repeat(64));
        let requests = [
            ChartRequest::published("https://Example.com/charts/", "web", version("")),
            ChartRequest::published("https://example.com", "web", version(">=1.2, <2")),
            ChartRequest::published("oci://ghcr.io/acme/charts", "web", version("1.x")),
            ChartRequest::oci(
                "oci://ghcr.io/acme/charts/web",
                AskedVersion::Tag("latest".into()),
            ),
            ChartRequest::oci("ghcr.io/acme/charts/web", AskedVersion::Digest(digest)),
            ChartRequest::git(
                "git@github.com:acme/a.git",
                "charts/web",
                AskedVersion::Branch("main".into()),
            ),
            ChartRequest::git(
                "https://github.com/acme/a",
                "",
                AskedVersion::Revision(String::new()),
            ),
            ChartRequest::git(
                "ssh://git@github.com/acme/a",
                "./web/",
                AskedVersion::Commit("a".repeat(40)),
            ),
        ];
        for request in requests {
            let request = request.unwrap();
            let (location, asked) = (request.location(), request.asked.to_string());
            let again = ChartRequest::from_texts(&location, &request.chart, &asked);
            assert_eq!(again.unwrap(), request, "{location} {asked}");
        }
    }

    #[test]
    fn one_chart_of_a_registry_is_one_request_however_it_is_named() {
        let [one, other] = [
            ChartRequest::published("oci://ghcr.io/acme/", "charts/web", version("1")),
            ChartRequest::oci("oci://GHCR.io/acme/charts/web", version("1")),
        ];
        assert_eq!(one.unwrap(), other.unwrap());
    }

    #[test]
    fn what_cannot_be_followed_says_why_without_showing_a_login() {
        let refused =
            |request: Result<ChartRequest, RequestError>| request.unwrap_err().to_string();
        let http = |url, chart, asked| refused(ChartRequest::published(url, chart, asked));
        let open = http("https://${HOST}/charts", "web", version("1"));
        assert!(open.contains("variable"), "{open}");
        let secret = http("https://<secret>@example.com", "web", version("1"));
        assert!(secret.contains("secret, which is not read"), "{secret}");
        let open = http("https://example.com", "web", version("${VERSION}"));
        assert!(open.contains("version contains"), "{open}");
        for url in [
            "https://me:hunter2@example.com",
            "oci://me:hunter2@example.com/a",
        ] {
            let login = http(url, "web", version("1"));
            assert!(
                login.contains("credentials") && !login.contains("hunter2"),
                "{login}"
            );
        }
        let git = |url, asked| refused(ChartRequest::git(url, "a", asked));
        let login = git(
            "ssh://me:hunter2@example.com/a",
            AskedVersion::Branch("main".into()),
        );
        assert!(
            login.contains("credentials") && !login.contains("hunter2"),
            "{login}"
        );
        assert!(git("file:///etc", version("1")).contains("scheme"));
        assert!(git("ext::sh -c id", version("1")).contains("URL"));
        assert!(git("-oProxyCommand=id:a", version("1")).contains("URL"));
        for branch in ["--upload-pack=id", "a..b", "a b", "../x"] {
            let revision = git("https://example.com/a", AskedVersion::Branch(branch.into()));
            assert!(revision.contains("not a valid revision"), "{revision}");
        }
        assert!(http("https://example.com", "../web", version("1")).contains("name"));
        assert!(http("https://example.com", "web", version("newest")).contains("range"));
    }
}
