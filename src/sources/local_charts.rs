//! Charts in the repo: which API types they define, and whether they create namespaces. Templates are not rendered for
//! this: the lines that say so rarely depend on values.

use std::collections::BTreeMap;

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::facts::NamedChart;
use crate::input::repo::{Repo, RepoPath};
use base::FileId;

/// A chart in the repo.
#[derive(Debug, Default)]
pub struct LocalChart {
    /// The API types that it defines.
    pub definitions: Vec<Definition>,
    /// Some file of it has a Namespace.
    pub has_namespaces: bool,
    /// The charts that it depends on and that are not among its files.
    pub dependencies: Vec<NamedChart>,
}

/// An API type that a chart defines.
#[derive(Debug)]
pub struct Definition {
    pub group: SmolStr,
    pub kind: SmolStr,
    pub part: ChartPart,
}

/// The directory of a chart that a file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartPart {
    Crds,
    Templates,
}

/// All charts of a repo, by their `Chart.yaml`.
pub fn local_charts(repo: &Repo) -> BTreeMap<FileId, LocalChart> {
    let is_chart = |file: &FileId| repo.path(*file).file_name() == "Chart.yaml";
    let charts: Vec<FileId> = repo.files().filter(is_chart).collect();
    let read = charts.into_par_iter();
    let read = read.filter_map(|file| Some((file, local_chart(repo, &repo.path(file).parent()?))));
    read.collect::<Vec<_>>().into_iter().collect()
}

fn local_chart(repo: &Repo, directory: &RepoPath) -> LocalChart {
    let mut chart = LocalChart {
        dependencies: dependencies(repo, directory),
        ..LocalChart::default()
    };
    for file in repo.below(directory) {
        if !matches!(repo.path(file).extension(), Some("yaml" | "yml")) {
            continue;
        }
        let Ok(text) = repo.read_text(file) else {
            continue;
        };
        chart.has_namespaces |= text.contains("kind: Namespace");
        if !text.contains("kind: CustomResourceDefinition") {
            continue;
        }
        let Some(part) = part(directory, repo.path(file)) else {
            continue;
        };
        let defined = match part {
            ChartPart::Crds => in_manifest(&text, file),
            ChartPart::Templates => in_template(&text),
        };
        let defined = defined.into_iter();
        chart
            .definitions
            .extend(defined.map(|(group, kind)| Definition { group, kind, part }));
    }
    chart
}

/// The charts that `Chart.yaml` names with the address of a repository.
fn dependencies(repo: &Repo, directory: &RepoPath) -> Vec<NamedChart> {
    let file = repo.file_in(directory, "Chart.yaml");
    let Some((file, text)) = file.and_then(|file| Some((file, repo.read_text(file).ok()?))) else {
        return Vec::new();
    };
    if !text.contains("dependencies:") {
        return Vec::new();
    }
    let parsed = yaml::parse(&text, file);
    let root = parsed.documents.first().map(|document| &document.root);
    let items = root.map(|root| root.items_at("dependencies"));
    let stated = items.unwrap_or_default().iter().filter_map(|node| {
        let name = node.text_at(&["name"])?;
        let repository = node.text_at(&["repository"])?;
        let is_here = || {
            let inside = directory
                .join("charts")
                .and_then(|charts| charts.join(name));
            inside.is_some_and(|inside| repo.is_dir(&inside))
        };
        let is_elsewhere = repository.contains("://") && !repository.starts_with("file:");
        (is_elsewhere && !is_here()).then(|| NamedChart {
            name: name.into(),
            version: node.text_at(&["version"]).map(SmolStr::from),
            repository: Some(repository.into()),
            place: node.place,
        })
    });
    stated.collect()
}

fn part(chart: &RepoPath, file: &RepoPath) -> Option<ChartPart> {
    let is_below = |name: &str| chart.join(name).is_some_and(|part| file.is_below(&part));
    if is_below("crds") {
        Some(ChartPart::Crds)
    } else {
        is_below("templates").then_some(ChartPart::Templates)
    }
}

fn in_manifest(text: &str, file: FileId) -> Vec<(SmolStr, SmolStr)> {
    let documents = yaml::parse(text, file).documents;
    let defined = documents.iter().filter_map(|document| {
        let spec = document.root.get("spec")?;
        let kind = spec.text_at(&["names", "kind"])?;
        Some((spec.text_at(&["group"])?.into(), kind.into()))
    });
    defined.collect()
}

/// The types that a template defines. A template is not YAML, but the lines with the group and the kind usually are.
fn in_template(text: &str) -> Vec<(SmolStr, SmolStr)> {
    let mut defined = Vec::new();
    for document in text.split("\n---") {
        let value = |key: &str| {
            let mut lines = document.lines().map(str::trim);
            let found = lines.find_map(|line| line.strip_prefix(key))?;
            let found = found.trim().trim_matches(['"', '\'']);
            (!found.is_empty() && !found.contains("{{")).then(|| SmolStr::from(found))
        };
        if !document.contains("kind: CustomResourceDefinition") {
            continue;
        }
        let names = document.find("names:");
        let kind = names.and_then(|at| {
            let mut lines = document[at..].lines().map(str::trim);
            let kind = lines.find_map(|line| line.strip_prefix("kind:"))?;
            Some(SmolStr::from(kind.trim().trim_matches(['"', '\''])))
        });
        if let (Some(group), Some(kind)) = (value("group:"), kind) {
            defined.push((group, kind));
        }
    }
    defined
}
