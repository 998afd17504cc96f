//! OCI registries: tokens, tags, manifests and layers of the distribution API, as far as charts need them.

use serde::Deserialize;

use super::credentials::{Credentials, Login};
use super::http::{Authorization, Encoding, HttpAnswer, HttpClient, HttpRequest};
use super::{Download, FetchError, Wanted};
use crate::address::{WebAddress, WebScheme};
use crate::archive::MAX_ARCHIVE_BYTES;
use crate::digest::ContentDigest;
use crate::index;
use crate::request::AskedVersion;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// Layers that hold a chart: Helm's, and that of Helm before it was settled.
const LAYERS: &[&str] = &[
    "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
    "application/tar+gzip",
];
/// The only layer of an artifact may be a chart under another name.
const OTHER_LAYERS: &[&str] = &[
    "application/vnd.cncf.flux.content.v1.tar+gzip",
    "application/vnd.oci.image.layer.v1.tar+gzip",
];
const MAX_MANIFEST_BYTES: u64 = 4 * 1024 * 1024;
const MAX_ANSWER_BYTES: u64 = 8 * 1024 * 1024;
const MAX_PAGES: usize = 200;
const MAX_TAGS: usize = 100_000;

/// One repository of a registry.
struct Registry<'c> {
    client: &'c HttpClient,
    credentials: &'c Credentials,
    server: WebAddress,
    /// Path of the repository, such as `acme/charts/web`.
    name: String,
    authorization: Option<Authorization>,
}

#[derive(Deserialize)]
struct ChartManifest {
    #[serde(default)]
    layers: Vec<ManifestLayer>,
}

#[derive(Deserialize)]
struct ManifestLayer {
    #[serde(rename = "mediaType", default)]
    media_type: String,
    #[serde(default)]
    digest: String,
    #[serde(default)]
    size: u64,
}

#[derive(Deserialize)]
struct TagList {
    tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct RegistryToken {
    #[serde(default)]
    token: String,
    #[serde(default)]
    access_token: String,
}

/// Downloads the chart at `url` (`oci://host/path`).
pub fn download(
    client: &HttpClient,
    credentials: &Credentials,
    url: &str,
    wanted: Wanted<'_>,
) -> Result<Download, FetchError> {
    let mut registry = Registry::new(client, credentials, url)?;
    let reference = match wanted {
        Wanted::Locked(locked) => locked.revision.clone().ok_or(FetchError::NoRevision)?,
        Wanted::Asked(asked) => registry.reference(asked)?,
    };
    let (manifest, digest) = registry.manifest(&reference)?;
    let layer = chart_layer(&manifest)?;
    let expected = ContentDigest::parse(&layer.digest);
    let expected =
        expected.ok_or_else(|| fault("its manifest names a layer without a SHA-256 digest"))?;
    if layer.size > MAX_ARCHIVE_BYTES {
        return Err(FetchError::ArchiveTooLarge);
    }
    let path = format!("blobs/{expected}");
    let answer = registry.get(&path, "*/*", MAX_ARCHIVE_BYTES)?;
    let found = ContentDigest::of(&answer.body);
    if found != expected {
        return Err(FetchError::Digest { expected, found });
    }
    Ok(Download {
        bytes: answer.body,
        revision: Some(digest.to_string()),
        chart: None,
    })
}

fn fault(text: &str) -> FetchError {
    FetchError::Registry(text.to_owned())
}

fn chart_layer(manifest: &ChartManifest) -> Result<&ManifestLayer, FetchError> {
    let is_one_of =
        |types: &[&str], layer: &ManifestLayer| types.contains(&layer.media_type.as_str());
    let charts = manifest
        .layers
        .iter()
        .find(|layer| is_one_of(LAYERS, layer));
    let only = match manifest.layers.as_slice() {
        [only] if is_one_of(OTHER_LAYERS, only) => Some(only),
        _ => None,
    };
    charts
        .or(only)
        .ok_or_else(|| fault("its manifest is not that of a Helm chart"))
}

impl<'c> Registry<'c> {
    fn new(
        client: &'c HttpClient,
        credentials: &'c Credentials,
        url: &str,
    ) -> Result<Registry<'c>, FetchError> {
        let rest = url
            .strip_prefix("oci://")
            .ok_or_else(|| fault("its mirror is not an `oci://` address"))?;
        let (host, name) = rest
            .split_once('/')
            .ok_or_else(|| fault("its address names no repository"))?;
        let (host, name) = match host {
            // Docker's own registry has another name than the one that people write.
            "docker.io" | "index.docker.io" => {
                let library = if name.contains('/') { "" } else { "library/" };
                ("registry-1.docker.io", format!("{library}{name}"))
            }
            host => (host, name.to_owned()),
        };
        Ok(Registry {
            client,
            credentials,
            server: WebAddress::registry(host)?,
            name,
            authorization: None,
        })
    }

    /// The tag or digest that is asked for.
    fn reference(&mut self, asked: &AskedVersion) -> Result<String, FetchError> {
        match asked {
            AskedVersion::Tag(tag) => Ok(tag.clone()),
            AskedVersion::Digest(digest) => Ok(digest.clone()),
            AskedVersion::Version(range) => {
                // A tag cannot contain `+`.
                if is_exact(range) {
                    let tag = range.replace('+', "_");
                    if self.has(&tag)? {
                        return Ok(tag);
                    }
                }
                let tags = self.tags()?;
                let versions: Vec<String> = tags.iter().map(|tag| tag.replace('_', "+")).collect();
                Ok(tags[index::choose(&versions, range)?].clone())
            }
            _ => Err(fault("a registry has no branches and commits")),
        }
    }

    fn has(&mut self, tag: &str) -> Result<bool, FetchError> {
        match self.get(&format!("manifests/{tag}"), MANIFEST, MAX_MANIFEST_BYTES) {
            Ok(_) => Ok(true),
            Err(FetchError::Status { status: 404, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn tags(&mut self) -> Result<Vec<String>, FetchError> {
        let mut tags = Vec::new();
        let mut address = self.address("tags/list?n=1000")?;
        for _ in 0..MAX_PAGES {
            let answer = self.request(&address, "application/json", MAX_ANSWER_BYTES)?;
            let page: TagList = serde_json::from_slice(&answer.body)
                .map_err(|_| fault("its list of tags cannot be read"))?;
            tags.extend(page.tags.unwrap_or_default());
            let Some(next) = answer.header("link").and_then(next_page) else {
                return Ok(tags);
            };
            let next = address.join(next)?;
            if !next.is_same_server(&self.server) || tags.len() > MAX_TAGS {
                break;
            }
            address = next;
        }
        Err(fault("its list of tags has no end"))
    }

    fn manifest(&mut self, reference: &str) -> Result<(ChartManifest, ContentDigest), FetchError> {
        let path = format!("manifests/{reference}");
        let answer = self.get(&path, MANIFEST, MAX_MANIFEST_BYTES)?;
        let found = ContentDigest::of(&answer.body);
        if let Some(expected) =
            ContentDigest::parse(reference).filter(|expected| *expected != found)
        {
            return Err(FetchError::Digest { expected, found });
        }
        let manifest = serde_json::from_slice(&answer.body);
        Ok((
            manifest.map_err(|_| fault("its manifest cannot be read"))?,
            found,
        ))
    }

    fn address(&self, path: &str) -> Result<WebAddress, FetchError> {
        Ok(self
            .server
            .with_path(&format!("/v2/{}/{path}", self.name))?)
    }

    fn get(&mut self, path: &str, accept: &str, most: u64) -> Result<HttpAnswer, FetchError> {
        let address = self.address(path)?;
        self.request(&address, accept, most)
    }

    /// An answer of the registry, after its login if it wants one.
    fn request(
        &mut self,
        address: &WebAddress,
        accept: &str,
        most: u64,
    ) -> Result<HttpAnswer, FetchError> {
        let send = |authorization: Option<&Authorization>| {
            self.client.send(&HttpRequest {
                address,
                from: None,
                accept,
                authorization,
                form: None,
                most,
                encoding: Encoding::Plain,
            })
        };
        let answer = send(self.authorization.as_ref())?;
        if answer.status != 401 {
            return FetchError::unless_ok(answer);
        }
        let login = self.credentials.wanted(&self.server);
        let challenges: Vec<&str> = answer.all("www-authenticate").collect();
        let bearer = challenges.iter().find_map(|text| Challenge::parse(text));
        self.authorization = match bearer {
            Some(challenge) => Some(self.token(&challenge, login.as_ref())?),
            None => login.and_then(|login| login.basic()),
        };
        if self.authorization.is_none() {
            return FetchError::unless_ok(answer);
        }
        FetchError::unless_ok(send(self.authorization.as_ref())?)
    }

    /// A token of the service that the registry names. Without a login, or with one that is no longer valid, one for what
    /// everybody may read.
    fn token(
        &self,
        challenge: &Challenge,
        login: Option<&Login>,
    ) -> Result<Authorization, FetchError> {
        let realm = WebAddress::parse(&challenge.realm)?;
        if self.server.scheme == WebScheme::Https && realm.scheme == WebScheme::Http {
            return Err(fault("it wants a login by way of plain http"));
        }
        let encoded = |text: &str| base::uri::path(text).replace(['+', '=', '!'], "");
        let query = format!(
            "service={}&scope={}",
            encoded(&challenge.service),
            encoded(&format!("repository:{}:pull", self.name))
        );
        let separator = if realm.path().contains('?') { '&' } else { '?' };
        let address = WebAddress::parse(&format!("{realm}{separator}{query}"))?;
        let ask =
            |address: &WebAddress, authorization: Option<&Authorization>, form: Option<&str>| {
                self.client.send(&HttpRequest {
                    address,
                    from: Some(&self.server),
                    accept: "application/json",
                    authorization,
                    form,
                    most: MAX_ANSWER_BYTES,
                    encoding: Encoding::Plain,
                })
            };
        let with_login = match login {
            Some(Login::Identity(token)) => {
                let token = encode_form(token);
                let form = format!(
                    "grant_type=refresh_token&client_id=catalog&{query}&refresh_token={token}"
                );
                Some(ask(&realm, None, Some(&form))?)
            }
            Some(login) => Some(ask(&address, login.basic().as_ref(), None)?),
            None => None,
        };
        let answer = match with_login.filter(|answer| answer.status < 400) {
            Some(answer) => answer,
            None => ask(&address, None, None)?,
        };
        let answer = FetchError::unless_ok(answer)?;
        let token = serde_json::from_slice::<RegistryToken>(&answer.body).ok();
        let token = token.map(|it| {
            if it.token.is_empty() {
                it.access_token
            } else {
                it.token
            }
        });
        let token =
            token.filter(|token| !token.is_empty() && token.chars().all(|c| c.is_ascii_graphic()));
        let token = token.ok_or_else(|| fault("its service for tokens gave none"))?;
        Ok(Authorization(format!("Bearer {token}")))
    }
}

/// Whether a version can only be itself: it is a tag then, and no list of tags is needed.
fn is_exact(range: &str) -> bool {
    let numbers = range.strip_prefix('v').unwrap_or(range);
    let numbers = numbers.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = numbers.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(is_number) && !range.contains([' ', ',', '|'])
}

fn encode_form(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

/// The address of the next page in a `Link` header.
fn next_page(link: &str) -> Option<&str> {
    let (address, rest) = link.trim().strip_prefix('<')?.split_once('>')?;
    rest.contains("next").then_some(address)
}

/// The login that a registry demands, from its `WWW-Authenticate` header.
struct Challenge {
    realm: String,
    service: String,
}

impl Challenge {
    /// None if it wants something else than a token.
    fn parse(header: &str) -> Option<Challenge> {
        let (scheme, mut rest) = header.trim().split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (mut realm, mut service) = (None, String::new());
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"')?;
            match key.trim_matches([',', ' ']).to_ascii_lowercase().as_str() {
                "realm" => realm = Some(value.to_owned()),
                "service" => service = value.to_owned(),
                _ => {}
            }
            rest = after;
        }
        Some(Challenge {
            realm: realm?,
            service,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_and_links_are_read() {
        let header = "Bearer realm=\"https://auth.example.com/token\", service=\"r.example.com\",scope=\"a,b\"";
        let challenge = Challenge::parse(header).unwrap();
        assert_eq!(challenge.realm, "https://auth.example.com/token");
        assert_eq!(challenge.service, "r.example.com");
        assert!(Challenge::parse("Basic realm=\"x\"").is_none());
        assert!(Challenge::parse("Bearer").is_none());
        assert_eq!(
            next_page("</v2/a/tags/list?last=b&n=1>; rel=\"next\""),
            Some("/v2/a/tags/list?last=b&n=1")
        );
        assert_eq!(next_page("</x>; rel=\"prev\""), None);
    }

    #[test]
    fn only_a_whole_version_is_a_tag() {
        for text in ["1.2.3", "v1.2.3", "1.2.3-rc.1", "1.2.3+build"] {
            assert!(is_exact(text), "{text}");
        }
        for text in [
            "1.2",
            "1.2.x",
            ">=1.2.3",
            "1.2.3 - 2.0.0",
            "1.2.3 || 2",
            "^1.2.3",
            "*",
        ] {
            assert!(!is_exact(text), "{text}");
        }
    }
}
