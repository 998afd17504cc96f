//! Umbrella charts: a chart in the repo that only bundles others, with values for them. It is presented as the chart
//! inside it, with that chart's version.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::super::ReadContext;
use super::values::Given;
use crate::facts::Chart;
use crate::input::repo::RepoPath;
use yaml::Node;

/// The main subchart: the one with the chart's own name, or the only one if the chart has no templates of its own.
pub fn core(chart: &Chart, directory: &RepoPath, context: &ReadContext<'_>) -> Option<usize> {
    let name = chart.name.as_ref().map(|name| &name.value);
    let mut parts = chart.parts.iter();
    let called = parts.position(|part| Some(&part.name) == name);
    called.or_else(|| {
        let templates = directory.join("templates")?;
        let has_some = context.facts.repo.below(&templates).next().is_some();
        (chart.parts.len() == 1 && !has_some).then_some(0)
    })
}

/// The values of a chart from the least to the most telling, those that it has itself first.
pub fn values(directory: &RepoPath, given: &Given, context: &ReadContext<'_>) -> Vec<Arc<Node>> {
    let file = context.facts.repo.file_in(directory, "values.yaml");
    let own = file.map(|file| context.documents(file)).unwrap_or_default();
    own.iter().chain(&given.documents).cloned().collect()
}

/// Subcharts that values disable, by the key of their values.
pub fn switched_off(metadata: &Node, values: impl FnOnce() -> Vec<Arc<Node>>) -> BTreeSet<SmolStr> {
    let parts = metadata.items_at("dependencies").iter();
    let stated: Vec<(&str, &str)> = parts
        .filter_map(|part| {
            let name = part.text_at(&["alias"]).or(part.text_at(&["name"]))?;
            Some((name, part.text_at(&["condition"])?))
        })
        .collect();
    if stated.is_empty() {
        return BTreeSet::new();
    }
    let values = values();
    let off = stated.into_iter().filter(|(_, condition)| {
        let mut paths = condition.split(',').map(str::trim);
        // The first path that is set decides.
        paths.find_map(|path| stands_at(path, &values)) == Some(false)
    });
    off.map(|(name, _)| name.into()).collect()
}

fn stands_at(path: &str, values: &[Arc<Node>]) -> Option<bool> {
    let keys: Vec<&str> = path.split('.').collect();
    let mut latest = values.iter().rev();
    latest.find_map(|document| document.at(&keys)?.as_bool())
}
