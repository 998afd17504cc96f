//! The `Files` trait: the files that an engine may read, and the findings for paths that lead nowhere. The program
//! implements it; engines never touch the file system themselves.

use crate::{Effect, FileId, Finding, Place, RepoPath};

/// A snapshot of a tree of files. Paths may lead through links within the tree, but never out of it.
pub trait Files: Sync {
    /// The path of a file.
    fn path(&self, file: FileId) -> &RepoPath;

    /// The file at a path.
    fn file(&self, path: &RepoPath) -> Option<FileId>;

    /// The file called `name` in a directory.
    fn file_in(&self, directory: &RepoPath, name: &str) -> Option<FileId> {
        self.file(&directory.join(name)?)
    }

    /// Whether a path is a directory.
    fn is_dir(&self, path: &RepoPath) -> bool;

    /// The directory at a path, with links resolved.
    fn resolve_dir(&self, path: &RepoPath) -> Option<RepoPath>;

    /// All files inside a directory, at any depth, sorted by path.
    fn below(&self, directory: &RepoPath) -> Vec<FileId>;

    /// Whether something exists at a path that is not part of the snapshot, such as a file that git ignores.
    fn has_unread(&self, path: &RepoPath) -> bool;

    /// The text of a file, or why it cannot be read.
    fn read_text(&self, file: FileId) -> Result<String, Finding>;

    /// The bytes of a file, or why it cannot be read.
    fn read(&self, file: FileId) -> Result<Vec<u8>, Finding> {
        self.read_text(file).map(String::into_bytes)
    }

    /// Whether a path goes through a link that is not followed because it leads out of the tree.
    fn leads_out(&self, _path: &RepoPath) -> bool {
        false
    }

    /// Whether a path is kept out of the repo on purpose, so that the file is made when it is needed.
    fn is_ignored(&self, _path: &RepoPath) -> bool {
        false
    }

    /// Finding for a path at which nothing is read.
    fn missing(&self, path: &str, target: &RepoPath, place: Place) -> Finding {
        missing_in(self, path, target, place)
    }

    /// The file that a manifest in `directory` refers to.
    fn file_at(&self, directory: &RepoPath, path: &str, place: Place) -> Result<FileId, Finding> {
        let target = directory.join(path).ok_or_else(|| outside(path, place))?;
        self.file(&target).ok_or_else(|| {
            if self.leads_out(&target) {
                linked_outside(path, place)
            } else {
                self.missing(path, &target, place)
            }
        })
    }
}

/// Finding for a path that leads out of the repo.
pub fn outside(path: &str, place: Place) -> Finding {
    Finding::error(
        "path-outside",
        place,
        format!("`{path}` is outside the repository and is not read"),
    )
}

/// Finding for a path that goes through a link out of the repo.
fn linked_outside(path: &str, place: Place) -> Finding {
    Finding::warning(
        "link-outside",
        place,
        format!(
            "`{path}` leads outside the repository through a symbolic link, which is not followed"
        ),
    )
    .help("replace the link with a copy of its target, or point it to a file in the repository")
}

/// Finding for a path at which nothing is read in `files`.
pub fn missing_in<F: Files + ?Sized>(
    files: &F,
    path: &str,
    target: &RepoPath,
    place: Place,
) -> Finding {
    if files.has_unread(target) || files.is_ignored(target) {
        uncommitted(path, target, place)
    } else {
        missing(path, target, place)
    }
}

/// Finding for a path that a `.gitignore` excludes: whoever builds this has the file.
fn uncommitted(path: &str, target: &RepoPath, place: Place) -> Finding {
    let message = format!(
        "`{path}` is not committed: a .gitignore excludes `{target}`, so its contents are missing from the catalogue"
    );
    Finding::info("file-missing", place, message)
        .help("no action needed, if whoever builds this creates the file first")
        .effect(Effect::Unsupported)
        .cause("uncommitted")
}

/// Finding for a path that does not exist.
pub fn missing(path: &str, target: &RepoPath, place: Place) -> Finding {
    Finding::error(
        "file-missing",
        place,
        format!("`{path}` does not exist, so this cannot be built (looked for `{target}`)"),
    )
    .help("create it, or remove the entry")
}
