//! Which component a finding concerns: the one whose object stands in the file, else the one whose
//! directory the file is in. Where several share it, none is named.

use super::Catalog;
use crate::diagnostic::{FileId, Finding};
use crate::hash::HashMap;
use crate::repo::{Repo, RepoPath};

pub fn blame(repo: &Repo, catalog: &Catalog, findings: &mut [Finding]) {
    if findings.iter().all(|finding| finding.component.is_some()) {
        return;
    }
    let mut by_file: HashMap<FileId, Option<usize>> = HashMap::default();
    let mut by_directory: HashMap<&RepoPath, Option<usize>> = HashMap::default();
    for (index, component) in catalog.components.iter().enumerate() {
        let resources = component.resources.iter().map(|resource| resource.place);
        for place in resources.chain([component.place]) {
            claim(&mut by_file, place.file, index);
        }
        if let Some(source) = &component.source {
            claim(&mut by_directory, source, index);
        }
    }
    for finding in findings {
        if finding.component.is_some() || finding.place.file == FileId::NONE {
            continue;
        }
        let found = match by_file.get(&finding.place.file) {
            Some(found) => *found,
            None => nearest(repo.path(finding.place.file), &by_directory),
        };
        finding.component = found.map(|index| catalog.components[index].id.0.to_string());
    }
}

/// Notes a claim; a second one by somebody else leaves it to nobody.
fn claim<K: std::hash::Hash + Eq>(claims: &mut HashMap<K, Option<usize>>, key: K, index: usize) {
    claims
        .entry(key)
        .and_modify(|owner| *owner = owner.filter(|owner| *owner == index))
        .or_insert(Some(index));
}

fn nearest(path: &RepoPath, directories: &HashMap<&RepoPath, Option<usize>>) -> Option<usize> {
    let mut directory = path.parent();
    while let Some(here) = directory {
        if let Some(found) = directories.get(&here) {
            return *found;
        }
        directory = here.parent();
    }
    None
}
