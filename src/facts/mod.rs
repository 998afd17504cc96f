//! Facts that readers extract, independent of any single tool: objects, the assembly of directories, units that apply
//! them. What one Kubernetes object (`kubernetes`) or the values of a chart (`values`) state is read here, for every
//! tool. The narrow waist between readers and everything after them.

pub mod image;
pub mod kubernetes;
mod relation;
mod release;
mod statement;
mod unit;
pub mod values;

use std::sync::Arc;

use smol_str::SmolStr;

use base::{Finding, Place};
use yaml::Node;

pub use base::MARKER;
pub use kustomize::{
    Assembly, Disabled, Generator, HelmChart, Image, KeyValue, Located, Patch, PatchBody,
    PatchList, Replica, Resource, ResourceId, Selector, split_api_version, without_hash,
};
pub use relation::{EdgeKind, Relation};
pub use release::{
    ChartFile, ChartPart, ChartSource, CrdsOnUpgrade, Further, NamedChart, ObjectChanges, Release,
    RevisionField, SourceRevision, UnitChart,
};
pub use secret::PlainSecret;
pub use statement::{
    Alert, Artifact, ArtifactCopy, Await, Claim, Detail, Encryption, LabelFacts, Limits, Listener,
    MoreLabels, ObjectRef, Probe, Reference, Routing, RunVersion, Sees, SettingFact, Statement,
    StoreRef, Target, Through, UrlFact, Variable, Volume, Workload,
};
pub use unit::{
    Appearance, AppliedBy, ApplyRules, Build, Dependency, EntryPoint, FileFilter, Gate, Input,
    Interface, Listing, Naming, Origin, Output, Reaches, Reconcile, Remote, SourceRef,
    Substitution, SyncPolicy, SyncWave, Timing, Unit, UnitId, VariableSource,
};

/// All that readers found in one file.
#[derive(Debug, Default)]
pub struct FileFacts {
    pub resources: Vec<Resource>,
    pub assembly: Option<Arc<Assembly>>,
    /// Documents that are no Kubernetes objects: patches without identity, chart values, lists.
    pub other_documents: Vec<Arc<Node>>,
    /// Releases that people install before any reconciler runs.
    pub bootstrapped: Vec<Bootstrapped>,
    /// Charts that tools other than reconcilers install.
    pub named_charts: Vec<NamedChart>,
    /// Names of images that a tool builds and puts into manifests when it deploys them.
    pub built_images: Vec<SmolStr>,
    /// Secret values in plain text.
    pub plain_secrets: Vec<PlainSecret>,
    pub findings: Vec<Finding>,
    /// Whether the file becomes a Secret, so that every value in it is sealed.
    pub is_withheld: bool,
    /// The first placeholder that somebody is meant to replace.
    pub placeholder: Option<Placeholder>,
}

/// Text that somebody or something is meant to replace before the file is used, such as `<CLUSTER_NAME>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder {
    pub text: SmolStr,
    pub place: Place,
    /// Whether it stands in the name or path of an object, or of the file, so that the file means nothing before.
    pub is_identity: bool,
}

/// A release that is there before the first unit is applied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bootstrapped {
    pub namespace: SmolStr,
    pub name: SmolStr,
    /// Name of its chart, without the repository.
    pub chart: SmolStr,
    pub extent: BootstrapExtent,
    pub place: Place,
}

/// How much of a chart is there before the first unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BootstrapExtent {
    /// All of it: it is installed.
    Release,
    /// Only its CRDs: it is rendered for them.
    Definitions,
}

impl FileFacts {
    pub const EMPTY: FileFacts = FileFacts {
        resources: Vec::new(),
        assembly: None,
        other_documents: Vec::new(),
        bootstrapped: Vec::new(),
        named_charts: Vec::new(),
        built_images: Vec::new(),
        plain_secrets: Vec::new(),
        findings: Vec::new(),
        is_withheld: false,
        placeholder: None,
    };
}
