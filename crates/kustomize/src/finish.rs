//! Finishes a build: adds hashes to generated names, turns annotation values into strings, and removes build
//! annotations and objects marked `local-config`.

use smol_str::SmolStr;

use super::item::BuildObject;
use crate::{Content, name_hash};
use yaml::{Entry, Map, Node, Scalar, ScalarKind, to_json};

/// Appends the hash of their content to the names of generated objects.
pub fn add_hashes(items: &mut [BuildObject]) {
    for item in items {
        let Some(generated) = item.generated.as_ref().filter(|generated| generated.hashed) else {
            continue;
        };
        let part = |key: &str| item.node.get(key).map(to_json);
        let hash = name_hash(Content {
            kind: &item.id.kind,
            secret_type: item.node.text_at(&["type"]).unwrap_or_default(),
            data: part("data"),
            binary_data: part("binaryData"),
            sealed: &generated.sealed,
        });
        item.set_name(&format!("{}-{hash}", item.id.name));
    }
}

pub fn finish(items: &mut Vec<BuildObject>) {
    items.retain(|item| !is_local(item));
    for item in items {
        // Patches and replacements may have brought values that were not sealed as part of a Secret.
        if item.id.is("", "Secret") && !secret::is_sealed(&item.node) {
            secret::seal(item.node_mut());
        }
        let annotations = item.node.at(&["metadata", "annotations"]);
        if annotations.is_some_and(|annotations| !is_finished(annotations)) {
            let metadata = item.node_mut().map_under("metadata");
            clean(metadata);
        }
    }
}

/// Annotations that kustomize uses internally.
const NOTES: &[&str] = &[
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
    "config.kubernetes.io/origin",
    "alpha.config.kubernetes.io/transformations",
];

fn is_finished(annotations: &Node) -> bool {
    annotations.as_map().is_some_and(|map| {
        let is_finished = |entry: &Entry| {
            let text = entry.value.as_scalar();
            text.is_some_and(is_text) && !NOTES.contains(&entry.key.as_str())
        };
        !map.is_empty() && map.0.iter().all(is_finished)
    })
}

fn is_text(scalar: &Scalar) -> bool {
    matches!(scalar.kind(), ScalarKind::Str(_)) && scalar.timestamp().is_none()
}

fn clean(metadata: &mut Map) {
    let Some(annotations) = metadata.get_mut("annotations") else {
        return;
    };
    if let Some(map) = annotations.as_map_mut() {
        map.0.retain(|entry| !NOTES.contains(&entry.key.as_str()));
        for entry in &mut map.0 {
            let text = match entry.value.as_scalar() {
                Some(scalar) if is_text(scalar) => continue,
                Some(scalar) => scalar.text.clone(),
                None => SmolStr::default(),
            };
            entry.value = Node::string(text, entry.value.place);
        }
    }
    if annotations.as_map().is_none_or(Map::is_empty) {
        metadata.remove("annotations");
    }
}

fn is_local(item: &BuildObject) -> bool {
    item.node
        .at(&[
            "metadata",
            "annotations",
            "config.kubernetes.io/local-config",
        ])
        .is_some_and(|mark| mark.text() != Some("false"))
}
