//! A commit as a repo: what git has stored of it, read without a checkout. Runs the `git` program, and asks the file
//! system only what the walk of a working tree would ask it too: whether something is there that git ignores.

mod blob;
mod git_directory;
mod rule;
mod symlink;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use thiserror::Error;

use super::RepoPath;
use super::generated::GeneratedDirectories;
use super::git::{self, Depth, Git};
use super::tracked::{self, is_checked_out};
use super::walk::{self, Tree, WalkedFile};
use base::FileId;
pub(super) use blob::{Blob, Store};
use git_directory::{GitDirectory, list, run};
use rule::Rules;
pub use rule::{matcher, virtual_path};

/// A commit of the git repository that a directory is part of.
#[derive(Debug)]
pub struct Commit {
    /// The directory that is read, on this machine.
    root: PathBuf,
    /// The root of the work tree; a bare repository has none.
    top: Option<PathBuf>,
    git: Git,
    listing: CommitTree,
    stores: Vec<Store>,
}

/// Why a commit cannot be read.
#[derive(Debug, Error)]
pub enum CommitError {
    #[error("cannot read `{}`: {source}; pass the directory of the repository with --repo", .path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("cannot run `git`, which is needed to read commits; install git and add it to PATH")]
    NoGit,
    #[error("`{}` is not in a git repository{why}; pass one with --repo", .path.display())]
    NotGit { path: PathBuf, why: String },
    #[error("`{0}` is an option, not a commit; pass a branch, a tag or a commit id")]
    Option(String),
    #[error("there is no branch, tag or commit `{name}`; {next}")]
    Unknown { name: String, next: String },
    #[error("`{base}` and `{head}` have no common ancestor here; {next}")]
    Unrelated {
        base: String,
        head: String,
        next: &'static str,
    },
    #[error("git cannot list the files of `{name}`: {why}")]
    Listing { name: String, why: String },
    #[error(
        "the commit {commit} of the submodule `{path}` is missing; fetch it with `git -C {path} fetch \
         origin {commit}`"
    )]
    Submodule { path: String, commit: String },
}

const DEEPEN: &str = "this clone is shallow: fetch the full history with `git fetch --unshallow`, or set `fetch-depth: 0` in CI";

impl Commit {
    /// The commit that `name` resolves to, in the git repository around `directory`.
    pub fn find(directory: &Path, name: &str) -> Result<Commit, CommitError> {
        let git_directory = GitDirectory::open(directory)?;
        let id = git_directory.resolve(name)?;
        let git = git_directory.facts(id);
        let mut stores = Vec::new();
        let mut listing = CommitTree::default();
        let start = git_directory
            .top
            .clone()
            .unwrap_or_else(|| git_directory.root.clone());
        let mut pending = vec![(start, String::new(), git.commit.clone())];
        while let Some((directory, below, commit)) = pending.pop() {
            let store = stores.len();
            let listed = list(&directory, &commit).map_err(|why| {
                if below.is_empty() {
                    CommitError::Listing {
                        name: name.to_owned(),
                        why,
                    }
                } else {
                    CommitError::Submodule {
                        path: below.trim_end_matches('/').to_owned(),
                        commit: commit.clone(),
                    }
                }
            })?;
            let modules = listing.add(&listed, &below, store);
            stores.push(Store::new(directory.clone()));
            // The work tree has no files of a submodule that is not checked out.
            for (path, commit) in modules {
                let top = git_directory.top.as_ref();
                match top.filter(|top| is_checked_out(top, &path)) {
                    Some(top) => pending.push((top.join(&path), format!("{path}/"), commit)),
                    None => listing.absent.push(path),
                }
            }
        }
        Ok(Commit {
            root: git_directory.root,
            top: git_directory.top,
            git,
            listing,
            stores,
        })
    }

    /// The last commit that both have.
    pub fn merge_base(directory: &Path, base: &str, head: &str) -> Result<String, CommitError> {
        let git_directory = GitDirectory::open(directory)?;
        let ids = [git_directory.resolve(base)?, git_directory.resolve(head)?];
        let output = run(git::command(&git_directory.root)
            .arg("merge-base")
            .args(ids));
        let found = output.filter(|output| output.status.success());
        let found = found.and_then(|output| String::from_utf8(output.stdout).ok());
        found
            .map(|id| id.trim().to_owned())
            .ok_or_else(|| CommitError::Unrelated {
                base: base.to_owned(),
                head: head.to_owned(),
                next: match git_directory.depth {
                    Depth::Shallow => DEEPEN,
                    Depth::Full => "compare them without --merge-base",
                },
            })
    }

    /// Whether there are files to read at `directory` besides what is committed.
    pub fn has_work_tree(directory: &Path) -> Result<bool, CommitError> {
        Ok(GitDirectory::open(directory)?.top.is_some())
    }

    pub fn id(&self) -> &str {
        &self.git.commit
    }

    /// The text of a file of this commit, by where it is on this machine; none where the commit has no such file.
    pub fn text_at(&self, path: &Path) -> Option<String> {
        let directory = fs::canonicalize(path.parent().filter(|it| *it != Path::new(""))?).ok()?;
        let below = directory.strip_prefix(self.top.as_ref()?).ok()?;
        let name = below.join(path.file_name()?);
        self.text(RepoPath::from_relative(&name)?.as_str())
    }

    /// The text of a file in the directory that is read.
    pub fn text_in(&self, name: &str) -> Option<String> {
        self.text(&format!("{}{name}", self.git.prefix))
    }

    fn text(&self, path: &str) -> Option<String> {
        let entry = self.listing.entries.get(path)?;
        match self.stores[entry.store].read(&entry.id) {
            Blob::Bytes(bytes) => String::from_utf8(bytes).ok(),
            Blob::TooLarge | Blob::Missing(_) => None,
        }
    }

    /// The tree that a walk of this commit, checked out, would give.
    pub(super) fn into_snapshot(self, ignore: &[String]) -> (PathBuf, Tree, Git, Snapshot) {
        let mut tree = Tree::default();
        tree.dirs.insert(RepoPath::root());
        tree.findings.extend(walk::not_utf8(self.odd_names()));
        let absent = self.listing.absent.iter();
        let absent = absent.filter_map(|path| path.strip_prefix(self.git.prefix.as_str()));
        tree.findings.extend(absent.map(tracked::absent));
        let rules = Rules::read(&self, ignore, &mut tree.findings);
        let mut blobs: BTreeMap<RepoPath, (usize, String)> = BTreeMap::new();
        let mut links = Vec::new();
        for (path, entry) in self.listing.below(&self.git.prefix) {
            let Some(own) = RepoPath::new(path).filter(|own| own.as_str() == path) else {
                continue;
            };
            let whole = format!("{}{path}", self.git.prefix);
            let shape = match entry.kind {
                TreeEntryKind::Module => PathKind::Directory,
                TreeEntryKind::File | TreeEntryKind::Link => PathKind::File,
            };
            if rules.leaves_out(&whole, shape) {
                continue;
            }
            match entry.kind {
                TreeEntryKind::Module => {
                    tree.dirs.insert(own);
                }
                TreeEntryKind::Link => links.push(own),
                TreeEntryKind::File => {
                    blobs.insert(own, (entry.store, entry.id.clone()));
                }
            }
        }
        for directory in self.listing.directories(&self.git.prefix) {
            let whole = format!("{}{directory}", self.git.prefix);
            if let Some(own) = RepoPath::new(directory).filter(|own| own.as_str() == directory)
                && !rules.leaves_out(&whole, PathKind::Directory)
            {
                tree.dirs.insert(own);
            }
        }
        let generated = GeneratedDirectories::new(BTreeSet::new(), blobs.keys(), &tree.dirs);
        if !generated.is_empty() {
            let stores = &self.stores;
            blobs.retain(|path, (store, id)| {
                let read = |_: &RepoPath| match stores[*store].read(id) {
                    Blob::Bytes(bytes) => Some(bytes),
                    Blob::TooLarge | Blob::Missing(_) => None,
                };
                !generated.has(path, read)
            });
            generated.tidy(&mut tree.dirs, blobs.keys());
        }
        links.retain(|link| !generated.has_link(link));
        tree.links = symlink::follow(&self, &rules, links, &mut tree.findings);
        let mut ids = Vec::with_capacity(blobs.len());
        for (path, blob) in blobs {
            let file = FileId(ids.len() as u32);
            tree.index.insert(path.clone(), file);
            // Git tells the size with the content.
            tree.files.push(WalkedFile { path, bytes: 0 });
            ids.push(blob);
        }
        tree.findings.extend(tree.links.renamed(&tree.index));
        tree.findings.sort();
        tree.findings.dedup();
        let git = self.git.clone();
        let root = self.root.clone();
        let snapshot = Snapshot {
            ids,
            rules,
            commit: self,
        };
        (root, tree, git, snapshot)
    }

    fn odd_names(&self) -> Vec<String> {
        let names = self.listing.odd.iter();
        let below = names.filter_map(|name| name.strip_prefix(self.git.prefix.as_str()));
        below.map(str::to_owned).collect()
    }
}

/// State for reading files of a commit once its tree is known.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// By file, where its content is.
    ids: Vec<(usize, String)>,
    rules: Rules,
    commit: Commit,
}

/// Result of reading a file.
pub(super) enum FileContent {
    Bytes(Vec<u8>),
    TooLarge,
    Unreadable(String),
}

impl Snapshot {
    pub(super) fn read(&self, file: FileId) -> FileContent {
        let Some((store, id)) = self.ids.get(file.0 as usize) else {
            return FileContent::Unreadable("it is not part of the commit".to_owned());
        };
        match self.commit.stores[*store].read(id) {
            Blob::Bytes(bytes) => FileContent::Bytes(bytes),
            Blob::TooLarge => FileContent::TooLarge,
            Blob::Missing(why) => FileContent::Unreadable(why),
        }
    }

    /// Whether something is at a path that is not read: the commit has it, or git ignores it and it is there.
    pub(super) fn has_unread(&self, path: &RepoPath) -> bool {
        let whole = format!("{}{path}", self.commit.git.prefix);
        self.commit.listing.has(&whole) || self.rules.is_ignored_and_there(&self.commit, &whole)
    }
}

/// Whether a path is that of a directory, which rules may be about alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathKind {
    File,
    Directory,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TreeEntryKind {
    File,
    Link,
    Module,
}

#[derive(Debug)]
struct TreeEntry {
    kind: TreeEntryKind,
    id: String,
    store: usize,
}

/// All that a commit has, by paths from the root of the work tree.
#[derive(Debug, Default)]
struct CommitTree {
    entries: BTreeMap<String, TreeEntry>,
    /// The first parts of paths that are not UTF-8, up to where they are not, as they are shown.
    odd: Vec<String>,
    /// Submodules that are not checked out.
    absent: Vec<String>,
}

impl CommitTree {
    /// Takes in what `git ls-tree -r -z` printed. Gives the submodules, with their commits.
    fn add(&mut self, listed: &[u8], below: &str, store: usize) -> Vec<(String, String)> {
        let mut modules = Vec::new();
        for line in listed.split(|byte| *byte == 0) {
            let Some(tab) = line.iter().position(|byte| *byte == b'\t') else {
                continue;
            };
            let (facts, name) = (&line[..tab], &line[tab + 1..]);
            let facts = String::from_utf8_lossy(facts);
            let mut facts = facts.split(' ');
            let (Some(mode), Some(_), Some(id)) = (facts.next(), facts.next(), facts.next()) else {
                continue;
            };
            let Ok(name) = std::str::from_utf8(name) else {
                self.odd.push(format!("{below}{}", tracked::odd_part(name)));
                continue;
            };
            let kind = match mode {
                "120000" => TreeEntryKind::Link,
                "160000" => TreeEntryKind::Module,
                _ => TreeEntryKind::File,
            };
            let path = format!("{below}{name}");
            if kind == TreeEntryKind::Module {
                modules.push((path.clone(), id.to_owned()));
            }
            let id = id.to_owned();
            self.entries.insert(path, TreeEntry { kind, id, store });
        }
        self.odd.sort();
        self.odd.dedup();
        modules
    }

    /// Entries below a directory, at any depth, by relative path. `prefix` is empty or ends with `/`.
    fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a TreeEntry)> {
        let from = self.entries.range(prefix.to_owned()..);
        from.map_while(move |(path, entry)| Some((path.strip_prefix(prefix)?, entry)))
    }

    /// The directories in a directory, at any depth.
    fn directories<'a>(&'a self, prefix: &'a str) -> Vec<&'a str> {
        let mut all: Vec<&str> = Vec::new();
        for (path, _) in self.below(prefix) {
            all.extend(path.match_indices('/').map(|(at, _)| &path[..at]));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether there is a file, a link or a directory.
    fn has(&self, path: &str) -> bool {
        path.is_empty() || self.entries.contains_key(path) || self.has_directory(path)
    }

    fn has_directory(&self, path: &str) -> bool {
        let is_module = |entry: &TreeEntry| entry.kind == TreeEntryKind::Module;
        path.is_empty()
            || self.entries.get(path).is_some_and(is_module)
            || self.below(&format!("{path}/")).next().is_some()
    }
}
