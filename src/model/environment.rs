//! Environments: the clusters that something runs in, by what people call them. Mostly each entry point is one; where
//! one leads to several clusters, each of those is, and it is one itself only if something stays there.

use super::component::Named;
use crate::compose::Cluster;
use crate::hash::HashSet;

/// A column of every table that compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentView {
    pub name: String,
    /// The entry point that leads there, by position.
    pub cluster: usize,
    /// How many units apply things there.
    pub units: usize,
}

impl EnvironmentView {
    /// Whether the reconciler of its entry point runs in it.
    pub fn is_own(&self, clusters: &[super::ClusterUnits]) -> bool {
        clusters[self.cluster].name == self.name
    }
}

/// All environments, in the order of their entry points; each once, whatever leads there.
pub fn environments(clusters: &[Cluster], named: &[Named]) -> Vec<EnvironmentView> {
    let mut found: Vec<EnvironmentView> = Vec::new();
    for (at, cluster) in clusters.iter().enumerate() {
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
                }),
            }
        }
    }
    found
}

/// The environments that components of a cluster are in.
fn running<'a>(at: usize, clusters: &'a [Cluster], named: &[Named]) -> HashSet<&'a str> {
    let parts = named.iter().flat_map(|named| &named.draft.parts);
    let own = parts.filter(|part| part.cluster == at);
    own.map(|part| part.environment(clusters)).collect()
}
