//! Clues in a directory's path about the cluster in it.

use super::*;
use crate::input::repo::Repo;

/// Whether a directory is `clusters/a`.
pub(super) fn is_one_of_clusters(path: &RepoPath) -> bool {
    let parent = path.parent();
    parent.is_some_and(|parent| parent.file_name() == "clusters")
}

/// `clusters/a` for what is below it.
pub(super) fn below_clusters(path: &RepoPath) -> Option<RepoPath> {
    let mut here = path.parent()?;
    loop {
        let parent = here.parent()?;
        if is_one_of_clusters(&here) {
            return Some(here);
        }
        here = parent;
    }
}

/// Whether two paths differ in one part only, as those of clusters of one fleet do.
pub(super) fn is_alike(a: &RepoPath, b: &RepoPath) -> bool {
    let a: Vec<&str> = a.as_str().split('/').collect();
    let b: Vec<&str> = b.as_str().split('/').collect();
    a.len() == b.len() && a.iter().zip(&b).filter(|(a, b)| a != b).count() == 1
}

pub(super) fn is_retired(path: &RepoPath) -> bool {
    path.as_str().split('/').any(|part| {
        let copied = [".bak", ".old", ".orig", ".disabled"];
        let is_copy = copied.iter().any(|ending| part.ends_with(ending));
        is_copy
            || matches!(
                part,
                "templates"
                    | "template"
                    | "testdata"
                    | ".github"
                    | "archive"
                    | "archived"
                    | "disabled"
                    | "deprecated"
                    | "_archive"
            )
    })
}

/// Whether something lies in a base beside overlays: what no overlay includes is not applied.
pub(super) fn is_in_base(repo: &Repo, path: &RepoPath) -> bool {
    let around = std::iter::successors(Some(path.clone()), RepoPath::parent);
    let mut bases = around.filter(|it| matches!(it.file_name(), "base" | "bases"));
    bases.any(|base| {
        let overlays = base.parent().and_then(|parent| parent.join("overlays"));
        overlays.is_some_and(|overlays| repo.is_dir(&overlays))
    })
}

/// Named so, it may as well be a cluster, if it lies beside one.
pub(super) fn is_for_trial(path: &RepoPath) -> bool {
    path.as_str().split('/').any(is_for_trial_name)
}

pub(super) fn is_for_trial_name(part: &str) -> bool {
    matches!(part, "tests" | "test" | "e2e" | "example" | "examples")
        || part == "ephemeral"
        || part.ends_with("-ephemeral")
}

/// The directory that holds all of these.
pub(super) fn common(paths: &BTreeSet<RepoPath>) -> Option<RepoPath> {
    let mut common = paths.first()?.clone();
    while !paths
        .iter()
        .all(|path| *path == common || path.is_below(&common))
    {
        common = common.parent()?;
    }
    Some(common)
}
