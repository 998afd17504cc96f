//! Units: what a reconciler applies as one, what it builds, and what it waits for.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Further, Located, Relation, Release, Resource, ResourceId};
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

/// A unit: the facts that every tool has, and groups of those that only some tools have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub id: UnitId,
    pub place: Place,
    pub depends_on: Vec<Dependency>,
    pub gate: Gate,
    pub suspended: bool,
    /// The other cluster that its objects are applied to.
    pub remote: Option<Remote>,
    /// The directory that it builds. Boxed, because most units do not both build and install.
    pub build: Option<Box<Build>>,
    /// Further directories that it builds.
    pub more_builds: Vec<Build>,
    /// The chart that it installs.
    pub release: Option<Box<Release>>,
    /// Further charts that it installs.
    pub more_releases: Vec<Further>,
    /// Source objects that it names explicitly, for files and charts.
    pub source_refs: Vec<Located<SourceRef>>,
    /// The object from which its reconciler generates further objects.
    pub template: Option<Arc<Resource>>,
    pub reconcile: Reconcile,
    pub apply: ApplyRules,
    pub appearance: Appearance,
}

/// How a reconciler keeps a unit up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reconcile {
    /// Actions that it takes automatically.
    pub sync_policy: SyncPolicy,
    /// Retry and reconcile intervals.
    pub timing: Timing,
}

/// Rules of a unit's tool for the order in which objects are applied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApplyRules {
    pub applied_by: AppliedBy,
    /// Units among `depends_on` that are running once this unit is applied, regardless of their own gate.
    pub observed_healthy: Vec<UnitId>,
    /// Its sync wave among the units of its owner.
    pub sync_wave: Option<SyncWave>,
    /// Its children are applied in order, although the unit itself is not a component.
    pub orders_children: bool,
    /// The unit is applied even while CRDs for some of its objects are missing.
    pub skips_dry_run_on_missing: bool,
    /// Everything is dry-run before anything is applied. Namespaces and CRDs are the exception: they are applied
    /// first.
    pub dry_runs_whole: bool,
    /// API group of its reconciler's own CRDs. A cluster that has such a unit has these CRDs.
    pub own_group: Option<&'static str>,
}

/// Who applies a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AppliedBy {
    /// A reconciler in the cluster.
    #[default]
    Reconciler,
    /// A reconciler, or a person by hand without any file that says so.
    ReconcilerOrHand,
    /// A person or a pipeline that runs a program. No file says when.
    Program,
    /// A person or a pipeline, with a command such as `kubectl apply`. No file says when.
    Command,
}

/// How a unit appears in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Appearance {
    pub naming: Naming,
    /// Directory of its values, if it builds no directory.
    pub home: Option<RepoPath>,
    /// Declared inputs and outputs.
    pub interface: Option<Arc<Interface>>,
    /// The command that applies it, if a file states one.
    pub command: Option<Located<SmolStr>>,
    /// Its name without that of its environment, if units of one component are told apart by environment.
    pub shared_name: Option<SmolStr>,
}

/// Which component a unit belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// The one that its objects and its owner suggest.
    #[default]
    Derived,
    /// One under its own name, regardless of its owner and its children.
    Own,
    /// Its owner's, unless the owner has several such units.
    Owner,
    /// One for each workload, because its own name says nothing.
    Workload,
}

impl Unit {
    /// A unit that does nothing yet.
    pub fn new(id: UnitId, place: Place) -> Unit {
        Unit {
            id,
            place,
            depends_on: Vec::new(),
            gate: Gate::None,
            suspended: false,
            remote: None,
            build: None,
            more_builds: Vec::new(),
            release: None,
            more_releases: Vec::new(),
            source_refs: Vec::new(),
            template: None,
            reconcile: Reconcile::default(),
            apply: ApplyRules::default(),
            appearance: Appearance::default(),
        }
    }

    /// Whether the unit is a component under its own name.
    pub fn is_component(&self) -> bool {
        self.appearance.naming == Naming::Own
    }

    /// Whether the unit is a program that somebody runs.
    pub fn is_program(&self) -> bool {
        self.apply.applied_by == AppliedBy::Program
    }

    /// Whether a person or a pipeline applies the unit with a command, and no reconciler does.
    pub fn is_applied_by_command(&self) -> bool {
        self.apply.applied_by == AppliedBy::Command
    }

    /// Whether a person may have applied the unit.
    pub fn may_be_applied_by_hand(&self) -> bool {
        self.apply.applied_by == AppliedBy::ReconcilerOrHand
    }

    /// Every directory that it builds.
    pub fn builds(&self) -> impl Iterator<Item = &Build> {
        self.build.as_deref().into_iter().chain(&self.more_builds)
    }

    /// Every chart that it installs, with the prefix of its setting names.
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

/// Another cluster, as seen from the cluster that declares the unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// The address or reference that leads to the cluster. Equal values mean the same cluster.
    pub way: SmolStr,
    /// Display name.
    pub name: Option<SmolStr>,
    /// Host name, used if there is no display name.
    pub host: Option<SmolStr>,
    pub reaches: Reaches,
}

/// How far away another cluster is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reaches {
    /// A cluster of its own.
    #[default]
    Cluster,
    /// An environment in the same cluster, such as the namespaces for tests.
    Environment,
}

/// Declared inputs and outputs of a unit.
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
    /// None if the input has no default or is secret.
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

/// The sync wave of a unit. It is applied after all units of its owner with a lower number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncWave {
    pub number: i64,
    pub relation: Relation,
    pub place: Place,
}

/// Actions that a reconciler takes automatically for a unit, as the unit declares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncPolicy {
    /// Applies new revisions. Otherwise each sync has to be requested.
    pub applies: bool,
    /// Deletes objects that are no longer declared.
    pub prunes: bool,
    /// Reverts changes that others make to the applied objects.
    pub reverts: bool,
    /// Prunes even if no object would be left.
    pub empties: bool,
    /// The unit's own object declares this policy, so re-applying the object restores it.
    pub is_stated: bool,
}

/// Reconcile intervals and timeout in seconds, if stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timing {
    /// Time between two successful reconciliations.
    pub interval: Option<u64>,
    /// Time until a retry after a failure. `interval` is used if this is not stated.
    pub retry: Option<u64>,
    /// How long it may take to become ready.
    pub timeout: Option<u64>,
}

/// A dependency of one unit on another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub on: UnitId,
    pub relation: Relation,
    pub place: Place,
}

/// Condition under which a unit counts as ready.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Gate {
    /// Its objects were applied.
    #[default]
    None,
    /// The unit exists. Its objects may not have been applied yet.
    Unseen,
    /// All its objects are ready.
    Wait,
    /// The named objects are ready.
    HealthChecks(Vec<ResourceId>),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Build {
    pub source: SourceRef,
    /// Address of the files, if the unit itself states it.
    pub origin: Option<Origin>,
    /// Files used if the directory has no kustomization.
    pub listing: Listing,
    /// Ignore patterns of its source. They replace the default patterns.
    pub ignore: Option<SmolStr>,
    /// Its reconciler can render the charts that kustomizations name.
    pub renders_charts: bool,
    /// That somebody applies it is inferred from the directories.
    pub is_inferred: bool,
    /// A program that is not known here builds the directory, by rules of its own.
    pub is_by_plugin: bool,
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
    /// Labels and annotations that are added after the build.
    pub common_labels: Vec<KeyValue>,
    pub common_annotations: Vec<KeyValue>,
    pub substitution: Option<Substitution>,
}

impl Build {
    /// Whether the unit leaves the output of the kustomization unchanged.
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

/// An address that files are fetched from, with the revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub url: SmolStr,
    /// A branch, tag or commit; none for the default branch.
    pub revision: Option<SmolStr>,
}

/// Files used from a directory without a kustomization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Listing {
    /// All manifests below it; a directory with a kustomization is built.
    #[default]
    Tree,
    /// Manifests directly in the directory, unchanged.
    Files(FileFilter),
    /// Manifests in the directory and below it, unchanged.
    FilesBelow(FileFilter),
    /// None, because the directory is a chart.
    Chart,
}

/// Include and exclude patterns for files.
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
    /// Annotation or label, with its value, that exempts an object from substitution.
    pub opt_out: Option<(&'static str, &'static str)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableSource {
    pub kind: SmolStr,
    pub name: SmolStr,
    pub optional: bool,
    pub place: Place,
}

/// The directory at which a reconciler starts, as a file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPoint {
    /// Path within its source.
    pub path: RepoPath,
    /// Address of the source, if stated next to the path.
    pub url: Option<SmolStr>,
}
