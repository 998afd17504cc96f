//! The site builder: builds a site for every state of the followed repo. Before that, it shows an edit on open pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::follow::{Edit, Made, Maker, News, follow};
use super::live_reload::LiveReload;
use super::site_worker;
use super::trouble::{Trouble, Unreadable, unreadable};
use crate::catalog::ComponentIx;
use crate::input::repo::Changed;
use crate::pipeline::{ReadError, Reading, Request};
use crate::preview::watch::Watcher;
use crate::site::page::PageSubject;

/// Most open pages that get a fast update; others wait for the full read.
const MOST_SKETCHED: usize = 8;

/// Makes the site of every state of a repo, for a server.
pub(super) fn run(
    request: &Request,
    live_reload: &LiveReload,
    watcher: Watcher,
    mut say: impl FnMut(News),
) -> ReadError {
    live_reload.set_waker(watcher.waker());
    let site_builder = SiteBuilder {
        live_reload,
        touched: Mutex::default(),
    };
    follow(request, watcher, &site_builder, |news| {
        match &news {
            News::Failed(text) | News::Misconfigured(text) => {
                live_reload.set_trouble(Some(Trouble::of_all(text)))
            }
            News::Mended => live_reload.set_trouble(None),
            News::Made { .. } | News::Shown { .. } | News::Warning(_) => {}
        }
        say(news);
    })
}

struct SiteBuilder<'a> {
    live_reload: &'a LiveReload,
    /// All files edited so far.
    touched: Mutex<BTreeSet<PathBuf>>,
}

impl Maker for SiteBuilder<'_> {
    fn make(&self, reading: Reading, changed: &Changed, number: u64) -> Result<Made, String> {
        let root = reading.repo.root().to_path_buf();
        let site = site_worker::start(reading).map_err(|error| error.to_string())?;
        let made = site.summary.made;
        let trouble = self.trouble(&site.summary.unreadable, &root, changed);
        let rendered = self.live_reload.publish(site, trouble, number);
        Ok(Made { rendered, ..made })
    }

    fn notice(&self, number: u64) {
        self.live_reload.notice(number);
    }

    fn update_open_pages(&self, edit: Edit<'_>) -> Option<usize> {
        let state = self.live_reload.state();
        let site = state.site.as_ref().filter(|_| state.trouble.is_none())?;
        let subjects = &site.summary.subjects;
        let open = self.live_reload.open_pages(MOST_SKETCHED);
        let pages: Vec<String> = open
            .into_iter()
            .filter(|page| subjects.contains_key(page))
            .collect();
        let components = pages.iter().filter_map(|page| match subjects[page] {
            PageSubject::Component(at) | PageSubject::ComponentSettings(at) => Some(at),
            _ => None,
        });
        let asked: BTreeSet<ComponentIx> = components.collect();
        let Edit { changed, .. } = edit;
        let update = edit
            .rebuild_state
            .update(edit.request, edit.memory, changed, &asked)?;
        if !update.errors.is_empty() {
            let unreadable = unreadable(&update.repo, &update.config, update.errors.iter());
            if let Some(trouble) = self.trouble(&unreadable, update.repo.root(), changed) {
                self.live_reload.set_trouble(Some(trouble));
            }
            return None;
        }
        let updated_pages = if pages.is_empty() {
            BTreeMap::new()
        } else {
            site.update_pages(update, pages)?
        };
        Some(self.live_reload.show(updated_pages, edit.number))
    }

    fn pass(&self, number: u64) {
        self.live_reload.pass(number);
    }

    fn is_awaited(&self) -> bool {
        self.live_reload.is_awaited()
    }
}

impl SiteBuilder<'_> {
    fn trouble(
        &self,
        unreadable: &[Unreadable],
        root: &Path,
        changed: &Changed,
    ) -> Option<Trouble> {
        let touched = self.touched.lock();
        let mut touched = touched.unwrap_or_else(PoisonError::into_inner);
        touched.extend(changed.paths.iter().cloned());
        Trouble::of_files(unreadable, root, &touched)
    }
}
