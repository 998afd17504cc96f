//! Whole objects among the values of a chart, under the keys by which charts take objects to install as they are.

use super::is_off;
use super::shape::{is_object, resolve};
use super::template::Scope;
use crate::facts::{Release, Resource};
use yaml::{Node, Value};

/// Keys under which charts take a list of objects, or a mapping of them.
const KEYS: &[&str] = &[
    "additionalManifests",
    "additionalResources",
    "customResources",
    "extraDeploy",
    "extraManifests",
    "extraObjects",
    "extraResources",
    "kubernetesObjects",
    "manifests",
    "objects",
    "rawResources",
    "resources",
];

/// Limit on such objects of one release.
const MAX_OBJECTS: usize = 200;

/// Whether values state objects.
pub fn states_objects(values: &Node) -> bool {
    let mut found = Vec::new();
    walk(values, &mut found);
    !found.is_empty()
}

/// The objects that a release states in its values, as far as its values decide them.
pub fn stated_objects(values: &Node, release: &Release) -> Vec<Resource> {
    let mut found = Vec::new();
    walk(values, &mut found);
    let scope = Scope::with_release(release, values);
    let objects = found.into_iter().take(MAX_OBJECTS).filter_map(|node| {
        let mut node = node.clone();
        resolve(&mut node, &scope);
        let is_known = |path: &[&str]| !node.text_at(path).unwrap_or_default().contains("{{");
        let is_certain = [
            &["kind"][..],
            &["metadata", "name"],
            &["metadata", "namespace"],
        ];
        is_certain.into_iter().all(is_known).then_some(())?;
        Resource::new(node).filter(|resource| !resource.id.name.is_empty())
    });
    objects.collect()
}

fn walk<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
    if is_off(node) {
        return;
    }
    for entry in node.entries() {
        if KEYS.contains(&entry.key.as_str()) {
            let items: Vec<&Node> = match &entry.value.value {
                Value::Seq(items) => items.iter().collect(),
                Value::Map(map) => map.0.iter().map(|entry| &entry.value).collect(),
                Value::Scalar(_) => Vec::new(),
            };
            let is_stated = |item: &&Node| is_object(item) && !is_off(item);
            found.extend(items.into_iter().filter(is_stated));
        }
        if !is_object(&entry.value) {
            walk(&entry.value, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    #[test]
    fn objects_are_taken_where_charts_install_them_as_they_are() {
        let text = "extraObjects:\n- {apiVersion: v1, kind: Service, metadata: {name: '{{ .Release.Name }}-x'}}\n- {apiVersion: v1, kind: Service, metadata: {name: '{{ .Values.none }}'}}\nraw:\n  resources:\n    one: {apiVersion: v1, kind: Secret, metadata: {name: b}}\nstateful:\n  volumeClaimTemplates:\n  - {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}}\noff:\n  enabled: false\n  extraObjects: [{apiVersion: v1, kind: Service, metadata: {name: d}}]\n";
        let root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let release = Release {
            name: "shop".into(),
            target_namespace: "web".into(),
            ..Release::default()
        };
        let found = stated_objects(&root, &release);
        let names: Vec<&str> = found.iter().map(|one| one.id.name.as_str()).collect();
        assert_eq!(names, ["shop-x", "b"]);
    }
}
