//! Objects in what a chart yields.

use crate::facts::Resource;
use base::Place;
use helm::{RenderedManifest, Role, ValuePath};
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

/// Where the lines and columns of templates, and the values that decide scalars, are.
pub struct ChartPlaces<'p> {
    pub template: &'p dyn Fn(u32, u32) -> Place,
    /// The place of the last of some values that a file of this repo states.
    pub value: &'p dyn Fn(&[ValuePath]) -> Option<Place>,
    /// Takes the values that may decide a scalar in which something is secret: the scalar before and after it was hidden.
    pub hidden: &'p dyn Fn(&[ValuePath], &str, &str),
}

/// The objects of a manifest, those of lists one by one, each with the line of the template that begins it. No word of a
/// secret is in them.
pub fn resources(manifest: &RenderedManifest, places: &ChartPlaces<'_>) -> Vec<(Resource, u32)> {
    let root = &manifest.root;
    let kind = root.text_at(&["kind"]).unwrap_or_default();
    let relocation = Relocation {
        manifest,
        places,
        follows_values: !FIXED.contains(&kind),
    };
    let parts: Vec<(&Node, Vec<String>)> = match root.get("items").and_then(Node::as_seq) {
        Some(items) if kind.ends_with("List") => {
            let items = items.iter().enumerate();
            let path = |nth: usize| vec!["items".to_owned(), nth.to_string()];
            items.map(|(nth, item)| (item, path(nth))).collect()
        }
        _ => vec![(root, Vec::new())],
    };
    let resources = parts.into_iter().filter_map(|(part, mut path)| {
        let first = relocation.line(part.place.line);
        let mut node = part.clone();
        relocation.apply(&mut node, &mut path);
        secret::seal(&mut node);
        relocation.note_hidden(part, &node, &mut path);
        Some((Resource::new(node)?, first))
    });
    resources.collect()
}

/// Kinds whose scalars nobody looks up one by one.
const FIXED: [&str; 6] = [
    "ClusterRole",
    "ConfigMap",
    "CustomResourceDefinition",
    "CustomResourceDefinitionList",
    "Role",
    "Secret",
];

/// Gives the nodes of a manifest their places in files.
struct Relocation<'r> {
    manifest: &'r RenderedManifest,
    places: &'r ChartPlaces<'r>,
    follows_values: bool,
}

impl Relocation<'_> {
    /// The line of the template that wrote a line of the manifest.
    fn line(&self, line: u32) -> u32 {
        let at = (line as usize).saturating_sub(1);
        self.manifest.lines.get(at).copied().unwrap_or(1)
    }

    fn place(&self, old: Place) -> Place {
        (self.places.template)(self.line(old.line), old.column)
    }

    fn apply(&self, node: &mut Node, path: &mut Vec<String>) {
        node.place = match &node.value {
            yaml::Value::Scalar(_) if self.follows_values => {
                self.value(path).unwrap_or_else(|| self.place(node.place))
            }
            _ => self.place(node.place),
        };
        match &mut node.value {
            yaml::Value::Scalar(_) => {}
            yaml::Value::Seq(items) => {
                for (nth, item) in items.iter_mut().enumerate() {
                    path.push(nth.to_string());
                    self.apply(item, path);
                    path.pop();
                }
            }
            yaml::Value::Map(map) => {
                for entry in &mut map.0 {
                    entry.key_place = self.place(entry.key_place);
                    path.push(entry.key.to_string());
                    self.apply(&mut entry.value, path);
                    path.pop();
                }
            }
        }
    }

    /// Tells which values decide scalars that are hidden in `after`. All of a Secret is hidden, but not all that is put
    /// into one is secret elsewhere: the name of its key tells.
    fn note_hidden(&self, before: &Node, after: &Node, path: &mut Vec<String>) {
        use yaml::Value::{Map, Scalar, Seq};
        match (&before.value, &after.value) {
            (Scalar(old), Scalar(new)) if old.text != new.text => {
                let key = path.last().map(String::as_str).unwrap_or_default();
                let is_of_secret = self.manifest.root.text_at(&["kind"]) == Some("Secret");
                if is_of_secret && !secret::is_secret_name(key) {
                    return;
                }
                let steps: Vec<&str> = path.iter().map(String::as_str).collect();
                if let Some(origin) = self.manifest.origin(&steps) {
                    (self.places.hidden)(&origin.values, &old.text, &new.text);
                }
            }
            (Seq(old), Seq(new)) => {
                for (nth, (old, new)) in old.iter().zip(new).enumerate() {
                    path.push(nth.to_string());
                    self.note_hidden(old, new, path);
                    path.pop();
                }
            }
            (Map(old), Map(new)) => {
                for (old, new) in old.0.iter().zip(&new.0) {
                    path.push(old.key.to_string());
                    self.note_hidden(&old.value, &new.value, path);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    /// Where the value is stated that decides the scalar at a path.
    fn value(&self, path: &[String]) -> Option<Place> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let origin = self.manifest.origin(&path)?;
        (self.places.value)(&origin.values)
    }
}
