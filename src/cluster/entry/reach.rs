//! What includes a file, found without building anything, and the topmost directories of such inclusions. Reads facts,
//! changes nothing.

use std::collections::BTreeSet;

use crate::facts::Assembly;
use crate::input::repo::RepoPath;
use crate::sources::Facts;
use crate::sources::kustomize::patch_files;
use base::FileId;
use base::hash::HashMap;

/// For every file and directory, the directories whose kustomization includes it.
pub fn includers(facts: &Facts<'_>) -> HashMap<RepoPath, Vec<RepoPath>> {
    let mut includers: HashMap<RepoPath, Vec<RepoPath>> = HashMap::default();
    for (assembly, directory) in assemblies(facts) {
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

/// Files that only change what others declare, however much they look like declarations.
pub fn patches(facts: &Facts<'_>) -> BTreeSet<FileId> {
    let mut patches = BTreeSet::new();
    for (assembly, directory) in assemblies(facts) {
        let targets = patch_files(assembly).filter_map(|path| directory.join(path));
        patches.extend(targets.filter_map(|target| facts.repo.file(&target)));
    }
    patches
}

fn assemblies<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = (&'a Assembly, RepoPath)> {
    facts.all().filter_map(|(file, found)| {
        let directory = facts.repo.path(file).parent()?;
        Some((found.assembly.as_deref()?, directory))
    })
}

/// The topmost directories that include a file: nothing includes them.
pub fn tops(file: &RepoPath, includers: &HashMap<RepoPath, Vec<RepoPath>>) -> BTreeSet<RepoPath> {
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
