//! Units that somebody applies by hand: no file says where their reconciler begins. Those that others create are not
//! among them; the rest make up one cluster, or one for each directory that is called like one.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::super::cluster::{self, ByHand, Cluster, Start};
use super::{Aside, Search, below_clusters, common, is_for_trial, is_retired, name, reach};
use crate::diagnostic::FileId;
use crate::fact::UnitId;
use crate::repo::RepoPath;
use crate::source;

/// What is applied in one go, where it stands, and what comes of it.
struct Part {
    by_hand: ByHand,
    directory: RepoPath,
    /// The files that declare its units.
    files: BTreeSet<FileId>,
    units: HashSet<UnitId>,
    reached: HashSet<FileId>,
}

impl Search<'_> {
    /// Adds what is applied by hand to the clusters that it belongs to, or as clusters of its own.
    pub(super) fn add_by_hand(&mut self, aside: Aside) {
        let gathered = gathered(self.parts(aside));
        let is_alone = gathered.len() == 1;
        let before = self.found.len();
        for (root, by_hand) in gathered {
            let only = (is_alone && before == 1).then_some(0);
            match self.home_of(&root, before).or(only) {
                Some(at) => {
                    let root = self.found[at].root.clone();
                    let joined = self.compose_by_hand(&root, &Start::Both(&by_hand));
                    self.found[at] = joined;
                }
                None => {
                    let cluster = self.compose_by_hand(&root, &Start::ByHand(&by_hand));
                    self.add_composed(cluster);
                }
            }
        }
    }

    fn compose_by_hand(&self, root: &RepoPath, start: &Start<'_>) -> Cluster {
        cluster::compose(self.builder, root.as_str(), root, start, self.own)
    }

    /// The cluster, of those that were there before, whose entry point a directory lies in.
    fn home_of(&self, root: &RepoPath, before: usize) -> Option<usize> {
        let lies = |cluster: &Cluster| {
            let other = &cluster.root;
            root == other || root.is_below(other) && !other.as_str().is_empty()
        };
        self.found[..before].iter().position(lies)
    }

    /// What stands at the top: everything that can be applied by hand and that nothing else creates.
    fn parts(&self, aside: Aside) -> Vec<Part> {
        let candidates = self.candidates(aside);
        let all: HashSet<FileId> = candidates
            .iter()
            .flat_map(|it| &it.files)
            .copied()
            .collect();
        let mut order: Vec<(usize, Part)> = candidates
            .into_iter()
            .map(|part| (self.below(&part, &all), part))
            .collect();
        // Those that lead to many come first, so that what they lead to need not be looked at by itself.
        order.sort_by(|a, b| {
            b.0.cmp(&a.0)
                .then_with(|| a.1.directory.cmp(&b.1.directory))
        });
        let mut parts: Vec<Part> = Vec::new();
        let mut reached: HashSet<FileId> = HashSet::new();
        for (_, mut part) in order {
            if part.files.iter().any(|file| reached.contains(file)) {
                continue;
            }
            let cluster = self.compose_by_hand(&part.directory, &Start::ByHand(&part.by_hand));
            let created = cluster
                .units
                .iter()
                .filter_map(|unit| unit.applied.as_ref());
            let files = created.flat_map(|applied| applied.files.iter().copied());
            part.reached = files.collect();
            part.units = cluster.units.iter().map(|it| it.unit.id.clone()).collect();
            parts.retain(|other| !other.files.iter().any(|file| part.reached.contains(file)));
            reached.extend(&part.reached);
            parts.push(part);
        }
        parts.sort_by(|a, b| {
            a.directory
                .cmp(&b.directory)
                .then_with(|| a.files.cmp(&b.files))
        });
        parts
    }

    /// Files with such units that no cluster has yet, by what includes them.
    fn candidates(&self, aside: Aside) -> Vec<Part> {
        let mut files: BTreeSet<FileId> = BTreeSet::new();
        for (file, found) in self.facts.all().filter(|(file, _)| !self.is_reached(*file)) {
            let mut units = found.resources.iter().filter_map(source::unit);
            if units.any(|unit| unit.is_by_hand) {
                files.insert(file);
            }
        }
        // In most repos there are none, and nobody needs to know who includes what.
        if files.is_empty() {
            return Vec::new();
        }
        let includers = reach::includers(self.facts);
        let patches = reach::patches(self.facts);
        let off = self.switched_off();
        let mut by_top: BTreeMap<RepoPath, BTreeSet<FileId>> = BTreeMap::new();
        let mut parts = Vec::new();
        for file in files.difference(&patches) {
            let path = self.facts.repo.path(*file);
            let is_aside = is_retired(path) || is_for_trial(path);
            if off.contains(path) || aside == Aside::Skipped && is_aside {
                continue;
            }
            if !includers.contains_key(path) {
                parts.push(Part {
                    by_hand: ByHand {
                        files: BTreeSet::from([*file]),
                        ..ByHand::default()
                    },
                    directory: path.parent().unwrap_or_else(RepoPath::root),
                    files: BTreeSet::from([*file]),
                    units: HashSet::new(),
                    reached: HashSet::new(),
                });
                continue;
            }
            for top in reach::tops(path, &includers) {
                by_top.entry(top).or_default().insert(*file);
            }
        }
        parts.extend(by_top.into_iter().map(|(top, files)| Part {
            by_hand: ByHand {
                directories: BTreeSet::from([top.clone()]),
                ..ByHand::default()
            },
            directory: top,
            files,
            units: HashSet::new(),
            reached: HashSet::new(),
        }));
        parts
    }

    /// Files that entries which are commented out would bring.
    fn switched_off(&self) -> HashSet<RepoPath> {
        let mut off = HashSet::new();
        for (file, found) in self.facts.all() {
            let Some(assembly) = &found.assembly else {
                continue;
            };
            let directory = self.facts.repo.path(file).parent();
            let directory = directory.unwrap_or_else(RepoPath::root);
            let entries = assembly.disabled.iter();
            off.extend(entries.filter_map(|entry| directory.join(&entry.path)));
        }
        off
    }

    /// How many others lie where its units build.
    fn below(&self, part: &Part, all: &HashSet<FileId>) -> usize {
        let resources = part
            .files
            .iter()
            .flat_map(|file| self.builder.resources_of(*file));
        let units = resources.filter_map(source::unit);
        let mut seen = HashSet::new();
        let mut count = 0;
        for unit in units {
            count += usize::from(unit.template.is_some());
            for build in unit.builds() {
                let Some(path) = RepoPath::new(&build.path) else {
                    continue;
                };
                if seen.insert(path.clone()) {
                    let files = self.facts.repo.below(&path);
                    count += files.filter(|file| all.contains(file)).count();
                }
            }
        }
        count
    }
}

/// Parts that make up one cluster each, with the directory that it is known by.
fn gathered(parts: Vec<Part>) -> Vec<(RepoPath, ByHand)> {
    let mut groups: BTreeMap<Option<RepoPath>, Vec<Part>> = BTreeMap::new();
    for part in parts {
        let called = called_like_a_cluster(&part.directory);
        groups.entry(called).or_default().push(part);
    }
    let mut clusters = Vec::new();
    for (called, parts) in groups {
        let mut buckets: Vec<(HashSet<UnitId>, BTreeSet<RepoPath>, ByHand)> = Vec::new();
        // Where the same units stand twice, they are for two clusters.
        let mut first: HashMap<UnitId, usize> = HashMap::new();
        for part in parts {
            let taken: HashSet<usize> = part
                .units
                .iter()
                .filter_map(|it| first.get(it))
                .copied()
                .collect();
            let free = (0..buckets.len())
                .find(|at| !taken.contains(at) && buckets[*at].0.is_disjoint(&part.units));
            let at = free.unwrap_or_else(|| {
                buckets.push((HashSet::new(), BTreeSet::new(), ByHand::default()));
                buckets.len() - 1
            });
            for unit in &part.units {
                first.entry(unit.clone()).or_insert(at);
            }
            let (units, directories, by_hand) = &mut buckets[at];
            units.extend(part.units);
            directories.insert(part.directory);
            by_hand.join(&part.by_hand);
        }
        let single = buckets.len() == 1;
        for (_, directories, by_hand) in buckets {
            let common = common(&directories).unwrap_or_else(RepoPath::root);
            let root = called.clone().filter(|_| single).unwrap_or(common);
            clusters.push((root, by_hand));
        }
    }
    clusters
}

/// `clusters/a`, or the topmost directory that is called like an environment.
fn called_like_a_cluster(directory: &RepoPath) -> Option<RepoPath> {
    let below = directory
        .join("x")
        .and_then(|inside| below_clusters(&inside));
    below.or_else(|| {
        let mut found = None;
        let mut here = Some(directory.clone());
        while let Some(at) = here {
            if name::ENVIRONMENTS.contains(&at.file_name()) {
                found = Some(at.clone());
            }
            here = at.parent();
        }
        found
    })
}
