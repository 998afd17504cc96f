//! Entries of `configMapGenerator` and `secretGenerator`. They are read before secrets are redacted, because the names
//! of generated objects depend on their content. Secret values are sealed here.

use smol_str::SmolStr;

use super::{entries, text};
use crate::{Behavior, Generator, GeneratorOptions, KeyValue, Literal, Sealed};
use base::MARKER;
use base::{Finding, Place};
use secret::shown;
use yaml::Node;

/// Reads an entry of a generator list.
pub fn generator(node: &Node, kind: &str, findings: &mut Vec<Finding>) -> Generator {
    let scalars = |key: &str| -> Vec<(SmolStr, Place)> {
        let items = node.items_at(key).iter();
        items
            .filter_map(|item| Some((item.text()?.into(), item.place)))
            .collect()
    };
    let mut envs = scalars("envs");
    envs.extend(
        node.get("env")
            .and_then(|env| Some((env.text()?.into(), env.place))),
    );
    let literals = scalars("literals").into_iter().filter_map(|(text, place)| {
        match text.split_once('=').filter(|(key, _)| !key.is_empty()) {
            Some((key, value)) => Some(literal(kind, key, unquoted(value).as_bytes(), place)),
            None => {
                findings.push(
                    Finding::error(
                        "generator-literal",
                        place,
                        "this literal is not `key=value`, so kustomize rejects it",
                    )
                    .help("write the key, an equals sign and the value"),
                );
                None
            }
        }
    });
    let literals: Vec<Literal> = literals.collect();
    let files = scalars("files").into_iter().filter_map(|(text, place)| {
        let file = file(&text, place);
        if file.is_none() {
            let message =
                "this entry of `files` is neither `path` nor `key=path`, so kustomize rejects it";
            findings
                .push(Finding::error("generator-file", place, message).help("correct the entry"));
        }
        file
    });
    Generator {
        kind: kind.into(),
        name: text(node, "name"),
        namespace: text(node, "namespace"),
        secret_type: text(node, "type"),
        behavior: match node.text_at(&["behavior"]) {
            Some("merge") => Behavior::Merge,
            Some("replace") => Behavior::Replace,
            _ => Behavior::Create,
        },
        literals,
        files: files.collect(),
        envs: envs
            .into_iter()
            .map(|(value, place)| KeyValue {
                key: SmolStr::default(),
                value,
                place,
            })
            .collect(),
        options: generator_options(node.get("options")),
        place: node.place,
    }
}

/// Reads `path` or `key=path`.
fn file(text: &str, place: Place) -> Option<KeyValue> {
    let (key, value) = match text.split_once('=') {
        None => ("", text),
        Some((key, path)) if !key.is_empty() && !path.is_empty() => (key, path),
        Some(_) => return None,
    };
    (!value.contains('=')).then(|| KeyValue {
        key: key.into(),
        value: value.into(),
        place,
    })
}

/// A key and value of a generated object; a secret value is sealed.
pub fn literal(kind: &str, key: &str, value: &[u8], place: Place) -> Literal {
    let text = String::from_utf8_lossy(value);
    let shown = match kind {
        "Secret" => Some(MARKER.into()),
        _ => shown(key, &text),
    };
    Literal {
        key: key.into(),
        sealed: shown.is_some().then(|| Sealed::new(value)),
        value: shown.unwrap_or_else(|| text.into()),
        place,
    }
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value)
}

pub fn generator_options(node: Option<&Node>) -> GeneratorOptions {
    let Some(node) = node else {
        return GeneratorOptions::default();
    };
    GeneratorOptions {
        labels: entries(node, "labels"),
        annotations: entries(node, "annotations"),
        disable_hash: node.get("disableNameSuffixHash").and_then(Node::as_bool),
        immutable: node.get("immutable").and_then(Node::as_bool),
    }
}
