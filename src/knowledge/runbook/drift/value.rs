//! Images, addresses, replicas and limits as a page states them, compared with the manifests. Each function returns what
//! the manifests say where that is certainly something else.

use super::version::{name, number, same, tag};
use super::{is_set, listed};
use crate::catalog::Component;
use crate::facts::Workload;
use base::text::last_part;
use claims::quantity::quantity;

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

/// The number of replicas, if every workload that has one states it, or the one value that sets it.
pub fn replicas(component: &Component, said: &str) -> Option<String> {
    let said = count(said)?.to_string();
    let scaled: Vec<&Workload> = component
        .workloads
        .iter()
        .filter(|one| SCALED.contains(&one.kind.as_str()))
        .collect();
    let stated: Vec<&str> = scaled
        .iter()
        .filter_map(|one| one.replicas.as_deref())
        .collect();
    let elsewhere = component.per_environment.replicas.iter().flatten();
    let elsewhere: Vec<&str> = elsewhere.filter_map(|one| one.value.as_deref()).collect();
    let by_values: Vec<&str> = match scaled.is_empty() {
        true => values_of(component, |name| {
            matches!(name, "replicas" | "replicaCount")
        }),
        false => Vec::new(),
    };
    let is_autoscaled = component.resources.iter().any(|one| {
        matches!(
            one.id.kind.as_str(),
            "HorizontalPodAutoscaler" | "ScaledObject"
        )
    });
    // Several workloads have numbers of their own, and the page may mean any.
    let is_known = scaled.len() == 1 && stated.len() == 1 || !by_values.is_empty();
    let is_number = |value: &&str| value.parse::<u32>().is_ok();
    let mut all: Vec<&str> = stated
        .into_iter()
        .chain(elsewhere)
        .chain(by_values)
        .collect();
    all.sort_unstable();
    all.dedup();
    let agrees = all.contains(&said.as_str());
    (is_known
        && !is_autoscaled
        && all.iter().all(is_number)
        && !agrees
        && !is_set(component, &said))
    .then(|| listed(&all))
}

/// Kinds that have replicas.
const SCALED: &[&str] = &["Deployment", "StatefulSet", "ReplicaSet", "Rollout"];

/// The values of the settings whose names are asked for, each once.
fn values_of(component: &Component, is_meant: impl Fn(&str) -> bool) -> Vec<&str> {
    let meant = component
        .settings
        .iter()
        .filter(|setting| is_meant(&setting.name));
    let values = meant.flat_map(|setting| setting.values.iter());
    let mut values: Vec<&str> = values
        .filter_map(|(_, value)| value.value.as_deref())
        .collect();
    values.sort_unstable();
    values.dedup();
    values
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

/// A request or a limit: `key` is `limits.memory`. Contradicted if containers have some, and none has this one, nor all
/// together.
pub fn resource(component: &Component, key: &str, said: &str) -> Option<String> {
    let wanted = quantity(said)?;
    let end = format!("resources.{key}");
    let mut own = values_of(component, |name| {
        let rest = name.strip_suffix(end.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    let limits = component.workloads.iter().flat_map(|one| &one.limits);
    own.extend(limits.filter_map(|limit| match key {
        "limits.memory" => Some(limit.memory.as_ref()?.value.as_str()),
        "limits.cpu" => Some(limit.cpu.as_ref()?.as_str()),
        _ => None,
    }));
    own.sort_unstable();
    own.dedup();
    contradicted(&own, wanted)
}

/// The size of a volume.
pub fn storage(component: &Component, said: &str) -> Option<String> {
    let wanted = quantity(said)?;
    let volumes = component.volumes.iter();
    let mut own: Vec<&str> = volumes.filter_map(|one| one.size.as_deref()).collect();
    let elsewhere = component.per_environment.sizes.iter().flatten();
    own.extend(elsewhere.filter_map(|one| one.value.as_deref()));
    own.sort_unstable();
    own.dedup();
    let is_whole = component.volumes.iter().all(|one| one.size.is_some());
    contradicted(&own, wanted).filter(|_| is_whole)
}

fn contradicted(own: &[&str], wanted: u128) -> Option<String> {
    let all: Option<Vec<u128>> = own.iter().map(|value| quantity(value)).collect();
    let all = all.filter(|all| !all.is_empty() && all.len() <= MOST_LISTED)?;
    let agrees = all.contains(&wanted) || all.iter().sum::<u128>() == wanted;
    (!agrees).then(|| listed(own))
}

/// More values are of many containers, and the page may mean something else.
const MOST_LISTED: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_counts_are_compared_by_what_they_mean() {
        assert_eq!(host("https://a.example.com/x"), Some("a.example.com"));
        assert_eq!(host("example.com"), None);
        assert_eq!(host("web.shop.svc"), None);
        assert_eq!(count("three"), Some(3));
        assert_eq!(count("many"), None);
    }
}
