//! Display names for clusters: the parts of their paths that tell them apart, unless something states them.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::cluster::Cluster;
use crate::cluster::composition::NAMELESS;
use crate::input::repo::RepoPath;

/// Names of environments, as parts of paths.
pub const ENVIRONMENTS: &[&str] = &[
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
    "setup",
    "bootstrap",
    "applications",
    "applicationsets",
    "argocd",
    "argo-cd",
    "manifests",
    "resources",
];

/// Sorts clusters and names them. The directory of units that are applied by hand is no name for a cluster.
pub fn assign(clusters: &mut [Cluster], nameless: &BTreeSet<RepoPath>) {
    clusters.sort_by(|a, b| (&a.root, &a.stated).cmp(&(&b.root, &b.stated)));
    let only = clusters.len() == 1;
    let (stated, unnamed): (Vec<&mut Cluster>, Vec<&mut Cluster>) = clusters
        .iter_mut()
        .partition(|cluster| cluster.stated.is_some());
    for cluster in stated {
        cluster.name = cluster.stated.iter().map(SmolStr::as_str).collect();
    }
    let roots: Vec<&RepoPath> = unnamed.iter().map(|cluster| &cluster.root).collect();
    let names = names(&roots);
    for (cluster, name) in unnamed.into_iter().zip(names) {
        cluster.name = if only && nameless.contains(&cluster.root) {
            NAMELESS.to_owned()
        } else {
            name
        };
    }
}

/// A unique name for each root, in the order of the roots.
pub fn names(roots: &[&RepoPath]) -> Vec<String> {
    let whole: Vec<Vec<&str>> = roots.iter().map(|root| parts(root)).collect();
    let telling: Vec<Vec<&str>> = whole.iter().map(|parts| telling(parts, &whole)).collect();
    let environments: Vec<Option<&str>> = telling.iter().map(|parts| environment(parts)).collect();
    let names = telling.iter().zip(&environments).enumerate();
    let mut names: Vec<String> = names
        .map(|(index, (parts, environment))| match environment {
            Some(name) if is_unique(environments.iter().flatten(), name) => (*name).to_owned(),
            Some(name) => from_environment(parts, name),
            None => with_word(shortest(index, &telling), &whole[index]),
        })
        .collect();
    // Names that are still equal fall back to the whole path.
    for index in 0..names.len() {
        if !is_unique(names.iter(), &names[index]) {
            names[index] = whole[index].join("-");
        }
    }
    names
}

fn parts(root: &RepoPath) -> Vec<&str> {
    let parts = root.as_str().split('/');
    parts.filter(|part| !part.is_empty()).collect()
}

/// The parts that say which cluster it is: not those that only say that it is one, nor those that
/// all clusters share.
fn telling<'p>(parts: &[&'p str], all: &[Vec<&str>]) -> Vec<&'p str> {
    let own: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !is_generic(part))
        .collect();
    let differing: Vec<&str> = own
        .iter()
        .copied()
        .filter(|part| !all.iter().all(|other| other.contains(part)))
        .collect();
    match (differing.is_empty(), own.last()) {
        (false, _) => differing,
        // With several clusters, even a generic part distinguishes one from the others.
        (true, None) if all.len() > 1 => vec![parts.last().unwrap_or(&"cluster")],
        (true, None) => vec![NAMELESS],
        // Alone, a cluster is called by its environment, else by the last part that says anything.
        (true, Some(last)) => vec![environment(&own).unwrap_or(last)],
    }
}

/// Whether a part says only that it is a cluster, also with its place in an order: `01-bootstrap`.
fn is_generic(part: &str) -> bool {
    let step = part.split_once(['-', '_']);
    let step = step.filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    GENERIC.contains(&step.map_or(part, |(_, rest)| rest))
}

fn environment<'p>(parts: &[&'p str]) -> Option<&'p str> {
    let mut parts = parts.iter().rev();
    parts.find(|part| ENVIRONMENTS.contains(part)).copied()
}

fn is_unique<'n, T: AsRef<str> + 'n>(names: impl Iterator<Item = &'n T>, name: &str) -> bool {
    names.filter(|other| other.as_ref() == name).count() < 2
}

/// `dev-eu-west`: the environment and the parts after it, or the parts before it if none follow.
fn from_environment(parts: &[&str], environment: &str) -> String {
    let at = parts.iter().rposition(|part| *part == environment);
    match at {
        Some(at) if at + 1 < parts.len() => parts[at..].join("-"),
        _ => parts.join("-"),
    }
}

/// The shortest tail of a path that differs from all others.
fn shortest<'p>(index: usize, all: &'p [Vec<&'p str>]) -> &'p [&'p str] {
    let parts = &all[index];
    for start in (0..parts.len()).rev() {
        let end = &parts[start..];
        let mut others = all.iter().enumerate().filter(|(other, _)| *other != index);
        if !others.any(|(_, other)| other.ends_with(end)) {
            return end;
        }
    }
    parts
}

/// A number alone is no name: it takes the word before it.
fn with_word(name: &[&str], whole: &[&str]) -> String {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let joined = name.join("-");
    let before = whole
        .iter()
        .rposition(|part| Some(part) == name.first())
        .and_then(|at| whole[..at].last());
    match before {
        Some(word) if name.iter().all(|part| is_number(part)) => format!("{word}-{joined}"),
        _ => joined,
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
        assert_eq!(named(&["flux/manifests/01-bootstrap"]), ["cluster"]);
        assert_eq!(named(&[""]), ["cluster"]);
    }

    #[test]
    fn a_number_is_no_name_of_its_own() {
        assert_eq!(
            named(&["clusters/aat/00", "clusters/aat/01", "clusters/prod/00"]),
            ["aat-00", "aat-01", "prod"]
        );
        assert_eq!(
            named(&["fleet/test/01", "fleet/test/02"]),
            ["test-01", "test-02"]
        );
        assert_eq!(named(&["01", "02"]), ["01", "02"]);
    }

    #[test]
    fn parts_that_all_clusters_share_are_left_out() {
        assert_eq!(
            named(&["kube/clusters/blue/flux", "kube/clusters/green/flux"]),
            ["blue", "green"]
        );
        assert_eq!(
            named(&["live/aws/eu/one", "live/aws/us/one", "live/gcp/eu/two"]),
            ["eu-one", "us-one", "two"]
        );
    }

    #[test]
    fn no_two_clusters_have_one_name() {
        assert_eq!(
            named(&["apps", "clusters", "dev", "dev/clusters"]),
            ["apps", "clusters", "dev", "dev-clusters"]
        );
    }
}
