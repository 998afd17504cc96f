//! The chart `argocd-apps`, whose values are Applications: each is read as if it stood in a file.

use smol_str::SmolStr;

use super::super::around::{Around, Expanded};
use super::super::values::put_over;
use super::values::Given;
use crate::fact::Resource;
use crate::repo::RepoPath;
use crate::yaml::Node;

pub const NAME: &str = "argocd-apps";

/// Under which key its values stand, if a source installs it: itself, or as a part of a chart in the repo.
pub fn values_key(source: &Node, metadata: Option<&Node>) -> Option<SmolStr> {
    if source.text_at(&["chart"]) == Some(NAME) {
        return Some(SmolStr::default());
    }
    key_in(metadata?)
}

/// Under which key its values stand in those of a chart that it is a part of.
pub fn key_in(metadata: &Node) -> Option<SmolStr> {
    let mut parts = metadata.items_at("dependencies").iter();
    let part = parts.find(|part| part.text_at(&["name"]) == Some(NAME))?;
    Some(part.text_at(&["alias"]).unwrap_or(NAME).into())
}

/// What the values of the chart make.
pub fn add(
    key: &str,
    given: &Given,
    chart: Option<&RepoPath>,
    around: &Around<'_>,
    expanded: &mut Expanded,
) {
    let file = chart.and_then(|chart| around.facts.repo.file_in(chart, "values.yaml"));
    expanded.files.extend(file);
    let own = file.map(|file| around.documents(file)).unwrap_or_default();
    expanded.is_partial |= given.is_partial;
    let mut values: Option<Node> = None;
    for document in own.iter().chain(&given.documents) {
        match &mut values {
            Some(values) => put_over(values, document),
            None => values = Some(Node::clone(document)),
        }
    }
    let stated = match key {
        "" => values.as_ref(),
        key => values.as_ref().and_then(|values| values.get(key)),
    };
    for (field, kind) in [
        ("applications", "Application"),
        ("applicationsets", "ApplicationSet"),
    ] {
        let Some(stated) = stated.and_then(|values| values.get(field)) else {
            continue;
        };
        for (name, body) in named(stated) {
            expanded.resources.extend(resource(kind, &name, body));
        }
    }
}

/// A map by name, or a list in which each says its name.
fn named(node: &Node) -> Vec<(SmolStr, &Node)> {
    let listed = node.items().iter().filter_map(|item| {
        let name = item.text_at(&["name"])?;
        Some((name.into(), item))
    });
    let mapped = node.entries().iter();
    listed
        .chain(mapped.map(|entry| (entry.key.clone(), &entry.value)))
        .collect()
}

fn resource(kind: &str, name: &str, body: &Node) -> Option<Resource> {
    let place = body.place;
    let mut metadata = Node::map(place);
    let mut spec = Node::map(place);
    let (into_metadata, into_spec) = (metadata.as_map_mut()?, spec.as_map_mut()?);
    into_metadata.push("name", Node::string(name, place));
    for entry in body.entries() {
        match entry.key.as_str() {
            "name" | "finalizers" => {}
            "namespace" => into_metadata.push("namespace", entry.value.clone()),
            "additionalLabels" => into_metadata.push("labels", entry.value.clone()),
            "additionalAnnotations" => into_metadata.push("annotations", entry.value.clone()),
            _ => into_spec.push(entry.key.clone(), entry.value.clone()),
        }
    }
    let mut whole = Node::map(place);
    let map = whole.as_map_mut()?;
    map.push("apiVersion", Node::string("argoproj.io/v1alpha1", place));
    map.push("kind", Node::string(kind, place));
    map.push("metadata", metadata);
    map.push("spec", spec);
    Resource::new(whole)
}
