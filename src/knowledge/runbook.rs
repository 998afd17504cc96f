//! Runbooks: authored ones with their subjects and command checks, and the default ones for each kind of component.
//! Text and facts in; facts and findings out.

pub mod alert_subject;
pub mod authored;
pub mod command;
pub mod drift;
pub mod inventory;
pub mod standard;

use crate::catalog::ComponentIx;
use crate::input::repo::RepoPath;
use alert_subject::ForeignAlert;
use base::FileId;
use base::index::IndexVec;

/// Headings of authored pages that contain runbooks.
pub const HEADINGS: &[&str] = &[
    "operations",
    "runbooks",
    "runbook",
    "troubleshooting",
    "operating",
    "operational notes",
];

/// Runbooks and alert answers of every component.
#[derive(Debug, Default)]
pub struct RunbookIndex(IndexVec<ComponentIx, Own>);

/// Runbooks and alert answers of one component.
#[derive(Debug, Default)]
pub struct Own {
    /// As its page shows them.
    pub runbooks: Vec<ListedRunbook>,
    /// For each of its alerts, the file or the address that says what to do.
    pub answers: Vec<Option<String>>,
    /// Alerts of other components that are about this one.
    pub foreign_alerts: Vec<ForeignAlert>,
}

/// A runbook as lists name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRunbook {
    pub title: String,
    /// File and line of an authored runbook; `None` if it is generated from the manifests.
    pub written: Option<(FileId, u32)>,
    /// The default that it was made by, by position.
    pub standard: Option<usize>,
}

impl RunbookIndex {
    /// By component.
    pub fn new(own: IndexVec<ComponentIx, Own>) -> RunbookIndex {
        RunbookIndex(own)
    }

    pub fn for_component(&self, component: ComponentIx) -> &Own {
        const NOTHING: &Own = &Own {
            runbooks: Vec::new(),
            answers: Vec::new(),
            foreign_alerts: Vec::new(),
        };
        self.0.get(component).unwrap_or(NOTHING)
    }
}

/// Whether a file is a runbook, judged by its path.
pub fn is_runbook(path: &RepoPath) -> bool {
    let mut directories = path.as_str().split('/').rev().skip(1);
    let stands_there = directories
        .any(|name| name.eq_ignore_ascii_case("runbooks") || name.eq_ignore_ascii_case("runbook"));
    stands_there && !is_list(path) || is_named_runbook(path)
}

/// `RUNBOOK.md`, wherever it is.
fn is_named_runbook(path: &RepoPath) -> bool {
    let stem = path.file_name().split('.').next().unwrap_or_default();
    stem.eq_ignore_ascii_case("runbook")
}

/// A page that lists the runbooks beside it, or a form for new ones.
fn is_list(path: &RepoPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    matches!(stem, "readme" | "index" | "_index" | "template")
}
