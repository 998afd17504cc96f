//! Paths with a gap for a name: which names lead to something in this repo.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::super::ReadContext;
use crate::input::repo::RepoPath;

/// Stands for the unknown name in a path.
pub const OPEN: &str = "xopenx";

/// What a path with a gap leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilledKind {
    File,
    Directory,
}

/// What the gap of a path can be filled with.
pub fn matches(pattern: &str, shape: FilledKind, context: &ReadContext<'_>) -> BTreeSet<SmolStr> {
    let mut found = BTreeSet::new();
    // A path may have the gap more than once.
    let mut parts = pattern.split(OPEN);
    let (before, after) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let base = before.rsplit_once('/').map_or("", |(base, _)| base);
    let Some(base) = RepoPath::new(base) else {
        return found;
    };
    let repo = context.facts.repo;
    for file in repo.below(&base) {
        let Some(rest) = repo.path(file).as_str().strip_prefix(before) else {
            continue;
        };
        // The gap may be in the middle of a name, so it ends at the first place where the rest fits.
        let name = match after.chars().next() {
            Some(_) => rest.find(after).map(|end| &rest[..end]),
            None => rest.split('/').next(),
        };
        let Some(name) = name.filter(|name| !name.is_empty() && !name.contains('/')) else {
            continue;
        };
        let whole = pattern.replace(OPEN, name);
        let is_there = RepoPath::new(&whole).is_some_and(|whole| match shape {
            FilledKind::File => repo.file(&whole).is_some(),
            FilledKind::Directory => repo.is_dir(&whole),
        });
        if is_there {
            found.insert(name.into());
        }
    }
    found
}
