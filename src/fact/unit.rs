//! Units: what a reconciler applies as one, what it builds, and what it waits for.

use std::fmt;

use smol_str::SmolStr;

use super::assembly::{Entry, Image, Patch};
use super::{Located, ResourceId};
use crate::diagnostic::Place;
use crate::repo::RepoPath;

/// A unit's identity within its cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId {
    pub kind: SmolStr,
    pub namespace: SmolStr,
    pub name: SmolStr,
}

impl UnitId {
    /// How owners are named: `namespace/name`.
    pub fn qualified(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind, self.namespace, self.name)
    }
}

#[derive(Debug, Clone)]
pub struct Unit {
    pub id: UnitId,
    pub place: Place,
    pub depends_on: Vec<Dependency>,
    pub gate: Gate,
    pub suspended: bool,
    /// When it is tried again.
    pub pace: Pace,
    /// Another cluster that its objects go to, by what leads there.
    pub remote: Option<SmolStr>,
    /// What it builds out of a directory.
    pub build: Option<Build>,
    /// The chart that it installs.
    pub release: Option<Release>,
}

/// When a unit is tried again, in seconds, as far as it is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// When all is well.
    pub interval: Option<u64>,
    /// After it failed; else as when all is well.
    pub retry: Option<u64>,
    /// How long it may take to become ready.
    pub timeout: Option<u64>,
}

/// One unit waits for another.
#[derive(Debug, Clone)]
pub struct Dependency {
    pub on: UnitId,
    /// How people call this kind of dependency, such as `Flux dependsOn`.
    pub reason: &'static str,
    pub place: Place,
}

/// What a unit must see before it counts as ready.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Gate {
    /// Its objects were applied.
    #[default]
    None,
    /// All its objects are ready.
    Wait,
    /// The named objects are ready.
    HealthChecks(Vec<ResourceId>),
}

#[derive(Debug, Clone)]
pub struct Build {
    pub source: SourceRef,
    /// As written, without `./`.
    pub path: SmolStr,
    pub path_place: Place,
    pub target_namespace: Option<Located<SmolStr>>,
    pub name_prefix: SmolStr,
    pub name_suffix: SmolStr,
    pub patches: Vec<Patch>,
    pub late_patches: Vec<Patch>,
    pub components: Vec<Located<SmolStr>>,
    pub images: Vec<Image>,
    pub common_labels: Vec<Entry>,
    pub common_annotations: Vec<Entry>,
    pub substitution: Option<Substitution>,
}

impl Build {
    /// Whether the unit changes nothing in what the kustomization makes.
    pub fn builds_as_is(&self) -> bool {
        self.target_namespace.is_none()
            && self.name_prefix.is_empty()
            && self.name_suffix.is_empty()
            && self.patches.is_empty()
            && self.late_patches.is_empty()
            && self.components.is_empty()
            && self.images.is_empty()
    }
}

/// The object that a unit takes its files or its chart from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourceRef {
    pub kind: SmolStr,
    pub namespace: SmolStr,
    pub name: SmolStr,
}

#[derive(Debug, Clone, Default)]
pub struct Substitution {
    pub inline: Vec<Entry>,
    /// In order; later ones win.
    pub from: Vec<VariableSource>,
    /// Substitutes even when no variable is known.
    pub always: bool,
}

#[derive(Debug, Clone)]
pub struct VariableSource {
    pub kind: SmolStr,
    pub name: SmolStr,
    pub optional: bool,
    pub place: Place,
}

#[derive(Debug, Clone)]
pub struct Release {
    pub name: SmolStr,
    pub target_namespace: SmolStr,
    pub chart: Option<Chart>,
    /// Makes the namespace that it installs into.
    pub creates_namespace: bool,
    /// Leaves out the definitions in the chart's directory of them.
    pub skips_crds: bool,
    /// Takes values from objects, besides those that it states.
    pub has_more_values: bool,
}

#[derive(Debug, Clone)]
pub struct Chart {
    /// Not stated when the source alone names the chart.
    pub name: Option<Located<SmolStr>>,
    pub version: Option<Located<SmolStr>>,
    pub source: SourceRef,
    pub place: Place,
}

/// An object that charts or files come from, as a release or build may refer to it.
#[derive(Debug, Clone)]
pub struct ChartSource {
    pub url: SmolStr,
    pub version: Option<Located<SmolStr>>,
    /// For a chart object in between: the chart that it names.
    pub chart: Option<Box<Chart>>,
}

/// Where a reconciler starts, as a file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPoint {
    /// As its source knows it.
    pub path: RepoPath,
    /// What it is fetched from, if that is said beside it.
    pub url: Option<SmolStr>,
}
