//! Directories of this repo that somebody publishes as artifacts: paths in such a source begin at that directory. Found
//! by the paths that units build from a source, and by the name of the source where they build its root.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::facts::SourceRef;
use crate::input::repo::RepoPath;
use crate::sources::{self, Facts};
use base::text::last_part;

/// More paths of one source than this are not compared.
const MAX_PATHS: usize = 64;
/// Directories in which the first path of a source may be looked for.
const MAX_CANDIDATES: usize = 512;

/// The directory behind each source, by kind and name.
#[derive(Debug, Default)]
pub struct Published {
    roots: BTreeMap<(SmolStr, SmolStr), RepoPath>,
}

impl Published {
    pub fn find(facts: &Facts<'_>) -> Published {
        let mut paths: BTreeMap<(SmolStr, SmolStr), BTreeSet<RepoPath>> = BTreeMap::new();
        let resources = facts.all().flat_map(|(_, found)| &found.resources);
        for build in resources.filter_map(|resource| sources::unit(resource)?.build) {
            let source = &build.source;
            if is_artifact(source)
                && let Some(path) = RepoPath::new(&build.path)
            {
                let key = (source.kind.clone(), source.name.clone());
                paths.entry(key).or_default().insert(path);
            }
        }
        let mut published = Published::default();
        if paths.is_empty() {
            return published;
        }
        let directories = directories(facts);
        for (key, paths) in &paths {
            if let Some(root) = by_paths(paths, &directories, facts) {
                published.roots.insert(key.clone(), root);
            }
        }
        let known: BTreeSet<RepoPath> = published.roots.values().cloned().collect();
        for key in paths.keys() {
            if !published.roots.contains_key(key)
                && let Some(root) = by_name(&key.1, &known, facts)
            {
                published.roots.insert(key.clone(), root);
            }
        }
        published
    }

    /// The directory of this repo at a path in a source.
    pub fn directory(&self, source: &SourceRef, path: &str, facts: &Facts<'_>) -> Option<RepoPath> {
        let root = self
            .roots
            .get(&(source.kind.clone(), source.name.clone()))?;
        let directory = root.join(RepoPath::new(path)?.as_str())?;
        facts.repo.is_dir(&directory).then_some(directory)
    }
}

fn is_artifact(source: &SourceRef) -> bool {
    matches!(source.kind.as_str(), "OCIRepository" | "Bucket")
}

/// Every directory with files in it, and those above.
fn directories(facts: &Facts<'_>) -> BTreeSet<RepoPath> {
    let mut directories = BTreeSet::new();
    for file in facts.repo.files() {
        let mut here = facts.repo.path(file).parent();
        while let Some(directory) = here {
            here = directory.parent();
            if !directories.insert(directory) {
                break;
            }
        }
    }
    directories
}

/// The only directory below which all paths of a source exist, if none of them exists at the root.
fn by_paths(
    paths: &BTreeSet<RepoPath>,
    directories: &BTreeSet<RepoPath>,
    facts: &Facts<'_>,
) -> Option<RepoPath> {
    let root = RepoPath::root();
    let mut telling = paths.iter().filter(|path| **path != root);
    let first = telling.next()?;
    let rest: Vec<&RepoPath> = telling.take(MAX_PATHS).collect();
    let mut all = rest.iter().copied().chain([first]);
    if all.any(|path| facts.repo.is_dir(path)) {
        return None;
    }
    let end = format!("/{}", first.as_str());
    let candidates = directories
        .iter()
        .filter_map(|directory| RepoPath::new(directory.as_str().strip_suffix(end.as_str())?));
    let mut roots = candidates.take(MAX_CANDIDATES).filter(|root| {
        rest.iter().all(|path| {
            root.join(path.as_str())
                .is_some_and(|path| facts.repo.is_dir(&path))
        })
    });
    let found = roots.next()?;
    roots.next().is_none().then_some(found)
}

/// The directory beside one that is published, by the name of a source: `apps-oci` beside `kubernetes/infra` is
/// `kubernetes/apps`.
fn by_name(name: &str, known: &BTreeSet<RepoPath>, facts: &Facts<'_>) -> Option<RepoPath> {
    let words = name.split(['-', '_', '.']);
    let telling = words.filter(|word| !GENERIC.contains(word));
    let called: Vec<&str> = telling.collect();
    let [called] = called.as_slice() else {
        return None;
    };
    let mut beside = known.iter().filter_map(|root| root.parent()?.join(called));
    beside.find(|directory| facts.repo.is_dir(directory))
}

/// Words in the names of sources that say what they are.
const GENERIC: &[&str] = &[
    "artifact",
    "flux",
    "manifests",
    "oci",
    "repo",
    "repository",
    "source",
    "sync",
];

/// Whether two addresses of artifacts differ in the last part only, as those of one repo do.
pub fn is_beside(url: &str, other: &str) -> bool {
    let before = |url: &str| url.len() - last_part(url).len();
    let (one, two) = (before(url), before(other));
    one > 0 && url[..one] == other[..two]
}
