//! Releases and the charts that they install: where a chart comes from, its version, and further releases of one object.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Image, Located, Patch, SourceRef};
use base::Place;
use yaml::Node;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Release {
    pub name: SmolStr,
    pub target_namespace: SmolStr,
    pub chart: Option<UnitChart>,
    /// Creates the namespace that it installs into.
    pub creates_namespace: bool,
    /// Skips the CRDs in the chart's `crds` directory.
    pub skips_crds: bool,
    pub crds_on_upgrade: CrdsOnUpgrade,
    /// Takes further values from objects that cannot be read here.
    pub has_more_values: bool,
    /// The chart is rendered and applied like plain manifests: CRDs first, then everything at once.
    pub is_rendered: bool,
    /// What it gives the chart; later ones win.
    pub values: Vec<Arc<Node>>,
    /// What it changes in the objects of the chart, one after the other.
    pub changes: Vec<ObjectChanges>,
}

/// What happens to the CRDs in the `crds` directory of a chart when a release is upgraded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CrdsOnUpgrade {
    /// They become those of the new version.
    #[default]
    Replaced,
    /// They stay as they are.
    Kept,
}

/// Changes to the objects of a chart, as a kustomization makes them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObjectChanges {
    pub patches: Vec<Patch>,
    pub images: Vec<Image>,
}

/// A further chart that a unit installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Further {
    pub release: Release,
    /// Prefix of its setting names, which keeps them apart from those of other charts.
    pub prefix: SmolStr,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitChart {
    /// None if the source alone names the chart.
    pub name: Option<Located<SmolStr>>,
    pub version: Option<Located<SmolStr>>,
    pub source: SourceRef,
    /// Address of the chart repository, if the unit itself states it.
    pub repository: Option<SmolStr>,
    /// Its subcharts.
    pub parts: Vec<ChartPart>,
    /// Position in `parts` of the subchart that people mean, if the chart is only a thin wrapper around it.
    pub main_part: Option<usize>,
    /// Name and version from `Chart.yaml`, if the chart is a directory. A version that is stated elsewhere is then
    /// ignored.
    pub file: Option<ChartFile>,
    pub place: Place,
}

/// Name and version from a chart's `Chart.yaml`, if available.
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
    /// The key under which its values stand.
    pub values: SmolStr,
}

/// A source object of charts or files that a release or build may refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartSource {
    pub url: SmolStr,
    pub version: Option<Located<SmolStr>>,
    /// The revision that it is pinned to, if it states one.
    pub revision: Option<SourceRevision>,
    /// Whether it always gives the same files: those of a tag, a commit or a digest.
    pub is_fixed: bool,
    /// Ignore patterns, if stated.
    pub ignore: Option<SmolStr>,
    /// The chart that a chart object (such as HelmChart) names.
    pub chart: Option<Box<UnitChart>>,
}

/// The revision of a source, by the field that counts if several are stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRevision {
    pub field: RevisionField,
    pub value: SmolStr,
    /// Only tags that match a further pattern count.
    pub is_filtered: bool,
}

/// What a revision is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevisionField {
    Commit,
    Digest,
    /// The whole name of a reference, such as `refs/heads/main`.
    Reference,
    /// A range of versions.
    Range,
    Tag,
    Branch,
}

/// A chart that a file names with the address of its repository, whether or not a unit applies the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChart {
    pub name: SmolStr,
    pub version: Option<SmolStr>,
    /// The address of its repository; none if the file does not state it.
    pub repository: Option<SmolStr>,
    pub place: Place,
}
