//! Images, addresses, replicas and limits as a page states them, compared with the manifests. Each function returns what
//! the manifests say where that is certainly something else.

use super::version::{name, number, same, tag};
use super::{is_set, listed};
use crate::catalog::Component;
use base::text::last_part;

/// `registry.example.com/web:1.4.0`, or `web:1.4.0`: the tag of an image that the component runs.
pub fn image(component: &Component, said: &str) -> Option<String> {
    let said = said.trim().trim_matches('`');
    let wanted = tag(said)?;
    let is_exact = number(wanted).is_some() && !said.contains(['$', '<', '{', ' ']);
    if !is_exact || said.contains('@') {
        return None;
    }
    let repository = name(said);
    let is_same = |image: &str| {
        let own = name(image);
        own == repository
            || own.ends_with(&format!("/{repository}"))
            || !repository.contains('/') && last_part(own) == repository
    };
    let own: Vec<&str> = component
        .images
        .iter()
        .map(|image| image.as_str())
        .filter(|image| is_same(image))
        .collect();
    let tags: Vec<&str> = own.iter().filter_map(|image| tag(image)).collect();
    let is_known = !own.is_empty() && tags.len() == own.len();
    let exact = tags.iter().all(|tag| number(tag).is_some());
    let agrees = tags.iter().any(|own| same(own, wanted)) || is_set(component, wanted);
    (is_known && exact && !agrees).then(|| listed(&tags))
}

/// An address of the component. Only another host of the same domain contradicts what the manifests say.
pub fn address(component: &Component, said: &str) -> Option<String> {
    let host = host(said.trim().trim_matches(['`', '<', '>']))?;
    let own: Vec<&str> = component
        .urls
        .iter()
        .filter_map(|url| host_of(url))
        .collect();
    let domain = domain(host)?;
    let is_known = |own: &&str| !own.contains(['$', '{', '*']);
    let is_near = own.iter().any(|own| self::domain(own) == Some(domain));
    let agrees = own.contains(&host) || is_set(component, host);
    if own.is_empty() || !own.iter().all(is_known) || !is_near || agrees {
        return None;
    }
    let mut own: Vec<&str> = own;
    own.sort_unstable();
    own.dedup();
    (own.len() <= 3).then(|| listed(&own))
}

fn host_of(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', ':', '?', '#']).next()?;
    (!host.is_empty()).then_some(host)
}

/// The host of an address, or a bare host name; none for what may be something else.
fn host(said: &str) -> Option<&str> {
    let host = host_of(said)?.trim_end_matches('.');
    let is_host = host
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.');
    let is_inside =
        host.ends_with(".svc") || host.ends_with(".local") || host.ends_with(".cluster.local");
    (is_host && host.matches('.').count() >= 2 && !is_inside && host.contains(char::is_alphabetic))
        .then_some(host)
}

/// All of a host but its first name.
fn domain(host: &str) -> Option<&str> {
    let (_, domain) = host.split_once('.')?;
    domain.contains('.').then_some(domain)
}

/// The number of replicas, if every workload states one.
pub fn replicas(component: &Component, said: &str) -> Option<String> {
    let said = count(said)?.to_string();
    let workloads = &component.workloads;
    let stated: Vec<&str> = workloads
        .iter()
        .filter_map(|one| one.replicas.as_deref())
        .collect();
    let elsewhere = component.per_environment.replicas.iter().flatten();
    let elsewhere: Vec<&str> = elsewhere.filter_map(|one| one.value.as_deref()).collect();
    let is_scaled = component.resources.iter().any(|one| {
        matches!(
            one.id.kind.as_str(),
            "HorizontalPodAutoscaler" | "ScaledObject"
        )
    });
    // Several workloads have numbers of their own, and the page may mean any.
    let is_known = workloads.len() == 1 && stated.len() == 1 && !is_scaled;
    let is_number = |value: &&str| value.parse::<u32>().is_ok();
    let mut all: Vec<&str> = stated.into_iter().chain(elsewhere).collect();
    all.sort_unstable();
    all.dedup();
    let agrees = all.contains(&said.as_str());
    (is_known && all.iter().all(is_number) && !agrees && !is_set(component, &said))
        .then(|| listed(&all))
}

/// `3` or `three`.
pub fn count(said: &str) -> Option<u32> {
    const WORDS: [&str; 11] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let said = said.trim().trim_matches(['`', '*']).to_lowercase();
    let word = WORDS.iter().position(|word| *word == said);
    word.map(|at| at as u32).or_else(|| said.parse().ok())
}

/// A limit of memory, if one container has one.
pub fn memory_limit(component: &Component, said: &str) -> Option<String> {
    let wanted = bytes(said)?;
    let limits = component.workloads.iter().flat_map(|one| &one.limits);
    let limits: Vec<&str> = limits
        .filter_map(|limit| Some(limit.memory.as_ref()?.value.as_str()))
        .collect();
    let is_known = component.workloads.len() == 1 && !limits.is_empty();
    let all: Option<Vec<u64>> = limits.iter().map(|limit| bytes(limit)).collect();
    let agrees = all?.contains(&wanted) || is_set(component, said.trim().trim_matches('`'));
    (is_known && !agrees).then(|| listed(&limits))
}

/// `512Mi`, `1 GiB`, `1G` in bytes.
fn bytes(said: &str) -> Option<u64> {
    let said = said.trim().trim_matches('`');
    let end = said.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = said[..end].parse().ok()?;
    let unit = said[end..].trim().trim_end_matches('B');
    let factor: u64 = match unit {
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "K" | "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return None,
    };
    number.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_and_hosts_are_compared_by_what_they_mean() {
        assert_eq!(bytes("512Mi"), bytes("512 MiB"));
        assert_eq!(bytes("1Gi"), bytes("1024Mi"));
        assert_eq!(bytes("much"), None);
        assert_eq!(bytes("99999999999999999999Gi"), None);
        assert_eq!(host("https://a.example.com/x"), Some("a.example.com"));
        assert_eq!(host("example.com"), None);
        assert_eq!(host("web.shop.svc"), None);
        assert_eq!(count("three"), Some(3));
        assert_eq!(count("many"), None);
    }
}
