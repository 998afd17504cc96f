//! Reads entries of `replacements`, in a kustomization or in a file of their own.

use std::sync::Arc;

use smol_str::SmolStr;

use super::patch::selector;
use super::text;
use crate::{FieldOptions, Replacement, ReplacementSource, ReplacementTarget, Selector};
use yaml::Node;

pub fn replacement(node: &Node) -> Replacement {
    let options = |node: Option<&Node>| {
        node.map_or_else(FieldOptions::default, |node| FieldOptions {
            delimiter: node
                .get("delimiter")
                .and_then(Node::as_scalar)
                .map(|scalar| scalar.text.clone())
                .unwrap_or_default(),
            index: node
                .text_at(&["index"])
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            create: node.get("create").and_then(Node::as_bool).unwrap_or(false),
        })
    };
    let source = node.get("source").map(|source| ReplacementSource {
        selector: selector(source),
        field_path: text(source, "fieldPath"),
        value: None,
        options: options(source.get("options")),
    });
    let value = node.get("sourceValue").and_then(Node::as_scalar);
    let source = source.or_else(|| {
        value.map(|value| ReplacementSource {
            selector: Selector::default(),
            field_path: SmolStr::default(),
            value: Some(value.text.clone()),
            options: FieldOptions::default(),
        })
    });
    let targets = node
        .items_at("targets")
        .iter()
        .map(|target| ReplacementTarget {
            select: target.get("select").map(selector),
            reject: target.items_at("reject").iter().map(selector).collect(),
            field_paths: target
                .items_at("fieldPaths")
                .iter()
                .filter_map(|path| path.text().map(SmolStr::from))
                .collect(),
            options: options(target.get("options")),
            place: target.place,
        });
    Replacement {
        file: node.text_at(&["path"]).map(SmolStr::from),
        source,
        targets: targets.collect(),
        place: node.place,
    }
}

/// Reads the documents of a replacements file: each is one replacement or a list.
pub fn replacements_in(documents: &[Arc<Node>]) -> Vec<Replacement> {
    let each = documents.iter().flat_map(|root| match root.as_seq() {
        Some(items) => items.iter().map(replacement).collect::<Vec<_>>(),
        None => vec![replacement(root)],
    });
    each.collect()
}
