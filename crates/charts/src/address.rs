//! Addresses of servers, as far as requests need them. What has a login in it is refused, so that none is ever shown.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use thiserror::Error;

/// A longer address is refused.
const MAX_LENGTH: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WebScheme {
    Http,
    Https,
}

/// An address that can be requested.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebAddress {
    pub scheme: WebScheme,
    /// In lower case, with a port unless it is that of the scheme.
    authority: String,
    /// Path and query, from the first slash on.
    path: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AddressError {
    #[error(
        "it contains credentials; remove them, and keep them in Docker's or Helm's configuration or in ~/.netrc"
    )]
    Credentials,
    #[error("its scheme is neither https nor http")]
    Scheme,
    #[error("it is not a valid URL")]
    Malformed,
}

impl WebAddress {
    pub fn parse(text: &str) -> Result<WebAddress, AddressError> {
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::Malformed)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => WebScheme::Http,
            "https" => WebScheme::Https,
            _ => return Err(AddressError::Scheme),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let path = path.split('#').next().unwrap_or_default();
        if authority.contains('@') {
            return Err(AddressError::Credentials);
        }
        let is_sound =
            |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`');
        if text.len() > MAX_LENGTH || !path.chars().all(is_sound) {
            return Err(AddressError::Malformed);
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        Ok(WebAddress {
            scheme,
            authority: authority_of(scheme, authority)?,
            path: format!("{slash}{path}"),
        })
    }

    /// The address of a registry: plain HTTP on this machine, as other tools have it.
    pub fn registry(authority: &str) -> Result<WebAddress, AddressError> {
        let secure = WebAddress::parse(&format!("https://{authority}"))?;
        if secure.path != "/" {
            return Err(AddressError::Malformed);
        }
        if secure.is_this_machine() {
            WebAddress::parse(&format!("http://{authority}"))
        } else {
            Ok(secure)
        }
    }

    /// The address that a reference on this page leads to.
    pub fn join(&self, reference: &str) -> Result<WebAddress, AddressError> {
        if reference.contains("://") && !reference.starts_with(['/', '?', '.']) {
            return WebAddress::parse(reference);
        }
        if let Some(rest) = reference.strip_prefix("//") {
            return WebAddress::parse(&format!("{}://{rest}", self.scheme));
        }
        let (own, _) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let joined = if reference.starts_with('/') {
            reference.to_owned()
        } else if reference.starts_with('?') {
            format!("{own}{reference}")
        } else {
            let directory = &own[..own.rfind('/').map_or(0, |end| end + 1)];
            format!("{directory}{reference}")
        };
        let (path, query) = joined.split_at(joined.find('?').unwrap_or(joined.len()));
        let path = without_dots(path);
        WebAddress::parse(&format!(
            "{}://{}{path}{query}",
            self.scheme, self.authority
        ))
    }

    /// The address with this path on the same server.
    pub fn with_path(&self, path: &str) -> Result<WebAddress, AddressError> {
        WebAddress::parse(&format!("{}://{}{path}", self.scheme, self.authority))
    }

    /// Host and port; the port is left out if it is that of the scheme.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    pub fn host(&self) -> &str {
        match self.authority.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => self.authority.split(':').next().unwrap_or_default(),
        }
    }

    pub fn port(&self) -> u16 {
        let (_, after) = self
            .authority
            .rsplit_once(']')
            .unwrap_or(("", &self.authority));
        let port = after
            .rsplit_once(':')
            .and_then(|(_, port)| port.parse().ok());
        port.unwrap_or(match self.scheme {
            WebScheme::Http => 80,
            WebScheme::Https => 443,
        })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether a login for one counts for the other.
    pub fn is_same_server(&self, other: &WebAddress) -> bool {
        self.scheme == other.scheme && self.authority == other.authority
    }

    /// Whether the name itself says that it is this machine.
    pub fn is_this_machine(&self) -> bool {
        let host = self.host();
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.path)
    }
}

impl fmt::Display for WebScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WebScheme::Http => "http",
            WebScheme::Https => "https",
        })
    }
}

/// Whether only this machine or its own network segment can mean an address.
pub fn is_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_link_local() || ip.octets()[0] == 0,
        IpAddr::V6(ip) => match embedded(ip) {
            Some(ip) => is_local(ip),
            None => ip.is_loopback() || ip.is_unspecified() || ip.is_unicast_link_local(),
        },
    }
}

/// The IPv4 address in an IPv6 one.
fn embedded(ip: Ipv6Addr) -> Option<IpAddr> {
    if ip.is_loopback() || ip.is_unspecified() {
        return None;
    }
    let translated = ip.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let [.., a, b, c, d] = ip.octets();
    match ip.to_ipv4() {
        Some(ip) => Some(ip.into()),
        None => translated.then(|| IpAddr::from([a, b, c, d])),
    }
}

fn authority_of(scheme: WebScheme, text: &str) -> Result<String, AddressError> {
    let (host, port) = match text.rfind(':') {
        Some(at) if !text[at..].contains(']') => (&text[..at], Some(&text[at + 1..])),
        _ => (text, None),
    };
    let inner = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let is_sound = match inner {
        Some(ip) => ip.parse::<Ipv6Addr>().is_ok(),
        None => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
            !host.is_empty()
                && host.len() <= 253
                && !host.starts_with('-')
                && host.chars().all(is_part)
        }
    };
    if !is_sound {
        return Err(AddressError::Malformed);
    }
    let host = host.to_ascii_lowercase();
    let usual = match scheme {
        WebScheme::Http => 80,
        WebScheme::Https => 443,
    };
    match port.map(str::parse::<u16>) {
        None => Ok(host),
        Some(Ok(port)) if port == usual => Ok(host),
        Some(Ok(port)) if port > 0 => Ok(format!("{host}:{port}")),
        Some(_) => Err(AddressError::Malformed),
    }
}

fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut split = path.split('/').skip(1).peekable();
    while let Some(part) = split.next() {
        let is_last = split.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    parts.pop();
                }
                if is_last {
                    parts.push("");
                }
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> WebAddress {
        WebAddress::parse(text).unwrap()
    }

    #[test]
    fn references_are_resolved_against_their_page() {
        let index = address("https://Example.com:443/charts/index.yaml?x=1");
        assert_eq!(
            index.to_string(),
            "https://example.com/charts/index.yaml?x=1"
        );
        for (reference, expected) in [
            ("a-1.0.0.tgz", "https://example.com/charts/a-1.0.0.tgz"),
            ("./b/../a.tgz?v=2", "https://example.com/charts/a.tgz?v=2"),
            ("/a.tgz", "https://example.com/a.tgz"),
            ("../../../a.tgz", "https://example.com/a.tgz"),
            ("//cdn.example.com/a", "https://cdn.example.com/a"),
            ("http://other:8080/a#b", "http://other:8080/a"),
            ("?next=3", "https://example.com/charts/index.yaml?next=3"),
        ] {
            assert_eq!(index.join(reference).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_address_or_holds_a_login_is_refused() {
        for text in ["https://user:word@example.com/", "https://user@example.com"] {
            assert_eq!(WebAddress::parse(text), Err(AddressError::Credentials));
        }
        for text in [
            "https://",
            "example.com",
            "https://exa mple.com",
            "https://example.com/a b",
            "https://example.com:0",
            "https://example.com:99999",
            "https://-x.example.com",
            "https://[::1",
            "https://example.com/\u{202e}",
        ] {
            assert_eq!(
                WebAddress::parse(text),
                Err(AddressError::Malformed),
                "{text}"
            );
        }
        assert_eq!(WebAddress::parse("file:///etc"), Err(AddressError::Scheme));
    }

    #[test]
    fn a_registry_on_this_machine_speaks_plain_http() {
        let scheme = |text| WebAddress::registry(text).unwrap().scheme;
        assert_eq!(scheme("localhost:5000"), WebScheme::Http);
        assert_eq!(scheme("[::1]:5000"), WebScheme::Http);
        assert_eq!(scheme("ghcr.io"), WebScheme::Https);
        assert_eq!(scheme("10.0.0.1:5000"), WebScheme::Https);
    }

    #[test]
    fn local_addresses_are_known_in_all_their_forms() {
        for ip in [
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "169.254.169.254",
            "fe80::1",
            "0.0.0.0",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
        ] {
            assert!(is_local(ip.parse().unwrap()), "{ip}");
        }
        for ip in [
            "10.0.0.1",
            "192.168.1.1",
            "1.1.1.1",
            "2606:4700::1",
            "fd00::1",
        ] {
            assert!(!is_local(ip.parse().unwrap()), "{ip}");
        }
    }
}
