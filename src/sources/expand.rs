//! Objects that no file states in full: those that templates, charts and programs make.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{ReadContext, SOURCES};
use crate::facts::{HelmChart, Resource, SyncWave};
use crate::input::repo::RepoPath;
use base::{FileId, Finding};

/// Makes objects out of templates, charts and programs.
pub trait Expand: Sync {
    /// The objects that a reconciler makes out of the template of a unit.
    fn expand(&self, _template: &Resource, _context: &ReadContext<'_>) -> Option<Expanded> {
        None
    }

    /// Units that a chart of this repo creates if it is installed by hand.
    fn install(
        &self,
        _chart: &RepoPath,
        _environment: Option<&InstallEnvironment>,
        _context: &ReadContext<'_>,
    ) -> Option<Expanded> {
        None
    }

    /// The environments for which people install a chart of this repo.
    fn environments(
        &self,
        _chart: &RepoPath,
        _context: &ReadContext<'_>,
    ) -> Vec<InstallEnvironment> {
        Vec::new()
    }

    /// The objects of a chart that a directory inflates, if the chart is known by its values.
    fn inflate(
        &self,
        _chart: &HelmChart,
        _directory: &RepoPath,
        _context: &ReadContext<'_>,
    ) -> Option<Expanded> {
        None
    }

    /// Whether objects of this kind make others, under names that no file states.
    fn makes_unnamed(&self, _kind: &str) -> bool {
        false
    }

    /// The programs of this repo that people run to create units.
    fn programs(&self, _context: &ReadContext<'_>) -> Vec<Program> {
        Vec::new()
    }
}

/// Objects that a reconciler makes out of what another states.
#[derive(Debug, Default)]
pub struct Expanded {
    pub resources: Vec<Resource>,
    pub findings: Vec<Finding>,
    /// Files that took part.
    pub files: BTreeSet<FileId>,
    /// There may be more than these.
    pub is_partial: bool,
    /// For each object, if the reconciler makes them one after the other: its wave. The next is made once all
    /// before it are ready; one without a wave is in no order.
    pub sync_waves: Vec<Option<SyncWave>>,
    /// All objects with a wave come in order, whatever they are; a unit among them is ready when it says so itself.
    pub is_stepped: bool,
    /// For each object, if it is a unit that goes to another cluster: what that is called where the object is made.
    pub called: Vec<Option<SmolStr>>,
}

impl Expanded {
    /// Seals the resources. A template may assemble a secret that is recognisable only in the rendered object.
    fn sealed(mut self) -> Expanded {
        for resource in &mut self.resources {
            secret::seal(Arc::make_mut(&mut resource.node));
        }
        self
    }
}

/// An environment for which people install a chart: a value that the chart leaves open, and what it is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstallEnvironment {
    /// Path of the value.
    pub field: SmolStr,
    pub name: SmolStr,
    /// The values file of the chart that is for it.
    pub values: Option<FileId>,
}

/// A program (such as a Terraform root module or a Pulumi project) that creates units, run once per environment.
#[derive(Debug)]
pub struct Program {
    /// What people call it: its directory or project, and as much of the path as makes it unique.
    pub name: SmolStr,
    /// Directory of the program.
    pub root: RepoPath,
    pub runs: Vec<Run>,
    pub findings: Vec<Finding>,
    /// Files that say what it is and how it is run.
    pub files: BTreeSet<FileId>,
    /// Directories that a reconciler which it installs starts from, if they are in this repo.
    pub starts: BTreeSet<RepoPath>,
}

#[derive(Debug)]
pub struct Run {
    /// The environment that it is for, if anything says so.
    pub environment: Option<SmolStr>,
    /// Whether it puts anything into a Kubernetes cluster.
    pub installs: bool,
    /// Declares the unit of the whole run. Its template holds the rest.
    pub unit: Resource,
}

fn expanders() -> impl Iterator<Item = &'static dyn Expand> {
    SOURCES.iter().filter_map(|source| source.expand)
}

/// The objects that a reconciler makes out of a template.
pub fn expand(template: &Resource, context: &ReadContext<'_>) -> Expanded {
    let expanded = expanders().find_map(|source| source.expand(template, context));
    expanded.unwrap_or_default().sealed()
}

/// Units that a chart creates if it is installed by hand. None if it creates none.
pub fn install(
    chart: &RepoPath,
    environment: Option<&InstallEnvironment>,
    context: &ReadContext<'_>,
) -> Option<Expanded> {
    let expanded = expanders().find_map(|source| source.install(chart, environment, context));
    expanded.map(Expanded::sealed)
}

/// The environments for which people install a chart, sorted by name. None if it is the same for all.
pub fn environments(chart: &RepoPath, context: &ReadContext<'_>) -> Vec<InstallEnvironment> {
    let mut found = expanders().map(|source| source.environments(chart, context));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The objects of a chart that a directory inflates; none if no source knows the chart by its values.
pub fn inflate(
    chart: &HelmChart,
    directory: &RepoPath,
    context: &ReadContext<'_>,
) -> Option<Expanded> {
    let expanded = expanders().find_map(|source| source.inflate(chart, directory, context));
    expanded.map(Expanded::sealed)
}

/// Whether objects of a kind make others, under names that no file states.
pub fn makes_unnamed(kind: &str) -> bool {
    expanders().any(|source| source.makes_unnamed(kind))
}

/// The programs of a repo, sorted by their directories.
pub fn programs(context: &ReadContext<'_>) -> Vec<Program> {
    let mut programs: Vec<Program> = expanders()
        .flat_map(|source| source.programs(context))
        .collect();
    programs.sort_by(|a, b| a.root.cmp(&b.root));
    programs
}
