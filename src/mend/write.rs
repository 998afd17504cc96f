//! Writes changes: each file in one step, and only where it is still what was read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use thiserror::Error;

use super::change::{Change, leads_through_link};
use crate::repo::Repo;

#[derive(Debug, Error)]
#[error("cannot write `{path}`: {source}")]
pub struct WriteError {
    path: String,
    source: io::Error,
}

pub fn write(repo: &Repo, changes: &[Change]) -> Result<Vec<String>, WriteError> {
    let mut written = Vec::new();
    // What is made comes before what goes, so that nothing is lost on the way.
    let (goes, stays): (Vec<&Change>, Vec<&Change>) =
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

fn write_one(root: &Path, change: &Change) -> io::Result<()> {
    // Looked at again: what was a file may have become a link.
    if leads_through_link(root, &change.path) {
        return Err(io::Error::other("it is reached through a link"));
    }
    let path = root.join(&change.path);
    let now = match fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if now.as_deref() != change.before.as_deref().map(str::as_bytes) {
        return Err(io::Error::other("it has changed since it was read"));
    }
    let Some(after) = &change.after else {
        return fs::remove_file(&path);
    };
    let directory = path.parent().unwrap_or(root);
    fs::create_dir_all(directory)?;
    let temporary = directory.join(format!(".catalog-fix-{}.tmp", std::process::id()));
    let outcome = place(&temporary, &path, after.as_bytes());
    if outcome.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    outcome
}

/// Beside the file first, so that nobody ever sees half of it.
fn place(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(temporary)?;
    file.write_all(bytes)?;
    if let Ok(metadata) = fs::metadata(path) {
        file.set_permissions(metadata.permissions())?;
    }
    file.sync_all()?;
    drop(file);
    fs::rename(temporary, path)
}
