//! Umbrella charts: a chart in the repo that only bundles others, with values for them. It is presented as the chart
//! inside it, with that chart's version.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::super::ReadContext;
use super::values::LayeredValues;
use crate::facts::UnitChart;
use crate::input::repo::RepoPath;
use yaml::Node;

/// What templates say that run something, or that create what does.
const WORKLOADS: [&str; 8] = [
    "Application",
    "ApplicationSet",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "Pod",
];

/// The main subchart: the one with the chart's own name, or the only one if the chart's own templates run nothing.
pub fn core(chart: &UnitChart, directory: &RepoPath, context: &ReadContext<'_>) -> Option<usize> {
    let name = chart.name.as_ref().map(|name| &name.value);
    let mut parts = chart.parts.iter();
    let called = parts.position(|part| Some(&part.name) == name);
    called.or_else(|| {
        let templates = directory.join("templates")?;
        // A chart that installs the objects of its values runs nothing itself.
        let telling = chart.parts.iter().enumerate();
        let mut telling = telling.filter(|(_, part)| part.name != "raw");
        let (at, _) = telling.next()?;
        let is_wrapper = telling.next().is_none() && !runs_something(&templates, context);
        is_wrapper.then_some(at)
    })
}

/// Whether templates of a chart state workloads, or leave that to others.
fn runs_something(templates: &RepoPath, context: &ReadContext<'_>) -> bool {
    let repo = context.facts.repo;
    repo.below(templates).any(|file| {
        let is_template = matches!(repo.path(file).extension(), Some("yaml" | "yml" | "tpl"));
        let text = is_template.then(|| repo.read_text(file).ok()).flatten();
        let text = text.unwrap_or_default();
        let mut kinds = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("kind:"));
        let is_workload = |kind: &str| {
            let kind = kind.trim().trim_matches(['"', '\'']);
            WORKLOADS.contains(&kind) || kind.contains("{{")
        };
        // A file of names and labels makes no object. Another without a kind takes its objects from elsewhere.
        let is_partial = repo.path(file).file_name().starts_with('_');
        let takes_all = !is_partial && text.contains("{{ include") && !text.contains("kind:");
        kinds.any(is_workload) || takes_all
    })
}

/// The values of a chart from the least to the most telling, those that it has itself first.
pub fn values(
    directory: &RepoPath,
    given: &LayeredValues,
    context: &ReadContext<'_>,
) -> Vec<Arc<Node>> {
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
