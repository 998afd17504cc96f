//! Charts in the repo: their names, and the Applications that their templates and subcharts create. Other objects in
//! them are not described, as for any chart.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::super::{Expanded, ReadContext};
use super::application::sources;
use super::applications_from_charts::Borrowed;
use super::apps_chart::Known;
use super::chart_tree::{Templates, chart_tree};
use super::{apps_chart, rendered, values};
use crate::facts::{Chart, ChartPart, Resource, SourceRef};
use crate::input::repo::{Repo, RepoPath};
use base::{FileId, Finding, Place};
use helm::{Chart as HelmChart, Library, Missing, Value};
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
pub fn read(metadata: &Node, source: &Node) -> Chart {
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
    Chart {
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

/// Whether a chart of an Application creates Applications. Adds findings where it may, but that cannot be known here.
pub fn makes_units(
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
        makes |= known.iter().any(|(chart, _)| *chart == Known::Apps);
        if !makes && !known.is_empty() {
            let base = local.as_ref().map(|(directory, _)| directory);
            let given = values::chart_values(source, &sources, base, context);
            let mut made = Expanded::default();
            apps_chart::add(&known, &given, base, context, &mut made);
            makes = !made.resources.is_empty() || !made.findings.is_empty();
        }
        if let Some((directory, metadata)) = &local {
            let tree = chart_tree(directory, metadata, context);
            makes |= tree.makes_any();
            findings.extend(tree.borrowed.iter().map(unknown));
        }
    }
    makes
}

/// The Applications that the charts of an Application make.
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
            let text = |node: &Node, path: &[&str]| node.text_at(path).map(Value::text);
            let own = || Value::Text(application.id.name.clone());
            let namespace = text(&application.node, &["spec", "destination", "namespace"]);
            let tree = chart_tree(directory, metadata, context);
            let render = Render {
                release: text(source, &["helm", "releaseName"]).unwrap_or_else(own),
                namespace: namespace.unwrap_or_default(),
                tree: &tree,
                given: &given,
            };
            render.all(context, &mut expanded);
        }
    }
    expanded
}

/// Applications that a chart creates if it is installed by hand, with its default values.
pub fn install(directory: &RepoPath, context: &ReadContext<'_>) -> Option<Expanded> {
    let (file, metadata) = helm::metadata(directory, context)?;
    let known = apps_chart::known_in(&metadata);
    let given = values::Given::default();
    let mut expanded = Expanded::default();
    apps_chart::add(&known, &given, Some(directory), context, &mut expanded);
    let is_all = known.iter().any(|(chart, _)| *chart == Known::Apps);
    let tree = chart_tree(directory, &metadata, context);
    if !is_all && expanded.resources.is_empty() && !tree.makes_any() {
        return None;
    }
    let render = Render {
        release: metadata
            .text_at(&["name"])
            .map(Value::text)
            .unwrap_or_default(),
        namespace: Value::Nil,
        tree: &tree,
        given: &given,
    };
    render.all(context, &mut expanded);
    expanded.files.insert(file);
    Some(expanded)
}

struct Render<'r> {
    /// Release name that Helm uses.
    release: Value,
    namespace: Value,
    tree: &'r Templates,
    given: &'r values::Given,
}

impl Render<'_> {
    fn all(&self, context: &ReadContext<'_>, expanded: &mut Expanded) {
        let tree = self.tree;
        if !tree.makes_any() {
            return;
        }
        let repo = context.facts.repo;
        let given = helm::subchart_values(tree, &self.given.merged(), context);
        let library = tree.library(|at| given[at].is_some(), repo);
        expanded.files.extend(tree.files(repo));
        if tree.is_cut {
            let top = tree.charts.first();
            let file = top.and_then(|top| repo.file_in(&top.directory, "Chart.yaml"));
            expanded.findings.extend(file.map(cut));
            expanded.is_partial = true;
        }
        let mut seen: BTreeSet<(SmolStr, SmolStr)> = BTreeSet::new();
        for ((chart, templates), values) in tree.charts.iter().zip(&tree.making).zip(given) {
            let Some(values) = values.filter(|_| !templates.is_empty()) else {
                continue;
            };
            let root = self.root(chart, values);
            for file in templates {
                match self.one(
                    *file,
                    &library,
                    &root,
                    (chart, context),
                    &mut expanded.files,
                ) {
                    Ok(resources) => expanded.resources.extend(
                        resources
                            .into_iter()
                            .filter(|it| seen.insert((it.id.kind.clone(), it.id.name.clone()))),
                    ),
                    Err((line, why)) => {
                        expanded.is_partial = true;
                        expanded.findings.push(unfollowed(*file, line, &why));
                    }
                }
            }
        }
    }

    /// Root context of a chart's templates.
    fn root(&self, chart: &HelmChart, values: Value) -> Value {
        let mut root = Value::default();
        root.set(&["Values"], values);
        root.set(&["Release", "Name"], self.release.clone());
        root.set(&["Release", "Service"], Value::text("Helm"));
        root.set(&["Release", "Namespace"], self.namespace.clone());
        root.set(&["Chart", "Name"], Value::Text(chart.name.clone()));
        for (key, own) in [("Version", "version"), ("AppVersion", "appVersion")] {
            let value = chart.metadata.text_at(&[own]).map(Value::text);
            root.set(&["Chart", key], value.unwrap_or_default());
        }
        root
    }

    fn one(
        &self,
        file: FileId,
        library: &Library,
        root: &Value,
        (chart, context): (&HelmChart, &ReadContext<'_>),
        files: &mut BTreeSet<FileId>,
    ) -> Result<Vec<Resource>, (u32, String)> {
        let repo = context.facts.repo;
        let text = repo
            .read_text(file)
            .map_err(|_| (1, "it cannot be read".to_owned()))?;
        let mut root = root.clone();
        if let Some((name, base)) = self.named(file, chart, repo) {
            root.set(&["Template", "Name"], Value::text(name));
            root.set(&["Template", "BasePath"], Value::text(base));
        }
        if text.contains(".Files") {
            let found = helm::chart_files(&chart.directory, repo);
            root.set(&["Files"], found.texts);
            files.extend(found.files);
        }
        let written = helm::run(&text, library, &root, Missing::Empty)
            .map_err(|fault| (fault.line, fault.message))?;
        let made = rendered::objects(written, file, repo.path(file))?;
        match made.iter().find(|one| one.id.name.is_empty()) {
            Some(one) => Err((one.place.line, "one of them has no name".to_owned())),
            None => Ok(made),
        }
    }
}

impl Render<'_> {
    /// Helm's name for a template, and its base path. None for charts from outside the parent chart's directory.
    fn named(&self, file: FileId, chart: &HelmChart, repo: &Repo) -> Option<(String, String)> {
        let top = self.tree.charts.first()?;
        let below = |path: &RepoPath| {
            let rest = path.as_str().strip_prefix(top.directory.as_str())?;
            Some(format!("{}/{}", top.name, rest.trim_start_matches('/')))
        };
        let is_inside = chart.parent.is_none() || chart.directory.is_below(&top.directory);
        let base = chart.directory.join("templates").filter(|_| is_inside)?;
        Some((below(repo.path(file))?, below(&base)?))
    }
}

fn unfollowed(file: FileId, line: u32, why: &str) -> Finding {
    let message =
        format!("the Applications from this template are missing from the catalogue: {why}");
    left_out(file, line, message)
}

fn cut(file: FileId) -> Finding {
    let message = "some Applications from subcharts of this chart are missing from the catalogue: there \
                   are too many subcharts";
    left_out(file, 1, message.to_owned())
}

fn unknown(borrowed: &Borrowed) -> Finding {
    let message = format!(
        "the objects from this template are missing from the catalogue: it includes `{}`, which no chart \
         in this repository defines",
        borrowed.name
    );
    left_out(borrowed.file, borrowed.line, message)
}

fn left_out(file: FileId, line: u32, message: String) -> Finding {
    let place = Place {
        line: line.max(1),
        ..Place::start_of(file)
    };
    Finding::info("template-unfollowed", place, message)
        .help("no action needed: Argo CD still creates what is missing from the catalogue")
}
