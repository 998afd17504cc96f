//! Fixes as changes of files: computed from the files, shown as a patch, or written. Only this module writes to the
//! repo's files. It changes whole lines, keeps all others, and touches nothing outside the work tree.

mod change;
mod moved;
mod patch;
mod remedy;
mod write;

use std::collections::BTreeMap;

use thiserror::Error;

use crate::input::repo::{Repo, RepoPath};
use base::Fix;
use change::{FileChanges, FileDraft};
pub use patch::Patch;
pub use remedy::Fixes;
pub use write::WriteError;

/// Why a fix cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FixError {
    #[error("`{0}` is not a path inside the repository")]
    Outside(String),
    #[error("`{0}` is reached through a symbolic link and is not changed")]
    Link(String),
    #[error("`{0}` cannot be read")]
    Unreadable(String),
    #[error("`{0}` has no line {1}")]
    NoLine(String, u32),
    #[error("`{0}` already exists")]
    Exists(String),
    #[error("another fix already changes `{0}`")]
    Conflict(String),
}

/// Combined changes of several fixes.
pub struct FixPlan<'a> {
    changes: Vec<FileChanges>,
    /// Fixes that are included, in their original order.
    pub made: Vec<&'a Fix>,
    /// Fixes that are not included, with the reason.
    pub left: Vec<(&'a Fix, FixError)>,
}

/// Combines fixes. Each is applied completely or not at all. If two touch the same lines, the first one wins.
pub fn plan<'a>(repo: &Repo, fixes: &[&'a Fix]) -> FixPlan<'a> {
    let mut drafts: BTreeMap<String, FileDraft> = BTreeMap::new();
    let (mut made, mut left) = (Vec::new(), Vec::new());
    for fix in fixes {
        // Each fix is tried on a copy of the files that it touches, because a partial fix is worse than none.
        let mut tried: BTreeMap<String, FileDraft> = BTreeMap::new();
        let outcome = fix.edits.iter().try_for_each(|edit| {
            let path = change::path_of(edit);
            if !tried.contains_key(path) {
                let draft = match drafts.get(path) {
                    Some(draft) => draft.clone(),
                    None => FileDraft::open(repo, path)?,
                };
                tried.insert(path.to_owned(), draft);
            }
            let draft = tried.get_mut(path).expect("inserted just above");
            draft.add(edit)
        });
        match outcome {
            Ok(()) => {
                drafts.extend(tried);
                made.push(*fix);
            }
            Err(error) => left.push((*fix, error)),
        }
    }
    let changes = drafts.into_values().filter_map(FileDraft::into_change);
    FixPlan {
        changes: changes.collect(),
        made,
        left,
    }
}

impl FixPlan<'_> {
    /// The contents of the files that it changes; none for a file that it removes.
    pub fn contents(&self) -> BTreeMap<RepoPath, Option<Vec<u8>>> {
        let changes = self.changes.iter().filter_map(|change| {
            let after = change.after.as_ref().map(|text| text.clone().into_bytes());
            Some((RepoPath::new(&change.path)?, after))
        });
        changes.collect()
    }

    /// A unified diff for `git apply` and `patch -p1`, with paths below `prefix`, which is empty or ends with `/`.
    pub fn patch(&self, prefix: &str) -> Patch {
        patch::patch(&self.changes, prefix)
    }

    /// Writes the files and returns their paths. A file that cannot be written stays unchanged.
    pub fn write(&self, repo: &Repo) -> Result<Vec<String>, WriteError> {
        write::write(repo, &self.changes)
    }
}

/// Some fixes as one patch, with paths below `prefix`.
pub fn patch(repo: &Repo, fixes: &[&Fix], prefix: &str) -> Result<Patch, FixError> {
    let plan = plan(repo, fixes);
    match plan.left.first() {
        Some((_, error)) => Err(error.clone()),
        None => Ok(plan.patch(prefix)),
    }
}

#[cfg(test)]
mod tests;
