//! Units: what a reconciler applies as one, what it builds, and what it waits for.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Located, Relation, Resource, ResourceId};
use crate::input::repo::RepoPath;
use base::Place;
use kustomize::{Image, KeyValue, LabelSet, Patch, Replica};

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
        if self.namespace.is_empty() {
            self.name.to_string()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.qualified())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub id: UnitId,
    pub place: Place,
    pub depends_on: Vec<Dependency>,
    /// Of those, the ones that it sees running, whatever their gate says.
    pub observed_healthy: Vec<UnitId>,
    pub gate: Gate,
    pub suspended: bool,
    /// What its reconciler does without being asked.
    pub sync_policy: SyncPolicy,
    /// When it is tried again.
    pub timing: Timing,
    /// Another cluster that its objects go to.
    pub remote: Option<Remote>,
    /// What it builds out of a directory. Units are many, and few build and install.
    pub build: Option<Box<Build>>,
    /// What it builds beside that, out of other directories.
    pub more_builds: Vec<Build>,
    /// The chart that it installs.
    pub release: Option<Box<Release>>,
    /// The part of that chart, by position, that people know it by: the chart adds little to it.
    pub main_subchart: Option<usize>,
    /// Charts that it installs beside that.
    pub more_releases: Vec<Further>,
    /// The objects that it takes files and charts from, where it names each.
    pub source_refs: Vec<Located<SourceRef>>,
    /// Objects that its reconciler makes out of what it states, by rules of its own.
    pub template: Option<Arc<Resource>>,
    /// People know it by its own name, whatever creates it and whatever it creates.
    pub is_component: bool,
    /// People know it as what its owner is called, unless that has several such.
    pub goes_by_owner_name: bool,
    /// Somebody may apply it without any file saying so.
    pub may_be_applied_by_hand: bool,
    /// Somebody runs it, and no file says when.
    pub is_program: bool,
    /// What it creates comes in turn, though it is not known by its own name.
    pub orders_children: bool,
    /// Where it stands among what its owner applies.
    pub sync_wave: Option<SyncWave>,
    /// Where its values lie, for one that builds no directory.
    pub home: Option<RepoPath>,
    /// It is applied even while the types of some of its objects are not known.
    pub skips_dry_run_on_missing: bool,
    /// All of it is tried before any of it is applied, but for namespaces and definitions, which are applied first.
    pub dry_runs_whole: bool,
    /// The API group of its reconciler's own types: where there is such a unit, they are there.
    pub own_group: Option<&'static str>,
    /// What it can be given, and what it gives.
    pub interface: Option<Arc<Interface>>,
}

impl Unit {
    /// A unit that does nothing yet.
    pub fn new(id: UnitId, place: Place) -> Unit {
        Unit {
            id,
            place,
            depends_on: Vec::new(),
            observed_healthy: Vec::new(),
            gate: Gate::None,
            suspended: false,
            sync_policy: SyncPolicy::default(),
            timing: Timing::default(),
            remote: None,
            build: None,
            more_builds: Vec::new(),
            release: None,
            main_subchart: None,
            more_releases: Vec::new(),
            source_refs: Vec::new(),
            template: None,
            is_component: false,
            goes_by_owner_name: false,
            may_be_applied_by_hand: false,
            is_program: false,
            orders_children: false,
            sync_wave: None,
            home: None,
            skips_dry_run_on_missing: false,
            dry_runs_whole: false,
            own_group: None,
            interface: None,
        }
    }

    /// Every directory that it builds.
    pub fn builds(&self) -> impl Iterator<Item = &Build> {
        self.build.as_deref().into_iter().chain(&self.more_builds)
    }

    /// Every chart that it installs, with what the names of its settings begin with.
    pub fn releases(&self) -> impl Iterator<Item = (&Release, &str)> {
        let first = self
            .release
            .as_deref()
            .into_iter()
            .map(|release| (release, ""));
        let further = self.more_releases.iter();
        first.chain(further.map(|further| (&further.release, further.prefix.as_str())))
    }
}

/// Another cluster, as the one knows it that a unit stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// What leads there: where that is the same, so is the cluster.
    pub way: SmolStr,
    /// What people call it.
    pub name: Option<SmolStr>,
    /// Where it is, for want of a name.
    pub host: Option<SmolStr>,
}

/// What a unit can be given, and what it gives to others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interface {
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    pub name: SmolStr,
    /// Its type, as written.
    pub kind: Option<SmolStr>,
    pub description: Option<SmolStr>,
    /// None where there is none, and where it is secret.
    pub default: Option<SmolStr>,
    pub is_required: bool,
    pub is_secret: bool,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub name: SmolStr,
    pub description: Option<SmolStr>,
    pub is_secret: bool,
    pub place: Place,
}

/// A unit comes after all units of its owner that have a lower number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncWave {
    pub number: i64,
    pub relation: Relation,
    pub place: Place,
}

/// What a reconciler does about a unit without being asked, as the unit states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncPolicy {
    /// Applies what is new; else somebody must ask for it each time.
    pub applies: bool,
    /// Deletes what is no longer stated.
    pub prunes: bool,
    /// Puts back what others change in the objects that it applies.
    pub reverts: bool,
    /// Prunes even where nothing would be left.
    pub empties: bool,
    /// The unit's object itself states this, so that whoever applies the object sets it again.
    pub is_stated: bool,
}

/// When a unit is tried again, in seconds, as far as it is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timing {
    /// When all is well.
    pub interval: Option<u64>,
    /// After it failed; else as when all is well.
    pub retry: Option<u64>,
    /// How long it may take to become ready.
    pub timeout: Option<u64>,
}

/// One unit waits for another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub on: UnitId,
    pub relation: Relation,
    pub place: Place,
}

/// What a unit must see before it counts as ready.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Gate {
    /// Its objects were applied.
    #[default]
    None,
    /// It is there: not even that its objects were applied.
    Unseen,
    /// All its objects are ready.
    Wait,
    /// The named objects are ready.
    HealthChecks(Vec<ResourceId>),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Build {
    pub source: SourceRef,
    /// Where the files come from, if the unit itself says so.
    pub origin: Option<Origin>,
    /// What is taken of a directory without a kustomization.
    pub listing: Listing,
    /// Patterns of files that its source leaves out, in the place of those that it leaves out by itself.
    pub ignore: Option<SmolStr>,
    /// Its reconciler can render the charts that kustomizations name.
    pub renders_charts: bool,
    /// As written, without `./`.
    pub path: SmolStr,
    pub path_place: Place,
    pub target_namespace: Option<Located<SmolStr>>,
    /// The namespace of objects that state none.
    pub default_namespace: Option<Located<SmolStr>>,
    pub name_prefix: SmolStr,
    pub name_suffix: SmolStr,
    pub patches: Vec<Patch>,
    pub late_patches: Vec<Patch>,
    pub components: Vec<Located<SmolStr>>,
    pub images: Vec<Image>,
    pub replicas: Vec<Replica>,
    /// Labels and annotations that the kustomization adds, as if it stated them.
    pub labels: Vec<LabelSet>,
    pub annotations: Vec<KeyValue>,
    /// Labels and annotations that are added to what was built.
    pub common_labels: Vec<KeyValue>,
    pub common_annotations: Vec<KeyValue>,
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
            && self.replicas.is_empty()
            && self.labels.is_empty()
            && self.annotations.is_empty()
    }
}

/// An address that files are fetched from, and what of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub url: SmolStr,
    /// A branch, tag or commit; none for whatever is current.
    pub revision: Option<SmolStr>,
}

/// What is taken of a directory without a kustomization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Listing {
    /// All manifests below it; a directory with a kustomization is built.
    #[default]
    Tree,
    /// Manifests that stand in it, each as it is.
    Files(FileFilter),
    /// Those below it as well.
    FilesBelow(FileFilter),
    /// None: it is a chart.
    Chart,
}

/// Which files are taken, by patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileFilter {
    pub include: SmolStr,
    pub exclude: SmolStr,
}

/// The object that a unit takes its files or its chart from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourceRef {
    pub kind: SmolStr,
    pub namespace: SmolStr,
    pub name: SmolStr,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Substitution {
    pub inline: Vec<KeyValue>,
    /// In order; later ones win.
    pub from: Vec<VariableSource>,
    /// Substitutes even when no variable is known.
    pub always: bool,
    /// The annotation or label, and its value, by which an object keeps its text as it is.
    pub opt_out: Option<(&'static str, &'static str)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableSource {
    pub kind: SmolStr,
    pub name: SmolStr,
    pub optional: bool,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub name: SmolStr,
    pub target_namespace: SmolStr,
    pub chart: Option<Chart>,
    /// Makes the namespace that it installs into.
    pub creates_namespace: bool,
    /// Leaves out the definitions in the chart's directory of them.
    pub skips_crds: bool,
    /// Takes values from objects that nobody here can read, besides those that are known.
    pub has_more_values: bool,
    /// What is in the chart is applied as if it stood in files: definitions first, all in one go.
    pub is_rendered: bool,
}

/// A chart that a unit installs beside the one that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Further {
    pub release: Release,
    /// What the names of its settings begin with, so that they are none of another chart's.
    pub prefix: SmolStr,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Not stated when the source alone names the chart.
    pub name: Option<Located<SmolStr>>,
    pub version: Option<Located<SmolStr>>,
    pub source: SourceRef,
    /// Where it comes from, if the unit itself says so.
    pub repository: Option<SmolStr>,
    /// The charts that it is made of.
    pub parts: Vec<ChartPart>,
    /// For a chart that is a directory among files: what its own file says. A version that is stated elsewhere counts
    /// for nothing then.
    pub file: Option<ChartFile>,
    pub place: Place,
}

/// What a chart's own file says, as far as it is here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChartFile {
    pub name: Option<SmolStr>,
    pub version: Option<SmolStr>,
}

/// A chart that another one depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartPart {
    pub name: SmolStr,
    pub version: Option<SmolStr>,
    pub repository: Option<SmolStr>,
    /// Under which name its values stand.
    pub values: SmolStr,
}

/// An object that charts or files come from, as a release or build may refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartSource {
    pub url: SmolStr,
    pub version: Option<Located<SmolStr>>,
    /// Patterns of files that it leaves out, if it says so.
    pub ignore: Option<SmolStr>,
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
