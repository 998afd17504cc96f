//! The repo: the directory tree being read, one immutable snapshot per build.
//! The only reader of input files; all others ask it by [`FileId`] or [`RepoPath`].

mod changed;
mod commit;
#[cfg(test)]
mod fixture;
mod generated;
mod git;
mod history;
mod ignored;
mod incremental;
mod kept;
mod link;
mod made;
mod owners;
mod path_log;
mod patterns;
mod recent;
mod record;
mod tracked;
mod walk;
mod walked;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thiserror::Error;

pub use base::RepoPath;
pub use commit::{Commit, CommitError};
pub use git::{Git, GitUse};
pub use history::{ChangeCommit, History, LastChange};
pub use incremental::{Changed, Reopened};
pub use owners::{OwnerFiles, Owners};
pub use path_log::{PathChangeKind, PathCommit, PathLog};
pub use patterns::Patterns;
pub use recent::{ChangedFile, ChangedValue, FileChange, RecentCommit};
pub use record::Record;

use crate::input::chart_library::{CHART_LOCK, ChartLibrary};
use crate::input::config::{Config, Origin};
use base::hash::{HashMap, HashSet};
use base::{Effect, FileId, Finding, Place};
use commit::FileContent;
pub use generated::SITE_MARKER;
use kept::Kept;
use walk::{Rules, Tree};

/// No manifest is as large as this; what is, would only cost memory.
pub const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// A directory tree, as it was when it was opened.
#[derive(Debug, Clone)]
pub struct Repo {
    root: PathBuf,
    tree: Arc<Tree>,
    git: Option<Git>,
    git_use: GitUse,
    history: Arc<OnceLock<Option<History>>>,
    recent: Arc<OnceLock<Vec<RecentCommit>>>,
    log: Arc<path_log::LogSource>,
    /// Charts that were downloaded for it, opened on first use.
    charts: Arc<OnceLock<ChartLibrary>>,
    /// Contents that were read, if the repo will be read again.
    kept: Option<Arc<Kept>>,
    /// Files that count as they were earlier, and what they said.
    held: Arc<BTreeMap<RepoPath, Arc<[u8]>>>,
    /// For a commit, where its contents are.
    commit: Option<Arc<commit::Snapshot>>,
    /// Files that become Secrets, computed on first use.
    withheld: Arc<OnceLock<HashMap<FileId, Withheld>>>,
    hidden: Arc<OnceLock<HashSet<Place>>>,
    makers: made::ScriptLines,
}

/// How much of a file that becomes a Secret is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Withheld {
    /// The values of its entries; their names may be told.
    Values,
    Whole,
}

/// Why a directory cannot be read as a repo.
#[derive(Debug, Error)]
pub enum RepoError {
    #[error("`{}` does not exist; pass the directory of the repository to read", .0.display())]
    Missing(PathBuf),
    #[error("`{}` is not a directory; pass the directory of the repository to read", .0.display())]
    NotADirectory(PathBuf),
    // The reason is part of the message, so that it is no source which would be told after it.
    #[error("`{}` cannot be read: {}; change its permissions", .path.display(), walk::reason(.why))]
    Unreadable { path: PathBuf, why: io::Error },
}

impl Repo {
    /// Walks the tree at `root`, without the paths that `ignore` names as in a `.gitignore`.
    pub fn open(root: &Path, ignore: &[String]) -> Result<Repo, RepoError> {
        Repo::open_with(root, ignore, GitUse::Read)
    }

    /// The same, with or without git.
    pub fn open_with(root: &Path, ignore: &[String], git_use: GitUse) -> Result<Repo, RepoError> {
        let unreadable = |why: io::Error| match why.kind() {
            io::ErrorKind::NotFound => RepoError::Missing(root.to_path_buf()),
            io::ErrorKind::NotADirectory => RepoError::NotADirectory(root.to_path_buf()),
            _ => RepoError::Unreadable {
                path: root.to_path_buf(),
                why,
            },
        };
        let canonical = fs::canonicalize(root).map_err(unreadable)?;
        fs::read_dir(&canonical).map_err(unreadable)?;
        if !walk::has_safe_gitignore(&canonical) {
            return Err(unreadable(io::Error::other(
                "its .gitignore is not a regular file of at most 1 MiB",
            )));
        }
        let git = match git_use {
            GitUse::Read => Git::open(&canonical),
            GitUse::Skip => None,
        };
        let rules = match (&git, git_use) {
            (Some(_), _) => Rules::WorkTree,
            (None, GitUse::Skip) if git::is_around(&canonical) => Rules::Unasked,
            (None, _) => Rules::Tree,
        };
        let tree = walk::walk(&canonical, ignore, rules);
        Ok(Repo {
            root: canonical,
            tree: Arc::new(tree),
            git,
            git_use,
            history: Arc::default(),
            recent: Arc::default(),
            log: Arc::default(),
            charts: Arc::default(),
            kept: None,
            held: Arc::default(),
            commit: None,
            withheld: Arc::default(),
            hidden: Arc::default(),
            makers: made::ScriptLines::default(),
        })
    }

    /// The tree of a commit, as a walk of it would be, checked out at the same place.
    pub fn of_commit(commit: Commit, ignore: &[String]) -> Repo {
        let (root, tree, git, snapshot) = commit.into_snapshot(ignore);
        Repo {
            root,
            tree: Arc::new(tree),
            git: Some(git),
            git_use: GitUse::Read,
            history: Arc::default(),
            recent: Arc::default(),
            log: Arc::default(),
            charts: Arc::default(),
            kept: None,
            held: Arc::default(),
            commit: Some(Arc::new(snapshot)),
            withheld: Arc::default(),
            hidden: Arc::default(),
            makers: made::ScriptLines::default(),
        }
    }

    /// The directory on this machine. Never part of any output.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl DoubleEndedIterator<Item = FileId> + ExactSizeIterator + use<> {
        (0..self.tree.files.len() as u32).map(FileId)
    }

    /// The path of a file; the root for [`FileId::NONE`].
    pub fn path(&self, file: FileId) -> &RepoPath {
        match self.tree.files.get(file.0 as usize) {
            Some(file) => &file.path,
            None => &base::path::ROOT,
        }
    }

    /// The file at a path, which may lead through links.
    pub fn file(&self, path: &RepoPath) -> Option<FileId> {
        let real = self.tree.links.resolve(path);
        self.tree.index.get(real.as_ref()).copied()
    }

    /// Adds the file to a finding about `catalog.toml`. A configuration outside the repo is none of its files, so the
    /// message names the line.
    pub fn place_in_config(&self, config: &Config, mut finding: Finding) -> Finding {
        let path = match &config.origin {
            Origin::Repo(path) => RepoPath::new(path),
            Origin::Elsewhere => None,
        };
        match path.and_then(|path| self.file(&path)) {
            Some(file) => finding.place.file = file,
            None => {
                let (line, message) = (finding.place.line, &finding.message);
                finding.message = format!("catalog.toml:{line}: {message}");
                finding.place = Place::start_of(FileId::NONE);
            }
        }
        finding
    }

    /// The file of a plain name in a directory. Asked often for files that are not there, it makes no
    /// path of them.
    pub fn file_in(&self, directory: &RepoPath, name: &str) -> Option<FileId> {
        if directory.as_str().is_empty() || !self.tree.links.is_empty() {
            return self.file(&directory.join(name)?);
        }
        let path = [directory.as_str(), "/", name].concat();
        self.tree.index.get(path.as_str()).copied()
    }

    /// Whether there is a directory at a path, which may lead through links.
    pub fn is_dir(&self, path: &RepoPath) -> bool {
        let real = self.tree.links.resolve(path);
        self.tree.dirs.contains(real.as_ref())
    }

    /// The real directory at a path, which may lead through links.
    pub fn resolve_dir(&self, path: &RepoPath) -> Option<RepoPath> {
        let real = self.tree.links.resolve(path).into_owned();
        self.tree.dirs.contains(&real).then_some(real)
    }

    /// Whether a path leads through a link that is not followed, as it leads out of the repo.
    pub fn leads_out(&self, path: &RepoPath) -> bool {
        self.tree.links.leads_out(path)
    }

    /// All files inside a directory, at any depth, in the order of their paths.
    pub fn below(
        &self,
        dir: &RepoPath,
    ) -> impl DoubleEndedIterator<Item = FileId> + ExactSizeIterator + use<> {
        let dir = self.tree.links.resolve(dir);
        let files = &self.tree.files;
        // The files below `dir` sort between `dir/` and `dir0`, as `0` follows `/`.
        let end_of = |limit: &str| files.partition_point(|file| file.path.as_str() < limit);
        let range = if dir.as_str().is_empty() {
            0..files.len() as u32
        } else {
            end_of(&format!("{dir}/")) as u32..end_of(&format!("{dir}0")) as u32
        };
        range.map(FileId)
    }

    /// Whether something is at a path that is not part of the snapshot, such as a file that git ignores.
    pub fn has_unread(&self, path: &RepoPath) -> bool {
        let is_read = self.file(path).is_some() || self.is_dir(path);
        !is_read
            && match &self.commit {
                Some(commit) => commit.has_unread(path),
                None => fs::symlink_metadata(self.root.join(path.as_str())).is_ok(),
            }
    }

    /// The charts that were downloaded for this repo.
    pub fn charts(&self) -> &ChartLibrary {
        self.charts.get_or_init(|| {
            let lock = self.file_in(&RepoPath::root(), CHART_LOCK);
            let text = lock.map(|file| self.read_text(file).map_err(|finding| finding.message));
            ChartLibrary::open(&self.root, text)
        })
    }

    /// The bytes of a file, unless it is too large or cannot be read.
    pub fn read(&self, id: FileId) -> Result<Vec<u8>, Finding> {
        let Some(file) = self.tree.files.get(id.0 as usize) else {
            return Err(unreadable(
                id,
                "this file",
                "it is not part of the repository",
            ));
        };
        let path = file.path.as_str();
        if let Some(commit) = &self.commit {
            return match commit.read(id) {
                FileContent::Bytes(bytes) => Ok(bytes),
                FileContent::TooLarge => Err(too_large(id, path)),
                FileContent::Unreadable(why) => Err(unreadable(id, path, &why)),
            };
        }
        if let Some(bytes) = self.held.get(path) {
            return Ok(bytes.to_vec());
        }
        if file.bytes > MAX_FILE_BYTES {
            return Err(too_large(id, path));
        }
        if let Some(bytes) = self.kept.as_ref().and_then(|kept| kept.get(id)) {
            return Ok(bytes.to_vec());
        }
        let bytes = read_regular(&self.root.join(path), file.bytes)
            .map_err(|error| unreadable(id, path, &walk::reason(&error)))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(too_large(id, path));
        }
        if let Some(kept) = &self.kept {
            kept.put(id, &bytes);
        }
        Ok(bytes)
    }

    /// From now on, the text of these files is told only to those who ask for what becomes a Secret.
    pub fn withhold(&self, files: HashMap<FileId, Withheld>) {
        // An earlier call found the same files, so a second result can be dropped.
        let _ = self.withheld.set(files);
    }

    /// How much of a file is secret because it becomes a Secret.
    pub fn withheld(&self, id: FileId) -> Option<Withheld> {
        self.withheld.get()?.get(&id).copied()
    }

    /// From now on, no quoted line shows these values: only what they are used for tells that they are secret.
    pub fn hide(&self, places: HashSet<Place>) {
        let _ = self.hidden.set(places);
    }

    /// The places of a file that no quoted line shows.
    pub fn hidden(&self, file: FileId) -> Vec<Place> {
        let all = self.hidden.get().into_iter().flatten();
        all.filter(|place| place.file == file).copied().collect()
    }

    /// The text of a file without a byte order mark, unless it is not UTF-8 text or becomes a Secret.
    pub fn read_text(&self, id: FileId) -> Result<String, Finding> {
        match self.withheld(id) {
            Some(_) => Err(withheld(id, self.path(id).as_str())),
            None => self.read_secret_text(id),
        }
    }

    /// The same of a file that may become a Secret: no word of it may go further.
    pub fn read_secret_text(&self, id: FileId) -> Result<String, Finding> {
        let mut bytes = self.read(id)?;
        let path = self.path(id);
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            let message = format!("`{path}` is skipped: it is UTF-16, not UTF-8");
            return Err(not_utf8(Place::start_of(id), message));
        }
        if bytes.contains(&0) {
            let message = format!("`{path}` is skipped: it contains a NUL byte, so it is not text");
            return Err(Finding::info("file-binary", Place::start_of(id), message)
                .help("if it is a binary file, add it to `ignore` in catalog.toml"));
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        String::from_utf8(bytes).map_err(|error| {
            let place = place_after(id, &error.as_bytes()[..error.utf8_error().valid_up_to()]);
            let message = format!(
                "`{path}` is skipped: the byte at line {}, column {} is not valid UTF-8",
                place.line, place.column
            );
            not_utf8(place, message)
        })
    }

    /// Findings of the walk. They have no file, so the message names the path.
    pub fn findings(&self) -> &[Finding] {
        &self.tree.findings
    }

    /// How many files and directories the `ignore` of the configuration leaves out.
    pub fn configured(&self) -> usize {
        self.tree.configured
    }

    /// Git facts of the snapshot. None if it is not part of a git repository.
    pub fn git(&self) -> Option<&Git> {
        self.git.as_ref()
    }

    /// The newest commits, newest first, with what each changed. Read from git when first asked for.
    pub fn recent(&self) -> &[RecentCommit] {
        let load = || {
            let git = self.git.as_ref();
            git.map_or_else(Vec::new, |git| recent::recent(git, &self.root))
        };
        self.recent.get_or_init(load)
    }

    /// The last change of every file. Read from git when first asked for, as that may take a while.
    pub fn history(&self) -> Option<&History> {
        let load = || {
            let paths: Vec<&RepoPath> = self.tree.files.iter().map(|file| &file.path).collect();
            History::load(self.git.as_ref()?, &self.root, &paths)
        };
        self.history.get_or_init(load).as_ref()
    }
}

/// Looks before it opens, as a pipe that took the place of a file would block, and a link would lead away.
fn read_regular(path: &Path, expected_bytes: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no longer a regular file"));
    }
    // With room for a byte more, a file that has not grown is read at once.
    let mut bytes = Vec::with_capacity(expected_bytes as usize + 1);
    let file = fs::File::open(path)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn place_after(file: FileId, valid: &[u8]) -> Place {
    let line_start = valid
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let newlines = valid.iter().filter(|byte| **byte == b'\n').count();
    let column = String::from_utf8_lossy(&valid[line_start..])
        .chars()
        .count();
    Place {
        file,
        line: newlines as u32 + 1,
        column: column as u32 + 1,
        len: 1,
    }
}

fn too_large(id: FileId, path: &str) -> Finding {
    let message = format!(
        "`{path}` is skipped: it is larger than {} MiB",
        MAX_FILE_BYTES / 1024 / 1024
    );
    Finding::warning("file-too-large", Place::start_of(id), message)
        .help("split it, or add it to `ignore` in catalog.toml")
}

fn unreadable(id: FileId, path: &str, why: &str) -> Finding {
    let message = format!("`{path}` cannot be read: {why}");
    Finding::error("file-unreadable", Place::start_of(id), message)
        .help("change its permissions, or add it to `ignore` in catalog.toml")
        .effect(Effect::UnreadableFile)
}

fn withheld(id: FileId, path: &str) -> Finding {
    let message = format!("`{path}` is part of a Secret, so its content is not shown");
    Finding::info("file-withheld", Place::start_of(id), message)
        .help("if it contains no secret, use `configMapGenerator`; if it does, encrypt it")
}

fn not_utf8(place: Place, message: String) -> Finding {
    Finding::error("file-not-utf8", place, message)
        .help("save it as UTF-8, or add it to `ignore` in catalog.toml")
        .effect(Effect::UnreadableFile)
}

/// View of a repo for the engines.
impl base::Files for Repo {
    fn path(&self, file: FileId) -> &RepoPath {
        Repo::path(self, file)
    }

    fn file(&self, path: &RepoPath) -> Option<FileId> {
        Repo::file(self, path)
    }

    fn file_in(&self, directory: &RepoPath, name: &str) -> Option<FileId> {
        Repo::file_in(self, directory, name)
    }

    fn is_dir(&self, path: &RepoPath) -> bool {
        Repo::is_dir(self, path)
    }

    fn resolve_dir(&self, path: &RepoPath) -> Option<RepoPath> {
        Repo::resolve_dir(self, path)
    }

    fn below(&self, directory: &RepoPath) -> Vec<FileId> {
        Repo::below(self, directory).collect()
    }

    fn has_unread(&self, path: &RepoPath) -> bool {
        Repo::has_unread(self, path)
    }

    fn is_ignored(&self, path: &RepoPath) -> bool {
        self.commit.is_none() && ignored::is_ignored(&self.root, path)
    }

    fn read_text(&self, file: FileId) -> Result<String, Finding> {
        Repo::read_text(self, file)
    }

    fn read(&self, file: FileId) -> Result<Vec<u8>, Finding> {
        Repo::read(self, file)
    }

    fn leads_out(&self, path: &RepoPath) -> bool {
        Repo::leads_out(self, path)
    }

    fn missing(&self, path: &str, target: &RepoPath, place: Place) -> Finding {
        match self.makers.maker_of(self, target) {
            Some(script) => made::made_by(script, path, target, place),
            None => base::missing_in(self, path, target, place),
        }
    }
}

#[cfg(test)]
mod tests;
