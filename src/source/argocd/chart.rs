//! Charts in the repo: what they are called, and the Applications that their templates make. Of other objects in them
//! nothing is said, as of those of any chart.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::super::around::{Around, Expanded};
use super::super::kustomize::located;
use super::super::template::{self, Library, Missing, Value};
use super::application::sources;
use super::{apps_chart, rendered, values};
use crate::diagnostic::{FileId, Finding, Place};
use crate::fact::{Chart, ChartPart, Resource, SourceRef};
use crate::repo::{Repo, RepoPath};
use crate::yaml::Node;

/// The directory of the chart that a source builds, if it lies here, and what the chart says of itself.
pub fn directory(source: &Node, around: &Around<'_>) -> Option<(RepoPath, Arc<Node>)> {
    if source.get("chart").is_some() {
        return None;
    }
    let path = RepoPath::new(source.text_at(&["path"])?.trim_start_matches('/'))?;
    let url = source.text_at(&["repoURL"]).unwrap_or_default();
    let facts = around.facts;
    let directory = facts.repo.resolve_dir(&path)?;
    let is_chart = source.get("helm").is_some() || facts.assembly_file(&directory).is_none();
    let file = facts.repo.file_in(&directory, "Chart.yaml")?;
    if !is_chart || !around.is_own(url, &path) {
        return None;
    }
    let facts = facts.of(file);
    let metadata = facts.other_documents.first().cloned();
    metadata.map(|metadata| (directory, metadata))
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
        file: None,
        place: source.get("path").unwrap_or(source).place,
    }
}

/// Whether a chart of an Application makes Applications.
pub fn makes_units(application: &Resource, around: &Around<'_>) -> bool {
    sources(&application.node).iter().any(|source| {
        let local = directory(source, around);
        let is_known =
            apps_chart::values_key(source, local.as_ref().map(|(_, it)| &**it)).is_some();
        is_known || local.is_some_and(|(directory, _)| !templates(&directory, around).is_empty())
    })
}

/// The Applications that the charts of an Application make.
pub fn expand(application: &Resource, around: &Around<'_>) -> Expanded {
    let mut expanded = Expanded::default();
    let sources = sources(&application.node);
    for source in &sources {
        let local = directory(source, around);
        let base = local.as_ref().map(|(directory, _)| directory);
        let given = values::of(source, &sources, base, around);
        expanded.files.extend(given.files.iter().copied());
        let metadata = local.as_ref().map(|(_, metadata)| &**metadata);
        if let Some(key) = apps_chart::values_key(source, metadata) {
            apps_chart::add(&key, &given, base, around, &mut expanded);
        }
        if let Some((directory, metadata)) = &local {
            let text = |node: &Node, path: &[&str]| node.text_at(path).map(Value::text);
            let own = || Value::Text(application.id.name.clone());
            let namespace = text(&application.node, &["spec", "destination", "namespace"]);
            let render = Render {
                release: text(source, &["helm", "releaseName"]).unwrap_or_else(own),
                namespace: namespace.unwrap_or_default(),
                directory,
                metadata,
                given: &given,
            };
            render.all(around, &mut expanded);
        }
    }
    expanded
}

/// The Applications that a chart makes for somebody who installs it by hand, with the values that it has itself.
pub fn install(directory: &RepoPath, around: &Around<'_>) -> Option<Expanded> {
    let file = around.facts.repo.file_in(directory, "Chart.yaml")?;
    let metadata = around.documents(file).first()?;
    let key = apps_chart::key_in(metadata);
    if key.is_none() && templates(directory, around).is_empty() {
        return None;
    }
    let given = values::Given::default();
    let mut expanded = Expanded::default();
    if let Some(key) = key {
        apps_chart::add(&key, &given, Some(directory), around, &mut expanded);
    }
    let render = Render {
        release: metadata
            .text_at(&["name"])
            .map(Value::text)
            .unwrap_or_default(),
        namespace: Value::Nil,
        directory,
        metadata,
        given: &given,
    };
    render.all(around, &mut expanded);
    expanded.files.insert(file);
    Some(expanded)
}

/// The templates of a chart that make Applications.
fn templates(chart: &RepoPath, around: &Around<'_>) -> Arc<Vec<FileId>> {
    let mut known = around.lock_templates();
    if let Some(found) = known.get(chart) {
        return found.clone();
    }
    let repo = around.facts.repo;
    let mut found = Vec::new();
    let mut including = Vec::new();
    let mut helper_makes = false;
    for file in below_templates(repo, chart) {
        let is_template = matches!(repo.path(file).extension(), Some("yaml" | "yml" | "tpl"));
        let Some(text) = repo.read_text(file).ok().filter(|_| is_template) else {
            continue;
        };
        if is_helper(repo, file) {
            helper_makes |= makes_any(&text);
        } else if makes_any(&text) {
            found.push(file);
        } else if text.contains("include ") || text.contains("template ") {
            including.push(file);
        }
    }
    // Where a helper makes them, so may whatever includes helpers.
    if helper_makes {
        found.extend(including);
        found.sort();
    }
    let found = Arc::new(found);
    known.insert(chart.clone(), found.clone());
    found
}

fn is_helper(repo: &Repo, file: FileId) -> bool {
    repo.path(file).file_name().starts_with('_')
}

fn makes_any(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    text.contains("argoproj.io/v1alpha1")
        && lines.any(|line| matches!(line, "kind: Application" | "kind: ApplicationSet"))
}

fn below_templates(repo: &Repo, chart: &RepoPath) -> impl Iterator<Item = FileId> {
    let templates = chart.join("templates");
    let files = templates.map(|templates| repo.below(&templates));
    files.into_iter().flatten()
}

struct Render<'r> {
    /// What Helm knows it by, and where it goes.
    release: Value,
    namespace: Value,
    directory: &'r RepoPath,
    metadata: &'r Node,
    given: &'r values::Given,
}

impl Render<'_> {
    fn all(&self, around: &Around<'_>, expanded: &mut Expanded) {
        let files = templates(self.directory, around);
        if files.is_empty() {
            return;
        }
        let repo = around.facts.repo;
        let mut library = Library::default();
        for helper in below_templates(repo, self.directory) {
            if let (true, Ok(text)) = (is_helper(repo, helper), repo.read_text(helper)) {
                // What is wrong with a helper shows where it is included.
                let _ = library.add(&text);
            }
        }
        let root = self.root(around, &mut expanded.files);
        let mut seen: BTreeSet<(SmolStr, SmolStr)> = BTreeSet::new();
        for file in files.iter() {
            expanded.files.insert(*file);
            match self.one(*file, &library, &root, around) {
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

    /// What templates of a chart see.
    fn root(&self, around: &Around<'_>, files: &mut BTreeSet<FileId>) -> Value {
        let facts = around.facts;
        let mut values = Value::default();
        values.set(&["global"], Value::map(std::iter::empty()));
        if let Some(file) = facts.repo.file_in(self.directory, "values.yaml") {
            files.insert(file);
            for document in around.documents(file) {
                values.merge(&Value::of(document));
            }
        }
        values.put_over(&self.given.merged());
        let mut root = Value::default();
        root.set(&["Values"], values);
        root.set(&["Release", "Name"], self.release.clone());
        root.set(&["Release", "Service"], Value::text("Helm"));
        root.set(&["Release", "Namespace"], self.namespace.clone());
        for (key, own) in [
            ("Name", "name"),
            ("Version", "version"),
            ("AppVersion", "appVersion"),
        ] {
            let value = self.metadata.text_at(&[own]).map(Value::text);
            root.set(&["Chart", key], value.unwrap_or_default());
        }
        root
    }

    fn one(
        &self,
        file: FileId,
        library: &Library,
        root: &Value,
        around: &Around<'_>,
    ) -> Result<Vec<Resource>, (u32, String)> {
        let repo = around.facts.repo;
        let text = repo
            .read_text(file)
            .map_err(|_| (1, "it cannot be read".to_owned()))?;
        let written = template::run(&text, library, root, Missing::Empty)
            .map_err(|fault| (fault.line, fault.message))?;
        rendered::objects(written, file, repo.path(file))
    }
}

fn unfollowed(file: FileId, line: u32, why: &str) -> Finding {
    let place = Place {
        line: line.max(1),
        ..Place::start_of(file)
    };
    Finding::info(
        "template-unfollowed",
        place,
        format!("the Applications that this template makes are not known: {why}"),
    )
    .help("nothing to do; what is missing here is made by Argo CD all the same")
}
