//! The state that the site builder and the server share: the current site, what is wrong with the repo, which pages are
//! open, and what each of them must do to be current. Only the newest state is kept, however slow a browser is. An edit
//! reaches open pages through a fast update first; requests for anything else wait for the new site.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use tokio::sync::watch;

use super::site_worker::{ServedFile, SiteFile, SiteWorker, UpdatedPages};
use super::trouble::Trouble;
use crate::preview::watch::Waker;
use base::hash::HashMap;

pub struct LiveReload {
    state: watch::Sender<Arc<PreviewState>>,
    /// Held while a state is made out of the one before.
    changing: Mutex<()>,
    open: Mutex<BTreeMap<String, usize>>,
    progress: watch::Sender<Progress>,
    /// Whether a request waits for a site with all changes.
    is_awaited: AtomicBool,
    waker: OnceLock<Waker>,
}

/// Numbers of the last noticed change and of the last change that the site covers.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    noticed: u64,
    covered: u64,
}

impl Progress {
    fn is_settled(&self) -> bool {
        self.covered >= self.noticed
    }
}

/// The site as it is now.
#[derive(Default, Clone)]
pub struct PreviewState {
    /// Counts up, from where no earlier server had come; a page knows which it is of, and outlives a server.
    pub build: u64,
    /// None before the first.
    pub site: Option<Arc<SiteWorker>>,
    /// Pages as they are after the change of that number, where the site does not have it yet.
    updated_pages: Arc<UpdatedPages>,
    updated: u64,
    pub trouble: Option<Trouble>,
    /// The build that open pages were compared with, and what each has to do.
    before: u64,
    actions: Arc<HashMap<String, Action>>,
    /// The action for all other pages.
    otherwise: Action,
}

/// The action that brings an open page up to date.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Nothing: it says what it said.
    #[default]
    Stay,
    /// Take another style sheet, by its address.
    Style(String),
    Reload,
    /// Nothing until there is something better to show than this, if anything is known to be wrong.
    #[serde(skip)]
    Wait(Option<Trouble>),
}

/// Most open pages that are compared; further ones reload without a comparison.
const MOST_COMPARED: usize = 32;
/// Longest wait for a site that has all changes: edits may never pause.
const PATIENCE: Duration = Duration::from_secs(20);

impl Default for LiveReload {
    fn default() -> LiveReload {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let first = PreviewState {
            build: now.map_or(0, |now| now.as_millis() as u64),
            ..PreviewState::default()
        };
        LiveReload {
            state: watch::Sender::new(Arc::new(first)),
            changing: Mutex::default(),
            open: Mutex::default(),
            progress: watch::Sender::new(Progress::default()),
            is_awaited: AtomicBool::new(false),
            waker: OnceLock::new(),
        }
    }
}

impl LiveReload {
    pub fn state(&self) -> Arc<PreviewState> {
        self.state.borrow().clone()
    }

    pub fn subscribe(&self) -> watch::Receiver<Arc<PreviewState>> {
        self.state.subscribe()
    }

    /// Sets the waker that a waiting request uses.
    pub fn set_waker(&self, waker: Waker) {
        // There is one site builder, which says so once.
        let _ = self.waker.set(waker);
    }

    /// The state that answers for a path: one with all changes, or one with a fast update of the page if `takes` allows it.
    pub async fn state_for(&self, path: &str, takes: Takes) -> Arc<PreviewState> {
        let mut progress = self.progress.subscribe();
        let now = *progress.borrow_and_update();
        let state = self.state();
        let is_updated = takes == Takes::FastUpdates
            && state.updated >= now.noticed
            && state.updated_pages.contains_key(path);
        if now.is_settled() || is_updated || state.has_for_good(path) {
            return state;
        }
        self.is_awaited.store(true, Ordering::Relaxed);
        self.waker.get().inspect(|waker| waker.wake());
        let settled = progress.wait_for(Progress::is_settled);
        // However that ends, what there is then is the best that there is.
        let _ = tokio::time::timeout(PATIENCE, settled).await;
        self.state()
    }

    /// Whether a request has started to wait since the last call.
    pub fn is_awaited(&self) -> bool {
        self.is_awaited.swap(false, Ordering::Relaxed)
    }

    /// Something changed that the site does not have yet.
    pub fn notice(&self, number: u64) {
        self.progress.send_modify(|now| now.noticed = number);
    }

    /// Changes up to a number make no difference to the site, or cannot.
    pub fn pass(&self, number: u64) {
        self.progress.send_modify(|now| now.covered = number);
    }

    /// Replaces the site with one that has all changes up to `number`. Returns how many open pages it rendered.
    pub fn publish(&self, site: SiteWorker, trouble: Option<Trouble>, number: u64) -> usize {
        let changing = self.change();
        let old = self.state();
        let is_newer = old.updated > number;
        let mut new = PreviewState {
            site: Some(Arc::new(site)),
            // After a later change was shown, an earlier state must not reappear.
            updated_pages: if is_newer {
                old.updated_pages.clone()
            } else {
                Arc::default()
            },
            trouble,
            otherwise: Action::Reload,
            ..(*old).clone()
        };
        let rendered = match old.site {
            Some(_) => new.compare(&old, self.open_pages(MOST_COMPARED)),
            None => 0,
        };
        self.state.send_replace(Arc::new(new));
        drop(changing);
        self.pass(number);
        rendered
    }

    /// Shows pages as they are after the change of a number, before there is a site of it. Says how many differ.
    pub fn show(&self, updated_pages: UpdatedPages, number: u64) -> usize {
        let _changing = self.change();
        let old = self.state();
        let pages: Vec<String> = updated_pages.keys().cloned().collect();
        let mut new = PreviewState {
            updated_pages: Arc::new(updated_pages),
            updated: number,
            otherwise: Action::Stay,
            ..(*old).clone()
        };
        new.compare(&old, pages);
        let stays = |action: &&Action| **action == Action::Stay;
        let differ = new.actions.len() - new.actions.values().filter(stays).count();
        match differ {
            // No open page changes, so listeners are not notified.
            0 => self.state.send_if_modified(|state| {
                *state = Arc::new(PreviewState {
                    updated_pages: new.updated_pages,
                    updated: number,
                    ..(*old).clone()
                });
                false
            }),
            _ => {
                self.state.send_replace(Arc::new(new));
                true
            }
        };
        differ
    }

    /// Sets or clears the trouble that pages display.
    pub fn set_trouble(&self, trouble: Option<Trouble>) {
        let _changing = self.change();
        let old = self.state();
        if old.trouble != trouble {
            self.state.send_replace(Arc::new(PreviewState {
                trouble,
                ..(*old).clone()
            }));
        }
    }

    /// Some of the pages that are open.
    pub fn open_pages(&self, most: usize) -> Vec<String> {
        self.open().keys().take(most).cloned().collect()
    }

    fn change(&self) -> MutexGuard<'_, ()> {
        // There is nothing in it that could be half done.
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A page is open in a browser, as long as the guard is there.
    pub fn open_page(self: &Arc<LiveReload>, page: &str) -> OpenPage {
        *self.open().entry(page.to_owned()).or_default() += 1;
        OpenPage {
            live_reload: self.clone(),
            page: page.to_owned(),
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        // A count is whole between any two of its changes.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The kind of page that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A page with the last edit on it, whatever else that changes.
    FastUpdates,
    /// Just what a build of all that changed would write.
    Builds,
}

impl PreviewState {
    /// The action that brings a page from `build` to this state.
    pub fn action(&self, page: &str, build: u64) -> Action {
        match build {
            _ if build == self.build => Action::Stay,
            _ if build == self.before => self.actions.get(page).unwrap_or(&self.otherwise).clone(),
            _ => Action::Reload,
        }
    }

    /// A page as it is after an edit that the site does not have yet.
    pub fn updated_page(&self, page: &str) -> Option<Arc<ServedFile>> {
        self.updated_pages.get(page).cloned()
    }

    /// Whether there is a file at a path that no edit changes without another becoming its name.
    fn has_for_good(&self, path: &str) -> bool {
        let site = self.site.as_ref();
        site.is_some_and(|site| site.summary.files.contains(path))
    }

    /// Makes this the state after another, which these pages are compared with. Says how many there are.
    fn compare(&mut self, before: &PreviewState, pages: Vec<String>) -> usize {
        let compared = pages.into_iter().map(|page| {
            let action = compare(before, self, &page);
            (page, action)
        });
        let actions: HashMap<String, Action> = compared.collect();
        let count = actions.len();
        self.build = before.build + 1;
        self.before = before.build;
        self.actions = Arc::new(actions);
        count
    }

    /// Text of a page without the marks that change with every build.
    fn text(&self, page: &str) -> Result<String, Option<Arc<str>>> {
        let site = self.site.as_ref().ok_or(None)?;
        let file = match self.updated_page(page) {
            Some(update) => update,
            None => match site.file_now(page) {
                Some(SiteFile::Found(file) | SiteFile::Missing(file)) => file,
                Some(SiteFile::Broken(error)) => return Err(Some(error)),
                None => return Err(None),
            },
        };
        let text = String::from_utf8_lossy(file.bytes.as_bytes()).into_owned();
        let marks = site.summary.marks.iter();
        Ok(marks.fold(text, |text, mark| text.replace(mark.as_str(), "")))
    }

    fn style(&self) -> Option<&str> {
        let site = self.site.as_ref()?;
        Some(site.summary.style.as_str())
    }
}

pub struct OpenPage {
    live_reload: Arc<LiveReload>,
    page: String,
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        let mut open = self.live_reload.open();
        if let Some(count) = open.get_mut(&self.page) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.page);
            }
        }
    }
}

/// The action that brings `page` from one state to the other.
fn compare(before: &PreviewState, now: &PreviewState, page: &str) -> Action {
    match (before.text(page), now.text(page)) {
        (Ok(old), Ok(new)) if old == new => match (before.style(), now.style()) {
            (old, Some(new)) if old != Some(new) => Action::Style(new.to_owned()),
            _ => Action::Stay,
        },
        (Ok(_), Err(Some(error))) => Action::Wait(Some(Trouble::of_page(&error))),
        _ => Action::Reload,
    }
}
