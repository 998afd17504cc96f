//! What a cluster starts from: a directory, or parts that somebody applies by hand.

use std::collections::BTreeSet;

use super::{Cluster, compose_once};
use crate::cluster::build::Builder;
use crate::cluster::unit::{self, Applied, Variables};
use crate::facts::Build;
use crate::input::repo::RepoPath;
use crate::sources::InstallEnvironment;
use base::{FileId, Severity};
use kustomize::AssemblyKind;

/// Parts that somebody applies by hand: directories that are built, plain files, and charts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByHand {
    pub directories: BTreeSet<RepoPath>,
    pub files: BTreeSet<FileId>,
    pub charts: BTreeSet<InstalledChart>,
}

/// A chart that somebody installs by hand.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstalledChart {
    pub directory: RepoPath,
    /// The environment that it is installed for, if it must be told.
    pub environment: Option<InstallEnvironment>,
}

impl ByHand {
    pub fn join(&mut self, other: &ByHand) {
        self.directories.extend(other.directories.iter().cloned());
        self.files.extend(&other.files);
        self.charts.extend(other.charts.iter().cloned());
    }

    /// The same for one environment.
    pub fn for_environment(&self, environment: &InstallEnvironment) -> ByHand {
        let mut here = self.clone();
        let charts = std::mem::take(&mut here.charts).into_iter();
        here.charts = charts
            .map(|chart| InstalledChart {
                environment: Some(environment.clone()),
                ..chart
            })
            .collect();
        here
    }

    pub(super) fn apply(&self, builder: &Builder<'_>) -> Applied {
        let mut applied = unit::apply_files(builder, &self.files);
        let by_hand = Build {
            // Whoever builds a directory may render the charts in it.
            renders_charts: true,
            ..Build::default()
        };
        for directory in &self.directories {
            let variables = Variables::default();
            applied.join(unit::apply(builder, directory, Some(&by_hand), &variables));
        }
        for chart in &self.charts {
            applied.join(unit::install(builder, chart));
        }
        applied
    }
}

/// Starting point of a cluster.
#[derive(Debug, Clone)]
pub enum Start<'a> {
    /// Everything in a directory.
    Directory,
    /// Only the parts that somebody applies by hand.
    ByHand(&'a ByHand),
    /// Both of these.
    Both(&'a ByHand),
    /// Several directories, each built by itself: nothing says that anybody applies them together.
    Directories(&'a BTreeSet<RepoPath>),
}

/// The build of a directory. Faults of a Component do not count: the kustomizations that include it bring what it lacks.
pub(super) fn alone(builder: &Builder<'_>, directory: &RepoPath) -> Applied {
    let mut applied = unit::apply(builder, directory, None, &Variables::default());
    let facts = builder.context().facts;
    let file = facts.assembly_file(directory);
    let assembly = file.and_then(|file| facts.file(file).assembly.as_ref());
    if assembly.is_some_and(|assembly| assembly.kind == AssemblyKind::Component) {
        applied
            .findings
            .retain(|one| one.severity != Severity::Error);
    }
    applied
}

/// How often a cluster is composed again because it turned out to be one of its own destinations.
const MAX_AGAIN_COMPOSED: usize = 3;

/// Composes everything that is reached from `root`. `own` are the addresses of this repo.
pub fn compose(
    builder: &Builder<'_>,
    name: &str,
    root: &RepoPath,
    start: &Start<'_>,
    own: &BTreeSet<String>,
) -> Cluster {
    let mut ways = BTreeSet::new();
    let mut cluster = compose_once(builder, (name, root), start, own, &ways);
    let mut own_name = None;
    for _ in 0..MAX_AGAIN_COMPOSED {
        own_name = own_name.or_else(|| cluster.find_own_name());
        if *cluster.targets.own() == ways {
            break;
        }
        ways.clone_from(cluster.targets.own());
        cluster = compose_once(builder, (name, root), start, own, &ways);
    }
    cluster.stated = cluster.stated.or(own_name);
    cluster
}
