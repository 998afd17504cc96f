//! Host names that the server answers to. Another site can point its own name at this machine (DNS rebinding). Such
//! requests carry that name and are refused.

use std::net::IpAddr;

#[derive(Debug, Clone)]
pub struct Hosts {
    own: String,
}

impl Hosts {
    pub fn for_host(host: &str) -> Hosts {
        Hosts {
            own: host.to_ascii_lowercase(),
        }
    }

    /// Whether a request with this `Host` is meant for this server. A number cannot be pointed elsewhere.
    pub fn allow(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        let is_number = |name: &str| name.parse::<IpAddr>().is_ok();
        let is_here = name == "localhost" || name.ends_with(".localhost") || name == self.own;
        is_here || is_number(name.trim_start_matches('[').trim_end_matches(']'))
    }
}

fn without_port(host: &str) -> &str {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) && (!name.contains(':') || name.ends_with(']')) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_machines_are_refused() {
        let hosts = Hosts::for_host("127.0.0.1");
        for host in [
            "localhost",
            "localhost:4280",
            "catalog.localhost:1",
            "127.0.0.1:80",
            "[::1]:4280",
            "192.168.1.7:4280",
        ] {
            assert!(hosts.allow(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:4280",
            "localhost.evil.example",
            "127.0.0.1.evil.example:4280",
            "127.0.0.1:4280:x",
        ] {
            assert!(!hosts.allow(host), "{host}");
        }
    }
}
