//! The files that an engine may read, whoever keeps them.

use crate::{FileId, Finding, RepoPath};

/// A snapshot of a tree of files. Paths may lead through links within the tree, and never out of it.
pub trait Files: Sync {
    /// The path of a file.
    fn path(&self, file: FileId) -> &RepoPath;

    /// The file at a path.
    fn file(&self, path: &RepoPath) -> Option<FileId>;

    /// The file of a plain name in a directory.
    fn file_in(&self, directory: &RepoPath, name: &str) -> Option<FileId> {
        self.file(&directory.join(name)?)
    }

    /// Whether there is a directory at a path.
    fn is_dir(&self, path: &RepoPath) -> bool;

    /// The directory at a path, without links on the way.
    fn resolve_dir(&self, path: &RepoPath) -> Option<RepoPath>;

    /// All files inside a directory, at any depth, in the order of their paths.
    fn below(&self, directory: &RepoPath) -> Vec<FileId>;

    /// Whether something is at a path that is not part of the snapshot, such as a file that git ignores.
    fn has_unread(&self, path: &RepoPath) -> bool;

    /// The text of a file, or why it cannot be read.
    fn read_text(&self, file: FileId) -> Result<String, Finding>;
}
