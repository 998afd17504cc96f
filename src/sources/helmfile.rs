//! Helmfile: releases that people install by hand before a reconciler runs. Their CRDs and webhooks exist first, too.

use super::{Reader, Source, SourceFile};
use crate::facts::{BootstrapExtent, Bootstrapped, FileFacts};
use base::text::last_part;
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
            let extent = extent(root);
            let releases = root.items_at("releases").iter();
            facts
                .bootstrapped
                .extend(releases.filter_map(|node| release(node, extent)));
        }
    }
}

/// `--include-crds` is an argument of `helm template`: such a file is rendered for the CRDs of its charts.
fn extent(root: &Node) -> BootstrapExtent {
    let defaults = root.get("helmDefaults");
    let mut arguments = defaults.iter().flat_map(|node| node.items_at("args"));
    if arguments.any(|argument| argument.text() == Some("--include-crds")) {
        BootstrapExtent::Definitions
    } else {
        BootstrapExtent::Release
    }
}

fn release(node: &Node, extent: BootstrapExtent) -> Option<Bootstrapped> {
    let is_off = node.get("installed").and_then(Node::as_bool) == Some(false);
    let name = node.text_at(&["name"]).filter(|_| !is_off)?;
    Some(Bootstrapped {
        namespace: node.text_at(&["namespace"]).unwrap_or_default().into(),
        name: name.into(),
        chart: last_part(node.text_at(&["chart"]).unwrap_or_default()).into(),
        extent,
        place: node.place,
    })
}
