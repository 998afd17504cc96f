//! The walk over the directory tree: which files, directories and links there are.
//! Follows no link and opens nothing but directories, `.gitignore` files and documents of sites; what it meets in parallel,
//! it returns in order.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::RepoPath;
use super::generated::{GeneratedDirectories, SITE_MARKER};
use super::ignored;
use super::link::LinkIndex;
use super::tracked;
use super::walked::Walked;
use base::hash::{HashMap, HashSet};
use base::{FileId, Finding, Place};

/// A larger `.gitignore` is not one.
pub(super) const MAX_GITIGNORE_BYTES: u64 = 1024 * 1024;

/// Result of a walk.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// In the order of their paths.
    pub files: Vec<WalkedFile>,
    /// Position of each file in that order. Lookups by path far outnumber inserts.
    pub index: HashMap<RepoPath, FileId>,
    pub dirs: HashSet<RepoPath>,
    pub links: LinkIndex,
    /// Paths that a `.gitignore` hides, for which git cannot tell whether they are tracked.
    pub ignored: BTreeSet<RepoPath>,
    /// How many files and directories the configuration leaves out.
    pub configured: usize,
    pub findings: Vec<Finding>,
}

#[derive(Debug)]
pub(super) struct WalkedFile {
    pub path: RepoPath,
    /// The size when the walk passed by, so that a large file is refused unopened.
    pub bytes: u64,
}

impl Tree {
    /// Whether two walks met the same. Files may have grown, unless they are now too large to be read.
    pub fn is_like(&self, other: &Tree) -> bool {
        let is_large = |file: &WalkedFile| file.bytes > super::MAX_FILE_BYTES;
        let mut files = self.files.iter().zip(&other.files);
        self.files.len() == other.files.len()
            && files.all(|(a, b)| a.path == b.path && is_large(a) == is_large(b))
            && self.dirs == other.dirs
            && self.links == other.links
            && self.findings == other.findings
    }
}

/// Whose `.gitignore` files count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// Rules of the tree, and of the directories above it up to the root of the work tree.
    WorkTree,
    /// The same, without asking git which ignored files are tracked.
    Unasked,
    /// Rules of the tree only. Directories above it are not part of the input.
    Tree,
}

/// Walks the tree below `root`, which must be a canonical path.
pub(super) fn walk(root: &Path, ignored: &[String], rules: Rules) -> Tree {
    let mut tree = Tree::default();
    let configured = matcher(root, ignored, &mut tree.findings);
    tree.findings.extend(unreadable_gitignore(root, root));
    // Git reads its index while we walk.
    let (met, listed) = rayon::join(
        || meet(root, &configured, rules),
        || match rules {
            Rules::WorkTree => tracked::list(root),
            Rules::Unasked | Rules::Tree => None,
        },
    );
    let mut walked = Walked {
        has_gitignore: !has_no_gitignore(root),
        ..Walked::default()
    };
    for met in met {
        match met {
            Met::File(file) => walked.files.push(file),
            Met::Dir(path) => drop(walked.dirs.insert(path)),
            Met::Link(path) => drop(walked.links.insert(path)),
            Met::Site(path) => drop(walked.sites.insert(path)),
            Met::Shut(path) => drop(walked.shut.insert(path)),
            Met::Odd(path) => walked.odd.push(path),
            Met::Gitignore => walked.has_gitignore = true,
            Met::Configured => tree.configured += 1,
            Met::Finding(finding) => tree.findings.push(finding),
        }
    }
    walked.sort();
    if let Some(listed) = &listed {
        walked.add(root, listed, &configured, &mut tree.findings);
    }
    let generated = GeneratedDirectories::new(
        std::mem::take(&mut walked.sites),
        walked.files.iter().map(|file| &file.path),
        &walked.dirs,
    );
    if !generated.is_empty() {
        let read = |path: &RepoPath| match super::read_regular(&root.join(path.as_str()), 0) {
            // Another build has replaced its site since the walk met the file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(b"{}".to_vec()),
            content => content.ok(),
        };
        walked.files.retain(|file| !generated.has(&file.path, read));
        generated.tidy(&mut walked.dirs, walked.files.iter().map(|file| &file.path));
        walked.sort();
    }
    if listed.is_none() && (walked.has_gitignore || rules != Rules::Tree) {
        tree.ignored = ignored::list(root, &walked, &generated, &configured);
        tree.findings
            .extend(ignored::finding(root, &tree.ignored, rules));
    }
    tree.findings.extend(not_utf8(walked.odd));
    walked.links.retain(|link| !generated.has_link(link));
    tree.links = LinkIndex::follow(root, walked.links.into_iter().collect(), &mut tree.findings);
    (tree.files, tree.index, tree.dirs) = (walked.files, walked.index, walked.dirs);
    tree.findings.extend(tree.links.renamed(&tree.index));
    tree.findings.sort();
    tree.findings.dedup();
    tree
}

fn has_no_gitignore(dir: &Path) -> bool {
    let found = fs::symlink_metadata(dir.join(".gitignore"));
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Whether the walk may read the `.gitignore` of this directory: one that is a pipe or a device has no end.
pub(super) fn has_safe_gitignore(dir: &Path) -> bool {
    fs::metadata(dir.join(".gitignore")).map_or(true, |found| {
        found.is_dir() || (found.is_file() && found.len() <= MAX_GITIGNORE_BYTES)
    })
}

enum Met {
    File(WalkedFile),
    Dir(RepoPath),
    Link(RepoPath),
    /// A directory with the marker of a site.
    Site(RepoPath),
    /// A directory that is not read, and a finding says so.
    Shut(RepoPath),
    /// A path that is not UTF-8, in printable form.
    Odd(String),
    /// Some directory has a `.gitignore`.
    Gitignore,
    /// Something that the configuration names.
    Configured,
    Finding(Finding),
}

fn meet(root: &Path, ignored: &Gitignore, rules: Rules) -> Vec<Met> {
    let (sender, receiver) = mpsc::channel();
    let of_dirs = sender.clone();
    let filter_root = root.to_path_buf();
    let ignored = ignored.clone();
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .follow_links(false)
        .git_ignore(true)
        .require_git(rules != Rules::Tree)
        .parents(rules != Rules::Tree)
        // Ignore rules of this machine would make the result differ between machines.
        .git_global(false)
        .git_exclude(false)
        .ignore(false)
        .filter_entry(move |entry| {
            let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
            if entry.file_name() == ".git" {
                return false;
            }
            let tell = |met: Met| of_dirs.send(met).ok();
            if ignored.matched(entry.path(), is_dir).is_ignore() {
                tell(Met::Configured);
                return false;
            }
            if !is_dir {
                return true;
            }
            let own = || relative(&filter_root, entry.path());
            // The marker may be ignored itself, and so be no file that the walk meets.
            if entry.depth() > 0 && entry.path().join(SITE_MARKER).exists() {
                own().map(|own| tell(Met::Site(own)));
            }
            // Few directories have any, and every further look at those that do not would cost as much.
            if has_no_gitignore(entry.path()) {
                return true;
            }
            tell(Met::Gitignore);
            let safe = has_safe_gitignore(entry.path());
            let finding = if safe {
                unreadable_gitignore(&filter_root, entry.path())
            } else {
                own().map(|own| tell(Met::Shut(own)));
                Some(unsafe_gitignore(&shown(&filter_root, entry.path())))
            };
            finding.map(|finding| tell(Met::Finding(finding)));
            safe
        });
    builder.build_parallel().run(|| {
        let sender = sender.clone();
        Box::new(move |entry| {
            let (met, next) = match entry {
                Ok(entry) => classify(root, &entry),
                Err(error) => (unreadable(root, &error), WalkState::Continue),
            };
            // The receiver outlives the walk, so that nothing is lost here.
            met.map(|met| sender.send(met).ok());
            next
        })
    });
    drop(builder);
    drop(sender);
    receiver.into_iter().collect()
}

fn classify(root: &Path, entry: &DirEntry) -> (Option<Met>, WalkState) {
    let Some(path) = relative(root, entry.path()) else {
        return (Some(Met::Odd(shown(root, entry.path()))), WalkState::Skip);
    };
    let Some(kind) = entry.file_type() else {
        return (None, WalkState::Continue);
    };
    let met = if kind.is_symlink() {
        Some(Met::Link(path))
    } else if kind.is_dir() {
        Some(Met::Dir(path))
    } else if kind.is_file() {
        // A file without metadata went away since it was listed.
        let metadata = entry.metadata().ok();
        metadata.map(|found| {
            let bytes = found.len();
            Met::File(WalkedFile { path, bytes })
        })
    } else {
        None
    };
    (met, WalkState::Continue)
}

fn relative(root: &Path, path: &Path) -> Option<RepoPath> {
    RepoPath::from_relative(path.strip_prefix(root).unwrap_or(path))
}

/// Paths that are not UTF-8, as they are shown: a finding for each directory that has some.
pub(super) fn not_utf8(mut paths: Vec<String>) -> Vec<Finding> {
    paths.sort();
    paths.dedup();
    let directory = |path: &str| path.rfind('/').unwrap_or(0);
    let groups = paths.chunk_by(|a, b| a[..directory(a)] == b[..directory(b)]);
    let findings = groups.map(|group| {
        let message = match group {
            [first] => format!("`{first}` is skipped: its name is not valid UTF-8"),
            _ => format!(
                "`{}` and {} more in the same directory are skipped: their names are not valid UTF-8",
                group[0],
                group.len() - 1
            ),
        };
        Finding::warning("path-not-utf8", nowhere(), message)
            .help("rename it, or add it to `ignore` in catalog.toml")
    });
    findings.collect()
}

pub(super) fn matcher(root: &Path, globs: &[String], findings: &mut Vec<Finding>) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    for glob in globs {
        if builder.add_line(None, glob).is_err() {
            findings.push(invalid_glob(glob));
        }
    }
    builder.build().unwrap_or_else(|_| {
        findings.extend(globs.iter().map(|glob| invalid_glob(glob)));
        Gitignore::empty()
    })
}

fn invalid_glob(glob: &str) -> Finding {
    let message = format!("`{glob}` is not a valid glob, so it ignores nothing");
    Finding::warning("ignore-invalid", nowhere(), message)
        .help("correct it under `ignore` in catalog.toml")
}

fn unreadable(root: &Path, error: &ignore::Error) -> Option<Met> {
    // Errors without a cause in the file system are about single lines of a `.gitignore`.
    let cause = error.io_error().filter(|_| !error.is_partial())?;
    if cause.kind() == io::ErrorKind::NotFound {
        return None;
    }
    let dir = shown(root, &path_of(error)?);
    let message = format!("the directory `{dir}` cannot be read: {}", reason(cause));
    let finding = Finding::error("directory-unreadable", nowhere(), message)
        .help("change its permissions, or add it to `ignore` in catalog.toml");
    Some(Met::Finding(finding))
}

pub(super) fn unsafe_gitignore(dir: &str) -> Finding {
    let message = format!(
        "the directory `{dir}` is skipped: its .gitignore is not a regular file of at most 1 MiB"
    );
    Finding::error("directory-unreadable", nowhere(), message)
        .help("replace the .gitignore with a regular file, or remove it")
}

/// The walk goes on without a `.gitignore` that it may not open, and reads what that names.
fn unreadable_gitignore(root: &Path, dir: &Path) -> Option<Finding> {
    let path = dir.join(".gitignore");
    let error = fs::File::open(&path).err()?;
    if matches!(error.kind(), io::ErrorKind::NotFound) {
        return None;
    }
    let (path, why) = (shown(root, &path), reason(&error));
    let message = format!("`{path}` cannot be read: {why}; the files it ignores are read");
    let finding = Finding::warning("file-unreadable", nowhere(), message);
    Some(finding.help("change its permissions"))
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// The words of the system without its error number, which differs between systems.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    words.to_lowercase()
}

/// The place of a finding about no indexed file; its message names the path.
pub(super) fn nowhere() -> Place {
    Place::start_of(FileId::NONE)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::super::Repo;
    use super::super::fixture::{open, path, paths, tree};
    use super::*;

    fn rules(repo: &Repo) -> Vec<(&str, &str)> {
        let findings = repo.findings().iter();
        findings
            .map(|finding| (finding.rule, finding.message.as_str()))
            .collect()
    }

    fn fifo(path: &Path) -> bool {
        let made = Command::new("mkfifo").arg(path).status();
        made.is_ok_and(|status| status.success())
    }

    #[test]
    fn files_are_in_the_order_of_their_paths_and_hidden_ones_are_read() {
        let dir = tree(&[
            "b",
            "a/z",
            "a-b",
            "a/b/c",
            ".sdd/x",
            ".git/config",
            "a/.git",
        ]);
        let repo = open(&dir);
        assert_eq!(paths(&repo), [".sdd/x", "a-b", "a/b/c", "a/z", "b"]);
        let below = |dir: &str| -> Vec<&str> {
            let files = repo.below(&path(dir));
            files.map(|id| repo.path(id).as_str()).collect()
        };
        assert_eq!(below("a"), ["a/b/c", "a/z"]);
        assert_eq!(below("a/b"), ["a/b/c"]);
        assert_eq!(below("").len(), 5);
        assert!(below("b").is_empty() && below("none").is_empty());
        assert!(repo.is_dir(&path("a/b")) && repo.is_dir(&path("")));
        assert!(!repo.is_dir(&path("b")) && !repo.is_dir(&path(".git")));
    }

    #[test]
    fn a_gitignore_counts_in_a_plain_directory_but_not_one_above_it() {
        let dir = tree(&["in/a.yaml", "in/b.tmp", "in/out/c.yaml", "in/sub/keep.tmp"]);
        fs::write(dir.path().join(".gitignore"), "*.yaml\n").unwrap();
        fs::write(dir.path().join("in/.gitignore"), "*.tmp\n/out/\n").unwrap();
        fs::write(dir.path().join("in/sub/.gitignore"), "!keep.tmp\n").unwrap();
        let repo = Repo::open(&dir.path().join("in"), &[]).unwrap();
        assert_eq!(
            paths(&repo),
            [".gitignore", "a.yaml", "sub/.gitignore", "sub/keep.tmp"]
        );
    }

    #[test]
    fn the_ignore_list_reads_like_a_gitignore() {
        let dir = tree(&["a/x.bak", "a/y", "drafts/a", "sub/drafts/b", "keep.bak"]);
        let ignore = ["*.bak", "!keep.bak", "/drafts/", "{a"].map(str::to_string);
        let repo = Repo::open(dir.path(), &ignore).unwrap();
        assert_eq!(paths(&repo), ["a/y", "keep.bak", "sub/drafts/b"]);
        assert_eq!(rules(&repo)[0].0, "ignore-invalid");
    }

    #[test]
    fn pipes_are_not_opened_even_as_a_gitignore() {
        let dir = tree(&["a", "sub/b"]);
        if !fifo(&dir.path().join("pipe")) || !fifo(&dir.path().join("sub/.gitignore")) {
            return;
        }
        let repo = open(&dir);
        assert_eq!(paths(&repo), ["a"]);
        assert_eq!(rules(&repo)[0].0, "directory-unreadable");
        let sub = Repo::open(&dir.path().join("sub"), &[]);
        assert!(sub.unwrap_err().to_string().contains(".gitignore"));
    }

    #[test]
    fn names_that_are_not_utf8_are_skipped_and_told() {
        let dir = tree(&["a"]);
        let odd = dir.path().join(OsStr::from_bytes(b"caf\xe9"));
        if fs::create_dir(&odd).is_err() {
            return; // Some file systems refuse such names.
        }
        fs::write(odd.join("b"), "").unwrap();
        let repo = open(&dir);
        assert_eq!(paths(&repo), ["a"]);
        let found: Vec<&str> = rules(&repo).iter().map(|(rule, _)| *rule).collect();
        assert_eq!(found, ["path-not-utf8"]);
    }

    #[test]
    fn an_unreadable_directory_is_a_finding() {
        let dir = tree(&["a", "locked/b"]);
        let locked = dir.path().join("locked");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        let repo = open(&dir);
        let is_readable = fs::read_dir(&locked).is_ok();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
        if !is_readable {
            let message = "the directory `locked` cannot be read: permission denied";
            assert_eq!(rules(&repo), [("directory-unreadable", message)]);
        }
    }
}
