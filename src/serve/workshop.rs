//! The workshop: waits for changes, reads them, makes a site, and says so. One after the other, so that whatever happens
//! meanwhile is part of the next.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::generation::{self, Generation};
use super::hub::{Hub, Trouble};
use super::shown;
use crate::diagnostic::Severity;
use crate::pipeline::{self, Memory, ReadError, Reading, Request};
use crate::repo::Changed;
use crate::site::Site;
use crate::watch::Watcher;

/// What there is to tell whoever started it.
#[derive(Debug, Clone)]
pub enum News {
    /// The repo was read and its site made.
    Made {
        /// What changed, as people name it; empty for the first time.
        changed: Vec<String>,
        made: Made,
        took: Duration,
    },
    /// Something keeps it from being made; what was made last stays.
    Failed(String),
    /// What failed does no longer.
    Mended,
    Warning(String),
}

/// What was made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Made {
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
    /// What a site holds, before any page of it is rendered.
    pub fn of(site: &Site<'_>) -> Made {
        let book = site.book();
        let count = |severity: Severity| {
            let findings = book.findings.iter();
            findings
                .filter(|finding| finding.severity == severity)
                .count()
        };
        Made {
            components: book.catalog.components.len(),
            reads: book.repo.reads(),
            rendered: 0,
            pages: site.pages().len(),
            findings: [Severity::Error, Severity::Warning, Severity::Info].map(count),
        }
    }
}

/// Makes the site of every state of a repo, for a server.
pub(super) fn run(
    request: &Request,
    hub: &Hub,
    watcher: Watcher,
    mut say: impl FnMut(News),
) -> Result<(), ReadError> {
    let mut touched: BTreeSet<PathBuf> = BTreeSet::new();
    let make = |reading: Reading, changed: &Changed| -> Result<Made, String> {
        let root = reading.repo.root().to_path_buf();
        touched.extend(changed.paths.iter().cloned());
        let site = generation::start(reading).map_err(|error| error.to_string())?;
        let made = site.summary.made;
        let trouble = trouble(&site, &root, &touched);
        let rendered = hub.publish(site, trouble);
        Ok(Made { rendered, ..made })
    };
    follow(request, watcher, make, |news| {
        match &news {
            News::Failed(text) => hub.set_trouble(Some(Trouble {
                title: "The catalogue cannot be made".to_owned(),
                text: text.clone(),
            })),
            News::Mended => hub.set_trouble(None),
            News::Made { .. } | News::Warning(_) => {}
        }
        say(news);
    })
}

/// Reads a repo and makes something of it, again whenever it changes, until the watcher ends. A repo that is not there to
/// begin with is not waited for.
pub fn follow(
    request: &Request,
    mut watcher: Watcher,
    mut make: impl FnMut(Reading, &Changed) -> Result<Made, String>,
    mut say: impl FnMut(News),
) -> Result<(), ReadError> {
    let mut memory = Memory::default();
    let mut changed = Changed::default();
    let mut is_first = true;
    let mut is_unread = false;
    let mut warned = None;
    loop {
        let start = Instant::now();
        let read = pipeline::read_again(request, &mut memory, &changed, |directories| {
            watcher.watch(directories)
        });
        if let Some(refusal) = watcher
            .refusal()
            .filter(|refusal| warned.as_ref() != Some(refusal))
        {
            say(News::Warning(refusal.clone()));
            warned = Some(refusal);
        }
        let was_unread = is_unread;
        is_unread = read.is_err();
        match read {
            Ok(Some(reading)) => {
                let names = names(&changed, reading.repo.root());
                match make(reading, &changed) {
                    Ok(made) => say(News::Made {
                        changed: match is_first {
                            true => Vec::new(),
                            false => names,
                        },
                        made,
                        took: start.elapsed(),
                    }),
                    Err(error) => say(News::Failed(error)),
                }
                is_first = false;
            }
            Ok(None) if was_unread => say(News::Mended),
            Ok(None) => {}
            Err(error @ ReadError::Repo(_)) if is_first => return Err(error),
            Err(error) => say(News::Failed(error.to_string())),
        }
        if !is_unread {
            changed = Changed::default();
        }
        let Some(next) = watcher.wait() else {
            return Ok(());
        };
        changed.paths.extend(next.paths);
        changed.is_unknown |= next.is_unknown;
    }
}

/// What changed, as people name it.
fn names(changed: &Changed, root: &Path) -> Vec<String> {
    let is_git = |path: &Path| path.components().any(|part| part.as_os_str() == ".git");
    let (of_git, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        changed.paths.iter().partition(|path| is_git(path));
    let mut names: Vec<String> = files.into_iter().map(|path| shown(path, root)).collect();
    if names.is_empty() && !of_git.is_empty() {
        names.push("what is checked out".to_owned());
    }
    names
}

/// Files that somebody is just editing and that cannot be read as they are.
fn trouble(site: &Generation, root: &Path, touched: &BTreeSet<PathBuf>) -> Option<Trouble> {
    let unreadable = site.summary.unreadable.iter();
    let broken = unreadable.filter(|(path, _)| touched.contains(&root.join(path)));
    let (paths, texts): (Vec<&str>, Vec<&str>) = broken
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .unzip();
    let first = *paths.first()?;
    Some(Trouble {
        title: match paths.iter().all(|path| *path == first) {
            true => format!("{first} cannot be read"),
            false => "Some files cannot be read".to_owned(),
        },
        text: texts.concat(),
    })
}
