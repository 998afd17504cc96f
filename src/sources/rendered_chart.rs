//! Objects in what a chart yields.

use crate::facts::Resource;
use base::Place;
use helm::{RenderedManifest, Role};
use yaml::Node;

/// Whether a manifest reaches the cluster when the release is installed: hooks for tests and for the end of a release do
/// not.
pub fn is_installed(manifest: &RenderedManifest, skips_crds: bool) -> bool {
    match manifest.role {
        Role::Crd => !skips_crds,
        Role::Resource => true,
        Role::Hook => {
            let annotations = manifest.root.at(&["metadata", "annotations"]);
            let events = annotations.and_then(|all| all.text_at(&["helm.sh/hook"]));
            let mut events = events.unwrap_or_default().split(',').map(str::trim);
            events.any(|event| {
                matches!(
                    event,
                    "pre-install" | "post-install" | "pre-upgrade" | "post-upgrade" | "crd-install"
                )
            })
        }
    }
}

/// The objects of a manifest, those of lists one by one, each with the line of the template that begins it. No word of a
/// secret is in them.
pub fn resources(
    manifest: &RenderedManifest,
    place: impl Fn(u32) -> Place,
) -> Vec<(Resource, u32)> {
    let line = |line: u32| {
        let at = (line as usize).saturating_sub(1);
        manifest.lines.get(at).copied().unwrap_or(1)
    };
    let root = &manifest.root;
    let is_list = root
        .text_at(&["kind"])
        .is_some_and(|kind| kind.ends_with("List"));
    let parts: Vec<&Node> = match root.get("items").and_then(Node::as_seq) {
        Some(items) if is_list => items.iter().collect(),
        _ => vec![root],
    };
    let resources = parts.into_iter().filter_map(|part| {
        let first = line(part.place.line);
        let mut node = part.clone();
        node.move_places(&|old| Place {
            column: old.column,
            ..place(line(old.line))
        });
        secret::seal(&mut node);
        Some((Resource::new(node)?, first))
    });
    resources.collect()
}
