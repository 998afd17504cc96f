//! Environments: the clusters that something runs in, by display name. Usually each entry point is one. If an entry
//! point applies to several clusters, each is an environment, and its own cluster only if it receives objects.

use super::component::{ComponentDraft, NamedComponent, Placement};
use super::gather::namespace;
use super::version::PartVersion;
use super::version_place::version_place;
use super::{ComponentIx, Environment, Status};
use crate::cluster::{ChartSources, ClusterIx, Clusters, Role};
use crate::facts::Statement;
use base::hash::HashSet;
use base::index::IndexVec;
use base::index_type;

index_type! {
    /// Position of an environment in the catalogue.
    pub struct EnvironmentIx;
}

/// A column of every table that compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentView {
    pub name: String,
    /// The entry point that leads there, by position.
    pub cluster: ClusterIx,
    /// How many units apply things there.
    pub units: usize,
    /// Whether only programs run for it: no Kubernetes cluster has its name. These come last.
    pub is_program: bool,
}

impl EnvironmentView {
    /// Whether the reconciler of its entry point runs in it.
    pub fn is_own(&self, clusters: &IndexVec<ClusterIx, super::ClusterUnits>) -> bool {
        clusters[self.cluster].name == self.name
    }
}

/// Whether an environment, namespace or cluster of this name is in production, as far as its name says.
pub fn is_production(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|word| {
        let is = |known: &&str| word.eq_ignore_ascii_case(known);
        ["prod", "prd", "production", "live"].iter().any(is)
    })
}

/// Some of the environments, by their positions in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnvironmentSet(u64);

impl EnvironmentSet {
    pub const NONE: EnvironmentSet = EnvironmentSet(0);
    /// Also used if the environments are not known.
    pub const ALL: EnvironmentSet = EnvironmentSet(u64::MAX);

    /// The set with the environment of this name. The first 64 are told apart; any other stands for all.
    pub fn named(environments: &[EnvironmentView], name: &str) -> EnvironmentSet {
        let position = environments.iter().position(|one| one.name == name);
        let position = position.filter(|at| *at < u64::BITS as usize);
        position.map_or(EnvironmentSet::ALL, |at| EnvironmentSet(1 << at))
    }

    /// All that any of them has.
    pub fn union(all: impl Iterator<Item = EnvironmentSet>) -> EnvironmentSet {
        all.fold(EnvironmentSet::NONE, EnvironmentSet::or)
    }

    pub fn or(self, other: EnvironmentSet) -> EnvironmentSet {
        EnvironmentSet(self.0 | other.0)
    }

    pub fn and(self, other: EnvironmentSet) -> EnvironmentSet {
        EnvironmentSet(self.0 & other.0)
    }

    /// The environments of `self` that `other` does not have.
    pub fn without(self, other: EnvironmentSet) -> EnvironmentSet {
        EnvironmentSet(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self == EnvironmentSet::NONE
    }

    /// The members of this set among all environments, in their order.
    pub fn select<'a>(
        self,
        environments: &'a [EnvironmentView],
    ) -> impl Iterator<Item = &'a EnvironmentView> + use<'a> {
        let own = environments.iter().enumerate();
        let is_member = move |at: usize| match u32::try_from(at) {
            Ok(at) if at < u64::BITS => self.0 >> at & 1 == 1,
            _ => self == EnvironmentSet::ALL,
        };
        own.filter(move |(at, _)| is_member(*at))
            .map(|(_, environment)| environment)
    }
}

/// All environments in the order of their entry points, each once.
pub fn environments(clusters: &Clusters, named: &[NamedComponent]) -> Vec<EnvironmentView> {
    let mut found: Vec<EnvironmentView> = Vec::new();
    for (at, cluster) in clusters.iter_enumerated() {
        let runs: HashSet<&str> = match cluster.environments.len() {
            1 => HashSet::default(),
            _ => running(at, clusters, named),
        };
        for (nth, name) in cluster.environments.iter().enumerate() {
            if nth == 0 && !runs.is_empty() && !runs.contains(name.as_str()) {
                continue;
            }
            let units = match cluster.environments.len() {
                1 => cluster.units.len(),
                _ => {
                    let units = cluster.units.iter();
                    let there = units.filter(|unit| cluster.environment(unit.target) == name);
                    there.count()
                }
            };
            match found.iter_mut().find(|other| other.name == *name) {
                Some(known) => known.units += units,
                None => found.push(EnvironmentView {
                    name: name.clone(),
                    cluster: at,
                    units,
                    is_program: cluster.role == Role::Programs,
                }),
            }
        }
    }
    found
}

/// The environments that components of a cluster are in.
fn running<'a>(
    at: ClusterIx,
    clusters: &'a Clusters,
    named: &[NamedComponent],
) -> HashSet<&'a str> {
    let parts = named.iter().flat_map(|named| &named.draft.parts);
    let own = parts.filter(|part| part.cluster == at);
    own.map(|part| part.environment(clusters)).collect()
}

/// Each environment once, however many ways lead there.
pub fn component_environments(
    draft: &ComponentDraft,
    clusters: &Clusters,
    sources: &IndexVec<ClusterIx, ChartSources<'_>>,
    versions: Vec<PartVersion>,
    stated: &[Vec<&Statement>],
) -> Vec<Environment> {
    let mut environments: Vec<Environment> = Vec::with_capacity(draft.parts.len());
    for ((part, version), statements) in draft.parts.iter().zip(versions).zip(stated) {
        let name = part.environment(clusters);
        let status = status_of(part, clusters);
        let mut known = environments.iter_mut();
        if let Some(known) = known.find(|known| known.name == name) {
            known.status = known.status.min(status);
            continue;
        }
        let units = &clusters[part.cluster].units;
        let subject = &units[part.subject];
        let release = part.release.and_then(|at| units[at].unit.release.as_ref());
        let shown = version.shown.as_deref();
        environments.push(Environment {
            version_place: shown
                .and_then(|shown| version_place(shown, part, statements, clusters, sources)),
            namespace: namespace(part, clusters),
            release: release.map(|release| release.name.clone()),
            unit: (subject.declared_in, subject.unit.id.clone()),
            name: name.to_owned(),
            status,
            version: version.shown,
            chart_version: version.chart,
        });
    }
    environments
}

/// Suspended if it is suspended in every cluster that has it.
pub fn status(draft: &ComponentDraft, clusters: &Clusters) -> Status {
    let mut parts = draft.parts.iter().map(|part| status_of(part, clusters));
    match draft.parts.is_empty() {
        true => draft.status,
        false if parts.all(|status| status == Status::Suspended) => Status::Suspended,
        false => Status::Enabled,
    }
}

/// Suspended when it, or a unit above it, is so.
fn status_of(part: &Placement, clusters: &Clusters) -> Status {
    let cluster = &clusters[part.cluster];
    let mut suspended = part
        .release
        .is_some_and(|release| cluster.units[release].unit.suspended);
    let mut unit = part.unit;
    for _ in 0..64 {
        let Some(at) = unit else {
            break;
        };
        suspended |= cluster.units[at].unit.suspended;
        unit = cluster.units[at].owner.filter(|owner| *owner != at);
    }
    if suspended {
        Status::Suspended
    } else {
        Status::Enabled
    }
}

/// The components of one environment, by the names that they have among all.
pub fn only_in(
    named: IndexVec<ComponentIx, NamedComponent>,
    environment: &str,
    clusters: &Clusters,
) -> IndexVec<ComponentIx, NamedComponent> {
    let kept = named.into_iter().filter_map(|mut one| {
        let parts = &mut one.draft.parts;
        parts.retain(|part| part.environment(clusters) == environment);
        (!parts.is_empty()).then_some(one)
    });
    kept.collect()
}
