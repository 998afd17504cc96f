//! Versions of charts and images as a page states them, compared with the manifests.

use super::{is_set, listed};
use crate::catalog::Component;
use base::text::last_part;

pub fn chart_version(component: &Component, said: &str) -> Option<String> {
    let said = number(said)?;
    let versions = versions(component);
    let agrees = versions.iter().any(|own| same(own, said));
    // A range says which versions are allowed, not which one it is.
    let exact = !versions.is_empty() && versions.iter().all(|own| number(own).is_some());
    (exact && !agrees && !is_set(component, said)).then(|| listed(&versions))
}

/// `external-secrets v0.10.7`, with or without words around it.
pub fn chart(component: &Component, said: &str) -> Option<String> {
    let name = component.chart.as_ref()?.name.as_str();
    let words = || said.split(|c: char| c.is_whitespace() || "(),:@".contains(c));
    if !words().any(|word| word == name) {
        return None;
    }
    let mut numbers = words().filter_map(number);
    let version = numbers.next().filter(|_| numbers.next().is_none())?;
    chart_version(component, version)
}

/// A version without a word of what: of the one image, or of the chart where it can hardly be another's.
pub fn version(component: &Component, said: &str) -> Option<String> {
    let said = number(said)?;
    let tags: Vec<&str> = component
        .images
        .iter()
        .filter_map(|image| tag(image))
        .collect();
    let charts = versions(component);
    let known = tags.iter().copied().chain(charts.iter().copied());
    if known.clone().any(|own| same(own, said)) || is_set(component, said) {
        return None;
    }
    match (charts.as_slice(), tags.as_slice()) {
        ([], []) => None,
        ([], tags) => {
            let exact = component.images.len() == tags.len()
                && tags.iter().all(|tag| number(tag).is_some());
            let mut names = component.images.iter().map(|image| name(image));
            let first = names.next();
            let is_one = names.all(|other| Some(other) == first);
            // Beside others, the main image has the version that people mean.
            let is_main = || {
                let parts = |text: &str| text.trim_start_matches('v').split('.').count();
                let main = component.version();
                main.is_some_and(|main| tags.contains(&main) && parts(main) == parts(said))
            };
            (exact && (is_one || is_main())).then(|| listed(tags))
        }
        (charts, _) => {
            // An application counts its versions differently from its chart; where both begin alike, it is the chart's.
            let parts = |text: &str| -> Vec<String> {
                text.trim_start_matches('v')
                    .split('.')
                    .map(str::to_owned)
                    .collect()
            };
            let alike = |own: &&str| {
                let (own, said) = (parts(own), parts(said));
                own.len() == said.len() && own.first() == said.first()
            };
            let exact = charts.iter().all(|own| number(own).is_some());
            (exact && charts.iter().all(alike)).then(|| format!("{} for the chart", listed(charts)))
        }
    }
}

/// The versions of its chart, each once.
pub fn versions(component: &Component) -> Vec<&str> {
    let all = component
        .environments
        .iter()
        .filter_map(|environment| environment.chart_version.as_deref());
    let chart = component
        .chart
        .as_ref()
        .and_then(|chart| chart.version.as_deref());
    let more = component.more_charts.iter();
    let more = more.filter_map(|chart| chart.version.as_deref());
    let mut versions: Vec<&str> = all.chain(chart).chain(more).collect();
    versions.sort_unstable();
    versions.dedup();
    versions
}

/// A version of numbers, if a text is one.
pub fn number(text: &str) -> Option<&str> {
    let text = text.trim().trim_matches('`');
    let digits = text.strip_prefix('v').unwrap_or(text);
    let is_version = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.contains('.')
        && digits
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c))
        && !digits.contains(".x")
        && !digits.ends_with('.');
    is_version.then_some(text)
}

/// `v1.2.0` and `1.2.0` are one, and `1.2` is true of both.
pub fn same(own: &str, said: &str) -> bool {
    let (own, said) = (own.trim_start_matches('v'), said.trim_start_matches('v'));
    let rest = own.strip_prefix(said);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '+', '@']))
}

pub fn tag(image: &str) -> Option<&str> {
    let image = image.split('@').next().unwrap_or(image);
    last_part(image).split_once(':').map(|(_, tag)| tag)
}

pub fn name(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or(image);
    tag(image).map_or(image, |tag| {
        image[..image.len() - tag.len()].trim_end_matches(':')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_agree_as_far_as_they_go() {
        assert!(
            same("0.10.7", "v0.10.7") && same("v1.2.3", "1.2") && same("1.2.3-alpine", "1.2.3")
        );
        assert!(!same("1.20.3", "1.2") && !same("1.2", "1.2.3"));
        assert_eq!(number("1.x"), None);
        assert_eq!(number("latest"), None);
        assert_eq!(number("~1.2"), None);
        assert_eq!(number("v1.2.3"), Some("v1.2.3"));
    }

    #[test]
    fn images_have_names_and_tags() {
        assert_eq!(tag("registry:5000/a/b:1.2@sha256:x"), Some("1.2"));
        assert_eq!(name("registry:5000/a/b:1.2"), "registry:5000/a/b");
        assert_eq!(tag("registry:5000/a/b"), None);
    }
}
