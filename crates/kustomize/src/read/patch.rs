//! Reads entries of the lists that change objects: patches, images, replicas.

use std::sync::Arc;

use super::{both, text};
use crate::{Image, Patch, PatchBody, PatchList, Replica, Selector};
use yaml::Node;

/// The patches under a key, in the forms that kustomize and Flux share.
pub fn patches(root: &Node, key: &str) -> Vec<Patch> {
    root.read_at(key, patch)
}

pub fn patch(node: &Node) -> Option<Patch> {
    if node.as_scalar().is_some() {
        return Some(Patch {
            body: scalar_patch(node)?,
            list: PatchList::StrategicMerge,
            target: None,
            place: node.place,
            allow_name_change: false,
            allow_kind_change: false,
        });
    }
    let option = |key: &str| {
        node.at(&["options", key])
            .and_then(Node::as_bool)
            .unwrap_or(false)
    };
    let body = match (node.text_at(&["path"]), node.get("patch")) {
        (Some(path), _) => PatchBody::File(path.into()),
        (None, Some(patch)) => PatchBody::Inline(Arc::new(patch.clone())),
        (None, None) => return None,
    };
    Some(Patch {
        body,
        list: PatchList::Patches,
        target: node.get("target").map(selector),
        place: node.place,
        allow_name_change: option("allowNameChange"),
        allow_kind_change: option("allowKindChange"),
    })
}

/// An entry of `patchesStrategicMerge`: a file name, or an inline patch if it looks like one.
fn scalar_patch(node: &Node) -> Option<PatchBody> {
    let text = node.text()?;
    Some(if text.contains('\n') || text.contains(": ") {
        PatchBody::Inline(Arc::new(node.clone()))
    } else {
        PatchBody::File(text.into())
    })
}

pub fn selector(node: &Node) -> Selector {
    Selector {
        group: text(node, "group"),
        version: text(node, "version"),
        kind: text(node, "kind"),
        namespace: text(node, "namespace"),
        name: text(node, "name"),
        labels: text(node, "labelSelector"),
        annotations: text(node, "annotationSelector"),
    }
}

/// Reads `images`.
pub fn images(root: &Node) -> Vec<Image> {
    // `imageTags` is the oldest name of the list.
    let listed = |key: &str| root.read_at(key, |node| Some(image(node)));
    both(listed("images"), listed("imageTags"))
}

pub fn image(node: &Node) -> Image {
    Image {
        name: text(node, "name"),
        new_name: text(node, "newName"),
        new_tag: text(node, "newTag"),
        tag_suffix: text(node, "tagSuffix"),
        digest: text(node, "digest"),
        // The line that people change.
        place: node.get("newTag").unwrap_or(node).place,
    }
}

/// Reads an entry of `replicas`; a missing count is zero.
pub fn replica(node: &Node) -> Option<Replica> {
    let count = node.get("count");
    Some(Replica {
        name: node.text_at(&["name"])?.into(),
        count: count.and_then(Node::text).unwrap_or("0").into(),
        place: count.unwrap_or(node).place,
    })
}
