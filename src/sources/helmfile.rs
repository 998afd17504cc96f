//! Helmfile: releases that people install by hand before a reconciler runs. Their CRDs and webhooks exist first, too.

use super::{Reader, Source, SourceFile};
use crate::facts::{Bootstrapped, FileFacts};
use yaml::Node;

pub struct Helmfile;

pub const SOURCE: Source = Source::reading(&Helmfile);

impl Reader for Helmfile {
    fn name(&self) -> &'static str {
        "helmfile"
    }

    /// Only inspects the documents, so that references to them still work.
    fn read(&self, file: &mut SourceFile<'_>, facts: &mut FileFacts) {
        for document in &file.documents {
            let root = &document.root;
            if root.get("kind").is_some() || root.get("apiVersion").is_some() {
                continue;
            }
            let releases = root.items_at("releases").iter();
            facts.bootstrapped.extend(releases.filter_map(release));
        }
    }
}

fn release(node: &Node) -> Option<Bootstrapped> {
    let is_off = node.get("installed").and_then(Node::as_bool) == Some(false);
    let name = node.text_at(&["name"]).filter(|_| !is_off)?;
    Some(Bootstrapped {
        namespace: node.text_at(&["namespace"]).unwrap_or_default().into(),
        name: name.into(),
        place: node.place,
    })
}
