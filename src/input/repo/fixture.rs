//! Small trees for the tests of this module.

use std::fs;

use super::{Repo, RepoPath};

/// A directory with empty files at these paths.
pub fn tree(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    dir
}

pub fn open(dir: &tempfile::TempDir) -> Repo {
    Repo::open(dir.path(), &[]).unwrap()
}

pub fn paths(repo: &Repo) -> Vec<&str> {
    repo.files().map(|id| repo.path(id).as_str()).collect()
}

pub fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}
