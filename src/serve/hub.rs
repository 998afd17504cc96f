//! What the workshop and the server share: the site of now, what is wrong with the repo of now, which pages are open,
//! and what the open ones have to do to be of now. Only the newest state is kept, however slow a reader is.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use tokio::sync::watch;

use super::generation::{Answer, Generation};

pub struct Hub {
    state: watch::Sender<Arc<State>>,
    open: Mutex<BTreeMap<String, usize>>,
}

/// The site as it is now.
#[derive(Default, Clone)]
pub struct State {
    /// Counts up, from where no earlier server had come; a page knows which it is of, and outlives a server.
    pub build: u64,
    /// None before the first.
    pub site: Option<Arc<Generation>>,
    pub trouble: Option<Trouble>,
    /// The build that open pages were compared with, and what each has to do.
    before: u64,
    actions: Arc<HashMap<String, Action>>,
}

/// What keeps the repo from being shown as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    pub title: String,
    pub text: String,
}

/// What a page that is open has to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Nothing: it says what it said.
    Stay,
    /// Take another style sheet, by its address.
    Style(String),
    Reload,
    /// Nothing until there is something better to show than this, if anything is known to be wrong.
    #[serde(skip)]
    Wait(Option<Trouble>),
}

impl Trouble {
    /// A page cannot be rendered.
    pub fn of_page(error: &str) -> Trouble {
        Trouble {
            title: "This page cannot be rendered".to_owned(),
            text: error.to_owned(),
        }
    }
}

/// As many open pages are compared; more reload without.
const MOST_COMPARED: usize = 32;

impl Default for Hub {
    fn default() -> Hub {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let first = State {
            build: now.map_or(0, |now| now.as_millis() as u64),
            ..State::default()
        };
        Hub {
            state: watch::Sender::new(Arc::new(first)),
            open: Mutex::default(),
        }
    }
}

impl Hub {
    pub fn state(&self) -> Arc<State> {
        self.state.borrow().clone()
    }

    pub fn subscribe(&self) -> watch::Receiver<Arc<State>> {
        self.state.subscribe()
    }

    /// Puts a new site in the place of the old one. Says how many pages it rendered for those that are open.
    pub fn publish(&self, site: Generation, trouble: Option<Trouble>) -> usize {
        let old = self.state();
        let open: Vec<String> = self.open().keys().take(MOST_COMPARED).cloned().collect();
        let mut actions = HashMap::new();
        if let Some(before) = &old.site {
            for page in &open {
                actions.insert(page.clone(), compare(before, &site, page));
            }
        }
        let rendered = actions.len();
        self.state.send_replace(Arc::new(State {
            build: old.build + 1,
            site: Some(Arc::new(site)),
            trouble,
            before: old.build,
            actions: Arc::new(actions),
        }));
        rendered
    }

    /// Says what is wrong, or that nothing is any more.
    pub fn set_trouble(&self, trouble: Option<Trouble>) {
        let old = self.state();
        if old.trouble != trouble {
            self.state.send_replace(Arc::new(State {
                trouble,
                ..(*old).clone()
            }));
        }
    }

    /// A page is open in a browser, as long as the guard is there.
    pub fn open_page(self: &Arc<Hub>, page: &str) -> OpenPage {
        *self.open().entry(page.to_owned()).or_default() += 1;
        OpenPage {
            hub: self.clone(),
            page: page.to_owned(),
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        // A count is whole between any two of its changes.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What a page of a build has to do to be of this one.
    pub fn action(&self, page: &str, build: u64) -> Action {
        match build {
            _ if build == self.build => Action::Stay,
            _ if build == self.before => self.actions.get(page).cloned().unwrap_or(Action::Reload),
            _ => Action::Reload,
        }
    }
}

pub struct OpenPage {
    hub: Arc<Hub>,
    page: String,
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        let mut open = self.hub.open();
        if let Some(count) = open.get_mut(&self.page) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.page);
            }
        }
    }
}

/// What has to be done with a page that was made by one site and shall be as another makes it.
fn compare(before: &Generation, now: &Generation, page: &str) -> Action {
    let text = |site: &Generation| match site.file_now(page) {
        Some(Answer::Found(file) | Answer::Missing(file)) => {
            let text = String::from_utf8_lossy(&file.bytes).into_owned();
            let marks = site.summary.marks.iter();
            Ok(marks.fold(text, |text, mark| text.replace(mark.as_str(), "")))
        }
        Some(Answer::Broken(error)) => Err(Some(error)),
        None => Err(None),
    };
    match (text(before), text(now)) {
        (Ok(old), Ok(new)) if old == new => match before.summary.style == now.summary.style {
            true => Action::Stay,
            false => Action::Style(now.summary.style.clone()),
        },
        (Ok(_), Err(Some(error))) => Action::Wait(Some(Trouble::of_page(&error))),
        _ => Action::Reload,
    }
}
