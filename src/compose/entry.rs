//! Entry points: the directories that reconcilers start from. Configured ones count alone; else
//! they are found from what bootstrapping leaves behind, and from units that nothing else reaches.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::build::Builder;
use super::cluster::{self, Cluster, address};
use crate::config::Config;
use crate::diagnostic::{FileId, Finding, Place};
use crate::fact::Unit;
use crate::repo::RepoPath;
use crate::source::{self, Facts};

/// All clusters of a repo, composed.
pub fn clusters(facts: &Facts<'_>, config: &Config) -> (Vec<Cluster>, Vec<Finding>) {
    let builder = Builder::new(facts);
    let own = own_addresses(facts, config);
    if !config.clusters.is_empty() {
        return configured(&builder, config, &own);
    }
    let mut search = Search {
        facts,
        builder: &builder,
        own: &own,
        found: Vec::new(),
        reached: vec![false; facts.repo.files().len()],
    };
    let roots = bootstrapped(facts);
    let composed: Vec<Cluster> = roots.par_iter().map(|root| search.compose(root)).collect();
    for cluster in composed {
        search.add(cluster);
    }
    search.add_remaining();
    let mut clusters = search.found;
    clusters.sort_by(|a, b| a.root.cmp(&b.root));
    let roots: Vec<&RepoPath> = clusters.iter().map(|cluster| &cluster.root).collect();
    let names = names(&roots);
    for (cluster, name) in clusters.iter_mut().zip(names) {
        cluster.name = name;
    }
    (clusters, Vec::new())
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
            findings.push(
                Finding::error(
                    "cluster-missing",
                    Place::start_of(FileId::NONE),
                    format!(
                        "catalog.toml:{}: the root `{}` of cluster `{}` does not exist",
                        cluster.line, cluster.root, cluster.name
                    ),
                )
                .help("name the directory that the cluster's reconciler starts from"),
            );
        }
        Some(cluster::compose(builder, &cluster.name, &root?, own))
    });
    (clusters.collect(), findings)
}

/// Where this repo lives, as far as anybody says.
fn own_addresses(facts: &Facts<'_>, config: &Config) -> BTreeSet<String> {
    let remote = facts.repo.git().and_then(|git| git.remote.as_deref());
    let configured = config.repository.as_deref();
    [remote, configured]
        .into_iter()
        .flatten()
        .map(address)
        .collect()
}

/// Roots that files state, topmost first.
fn bootstrapped(facts: &Facts<'_>) -> Vec<RepoPath> {
    let stated = facts
        .all()
        .filter_map(|(file, found)| source::entry_point(facts.repo.path(file), found));
    let roots: BTreeSet<RepoPath> = stated
        .filter_map(|root| facts.repo.resolve_dir(&root))
        .collect();
    let mut roots: Vec<RepoPath> = roots.into_iter().collect();
    roots.sort_by_key(|root| (root.as_str().matches('/').count(), root.clone()));
    roots
}

struct Search<'a> {
    facts: &'a Facts<'a>,
    builder: &'a Builder<'a>,
    own: &'a BTreeSet<String>,
    found: Vec<Cluster>,
    /// Whether a cluster applies it, file by file.
    reached: Vec<bool>,
}

impl Search<'_> {
    fn compose(&self, root: &RepoPath) -> Cluster {
        cluster::compose(self.builder, root.as_str(), root, self.own)
    }

    fn add(&mut self, cluster: Cluster) {
        if cluster.units.is_empty() && cluster.loose.objects.is_empty() {
            return;
        }
        for file in cluster.files() {
            if let Some(reached) = self.reached.get_mut(file.0 as usize) {
                *reached = true;
            }
        }
        self.found.push(cluster);
    }

    /// Units that no cluster reached: their topmost directories are entry points, unless they lie
    /// where a cluster already applies things, which makes them units that somebody switched off.
    fn add_remaining(&mut self) {
        let tops = self.remaining_tops();
        let mut candidates: Vec<(usize, RepoPath)> = tops
            .into_iter()
            .map(|(top, units)| (self.weight(&top, &units), top))
            .collect();
        candidates.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        for (_, top) in candidates {
            if self.is_entry_point(&top) {
                self.add(self.compose(&top));
            }
        }
    }

    /// Directories from which units that are not reached yet are included, with those units.
    fn remaining_tops(&self) -> BTreeMap<RepoPath, Vec<Unit>> {
        let unreached = self
            .facts
            .all()
            .filter(|(file, _)| !self.reached[file.0 as usize]);
        let mut units = unreached
            .flat_map(|(file, found)| {
                let units = found.resources.iter().filter_map(source::unit);
                units.map(move |unit| (file, unit))
            })
            .filter(|(_, unit)| unit.build.is_some())
            .peekable();
        let mut tops: BTreeMap<RepoPath, Vec<Unit>> = BTreeMap::new();
        // In most repos all is reached, and nobody needs to know who includes what.
        if units.peek().is_none() {
            return tops;
        }
        let includers = includers(self.facts);
        for (file, unit) in units {
            for top in top_directories(self.facts.repo.path(file), &includers) {
                tops.entry(top).or_default().push(unit.clone());
            }
        }
        tops
    }

    /// How much a top stands for: the units in it, and those below the paths that they build.
    fn weight(&self, _top: &RepoPath, units: &[Unit]) -> usize {
        let below = units
            .iter()
            .filter_map(|unit| RepoPath::new(&unit.build.as_ref()?.path));
        let more: usize = below
            .map(|path| {
                let files = self.facts.repo.below(&path);
                files
                    .flat_map(|file| &self.facts.of(file).resources)
                    .filter(|resource| source::unit(resource).is_some())
                    .count()
            })
            .sum();
        units.len() + more
    }

    fn is_entry_point(&self, top: &RepoPath) -> bool {
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
        let aside = top.as_str().split('/').any(|part| {
            matches!(
                part,
                "templates"
                    | "template"
                    | "tests"
                    | "test"
                    | "examples"
                    | "testdata"
                    | ".github"
                    | "archive"
                    | "archived"
                    | "disabled"
                    | "deprecated"
                    | "_archive"
            )
        });
        let first = self.found.is_empty();
        let sibling = self
            .found
            .iter()
            .any(|cluster| cluster.root.parent() == top.parent());
        !aside && (first || sibling || self.creates_units(top))
    }

    /// Whether building a directory leads to units that lead to more units.
    fn creates_units(&self, top: &RepoPath) -> bool {
        let cluster = self.compose(top);
        cluster.units.iter().any(|unit| unit.owner.is_some())
    }
}

/// For every file and directory, the directories whose kustomization includes it.
fn includers(facts: &Facts<'_>) -> HashMap<RepoPath, Vec<RepoPath>> {
    let mut includers: HashMap<RepoPath, Vec<RepoPath>> = HashMap::new();
    for (file, found) in facts.all() {
        let (Some(assembly), Some(directory)) = (&found.assembly, facts.repo.path(file).parent())
        else {
            continue;
        };
        for listed in assembly.resources.iter().chain(&assembly.components) {
            let Some(target) = directory.join(&listed.path) else {
                continue;
            };
            let target = facts.repo.resolve_dir(&target).unwrap_or(target);
            includers.entry(target).or_default().push(directory.clone());
        }
    }
    includers
}

/// The directories from which a file is included, and which nothing includes in turn.
fn top_directories(
    file: &RepoPath,
    includers: &HashMap<RepoPath, Vec<RepoPath>>,
) -> BTreeSet<RepoPath> {
    let mut tops = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<RepoPath> = includers.get(file).cloned().unwrap_or_default();
    if open.is_empty() {
        open.extend(file.parent());
    }
    while let Some(directory) = open.pop() {
        if !seen.insert(directory.clone()) {
            continue;
        }
        match includers.get(&directory) {
            Some(above) => open.extend(above.iter().cloned()),
            None => drop(tops.insert(directory)),
        }
    }
    tops
}

/// Names that people would call these roots by: the part of the path that tells them apart.
fn names(roots: &[&RepoPath]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = roots
        .iter()
        .map(|root| {
            root.as_str()
                .split('/')
                .filter(|part| !part.is_empty())
                .collect()
        })
        .collect();
    let mut names: Vec<String> = parts.iter().map(|parts| short_name(parts)).collect();
    for _ in 0..8 {
        let again: Vec<usize> = (0..names.len())
            .filter(|index| names.iter().filter(|name| **name == names[*index]).count() > 1)
            .collect();
        if again.is_empty() {
            break;
        }
        for index in again {
            names[index] = longer_name(&parts[index], &parts, &names[index]);
        }
    }
    names
}

const ENVIRONMENTS: &[&str] = &[
    "dev",
    "development",
    "prod",
    "production",
    "staging",
    "stage",
    "test",
    "qa",
    "uat",
    "sandbox",
    "preview",
    "integration",
    "preprod",
];
const GENERIC: &[&str] = &[
    "flux-system",
    "cluster",
    "clusters",
    "flux",
    "kubernetes",
    "k8s",
    "base",
    "config",
    "apps",
    "infrastructure",
    "gitops",
    "deploy",
    "sync",
    "entry",
];

/// An environment named in the path, else its last part that says anything.
fn short_name(parts: &[&str]) -> String {
    let environment = parts.iter().rev().find(|part| ENVIRONMENTS.contains(part));
    let telling = parts.iter().rev().find(|part| !GENERIC.contains(part));
    let name = environment.or(telling);
    name.map_or_else(|| "cluster".to_owned(), |name| (*name).to_owned())
}

/// The name with one more part of the path that differs from the others of that name.
fn longer_name(parts: &[&str], all: &[Vec<&str>], name: &str) -> String {
    let differs = |part: &&&str| {
        !GENERIC.contains(*part)
            && !name
                .split('-')
                .collect::<Vec<_>>()
                .windows(part.split('-').count())
                .any(|words| words.join("-") == **part)
            && !all.iter().all(|other| other.contains(*part))
    };
    match parts.iter().rev().find(differs) {
        Some(part) => format!("{name}-{part}"),
        None => parts.join("-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(roots: &[&str]) -> Vec<String> {
        let paths: Vec<RepoPath> = roots
            .iter()
            .map(|root| RepoPath::new(root).unwrap())
            .collect();
        names(&paths.iter().collect::<Vec<_>>())
    }

    #[test]
    fn clusters_are_named_by_what_tells_them_apart() {
        assert_eq!(
            named(&["clusters/production", "clusters/staging"]),
            ["production", "staging"]
        );
        assert_eq!(
            named(&["clusters/stages/dev/clusters/services-amer"]),
            ["dev"]
        );
        assert_eq!(
            named(&[
                "stages/dev/services-amer",
                "stages/dev/services-emea",
                "stages/prod/services-amer"
            ]),
            ["dev-services-amer", "dev-services-emea", "prod"]
        );
        assert_eq!(named(&["k8s/flux-system"]), ["cluster"]);
        assert_eq!(named(&[""]), ["cluster"]);
    }
}
