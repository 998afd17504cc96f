//! Charts in the repo: their names, and what their templates and subcharts create.

use std::sync::Arc;

use smol_str::SmolStr;

use super::super::{Expanded, InstallEnvironment, ReadContext};
use super::application::sources;
use super::applications_from_charts::Borrowed;
use super::apps_chart::AppsChart;
use super::chart_tree::chart_tree;
use super::render::{self, Render, Wanted};
use super::{apps_chart, values};
use crate::facts::{ChartPart, Resource, SourceRef, UnitChart};
use crate::input::repo::RepoPath;
use base::Finding;
use helm::Data;
use kustomize::located;
use yaml::Node;

/// The directory of the chart that a source builds, if it lies here, and what the chart says of itself.
pub fn directory(source: &Node, context: &ReadContext<'_>) -> Option<(RepoPath, Arc<Node>)> {
    if source.get("chart").is_some() {
        return None;
    }
    let path = RepoPath::new(source.text_at(&["path"])?.trim_start_matches('/'))?;
    let url = source.text_at(&["repoURL"]).unwrap_or_default();
    let facts = context.facts;
    let directory = facts.repo.resolve_dir(&path)?;
    let is_chart = source.get("helm").is_some() || facts.assembly_file(&directory).is_none();
    facts.repo.file_in(&directory, "Chart.yaml")?;
    if !is_chart || !context.is_own(url, &path) {
        return None;
    }
    let (_, metadata) = helm::metadata(&directory, context)?;
    Some((directory, metadata))
}

/// A chart as its own file has it.
pub fn read(metadata: &Node, source: &Node) -> UnitChart {
    let parts = metadata.items_at("dependencies").iter().filter_map(|part| {
        let name = part.text_at(&["name"])?;
        let text = |key: &str| part.text_at(&[key]).map(SmolStr::from);
        Some(ChartPart {
            name: name.into(),
            version: text("version"),
            repository: text("repository"),
            values: text("alias").unwrap_or_else(|| name.into()),
        })
    });
    UnitChart {
        name: metadata.get("name").and_then(located),
        version: metadata.get("version").and_then(located),
        source: SourceRef::default(),
        repository: source.text_at(&["repoURL"]).map(SmolStr::from),
        parts: parts.collect(),
        main_part: None,
        file: None,
        place: source.get("path").unwrap_or(source).place,
    }
}

/// Whether a chart of an Application creates objects that can be known here. Adds findings where it may create
/// Applications, but that cannot be known.
pub fn makes_objects(
    application: &Resource,
    context: &ReadContext<'_>,
    findings: &mut Vec<Finding>,
) -> bool {
    let mut makes = false;
    let sources = sources(&application.node);
    for source in &sources {
        let local = directory(source, context);
        let metadata = local.as_ref().map(|(_, metadata)| &**metadata);
        let known = apps_chart::known(source, metadata);
        makes |= known.iter().any(|(chart, _)| *chart == AppsChart::Apps);
        if !makes && !known.is_empty() {
            let base = local.as_ref().map(|(directory, _)| directory);
            let given = values::chart_values(source, &sources, base, context);
            let mut made = Expanded::default();
            apps_chart::add(&known, &given, base, context, &mut made);
            makes = !made.resources.is_empty() || !made.findings.is_empty();
        }
        if let Some((directory, metadata)) = &local {
            let tree = chart_tree(directory, metadata, context);
            makes |= tree.has_templates;
            findings.extend(tree.borrowed.iter().map(unknown));
        }
    }
    makes
}

/// The objects that the charts of an Application make.
pub fn expand(application: &Resource, context: &ReadContext<'_>) -> Expanded {
    let mut expanded = Expanded::default();
    let sources = sources(&application.node);
    for source in &sources {
        let local = directory(source, context);
        let base = local.as_ref().map(|(directory, _)| directory);
        let given = values::chart_values(source, &sources, base, context);
        expanded.files.extend(given.files.iter().copied());
        let metadata = local.as_ref().map(|(_, metadata)| &**metadata);
        let known = apps_chart::known(source, metadata);
        apps_chart::add(&known, &given, base, context, &mut expanded);
        if let Some((directory, metadata)) = &local {
            let text = |node: &Node, path: &[&str]| node.text_at(path).map(SmolStr::from);
            let own = || application.id.name.clone();
            let namespace = text(&application.node, &["spec", "destination", "namespace"]);
            let tree = chart_tree(directory, metadata, context);
            let render = Render {
                release: text(source, &["helm", "releaseName"]).unwrap_or_else(own),
                namespace: namespace.unwrap_or_default(),
                tree: &tree,
                given: &given.data(),
                wanted: Wanted::Everything,
            };
            let (before, findings) = (expanded.resources.len(), expanded.findings.len());
            render.all(context, &mut expanded);
            // All that it creates may be in charts that are not here, or in templates that cannot be rendered.
            let is_open = tree.is_missing || expanded.findings.len() > findings;
            expanded.is_partial |= is_open && expanded.resources.len() == before;
        }
    }
    expanded
}

/// Applications that a chart creates if it is installed by hand, with its default values but for the environment.
pub fn install(
    directory: &RepoPath,
    environment: Option<&InstallEnvironment>,
    context: &ReadContext<'_>,
) -> Option<Expanded> {
    let (file, metadata) = helm::metadata(directory, context)?;
    let known = apps_chart::known_in(&metadata);
    let given = values::LayeredValues::default();
    let mut expanded = Expanded::default();
    apps_chart::add(&known, &given, Some(directory), context, &mut expanded);
    let is_all = known.iter().any(|(chart, _)| *chart == AppsChart::Apps);
    let tree = chart_tree(directory, &metadata, context);
    if !is_all && expanded.resources.is_empty() && !tree.makes_any() {
        return None;
    }
    let render = Render {
        release: metadata
            .text_at(&["name"])
            .map(SmolStr::from)
            .unwrap_or_default(),
        namespace: "default".into(),
        tree: &tree,
        given: &environment.map_or_else(Data::map, |it| values_for(it, context)),
        wanted: Wanted::Applications,
    };
    render.all(context, &mut expanded);
    expanded.files.insert(file);
    expanded.files.extend(environment.and_then(|it| it.values));
    Some(expanded)
}

fn values_for(environment: &InstallEnvironment, context: &ReadContext<'_>) -> Data {
    let mut values = Data::map();
    let files = environment.values.iter();
    for document in files.flat_map(|file| context.documents(*file)) {
        values.merge(&Data::from_node(document));
    }
    if !environment.field.is_empty() {
        let mut set = Data::Text(environment.name.clone());
        for key in environment.field.split('.').rev() {
            set = Data::Map([(key.into(), set)].into());
        }
        values.merge(&set);
    }
    values
}

fn unknown(borrowed: &Borrowed) -> Finding {
    let message = format!(
        "the objects from this template are missing from the catalogue: it includes `{}`, which no chart \
         in this repository defines",
        borrowed.name
    );
    render::left_out(borrowed.file, borrowed.line, message)
}
