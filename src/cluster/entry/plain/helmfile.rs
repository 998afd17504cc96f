//! Helmfiles that people and pipelines apply: which cluster each is for.

use std::collections::BTreeMap;

use super::super::EntrySearch;
use super::find::is_aside;
use super::layout::{self, layout};
use crate::cluster::composition::NAMELESS;
use crate::facts::Resource;
use crate::input::repo::RepoPath;
use crate::sources::helmfile::{self, ReleaseFile};
use base::FileId;

/// How many helmfiles may include each other in a row.
const MAX_INCLUDED: usize = 8;

/// The releases of all helmfiles, by the cluster or environment that they are for.
pub fn releases(search: &EntrySearch<'_>) -> BTreeMap<String, Vec<(FileId, Resource)>> {
    let facts = search.facts;
    let mut files = helmfile::files(search.builder.context());
    files.retain(|one| !is_aside(facts.repo.path(one.file)) && !search.is_reached(one.file));
    let mut found: BTreeMap<String, Vec<(FileId, Resource)>> = BTreeMap::new();
    for one in &files {
        let name = cluster(search, one.file, &files);
        let releases = one.releases.iter().cloned();
        let here = found.entry(name).or_default();
        here.extend(releases.map(|release| (one.file, release)));
    }
    found.retain(|_, releases| !releases.is_empty());
    found
}

/// The cluster that a helmfile is for, by its path or by the path of one that includes it.
fn cluster(search: &EntrySearch<'_>, file: FileId, all: &[ReleaseFile]) -> String {
    let repo = search.facts.repo;
    let mut path = repo.path(file);
    for _ in 0..MAX_INCLUDED {
        if let Some(name) = name(search, path) {
            return name;
        }
        let directory = path.parent();
        let includes = |one: &&ReleaseFile| {
            let other = repo.path(one.file);
            let is_included = one.includes.contains(path)
                || directory
                    .as_ref()
                    .is_some_and(|it| one.includes.contains(it));
            is_included && other != path
        };
        match all.iter().find(includes) {
            Some(one) => path = repo.path(one.file),
            None => break,
        }
    }
    NAMELESS.to_owned()
}

fn name(search: &EntrySearch<'_>, path: &RepoPath) -> Option<String> {
    let directory = path.parent()?;
    let stem = path.file_name().split('.').next().unwrap_or_default();
    let shelf = layout::is_shelf(directory.file_name());
    if shelf && !stem.is_empty() && !stem.starts_with("helmfile") {
        return Some(stem.to_owned());
    }
    let found = layout(search.facts, &directory);
    let name = found.cluster.or(found.environment)?;
    Some(name.to_string())
}
