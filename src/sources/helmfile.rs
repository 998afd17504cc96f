//! Helmfile: what people install by hand before a reconciler runs. Its releases are there first, and so are the
//! definitions and webhooks that they bring.

use super::{Reader, Source, SourceFile};
use crate::facts::{Bootstrapped, FileFacts};
use yaml::Node;

pub struct Helmfile;

pub const SOURCE: Source = Source::reading(&Helmfile);

impl Reader for Helmfile {
    fn name(&self) -> &'static str {
        "helmfile"
    }

    /// Only looks: whoever refers to the document still gets it.
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
