//! Watches directories: collects the paths that change until the changes pause. Reads nothing; the only importer of
//! `notify`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use thiserror::Error;

use crate::input::repo::Changed;
use base::hash::HashSet;
use system::{self, DirectoryId};

/// Pause after a file is closed before changes are reported.
const AFTER_CLOSE: Duration = Duration::from_millis(2);
/// Pause while a file is still open for writing.
const WHILE_OPEN: Duration = Duration::from_millis(20);
/// Pause that ends a burst of many changes, such as a switch of branches.
const IN_A_BURST: Duration = Duration::from_millis(60);
const BURST: usize = 16;
/// Longest time to collect changes.
const LONGEST: Duration = Duration::from_millis(1_000);

/// How often to check that the root is still the same directory. Moving a parent directory sends no event.
const TICK: Duration = Duration::from_millis(500);

/// Whether each directory is watched separately. Directories that are never read then cost nothing.
const EACH: bool = cfg!(any(target_os = "linux", target_os = "android"));

#[derive(Debug, Error)]
pub enum WatchError {
    #[error("cannot watch files: {0}")]
    Unavailable(String),
}

pub struct Watcher {
    inner: RecommendedWatcher,
    sender: Sender<WatchMessage>,
    events: Receiver<WatchMessage>,
    watched: HashSet<PathBuf>,
    /// Paths whose changes are our own doing.
    own: Option<PathBuf>,
    /// Directories that could not be watched, and why.
    refused: Option<(usize, String)>,
    root: Option<Root>,
}

/// The directory that all others are below.
struct Root {
    /// The watched path.
    path: PathBuf,
    /// The path as the caller named it, which may contain symbolic links.
    asked: PathBuf,
    /// The directory at the last check, if there was one.
    id: Option<DirectoryId>,
}

enum WatchMessage {
    Event(notify::Result<Event>),
    Wake,
}

/// Ends the waiting of a watcher from elsewhere.
#[derive(Clone)]
pub struct Waker(Sender<WatchMessage>);

impl Waker {
    pub fn wake(&self) {
        // If the receiver is gone, there is nothing to wake.
        let _ = self.0.send(WatchMessage::Wake);
    }
}

impl Watcher {
    /// A watcher that watches nothing yet. What happens at `own`, and beside it while it is replaced, is not reported.
    pub fn new(own: Option<&Path>) -> Result<Watcher, WatchError> {
        let (sender, events) = mpsc::channel();
        let told = sender.clone();
        let inner = RecommendedWatcher::new(
            move |event| {
                // If the receiver is gone, the event has no use.
                let _ = told.send(WatchMessage::Event(event));
            },
            Config::default().with_follow_symlinks(false),
        );
        Ok(Watcher {
            inner: inner.map_err(|error| WatchError::Unavailable(words(&error)))?,
            sender,
            events,
            watched: HashSet::default(),
            own: own.map(Path::to_path_buf),
            refused: None,
            root: None,
        })
    }

    /// Reports when the directory at `path` is replaced or comes back. `asked` is the same directory as the caller
    /// named it.
    pub fn follow_root(&mut self, asked: PathBuf, path: &Path) {
        let is_known = |root: &Root| root.path == path && root.asked == asked;
        if !self.root.as_ref().is_some_and(is_known) {
            let id = system::directory_id(&asked);
            let path = path.to_path_buf();
            self.root = Some(Root { path, asked, id });
        }
    }

    /// Notes that the root was missing, so that its return counts as a change.
    pub fn miss_root(&mut self) {
        if let Some(root) = &mut self.root {
            root.id = None;
        }
    }

    /// Watches these directories, and says which it had not watched before.
    pub fn watch(&mut self, directories: &[PathBuf]) -> Vec<PathBuf> {
        let mut new = Vec::new();
        let mut refused = 0;
        let mut why = String::new();
        for directory in directories {
            if self.covers(directory) {
                continue;
            }
            // Asked for before: if another takes its place meanwhile, that is noticed.
            if let Some(root) = self.root.as_mut().filter(|root| root.path == *directory) {
                root.id = system::directory_id(&root.asked);
            }
            let mode = if EACH {
                RecursiveMode::NonRecursive
            } else {
                RecursiveMode::Recursive
            };
            match self.inner.watch(directory, mode) {
                Ok(()) => {
                    self.watched.insert(directory.clone());
                    new.push(directory.clone());
                }
                // It disappeared after it was listed.
                Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => {}
                Err(error) => {
                    refused += 1;
                    why = words(&error);
                }
            }
        }
        self.refused = (refused > 0).then_some((refused, why));
        new
    }

    /// The last failure to watch directories, as a sentence.
    pub fn refusal(&self) -> Option<String> {
        let (count, why) = self.refused.as_ref()?;
        Some(format!(
            "cannot watch {count} directories, so changes in them go unnoticed: {why}"
        ))
    }

    pub fn waker(&self) -> Waker {
        Waker(self.sender.clone())
    }

    /// Waits for changes, until woken, or at most for `longest`.
    pub fn wait(&mut self, longest: Option<Duration>) -> Changed {
        let start = Instant::now();
        let mut batch = Batch::default();
        loop {
            let left = longest.map(|longest| longest.saturating_sub(start.elapsed()));
            let patience = match batch.since {
                // Changes that never pause are reported after the longest wait.
                Some(since) if since.elapsed() >= LONGEST => break,
                Some(since) => Some(batch.patience(since)),
                None if self.root.is_some() => Some(left.unwrap_or(TICK).min(TICK)),
                None => left,
            };
            let message = match patience {
                Some(patience) => self.events.recv_timeout(patience),
                None => self.events.recv().map_err(RecvTimeoutError::from),
            };
            match message {
                Ok(WatchMessage::Event(event)) => self.take(event, &mut batch),
                Ok(WatchMessage::Wake) if batch.since.is_none() => break,
                // A batch is already being collected and returns soon.
                Ok(WatchMessage::Wake) => {}
                Err(RecvTimeoutError::Timeout) if batch.since.is_none() => {
                    self.look_at_root(&mut batch);
                    let is_over = longest.is_some_and(|longest| start.elapsed() >= longest);
                    if is_over && batch.since.is_none() {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        batch.changed
    }

    fn covers(&self, directory: &Path) -> bool {
        if EACH {
            self.watched.contains(directory)
        } else {
            directory
                .ancestors()
                .any(|above| self.watched.contains(above))
        }
    }

    fn take(&mut self, event: notify::Result<Event>, batch: &mut Batch) {
        let event = match event {
            Ok(event) => event,
            // An event was missed, so the changed paths are unknown.
            Err(_) => return batch.add_unknown(),
        };
        if event.need_rescan() {
            return batch.add_unknown();
        }
        let closed = matches!(
            event.kind,
            EventKind::Access(AccessKind::Close(AccessMode::Write))
        );
        // Our own reading is no change.
        if matches!(event.kind, EventKind::Access(_)) && !closed {
            return;
        }
        let is_content = closed || matches!(event.kind, EventKind::Modify(ModifyKind::Data(_)));
        for path in event.paths {
            if self.is_own(&path) || path.iter().any(system::output::is_unfinished) {
                continue;
            }
            if !is_content {
                self.forget(&path);
            }
            batch.add(path, closed, is_content);
        }
    }

    fn look_at_root(&mut self, batch: &mut Batch) {
        let Some(root) = &mut self.root else {
            return;
        };
        let id = system::directory_id(&root.asked);
        if id == root.id {
            return;
        }
        root.id = id;
        let path = root.path.clone();
        self.forget(&path);
        batch.add(path, false, false);
    }

    /// A directory that came, went or moved is no longer watched, even where another one has its name now.
    fn forget(&mut self, path: &Path) {
        if !EACH || !self.watched.contains(path) {
            return;
        }
        if self.root.as_ref().is_some_and(|root| root.path == path) {
            self.miss_root();
        }
        let inner = &mut self.inner;
        self.watched.retain(|directory| {
            let is_gone = directory.starts_with(path);
            if is_gone {
                let _ = inner.unwatch(directory);
            }
            !is_gone
        });
    }

    fn is_own(&self, path: &Path) -> bool {
        let Some(own) = &self.own else {
            return false;
        };
        let is_beside = || {
            let (Some(name), Some(own_name)) = (path.file_name(), own.file_name()) else {
                return false;
            };
            let name = name.to_string_lossy();
            path.parent() == own.parent()
                && name.starts_with(&format!(".{}.", own_name.to_string_lossy()))
        };
        path.starts_with(own) || is_beside()
    }
}

/// Changes that are still being gathered.
#[derive(Default)]
struct Batch {
    changed: Changed,
    since: Option<Instant>,
    /// Files that are still being written.
    open: BTreeSet<PathBuf>,
}

impl Batch {
    fn add(&mut self, path: PathBuf, closed: bool, is_content: bool) {
        self.since.get_or_insert_with(Instant::now);
        match (closed, is_content) {
            (true, _) => drop(self.open.remove(&path)),
            (false, true) => drop(self.open.insert(path.clone())),
            (false, false) => {}
        }
        self.changed.paths.insert(path);
    }

    fn add_unknown(&mut self) {
        self.since.get_or_insert_with(Instant::now);
        self.changed.is_unknown = true;
    }

    /// How long to wait for the next change.
    fn patience(&self, since: Instant) -> Duration {
        let quiet = match self.changed.paths.len() {
            many if many > BURST || self.changed.is_unknown => IN_A_BURST,
            _ if self.open.is_empty() => AFTER_CLOSE,
            _ => WHILE_OPEN,
        };
        quiet.min(LONGEST.saturating_sub(since.elapsed()))
    }
}

fn words(error: &notify::Error) -> String {
    match error.kind {
        ErrorKind::MaxFilesWatch => {
            "the limit on watches is reached; raise it, on Linux with `sysctl \
             fs.inotify.max_user_watches=524288`"
                .to_owned()
        }
        _ => error.to_string(),
    }
}
