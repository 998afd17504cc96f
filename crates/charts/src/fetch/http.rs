//! HTTP: requests with limits, retries and resumed downloads. Logins stay with the server that they are for. With
//! `connection`, the only importer of `ureq`.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;
use ureq::http::HeaderMap;
use ureq::tls::TlsConfig;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body};

use super::connection::{LOCAL, PublicResolver, authorities, is_on_this_segment};
use crate::address::{AddressError, WebAddress, WebScheme, is_local};
use crate::archive::decompressed;

const MAX_REDIRECTS: usize = 5;
const MAX_ATTEMPTS: u32 = 4;
const CONNECT: Duration = Duration::from_secs(15);
const ANSWER: Duration = Duration::from_secs(60);
/// Without a byte for so long, a connection counts as lost.
const SILENCE: Duration = Duration::from_secs(30);
const WHOLE: Duration = Duration::from_secs(600);
/// A server may ask for a longer pause, and does not get it.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The value of an `Authorization` header. Never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization(pub String);

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authorization(…)")
    }
}

/// A request: the address, the login to use, and the limits of the answer.
#[derive(Debug)]
pub struct HttpRequest<'r> {
    pub address: &'r WebAddress,
    /// The server whose answer led here, if the address is not the user's own.
    pub from: Option<&'r WebAddress>,
    pub accept: &'r str,
    pub authorization: Option<&'r Authorization>,
    /// A form to post.
    pub form: Option<&'r str>,
    /// The most that the answer may hold.
    pub most: u64,
    pub encoding: Encoding,
}

/// Whether an answer may be compressed on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Plain,
    Compressed,
}

#[derive(Debug)]
pub struct HttpAnswer {
    pub status: u16,
    pub body: Vec<u8>,
    /// The address that answered, after redirects.
    pub address: WebAddress,
    headers: HeaderMap,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HttpError {
    #[error("{host} cannot be reached: {reason}")]
    Unreachable { host: String, reason: String },
    #[error("the connection to {host} was lost: {reason}")]
    Lost { host: String, reason: String },
    #[error("the answer of {host} is larger than {} MiB", most / 1024 / 1024)]
    TooLarge { host: String, most: u64 },
    #[error("{host} redirects more than {MAX_REDIRECTS} times")]
    Redirects { host: String },
    #[error("{host} redirects to an address that cannot be used: {error}")]
    Redirect { host: String, error: AddressError },
    #[error("{host} redirects from https to http, which is not followed")]
    Downgrade { host: String },
    #[error(
        "{host} leads to an address of this machine or its network segment, which is not followed"
    )]
    Local { host: String },
}

/// Sends requests.
#[derive(Debug)]
pub struct HttpClient {
    /// For addresses that the user chose.
    open: Agent,
    /// For addresses that a public server chose.
    public: Agent,
    /// The first pause between attempts.
    pause: Duration,
    /// Servers that no attempt reached. They are not tried again for each of their charts.
    unreachable: Mutex<BTreeMap<String, HttpError>>,
}

/// Bytes that earlier attempts received.
#[derive(Debug, Default)]
struct PartialBody {
    bytes: Vec<u8>,
    /// Tells whether the rest belongs to it.
    validator: Option<String>,
}

impl PartialBody {
    fn restart(&mut self) {
        *self = PartialBody::default();
    }
}

/// An attempt that failed.
struct FailedAttempt {
    error: HttpError,
    /// Whether another attempt may succeed.
    is_passing: bool,
}

impl HttpClient {
    pub fn new(pause: Duration) -> HttpClient {
        let authorities = authorities();
        let config = || {
            let tls = TlsConfig::builder().root_certs(authorities.clone());
            Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .user_agent(concat!("catalog/", env!("CARGO_PKG_VERSION")))
                .timeout_connect(Some(CONNECT))
                .timeout_recv_response(Some(ANSWER))
                .timeout_per_read(Some(SILENCE))
                .timeout_global(Some(WHOLE))
                .tls_config(tls.build())
                .build()
        };
        let resolver = PublicResolver(DefaultResolver::default());
        HttpClient {
            open: Agent::new_with_config(config()),
            public: Agent::with_parts(config(), DefaultConnector::default(), resolver),
            pause,
            unreachable: Mutex::default(),
        }
    }

    /// Sends a request, and again if the connection is lost or the server is busy.
    pub fn send(&self, request: &HttpRequest<'_>) -> Result<HttpAnswer, HttpError> {
        let mut partial = PartialBody::default();
        let mut attempt = 1;
        loop {
            let wait = match self.attempt(request, &mut partial) {
                Ok(answer) if is_busy(answer.status) && attempt < MAX_ATTEMPTS => answer.pause(),
                Ok(answer) => return Ok(answer),
                Err(failed) if failed.is_passing && attempt < MAX_ATTEMPTS => None,
                Err(failed) => {
                    if let HttpError::Unreachable { host, .. } = &failed.error {
                        let (host, error) = (host.clone(), failed.error.clone());
                        self.unreachable().insert(host, error);
                    }
                    return Err(failed.error);
                }
            };
            let pause = self.pause * 2_u32.pow(attempt - 1);
            thread::sleep(wait.unwrap_or(pause).min(LONGEST_PAUSE));
            attempt += 1;
        }
    }

    fn unreachable(&self) -> MutexGuard<'_, BTreeMap<String, HttpError>> {
        self.unreachable
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn attempt(
        &self,
        request: &HttpRequest<'_>,
        partial: &mut PartialBody,
    ) -> Result<HttpAnswer, FailedAttempt> {
        let mut address = request.address.clone();
        let mut from = request.from.cloned();
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.exchange(request, &address, from.as_ref(), partial)?;
            let location = answer.headers().get("location");
            let location = location.and_then(|value| value.to_str().ok());
            let Some(location) = location.filter(|_| is_redirect(answer.status().as_u16())) else {
                return body(request, address, answer, partial);
            };
            let host = || address.host().to_owned();
            let next = address.join(location);
            let next = next.map_err(|error| {
                final_error(HttpError::Redirect {
                    host: host(),
                    error,
                })
            })?;
            if address.scheme == WebScheme::Https && next.scheme == WebScheme::Http {
                return Err(final_error(HttpError::Downgrade { host: host() }));
            }
            if request.form.is_some() {
                return Err(final_error(HttpError::Redirects { host: host() }));
            }
            from.get_or_insert_with(|| address.clone());
            address = next;
        }
        let host = request.address.host().to_owned();
        Err(final_error(HttpError::Redirects { host }))
    }

    fn exchange(
        &self,
        request: &HttpRequest<'_>,
        address: &WebAddress,
        from: Option<&WebAddress>,
        partial: &PartialBody,
    ) -> Result<ureq::http::Response<Body>, FailedAttempt> {
        if let Some(error) = self.unreachable().get(address.authority()) {
            return Err(final_error(error.clone()));
        }
        let is_chosen_by_public = from.is_some_and(|from| !is_on_this_segment(from));
        let literal = address.host().parse();
        let is_here = address.is_this_machine() || literal.is_ok_and(is_local);
        if is_chosen_by_public && is_here {
            let host = from.unwrap_or(address).host().to_owned();
            return Err(final_error(HttpError::Local { host }));
        }
        let agent = if is_chosen_by_public {
            &self.public
        } else {
            &self.open
        };
        let own = request.authorization;
        let own = own.filter(|_| address.is_same_server(request.address));
        let encoding = match request.encoding {
            Encoding::Plain => "identity",
            Encoding::Compressed => "gzip",
        };
        let url = address.to_string();
        let sent = match request.form {
            Some(form) => {
                let mut post = agent.post(&url).header("accept", request.accept);
                if let Some(Authorization(value)) = own {
                    post = post.header("authorization", value);
                }
                post.content_type("application/x-www-form-urlencoded")
                    .send(form)
            }
            None => {
                let mut get = agent.get(&url).header("accept", request.accept);
                get = get.header("accept-encoding", encoding);
                if let Some(Authorization(value)) = own {
                    get = get.header("authorization", value);
                }
                if let (Some(validator), false) = (&partial.validator, partial.bytes.is_empty()) {
                    let range = format!("bytes={}-", partial.bytes.len());
                    get = get.header("range", range).header("if-range", validator);
                }
                get.call()
            }
        };
        sent.map_err(|error| failed(from.unwrap_or(address), address, error))
    }
}

impl HttpAnswer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// All values of a header.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let values = self.headers.get_all(name).into_iter();
        values.filter_map(|value| value.to_str().ok())
    }

    /// The pause that a busy server asks for, in seconds.
    fn pause(&self) -> Option<Duration> {
        let seconds = self.header("retry-after")?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds))
    }
}

/// The answer with its body, which begins with what earlier attempts received.
fn body(
    request: &HttpRequest<'_>,
    address: WebAddress,
    answer: ureq::http::Response<Body>,
    partial: &mut PartialBody,
) -> Result<HttpAnswer, FailedAttempt> {
    let (head, body) = answer.into_parts();
    let headers = head.headers;
    let mut status = head.status.as_u16();
    let host = address.host();
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_compressed = text("content-encoding").is_some_and(|it| it.eq_ignore_ascii_case("gzip"))
        && request.encoding == Encoding::Compressed;
    let mut bytes = match status {
        206 => {
            let start = format!("bytes {}-", partial.bytes.len());
            if !text("content-range").is_some_and(|range| range.starts_with(&start)) {
                partial.restart();
                return Err(lost(host, "it resumed the download at another place"));
            }
            status = 200;
            let received = std::mem::take(&mut partial.bytes);
            read(body, received, host, request.most, |rest| {
                partial.bytes = rest
            })?
        }
        200 => {
            let strong = text("etag").filter(|tag| tag.starts_with('"'));
            let validator = strong.or_else(|| text("last-modified"));
            partial.restart();
            partial.validator = validator.filter(|_| !is_compressed).map(str::to_owned);
            read(body, Vec::new(), host, request.most, |rest| {
                partial.bytes = rest
            })?
        }
        // Bytes received before an error are kept, so that the next attempt can resume.
        416 => {
            partial.restart();
            return Err(lost(host, "it cannot resume the download"));
        }
        _ => read(body, Vec::new(), host, request.most, drop)?,
    };
    if is_compressed {
        let plain = decompressed(&bytes, request.most);
        bytes = plain.map_err(|error| final_error(lost(host, &error.to_string()).error))?;
        if bytes.len() as u64 > request.most {
            return Err(too_large(host, request.most));
        }
    }
    Ok(HttpAnswer {
        status,
        body: bytes,
        address,
        headers,
    })
}

/// Reads the rest of a body. If the connection is lost, `keep` is given what was received.
fn read(
    body: Body,
    mut bytes: Vec<u8>,
    host: &str,
    most: u64,
    keep: impl FnOnce(Vec<u8>),
) -> Result<Vec<u8>, FailedAttempt> {
    let length = body.content_length().unwrap_or(0);
    if length.saturating_add(bytes.len() as u64) > most {
        return Err(too_large(host, most));
    }
    let mut reader = body.into_with_config().limit(u64::MAX).reader();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
            Err(error) => {
                keep(bytes);
                return Err(lost(host, &error.to_string()));
            }
        }
        if bytes.len() as u64 > most {
            return Err(too_large(host, most));
        }
    }
}

fn lost(host: &str, why: &str) -> FailedAttempt {
    let (host, reason) = (host.to_owned(), reason(why));
    FailedAttempt {
        error: HttpError::Lost { host, reason },
        is_passing: true,
    }
}

fn too_large(host: &str, most: u64) -> FailedAttempt {
    let host = host.to_owned();
    final_error(HttpError::TooLarge { host, most })
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

fn is_busy(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

fn final_error(error: HttpError) -> FailedAttempt {
    FailedAttempt {
        error,
        is_passing: false,
    }
}

fn failed(from: &WebAddress, address: &WebAddress, error: ureq::Error) -> FailedAttempt {
    if let ureq::Error::Io(inner) = &error
        && inner.kind() == std::io::ErrorKind::PermissionDenied
        && inner.to_string() == LOCAL
    {
        let host = from.host().to_owned();
        return final_error(HttpError::Local { host });
    }
    let is_passing = match &error {
        ureq::Error::Io(error) => !is_unknown_name(error),
        ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_) => true,
        _ => false,
    };
    let reason = match &error {
        ureq::Error::HostNotFound => "the host was not found".to_owned(),
        ureq::Error::Timeout(_) => "it took too long".to_owned(),
        // It would repeat an address, which may hold a signature.
        ureq::Error::BadUri(_) => "its URL is not valid".to_owned(),
        ureq::Error::Io(error) => reason(&error.to_string()),
        error => reason(&error.to_string()),
    };
    let host = address.authority().to_owned();
    let error = HttpError::Unreachable { host, reason };
    FailedAttempt { error, is_passing }
}

/// Whether a name service is certain that there is no such host. Systems say so in a text only.
fn is_unknown_name(error: &std::io::Error) -> bool {
    let text = error.to_string();
    let endings = [
        "Name or service not known",
        "Name does not resolve",
        "nodename nor servname provided, or not known",
        "No such host is known",
    ];
    endings.iter().any(|ending| text.contains(ending))
}

/// An error of the system on one line.
fn reason(text: &str) -> String {
    const LONGEST: usize = 200;
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn what_a_public_server_chooses_is_no_address_of_this_machine() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = HttpClient::new(Duration::ZERO);
        let public = WebAddress::parse("https://192.0.2.1/").unwrap();
        for host in [
            "127.0.0.1",
            "localhost",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "0.0.0.0",
        ] {
            let address = WebAddress::parse(&format!("http://{host}:{port}/")).unwrap();
            let sent = client.send(&HttpRequest {
                address: &address,
                from: Some(&public),
                accept: "*/*",
                authorization: None,
                form: None,
                most: 1,
                encoding: Encoding::Plain,
            });
            assert!(
                matches!(sent, Err(HttpError::Local { .. })),
                "{host}: {sent:?}"
            );
        }
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err());
    }
}
