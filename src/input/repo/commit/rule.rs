//! Files of a commit that are not read: those that the configuration ignores. A `.gitignore` does not apply to
//! committed files, only to others next to them on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::blob::Blob;
use super::{Commit, PathKind, TreeEntryKind};
use crate::input::repo::walk;
use base::Finding;

#[derive(Debug)]
pub struct Rules {
    /// By directory, from the root of the work tree: what its `.gitignore` says.
    of_directories: BTreeMap<String, Gitignore>,
    /// Directories in which other repositories begin, which have their own rules only.
    modules: Vec<String>,
    /// Patterns that the configuration ignores.
    configured: Gitignore,
    root: PathBuf,
    prefix: String,
    /// Directories that are left out as a whole: those whose rules cannot be read.
    shut: Vec<String>,
}

impl Rules {
    pub fn read(commit: &Commit, ignore: &[String], findings: &mut Vec<Finding>) -> Rules {
        let prefix = commit.git.prefix.clone();
        let listing = &commit.listing;
        let mut rules = Rules {
            of_directories: BTreeMap::new(),
            modules: Vec::new(),
            configured: walk::matcher(&commit.root, ignore, findings),
            root: commit.root.clone(),
            shut: Vec::new(),
            prefix,
        };
        for (path, entry) in &listing.entries {
            if entry.kind == TreeEntryKind::Module {
                rules.modules.push(path.clone());
            }
            let directory = match path.rsplit_once('/') {
                Some((directory, ".gitignore")) => directory,
                None if path == ".gitignore" => "",
                _ => continue,
            };
            if entry.kind != TreeEntryKind::File {
                continue;
            }
            match commit.stores[entry.store].read(&entry.id) {
                Blob::Bytes(bytes) if bytes.len() as u64 <= walk::MAX_GITIGNORE_BYTES => {
                    let matcher = matcher(directory, &bytes);
                    rules.of_directories.insert(directory.to_owned(), matcher);
                }
                _ => {
                    if let Some(own) = directory.strip_prefix(rules.prefix.as_str()) {
                        findings.push(walk::unsafe_gitignore(own));
                        rules.shut.push(directory.to_owned());
                    }
                }
            }
        }
        rules.shut.sort();
        rules
    }

    /// Whether a path below the directory that is read is left out: for itself, or for a directory on the way to it.
    pub fn leaves_out(&self, path: &str, shape: PathKind) -> bool {
        self.steps(path, shape).any(|(step, shape)| {
            let is_shut = shape == PathKind::Directory && self.is_shut(step);
            is_shut || self.is_configured(step, shape)
        })
    }

    /// Whether git ignores a path, and this machine has something there all the same.
    pub fn is_ignored_and_there(&self, commit: &Commit, path: &str) -> bool {
        let Some(top) = &commit.top else {
            return false;
        };
        let Ok(found) = fs::symlink_metadata(top.join(path)) else {
            return false;
        };
        let shape = if found.is_dir() {
            PathKind::Directory
        } else {
            PathKind::File
        };
        let is_of_git = path.split('/').any(|part| part == ".git");
        let mut steps = self.steps(path, shape);
        is_of_git
            || self.leaves_out(path, shape)
            || steps.any(|(step, shape)| self.is_ignored(step, shape))
    }

    /// The path and the directories on the way to it, from the outermost.
    fn steps<'p>(
        &self,
        path: &'p str,
        shape: PathKind,
    ) -> impl Iterator<Item = (&'p str, PathKind)> {
        let start = self.prefix.len();
        let slashes = path.match_indices('/').map(|(at, _)| at);
        let above = slashes.filter(move |at| *at >= start);
        let above = above.map(|at| (&path[..at], PathKind::Directory));
        above.chain([(path, shape)])
    }

    fn is_shut(&self, directory: &str) -> bool {
        let same = |shut: &String| shut.as_str().cmp(directory);
        self.shut.binary_search_by(same).is_ok()
    }

    fn is_configured(&self, path: &str, shape: PathKind) -> bool {
        let own = path.strip_prefix(self.prefix.as_str()).unwrap_or(path);
        let matched = self
            .configured
            .matched(self.root.join(own), shape == PathKind::Directory);
        matched.is_ignore()
    }

    /// The rules of the nearest directory that has one for it count.
    fn is_ignored(&self, path: &str, shape: PathKind) -> bool {
        if self.of_directories.is_empty() {
            return false;
        }
        let mut directory = path;
        while !directory.is_empty() {
            directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
            if let Some(rules) = self.of_directories.get(directory) {
                let matched = rules.matched(virtual_path(path), shape == PathKind::Directory);
                if !matched.is_none() {
                    return matched.is_ignore();
                }
            }
            if self.modules.iter().any(|module| module == directory) {
                break;
            }
        }
        false
    }
}

/// Paths of a commit are nowhere, and matchers want them somewhere.
pub fn virtual_path(path: &str) -> PathBuf {
    Path::new("/").join(path)
}

pub fn matcher(directory: &str, text: &[u8]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(virtual_path(directory));
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    for line in text.split(|byte| *byte == b'\n') {
        // The walk stops at a line that is not UTF-8, too.
        let Ok(line) = std::str::from_utf8(line) else {
            break;
        };
        let line = line.strip_suffix('\r').unwrap_or(line);
        // A line that is no pattern matches nothing.
        builder.add_line(None, line).ok();
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
