//! `--path` and `--component`: checks the given values against the repository. A name that matches nothing is an error,
//! because a typo would otherwise look like a clean repository.

use std::collections::BTreeSet;

use anyhow::{anyhow, bail};

use crate::catalog::{Catalog, ComponentIx};
use crate::export::report;
use crate::input::config::Globs;
use crate::input::repo::{Repo, RepoPath};
use base::text::nearest;

/// Longer names are not compared with others: that takes time, and nobody typed them.
const LONGEST_NAME: usize = 200;

/// Globs over paths, each of which matches a file.
pub fn paths(repo: &Repo, typed: &[String]) -> anyhow::Result<Globs> {
    let mut patterns = Vec::new();
    for typed in typed {
        let pattern = typed.trim_start_matches("./");
        let is_file = |globs: &Globs| {
            let mut files = repo.files();
            files.any(|file| matches_path(repo, globs, repo.path(file)))
        };
        // A directory may be written without its slash.
        let options = [pattern.to_owned(), format!("{pattern}/")];
        let mut found = None;
        for option in options {
            if is_file(&globs(&option)?) {
                found = Some(option);
                break;
            }
        }
        match found {
            Some(option) => patterns.push(option),
            None => bail!("{}", unknown_path(repo, pattern)),
        }
    }
    Globs::new(&patterns).map_err(|message| anyhow!(message))
}

/// Whether a path matches, from the root of the repository or of its git work tree.
fn matches_path(repo: &Repo, globs: &Globs, path: &RepoPath) -> bool {
    let prefix = report::prefix(repo);
    globs.any_match(&[path.as_str()])
        || !prefix.is_empty() && globs.any_match(&[&format!("{prefix}{path}")])
}

fn unknown_path(repo: &Repo, pattern: &str) -> String {
    let own = RepoPath::new(pattern.trim_end_matches('/'));
    if own.is_some_and(|path| repo.has_unread(&path)) {
        return format!(
            "`{pattern}` is not read: git or `ignore` in catalog.toml excludes it, or it is not a regular file"
        );
    }
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for file in repo.files() {
        let path = repo.path(file).as_str();
        known.insert(path);
        let slashes = path.match_indices('/').map(|(at, _)| &path[..at]);
        known.extend(slashes);
    }
    let known: Vec<&str> = known.into_iter().collect();
    let is_comparable = pattern.len() <= LONGEST_NAME;
    let meant = is_comparable.then(|| nearest(pattern.trim_end_matches('/'), &known));
    match meant.flatten() {
        Some(meant) => format!("no file matches `{pattern}`; did you mean `{meant}`?"),
        None => {
            format!("no file matches `{pattern}`; paths are relative to the root of the repository")
        }
    }
}

/// The ids of the components that were named; empty if none was.
pub fn components(catalog: &Catalog, typed: &[String]) -> anyhow::Result<Vec<String>> {
    let mut ids = BTreeSet::new();
    for name in typed {
        let found = match catalog.components_named(name) {
            Ok(found) => found,
            Err(unknown) => {
                let globs = globs(name)?;
                let all = catalog.components.iter_enumerated();
                let found: Vec<ComponentIx> = all
                    .filter(|(_, component)| globs.any_match(&[component.id.0.as_str()]))
                    .map(|(position, _)| position)
                    .collect();
                if found.is_empty() {
                    return Err(unknown.into());
                }
                found
            }
        };
        let names = found
            .iter()
            .map(|at| catalog.components[*at].id.0.to_string());
        ids.extend(names);
    }
    Ok(ids.into_iter().collect())
}

fn globs(pattern: &str) -> anyhow::Result<Globs> {
    Globs::new(&[pattern.to_owned()]).map_err(|message| anyhow!(message))
}
