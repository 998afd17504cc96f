//! Findings about YAML, by what happens to the file: an error only if something applies it. Templates are reported once
//! per directory. Sees findings, clusters and the inventory; reads no files.

use std::collections::BTreeMap;

use crate::cluster::{Cluster, ClusterUnit};
use crate::facts::Listing;
use crate::input::repo::{Repo, RepoPath};
use crate::sources::inventory::Inventory;
use base::hash::HashMap;
use base::text::counted;
use base::{Effect, FileId, Finding, Severity};

const TEMPLATE: &str = "yaml-template";

/// Weighs the findings of readers about YAML, and adds those about templates.
pub fn weigh(
    repo: &Repo,
    clusters: &[Cluster],
    inventory: &Inventory,
    findings: Vec<Finding>,
) -> Vec<Finding> {
    let uses = uses(repo, clusters);
    let mut kept = Vec::with_capacity(findings.len());
    let mut templates: Vec<Finding> = Vec::new();
    for mut finding in findings {
        let file = finding.place.file;
        let is_yaml = || matches!(repo.path(file).extension(), Some("yaml" | "yml"));
        if !finding.effect.is_of_language() || file == FileId::NONE {
            kept.push(finding);
            continue;
        }
        // What a generator embeds is text.
        if inventory.generator_inputs.contains(&file) {
            continue;
        }
        if !is_yaml() {
            kept.push(finding);
            continue;
        }
        let is_template = inventory.templates.contains_key(&file);
        match uses.get(&file) {
            None if is_template => continue,
            None if finding.effect == Effect::Template => {
                templates.push(finding);
                continue;
            }
            // The build reports it.
            Some(HowApplied::Kustomize) if finding.effect == Effect::Template => continue,
            Some(HowApplied::Unchanged) if finding.effect == Effect::DuplicateKey => {
                finding.severity = finding.severity.max(Severity::Warning);
                finding.message += ", and only one of them counts";
            }
            Some(HowApplied::Kustomize) if finding.effect == Effect::DuplicateKey => {
                finding.message += ", so kustomize rejects the document";
            }
            Some(_) => {}
            None => {
                finding.severity = Severity::Info;
                finding.message += "; nothing that was read applies this file";
            }
        }
        kept.push(finding);
    }
    for (file, (place, text)) in &inventory.templates {
        if !uses.contains_key(file) {
            let message =
                format!("this file has the placeholder `{text}`, so it counts as a template");
            templates.push(Finding::info(TEMPLATE, *place, message).effect(Effect::Template));
        }
    }
    kept.extend(by_directory(repo, templates));
    kept
}

/// How a file is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum HowApplied {
    /// As it is, without kustomize.
    Unchanged,
    Kustomize,
}

fn uses(repo: &Repo, clusters: &[Cluster]) -> HashMap<FileId, HowApplied> {
    let mut uses: HashMap<FileId, HowApplied> = HashMap::default();
    let mut add = |file: FileId, by: HowApplied| {
        let known = uses.entry(file).or_insert(by);
        *known = by.max(*known);
    };
    for cluster in clusters {
        for unit in &cluster.units {
            let by = built_by(repo, unit);
            let applied = unit.applied.iter();
            applied
                .flat_map(|applied| &applied.files)
                .for_each(|file| add(*file, by));
            add(unit.unit.place.file, HowApplied::Unchanged);
        }
        let by = if cluster.is_reconciled_directory() {
            HowApplied::Kustomize
        } else {
            HowApplied::Unchanged
        };
        let loose = cluster.loose.files.iter();
        loose.for_each(|file| add(*file, by));
    }
    uses
}

fn built_by(repo: &Repo, unit: &ClusterUnit) -> HowApplied {
    let has_kustomization = |directory: &RepoPath| {
        let mut names = kustomize::FILE_NAMES.iter();
        names.any(|name| repo.file_in(directory, name).is_some())
    };
    let build = unit.unit.build.as_ref();
    if build.is_some_and(|build| build.is_by_plugin) {
        return HowApplied::Unchanged;
    }
    let is_tree = build.is_none_or(|build| build.listing == Listing::Tree);
    if is_tree || unit.directory.as_ref().is_some_and(has_kustomization) {
        HowApplied::Kustomize
    } else {
        HowApplied::Unchanged
    }
}

/// Joins the findings of a directory, and of the directories below it.
fn by_directory(repo: &Repo, mut templates: Vec<Finding>) -> Vec<Finding> {
    templates.sort();
    let mut directories: BTreeMap<RepoPath, Vec<Finding>> = BTreeMap::new();
    for finding in templates {
        let directory = repo.path(finding.place.file).parent();
        let directory = directory.unwrap_or_else(RepoPath::root);
        directories.entry(directory).or_default().push(finding);
    }
    // Directories are in order, so one comes after those above it.
    let mut joined: BTreeMap<RepoPath, Vec<Finding>> = BTreeMap::new();
    for (directory, findings) in directories {
        let mut above = std::iter::successors(directory.parent(), RepoPath::parent);
        let known = above.find(|above| !above.as_str().is_empty() && joined.contains_key(above));
        let top = known.unwrap_or(directory);
        joined.entry(top).or_default().extend(findings);
    }
    let finding = |(directory, mut findings): (RepoPath, Vec<Finding>)| {
        let mut files: Vec<FileId> = findings.iter().map(|one| one.place.file).collect();
        files.sort();
        files.dedup();
        let mut first = findings.swap_remove(0);
        if files.len() > 1 {
            let here = match directory.as_str() {
                "" => "the root directory".to_owned(),
                name => format!("`{name}`"),
            };
            let count = counted(files.len(), "file");
            first.message = format!("{count} in {here} are templates, so they are not read");
        }
        first
    };
    joined.into_iter().map(finding).collect()
}
