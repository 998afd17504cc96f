//! Raw result of a walk: sorted, and completed with tracked files that the walk skipped.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ignore::gitignore::Gitignore;

use super::RepoPath;
use super::tracked::{self, Tracked};
use super::walk::WalkedFile;
use base::hash::{HashMap, HashSet};
use base::{FileId, Finding};

/// Raw result of a walk, before links are followed.
#[derive(Default)]
pub(super) struct Walked {
    /// In the order of their paths, once they are sorted.
    pub files: Vec<WalkedFile>,
    pub index: HashMap<RepoPath, FileId>,
    pub dirs: HashSet<RepoPath>,
    pub links: BTreeSet<RepoPath>,
    /// Directories with the marker of a site.
    pub sites: BTreeSet<RepoPath>,
    /// Directories that are not read, each with a finding that says so.
    pub shut: BTreeSet<RepoPath>,
    /// Paths that are not UTF-8, in printable form.
    pub odd: Vec<String>,
    pub has_gitignore: bool,
}

impl Walked {
    pub fn sort(&mut self) {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        let paths = self.files.iter().map(|file| file.path.clone());
        self.index = paths.zip((0..).map(FileId)).collect();
    }

    /// Whether anything was met at a path.
    pub fn has(&self, path: &str) -> bool {
        self.index.contains_key(path) || self.dirs.contains(path) || self.links.contains(path)
    }

    /// Adds what git tracks and a `.gitignore` hides: it is deployed all the same.
    pub fn add(
        &mut self,
        root: &Path,
        tracked: &Tracked,
        configured: &Gitignore,
        findings: &mut Vec<Finding>,
    ) {
        self.odd.extend(tracked.odd.iter().cloned());
        findings.extend(tracked.absent.iter().map(|path| tracked::absent(path)));
        let hidden = tracked.paths.iter().filter(|path| !self.has(path));
        // In the midst of a merge, git lists a path more than once.
        let hidden: BTreeSet<RepoPath> = hidden.filter_map(|path| RepoPath::new(path)).collect();
        let count = self.files.len();
        for path in hidden {
            let above = above(&path);
            let is_shut = above.iter().any(|above| self.shut.contains(above));
            if is_shut || is_configured(root, configured, &path, &above) {
                continue;
            }
            // Behind a link, it would be another file.
            let is_real = |above: &RepoPath| {
                self.dirs.contains(above) || is_directory(&root.join(above.as_str()))
            };
            if !above.iter().all(is_real) {
                continue;
            }
            let Ok(found) = fs::symlink_metadata(root.join(path.as_str())) else {
                continue;
            };
            self.dirs.extend(above);
            if found.is_file() {
                let bytes = found.len();
                self.files.push(WalkedFile { path, bytes });
            } else if found.is_symlink() {
                self.links.insert(path);
            }
        }
        if self.files.len() > count {
            self.sort();
        }
    }
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// The directories on the way to a path, from the outermost, without the root.
fn above(path: &RepoPath) -> Vec<RepoPath> {
    let slashes = path.as_str().match_indices('/').map(|(at, _)| at);
    let above = slashes.filter_map(|at| RepoPath::new(&path.as_str()[..at]));
    above.collect()
}

/// Whether the configuration leaves a file out, or a directory on the way to it.
fn is_configured(root: &Path, configured: &Gitignore, path: &RepoPath, above: &[RepoPath]) -> bool {
    let matches = |path: &RepoPath, is_dir: bool| {
        let path = root.join(path.as_str());
        configured.matched(path, is_dir).is_ignore()
    };
    above.iter().any(|above| matches(above, true)) || matches(path, false)
}
