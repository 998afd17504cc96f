//! Finds when each file was last changed, and by whom, among the newest commits.
//!
//! A walk visits [`WalkLimits::commits`] commits in the order of `git log` (the window), so a history of 300,000 commits
//! costs no more than one of 12,000. A file that none of them changed was last changed before a known day.
//!
//! The answer for a commit depends on that commit only. The cache holds the commits of an earlier window. Git prints the
//! commits that are newer, and the walk is repeated in memory over all of them, with the same limits: commits that a walk
//! without a cache would not reach are left out. If the walk needs a commit that is in neither, git walks again from the
//! start. Clocks that go back can cause that, and so can a checkout of an older commit.

mod cache;
mod commits;
mod encoding;
mod log;
#[cfg(test)]
mod tests;
mod window;

use std::path::Path;
use std::thread;

use serde::{Deserialize, Serialize};

use super::RepoPath;
use super::git::{Depth, Git};
use base::FileId;
use base::hash::HashSet;
use cache::Cache;
use commits::{Commits, TextIx};
use log::{Ended, Log};
use window::{Window, WindowEnd};

/// The last change of the files that are in the commit.
#[derive(Debug, Default)]
pub struct History {
    /// The newest first.
    changes: Vec<ChangeCommit>,
    /// By file.
    last: Vec<Option<Last>>,
    /// Files whose last change is not among `changes` were changed before this day, given as `yyyy-mm-dd`.
    before: Option<String>,
}

/// A commit that changed a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeCommit {
    /// The full id of the commit.
    pub commit: String,
    /// The day on which it was committed, as `yyyy-mm-dd`.
    pub date: String,
    pub author: String,
}

/// When a file was last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastChange<'h> {
    In(&'h ChangeCommit),
    /// Before this day, given as `yyyy-mm-dd`, by a commit beyond the window.
    Before(&'h str),
}

/// Location of a file's last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Last {
    /// A position in the list of changes: the newest comes first.
    Change(usize),
    /// In a commit beyond the window.
    Before,
}

/// How far back a walk looks.
#[derive(Debug, Clone, Copy)]
struct WalkLimits {
    /// The number of commits.
    commits: usize,
    /// The memory for the names of changed files.
    bytes: usize,
    /// Shorter histories are not cached, because git reads them quickly enough.
    cached_from: usize,
}

const LIMITS: WalkLimits = WalkLimits {
    commits: 12_000,
    bytes: 128 * 1024 * 1024,
    cached_from: 1_000,
};

impl History {
    /// None for a file that is not committed, and where a shallow clone does not reach back to its last change.
    pub fn last_change(&self, file: FileId) -> Option<LastChange<'_>> {
        self.told(self.last(file)?)
    }

    /// The last change of a file, if it came after that of another.
    pub fn later_change(&self, file: FileId, than: FileId) -> Option<&ChangeCommit> {
        let (file, than) = (self.last(file)?, self.last(than)?);
        match file {
            Last::Change(at) if file < than => self.changes.get(at),
            // The order of two changes beyond the window is unknown.
            Last::Change(_) | Last::Before => None,
        }
    }

    /// The newest change of some files.
    pub fn newest_change(&self, files: impl Iterator<Item = FileId>) -> Option<LastChange<'_>> {
        self.told(files.filter_map(|file| self.last(file)).min()?)
    }

    /// A recorded history. Invalid positions and dates are ignored.
    pub(super) fn kept(
        changes: Vec<ChangeCommit>,
        last: Vec<Option<Last>>,
        before: Option<String>,
    ) -> History {
        History {
            changes,
            last,
            before: before.filter(|day| is_date(day)),
        }
    }

    pub(super) fn changes(&self) -> &[ChangeCommit] {
        &self.changes
    }

    pub(super) fn before(&self) -> Option<&str> {
        self.before.as_deref()
    }

    pub(super) fn last(&self, file: FileId) -> Option<Last> {
        self.last.get(file.0 as usize).copied().flatten()
    }

    fn told(&self, last: Last) -> Option<LastChange<'_>> {
        match last {
            Last::Change(at) => self.changes.get(at).map(LastChange::In),
            Last::Before => self.before.as_deref().map(LastChange::Before),
        }
    }

    /// `paths` are those of all files, sorted.
    pub(super) fn load(git: &Git, root: &Path, paths: &[&RepoPath]) -> Option<History> {
        let cache = Cache::of_user(git, root, &LIMITS);
        let answer = last_changes(git, root, &LIMITS, cache.as_ref())?;
        Some(History::from_answer(answer, paths))
    }

    /// Drops committed files that are not read, such as those that the configuration ignores.
    fn from_answer(answer: LastChanges, paths: &[&RepoPath]) -> History {
        let mut history = History {
            last: vec![None; paths.len()],
            ..History::default()
        };
        let found = |path: &RepoPath| {
            let by_path = |file: &(String, Last)| file.0.as_str().cmp(path.as_str());
            let at = answer.files.binary_search_by(by_path).ok()?;
            Some(answer.files[at].1)
        };
        let last: Vec<Option<Last>> = paths.iter().map(|path| found(path)).collect();
        let mut new_positions = vec![None; answer.changes.len()];
        for at in last.iter().flatten() {
            match at {
                Last::Change(at) => new_positions[*at] = Some(0),
                Last::Before => history.before.clone_from(&answer.before),
            }
        }
        for (change, position) in answer.changes.into_iter().zip(&mut new_positions) {
            if let Some(position) = position {
                *position = history.changes.len();
                history.changes.push(change);
            }
        }
        for (last, found) in history.last.iter_mut().zip(last) {
            *last = match found {
                Some(Last::Change(at)) => new_positions[at].map(Last::Change),
                other => other,
            };
        }
        history
    }
}

/// The last changes of all files of a commit below the directory that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LastChanges {
    /// The commit that it is about.
    commit: String,
    /// As in [`History`].
    before: Option<String>,
    /// The newest first.
    changes: Vec<ChangeCommit>,
    /// By path, sorted. Positions are those of `changes`.
    files: Vec<(String, Last)>,
}

/// The window of an earlier walk. Parents beyond it are no newer than `floor`.
struct EarlierWindow {
    commits: Commits,
    floor: u64,
}

/// None if git takes too long: partial output would differ from run to run.
fn last_changes(
    git: &Git,
    root: &Path,
    limits: &WalkLimits,
    cache: Option<&Cache>,
) -> Option<LastChanges> {
    // The oldest commits of a shallow clone change when it is deepened.
    let cache = cache.filter(|_| git.depth == Depth::Full);
    let cached = cache.and_then(Cache::read);
    let known = match cached {
        Some(cached) if cached.answer.commit == git.commit => return Some(cached.answer),
        cached => cached.and_then(cache::Cached::commits),
    };
    let (walked, committed) = thread::scope(|scope| {
        let committed = scope.spawn(|| log::committed(git, root));
        let walked = walk(git, root, limits, known);
        (walked, committed.join().ok().flatten())
    });
    let Walked { commits, window } = walked?;
    let answer = window::answer(&commits, &git.commit, &window, committed?, git.depth);
    let is_worth_it =
        window.commits.len() >= limits.cached_from && window.end != WindowEnd::Missing;
    if let Some(cache) = cache.filter(|_| is_worth_it) {
        cache.write(&answer, &commits, &window);
    }
    Some(answer)
}

struct Walked {
    commits: Commits,
    window: Window,
}

fn walk(
    git: &Git,
    root: &Path,
    limits: &WalkLimits,
    known: Option<EarlierWindow>,
) -> Option<Walked> {
    let has_known = known.is_some();
    let walked = read(git, root, limits, known)?;
    // The cached commits are not enough to repeat git's walk.
    match walked.window.end {
        WindowEnd::Missing if has_known => read(git, root, limits, None),
        _ => Some(walked),
    }
}

/// Reads commits from git until all their parents are known.
fn read(
    git: &Git,
    root: &Path,
    limits: &WalkLimits,
    known: Option<EarlierWindow>,
) -> Option<Walked> {
    let floor = known.as_ref().map(|known| known.floor);
    let mut commits = known.map(|known| known.commits).unwrap_or_default();
    let head = commits.number(&git.commit);
    let mut wanted: HashSet<TextIx> = HashSet::default();
    if commits.get(head).is_none() {
        wanted.insert(head);
    }
    let mut read = Vec::new();
    let mut bytes = 0;
    let mut ended = Ended::Early;
    if !wanted.is_empty() {
        let mut log = Log::start(git, root, limits)?;
        while let Some(id) = log.next(&mut commits) {
            read.push(id);
            wanted.remove(&id);
            let Some(commit) = commits.get(id) else {
                continue;
            };
            let unknown = commit.parents.iter().copied();
            wanted.extend(unknown.filter(|parent| commits.get(*parent).is_none()));
            let files = commit.files.as_ref();
            bytes += files.map_or(limits.bytes + 1, |files| commits.bytes(files));
            if wanted.is_empty() || bytes > limits.bytes {
                break;
            }
        }
        ended = log.end();
    }
    if ended == Ended::Late {
        return None;
    }
    // Git printed the whole window if a parent is still unknown, so the cached commits are not needed.
    let floor = floor.filter(|_| wanted.is_empty());
    if floor.is_none() {
        commits.keep_only(&read);
    }
    let window = window::window(&commits, head, limits, floor);
    Some(Walked { commits, window })
}

/// Whether a text looks like `yyyy-mm-dd`.
fn is_date(text: &str) -> bool {
    text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// The largest offset of a time zone from UTC, in seconds.
const LARGEST_OFFSET: u64 = 14 * 60 * 60;

/// The first day that has not begun in any time zone, as `yyyy-mm-dd`. A commit made by then has an earlier date,
/// whatever its time zone. None after the year 9999.
fn day_after(seconds: u64) -> Option<String> {
    let days = seconds.checked_add(LARGEST_OFFSET)? / SECONDS_PER_DAY + 1;
    let mut year = 1970;
    let mut rest = days;
    loop {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let february = if is_leap { 29 } else { 28 };
        for (month, length) in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            .into_iter()
            .enumerate()
        {
            if rest < length {
                return Some(format!("{year:04}-{:02}-{:02}", month + 1, rest + 1));
            }
            rest -= length;
        }
        year += 1;
        if year > 9999 {
            return None;
        }
    }
}
