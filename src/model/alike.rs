//! One component under several names: a fleet may name the same thing after each cluster.

use std::collections::{BTreeMap, BTreeSet};

use super::component::{Draft, Key};
use super::name;
use crate::compose::Cluster;
use crate::diagnostic::Place;
use crate::repo::RepoPath;

/// Where each cluster gives the same declaration a name of its own, it is one component all the
/// same. A cluster that has it more than once tells them apart, and so do we.
pub fn merge(drafts: &mut BTreeMap<Key, Draft>, clusters: &[Cluster]) {
    let mut declared: BTreeMap<Place, Vec<Key>> = BTreeMap::new();
    for (key, draft) in drafts.iter() {
        let unit = draft.parts.first().and_then(|part| {
            let unit = part.release.or(part.unit)?;
            Some(&clusters[part.cluster].units[unit].unit)
        });
        if let (Key::Unit { .. }, Some(unit)) = (key, unit) {
            declared.entry(unit.place).or_default().push(key.clone());
        }
    }
    for keys in declared.into_values().filter(|keys| keys.len() > 1) {
        let parts = keys.iter().flat_map(|key| &drafts[key].parts);
        let mut seen = BTreeSet::new();
        if !parts
            .map(|part| part.cluster)
            .all(|cluster| seen.insert(cluster))
        {
            continue;
        }
        let same: Vec<Draft> = keys.iter().filter_map(|key| drafts.remove(key)).collect();
        let firsts = same.iter().filter_map(|draft| draft.names.first());
        let shared = name::common(&firsts.map(|name| name.as_str()).collect::<Vec<_>>());
        let merged = same.into_iter().reduce(|mut draft, other| {
            draft.source = common_directory(draft.source.take(), other.source.as_ref());
            draft.parts.extend(other.parts);
            draft
        });
        if let (Some(mut draft), Some(key)) = (merged, keys.into_iter().next()) {
            draft.names.splice(0..0, shared);
            draft.parts.sort_by_key(|part| part.cluster);
            drafts.insert(key, draft);
        }
    }
}

/// Where environments build different directories, the manifests are in what these have in common.
pub fn common_directory(one: Option<RepoPath>, other: Option<&RepoPath>) -> Option<RepoPath> {
    let (Some(first), Some(second)) = (&one, other) else {
        return one;
    };
    // What several have in common already may well be above the next one.
    let mut above = Some(first.clone());
    while let Some(directory) = above.filter(|directory| !directory.as_str().is_empty()) {
        if *second == directory || second.is_below(&directory) {
            return Some(directory);
        }
        above = directory.parent();
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(directories: &[&str]) -> String {
        let mut paths = directories.iter().filter_map(|path| RepoPath::new(path));
        let first = paths.next();
        let all = paths.fold(first, |one, other| common_directory(one, Some(&other)));
        all.map(|path| path.as_str().to_owned()).unwrap_or_default()
    }

    #[test]
    fn however_many_directories_there_are_the_nearest_above_all_is_what_they_have_in_common() {
        let overlays = [
            "shop/overlays/dev",
            "shop/overlays/qa",
            "shop/overlays/prod",
        ];
        assert_eq!(common(&overlays), "shop/overlays");
        assert_eq!(common(&["shop", "shop/overlays/prod"]), "shop");
        assert_eq!(common(&["shop/overlays/prod", "shop"]), "shop");
        assert_eq!(common(&["shop/dev", "shop-api/dev"]), "shop/dev");
    }
}
