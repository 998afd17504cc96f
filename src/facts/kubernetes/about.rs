//! What labels and annotations of an object say about the people and the environment behind it, under any prefix:
//! `example.org/owner`, `team-name`, `slack-channel`, `source-code`, `environment-name`.

use smol_str::SmolStr;

use crate::facts::{Located, MoreLabels, Resource};
use base::text::last_part;

const OWNERS: &[&str] = &["owner", "team", "team-name"];
const CONTACTS: &[&str] = &["contact", "slack-channel", "channel", "email"];
const SOURCES: &[&str] = &[
    "source-code",
    "source-repository",
    "source-repo",
    "repository",
];
const ENVIRONMENTS: &[&str] = &["environment-name", "environment"];

/// Short names of environments, and the long ones.
const SHORT: &[(&str, &str)] = &[
    ("dev", "development"),
    ("develop", "development"),
    ("prod", "production"),
    ("prd", "production"),
    ("stag", "staging"),
    ("stage", "staging"),
    ("stg", "staging"),
    ("preprod", "preproduction"),
    ("tst", "test"),
    ("testing", "test"),
];

/// The owner of an object, without an address behind the name.
pub fn owner(resource: &Resource) -> Option<Located<SmolStr>> {
    // Labels there choose the Prometheus that reads the object, and come from whoever wrote it.
    if resource.id.group == "monitoring.coreos.com" {
        return None;
    }
    let stated = labelled(resource, OWNERS)?;
    Some(Located {
        value: name_of(&stated.value).into(),
        place: stated.place,
    })
}

/// Where people ask about a namespace, and where its code is.
pub fn more(resource: &Resource) -> Option<MoreLabels> {
    let is_space = resource.id.is("", "Namespace");
    let more = is_space.then(|| MoreLabels {
        contact: contact(resource),
        source_code: source_code(resource),
    });
    more.filter(|more| more.contact.is_some() || more.source_code.is_some())
}

/// Where people ask about an object: a channel or an address.
fn contact(resource: &Resource) -> Option<Located<SmolStr>> {
    labelled(resource, CONTACTS).or_else(|| {
        let owner = labelled(resource, OWNERS)?;
        let (_, address) = split_address(&owner.value)?;
        Some(Located {
            value: address.into(),
            place: owner.place,
        })
    })
}

/// The repository with the source code of what an object is about.
fn source_code(resource: &Resource) -> Option<Located<SmolStr>> {
    let stated = labelled(resource, SOURCES)?;
    stated.value.starts_with("http").then_some(stated)
}

/// The environment that an object is in, in lower case.
pub fn environment(resource: &Resource) -> Option<SmolStr> {
    let stated = labelled(resource, ENVIRONMENTS)?.value;
    let name = stated.trim().to_ascii_lowercase();
    let is_name =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.into())
}

/// The long name of an environment.
pub fn plain(environment: &str) -> &str {
    let long = SHORT.iter().find(|(short, _)| *short == environment);
    long.map_or(environment, |(_, long)| long)
}

/// `Payments` of `Payments: payments@example.org`.
fn name_of(owner: &str) -> &str {
    match split_address(owner) {
        Some((name, _)) if !name.is_empty() => name,
        _ => owner.trim(),
    }
}

/// A name and the first e-mail address after it.
fn split_address(owner: &str) -> Option<(&str, &str)> {
    let at = owner.find('@')?;
    let is_apart = |letter: char| matches!(letter, ':' | '<' | '(' | ',' | ' ');
    let start = owner[..at].rfind(is_apart).map_or(0, |before| before + 1);
    let rest = &owner[start..];
    let end = rest.find(|letter| is_apart(letter) || letter == '>' || letter == ')');
    let address = &rest[..end.unwrap_or(rest.len())];
    Some((owner[..start].trim_end_matches(is_apart).trim(), address))
}

/// The value of the first of these words that is the last part of a label or annotation.
pub fn labelled(resource: &Resource, words: &[&str]) -> Option<Located<SmolStr>> {
    let metadata = resource.node.get("metadata")?;
    words.iter().find_map(|word| {
        let labels = metadata.entries_at("labels").iter();
        let mut entries = labels
            .chain(metadata.entries_at("annotations"))
            .filter(|entry| last_part(&entry.key) == *word);
        entries.find_map(|entry| {
            let value = entry.value.text().filter(|text| !text.trim().is_empty())?;
            Some(Located {
                value: value.into(),
                place: entry.value.place,
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_chooses_a_prometheus_names_no_owner() {
        let owner = |kind: &str| {
            let text = format!("{kind}\nmetadata: {{name: a, labels: {{team: payments}}}}\n");
            let root = yaml::parse(&text, base::FileId(0)).documents.remove(0).root;
            owner(&Resource::new(root).unwrap()).map(|owner| owner.value.to_string())
        };
        let workload = "apiVersion: apps/v1\nkind: Deployment";
        assert_eq!(owner(workload).as_deref(), Some("payments"));
        let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor";
        assert_eq!(owner(monitor), None);
    }

    #[test]
    fn an_owner_is_a_name_without_an_address() {
        assert_eq!(name_of("Payments (EU): pay@example.org"), "Payments (EU)");
        assert_eq!(name_of("Payments <pay@example.org>"), "Payments");
        assert_eq!(name_of("Payments pay@example.org"), "Payments");
        assert_eq!(name_of("pay@example.org"), "pay@example.org");
        assert_eq!(
            name_of("Payments: a@example.org: b@example.org"),
            "Payments"
        );
        assert_eq!(name_of("team: payments"), "team: payments");
    }
}
