//! Writes changes: each file in one step, and only if it is unchanged since it was read.

use std::io;
use std::path::Path;

use thiserror::Error;

use super::change::{FileChanges, leads_through_link};
use crate::input::repo::Repo;
use system::output;
use system::{Directory, Way};

/// A file that is larger than this has changed since it was read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Debug, Error)]
#[error("cannot write `{path}`: {source}")]
pub struct WriteError {
    path: String,
    source: io::Error,
}

pub fn write(repo: &Repo, changes: &[FileChanges]) -> Result<Vec<String>, WriteError> {
    let mut written = Vec::new();
    // Files are written before others are removed, so that a failure loses nothing.
    let (goes, stays): (Vec<&FileChanges>, Vec<&FileChanges>) =
        changes.iter().partition(|change| change.after.is_none());
    for change in stays.into_iter().chain(goes) {
        write_one(repo.root(), change).map_err(|source| WriteError {
            path: change.path.clone(),
            source,
        })?;
        written.push(change.path.clone());
    }
    written.sort();
    Ok(written)
}

fn write_one(root: &Path, change: &FileChanges) -> io::Result<()> {
    // Looked at again: what was a file may have become a link.
    if leads_through_link(root, &change.path) {
        return Err(io::Error::other("it is reached through a symbolic link"));
    }
    let way = match change.after {
        Some(_) => Way::Made,
        None => Way::AsItIs,
    };
    // From here on a link that takes the place of a directory is not followed either.
    let (directory, name) = Directory::open(root)?.above(Path::new(&change.path), way)?;
    let now = match directory.read(&name, MAX_BYTES) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if now.as_deref() != change.before.as_deref().map(str::as_bytes) {
        return Err(io::Error::other("it has changed since it was read"));
    }
    match &change.after {
        Some(after) => output::place(&directory, &name, |to| to.write_all(after.as_bytes())),
        None => directory.remove_file(&name),
    }
}
