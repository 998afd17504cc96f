//! `helmCharts` of a kustomization: charts that kustomize renders with Helm. Reads which charts these are and their
//! values, not their contents.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{located, text};
use crate::{HelmChart, Located, Resource};
use yaml::Node;

const FIELDS: &[&str] = &["helmCharts", "helmChartInflationGenerator"];

/// The fields that list charts, if they are not empty.
pub fn fields(root: &Node) -> Vec<Located<SmolStr>> {
    let stated = root.entries().iter().filter(|entry| {
        let is_empty = entry.value.items().is_empty() && entry.value.entries().is_empty();
        FIELDS.contains(&entry.key.as_str()) && !is_empty
    });
    let located = stated.map(|entry| Located {
        value: entry.key.clone(),
        place: entry.key_place,
    });
    located.collect()
}

pub fn charts(root: &Node) -> Vec<HelmChart> {
    let entries = root.items_at("helmCharts").iter();
    entries.filter_map(chart).collect()
}

/// The chart that an object of the kind `HelmChartInflationGenerator` names.
pub fn inflated(generator: &Resource) -> Option<HelmChart> {
    let is_it = generator.id.kind == "HelmChartInflationGenerator";
    is_it.then(|| chart(&generator.node))?
}

pub fn chart(entry: &Node) -> Option<HelmChart> {
    let name = entry.get("name")?;
    let first = entry.get("valuesFile").and_then(located);
    let more = entry.items_at("additionalValuesFiles").iter();
    let includes = entry.get("includeCRDs").and_then(Node::as_bool);
    let skips = entry.get("skipCrds").and_then(Node::as_bool);
    Some(HelmChart {
        name: located(name),
        version: entry.get("version").and_then(located),
        repository: entry.text_at(&["repo"]).map(SmolStr::from),
        place: name.place,
        release: text(entry, "releaseName"),
        namespace: text(entry, "namespace"),
        skips_crds: includes != Some(true) || skips == Some(true),
        value_files: first.into_iter().chain(more.filter_map(located)).collect(),
        values: entry.get("valuesInline").cloned().map(Arc::new),
    })
}
