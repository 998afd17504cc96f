//! Patches: which objects each is for, and laying it over them.

use std::sync::Arc;

use super::item::Item;
use super::select::Matcher;
use super::{json_patch, merge};
use crate::diagnostic::{Finding, Place};
use crate::fact::{Patch, ResourceId};
use crate::yaml::Node;

/// Applies one patch, whose documents were read already, to the objects that it is for.
pub fn apply(
    items: &mut Vec<Item>,
    patch: &Patch,
    documents: &[Arc<Node>],
    findings: &mut Vec<Finding>,
) {
    let selected = match &patch.target {
        None => None,
        Some(selector) => match Matcher::new(selector) {
            Ok(matcher) => Some(
                (0..items.len())
                    .filter(|index| matcher.matches(&items[*index]))
                    .collect::<Vec<_>>(),
            ),
            Err(message) => {
                findings.push(Finding::error("patch-invalid", patch.place, message));
                return;
            }
        },
    };
    let mut deleted = Vec::new();
    for document in documents {
        if document.as_seq().is_some() {
            json(items, patch, document, selected.as_deref(), findings);
        } else {
            strategic(
                items,
                patch,
                document,
                selected.as_deref(),
                &mut deleted,
                findings,
            );
        }
    }
    deleted.sort_unstable();
    deleted.dedup();
    for index in deleted.into_iter().rev() {
        items.remove(index);
    }
}

fn json(
    items: &mut [Item],
    patch: &Patch,
    document: &Node,
    selected: Option<&[usize]>,
    findings: &mut Vec<Finding>,
) {
    let Some(selected) = selected else {
        findings.push(
            Finding::error(
                "patch-without-target",
                patch.place,
                "a list of JSON operations says nothing of the object that it is for",
            )
            .help("add a `target` to the patch"),
        );
        return;
    };
    for &index in selected {
        let item = &mut items[index];
        item.remember();
        let mut node = (*item.node).clone();
        match json_patch::apply(&mut node, document.items()) {
            Ok(()) => {
                item.node = Arc::new(node);
                item.refresh();
            }
            Err(message) => findings.push(failed(patch.place, &item.id, &message)),
        }
    }
}

fn strategic(
    items: &mut [Item],
    patch: &Patch,
    document: &Node,
    selected: Option<&[usize]>,
    deleted: &mut Vec<usize>,
    findings: &mut Vec<Finding>,
) {
    let own = match (selected, ResourceId::of(document)) {
        (Some(_), _) => Vec::new(),
        (None, Some(id)) => {
            let found: Vec<usize> = (0..items.len())
                .filter(|index| {
                    items[*index]
                        .identities()
                        .any(|other| same_object(other, &id))
                })
                .collect();
            if found.is_empty() {
                findings.push(
                    Finding::error(
                        "patch-without-object",
                        document.place,
                        format!("this patches {id}, which is not among what is included here"),
                    )
                    .help("include the object, or correct the patch's kind, name or namespace: kustomize refuses it"),
                );
            }
            found
        }
        (None, None) => {
            findings.push(Finding::error(
                "patch-invalid",
                document.place,
                "a patch needs `apiVersion`, `kind` and `metadata.name`, or a `target`",
            ));
            return;
        }
    };
    for &index in selected.unwrap_or(&own) {
        let item = &mut items[index];
        let before = item.id.clone();
        match merge::merge(item.node_mut(), document, &before) {
            merge::Outcome::Deleted => deleted.push(index),
            merge::Outcome::Merged => keep_identity(item, patch, &before),
        }
    }
}

/// A patch's own name and kind only say what it is for, unless it is told to change them.
fn keep_identity(item: &mut Item, patch: &Patch, before: &ResourceId) {
    let place = item.place;
    let node = item.node_mut();
    if !patch.allow_kind_change && node.text_at(&["kind"]) != Some(&before.kind) {
        node.as_map_mut()
            .expect("an object is a mapping")
            .set("kind", Node::plain(before.kind.clone(), place));
    }
    let metadata = node.map_under("metadata");
    if !patch.allow_name_change && metadata.get("name").and_then(Node::text) != Some(&before.name) {
        metadata.set("name", Node::string(before.name.clone(), place));
    }
    let namespace = metadata
        .get("namespace")
        .and_then(Node::text)
        .unwrap_or_default();
    if namespace != before.namespace {
        match before.namespace.is_empty() {
            true => drop(metadata.remove("namespace")),
            false => metadata.set("namespace", Node::string(before.namespace.clone(), place)),
        }
    }
    let after = ResourceId::of(node);
    if after.as_ref().is_some_and(|after| after != before) {
        item.remember();
        item.refresh();
    }
}

/// The version may differ; an empty namespace is the default one.
fn same_object(a: &ResourceId, b: &ResourceId) -> bool {
    let namespace = |id: &ResourceId| match id.namespace.as_str() {
        "default" => "".into(),
        _ => id.namespace.clone(),
    };
    a.kind == b.kind
        && a.group == b.group
        && a.version == b.version
        && a.name == b.name
        && namespace(a) == namespace(b)
}

fn failed(place: Place, id: &ResourceId, message: &str) -> Finding {
    Finding::error(
        "patch-failed",
        place,
        format!("this patch cannot be applied to {id}: {message}"),
    )
}
