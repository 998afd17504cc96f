//! Charts that the kustomization of an Application has rendered, its own and those of what it includes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::{Expanded, ReadContext};
use super::apps_chart::{self, AppsChart};
use crate::facts::values;
use crate::facts::{CrdsOnUpgrade, HelmChart, Located, Release, SourceRef, Statement, UnitChart};
use crate::input::repo::RepoPath;
use base::FileId;
use kustomize::{PatchBody, Plugin, located};
use smol_str::SmolStr;
use yaml::Node;

/// More directories than this are not followed.
const MAX_DIRECTORIES: usize = 200;

/// More charts of one Application than this are not described.
const MAX_CHARTS: usize = 50;

/// The charts of a directory, each with the directory of the kustomization that names it. One that is called `name` comes
/// first.
pub fn charts(
    directory: &RepoPath,
    name: &str,
    context: &ReadContext<'_>,
) -> Vec<(RepoPath, HelmChart)> {
    let facts = context.facts;
    let mut open = vec![directory.clone()];
    let mut seen: BTreeSet<RepoPath> = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(here) = open.pop() {
        if !seen.insert(here.clone()) || seen.len() > MAX_DIRECTORIES {
            continue;
        }
        let file = facts.assembly_file(&here);
        let Some(assembly) = file.and_then(|file| facts.file(file).assembly.as_ref()) else {
            continue;
        };
        let charts = assembly.charts.iter().cloned();
        let of_generators = assembly
            .generator_plugins
            .iter()
            .flat_map(|plugin| configured(plugin, &here, context));
        found.extend(
            charts
                .chain(of_generators)
                .map(|chart| (here.clone(), chart)),
        );
        let listed = assembly.resources.iter().chain(&assembly.components);
        let inside = listed.filter_map(|entry| here.join(&entry.path));
        open.extend(inside.filter_map(|path| facts.repo.resolve_dir(&path)));
    }
    let is_called = |chart: &HelmChart| {
        let stated = chart.name.as_ref().map(|stated| stated.value.as_str());
        stated == Some(name) || chart.release == name
    };
    found.sort_by_key(|(_, chart)| !is_called(chart));
    found.truncate(MAX_CHARTS);
    found
}

/// The charts that the file of a generator names.
fn configured<'a>(
    plugin: &Plugin,
    directory: &RepoPath,
    context: &ReadContext<'a>,
) -> impl Iterator<Item = HelmChart> + use<'a> {
    let facts = context.facts;
    let file = match &plugin.body {
        PatchBody::File(path) => directory.join(path),
        PatchBody::Inline(_) => None,
    };
    let file = file.and_then(|path| facts.repo.file(&path));
    let objects = file
        .into_iter()
        .flat_map(|file| &facts.file(file).resources);
    objects.filter_map(kustomize::inflated)
}

/// The chart as a release of an Application.
pub fn release(
    chart: &HelmChart,
    directory: &RepoPath,
    (name, namespace): (&str, &str),
    context: &ReadContext<'_>,
) -> Release {
    let stated = |text: &str, other: &str| match text {
        "" => other.into(),
        text => text.into(),
    };
    Release {
        name: stated(&chart.release, name),
        target_namespace: stated(&chart.namespace, namespace),
        chart: Some(UnitChart {
            name: local_name(chart, directory, context).or_else(|| chart.name.clone()),
            version: chart.version.clone(),
            source: SourceRef::default(),
            repository: chart.repository.clone(),
            parts: Vec::new(),
            main_part: None,
            file: None,
            place: chart.place,
        }),
        creates_namespace: false,
        skips_crds: chart.skips_crds,
        crds_on_upgrade: CrdsOnUpgrade::Replaced,
        has_more_values: false,
        is_rendered: true,
        values: given(chart, directory, context),
        changes: Vec::new(),
    }
}

/// The name of a chart that lies beside the kustomization, as its own file states it.
fn local_name(
    chart: &HelmChart,
    directory: &RepoPath,
    context: &ReadContext<'_>,
) -> Option<Located<SmolStr>> {
    let name = chart.name.as_ref().filter(|_| chart.repository.is_none())?;
    let inside = directory.join("charts")?.join(&name.value)?;
    let file = context.facts.repo.file_in(&inside, "Chart.yaml")?;
    located(context.documents(file).first()?.get("name")?)
}

/// The values that a chart is given, later ones over earlier ones.
fn given(chart: &HelmChart, directory: &RepoPath, context: &ReadContext<'_>) -> Vec<Arc<Node>> {
    let files = files(chart, directory, context);
    let documents = files.iter().flat_map(|file| context.documents(*file));
    documents.chain(&chart.values).cloned().collect()
}

/// The objects that a chart makes out of its values, if it is one that is known by them.
pub fn make(
    chart: &HelmChart,
    directory: &RepoPath,
    context: &ReadContext<'_>,
) -> Option<Expanded> {
    let known = AppsChart::from_chart_name(&chart.name.as_ref()?.value)?;
    let files = files(chart, directory, context);
    let values = apps_chart::merged(given(chart, directory, context).iter())?;
    let mut made = Expanded::default();
    apps_chart::stated_by(known, &values, &mut made);
    made.files.extend(files);
    Some(made)
}

/// The files of values that are here.
fn files(chart: &HelmChart, directory: &RepoPath, context: &ReadContext<'_>) -> Vec<FileId> {
    let paths = chart.value_files.iter();
    let paths = paths.filter_map(|path| directory.join(&path.value));
    paths
        .filter_map(|path| context.facts.repo.file(&path))
        .collect()
}

/// Adds what the chart is given, and names the files that say so.
pub fn describe(
    chart: &HelmChart,
    directory: &RepoPath,
    context: &ReadContext<'_>,
    statement: &mut Statement,
) -> Vec<FileId> {
    let files = files(chart, directory, context);
    let given = given(chart, directory, context);
    values::describe_over(given.iter().map(|document| &**document), statement);
    files
}
