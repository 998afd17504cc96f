//! Facts about files that checks need and no object holds: manifest files, manual installs, and readable secrets.
//! Small, so that the trees can be dropped.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::apply_command::ExistsFirst;
use super::local_charts::LocalChart;
use super::reader::unit;
use super::{is_origin, preinstalled_groups};
use crate::facts::kubernetes::scope::is_local_tool;
use crate::facts::{Bootstrapped, FileFacts, NamedChart, PlainSecret};
use crate::input::repo::{Repo, RepoPath};
use base::hash::HashMap;
use base::{FileId, Place};

#[derive(Debug, Default)]
pub struct Inventory {
    /// Files with objects in them, in order.
    pub manifests: Vec<Manifest>,
    pub bootstrapped: Vec<Bootstrapped>,
    /// Charts that kustomizations render and that tools other than reconcilers install.
    pub named_charts: Vec<NamedChart>,
    /// Names of images that a tool builds and puts into manifests when it deploys them.
    pub built_images: BTreeSet<SmolStr>,
    /// What people apply and create before any reconciler runs.
    pub exists_first: ExistsFirst,
    pub plain_secrets: Vec<PlainSecret>,
    /// API groups of objects that install a reconciler: where that runs, their types are known.
    pub first_groups: BTreeSet<&'static str>,
    /// Kinds and names of the objects in files that others take files and charts from, whether anything applies them or not.
    pub origins: BTreeSet<(SmolStr, SmolStr)>,
    /// Kinds and names of the units in all files, whether anything applies them or not.
    pub units: BTreeSet<(SmolStr, SmolStr)>,
    /// Objects here may have files applied that no unit is seen to apply.
    pub has_other_reconcilers: bool,
    /// Charts in the repo, by their `Chart.yaml`.
    pub charts: BTreeMap<FileId, LocalChart>,
    /// Files that generators embed as text.
    pub generator_inputs: BTreeSet<FileId>,
    /// Kustomizations with plugins, which may read any file beside them.
    pub with_plugins: BTreeSet<FileId>,
    /// Kinds and names of objects that scripts create, from a template such as `sync.yaml.tmpl` or from their own text.
    pub created_by_scripts: BTreeSet<(SmolStr, SmolStr)>,
    /// Files that are templates, with the first placeholder in each.
    pub templates: BTreeMap<FileId, (Place, SmolStr)>,
    /// Places of variables that nothing sets, by the place of the object and the variable name.
    variables: HashMap<(Place, SmolStr), Place>,
}

/// A file with objects in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub file: FileId,
    /// The first of them.
    pub place: Place,
    pub objects: usize,
}

impl Inventory {
    pub fn from_files<'a>(files: impl Iterator<Item = (FileId, &'a FileFacts)>) -> Inventory {
        let mut inventory = Inventory::default();
        for (file, facts) in files {
            let mut applied = facts.resources.iter();
            if let Some(first) = applied.find(|one| !is_local_tool(&one.id.group)) {
                inventory.manifests.push(Manifest {
                    file,
                    place: first.place,
                    objects: facts.resources.len(),
                });
            }
            let units = facts.resources.iter().filter_map(unit);
            let units = units.map(|unit| (unit.id.kind, unit.id.name));
            inventory.units.extend(units);
            inventory.has_other_reconcilers |= facts.resources.iter().any(|resource| {
                let id = &resource.id;
                id.is("argoproj.io", "Application") || id.is("argoproj.io", "ApplicationSet")
            });
            let assembly = facts.assembly.as_ref();
            if assembly.is_some_and(|it| {
                !it.generator_plugins.is_empty() || !it.transformer_plugins.is_empty()
            }) {
                inventory.with_plugins.insert(file);
            }
            let origins = facts.resources.iter().map(|resource| &resource.id);
            let origins = origins.filter(|id| is_origin(id));
            let origins = origins.map(|id| (id.kind.clone(), id.name.clone()));
            inventory.origins.extend(origins);
            inventory.first_groups.extend(preinstalled_groups(facts));
            inventory
                .bootstrapped
                .extend(facts.bootstrapped.iter().cloned());
            inventory
                .named_charts
                .extend(facts.named_charts.iter().cloned());
            inventory.named_charts.extend(rendered_charts(facts));
            inventory
                .built_images
                .extend(facts.built_images.iter().cloned());
            inventory
                .plain_secrets
                .extend(facts.plain_secrets.iter().cloned());
        }
        inventory
    }

    /// The chart that a release names as a directory of the repo.
    pub fn chart_at(&self, repo: &Repo, name: &str) -> Option<&LocalChart> {
        self.chart_in(repo, &RepoPath::new(name)?)
    }

    /// The chart in a directory.
    pub fn chart_in(&self, repo: &Repo, directory: &RepoPath) -> Option<&LocalChart> {
        self.charts.get(&repo.file_in(directory, "Chart.yaml")?)
    }

    /// Looks up where objects use variables that nothing sets.
    pub fn locate<'a>(&mut self, repo: &Repo, unset: impl Iterator<Item = (Place, &'a SmolStr)>) {
        for (object, name) in unset {
            let known = self.variables.entry((object, name.clone()));
            known.or_insert_with(|| named_at(repo, object, name));
        }
    }

    /// The place where an object's file uses a variable that nothing sets, else the place of the object.
    pub fn variable_at(&self, object: Place, name: &SmolStr) -> Place {
        let known = self.variables.get(&(object, name.clone()));
        known.copied().unwrap_or(object)
    }
}

/// The charts that a kustomization renders. Those of a directory need no repository.
fn rendered_charts(facts: &FileFacts) -> impl Iterator<Item = NamedChart> {
    let charts = facts.assembly.iter().flat_map(|assembly| &assembly.charts);
    charts.filter_map(|chart| {
        Some(NamedChart {
            name: chart.name.as_ref()?.value.clone(),
            version: chart.version.as_ref().map(|version| version.value.clone()),
            repository: Some(chart.repository.clone()?),
            place: chart.place,
        })
    })
}

/// The place where an object's file uses a variable, else the place of the object.
fn named_at(repo: &Repo, object: Place, name: &str) -> Place {
    if object.file == FileId::NONE {
        return object;
    }
    let Ok(text) = repo.read_text(object.file) else {
        return object;
    };
    let start = format!("${{{name}");
    for (number, line) in (1u32..).zip(text.lines()) {
        if number < object.line {
            continue;
        }
        // The next document belongs to another object.
        if number > object.line && line.starts_with("---") {
            break;
        }
        let mut found = line.match_indices(&start);
        let hit = found.find(|(at, _)| {
            let after = line[at + start.len()..].chars().next();
            let is_end = after.is_some_and(|c| !c.is_ascii_alphanumeric() && c != '_');
            is_end && !line[..*at].ends_with('$')
        });
        if let Some((at, _)) = hit {
            let end = line[at..].find('}').map_or(line.len(), |end| at + end + 1);
            return Place {
                file: object.file,
                line: number,
                column: line[..at].chars().count() as u32 + 1,
                len: line[at..end].chars().count() as u32,
            };
        }
    }
    object
}
