//! Paths that a `.gitignore` hides if git cannot tell whether they are tracked: there is no git, or it does not answer.
//! Lists the directories of a walk once more, without descending into hidden ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::RepoPath;
use super::generated::{GeneratedDirectories, is_deployable};
use super::git;
use super::walk::{Rules, has_safe_gitignore, nowhere};
use super::walked::Walked;
use base::Finding;

/// As many are named.
const MOST_NAMED: usize = 5;

/// Directories that the walk did not enter, and files that it did not take, if a manifest could be called so.
pub(super) fn list(
    root: &Path,
    walked: &Walked,
    generated: &GeneratedDirectories,
    configured: &Gitignore,
) -> BTreeSet<RepoPath> {
    let mut hidden = BTreeSet::new();
    for directory in &walked.dirs {
        let entries = fs::read_dir(root.join(directory.as_str()));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(path) = name.to_str().and_then(|name| directory.join(name)) else {
                continue;
            };
            if name == ".git" || walked.has(path.as_str()) || generated.contains(&path) {
                continue;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            // A document of a site is left out for another reason.
            let is_generated = kind.is_file() && generated.has(&path, |_| Some(b"{}".to_vec()));
            let could_matter = kind.is_dir() || (kind.is_file() && is_deployable(&path));
            let is_configured = configured
                .matched(root.join(path.as_str()), kind.is_dir())
                .is_ignore();
            if could_matter && !is_configured && !is_generated {
                hidden.insert(path);
            }
        }
    }
    hidden
}

/// Whether a `.gitignore` excludes a path, whether something is there or not.
pub(super) fn is_ignored(root: &Path, path: &RepoPath) -> bool {
    let whole = root.join(path.as_str());
    let mut directory = path.parent();
    while let Some(here) = directory {
        directory = here.parent();
        let base = root.join(here.as_str());
        let file = base.join(".gitignore");
        if !has_safe_gitignore(&base) || !file.is_file() {
            continue;
        }
        let mut builder = GitignoreBuilder::new(&base);
        if builder.add(&file).is_some() {
            continue;
        }
        let Ok(rules) = builder.build() else {
            continue;
        };
        // The rules of the nearest file count.
        match rules.matched_path_or_any_parents(&whole, false) {
            Match::None => {}
            found => return found.is_ignore(),
        }
    }
    false
}

/// One finding for all of them.
pub(super) fn finding(root: &Path, hidden: &BTreeSet<RepoPath>, rules: Rules) -> Option<Finding> {
    let first = hidden.first()?;
    let mut names = format!("`{first}`");
    for path in hidden.iter().take(MOST_NAMED).skip(1) {
        names.push_str(&format!(", `{path}`"));
    }
    if hidden.len() > MOST_NAMED {
        names.push_str(&format!(" and {} more", hidden.len() - MOST_NAMED));
    }
    Some(if rules == Rules::Unasked {
        let message = format!(
            "a .gitignore excludes {names}; excluded files are not read, because git is not asked what is tracked"
        );
        Finding::info("file-ignored", nowhere(), message)
            .help("run without `--no-git` to read the files that git tracks")
    } else if git::is_around(root) {
        let message = format!(
            "a .gitignore excludes {names}, and git cannot tell what is tracked; excluded files are not read"
        );
        Finding::warning("file-ignored", nowhere(), message)
            .help("make sure that `git ls-files` works here: git must be installed, and trust the owner of \
                   the directory, and the repository needs a commit")
    } else {
        let message = format!(
            "a .gitignore excludes {names}; excluded files are not read, although they may be deployed"
        );
        Finding::info("file-ignored", nowhere(), message).help(
            "run this in a clone of the repository, where git can tell which files are tracked",
        )
    })
}
