//! The environments that a root module is run for, by files of values and by directory name.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use terraform::Modules;

/// Directories that hold one directory or file for each environment.
const SHELVES: &[&str] = &[
    "environments",
    "environment",
    "envs",
    "env",
    "live",
    "tfvars",
    "vars",
    "var-files",
    "config",
    "configs",
    "stages",
    "variables",
];
/// Common names of environments.
const ENVIRONMENTS: &[&str] = &[
    "dev",
    "development",
    "test",
    "testing",
    "qa",
    "uat",
    "stage",
    "staging",
    "stg",
    "preprod",
    "pre-prod",
    "prod",
    "production",
    "prd",
    "nonprod",
    "non-prod",
    "sandbox",
    "demo",
];

/// The environments that a root module is run for, each with the files of values that it is given, later ones winning.
pub fn runs(
    repo: &Repo,
    modules: &Modules,
    root: &RepoPath,
) -> BTreeMap<Option<SmolStr>, Vec<FileId>> {
    let mut always: Vec<FileId> = Vec::new();
    let mut beside: Vec<(&str, FileId)> = Vec::new();
    let mut shared: Vec<(SmolStr, FileId)> = Vec::new();
    let mut named: BTreeMap<Option<SmolStr>, Vec<FileId>> = BTreeMap::new();
    for file in &modules.values {
        let path = repo.path(*file);
        let Some(parent) = path.parent() else {
            continue;
        };
        let name = path.file_name();
        let name = name.strip_suffix(".json").unwrap_or(name);
        let stem = name.trim_end_matches(".tfvars");
        if parent == *root {
            match stem {
                // Terraform takes these by itself.
                "terraform" => always.insert(0, *file),
                _ if stem.ends_with(".auto") => always.push(*file),
                _ => {
                    let stem = stem.strip_prefix("terraform.").unwrap_or(stem);
                    if is_environment(stem) {
                        beside.push((stem, *file));
                    }
                }
            }
        } else if let Some(environment) = shelved(root, &parent, stem) {
            named.entry(Some(environment)).or_default().push(*file);
        } else if let Some((environment, aim)) = shelved_above(root, &parent, stem) {
            match aim {
                Aim::Root => named.entry(Some(environment)).or_default().push(*file),
                Aim::All => shared.push((environment, *file)),
            }
        }
    }
    match beside.as_slice() {
        // The only file with a name that is no environment is for the only run.
        [(stem, file)] if named.is_empty() && !names_environment(stem) => always.push(*file),
        _ => {
            for (stem, file) in beside {
                named.entry(Some(stem.into())).or_default().push(file);
            }
        }
    }
    if named.is_empty() {
        return BTreeMap::from([(environment_of(root), always)]);
    }
    for (environment, files) in &mut named {
        let shared = shared.iter();
        let shared = shared.filter(|(one, _)| environment.as_ref() == Some(one));
        let shared = shared.map(|(_, file)| *file);
        let before = always.iter().copied().chain(shared);
        *files = before.chain(files.iter().copied()).collect();
    }
    named
}

/// Which root modules a file of values on a common shelf is for.
enum Aim {
    /// The one that it has the name of.
    Root,
    /// All of them.
    All,
}

/// The environment of a file of values on a shelf that several root modules share: `variables/prod/network.tfvars` or
/// `variables/prod/common.tfvars` in a directory above `network`.
fn shelved_above(root: &RepoPath, parent: &RepoPath, stem: &str) -> Option<(SmolStr, Aim)> {
    let name = root
        .as_str()
        .rsplit('/')
        .next()
        .filter(|name| !name.is_empty())?;
    let mut parts: Vec<&str> = parent.as_str().split('/').collect();
    let aim = if parts.last() == Some(&name) && is_used(stem) {
        parts.pop();
        Aim::Root
    } else if stem == name {
        Aim::Root
    } else if matches!(stem, "common" | "shared" | "global" | "terraform") {
        Aim::All
    } else {
        return None;
    };
    let [above @ .., shelf, environment] = parts.as_slice() else {
        return None;
    };
    let above = above.join("/");
    let is_above = above.is_empty() || root.as_str().strip_prefix(&above)?.starts_with('/');
    let fits = SHELVES.contains(shelf) && is_environment(environment) && is_above;
    fits.then(|| ((*environment).into(), aim))
}

/// Whether a name is that of an environment, or has one in it: `prod`, `shop-prod`.
fn names_environment(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut parts = lower.split(['-', '_', '.']);
    ENVIRONMENTS.contains(&lower.as_str()) || parts.any(|part| ENVIRONMENTS.contains(&part))
}

/// The environment of a file of values that stands on a shelf of a module: `env/prod.tfvars`, `env/prod/terraform.tfvars`.
fn shelved(root: &RepoPath, parent: &RepoPath, stem: &str) -> Option<SmolStr> {
    let below = match root.as_str() {
        "" => parent.as_str(),
        root => parent.as_str().strip_prefix(root)?.strip_prefix('/')?,
    };
    let parts: Vec<&str> = below.split('/').collect();
    match parts.as_slice() {
        [shelf] if SHELVES.contains(shelf) && is_environment(stem) => Some(stem.into()),
        [shelf, name] if SHELVES.contains(shelf) && is_environment(name) && is_used(stem) => {
            Some((*name).into())
        }
        [name] if ENVIRONMENTS.contains(name) && is_used(stem) => Some((*name).into()),
        _ => None,
    }
}

/// Whether a values file is for one environment, rather than shared or unused.
fn is_environment(name: &str) -> bool {
    let shared = [
        "terraform",
        "common",
        "global",
        "globals",
        "shared",
        "default",
        "defaults",
        "base",
        "main",
        "variables",
        "vars",
        "values",
        "local",
        "override",
        "versions",
    ];
    let lower = name.to_ascii_lowercase();
    !name.is_empty()
        && !shared.contains(&lower.as_str())
        && !lower.ends_with(".auto")
        && is_used(name)
}

/// Whether a file of values is one for variables, rather than one to copy or one for something else.
fn is_used(stem: &str) -> bool {
    let others = [
        "backend",
        "secret",
        "example",
        "sample",
        "template",
        "common",
        "credential",
    ];
    let lower = stem.to_ascii_lowercase();
    !others.iter().any(|part| lower.contains(part))
}

/// Whether a directory of this name holds one directory for each environment.
pub fn is_shelf(name: &str) -> bool {
    SHELVES[..5].contains(&name)
}

/// The environment that a directory states: a word for one, or what stands on a shelf of them.
fn environment_of(directory: &RepoPath) -> Option<SmolStr> {
    position(directory).map(|at| {
        directory
            .as_str()
            .split('/')
            .nth(at)
            .unwrap_or_default()
            .into()
    })
}

/// Which part of a path is the environment.
pub fn position(directory: &RepoPath) -> Option<usize> {
    let parts: Vec<&str> = directory.as_str().split('/').collect();
    let word = parts.iter().rposition(|part| ENVIRONMENTS.contains(part));
    let shelf = parts.iter().position(|part| is_shelf(part));
    let on_shelf = shelf.map(|at| at + 1).filter(|at| *at < parts.len());
    word.or(on_shelf)
}
