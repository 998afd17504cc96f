//! A repo with changes that nobody wrote: what it would be after a fix. The disk stays as it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::walk::{Tree, WalkedFile};
use super::{Repo, RepoPath};
use base::FileId;

impl Repo {
    /// The repo in which these files have other contents, or are gone. None for a commit, in which nothing can be fixed.
    pub fn with_changes(&self, changes: &BTreeMap<RepoPath, Option<Vec<u8>>>) -> Option<Repo> {
        if self.commit.is_some() {
            return None;
        }
        let tree = Arc::new(changed(&self.tree, changes));
        let mut held = (*self.held).clone();
        for (path, content) in changes {
            match content {
                Some(content) => drop(held.insert(path.clone(), content.as_slice().into())),
                None => drop(held.remove(path)),
            }
        }
        let rename = |file: FileId| tree.index.get(self.path(file)).copied();
        let kept = self.kept.as_ref().map(|kept| kept.renamed(rename));
        Some(Repo {
            root: self.root.clone(),
            git: self.git.clone(),
            git_use: self.git_use,
            history: Arc::default(),
            recent: Arc::default(),
            log: Arc::default(),
            charts: self.charts.clone(),
            kept: kept.map(Arc::new),
            held: Arc::new(held),
            commit: None,
            withheld: Arc::default(),
            hidden: Arc::default(),
            makers: Default::default(),
            tree,
        })
    }
}

fn changed(tree: &Tree, changes: &BTreeMap<RepoPath, Option<Vec<u8>>>) -> Tree {
    let stay = tree.files.iter();
    let stay = stay.filter(|file| !changes.contains_key(&file.path));
    let stay = stay.map(|file| WalkedFile {
        path: file.path.clone(),
        bytes: file.bytes,
    });
    let new = changes.iter().filter_map(|(path, content)| {
        Some(WalkedFile {
            path: path.clone(),
            bytes: content.as_ref()?.len() as u64,
        })
    });
    let mut files: Vec<WalkedFile> = stay.chain(new).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let index = files.iter().enumerate();
    let index = index.map(|(at, file)| (file.path.clone(), FileId(at as u32)));
    let mut dirs = tree.dirs.clone();
    for path in changes.keys() {
        let mut directory = path.parent();
        while let Some(here) = directory {
            directory = here.parent();
            dirs.insert(here);
        }
    }
    Tree {
        index: index.collect(),
        dirs,
        links: tree.links.clone(),
        ignored: tree.ignored.clone(),
        configured: tree.configured,
        findings: tree.findings.clone(),
        files,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{open, path, paths, tree};
    use super::*;

    #[test]
    fn files_are_changed_added_and_removed_in_memory_only() {
        let dir = tree(&["a/x.yaml", "a/y.yaml", "b"]);
        let repo = open(&dir);
        let changes = [
            ("a/x.yaml", Some("changed")),
            ("a/y.yaml", None),
            ("c/new.yaml", Some("new")),
        ];
        let changes = changes.map(|(at, text)| (path(at), text.map(|it| it.as_bytes().to_vec())));
        let changed = repo.with_changes(&BTreeMap::from(changes)).unwrap();
        assert_eq!(paths(&changed), ["a/x.yaml", "b", "c/new.yaml"]);
        let text = |at: &str| changed.read_text(changed.file(&path(at)).unwrap()).unwrap();
        assert_eq!(
            (text("a/x.yaml"), text("c/new.yaml")),
            ("changed".into(), "new".into())
        );
        assert!(changed.is_dir(&path("c")));
        assert_eq!(paths(&open(&dir)), ["a/x.yaml", "a/y.yaml", "b"]);
    }
}
