//! What lies around an object: the files of the repo, and the addresses that the repo goes by. For readers whose
//! objects mean something only together with files that they name.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::Facts;
use super::address::{address, is_placeholder};
use super::argocd::{ChartTrees, Projects, Registered};
use super::flux::Providers;
use crate::input::repo::RepoPath;
use base::FileId;
use yaml::Node;

pub struct ReadContext<'a> {
    pub facts: &'a Facts<'a>,
    /// Addresses of this repo.
    own: BTreeSet<String>,
    /// Whether one unit can see that another is healthy, once somebody asked.
    pub(super) sees_health: OnceLock<bool>,
    /// Whether stars in patterns of files stay within a name, once somebody asked.
    pub(super) globs_by_name: OnceLock<bool>,
    /// What groups of units allow, once somebody asked.
    pub(super) projects: OnceLock<Projects>,
    /// Clusters that files register, once somebody asked.
    pub(super) registered: OnceLock<Vec<Registered>>,
    /// What gives inputs to templates, once somebody asked.
    pub(super) inputs: OnceLock<Providers>,
    /// Charts with those in them, and their files that make units, chart by chart, once somebody asked.
    chart_trees: Mutex<ChartTrees>,
}

impl<'a> ReadContext<'a> {
    pub fn new(facts: &'a Facts<'a>) -> ReadContext<'a> {
        ReadContext {
            facts,
            own: BTreeSet::new(),
            sees_health: OnceLock::new(),
            globs_by_name: OnceLock::new(),
            projects: OnceLock::new(),
            registered: OnceLock::new(),
            inputs: OnceLock::new(),
            chart_trees: Mutex::default(),
        }
    }

    /// Names the addresses that the repo goes by.
    pub fn set_own(&mut self, own: BTreeSet<String>) {
        self.own = own;
    }

    pub(super) fn lock_chart_trees(&self) -> MutexGuard<'_, ChartTrees> {
        // Nothing is left half done in it when a thread panics.
        self.chart_trees
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an address is that of this repo. Where nobody knows that, whatever is found here speaks for it.
    pub fn is_own(&self, url: &str, path: &RepoPath) -> bool {
        if self.own.is_empty() || is_placeholder(url) {
            !path.as_str().is_empty() && self.has(path)
        } else {
            self.own.contains(&address(url))
        }
    }

    fn has(&self, path: &RepoPath) -> bool {
        self.facts.repo.is_dir(path) || self.facts.repo.file(path).is_some()
    }

    /// The documents of a file that are no objects, such as values; secrets are gone from them.
    pub fn documents(&self, file: FileId) -> &'a [Arc<Node>] {
        &self.facts.file(file).other_documents
    }
}

impl helm::ChartSource for ReadContext<'_> {
    fn files(&self) -> &dyn base::Files {
        self.facts.repo
    }

    fn documents(&self, file: FileId) -> &[Arc<Node>] {
        ReadContext::documents(self, file)
    }
}
