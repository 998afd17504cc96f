//! Which commits changed a few files, under any name they had, and which of these commits came before which others.
//! Git prints the newest commits once; what is kept are those that concern the files somebody asked about.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::commit::{Blob, Store};
use super::git::{self, Depth, Git, Watch};
use super::{Repo, RepoPath, recent};
use base::hash::{HashMap, HashSet};

/// The commits that changed some files, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PathLog {
    commits: Vec<PathCommit>,
    /// By the path that was asked about: its changes, newest first.
    paths: BTreeMap<String, Vec<PathChange>>,
    /// Files that differ from the commit that is checked out.
    uncommitted: BTreeSet<String>,
    /// Whether older commits exist that were not read.
    is_cut: bool,
}

/// The log of a snapshot: as git has it, or as it was recorded.
#[derive(Debug, Default)]
pub(super) struct LogSource {
    all: OnceLock<Option<CommitLog>>,
    /// What was asked last, to be recorded.
    asked: Mutex<Option<Arc<PathLog>>>,
    recorded: Option<Arc<PathLog>>,
}

impl Repo {
    /// The commits that changed some files, with all files of those commits that added one of `whole`. None without git,
    /// or if git takes too long.
    pub fn path_log(
        &self,
        paths: &BTreeSet<String>,
        whole: &BTreeSet<String>,
    ) -> Option<Arc<PathLog>> {
        let git = self.git.as_ref()?;
        if let Some(recorded) = &self.log.recorded {
            return Some(recorded.clone());
        }
        let read = || CommitLog::read(git, &self.root);
        let all = self.log.all.get_or_init(read).as_ref()?;
        let mut log = all.about(paths, whole);
        if self.commit.is_none() {
            log.uncommitted = self.uncommitted(git, paths);
        }
        let log = Arc::new(log);
        let mut asked = self
            .log
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *asked = Some(log.clone());
        Some(log)
    }

    /// Files whose content is not the committed one. Line endings do not count, as git may convert them.
    fn uncommitted(&self, git: &Git, paths: &BTreeSet<String>) -> BTreeSet<String> {
        let store = Store::new(self.root.clone());
        let differs = |path: &&String| {
            let file = RepoPath::new(path).and_then(|path| self.file(&path));
            let Some(bytes) = file.and_then(|file| self.read(file).ok()) else {
                return false;
            };
            match store.read(&format!("{}:{}{path}", git.commit, git.prefix)) {
                Blob::Bytes(committed) => !is_same_text(&bytes, &committed),
                Blob::TooLarge | Blob::Missing(_) => false,
            }
        };
        paths.iter().filter(differs).cloned().collect()
    }
}

impl LogSource {
    pub(super) fn from_record(log: Option<&PathLog>) -> LogSource {
        let log = log.and_then(PathLog::recorded).unwrap_or_default();
        LogSource {
            recorded: Some(Arc::new(log)),
            ..LogSource::default()
        }
    }

    pub(super) fn asked(&self) -> Option<PathLog> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let log = asked.as_ref().or(self.recorded.as_ref())?;
        Some((**log).clone())
    }
}

fn is_same_text(one: &[u8], other: &[u8]) -> bool {
    let text = |bytes: &[u8]| -> Vec<u8> {
        let ends = bytes.iter().copied();
        ends.filter(|byte| *byte != b'\r').collect()
    };
    one == other || text(one) == text(other)
}

/// A commit that changed one of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PathCommit {
    /// The full id.
    pub commit: String,
    /// The day on which it was committed, as `yyyy-mm-dd`.
    pub date: String,
    pub author: String,
    /// The first line of its message, without secrets.
    pub subject: String,
    /// The nearest commits of the log that it comes after, by position.
    parents: Vec<usize>,
    /// All files that it changed, if it added one of the `whole` files that were asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<CommittedFile>>,
}

/// A file of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommittedFile {
    pub path: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_added: bool,
}

impl PathCommit {
    /// The beginning of its id, as people write it.
    pub fn short(&self) -> &str {
        self.commit.get(..7).unwrap_or(&self.commit)
    }
}

/// What a commit did to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathChange {
    /// By position in the log.
    pub commit: usize,
    pub how: PathChangeKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PathChangeKind {
    Added,
    Modified,
    Deleted,
    /// Moved to this path, without another change.
    MovedTo(String),
    /// It has had this name since, and was moved without another change.
    Moved,
}

/// Commits that are read. Older ones are not compared.
const MOST_COMMITS: usize = 12_000;
/// Output of git that is read.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Changes of one file that are kept.
const MOST_CHANGES: usize = 500;
/// Files of one commit that are kept.
const MOST_FILES: usize = 2_000;
/// Nearest commits that are kept for each.
const MOST_PARENTS: usize = 16;

impl PathLog {
    /// The changes of a file, newest first; none for one that was not asked about, or is not in the history.
    pub fn changes(&self, path: &str) -> &[PathChange] {
        self.paths.get(path).map_or(&[], Vec::as_slice)
    }

    /// Whether a file has changes that are not committed.
    pub fn is_uncommitted(&self, path: &str) -> bool {
        self.uncommitted.contains(path)
    }

    pub fn commit(&self, at: usize) -> Option<&PathCommit> {
        self.commits.get(at)
    }

    /// The commit that added a file; none if the history that was read does not reach back to it.
    pub fn added(&self, path: &str) -> Option<usize> {
        let changes = self.changes(path);
        let added = changes
            .iter()
            .find(|change| change.how == PathChangeKind::Added)?;
        // The oldest commit of a shallow clone seems to add everything.
        let is_edge = self.is_cut && self.commits.get(added.commit)?.parents.is_empty();
        (!is_edge).then_some(added.commit)
    }

    /// A commit and all that it comes after.
    pub fn history_of(&self, commit: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = vec![commit];
        while let Some(at) = open.pop() {
            if found.insert(at)
                && let Some(commit) = self.commits.get(at)
            {
                open.extend(&commit.parents);
            }
        }
        found
    }

    /// A log of a record, which is a file like any other: what it holds is looked at as if git had said it.
    fn recorded(log: &PathLog) -> Option<PathLog> {
        let count = log.commits.len();
        let is_known = |at: &usize| *at < count;
        let is_sound = log.commits.iter().all(|one| {
            git::is_id(&one.commit) && one.date.len() == 10 && one.parents.iter().all(is_known)
        });
        let changes = log.paths.values().flatten();
        let is_sound = is_sound && changes.map(|change| &change.commit).all(is_known);
        is_sound.then(|| log.clone())
    }
}

/// By path, the commits that changed it, by position in the whole log.
type FoundChanges<'p> = BTreeMap<&'p str, Vec<(usize, PathChangeKind)>>;

/// The newest commits with the files that each changed.
#[derive(Debug, Default)]
pub(super) struct CommitLog {
    commits: Vec<LoggedCommit>,
    is_cut: bool,
}

#[derive(Debug, Default)]
struct LoggedCommit {
    commit: String,
    parents: Vec<String>,
    date: String,
    author: String,
    subject: String,
    files: Vec<LoggedFile>,
}

/// How much of a commit is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CommitDetail {
    Own,
    Whole,
}

impl LoggedCommit {
    /// None if there are too many to keep.
    fn paths(&self) -> Option<Vec<CommittedFile>> {
        let committed = |file: &LoggedFile| CommittedFile {
            path: file.path.clone(),
            is_added: file.how == PathChangeKind::Added,
        };
        let paths = || self.files.iter().map(committed).collect();
        (self.files.len() <= MOST_FILES).then(paths)
    }
}

#[derive(Debug)]
struct LoggedFile {
    path: String,
    how: PathChangeKind,
    /// The name that it had before.
    from: Option<String>,
}

impl CommitLog {
    /// None if git fails or takes too long.
    pub(super) fn read(git: &Git, root: &Path) -> Option<CommitLog> {
        let mut child = git::command(root)
            .args(["--no-replace-objects", "-c", "diff.relative=false"])
            .args(["-c", "log.showRoot=true", "-c", "log.follow=false"])
            .args(["log", "--format=tformat:/%H|%cs|%P|%an%x00%s"])
            .args(["--name-status", "-z", "--find-renames=50%", "-l300"])
            .args(["--no-ext-diff", "--no-color", "--encoding=UTF-8"])
            .args([&format!("--max-count={MOST_COMMITS}"), &git.commit])
            .env("GIT_GRAFT_FILE", "/dev/null")
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let printed = child.stdout.take()?;
        let watch = Watch::over(child);
        let mut bytes = Vec::new();
        let read = printed.take(MOST_BYTES).read_to_end(&mut bytes);
        let is_long = bytes.len() as u64 >= MOST_BYTES;
        let is_in_time = if is_long {
            watch.stop();
            true
        } else {
            watch.end().is_ok_and(|status| status.success())
        };
        read.ok()?;
        if !is_in_time {
            return None;
        }
        let commits = parse(&bytes, &git.prefix);
        let is_cut = is_long || commits.len() >= MOST_COMMITS || git.depth == Depth::Shallow;
        Some(CommitLog { commits, is_cut })
    }

    /// The part of the log that is about these files.
    fn about(&self, paths: &BTreeSet<String>, whole: &BTreeSet<String>) -> PathLog {
        // The present name of each file, by the name that it has at the commit that is looked at.
        let mut names: HashMap<&str, Vec<&str>> = HashMap::default();
        for path in paths {
            names.insert(path, vec![path]);
        }
        let mut found: FoundChanges<'_> = BTreeMap::new();
        let mut relevant: BTreeMap<usize, CommitDetail> = BTreeMap::new();
        for (at, commit) in self.commits.iter().enumerate() {
            let mut renamed: Vec<(&str, Vec<&str>)> = Vec::new();
            for file in &commit.files {
                if let Some(meant) = names.get(file.path.as_str()) {
                    for path in meant {
                        let changes = found.entry(path).or_default();
                        if changes.len() < MOST_CHANGES {
                            changes.push((at, file.how.clone()));
                            let is_whole =
                                file.how == PathChangeKind::Added && whole.contains(*path);
                            let extent = if is_whole {
                                CommitDetail::Whole
                            } else {
                                CommitDetail::Own
                            };
                            let known = relevant.entry(at).or_insert(extent);
                            *known = (*known).max(extent);
                        }
                    }
                    if let Some(from) = &file.from {
                        renamed.push((from, meant.clone()));
                    }
                }
                // A file that somebody asks about under the name that it had.
                if let Some(from) = &file.from
                    && let Some(meant) = names.get(from.as_str())
                {
                    for path in meant.iter().filter(|path| **path == from) {
                        let moved = PathChangeKind::MovedTo(file.path.clone());
                        found.entry(path).or_default().push((at, moved));
                        relevant.entry(at).or_insert(CommitDetail::Own);
                    }
                }
            }
            for (from, meant) in renamed {
                names.entry(from).or_default().extend(meant);
            }
        }
        self.reduced(&relevant, found)
    }

    /// Only these commits, each with those of them that it comes after.
    fn reduced(
        &self,
        relevant: &BTreeMap<usize, CommitDetail>,
        found: FoundChanges<'_>,
    ) -> PathLog {
        let position: HashMap<usize, usize> = relevant
            .keys()
            .enumerate()
            .map(|(position, at)| (*at, position))
            .collect();
        let by_id: HashMap<&str, usize> = self
            .commits
            .iter()
            .enumerate()
            .map(|(at, commit)| (commit.commit.as_str(), at))
            .collect();
        // From the oldest: the relevant commits that are nearest behind each.
        let mut nearest: Vec<Vec<usize>> = vec![Vec::new(); self.commits.len()];
        let mut commits: Vec<PathCommit> = vec![PathCommit::default(); relevant.len()];
        for (at, commit) in self.commits.iter().enumerate().rev() {
            let mut seen: HashSet<usize> = HashSet::default();
            let mut behind: Vec<usize> = Vec::new();
            let parents = commit.parents.iter();
            for parent in parents.filter_map(|parent| by_id.get(parent.as_str())) {
                let further = nearest[*parent].iter().copied();
                behind.extend(further.filter(|one| seen.insert(*one)).take(MOST_PARENTS));
            }
            behind.sort_unstable();
            behind.truncate(MOST_PARENTS);
            nearest[at] = match position.get(&at) {
                Some(position) => {
                    commits[*position] = PathCommit {
                        commit: commit.commit.clone(),
                        date: commit.date.clone(),
                        author: commit.author.clone(),
                        subject: commit.subject.clone(),
                        parents: behind,
                        files: (relevant[&at] == CommitDetail::Whole)
                            .then(|| commit.paths())
                            .flatten(),
                    };
                    vec![*position]
                }
                None => behind,
            };
        }
        let paths = found.into_iter().map(|(path, changes)| {
            let changes = changes.into_iter().map(|(at, how)| PathChange {
                commit: position[&at],
                how,
            });
            (path.to_owned(), changes.collect())
        });
        PathLog {
            commits,
            paths: paths.collect(),
            uncommitted: BTreeSet::new(),
            is_cut: self.is_cut,
        }
    }
}

/// The output of `git log -z --name-status`, where each header starts with a slash, which no path does.
fn parse(bytes: &[u8], prefix: &str) -> Vec<LoggedCommit> {
    let mut commits: Vec<LoggedCommit> = Vec::new();
    let mut tokens = bytes.split(|byte| *byte == 0);
    let text = |token: &[u8]| String::from_utf8_lossy(token).into_owned();
    let inside = |token: Option<&[u8]>| {
        let path = std::str::from_utf8(token?).ok()?;
        path.strip_prefix(prefix).map(str::to_owned)
    };
    while let Some(token) = tokens.next() {
        let token = token.strip_prefix(b"\n").unwrap_or(token);
        if token.starts_with(b"/") {
            let subject = tokens.next().map(text).unwrap_or_default();
            commits.push(header(&text(token), &subject));
            continue;
        }
        let Some(commit) = commits.last_mut() else {
            continue;
        };
        let file = match token.first() {
            Some(b'R') => {
                let (from, to) = (inside(tokens.next()), inside(tokens.next()));
                let how = match (token, &from) {
                    (_, None) => PathChangeKind::Added,
                    (b"R100", _) => PathChangeKind::Moved,
                    _ => PathChangeKind::Modified,
                };
                match (from, to) {
                    (Some(from), None) => Some((from, PathChangeKind::Deleted, None)),
                    (from, to) => to.map(|to| (to, how, from)),
                }
            }
            Some(b'A' | b'C') => {
                inside(tokens.next()).map(|path| (path, PathChangeKind::Added, None))
            }
            Some(b'D') => inside(tokens.next()).map(|path| (path, PathChangeKind::Deleted, None)),
            Some(b'M' | b'T') => {
                inside(tokens.next()).map(|path| (path, PathChangeKind::Modified, None))
            }
            _ => None,
        };
        commit
            .files
            .extend(file.map(|(path, how, from)| LoggedFile { path, how, from }));
    }
    commits
}

fn header(text: &str, subject: &str) -> LoggedCommit {
    let mut fields = text.trim_start_matches('/').splitn(4, '|');
    let mut next = || fields.next().unwrap_or_default().to_owned();
    let (commit, date, parents, author) = (next(), next(), next(), next());
    LoggedCommit {
        commit,
        parents: parents
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect(),
        date,
        author: recent::plain(&author),
        subject: recent::published(subject),
        files: Vec::new(),
    }
}
