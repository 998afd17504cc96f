//! Selects the commits to look at, and finds the last change of each file among them. Repeats the walk of `git log` over
//! commits in memory: among the parents of visited commits, the newest is visited next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::commits::{Commits, TextIx};
use super::{ChangeCommit, Last, LastChanges, WalkLimits};
use crate::input::repo::git::Depth;
use base::hash::HashSet;

/// The commits to look at, the newest first.
pub(super) struct Window {
    pub commits: Vec<TextIx>,
    pub end: WindowEnd,
}

/// Why a window ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WindowEnd {
    /// There are no older commits.
    Root,
    /// A limit was reached. The newest commit beyond it has this time.
    Limit { time: u64 },
    /// A commit that belongs to the window was not read.
    Missing,
}

/// The window that starts at `head`. Parents that were not read are no newer than `floor`. Without a floor, they come
/// after all commits that were read.
pub(super) fn window(
    commits: &Commits,
    head: TextIx,
    limits: &WalkLimits,
    floor: Option<u64>,
) -> Window {
    let mut window = Window {
        commits: Vec::new(),
        end: WindowEnd::Root,
    };
    let mut queue = Queue::default();
    queue.push(commits, head);
    let mut bytes = 0;
    while let Some((time, id)) = queue.pop() {
        // Git might visit a commit that was not read before this one.
        if queue.has_missing && floor.is_some_and(|floor| time <= floor) {
            window.end = WindowEnd::Missing;
            return window;
        }
        if window.commits.len() >= limits.commits {
            window.end = WindowEnd::Limit { time };
            return window;
        }
        let Some(commit) = commits.get(id) else {
            continue;
        };
        let files = commit.files.as_ref();
        bytes += files.map_or(limits.bytes + 1, |files| commits.bytes(files));
        if bytes > limits.bytes {
            window.end = WindowEnd::Limit { time };
            return window;
        }
        window.commits.push(id);
        for parent in &commit.parents {
            queue.push(commits, *parent);
        }
    }
    if queue.has_missing {
        window.end = WindowEnd::Missing;
    }
    window
}

/// Commits to visit, in git's order: newest first, and within the same second in the order in which they were found.
#[derive(Default)]
struct Queue {
    waiting: BinaryHeap<(u64, Reverse<usize>, Reverse<u32>)>,
    seen: HashSet<TextIx>,
    has_missing: bool,
}

impl Queue {
    fn push(&mut self, commits: &Commits, id: TextIx) {
        if !self.seen.insert(id) {
            return;
        }
        match commits.get(id) {
            Some(commit) => {
                let turn = self.seen.len();
                self.waiting
                    .push((commit.time, Reverse(turn), Reverse(id.0)));
            }
            None => self.has_missing = true,
        }
    }

    fn pop(&mut self) -> Option<(u64, TextIx)> {
        let (time, _, Reverse(id)) = self.waiting.pop()?;
        Some((time, TextIx(id)))
    }
}

/// The last change of each path in `committed`, which is sorted.
pub(super) fn answer(
    commits: &Commits,
    head: &str,
    window: &Window,
    committed: Vec<String>,
    depth: Depth,
) -> LastChanges {
    let mut found = vec![FileChange::Nothing; commits.text_count()];
    let mut changes = Vec::new();
    for id in &window.commits {
        let Some(commit) = commits.get(*id) else {
            continue;
        };
        // At the end of a shallow clone, every file looks new.
        let is_end = depth == Depth::Shallow && commit.parents.is_empty();
        let date = commits.text(commit.date);
        let is_known = !is_end && super::is_date(date);
        let mut is_told = false;
        for file in commit.files.iter().flatten() {
            let Some(found) = found.get_mut(file.0 as usize) else {
                continue;
            };
            if *found != FileChange::Nothing {
                continue;
            }
            *found = if is_known {
                if !std::mem::replace(&mut is_told, true) {
                    changes.push(ChangeCommit {
                        commit: commits.text(*id).to_owned(),
                        date: date.to_owned(),
                        author: commits.text(commit.author).to_owned(),
                    });
                }
                FileChange::Change(changes.len() - 1)
            } else {
                FileChange::Unknown
            };
        }
    }
    let before = match window.end {
        WindowEnd::Limit { time } => super::day_after(time),
        WindowEnd::Root | WindowEnd::Missing => None,
    };
    let last = |path: &str| {
        let number = commits.find(path);
        match number.map(|number| found[number.0 as usize]) {
            Some(FileChange::Change(change)) => Some(Last::Change(change)),
            Some(FileChange::Unknown) => None,
            Some(FileChange::Nothing) | None => before.is_some().then_some(Last::Before),
        }
    };
    let files = committed.into_iter().filter_map(|path| {
        let last = last(&path)?;
        Some((path, last))
    });
    LastChanges {
        commit: head.to_owned(),
        files: files.collect(),
        before,
        changes,
    }
}

/// The last change of a file among the commits visited so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileChange {
    Nothing,
    /// A position in the list of changes.
    Change(usize),
    /// Changed last by a commit whose changes are not known.
    Unknown,
}
