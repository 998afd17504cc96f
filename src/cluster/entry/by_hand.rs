//! Units that somebody applies by hand: no file states the entry point of their reconciler. Units that others create
//! are not among them. The rest form one cluster, or one per directory with a cluster's name.

mod gathered;
mod left_out;

use std::collections::{BTreeMap, BTreeSet};

use self::gathered::{gathered, told_by_files};
use super::super::composition::{self, ByHand, Cluster, InstalledChart, Start};
use super::{
    Aside, EntrySearch, below_clusters, common, is_for_trial_name, is_in_base, is_retired, name,
    reach,
};
use crate::facts::UnitId;
use crate::input::repo::RepoPath;
use crate::sources::{self, Expanded, InstallEnvironment};
use base::hash::{HashMap, HashSet};
use base::{FileId, Place};
use smol_str::SmolStr;

/// Units that are applied in one go, with their directory and the files that they reach.
struct ManualUnits {
    by_hand: ByHand,
    directory: RepoPath,
    /// The environments that it is applied for, if it must be told.
    environments: Vec<InstallEnvironment>,
    /// The files that declare its units.
    files: BTreeSet<FileId>,
    units: HashSet<UnitId>,
    /// The units by name and the place that declares them, in whatever namespace.
    declared: HashSet<(SmolStr, Place)>,
    reached: HashSet<FileId>,
}

impl ManualUnits {
    /// What is applied, once for each environment.
    fn starts(&self) -> Vec<ByHand> {
        if self.environments.is_empty() {
            return vec![self.by_hand.clone()];
        }
        let each = self.environments.iter();
        each.map(|environment| self.by_hand.for_environment(environment))
            .collect()
    }
}

impl EntrySearch<'_> {
    /// Adds units that are applied by hand to the clusters that they belong to, or as clusters of their own.
    pub(super) fn add_by_hand(&mut self, aside: Aside) {
        let (parts, told): (Vec<ManualUnits>, Vec<ManualUnits>) = self
            .parts(aside)
            .into_iter()
            .partition(|part| part.environments.is_empty());
        let gathered = gathered(parts);
        let is_alone = gathered.len() == 1;
        self.add_environments(&told);
        let before = self.found.len();
        let repo = self.facts.repo;
        let told_by_file = |root: &RepoPath, by_hand: &ByHand| {
            let same = gathered.iter().filter(|(other, _)| other == root);
            let same: Vec<&ByHand> = same.map(|(_, by_hand)| by_hand).collect();
            let at = same.iter().position(|other| *other == by_hand)?;
            told_by_files(repo, &same).swap_remove(at)
        };
        let names: Vec<Option<SmolStr>> = gathered
            .iter()
            .map(|(root, by_hand)| told_by_file(root, by_hand))
            .collect();
        for ((root, by_hand), name) in gathered.into_iter().zip(names) {
            let only = (is_alone && before == 1).then_some(0);
            let only = only.filter(|at| self.reconciles_alike(*at, &root, &by_hand));
            match self.home_of(&root, before).or(only) {
                Some(at) => {
                    let root = self.found[at].root.clone();
                    let joined = self.compose_by_hand(&root, &Start::Both(&by_hand));
                    self.found[at] = joined;
                }
                None => {
                    if called_like_a_cluster(&root).is_none() {
                        self.nameless.insert(root.clone());
                    }
                    let mut cluster = self.compose_by_hand(&root, &Start::ByHand(&by_hand));
                    cluster.stated = name.or(cluster.stated);
                    self.add_composed(cluster);
                }
            }
        }
    }

    /// Adds a cluster for each environment that parts are applied for.
    fn add_environments(&mut self, parts: &[ManualUnits]) {
        let mut all: BTreeMap<&SmolStr, (BTreeSet<RepoPath>, ByHand)> = BTreeMap::new();
        for part in parts {
            for environment in &part.environments {
                let (directories, by_hand) = all.entry(&environment.name).or_default();
                directories.insert(part.directory.clone());
                by_hand.join(&part.by_hand.for_environment(environment));
            }
        }
        for (name, (directories, by_hand)) in all {
            let root = common(&directories).unwrap_or_else(RepoPath::root);
            let mut cluster = self.compose_by_hand(&root, &Start::ByHand(&by_hand));
            cluster.stated = Some(name.clone());
            self.add_composed(cluster);
        }
    }

    /// Whether a cluster has units of the same kinds as parts that are applied by hand. Units of another reconciler, in
    /// another directory, need not be in the same cluster.
    fn reconciles_alike(&self, at: usize, root: &RepoPath, by_hand: &ByHand) -> bool {
        let other = self.compose_by_hand(root, &Start::ByHand(by_hand));
        let kinds: BTreeSet<&str> = other
            .units
            .iter()
            .map(|it| it.unit.id.kind.as_str())
            .collect();
        let mut units = self.found[at].units.iter();
        units.any(|unit| kinds.contains(unit.unit.id.kind.as_str()))
    }

    fn compose_by_hand(&self, root: &RepoPath, start: &Start<'_>) -> Cluster {
        composition::compose(self.builder, root.as_str(), root, start, self.own)
    }

    /// The cluster, among the first `before`, whose entry point contains a directory.
    fn home_of(&self, root: &RepoPath, before: usize) -> Option<usize> {
        let lies = |cluster: &Cluster| {
            let other = &cluster.root;
            root == other || root.is_below(other) && !other.as_str().is_empty()
        };
        self.found[..before].iter().position(lies)
    }

    /// Top-level parts: everything that can be applied by hand and that nothing else creates.
    fn parts(&self, aside: Aside) -> Vec<ManualUnits> {
        let candidates = self.candidates(aside);
        let all: HashSet<FileId> = candidates
            .iter()
            .flat_map(|it| &it.files)
            .copied()
            .collect();
        let mut order: Vec<(usize, ManualUnits)> = self
            .without_left_out(candidates)
            .into_iter()
            .map(|part| (self.below(&part, &all), part))
            .collect();
        // Parts that reach many files come first, so that these files need no separate look.
        order.sort_by(|a, b| {
            b.0.cmp(&a.0)
                .then_with(|| a.1.directory.cmp(&b.1.directory))
        });
        let mut parts: Vec<ManualUnits> = Vec::new();
        let mut reached: HashSet<FileId> = HashSet::default();
        for (_, mut part) in order {
            if part.files.iter().any(|file| reached.contains(file)) {
                continue;
            }
            for by_hand in part.starts() {
                let cluster = self.compose_by_hand(&part.directory, &Start::ByHand(&by_hand));
                let created = cluster
                    .units
                    .iter()
                    .filter_map(|unit| unit.applied.as_ref());
                let files = created.flat_map(|applied| applied.files.iter().copied());
                // Manifests beside the `Chart.yaml` of a chart are no templates of it.
                part.reached
                    .extend(files.filter(|file| !self.is_beside_chart(*file)));
                let units = cluster.units.iter().map(|it| it.unit.id.clone());
                part.units.extend(units);
                let units = cluster.units.iter().map(|it| &it.unit);
                part.declared
                    .extend(units.map(|unit| (unit.id.name.clone(), unit.place)));
            }
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

    /// Whether a file declares units, and lies beside the `Chart.yaml` of a chart.
    fn is_beside_chart(&self, file: FileId) -> bool {
        let repo = self.facts.repo;
        let resources = self.facts.known(file).map(|facts| &facts.resources);
        let mut units = resources.into_iter().flatten().filter_map(sources::unit);
        let directory = units.next().and_then(|_| repo.path(file).parent());
        directory.is_some_and(|directory| repo.file_in(&directory, "Chart.yaml").is_some())
    }

    /// Files with such units that no cluster has yet, by what includes them.
    fn candidates(&self, aside: Aside) -> Vec<ManualUnits> {
        let mut files: BTreeSet<FileId> = BTreeSet::new();
        for (file, found) in self.facts.all().filter(|(file, _)| !self.is_reached(*file)) {
            let mut units = found.resources.iter().filter_map(sources::unit);
            if units.any(|unit| unit.may_be_applied_by_hand()) || self.inflates_units(file) {
                files.insert(file);
            }
        }
        // Most repos have none, which saves the search for includers.
        if files.is_empty() && !self.found.is_empty() {
            return Vec::new();
        }
        let includers = reach::includers(self.facts);
        let patches = reach::patches(self.facts);
        let off = self.switched_off();
        let mut by_top: BTreeMap<RepoPath, BTreeSet<FileId>> = BTreeMap::new();
        let mut parts = self.charts(aside);
        for file in files.difference(&patches) {
            let path = self.facts.repo.path(*file);
            if off.contains(path) || aside == Aside::Skipped && is_aside(path) {
                continue;
            }
            let is_assembly = self.facts.file(*file).assembly.is_some();
            if !is_assembly && !includers.contains_key(path) {
                if aside == Aside::Skipped && is_in_base(self.facts.repo, path) {
                    continue;
                }
                parts.push(ManualUnits {
                    by_hand: ByHand {
                        files: BTreeSet::from([*file]),
                        ..ByHand::default()
                    },
                    directory: path.parent().unwrap_or_else(RepoPath::root),
                    environments: Vec::new(),
                    files: BTreeSet::from([*file]),
                    units: HashSet::default(),
                    declared: HashSet::default(),
                    reached: HashSet::default(),
                });
                continue;
            }
            for top in reach::tops(path, &includers) {
                if aside == Aside::Taken || !is_in_base(self.facts.repo, &top) {
                    by_top.entry(top).or_default().insert(*file);
                }
            }
        }
        parts.extend(by_top.into_iter().map(|(top, files)| ManualUnits {
            by_hand: ByHand {
                directories: BTreeSet::from([top.clone()]),
                ..ByHand::default()
            },
            directory: top,
            environments: Vec::new(),
            files,
            units: HashSet::default(),
            declared: HashSet::default(),
            reached: HashSet::default(),
        }));
        parts
    }

    /// Whether a kustomization has charts rendered that make units.
    fn inflates_units(&self, file: FileId) -> bool {
        let Some(assembly) = &self.facts.file(file).assembly else {
            return false;
        };
        let directory = self.facts.repo.path(file).parent();
        let directory = directory.unwrap_or_else(RepoPath::root);
        assembly.charts.iter().any(|chart| {
            let made = sources::inflate(chart, &directory, self.builder.context());
            let made = made.map(|made| made.resources).unwrap_or_default();
            let mut units = made.iter().filter_map(sources::unit);
            units.any(|unit| unit.may_be_applied_by_hand())
        })
    }

    /// Charts that create units when they are installed.
    fn charts(&self, aside: Aside) -> Vec<ManualUnits> {
        let repo = self.facts.repo;
        let charts = repo.files().filter_map(|file| {
            let path = repo.path(file);
            let directory = path.parent().filter(|_| path.file_name() == "Chart.yaml")?;
            let is_skipped = aside == Aside::Skipped && is_aside(&directory);
            let is_wanted = !self.is_reached(file) && !is_skipped;
            let made =
                is_wanted.then(|| sources::install(&directory, None, self.builder.context()))??;
            Some((file, directory, made))
        });
        let charts: Vec<(FileId, RepoPath, Expanded)> = charts.collect();
        let used: HashMap<FileId, &BTreeSet<FileId>> = charts
            .iter()
            .map(|(file, _, made)| (*file, &made.files))
            .collect();
        let mut users: HashMap<FileId, Vec<FileId>> = HashMap::default();
        for (user, files) in &used {
            for file in files.iter().filter(|file| *file != user) {
                users.entry(*file).or_default().push(*user);
            }
        }
        // A chart in another comes with that one, unless each is in the other.
        let is_in_another = |file: &FileId| {
            let users = users.get(file).map(Vec::as_slice).unwrap_or_default();
            users.iter().any(|user| !used[file].contains(user))
        };
        let context = self.builder.context();
        let alone = charts.iter().filter(|(file, directory, made)| {
            let mut units = made.resources.iter().filter_map(sources::unit);
            // Its defaults may make none.
            let mut makes_any =
                || units.next().is_some() || !sources::environments(directory, context).is_empty();
            !is_in_another(file) && makes_any()
        });
        let parts = alone.map(|(_, directory, made)| ManualUnits {
            by_hand: ByHand {
                charts: BTreeSet::from([InstalledChart {
                    directory: directory.clone(),
                    environment: None,
                }]),
                ..ByHand::default()
            },
            directory: directory.clone(),
            environments: sources::environments(directory, context),
            // Files shared with other charts are not its own.
            files: made
                .files
                .iter()
                .filter(|file| repo.path(**file).is_below(directory))
                .copied()
                .collect(),
            units: HashSet::default(),
            declared: HashSet::default(),
            reached: HashSet::default(),
        });
        parts.collect()
    }

    /// Files that commented-out entries would include.
    fn switched_off(&self) -> HashSet<RepoPath> {
        let mut off = HashSet::default();
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
    fn below(&self, part: &ManualUnits, all: &HashSet<FileId>) -> usize {
        // Templates are not YAML, so a chart may reach any file.
        if !part.by_hand.charts.is_empty() {
            return all.len();
        }
        let resources = part
            .files
            .iter()
            .flat_map(|file| self.builder.resources_of(*file));
        let units = resources.filter_map(sources::unit);
        let mut seen = HashSet::default();
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

/// `clusters/a`, or the topmost directory that is called like an environment, or `overlays/a`.
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
        found.or_else(|| overlay(directory))
    })
}

/// `overlays/a` for what is in it.
fn overlay(directory: &RepoPath) -> Option<RepoPath> {
    let mut around = std::iter::successors(Some(directory.clone()), RepoPath::parent);
    around.find(|it| {
        it.parent()
            .is_some_and(|above| above.file_name() == "overlays")
    })
}

/// Whether a directory's name says that it is not in use. `test` does not count, because clusters are called that.
fn is_aside(path: &RepoPath) -> bool {
    let mut parts = path.as_str().split('/');
    is_retired(path) || parts.any(|part| part != "test" && is_for_trial_name(part))
}
