//! Umbrella charts: a chart in the repo that only gathers others, with values for them. People know it by the chart that
//! is in it, and by the version of that one.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::super::ReadContext;
use super::values::Given;
use crate::facts::Chart;
use crate::input::repo::RepoPath;
use yaml::Node;

/// The part of a chart that people know it by: the one of its name, or the only one where it has no templates itself.
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

/// The parts that values switch off, by the names that their values stand under.
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
        // The first path that anything stands at decides.
        paths.find_map(|path| stands_at(path, &values)) == Some(false)
    });
    off.map(|(name, _)| name.into()).collect()
}

fn stands_at(path: &str, values: &[Arc<Node>]) -> Option<bool> {
    let keys: Vec<&str> = path.split('.').collect();
    let mut latest = values.iter().rev();
    latest.find_map(|document| document.at(&keys)?.as_bool())
}
