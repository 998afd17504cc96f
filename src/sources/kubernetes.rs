//! Kubernetes objects: every document with a `kind` is one. What an object states is in `facts::kubernetes`.

use std::sync::Arc;

use super::{Describe, Reader, Source, SourceFile};
use crate::facts::{FileFacts, Resource, ResourceId, Statement, kubernetes};
use yaml::Node;

pub struct Kubernetes;

pub const SOURCE: Source = Source {
    reader: &Kubernetes,
    describe: Some(&Kubernetes),
    expand: None,
    operate: None,
};

impl Reader for Kubernetes {
    fn name(&self) -> &'static str {
        "kubernetes"
    }

    fn read(&self, file: &mut SourceFile<'_>, facts: &mut FileFacts) {
        let documents = std::mem::take(&mut file.documents);
        // Files are many, and most hold one document.
        facts.resources.reserve_exact(documents.len());
        for document in documents {
            take(document.root, facts);
        }
    }
}

impl Describe for Kubernetes {
    fn describe(&self, resource: &Resource, statement: &mut Statement) {
        kubernetes::describe(resource, statement);
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
    match ResourceId::from_node(&root) {
        Some(id) => facts.resources.push(Resource {
            id,
            place: root.place,
            node: Arc::new(root),
        }),
        None => facts.other_documents.push(Arc::new(root)),
    }
}
