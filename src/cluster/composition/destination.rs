//! Other clusters. A unit may apply its objects to another cluster, where the same name means another object. Each
//! such cluster is an environment if it has a name.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::{Applied, Cluster, ClusterUnit, UnitIx};
use crate::facts::{Reaches, Remote, Unit, UnitId};
use base::hash::HashMap;

/// The name of a cluster where nothing says what it is called.
pub const NAMELESS: &str = "cluster";

/// A cluster that an entry point applies to: the one that its reconciler runs in, or another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Destination(usize);

impl Destination {
    /// The cluster in which the reconciler of the entry point runs.
    pub const HERE: Destination = Destination(0);
}

/// Other clusters to which the units of an entry point apply objects.
#[derive(Debug, Default)]
pub struct Destinations {
    found: HashMap<(Destination, SmolStr), Destination>,
    others: Vec<Other>,
    /// Names and addresses of the own cluster.
    own: BTreeSet<SmolStr>,
}

#[derive(Debug, Default)]
struct Other {
    name: Option<SmolStr>,
    host: Option<SmolStr>,
    reaches: Reaches,
    /// Which of the environments of its entry point it is.
    environment: usize,
}

impl Destinations {
    /// Destinations, where some ways are known to lead back to the own cluster.
    pub fn with_own(own: &BTreeSet<SmolStr>) -> Destinations {
        Destinations {
            own: own.clone(),
            ..Destinations::default()
        }
    }

    /// Ways that lead back to the own cluster.
    pub fn own(&self) -> &BTreeSet<SmolStr> {
        &self.own
    }

    /// The cluster to which a unit declared in `declared_in` applies its objects.
    pub fn resolve(&mut self, declared_in: Destination, remote: Option<&Remote>) -> Destination {
        let Some(remote) = remote else {
            return declared_in;
        };
        if declared_in == Destination::HERE && self.own.contains(&remote.way) {
            return declared_in;
        }
        let next = Destination(self.others.len() + 1);
        let found = self.found.entry((declared_in, remote.way.clone()));
        let target = *found.or_insert(next);
        if target == next {
            self.others.push(Other::default());
        }
        let other = &mut self.others[target.0 - 1];
        // Several units may use different names for it. The first in alphabetical order wins.
        other.reaches = remote.reaches;
        other.name = least(other.name.take(), &remote.name);
        other.host = least(other.host.take(), &remote.host);
        target
    }

    fn other(&self, target: Destination) -> Option<&Other> {
        self.others.get(target.0.checked_sub(1)?)
    }
}

fn least(known: Option<SmolStr>, stated: &Option<SmolStr>) -> Option<SmolStr> {
    known.into_iter().chain(stated.clone()).min()
}

/// Positions of units, by id.
#[derive(Debug, Default)]
pub struct Positions {
    first: HashMap<UnitId, UnitIx>,
    /// Units that share their id with a unit in another cluster.
    more: HashMap<(Destination, UnitId), UnitIx>,
}

impl Positions {
    pub fn reserve(&mut self, more: usize) {
        self.first.reserve(more);
    }

    pub fn insert(&mut self, declared_in: Destination, id: &UnitId, at: UnitIx) {
        if self.first.contains_key(id) {
            self.more.insert((declared_in, id.clone()), at);
        } else {
            self.first.insert(id.clone(), at);
        }
    }
}

impl Cluster {
    /// Whether a unit is created by one that it leads to itself, in what seems to be another cluster: then that is the own
    /// cluster under another name. Takes note of the name.
    pub(super) fn leads_back(&mut self, unit: &Unit, owner: Option<UnitIx>) -> bool {
        let above = self.above(owner);
        let same = above.iter().position(|at| {
            let other = &self.units[*at];
            other.unit.id == unit.id
                && other.unit.place == unit.place
                && other.declared_in == Destination::HERE
        });
        let Some(same) = same.filter(|_| self.target_of(owner) != Destination::HERE) else {
            return false;
        };
        let mut between = above[..=same].iter().map(|at| &self.units[*at]);
        let leaves =
            between.find(|it| it.declared_in == Destination::HERE && it.target != it.declared_in);
        let way = leaves.and_then(|it| Some(it.unit.remote.as_ref()?.way.clone()));
        self.targets.own.extend(way.clone());
        way.is_some()
    }

    /// The name under which units lead back to the cluster that they are declared in: all directories that are applied
    /// here are in one for the cluster of that name. Takes note of it.
    pub(super) fn find_own_name(&mut self) -> Option<SmolStr> {
        let units = self.units.iter();
        let here = units.filter(|unit| unit.target == Destination::HERE && brings(unit));
        let directories: Vec<&str> = here
            .filter_map(|unit| Some(unit.directory.as_ref()?.as_str()))
            .collect();
        let (first, rest) = directories.split_first()?;
        let mut shared: BTreeSet<&str> = first.split('/').collect();
        for directory in rest {
            let parts: BTreeSet<&str> = directory.split('/').collect();
            shared.retain(|part| parts.contains(part));
        }
        // One directory may have such a name for another reason.
        let others = self.targets.others.iter();
        let names = others.filter(|other| !rest.is_empty() && other.reaches == Reaches::Cluster);
        let mut names = names.filter_map(|other| other.name.as_ref());
        let name = names.find(|name| shared.contains(name.as_str()))?.clone();
        let found = self.targets.found.iter();
        let ways = found.filter(|((from, _), to)| {
            let other = self.targets.other(**to);
            *from == Destination::HERE && other.is_some_and(|it| it.name.as_ref() == Some(&name))
        });
        let ways: Vec<SmolStr> = ways.map(|((_, way), _)| way.clone()).collect();
        self.targets.own.extend(ways);
        Some(name)
    }

    /// Position of the first unit with this id, in any cluster.
    pub fn position(&self, unit: &UnitId) -> Option<UnitIx> {
        self.positions.first.get(unit).copied()
    }

    /// Position of the unit with this id that is declared in a cluster.
    pub fn position_in(&self, declared_in: Destination, unit: &UnitId) -> Option<UnitIx> {
        let first = self.position(unit)?;
        if self.units[first].declared_in == declared_in {
            return Some(first);
        }
        let more = &self.positions.more;
        if more.is_empty() {
            None
        } else {
            more.get(&(declared_in, unit.clone())).copied()
        }
    }

    /// The cluster to which a unit applies its objects. Objects of the entry point stay in its own cluster.
    pub fn target_of(&self, unit: Option<UnitIx>) -> Destination {
        unit.map_or(Destination::HERE, |unit| self.units[unit].target)
    }

    /// What a unit applies; without a unit, what the entry point does.
    pub fn applied_by(&self, unit: Option<UnitIx>) -> Option<&Applied> {
        match unit {
            None => Some(&self.loose),
            Some(unit) => self.units[unit].applied.as_ref(),
        }
    }

    /// Display name of a target cluster.
    pub fn environment(&self, target: Destination) -> &str {
        let at = self.rank(target);
        self.environments.get(at).unwrap_or(&self.name)
    }

    /// Position of the cluster among the environments.
    pub fn rank(&self, target: Destination) -> usize {
        let other = self.targets.other(target);
        other.map_or(0, |other| other.environment)
    }

    /// Display names of the other clusters that its units apply to.
    pub fn other_clusters(&self) -> &[String] {
        let others = self.environments.get(1..).unwrap_or_default();
        if self.has_environments_of_its_own() {
            &[]
        } else {
            others
        }
    }

    /// Names of the clusters that receive objects, not counting units that only lead elsewhere. None stands for the
    /// own cluster and for unnamed ones.
    fn reached(&self) -> BTreeSet<Option<&str>> {
        let units = self.units.iter().filter(|unit| brings(unit));
        let mut reached: BTreeSet<Option<&str>> =
            units.map(|unit| self.name_of(unit.target)).collect();
        let mut loose = self.loose.objects.iter();
        if loose.any(|object| object.statement.unit.is_none()) {
            reached.insert(None);
        }
        reached
    }

    /// The name of the only cluster that its units go to, if nothing else says what it is called.
    fn only_destination(&self) -> Option<&str> {
        if self.name != NAMELESS || self.stated.is_some() || self.targets.others.is_empty() {
            return None;
        }
        let reached = self.reached();
        match (reached.len(), reached.first()) {
            (1, Some(only)) => *only,
            _ => None,
        }
    }

    /// Whether its environments are parts of it, rather than clusters.
    fn has_environments_of_its_own(&self) -> bool {
        let mut others = self.targets.others.iter();
        others.any(|other| other.reaches == Reaches::Environment)
    }

    fn name_of(&self, target: Destination) -> Option<&str> {
        let other = self.targets.other(target)?;
        let name = other.name.as_deref().or(other.host.as_deref())?;
        (name != self.name).then_some(name)
    }
}

/// What people write before the name of a cluster, for the service that hosts it.
const HOSTS: &[&str] = &["aks", "doks", "eks", "gke", "lke", "oke"];

/// Whether one name is another and the service that hosts the cluster: `gke-shop` is `shop` for `gcloud`.
fn is_hosted(name: &str, other: &str) -> bool {
    let host = name.split_once('-').filter(|(_, rest)| *rest == other);
    host.is_some_and(|(host, _)| HOSTS.contains(&host))
}

/// Whether a unit applies anything but units.
fn brings(unit: &ClusterUnit) -> bool {
    unit.unit.release.is_some()
        || match &unit.applied {
            Some(applied) => {
                let mut objects = applied.objects.iter();
                objects.any(|object| object.statement.unit.is_none())
            }
            None => unit.unit.build.is_some(),
        }
}

/// Gives each cluster its environments. One that leads to a single cluster is that environment, however it goes there;
/// one that leads to several is one for each. Where several lead to clusters of the same name, those are not the same.
pub fn name_environments(clusters: &mut [Cluster]) {
    let names = |cluster: &Cluster| -> BTreeSet<String> {
        let reached = if cluster.targets.others.is_empty() {
            BTreeSet::new()
        } else {
            cluster.reached()
        };
        let several = reached.len() > 1 || cluster.has_environments_of_its_own();
        let named = reached.into_iter().flatten().filter(|_| several);
        named.map(str::to_owned).collect()
    };
    let taken: BTreeSet<String> = clusters.iter().map(|it| it.name.clone()).collect();
    for cluster in clusters.iter_mut() {
        let only = cluster.only_destination().map(str::to_owned);
        if let Some(only) = only.filter(|only| !taken.contains(only)) {
            cluster.name = only;
        }
    }
    let names: Vec<BTreeSet<String>> = clusters.iter().map(names).collect();
    for cluster in clusters.iter_mut() {
        let all = names.iter().flatten();
        let mut longer = all.filter(|name| is_hosted(name, &cluster.name));
        if let (Some(name), None) = (longer.next(), longer.next()) {
            cluster.name.clone_from(name);
        }
    }
    let mut users: BTreeMap<&str, usize> = BTreeMap::new();
    let others = clusters.iter().zip(&names);
    let others = others.filter(|(cluster, _)| !cluster.has_environments_of_its_own());
    for name in others.flat_map(|(_, names)| names) {
        *users.entry(name).or_default() += 1;
    }
    let shared = users.iter().filter(|(_, users)| **users > 1);
    let same: BTreeSet<String> = shared
        .filter(|(name, _)| is_one_cluster(clusters, name))
        .map(|(name, _)| (*name).to_owned())
        .collect();
    for (cluster, names) in clusters.iter_mut().zip(&names) {
        let is_part = cluster.has_environments_of_its_own();
        let environment = |name: &String| match users.get(name.as_str()) {
            Some(2..) if !is_part && !same.contains(name) => format!("{}-{name}", cluster.name),
            _ => name.clone(),
        };
        let mut environments = vec![cluster.name.clone()];
        environments.extend(names.iter().map(environment));
        let others = 0..cluster.targets.others.len();
        let indices: Vec<usize> = others
            .map(|at| {
                let name = cluster.name_of(Destination(at + 1));
                let nth = name.and_then(|name| names.iter().position(|other| other == name));
                nth.map_or(0, |nth| nth + 1)
            })
            .collect();
        for (other, index) in cluster.targets.others.iter_mut().zip(indices) {
            other.environment = index;
        }
        cluster.environments = environments;
    }
}

/// Whether the clusters that several lead to under one name are one: what they build there is in directories of that name.
fn is_one_cluster(clusters: &[Cluster], name: &str) -> bool {
    let mut directories = clusters.iter().flat_map(|cluster| {
        let units = cluster.units.iter().filter(|unit| brings(unit));
        let there = units.filter(|unit| cluster.name_of(unit.target) == Some(name));
        there.filter_map(|unit| unit.directory.as_ref())
    });
    directories.any(|directory| directory.as_str().split('/').any(|part| part == name))
}
