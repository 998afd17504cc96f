//! Hazards: manifests that will fail or race on a cluster. Each check looks at the composed clusters and returns findings;
//! it prints and changes nothing. To add a check, add a file below `check/` and a line to [`CHECKS`].

pub mod order;

/// Fixes, as changes of files.
pub mod fix;
/// A start from nothing, simulated.
pub mod rehearse;
/// Which findings count.
pub mod triage;

pub mod dependency;
mod merge;
mod ordering_fix;
mod origin;
pub mod unapplied;
pub mod unseen;
mod variable;
pub mod wording;

mod chart_unpinned;
mod crd_deadlock;
mod crd_unordered;
mod dangling_dependency;
mod dependency_cycle;
mod dependency_disabled;
mod dependency_suspended;
mod dependency_wrong_kind;
mod duplicate_resource;
mod environment_drift;
mod image_latest;
mod layer_unused;
mod namespace_deadlock;
mod namespace_missing;
mod orphan_manifest;
mod owner_unused;
mod read;
mod rules;
mod secret_in_git;
mod source_missing;
mod unset_variable;
mod unused_variable;
mod weak_gate;
mod webhook_race;

use rayon::prelude::*;

use crate::catalog::Catalog;
use crate::cluster::{Cluster, ClusterIx};
use crate::input::config::Config;
use crate::input::repo::Repo;
use crate::sources::inventory::Inventory;
use base::index::IndexVec;
use base::{Finding, Rule};
use order::StartupOrder;
pub use origin::{Installer, Origins, origins};
pub use rules::{Topic, guide, nearest_rule, page, rule, rules, topics};

pub trait Check: Sync {
    fn rule(&self) -> &'static Rule;

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding>;
}

/// All checks, most severe first.
pub const CHECKS: &[&dyn Check] = &[
    &crd_deadlock::CrdDeadlock,
    &namespace_deadlock::NamespaceDeadlock,
    &weak_gate::WeakGate,
    &webhook_race::WebhookRace,
    &crd_unordered::CrdUnordered,
    &dangling_dependency::DanglingDependency,
    &dependency_wrong_kind::DependencyWrongKind,
    &dependency_disabled::DependencyDisabled,
    &dependency_cycle::DependencyCycle,
    &source_missing::SourceMissing,
    &dependency_suspended::DependencySuspended,
    &namespace_missing::NamespaceMissing,
    &environment_drift::EnvironmentDrift,
    &unset_variable::UnsetVariable,
    &secret_in_git::SecretInGit,
    &duplicate_resource::DuplicateResource,
    &chart_unpinned::ChartUnpinned,
    &image_latest::ImageLatest,
    &unused_variable::UnusedVariable,
    &orphan_manifest::OrphanManifest,
    &owner_unused::OwnerUnused,
    &layer_unused::LayerUnused,
];

/// Everything that checks can look at.
pub struct CheckContext<'a> {
    pub repo: &'a Repo,
    pub config: &'a Config,
    pub clusters: &'a [Cluster],
    pub catalog: &'a Catalog,
    pub inventory: &'a Inventory,
    /// The start-up order of each cluster.
    pub orders: IndexVec<ClusterIx, StartupOrder<'a>>,
}

impl<'a> CheckContext<'a> {
    pub fn new(
        repo: &'a Repo,
        config: &'a Config,
        clusters: &'a [Cluster],
        catalog: &'a Catalog,
        inventory: &'a Inventory,
    ) -> CheckContext<'a> {
        let orders = clusters
            .par_iter()
            .zip(catalog.clusters.as_slice())
            .map(|(cluster, units)| StartupOrder::compute(repo, config, cluster, units, inventory));
        CheckContext {
            repo,
            config,
            clusters,
            catalog,
            inventory,
            orders: orders.collect::<Vec<_>>().into(),
        }
    }
}

/// The findings of all checks.
pub fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let each = CHECKS.par_iter().map(|check| check.check(context));
    merge::merged(each.flatten_iter().collect())
}
