//! Charts whose values are Applications: all of those of `argocd-apps`, and what `argo-cd` is given to install beside
//! itself. Each is read as if it stood in a file.

use std::sync::Arc;

use smol_str::SmolStr;

use super::super::{Expanded, ReadContext};
use super::values::LayeredValues;
use crate::facts::Resource;
use crate::input::repo::RepoPath;
use base::Finding;
use helm::merge_values;
use kustomize::read_inline;
use yaml::{Node, Value};

pub const NAME: &str = "argocd-apps";

/// A chart that is known by its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppsChart {
    /// It makes nothing else.
    Apps,
    /// It installs Argo CD, and what else it is given.
    Server,
}

impl AppsChart {
    pub fn from_chart_name(name: &str) -> Option<AppsChart> {
        match name {
            NAME => Some(AppsChart::Apps),
            "argo-cd" => Some(AppsChart::Server),
            _ => None,
        }
    }
}

/// Such charts in a source, with the keys of their values: the chart itself, or subcharts of a chart in the repo.
pub fn known(source: &Node, metadata: Option<&Node>) -> Vec<(AppsChart, SmolStr)> {
    let named = source
        .text_at(&["chart"])
        .and_then(AppsChart::from_chart_name);
    match (named, metadata) {
        (Some(chart), _) => vec![(chart, SmolStr::default())],
        (None, Some(metadata)) => known_in(metadata),
        (None, None) => Vec::new(),
    }
}

/// Such charts among the parts of a chart.
pub fn known_in(metadata: &Node) -> Vec<(AppsChart, SmolStr)> {
    let parts = metadata.items_at("dependencies").iter();
    let known = parts.filter_map(|part| {
        let name = part.text_at(&["name"])?;
        let key = part.text_at(&["alias"]).unwrap_or(name);
        Some((AppsChart::from_chart_name(name)?, key.into()))
    });
    known.collect()
}

/// Adds the objects that the values of such charts declare, from the source or from the parent chart.
pub fn add(
    known: &[(AppsChart, SmolStr)],
    given: &LayeredValues,
    chart: Option<&RepoPath>,
    context: &ReadContext<'_>,
    expanded: &mut Expanded,
) {
    if known.is_empty() {
        return;
    }
    let file = chart.and_then(|chart| context.facts.repo.file_in(chart, "values.yaml"));
    let own = file.map(|file| context.documents(file)).unwrap_or_default();
    let Some(values) = merged(own.iter().chain(&given.documents)) else {
        return;
    };
    let before = expanded.resources.len();
    for (chart, key) in known {
        let stated = match key.as_str() {
            "" => Some(&values),
            key => values.get(key),
        };
        if let Some(stated) = stated {
            stated_by(*chart, stated, expanded);
        }
    }
    let is_all = known.iter().any(|(chart, _)| *chart == AppsChart::Apps);
    if is_all || expanded.resources.len() > before {
        expanded.files.extend(file);
        expanded.is_partial |= given.is_partial;
    }
}

/// All values as one, the later over the earlier.
pub fn merged<'n>(documents: impl Iterator<Item = &'n Arc<Node>>) -> Option<Node> {
    let mut values: Option<Node> = None;
    for document in documents {
        match &mut values {
            Some(values) => merge_values(values, document),
            None => values = Some(Node::clone(document)),
        }
    }
    values
}

/// Adds the objects that the values of one such chart declare.
pub fn stated_by(chart: AppsChart, values: &Node, expanded: &mut Expanded) {
    match chart {
        AppsChart::Apps => {
            for (field, kind) in [
                ("applications", "Application"),
                ("applicationsets", "ApplicationSet"),
            ] {
                let Some(stated) = values.get(field) else {
                    continue;
                };
                for (name, body) in named(stated) {
                    expanded.resources.extend(resource(kind, &name, body));
                }
            }
        }
        AppsChart::Server => {
            for object in values.items_at("extraObjects") {
                beside(object, expanded);
            }
        }
    }
}

/// An object that is installed beside Argo CD. It is filled in like a template, which is not done here.
fn beside(object: &Node, expanded: &mut Expanded) {
    let objects = match object.text() {
        Some(_) => read_inline(object).0,
        None => vec![object.clone()],
    };
    for object in objects {
        let Some(resource) = Resource::new(object).filter(|one| one.id.group == super::GROUP)
        else {
            continue;
        };
        if has_actions(&resource.node) {
            expanded.is_partial = true;
            expanded.findings.push(unfollowed(&resource));
        } else {
            expanded.resources.push(resource)
        }
    }
}

fn has_actions(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.contains("{{"),
        Value::Seq(items) => items.iter().any(has_actions),
        Value::Map(map) => map.0.iter().any(|entry| has_actions(&entry.value)),
    }
}

fn unfollowed(resource: &Resource) -> Finding {
    let message = format!(
        "the {} passed to the chart here cannot be evaluated, because it is a template inside values",
        resource.id.kind
    );
    Finding::info("template-unfollowed", resource.place, message)
        .help("no action needed: Argo CD still creates the Applications that are missing from the catalogue")
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
