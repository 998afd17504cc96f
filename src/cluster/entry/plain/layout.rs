//! Clues in the path of a directory about what is in it: its name, its environment, its cluster. A Namespace says more about
//! itself in labels and annotations.

use smol_str::SmolStr;

use super::super::name::ENVIRONMENTS;
use crate::facts::kubernetes::about;
use crate::input::repo::RepoPath;
use crate::sources::Facts;

/// What a directory's path says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// None if the path only says what kind of thing is there.
    pub name: Option<SmolStr>,
    /// The rest of the path, which tells directories of one name apart.
    pub scope: SmolStr,
    /// The name without that of the environment.
    pub shared: SmolStr,
    pub environment: Option<SmolStr>,
    pub cluster: Option<SmolStr>,
    /// The namespace that the directory is about.
    pub namespace: Option<SmolStr>,
}

/// Directories that hold one directory for each environment.
const SHELVES: &[&str] = &[
    "overlays",
    "overlay",
    "environments",
    "environment",
    "envs",
    "env",
    "stages",
    "clusters",
];

/// Words that say what kind of thing something is, not which one.
const GENERIC: &[&str] = &[
    "addons",
    "all",
    "app",
    "apps",
    "application",
    "applications",
    "base",
    "bases",
    "cluster",
    "clusters",
    "common",
    "components",
    "config",
    "configs",
    "deploy",
    "deployment",
    "deployments",
    "descriptors",
    "gitops",
    "infra",
    "infrastructure",
    "k8s",
    "kube",
    "kubectl",
    "kubernetes",
    "kustomize",
    "kustomization",
    "main",
    "manifest",
    "manifests",
    "microservices",
    "namespaces",
    "objects",
    "ops",
    "release",
    "releases",
    "resource",
    "resources",
    "service",
    "services",
    "spec",
    "specifications",
    "specs",
    "src",
    "templates",
    "workloads",
    "yaml",
    "yamls",
    "yml",
];

pub fn layout(facts: &Facts<'_>, directory: &RepoPath) -> Layout {
    let found = of_path(directory);
    match found.namespace {
        Some(_) => of_namespace(facts, directory, found),
        None => found,
    }
}

/// Whether a directory is `namespaces/a`, or `namespaces/a/b` for the namespace `b` of the cluster `a`.
pub fn is_namespace(directory: &RepoPath) -> bool {
    shelf_of_namespace(directory).is_some()
}

/// Whether a directory is `overlays/a` of something that the path names, or below it.
pub fn is_overlay(directory: &RepoPath) -> bool {
    let parts: Vec<&str> = directory.as_str().split('/').collect();
    let shelf = parts
        .iter()
        .position(|part| matches!(*part, "overlays" | "overlay"));
    let named = |at: usize| parts[..at].iter().any(|part| !is_generic(part));
    shelf.is_some_and(|at| at + 1 < parts.len() && named(at))
}

/// Whether a directory of this name holds something for each environment or cluster.
pub fn is_shelf(name: &str) -> bool {
    SHELVES.contains(&name)
}

/// Whether a directory is for one environment or cluster by its path.
pub fn is_shelved(directory: &RepoPath) -> bool {
    let parts: Vec<&str> = directory.as_str().split('/').collect();
    let shelf = parts.iter().position(|part| SHELVES.contains(part));
    shelf.is_some_and(|at| at + 1 < parts.len())
}

/// The cluster of a namespace's directory, empty if there is only one.
fn shelf_of_namespace(directory: &RepoPath) -> Option<SmolStr> {
    let parent = directory.parent()?;
    if parent.file_name() == "namespaces" {
        return Some(SmolStr::default());
    }
    let above = parent.parent()?;
    (above.file_name() == "namespaces").then(|| parent.file_name().into())
}

fn of_path(directory: &RepoPath) -> Layout {
    if let Some(cluster) = shelf_of_namespace(directory) {
        let name: SmolStr = directory.file_name().into();
        return Layout {
            shared: name.clone(),
            scope: cluster.clone(),
            namespace: Some(name.clone()),
            name: Some(name),
            cluster: Some(cluster).filter(|cluster| !cluster.is_empty()),
            ..Layout::default()
        };
    }
    let parts: Vec<&str> = directory.as_str().split('/').collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let shelf = parts.iter().position(|part| SHELVES.contains(part));
    let shelf = shelf.filter(|at| at + 1 < parts.len());
    let (environment, left): (Option<String>, Vec<&str>) = match shelf {
        Some(at) => {
            let (before, after) = (&parts[..at], &parts[at + 1..]);
            // `shop/overlays/prod/eu` is about the shop, `overlays/prod/shop` as well. A word on both sides names a collection.
            let names = |part: &&str| !is_generic(part) && !after[1..].contains(part);
            if before.iter().any(names) {
                let more = after[1..].iter().filter(|part| !is_generic(part));
                let name: Vec<&str> = after[..1].iter().chain(more).copied().collect();
                (Some(name.join("-")), before.to_vec())
            } else {
                (Some(after[0].to_owned()), [before, &after[1..]].concat())
            }
        }
        None => match parts.iter().rposition(|part| ENVIRONMENTS.contains(part)) {
            Some(at) => {
                let left = [&parts[..at], &parts[at + 1..]].concat();
                (Some(parts[at].to_owned()), left)
            }
            None => (None, parts.clone()),
        },
    };
    let at = left.iter().rposition(|part| !is_generic(part));
    let name: Option<SmolStr> = at.map(|at| left[at].into());
    let scope = left.iter().enumerate();
    let scope = scope
        .filter(|(nth, _)| Some(*nth) != at)
        .map(|(_, part)| *part);
    Layout {
        shared: name.clone().unwrap_or_default(),
        scope: scope.collect::<Vec<&str>>().join("/").into(),
        name,
        environment: environment.map(SmolStr::from),
        ..Layout::default()
    }
}

/// Adds what a Namespace says of itself.
fn of_namespace(facts: &Facts<'_>, directory: &RepoPath, mut layout: Layout) -> Layout {
    let files = facts.repo.below(directory).filter(|file| {
        facts.is_manifest(*file) && facts.repo.path(*file).parent().as_ref() == Some(directory)
    });
    let mut spaces = files
        .flat_map(|file| &facts.file(file).resources)
        .filter(|one| one.id.is("", "Namespace") && one.id.name == directory.file_name());
    let stated = spaces.next().and_then(about::environment);
    let name = directory.file_name();
    let ends = name
        .match_indices('-')
        .map(|(at, _)| (&name[..at], &name[at + 1..]));
    let mut ends = ends.filter(|(before, _)| !before.is_empty());
    let end = match &stated {
        Some(stated) => ends.find(|(_, end)| is_same(end, stated)),
        None => ends.find(|(_, end)| ENVIRONMENTS.contains(&about::plain(end))),
    };
    layout.environment = stated.or_else(|| Some(end?.1.into()));
    if let Some((shared, _)) = end {
        layout.shared = shared.into();
    }
    layout
}

/// Whether two names are those of one environment: `prod` is short for `production`.
fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || about::plain(one) == about::plain(other)
}

/// Whether a part of a path only says what kind of thing is there.
fn is_generic(part: &str) -> bool {
    let mut words = part.split(['-', '_']).filter(|word| !word.is_empty());
    let is_filler = |word: &str| {
        let lower = word.to_ascii_lowercase();
        GENERIC.contains(&lower.as_str()) || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    words.all(is_filler)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &str) -> (String, String, String) {
        let found = of_path(&RepoPath::new(path).unwrap());
        let text = |text: Option<SmolStr>| text.unwrap_or_default().to_string();
        (
            text(found.name),
            text(found.environment),
            text(found.cluster),
        )
    }

    #[test]
    fn a_path_names_what_is_in_it_and_the_environment() {
        for (path, name, environment, cluster) in [
            ("shop/overlays/prod", "shop", "prod", ""),
            ("shop/k8s/overlays/prod/eu", "shop", "prod-eu", ""),
            ("shop/overlays/prod/resources", "shop", "prod", ""),
            ("overlays/prod/shop", "shop", "prod", ""),
            ("environments/prod", "", "prod", ""),
            ("addons/environments/prod/addons/nfs", "nfs", "prod", ""),
            ("extras/environments/prod/extras/nfs", "nfs", "prod", ""),
            ("prod/shop", "shop", "prod", ""),
            ("apps/shop", "shop", "", ""),
            ("kubernetes-manifests", "", "", ""),
            ("", "", "", ""),
            ("namespaces/live/shop-prod", "shop-prod", "", "live"),
        ] {
            let expected = [name, environment, cluster].map(str::to_owned);
            assert_eq!(said(path), expected.into(), "{path}");
        }
    }

    #[test]
    fn a_short_name_of_an_environment_is_the_same() {
        assert!(is_same("prod", "production"));
        assert!(is_same("stag", "staging"));
        assert!(is_same("UAT", "uat"));
        assert!(!is_same("preprod", "production"));
    }
}
