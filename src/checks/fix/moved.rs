//! References to files that a fix moves: links in documents are corrected, and a kustomization elsewhere that lists such a
//! file refuses the fix.

use std::collections::BTreeMap;

use crate::input::repo::{Repo, RepoPath};
use base::{Edit, FileId};

/// Documents that are looked into.
const MAX_DOCUMENTS: usize = 5_000;
/// Larger documents hold more than links.
const MAX_BYTES: usize = 1024 * 1024;

/// The edits of documents that link to moved files, by old path. None if something else refers to one of them.
pub fn relinked(
    repo: &Repo,
    moves: &BTreeMap<RepoPath, RepoPath>,
    own_list: Option<FileId>,
) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut documents = 0;
    for file in repo.files() {
        let path = repo.path(file);
        let is_list = kustomize::FILE_NAMES.contains(&path.file_name());
        let is_document = matches!(path.extension(), Some("md" | "markdown"));
        if !is_list && !is_document || Some(file) == own_list {
            continue;
        }
        let directory = path.parent().unwrap_or_else(RepoPath::root);
        let Ok(text) = repo.read_text(file) else {
            continue;
        };
        let mut names = moves.keys().map(RepoPath::file_name);
        if text.len() > MAX_BYTES || !names.any(|name| text.contains(name)) {
            continue;
        }
        if is_list {
            let mut entries = text.lines().map(entry);
            let is_moved = |entry| moves.contains_key(&entry);
            if entries.any(|entry| directory.join(entry).is_some_and(is_moved)) {
                return None;
            }
            continue;
        }
        documents += 1;
        if documents > MAX_DOCUMENTS {
            return None;
        }
        for (nth, line) in text.lines().enumerate() {
            if let Some(line) = corrected(line, &directory, moves) {
                edits.push(Edit::Lines {
                    path: path.as_str().to_owned(),
                    first: nth as u32 + 1,
                    count: 1,
                    text: line,
                });
            }
        }
    }
    Some(edits)
}

/// The path in a line of a list.
fn entry(line: &str) -> &str {
    let line = line.trim().trim_start_matches("- ");
    let value = line.split_once(": ").map_or(line, |(_, value)| value);
    value.trim_matches(['"', '\''])
}

/// A line of Markdown in which links lead to the new places; None if it has no link to a moved file.
fn corrected(
    line: &str,
    directory: &RepoPath,
    moves: &BTreeMap<RepoPath, RepoPath>,
) -> Option<String> {
    let mut new = String::new();
    let mut rest = line;
    let mut is_changed = false;
    while let Some(at) = rest.find("](") {
        let start = at + "](".len();
        let length = rest[start..].find([')', ' ', '#']);
        let end = start + length.unwrap_or(rest.len() - start);
        let target = directory.join(&rest[start..end]);
        new.push_str(&rest[..start]);
        match target.and_then(|target| moves.get(&target)) {
            Some(moved) => {
                is_changed = true;
                new.push_str(&path_from(directory, moved));
            }
            None => new.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    new.push_str(rest);
    is_changed.then_some(new)
}

/// How a document in a directory writes a path.
fn path_from(directory: &RepoPath, path: &RepoPath) -> String {
    let parts = |path: &RepoPath| -> Vec<String> {
        let parts = path.as_str().split('/').filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let (from, to) = (parts(directory), parts(path));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let parts: Vec<String> = up.chain(to[common..].iter().cloned()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_moved_files_are_corrected_from_where_the_document_is() {
        let path = |text: &str| RepoPath::new(text).unwrap();
        let moves = BTreeMap::from([(path("apps/a/x.yaml"), path("apps/a-config/x.yaml"))]);
        let line = "see [x](x.yaml#spec), [x](./x.yaml) and [y](y.yaml)";
        assert_eq!(
            corrected(line, &path("apps/a"), &moves).unwrap(),
            "see [x](../a-config/x.yaml#spec), [x](../a-config/x.yaml) and [y](y.yaml)"
        );
        let line = "see [x](../apps/a/x.yaml)";
        assert_eq!(
            corrected(line, &path("docs"), &moves).unwrap(),
            "see [x](../apps/a-config/x.yaml)"
        );
        assert_eq!(corrected("see [x](x.yaml)", &path("docs"), &moves), None);
    }
}
