//! Connections: the addresses that a server's answer may lead to, and the certificate authorities that are trusted.

use std::net::ToSocketAddrs;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, parse_pem};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::address::{WebAddress, is_local};

/// Certificate authorities of the system, where distributions keep them.
const BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Whether a server is on this machine or its network segment, as far as its name can be resolved.
pub fn is_on_this_segment(address: &WebAddress) -> bool {
    if address.is_this_machine() {
        return true;
    }
    let found = (address.host(), address.port()).to_socket_addrs();
    found.is_ok_and(|mut found| found.any(|one| is_local(one.ip())))
}

pub const LOCAL: &str = "an address of this machine";

/// Resolves names to addresses other than those of this machine and its network segment.
#[derive(Debug)]
pub struct PublicResolver(pub DefaultResolver);

impl Resolver for PublicResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        // It is the address of the proxy.
        if config.proxy().is_some() {
            return Ok(found);
        }
        let mut kept = self.empty();
        for address in found.iter().filter(|address| !is_local(address.ip())) {
            kept.push(*address);
        }
        if kept.is_empty() {
            let kind = std::io::ErrorKind::PermissionDenied;
            return Err(ureq::Error::Io(std::io::Error::new(kind, LOCAL)));
        }
        Ok(kept)
    }
}

/// The certificate authorities: those of `SSL_CERT_FILE`, else those of the system, else those that are built in.
pub fn authorities() -> RootCerts {
    let named = std::env::var_os("SSL_CERT_FILE").map(std::path::PathBuf::from);
    let usual = BUNDLES.iter().map(std::path::PathBuf::from);
    let files = named.into_iter().chain(usual);
    let found = files.into_iter().find_map(|file| {
        let pem = std::fs::read(file).ok()?;
        let certificates: Vec<_> = parse_pem(&pem)
            .filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            })
            .collect();
        (!certificates.is_empty()).then_some(certificates)
    });
    match found {
        Some(certificates) => RootCerts::new_with_certs(&certificates),
        None => RootCerts::WebPki,
    }
}
