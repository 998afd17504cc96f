//! Which components recent commits changed.

use std::collections::BTreeSet;

use super::file::FileOwners;
use crate::catalog::{Catalog, ComponentIx};
use crate::input::repo::{RecentCommit, Repo, RepoPath};
use base::hash::HashMap;
use base::index::IndexVec;

/// Recent commits, newest first, by position in `Repo::recent`.
pub struct RecentChanges {
    /// Those that changed a component.
    pub commits: IndexVec<ComponentIx, Vec<usize>>,
    /// The components that each commit changed.
    pub components: Vec<Vec<ComponentIx>>,
}

impl RecentChanges {
    pub fn new(repo: &Repo, catalog: &Catalog, owners: &FileOwners) -> RecentChanges {
        let directories = directories(catalog);
        let mut changes = RecentChanges {
            commits: IndexVec::from_elem(Vec::new(), catalog.components.len()),
            components: Vec::new(),
        };
        for (at, commit) in repo.recent().iter().enumerate() {
            let components = changed(commit, repo, owners, &directories);
            for component in &components {
                changes.commits[*component].push(at);
            }
            changes.components.push(components.into_iter().collect());
        }
        changes
    }
}

/// The component of each source directory that one has to itself.
fn directories(catalog: &Catalog) -> HashMap<&RepoPath, Option<ComponentIx>> {
    let mut directories = HashMap::default();
    for (at, component) in catalog.components.iter_enumerated() {
        if let Some(source) = component
            .source
            .as_ref()
            .filter(|it| **it != RepoPath::root())
        {
            directories
                .entry(source)
                .and_modify(|owner| *owner = None)
                .or_insert(Some(at));
        }
    }
    directories
}

fn changed(
    commit: &RecentCommit,
    repo: &Repo,
    owners: &FileOwners,
    directories: &HashMap<&RepoPath, Option<ComponentIx>>,
) -> BTreeSet<ComponentIx> {
    let files = commit.files.iter().filter_map(|file| {
        let path = RepoPath::new(&file.path)?;
        let owner = repo.file(&path).and_then(|file| owners.owner(file));
        // A file that is gone, or that no object comes from, belongs to the nearest directory that is one component's.
        owner.or_else(|| {
            let mut above = path.parent();
            while let Some(directory) = above {
                if let Some(owner) = directories.get(&directory) {
                    return *owner;
                }
                above = directory.parent();
            }
            None
        })
    });
    files.collect()
}
