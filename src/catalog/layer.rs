//! Which layer a component belongs to: by configuration, by label, or by the directories that a repo is laid out in. If
//! those tell nothing, by namespace.

use std::collections::{BTreeMap, BTreeSet};

use super::Component;
use super::component::{NamedComponent, Placement};
use super::part_objects::objects;
use super::title::title;
use crate::cluster::Clusters;
use crate::input::config::Config;
use crate::input::repo::Repo;

/// The layer of programs that run for no cluster.
pub const PROGRAMS: &str = "Programs";

/// Names by which the configuration can select a component.
pub fn candidates(component: &Component) -> Vec<&str> {
    let mut names = vec![component.id.0.as_str(), component.namespace.as_str()];
    names.extend(component.source.as_ref().map(|source| source.as_str()));
    names.retain(|name| !name.is_empty());
    names
}

pub fn assign(
    components: &mut [Component],
    named: &[NamedComponent],
    clusters: &Clusters,
    repo: &Repo,
    config: &Config,
) {
    let ways = layout(components, named, clusters, repo);
    for ((component, named), found) in components.iter_mut().zip(named).zip(ways) {
        let names = candidates(component);
        let configured = config.layers.iter().find(|layer| layer.matches(&names));
        component.layer = configured
            .map(|layer| layer.name.clone())
            .or_else(|| component.is_program.then(|| PROGRAMS.to_owned()))
            .or_else(|| labelled(named.draft.parts.first()?, clusters))
            .or(found);
    }
}

fn labelled(part: &Placement, clusters: &Clusters) -> Option<String> {
    let mut layers =
        objects(part, clusters).filter_map(|object| object.statement.labels.layer.as_ref());
    Some(layers.next()?.value.to_string())
}

/// A group of more than this share of all components says nothing about them.
const MOST_IN_ONE: (usize, usize) = (7, 10);
/// A layout counts if it says something about this share of all components.
const ENOUGH: (usize, usize) = (3, 4);
/// Fewer components need no layers.
const FEWEST: usize = 4;

/// Directories that say how files are arranged, not what is in them.
const SCAFFOLDING: &[&str] = &[
    ".",
    "all",
    "app",
    "base",
    "bases",
    "cluster",
    "clusters",
    "default",
    "deploy",
    "deployment",
    "deployments",
    "dev",
    "env",
    "environments",
    "envs",
    "gitops",
    "helm",
    "k8s",
    "ks",
    "kubernetes",
    "kustomization",
    "kustomizations",
    "main",
    "manifests",
    "overlay",
    "overlays",
    "prod",
    "production",
    "release",
    "releases",
    "resourcesets",
    "setup",
    "src",
    "staging",
    "test",
];

fn exceeds(some: usize, (share, of): (usize, usize), all: usize) -> bool {
    some * of > all * share
}

/// The layer of each component, by the way of dividing them that says most: by the directories of their manifests, by those
/// of the files that declare them, by namespace.
fn layout(
    components: &[Component],
    named: &[NamedComponent],
    clusters: &Clusters,
    repo: &Repo,
) -> Vec<Option<String>> {
    let environments: BTreeSet<String> = components
        .iter()
        .flat_map(|component| &component.environments)
        .map(|environment| environment.name.to_lowercase())
        .collect();
    let dropped = if environments.len() > 1 {
        environments
    } else {
        BTreeSet::new()
    };
    let of_all =
        |path: &dyn Fn(&Component, &NamedComponent) -> Option<String>| -> Vec<Option<Path>> {
            let all = components.iter().zip(named);
            all.map(|(component, named)| {
                let is_part = !component.is_program;
                let path = is_part.then(|| path(component, named))??;
                Some(Path::new(component, &path, &dropped))
            })
            .collect()
        };
    let count = components.iter().filter(|one| !one.is_program).count();
    if count < FEWEST {
        return vec![None; components.len()];
    }
    let ways = [
        divide(&of_all(&|component, named| {
            source(component, named, clusters)
        })),
        divide(&of_all(&|component, _| {
            let file = (component.place.line > 0).then(|| repo.path(component.place.file))?;
            Some(file.parent()?.to_string())
        })),
        by_namespace(components),
    ];
    let told = |way: &Vec<Option<String>>| way.iter().flatten().count();
    let says_enough = |way: &&Vec<Option<String>>| {
        let names: BTreeSet<&String> = way.iter().flatten().collect();
        names.len() > 1 && !exceeds(count - told(way), (ENOUGH.1 - ENOUGH.0, ENOUGH.1), count)
    };
    let best = || {
        let several =
            |way: &&Vec<Option<String>>| way.iter().flatten().collect::<BTreeSet<_>>().len() > 1;
        // Of several that say as much, the first one.
        ways.iter()
            .filter(several)
            .rev()
            .max_by_key(|way| told(way))
    };
    let way = ways.iter().find(says_enough).or_else(best);
    way.map_or_else(|| vec![None; components.len()], Clone::clone)
}

/// The directory of a component's manifests. That of its unit is more exact, if clusters have it in different ones.
fn source(component: &Component, named: &NamedComponent, clusters: &Clusters) -> Option<String> {
    let source = component.source.as_ref();
    let part = named.draft.parts.first();
    let unit = part.and_then(|part| Some(&clusters[part.cluster].units[part.unit?]));
    let own = unit.and_then(|unit| unit.directory.as_ref());
    let own = own.filter(|own| source.is_none_or(|source| own.is_below(source)));
    Some(own.or(source)?.to_string())
}

/// The directories that may be a component's layer, from the root; those that bear its own name end them.
struct Path {
    above: Vec<String>,
    /// How many there would be if its name ended nothing.
    all: Vec<String>,
}

impl Path {
    fn new(component: &Component, path: &str, dropped: &BTreeSet<String>) -> Path {
        let id = component.id.0.to_lowercase();
        let names = path.split('/').filter(|name| {
            // A directory for each namespace has one for `default`, too.
            let is_general = name.is_empty()
                || SCAFFOLDING.contains(name) && component.namespace.as_str() != *name;
            !is_general && !name.contains(['$', '{']) && !dropped.contains(&name.to_lowercase())
        });
        let all: Vec<String> = names.map(str::to_owned).collect();
        let own = all
            .iter()
            .rposition(|name| is_within(&name.to_lowercase(), &id));
        let above = match own {
            Some(own) => all[..own].to_vec(),
            None => all.clone(),
        };
        Path { above, all }
    }
}

/// Whether the words of a directory are some of a component's.
fn is_within(directory: &str, id: &str) -> bool {
    id.match_indices(directory).any(|(at, found)| {
        let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        is_edge(id[..at].chars().next_back()) && is_edge(id[at + found.len()..].chars().next())
    })
}

/// Divides components by the highest directories of which none holds nearly all.
fn divide(paths: &[Option<Path>]) -> Vec<Option<String>> {
    let all = paths.iter().flatten().count();
    // Last directories that hold one component only are its own.
    let mut below: BTreeMap<&[String], usize> = BTreeMap::new();
    for path in paths.iter().flatten() {
        for depth in 1..=path.above.len() {
            *below.entry(&path.above[..depth]).or_default() += 1;
        }
    }
    let is_layer = |prefix: &[String]| below.get(prefix).is_some_and(|count| *count > 1);
    let is_most = |prefix: &[String]| {
        let count = below.get(prefix).copied().unwrap_or(0);
        exceeds(count, MOST_IN_ONE, all)
    };
    let found = paths.iter().map(|path| {
        let path = path.as_ref()?;
        // A directory with its own name is its layer if others are in it, too.
        let depths = 1..=path.all.len();
        let mut layers = depths.filter(|depth| is_layer(&path.all[..*depth]));
        let first = layers.find(|depth| !is_most(&path.all[..*depth]))?;
        Some(path.all[first - 1].as_str())
    });
    found
        .map(|name| name.map(|name| title(plain(name))))
        .collect()
}

/// `04-databases` as `databases`.
fn plain(name: &str) -> &str {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest
        .strip_prefix(['-', '_', '.'])
        .filter(|rest| !rest.is_empty());
    rest.filter(|_| name.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(name)
}

/// Divides components by namespaces that hold several.
fn by_namespace(components: &[Component]) -> Vec<Option<String>> {
    let namespace = |component: &Component| {
        let name = component.namespace.clone();
        let tells = !component.is_program && !matches!(name.as_str(), "" | "default");
        tells.then_some(name)
    };
    let mut count: BTreeMap<_, usize> = BTreeMap::new();
    for name in components.iter().filter_map(namespace) {
        *count.entry(name).or_default() += 1;
    }
    let several = |name: &_| count.get(name).is_some_and(|count| *count > 1);
    let names = components.iter().map(|one| namespace(one).filter(several));
    names.map(|name| name.map(|name| title(&name))).collect()
}
