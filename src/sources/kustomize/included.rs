//! Files that a directory includes, found without building it.

use std::collections::BTreeSet;

use crate::facts::{Assembly, PatchBody};
use crate::input::repo::RepoPath;
use crate::sources::Facts;
use base::FileId;

/// Every file that takes part when a directory is built, patches too.
pub fn included(facts: &Facts<'_>, directory: &RepoPath) -> BTreeSet<FileId> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![directory.clone()];
    while let Some(directory) = open.pop() {
        if !seen.insert(directory.clone()) {
            continue;
        }
        let Some(file) = facts.assembly_file(&directory) else {
            // Without a kustomization all that is below takes part.
            found.extend(facts.repo.below(&directory));
            continue;
        };
        found.insert(file);
        let Some(assembly) = &facts.file(file).assembly else {
            continue;
        };
        let listed = assembly.resources.iter().chain(&assembly.components);
        let patches = patch_files(assembly);
        for path in listed.map(|listed| listed.path.as_str()).chain(patches) {
            let Some(target) = directory.join(path) else {
                continue;
            };
            match (facts.repo.file(&target), facts.repo.resolve_dir(&target)) {
                (Some(file), _) => drop(found.insert(file)),
                (None, real) => open.extend(real),
            }
        }
    }
    found
}

/// The patches of a kustomization that are files.
pub fn patch_files(assembly: &Assembly) -> impl Iterator<Item = &str> {
    let patches = assembly.patches.iter().chain(&assembly.late_patches);
    patches.filter_map(|patch| match &patch.body {
        PatchBody::File(path) => Some(path.as_str()),
        PatchBody::Inline(_) => None,
    })
}
