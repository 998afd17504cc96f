//! Facts shared by all Applications of a repo, computed on first use.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::super::ReadContext;
use super::chart_tree::ChartTrees;
use super::project::Projects;
use super::registered::Registered;

#[derive(Default)]
pub struct Memo {
    /// Whether Argo CD assesses the health of Applications.
    pub assesses_health: OnceLock<bool>,
    /// Whether a star in the pattern of a git generator stays within a name.
    pub globs_by_name: OnceLock<bool>,
    /// AppProjects and what they permit.
    pub projects: OnceLock<Projects>,
    /// Clusters that Secrets register.
    pub registered: OnceLock<Vec<Registered>>,
    chart_trees: Mutex<ChartTrees>,
}

impl Memo {
    pub fn get<'c>(context: &'c ReadContext<'_>) -> &'c Memo {
        context.memo()
    }

    /// Charts with their subcharts, and their templates that make Applications.
    pub fn lock_chart_trees(&self) -> MutexGuard<'_, ChartTrees> {
        // Nothing is left half done in it when a thread panics.
        self.chart_trees
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
