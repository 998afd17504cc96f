//! Entry points: the directories that reconcilers start from. Configured ones count alone; else
//! they are found: where bootstrapping says so, where a directory applies itself, and where units
//! stand that nothing else reaches.

mod by_hand;
mod name;
mod path;
mod plain;
mod program;
mod reach;
mod shared;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::build::{Builder, Trees};
use super::composition::{self, Cluster, Start};
use crate::facts::{Resource, Unit, UnitId};
use crate::input::config::Config;
use crate::input::repo::RepoPath;
use crate::sources::address::{address, guessed_addresses};
use crate::sources::kustomize::included;
use crate::sources::placeholder::Templates;
use crate::sources::{self, Facts, Program, ReadContext};
use base::hash::HashSet;
use base::index::IndexVec;
use base::{FileId, Finding, index_type};
pub use name::ENVIRONMENTS;
use path::{
    below_clusters, common, is_alike, is_for_trial, is_for_trial_name, is_in_base,
    is_one_of_clusters, is_retired,
};

index_type! {
    /// Position of a cluster among those of a repo.
    pub struct ClusterIx;
}

pub type Clusters = IndexVec<ClusterIx, Cluster>;

/// All clusters of a repo, composed.
pub fn clusters(facts: &Facts<'_>, config: &Config, trees: Trees) -> (Clusters, Vec<Finding>) {
    let (builder, mut stated) = rayon::join(|| Builder::new(facts), || stated(facts));
    let builder = builder.with_trees(trees);
    let own = own_addresses(builder.context(), config, &stated);
    let builder = builder.with_own(own.clone());
    let programs = sources::programs(builder.context());
    for start in programs.iter().flat_map(|program| &program.starts) {
        // The program may fetch another repo, in which case this directory contains no manifests.
        let root = facts.repo.resolve_dir(start);
        let has_some = |root: &RepoPath| facts.repo.below(root).any(|id| facts.is_manifest(id));
        if let Some(root) = root.filter(has_some) {
            stated.entry(root).or_default();
        }
    }
    let templates = Templates::find(facts);
    stated.retain(|root, _| !templates.is_below(root));
    let (mut clusters, mut findings) = if config.clusters.is_empty() {
        let search = EntrySearch::new(facts, &builder, &own, &templates);
        let mut found = found(search, &stated, &programs);
        found.retain(|cluster| !templates.is_below(&cluster.root));
        (found, Vec::new())
    } else {
        configured(&builder, config, &own)
    };
    findings.extend(program::add(&mut clusters, programs, &builder, &own));
    for cluster in &mut clusters {
        cluster.render_charts(&builder);
    }
    composition::name_environments(&mut clusters);
    (clusters.into(), findings)
}

/// Detected clusters, if none are configured.
fn found(
    mut search: EntrySearch<'_>,
    stated: &BTreeMap<RepoPath, Option<String>>,
    programs: &[Program],
) -> Vec<Cluster> {
    let roots: Vec<&RepoPath> = stated.keys().collect();
    let composed: Vec<Cluster> = roots.par_iter().map(|root| search.compose(root)).collect();
    for cluster in composed {
        search.add_composed(cluster);
    }
    let taken = program::files(programs);
    taken.into_iter().for_each(|file| search.reach(file));
    let certain = search.found.len();
    search.add_self_applied();
    search.add_remaining(Aside::Skipped);
    search.drop_applied(certain);
    search.join_shared(certain);
    search.add_by_hand(Aside::Skipped);
    if certain == 0 && !search.found.iter().any(Cluster::builds_something) {
        search.prefer_releases();
    }
    if search.found.is_empty() {
        search.add_remaining(Aside::Taken);
    }
    if search.found.is_empty() {
        search.add_by_hand(Aside::Taken);
    }
    if search.found.is_empty() {
        search.add_without_units();
    }
    let mut clusters = std::mem::take(&mut search.found);
    name::assign(&mut clusters, &search.nameless);
    plain::add(&search, &mut clusters);
    clusters
}

fn configured(
    builder: &Builder<'_>,
    config: &Config,
    own: &BTreeSet<String>,
) -> (Vec<Cluster>, Vec<Finding>) {
    let mut findings = Vec::new();
    let clusters = config.clusters.iter().filter_map(|cluster| {
        let root = RepoPath::new(&cluster.root).and_then(|root| builder.repo().resolve_dir(&root));
        if root.is_none() {
            let message = format!(
                "the root `{}` of cluster `{}` does not exist",
                cluster.root, cluster.name
            );
            let finding = Finding::error("cluster-missing", cluster.place, message).help(
                "set `root` to the directory that the cluster is bootstrapped from, such as \
                   `clusters/prod`",
            );
            findings.push(builder.repo().place_in_config(config, finding));
        }
        let start = Start::Directory;
        Some(composition::compose(
            builder,
            &cluster.name,
            &root?,
            &start,
            own,
        ))
    });
    (clusters.collect(), findings)
}

/// Known addresses of this repo.
fn own_addresses(
    context: &ReadContext<'_>,
    config: &Config,
    stated: &BTreeMap<RepoPath, Option<String>>,
) -> BTreeSet<String> {
    let git = context.facts.repo.git();
    let remote = git.and_then(|git| git.remote.as_deref());
    let configured = config.repository.as_deref();
    let synced = stated.values().flatten().map(String::as_str);
    let known = [remote, configured].into_iter().flatten();
    let mut own: BTreeSet<String> = known.chain(synced).map(address).collect();
    own.extend(guessed_addresses(context, &own));
    own
}

/// Entry points that files state, with the address that they are fetched from.
fn stated(facts: &Facts<'_>) -> BTreeMap<RepoPath, Option<String>> {
    let mut roots: BTreeMap<RepoPath, Option<String>> = BTreeMap::new();
    for (file, found) in facts.all() {
        let path = facts.repo.path(file);
        let Some(entry) = sources::entry_point(path, found) else {
            continue;
        };
        let is_artifact = entry
            .url
            .as_ref()
            .is_some_and(|url| url.starts_with("oci://"));
        let published = || published_around(facts, path);
        let directory = if is_artifact && entry.path == RepoPath::root() {
            published().or_else(|| facts.repo.resolve_dir(&entry.path))
        } else {
            facts.repo.resolve_dir(&entry.path)
        };
        if let Some(root) = directory.or_else(|| above(facts, path, &entry.path)) {
            let url = roots.entry(root).or_default();
            *url = url.take().or(entry.url.map(String::from));
        }
    }
    roots
}

/// The directory that an artifact is made of, if what fetches its root lies in it: that of a cluster, else the topmost
/// that includes the file.
fn published_around(facts: &Facts<'_>, file: &RepoPath) -> Option<RepoPath> {
    below_clusters(file).or_else(|| {
        let includers = reach::includers(facts);
        let mut tops = reach::tops(file, &includers).into_iter();
        let top = tops.next().filter(|top| *top != RepoPath::root())?;
        (includers.contains_key(file) && tops.next().is_none()).then_some(top)
    })
}

/// Resolves a path against the directories above the file, because a source may be a part of this repo.
fn above(facts: &Facts<'_>, file: &RepoPath, path: &RepoPath) -> Option<RepoPath> {
    let mut directory = file.parent();
    while let Some(here) = directory {
        let root = here.join(path.as_str());
        if let Some(root) = root.and_then(|root| facts.repo.resolve_dir(&root)) {
            return Some(root);
        }
        directory = here.parent();
    }
    None
}

/// The unit that an object declares. Units that may be applied by hand are skipped: their directory tells nothing.
fn declared(resource: &Resource) -> Option<Unit> {
    sources::unit(resource).filter(|unit| !unit.may_be_applied_by_hand())
}

/// The directories above a path, the nearest first.
fn ancestors(path: &RepoPath) -> impl Iterator<Item = RepoPath> {
    std::iter::successors(path.parent(), RepoPath::parent)
}

struct EntrySearch<'a> {
    facts: &'a Facts<'a>,
    builder: &'a Builder<'a>,
    own: &'a BTreeSet<String>,
    found: Vec<Cluster>,
    /// Whether a cluster applies it, file by file.
    reached: Vec<bool>,
    /// Roots that are no names for a cluster.
    nameless: BTreeSet<RepoPath>,
}

/// How to treat directories whose names say that they are not in use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aside {
    Skipped,
    Taken,
}

/// So many directories without any unit may be entry points each; more are one.
const MAX_GUESSED: usize = 8;

impl<'a> EntrySearch<'a> {
    /// A search that skips templates.
    fn new(
        facts: &'a Facts<'a>,
        builder: &'a Builder<'a>,
        own: &'a BTreeSet<String>,
        templates: &Templates,
    ) -> EntrySearch<'a> {
        let files = facts.repo.files();
        EntrySearch {
            facts,
            builder,
            own,
            found: Vec::new(),
            reached: files
                .map(|file| templates.contains(facts.repo, file))
                .collect(),
            nameless: BTreeSet::new(),
        }
    }

    fn add(&mut self, root: &RepoPath) {
        if !self.has(root) {
            self.add_composed(self.compose(root));
        }
    }

    fn has(&self, root: &RepoPath) -> bool {
        self.found.iter().any(|cluster| cluster.root == *root)
    }

    fn compose(&self, root: &RepoPath) -> Cluster {
        composition::compose(
            self.builder,
            root.as_str(),
            root,
            &Start::Directory,
            self.own,
        )
    }

    fn add_composed(&mut self, cluster: Cluster) {
        if cluster.units.is_empty() && cluster.loose.objects.is_empty() {
            return;
        }
        cluster.files().for_each(|file| self.reach(file));
        self.found.push(cluster);
    }

    fn reach(&mut self, file: FileId) {
        if let Some(reached) = self.reached.get_mut(file.0 as usize) {
            *reached = true;
        }
    }

    /// Adds directories with a unit that builds this very directory: the result of a bootstrap, regardless of file
    /// names. An Application may do so by mistake, so a directory that units from elsewhere build is no entry point.
    /// The root of the repo does not count, because the same path means the root of any other source.
    fn add_self_applied(&mut self) {
        let facts = self.facts;
        let files: Vec<FileId> = facts.repo.files().collect();
        let each = files.par_iter().flat_map_iter(|file| {
            let found = facts.known(*file).into_iter();
            let units = found.flat_map(|found| found.resources.iter().filter_map(declared));
            let builds = units.filter_map(|unit| RepoPath::new(&unit.build?.path));
            let here = builds.filter_map(|path| facts.repo.resolve_dir(&path));
            here.map(move |directory| (directory, *file))
        });
        let mut each: Vec<(RepoPath, FileId)> = each.collect();
        each.retain(|(directory, _)| *directory != RepoPath::root());
        let built = self.built();
        // In most repos clusters build everything that units name.
        if each.iter().all(|(directory, _)| built.contains(directory)) {
            return;
        }
        let mut declaring: BTreeMap<RepoPath, BTreeSet<FileId>> = BTreeMap::new();
        for (directory, file) in each {
            declaring.entry(directory).or_default().insert(file);
        }
        let mut candidates: Vec<Cluster> = Vec::new();
        for (directory, files) in &declaring {
            if self.has(directory) || built.contains(directory) {
                continue;
            }
            let reach = included(self.facts, directory);
            let from_above = ancestors(directory).any(|above| {
                let files = declaring.get(&above).into_iter().flatten();
                files.into_iter().any(|file| !reach.contains(file))
            });
            if !from_above && !files.is_disjoint(&reach) {
                candidates.push(self.compose(directory));
            }
        }
        candidates.retain(|cluster| cluster.is_self_applied());
        candidates.sort_by(|a, b| {
            let more = b.units.len().cmp(&a.units.len());
            more.then_with(|| a.root.cmp(&b.root))
        });
        for cluster in candidates {
            if !self.found.iter().any(|other| other.builds(&cluster.root)) {
                self.add_composed(cluster);
            }
        }
    }

    fn is_reached(&self, file: FileId) -> bool {
        self.reached.get(file.0 as usize) == Some(&true)
    }

    /// The directories that clusters build, other than their roots.
    fn built(&self) -> HashSet<RepoPath> {
        let clusters = self.found.iter();
        let most = clusters.clone().map(|cluster| cluster.units.len()).sum();
        let mut built = HashSet::with_capacity_and_hasher(most, Default::default());
        built.extend(clusters.flat_map(Cluster::built).cloned());
        built
    }

    /// Adds the topmost directories of units that no cluster reached. Units in a directory that a cluster already
    /// applies are disabled instead.
    fn add_remaining(&mut self, aside: Aside) {
        let tops = self.remaining_tops();
        let mut candidates: Vec<(usize, RepoPath, Vec<Unit>)> = tops
            .into_iter()
            .map(|(top, units)| (self.weight(&units), top, units))
            .collect();
        candidates.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        for (_, top, units) in candidates {
            if self.is_entry_point(&top, &units, aside) {
                self.add(&top);
            }
        }
    }

    /// Directories from which units that are not reached yet are included, with those units.
    fn remaining_tops(&self) -> BTreeMap<RepoPath, Vec<Unit>> {
        let unreached = self.facts.all().filter(|(file, _)| !self.is_reached(*file));
        let mut units = unreached
            .flat_map(|(file, found)| {
                let units = found.resources.iter().filter_map(declared);
                units.map(move |unit| (file, unit))
            })
            .filter(|(_, unit)| unit.build.is_some())
            .peekable();
        let mut tops: BTreeMap<RepoPath, Vec<Unit>> = BTreeMap::new();
        // In most repos everything is reached, which saves the search for includers.
        if units.peek().is_none() {
            return tops;
        }
        let includers = reach::includers(self.facts);
        let patches = reach::patches(self.facts);
        for (file, unit) in units.filter(|(file, _)| !patches.contains(file)) {
            for top in reach::tops(self.facts.repo.path(file), &includers) {
                tops.entry(top).or_default().push(unit.clone());
            }
        }
        self.gathered(tops)
    }

    /// `clusters/a/infra` and `clusters/a/apps` are parts of `clusters/a`, unless both have units
    /// of the same names: then they are clusters of their own.
    fn gathered(&self, tops: BTreeMap<RepoPath, Vec<Unit>>) -> BTreeMap<RepoPath, Vec<Unit>> {
        let mut parts: BTreeMap<RepoPath, Vec<RepoPath>> = BTreeMap::new();
        for top in tops.keys() {
            if let Some(whole) = below_clusters(top)
                && self.facts.repo.is_dir(&whole)
                && self.facts.assembly_file(&whole).is_none()
            {
                parts.entry(whole).or_default().push(top.clone());
            }
        }
        let mut gathered = tops;
        for (whole, parts) in parts {
            let units: Vec<Unit> = parts
                .iter()
                .flat_map(|part| gathered[part].clone())
                .collect();
            let names: BTreeSet<&UnitId> = units.iter().map(|unit| &unit.id).collect();
            if parts.len() > 1 && names.len() == units.len() {
                gathered.retain(|top, _| !parts.contains(top));
                gathered.insert(whole, units);
            }
        }
        gathered
    }

    /// Weight of a top directory: the number of units in it and below the paths that they build.
    fn weight(&self, units: &[Unit]) -> usize {
        let below = units
            .iter()
            .filter_map(|unit| RepoPath::new(&unit.build.as_ref()?.path));
        let more: usize = below
            .map(|path| {
                let files = self.facts.repo.below(&path);
                files
                    .filter(|file| self.facts.is_manifest(*file))
                    .flat_map(|file| &self.facts.file(file).resources)
                    .filter(|resource| sources::unit(resource).is_some())
                    .count()
            })
            .sum();
        units.len() + more
    }

    fn is_entry_point(&self, top: &RepoPath, units: &[Unit], aside: Aside) -> bool {
        let applied = |cluster: &Cluster| {
            let directories = cluster
                .units
                .iter()
                .filter_map(|unit| unit.directory.as_ref());
            directories
                .chain([&cluster.root])
                .any(|directory| top == directory || top.is_below(directory))
        };
        if self.found.iter().any(applied) {
            return false;
        }
        let alike = self
            .found
            .iter()
            .any(|cluster| is_alike(&cluster.root, top));
        let skipped = aside == Aside::Skipped && (is_retired(top) || (is_for_trial(top) && !alike));
        !skipped
            && (self.found.is_empty()
                || alike
                || self.are_awaited(units)
                || self.creates_units(top))
    }

    /// Whether building a directory leads to units that no cluster has and that lead to more units.
    fn creates_units(&self, top: &RepoPath) -> bool {
        let cluster = self.compose(top);
        let created = cluster.units.iter().filter(|unit| unit.owner.is_some());
        let mut files = created.map(|unit| unit.unit.place.file);
        files.any(|file| !self.is_reached(file))
    }

    /// Drops clusters whose root another cluster builds, unless a file states them as entry points.
    fn drop_applied(&mut self, certain: usize) {
        let mut order: Vec<usize> = (certain..self.found.len()).collect();
        order.sort_by_key(|index| self.found[*index].units.len());
        let mut kept = vec![true; self.found.len()];
        for index in order {
            let root = &self.found[index].root;
            let others = self.found.iter().zip(&kept).enumerate();
            kept[index] = !others
                .filter(|(other, (_, kept))| *other != index && **kept)
                .any(|(_, (cluster, _))| cluster.builds(root));
        }
        let mut kept = kept.into_iter();
        self.found.retain(|_| kept.next().unwrap_or(true));
    }

    /// Looks for releases instead if all units fetch from elsewhere. Such units do not tell how this repo is applied.
    fn prefer_releases(&mut self) {
        let guessed = std::mem::take(&mut self.found);
        self.add_without_units();
        if self.found.is_empty() {
            self.found = guessed;
        }
    }

    /// A repo whose units are declared elsewhere: the topmost directories with releases in them.
    fn add_without_units(&mut self) {
        let includers = reach::includers(self.facts);
        let patches = reach::patches(self.facts);
        let mut tops: BTreeSet<RepoPath> = BTreeSet::new();
        for (file, found) in self.facts.all() {
            let releases = found.resources.iter().filter_map(declared);
            if releases.count() > 0 && !patches.contains(&file) {
                let above = reach::tops(self.facts.repo.path(file), &includers);
                let is_applied =
                    |top: &RepoPath| !is_retired(top) && !is_in_base(self.facts.repo, top);
                tops.extend(above.into_iter().filter(is_applied));
            }
        }
        // Beside directories of clusters, others are what no cluster includes.
        let is_fleet = tops.iter().any(is_one_of_clusters);
        if is_fleet {
            tops.retain(is_one_of_clusters);
        }
        match common(&tops).filter(|_| !is_fleet && tops.len() > MAX_GUESSED) {
            Some(root) => {
                let start = Start::Directories(&tops);
                let (builder, name) = (self.builder, root.as_str());
                let whole = composition::compose(builder, name, &root, &start, self.own);
                self.add_composed(whole);
            }
            None => tops.iter().for_each(|top| self.add(top)),
        }
    }
}
