//! Directories that people apply to several clusters before the rest, such as `infrastructure/setup`. Units of these clusters
//! depend on units in them, so they are no clusters of their own.

use base::hash::HashSet;

use super::EntrySearch;
use crate::cluster::Cluster;
use crate::cluster::composition::{self, ByHand, Start};
use crate::facts::{Unit, UnitId};

impl EntrySearch<'_> {
    /// Whether units of clusters that are known so far depend on one of these, and no cluster has it.
    pub(super) fn are_awaited(&self, units: &[Unit]) -> bool {
        let mut clusters = self.found.iter();
        clusters.any(|cluster| {
            let awaited = awaited(cluster);
            units.iter().any(|unit| awaited.contains(&unit.id))
        })
    }

    /// Moves guessed entry points after the first `certain` into the clusters that depend on units in them.
    pub(super) fn join_shared(&mut self, certain: usize) {
        let waiting: Vec<HashSet<&UnitId>> = self.found.iter().map(awaited).collect();
        let has_some = |cluster: &Cluster, units: &HashSet<&UnitId>| {
            units.iter().any(|unit| cluster.position(unit).is_some())
        };
        let mut shared: Vec<Vec<usize>> = vec![Vec::new(); self.found.len()];
        for (at, cluster) in self.found.iter().enumerate().skip(certain) {
            // A cluster that waits for another one is a part of that.
            let mut others = self
                .found
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at);
            let is_waiting = others.any(|(_, other)| has_some(other, &waiting[at]));
            if cluster.is_self_applied() || is_waiting {
                continue;
            }
            for (user, awaited) in waiting.iter().enumerate() {
                if user != at && has_some(cluster, awaited) {
                    shared[user].push(at);
                }
            }
        }
        let joined: HashSet<usize> = shared.iter().flatten().copied().collect();
        for (user, parts) in shared.into_iter().enumerate() {
            if parts.is_empty() {
                continue;
            }
            let by_hand = ByHand {
                directories: parts
                    .iter()
                    .map(|part| self.found[*part].root.clone())
                    .collect(),
                ..ByHand::default()
            };
            let root = self.found[user].root.clone();
            let start = Start::Both(&by_hand);
            self.found[user] =
                composition::compose(self.builder, root.as_str(), &root, &start, self.own);
        }
        let mut at = 0..;
        self.found
            .retain(|_| at.next().is_none_or(|at| !joined.contains(&at)));
    }
}

/// The units that units of a cluster depend on and that it does not have.
fn awaited(cluster: &Cluster) -> HashSet<&UnitId> {
    let units = cluster.units.iter();
    let on = units.flat_map(|unit| unit.unit.depends_on.iter().map(|dependency| &dependency.on));
    on.filter(|on| cluster.position(on).is_none()).collect()
}
