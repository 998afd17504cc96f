//! Kubernetes objects of any kind: every document that has a kind is one, and the kinds that
//! Kubernetes itself brings say what runs, what it needs and where it is reached.

use std::sync::Arc;

use super::{Source, SourceFile};
use crate::fact::{FileFacts, Resource};
use crate::yaml::Node;

pub struct Kubernetes;

impl Source for Kubernetes {
    fn name(&self) -> &'static str {
        "kubernetes"
    }

    fn read(&self, file: &mut SourceFile<'_>, facts: &mut FileFacts) {
        for document in std::mem::take(&mut file.documents) {
            take(document.root, facts);
        }
    }
}

/// An object, or each object of a list; anything else is kept for those who refer to it.
fn take(root: Node, facts: &mut FileFacts) {
    let is_list = root
        .text_at(&["kind"])
        .is_some_and(|kind| kind.ends_with("List"))
        && root
            .get("items")
            .is_some_and(|items| items.as_seq().is_some());
    if is_list {
        for item in root.items_at("items") {
            take(item.clone(), facts);
        }
        return;
    }
    match crate::fact::ResourceId::of(&root) {
        Some(id) => facts.resources.push(Resource {
            id,
            place: root.place,
            node: Arc::new(root),
        }),
        None => facts.other_documents.push(Arc::new(root)),
    }
}
