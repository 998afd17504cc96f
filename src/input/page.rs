//! Pages that authors wrote, without what is a secret beyond doubt.

use std::borrow::Cow;

use base::{FileId, Finding};

use super::repo::Repo;

/// The text of a page. What authors publish is theirs to choose, but for what is a secret beyond doubt.
pub fn read_page(repo: &Repo, file: FileId) -> Result<String, Finding> {
    let text = repo.read_text(file)?;
    Ok(match secret::look::published(&text) {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => text,
    })
}
