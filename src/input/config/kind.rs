//! Kinds of custom resources: what their operators create for them, and what they refer to. What is known of common
//! kinds is `kinds.toml`, compiled in; `[[kind]]` in `catalog.toml` has the same form and is added to it.

use std::sync::LazyLock;

use schemars::JsonSchema;

use super::mistake::Mistakes;
use super::section::{TomlSection, built_in, texts};
use base::hash::HashMap;

/// What a custom resource means for others.
#[derive(Debug, Clone, PartialEq, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Kind {
    /// The API group and the kind, such as `kafka.strimzi.io/Kafka`.
    #[schemars(example = &"acme.example/Database")]
    pub name: String,
    /// Services that its operator creates, in the namespace of the resource. `{name}` is the name of the resource,
    /// `{spec.x}` the value of a field.
    #[schemars(default, example = ["{name}-primary"])]
    pub services: Vec<String>,
    /// Secrets that its operator creates.
    #[schemars(default, example = ["{name}-credentials"])]
    pub secrets: Vec<String>,
    /// Device classes and extended resources that it makes available, such as `acme.example/gpu`.
    #[schemars(default, example = ["acme.example/gpu"])]
    pub classes: Vec<String>,
    /// Fields that name other objects, and the kind of each: `field = Kind`. The field is a name, or a mapping with a `name`
    /// and perhaps a `namespace` and a `kind`; `[]` after a field means each item of its list.
    #[schemars(default, example = ["spec.clusterRef = DatabaseCluster"])]
    pub refers: Vec<String>,
    /// Keys below which it names services that its own component does not call.
    #[schemars(default, example = ["analysis"])]
    pub quiet: Vec<String>,
}

pub(super) const KIND_KEYS: &[&str] =
    &["name", "services", "secrets", "classes", "refers", "quiet"];

/// What is known of a kind by itself, by its API group and name.
pub fn known_kind(name: &str) -> Option<&'static Kind> {
    static KNOWN: LazyLock<HashMap<&'static str, &'static Kind>> = LazyLock::new(|| {
        let each = known_kinds().iter();
        each.map(|kind| (kind.name.as_str(), kind)).collect()
    });
    KNOWN.get(name).copied()
}

/// Built-in kinds.
fn known_kinds() -> &'static [Kind] {
    static KNOWN: LazyLock<Vec<Kind>> =
        LazyLock::new(|| built_in("kinds.toml", include_str!("kinds.toml"), "kind", kinds));
    &KNOWN
}

pub(super) fn kinds(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for section in sections {
        section.allow_only(KIND_KEYS, mistakes);
        let Some(name) = section.required("name", mistakes) else {
            continue;
        };
        let parts = name.value.split_once('/');
        if !parts.is_some_and(|(group, kind)| group.contains('.') && !kind.is_empty()) {
            let message = format!("`{}` is not an API group and a kind", name.value);
            mistakes.add(name.span.clone(), message).help(
                "write the group without its version, and the kind, such as `kafka.strimzi.io/Kafka`",
            );
        }
        let refers = section.list("refers", mistakes);
        for text in &refers {
            if reference(&text.value).is_none() {
                let message = format!("`{}` is not a field and a kind", text.value);
                mistakes
                    .add(text.span.clone(), message)
                    .help("write `field = Kind`, such as `spec.clusterRef = Cluster`");
            }
        }
        let mut list = |key: &str| texts(section.list(key, mistakes));
        kinds.push(Kind {
            name: name.value,
            services: list("services"),
            secrets: list("secrets"),
            classes: list("classes"),
            quiet: list("quiet"),
            refers: texts(refers),
        });
    }
    kinds
}

/// The field and the kind of `field = Kind`.
pub fn reference(text: &str) -> Option<(&str, &str)> {
    let (field, kind) = text.split_once(" = ")?;
    let (field, kind) = (field.trim(), kind.trim());
    (!field.is_empty() && !kind.is_empty()).then_some((field, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_kind_says_something_once() {
        let kinds = known_kinds();
        assert!(kinds.len() > 60, "{}", kinds.len());
        for kind in kinds {
            let empty = Kind {
                name: kind.name.clone(),
                ..Kind::default()
            };
            assert_ne!(*kind, empty);
            assert_eq!(known_kind(&kind.name), Some(kind), "twice: {}", kind.name);
        }
    }

    #[test]
    fn mistakes_in_kinds_are_told() {
        let text = "[[kind]]\nname = \"Kafka\"\nrefers = [\"spec.x\"]\n";
        let error = crate::input::config::parse(text, "catalog.toml").unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("`Kafka` is not an API group and a kind"),
            "{error}"
        );
        assert!(
            error.contains("`spec.x` is not a field and a kind"),
            "{error}"
        );
    }
}
