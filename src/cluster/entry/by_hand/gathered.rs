//! Which units that are applied by hand are in one cluster.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::super::composition::ByHand;
use super::{ManualUnits, called_like_a_cluster, common};
use crate::facts::UnitId;
use crate::input::repo::{Repo, RepoPath};
use base::Place;
use base::hash::{HashMap, HashSet};

/// Parts that make up one cluster each, with the directory that it is known by.
pub fn gathered(parts: Vec<ManualUnits>) -> Vec<(RepoPath, ByHand)> {
    // A name that several directories have is that of a part of each of them, not of a cluster.
    let mut called: BTreeSet<RepoPath> = BTreeSet::new();
    called.extend(
        parts
            .iter()
            .filter_map(|it| called_like_a_cluster(&it.directory)),
    );
    let is_shared = |path: &RepoPath| {
        let same = called
            .iter()
            .filter(|one| one.file_name() == path.file_name());
        same.count() > 1
    };
    let mut groups: BTreeMap<Option<RepoPath>, Vec<ManualUnits>> = BTreeMap::new();
    for part in parts {
        let called = called_like_a_cluster(&part.directory);
        let called = called.filter(|path| !is_shared(path));
        groups.entry(called).or_default().push(part);
    }
    let mut clusters: Vec<(RepoPath, ByHand)> = Vec::new();
    for (called, mut parts) in groups {
        if called.is_none() {
            drop_alternatives(&mut parts);
        }
        let mut buckets: Vec<Bucket> = Vec::new();
        for part in clashing_first(parts) {
            // The same units in two places are for two clusters. Others belong to the nearest one.
            let free = buckets.iter().enumerate();
            let free = free.filter(|(_, one)| {
                one.units.is_disjoint(&part.units) && one.declared.is_disjoint(&part.declared)
            });
            let nearest = free.max_by_key(|(at, one)| (one.shared(&part.directory), Reverse(*at)));
            let at = nearest.map(|(at, _)| at).unwrap_or_else(|| {
                buckets.push(Bucket::default());
                buckets.len() - 1
            });
            let bucket = &mut buckets[at];
            let is_chart = !part.by_hand.charts.is_empty();
            if is_chart || part.units.len() > part.files.len() {
                bucket.leading.insert(part.directory.clone());
            }
            bucket.units.extend(part.units);
            bucket.declared.extend(part.declared);
            bucket.directories.insert(part.directory);
            bucket.by_hand.join(&part.by_hand);
        }
        let single = buckets.len() == 1;
        let roots: Vec<RepoPath> = buckets.iter().map(Bucket::root).collect();
        for bucket in buckets {
            let root = bucket.root();
            let is_shared = roots.iter().filter(|other| **other == root).count() > 1;
            // A root shared by several clusters identifies none of them.
            let first = bucket.telling().first().cloned().filter(|_| is_shared);
            let called = called.clone().filter(|_| single);
            clusters.push((called.or(first).unwrap_or(root), bucket.by_hand));
        }
    }
    clusters
}

/// Drops parts that stand for another one of the same group: `app-with-metrics` declares what `app` declares, beside many
/// other applications. Directories with the same units are for clusters of their own only where they hold most of what there
/// is. The one with the shortest path stays.
fn drop_alternatives(parts: &mut Vec<ManualUnits>) {
    let mut holders: HashMap<&UnitId, Vec<usize>> = HashMap::default();
    for (at, part) in parts.iter().enumerate() {
        for unit in &part.units {
            holders.entry(unit).or_default().push(at);
        }
    }
    let length = |at: &usize| {
        let directory = &parts[*at].directory;
        (directory.as_str().len(), directory, *at)
    };
    let mut dropped: BTreeSet<usize> = BTreeSet::new();
    for holders in holders.values().filter(|holders| holders.len() > 1) {
        let directories = holders.iter().map(|at| parts[*at].directory.clone());
        let directories: BTreeSet<RepoPath> = directories.collect();
        let around = common(&directories).unwrap_or_else(RepoPath::root);
        let sides = directories.iter();
        let sides: BTreeSet<RepoPath> = sides
            .filter_map(|directory| side(directory, &around))
            .collect();
        let is_around = |part: &&ManualUnits| {
            side(&part.directory, &around).is_some_and(|side| sides.contains(&side))
        };
        let most = parts.iter().filter(is_around).count() * 2 >= parts.len();
        // Files of one directory are told apart by their names.
        if most || directories.len() == 1 {
            continue;
        }
        let first = holders.iter().min_by_key(|at| length(at));
        let first = first.map(|at| &parts[*at].directory);
        dropped.extend(
            holders
                .iter()
                .filter(|at| Some(&parts[**at].directory) != first),
        );
    }
    let mut at = 0..;
    parts.retain(|_| at.next().is_none_or(|at| !dropped.contains(&at)));
}

/// The directory right below another one that leads to a directory, which may be the other one itself.
fn side(directory: &RepoPath, around: &RepoPath) -> Option<RepoPath> {
    let mut here = Some(directory.clone());
    while let Some(at) = here {
        if at == *around || at.parent().as_ref() == Some(around) {
            return Some(at);
        }
        here = at.parent();
    }
    None
}

/// The names of clusters with one directory, by the files that somebody applies for each: `root-dev.yaml` is for `dev` where
/// `root-prod.yaml` is for another. None for a cluster that its file does not tell from the others.
pub fn told_by_files(repo: &Repo, same: &[&ByHand]) -> Vec<Option<SmolStr>> {
    let words = |by_hand: &&ByHand| -> Vec<SmolStr> {
        let mut files = by_hand.files.iter();
        let only = files.next().filter(|_| files.next().is_none());
        let name = only.map_or("", |file| repo.path(*file).file_name());
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.split(['-', '_', '.']).map(SmolStr::from).collect()
    };
    let all: Vec<Vec<SmolStr>> = same.iter().map(words).collect();
    let is_shared = |word: &SmolStr| all.iter().all(|words| words.contains(word));
    // Files of different names hold different things, for whatever clusters.
    let are_variants = all.first().is_some_and(|words| words.iter().any(is_shared));
    let own = all.iter().map(|words| {
        let mut own = words.iter().filter(|word| !is_shared(word));
        let first = own.next().filter(|word| !word.is_empty());
        first.filter(|_| own.next().is_none()).cloned()
    });
    let own: Vec<Option<SmolStr>> = own.collect();
    let known: BTreeSet<&SmolStr> = own.iter().flatten().collect();
    if are_variants && known.len() == same.len() && same.len() > 1 {
        own
    } else {
        vec![None; same.len()]
    }
}

/// Parts with units that another part has as well, then the rest.
fn clashing_first(parts: Vec<ManualUnits>) -> impl Iterator<Item = ManualUnits> {
    let mut users: HashMap<UnitId, usize> = HashMap::default();
    for unit in parts.iter().flat_map(|part| &part.units) {
        *users.entry(unit.clone()).or_default() += 1;
    }
    let mut variants: HashMap<(SmolStr, Place), usize> = HashMap::default();
    for unit in parts.iter().flat_map(|part| &part.declared) {
        *variants.entry(unit.clone()).or_default() += 1;
    }
    let (clashing, alone): (Vec<ManualUnits>, Vec<ManualUnits>) =
        parts.into_iter().partition(|part| {
            part.units.iter().any(|unit| users[unit] > 1)
                || part.declared.iter().any(|unit| variants[unit] > 1)
        });
    clashing.into_iter().chain(alone)
}

/// Parts of one cluster.
#[derive(Default)]
struct Bucket {
    units: HashSet<UnitId>,
    declared: HashSet<(SmolStr, Place)>,
    directories: BTreeSet<RepoPath>,
    /// The directories of parts that create further units.
    leading: BTreeSet<RepoPath>,
    by_hand: ByHand,
}

impl Bucket {
    /// Directories that identify the cluster: those of parts that create further units, if there are any.
    fn telling(&self) -> &BTreeSet<RepoPath> {
        if self.leading.is_empty() {
            &self.directories
        } else {
            &self.leading
        }
    }

    /// How many leading parts of its path a directory has in common with one of the directories.
    fn shared(&self, directory: &RepoPath) -> usize {
        let shared = |other: &RepoPath| {
            let parts = other.as_str().split('/').zip(directory.as_str().split('/'));
            parts.take_while(|(a, b)| a == b).count()
        };
        self.directories.iter().map(shared).max().unwrap_or(0)
    }

    fn root(&self) -> RepoPath {
        common(self.telling()).unwrap_or_else(RepoPath::root)
    }
}
