//! Following a repo: waits for changes, reads them, has something made of them, and says so. One reading after the other,
//! so that whatever happens meanwhile is part of the next. Where an edit can be shown at once, that comes first, and
//! reading all again goes on beside.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use super::shown;
use crate::input::repo::{Changed, RepoError};
use crate::pipeline::{self, Memory, Read, ReadError, Reading, RebuildState, Request};
use crate::preview::watch::{Waker, Watcher};
use crate::site::Site;
use base::Severity;
use system;

/// Pause in editing after which a fast update is followed by a full read.
const PAUSE: Duration = Duration::from_millis(150);
/// Longest delay before that full read.
const LONGEST: Duration = Duration::from_millis(1_000);

/// Events reported to the caller of [`follow`].
#[derive(Debug, Clone)]
pub enum News {
    /// The repo was read and its site made.
    Made {
        /// Names of the changed files for display; empty for the first build.
        changed: Vec<String>,
        made: Made,
        took: Duration,
    },
    /// A fast update reached open pages, before the full read.
    Shown {
        pages: usize,
        took: Duration,
    },
    /// Something keeps it from being made; what was made last stays.
    Failed(String),
    /// The configuration has mistakes; what was made last stays. The text shows each mistake as an error.
    Misconfigured(String),
    /// An earlier failure is resolved.
    Mended,
    Warning(String),
}

/// Counts for a site that was built.
#[derive(Debug, Clone, Copy, Default)]
pub struct Made {
    pub clusters: usize,
    pub components: usize,
    /// Files that were read.
    pub reads: usize,
    /// Pages that were rendered.
    pub rendered: usize,
    /// All pages that there are.
    pub pages: usize,
    /// Errors, warnings, infos.
    pub findings: [usize; 3],
}

impl Made {
    /// Counts for `site`, taken before any page is rendered.
    pub fn from_site(site: &Site<'_>) -> Made {
        let context = site.context();
        let count = |severity: Severity| {
            let findings = context.findings.iter();
            findings
                .filter(|finding| finding.severity == severity)
                .count()
        };
        Made {
            clusters: context.catalog.clusters.len(),
            components: context.catalog.components.len(),
            reads: context.repo.reads(),
            rendered: 0,
            pages: site.pages().len(),
            findings: [Severity::Error, Severity::Warning, Severity::Info].map(count),
        }
    }
}

/// Builds something from every state of a repo. Changes are numbered.
pub trait Maker: Sync {
    /// Makes it of a reading that has all changes up to a number.
    fn make(&self, reading: Reading, changed: &Changed, number: u64) -> Result<Made, String>;

    /// Something changed.
    fn notice(&self, _number: u64) {}

    /// Shows what can be shown at once of all that changed since the last reading, and says on how many pages. None
    /// where nothing is certain.
    fn update_open_pages(&self, _edit: Edit<'_>) -> Option<usize> {
        None
    }

    /// Changes up to a number came to nothing.
    fn pass(&self, _number: u64) {}

    /// Whether a request waits for a build with all changes.
    fn is_awaited(&self) -> bool {
        false
    }
}

/// Changes since the last full read, and the state that a fast update can reuse.
pub struct Edit<'a> {
    pub request: &'a Request,
    pub memory: &'a Memory,
    pub rebuild_state: &'a mut RebuildState,
    pub changed: &'a Changed,
    pub number: u64,
}

/// Reads a repo and has something made of it, again whenever it changes, for as long as the process lives. A repo that is
/// not there to begin with is not waited for.
pub fn follow<M: Maker>(
    request: &Request,
    watcher: Watcher,
    maker: &M,
    say: impl FnMut(News),
) -> ReadError {
    let mut follower = Follower {
        request,
        here: env::current_dir().ok(),
        waker: watcher.waker(),
        watcher,
        maker,
        say,
        memory: Memory::default(),
        rebuild_state: None,
        changed: Changed::default(),
        number: 0,
        is_due: true,
        shown: None,
        beside: None,
        is_unread: false,
        warned: None,
    };
    let first = follower
        .job()
        .run(|directories| follower.watcher.watch(directories));
    if let ReadOutcome::Unread(error @ ReadError::Repo(_)) = first {
        return error;
    }
    follower.take(first);
    thread::scope(|scope| {
        loop {
            follower.step(scope);
        }
    })
}

struct Follower<'a, M, S> {
    request: &'a Request,
    /// Working directory at start; relative paths of the request are resolved against it.
    here: Option<PathBuf>,
    waker: Waker,
    watcher: Watcher,
    maker: &'a M,
    say: S,
    memory: Memory,
    /// None where nothing can be shown at once.
    rebuild_state: Option<RebuildState>,
    /// Changes that no full read covers yet.
    changed: Changed,
    /// Number of the last change.
    number: u64,
    /// Whether a change arrived since the last attempt to read.
    is_due: bool,
    /// Times of the first and last fast update, if fast updates covered every change.
    shown: Option<(Instant, Instant)>,
    beside: Option<Beside>,
    is_unread: bool,
    warned: Option<String>,
}

/// A reading that goes on beside.
struct Beside {
    covers: Changed,
    outcome: Receiver<ReadOutcome>,
}

impl<'a, M: Maker, S: FnMut(News)> Follower<'a, M, S> {
    /// Waits for the next event and handles it.
    fn step<'s>(&mut self, scope: &'s Scope<'s, 'a>) {
        let news = self.watcher.wait(self.patience());
        if let Some(beside) = self.beside.take() {
            match beside.outcome.try_recv() {
                Ok(outcome) => {
                    if outcome.is_unread() {
                        self.changed.join(beside.covers);
                    }
                    self.take(outcome);
                    if self.is_due {
                        self.update_open_pages();
                    }
                }
                Err(_) => self.beside = Some(beside),
            }
        }
        if !news.is_empty() {
            self.number += 1;
            self.maker.notice(self.number);
            self.changed.join(news);
            self.is_due = true;
            self.update_open_pages();
        }
        if !self.is_due || self.beside.is_some() {
            return;
        }
        if self.shown.is_none() {
            self.read_now();
        } else if self.maker.is_awaited() || self.patience().is_some_and(|left| left.is_zero()) {
            self.read_beside(scope);
        }
    }

    /// How long to wait for more changes; `None` means forever.
    fn patience(&self) -> Option<Duration> {
        let (first, last) = self
            .shown
            .filter(|_| self.is_due && self.beside.is_none())?;
        let pause = PAUSE.saturating_sub(last.elapsed());
        Some(pause.min(LONGEST.saturating_sub(first.elapsed())))
    }

    /// Shows at once what can be shown of all that changed since the last reading.
    fn update_open_pages(&mut self) {
        let start = Instant::now();
        let mut changed = self.changed.clone();
        if let Some(beside) = &self.beside {
            changed.join(beside.covers.clone());
        }
        let pages = self.rebuild_state.as_mut().and_then(|rebuild_state| {
            let edit = Edit {
                request: self.request,
                memory: &self.memory,
                rebuild_state,
                changed: &changed,
                number: self.number,
            };
            // On a panic, the change goes through a full read.
            catch_unwind(AssertUnwindSafe(|| self.maker.update_open_pages(edit))).ok()?
        });
        let Some(pages) = pages else {
            self.shown = None;
            return;
        };
        let first = self.shown.map_or(start, |(first, _)| first);
        self.shown = Some((first, Instant::now()));
        if pages > 0 {
            (self.say)(News::Shown {
                pages,
                took: start.elapsed(),
            });
        }
    }

    fn job(&mut self) -> Job<'a, M> {
        self.is_due = false;
        self.shown = None;
        Job {
            request: self.request,
            maker: self.maker,
            memory: self.memory.clone(),
            changed: self.changed.clone(),
            number: self.number,
            is_first: self.number == 0,
        }
    }

    fn read_now(&mut self) {
        self.stay_here();
        let job = self.job();
        let outcome = job.run(|directories| self.watcher.watch(directories));
        if !outcome.is_unread() {
            self.changed = Changed::default();
        }
        self.take(outcome);
    }

    fn read_beside<'s>(&mut self, scope: &'s Scope<'s, 'a>) {
        let job = self.job();
        let waker = self.waker.clone();
        let (done, outcome) = mpsc::channel();
        self.beside = Some(Beside {
            covers: std::mem::take(&mut self.changed),
            outcome,
        });
        scope.spawn(move || {
            // Only file contents changed, so the watched directories stay the same.
            let outcome = job.run(|_| Vec::new());
            // Sending fails only when the process is ending.
            let _ = done.send(outcome);
            waker.wake();
        });
    }

    /// Returns to the working directory if it was deleted and created again.
    fn stay_here(&self) {
        if let Some(here) = &self.here
            && system::directory_id(here) != system::directory_id(Path::new("."))
        {
            // If it is not there, nothing can be read, and the next reading says so.
            let _ = env::set_current_dir(here);
        }
    }

    fn take(&mut self, outcome: ReadOutcome) {
        let refusal = self.watcher.refusal();
        if let Some(refusal) = refusal.filter(|refusal| self.warned.as_ref() != Some(refusal)) {
            (self.say)(News::Warning(refusal.clone()));
            self.warned = Some(refusal);
        }
        let was_unread = self.is_unread;
        self.is_unread = outcome.is_unread();
        match outcome {
            ReadOutcome::Made(made) => {
                let Finished {
                    memory,
                    rebuild_state,
                    news,
                } = *made;
                self.memory = memory;
                self.rebuild_state = rebuild_state;
                if let Some((asked, real)) = self.memory.root() {
                    let here = self.here.clone().unwrap_or_default();
                    self.watcher.follow_root(here.join(asked), real);
                }
                (self.say)(news);
            }
            ReadOutcome::Same if was_unread => (self.say)(News::Mended),
            ReadOutcome::Same => {}
            ReadOutcome::Unread(error) => {
                if let ReadError::Repo(RepoError::Missing(_) | RepoError::NotADirectory(_)) = error
                {
                    self.watcher.miss_root();
                }
                let text = error.to_string();
                (self.say)(match error {
                    ReadError::Config(_) => News::Misconfigured(text),
                    _ => News::Failed(text),
                });
            }
            ReadOutcome::Lost => {
                // The state after a panic is unknown, so the next read starts from scratch.
                self.memory = Memory::default();
                self.rebuild_state = None;
                (self.say)(News::Failed(LOST.to_owned()));
            }
        }
    }
}

/// A reading that is to be done.
struct Job<'a, M> {
    request: &'a Request,
    maker: &'a M,
    memory: Memory,
    changed: Changed,
    number: u64,
    is_first: bool,
}

enum ReadOutcome {
    Made(Box<Finished>),
    /// The change makes no difference.
    Same,
    Unread(ReadError),
    /// Something panicked on the way.
    Lost,
}

impl ReadOutcome {
    /// Whether the changes still have to be read.
    fn is_unread(&self) -> bool {
        matches!(self, ReadOutcome::Unread(_) | ReadOutcome::Lost)
    }
}

const LOST: &str = "the rebuild failed unexpectedly; the next change triggers a full rebuild. Please \
                    report this, with your last change";

struct Finished {
    memory: Memory,
    /// None where nothing could be made of the reading.
    rebuild_state: Option<RebuildState>,
    news: News,
}

impl<M: Maker> Job<'_, M> {
    /// Reads the changes and builds from them. `watch` receives the directories to watch. A panic does not stop the
    /// preview: the next edit may fix its cause.
    fn run(self, watch: impl FnMut(&[PathBuf]) -> Vec<PathBuf>) -> ReadOutcome {
        let (maker, number) = (self.maker, self.number);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.read(watch)));
        outcome.unwrap_or_else(|_| {
            maker.pass(number);
            ReadOutcome::Lost
        })
    }

    fn read(self, watch: impl FnMut(&[PathBuf]) -> Vec<PathBuf>) -> ReadOutcome {
        let start = Instant::now();
        let read = pipeline::read_incrementally(self.request, &self.memory, &self.changed, watch);
        let Read {
            reading,
            memory,
            rebuild_state,
        } = match read {
            Ok(Some(read)) => read,
            other => {
                self.maker.pass(self.number);
                return other.map_or_else(ReadOutcome::Unread, |_| ReadOutcome::Same);
            }
        };
        let changed = if self.is_first {
            Vec::new()
        } else {
            names(&self.changed, reading.repo.root())
        };
        let made = self.maker.make(reading, &self.changed, self.number);
        if made.is_err() {
            self.maker.pass(self.number);
        }
        let rebuild_state = made.is_ok().then_some(rebuild_state);
        let news = match made {
            Ok(made) => News::Made {
                changed,
                made,
                took: start.elapsed(),
            },
            Err(error) => News::Failed(error),
        };
        ReadOutcome::Made(Box::new(Finished {
            memory,
            rebuild_state,
            news,
        }))
    }
}

/// Names of the changed files for display.
fn names(changed: &Changed, root: &Path) -> Vec<String> {
    let is_git = |path: &Path| path.components().any(|part| part.as_os_str() == ".git");
    let (of_git, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        changed.paths.iter().partition(|path| is_git(path));
    let mut names: Vec<String> = files.into_iter().map(|path| shown(path, root)).collect();
    if names.is_empty() && !of_git.is_empty() {
        names.push("the checked-out commit".to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Panics as long as a file is there.
    struct Fragile;

    impl Maker for Fragile {
        fn make(&self, reading: Reading, _: &Changed, _: u64) -> Result<Made, String> {
            assert!(!reading.repo.root().join("boom.yaml").exists(), "boom");
            Ok(Made::default())
        }
    }

    #[test]
    fn what_panics_is_made_again_once_it_is_corrected() {
        let directory = tempfile::tempdir().unwrap();
        let boom = directory.path().join("boom.yaml");
        fs::write(&boom, "a: 1\n").unwrap();
        let request = Request {
            repo: Some(directory.path().to_path_buf()),
            ..Request::default()
        };
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let watcher = Watcher::new(None).unwrap();
            follow(&request, watcher, &Fragile, |news| drop(tell.send(news)));
        });
        let next = || told.recv_timeout(Duration::from_secs(30)).unwrap();
        assert!(matches!(next(), News::Failed(_)));
        fs::remove_file(&boom).unwrap();
        assert!(matches!(next(), News::Made { .. }));
    }
}
