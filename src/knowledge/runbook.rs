//! What to do when something is wrong: runbooks that people wrote, what they are about, whether their commands can work,
//! and those that every component of a kind has. Text and facts in; facts and findings out.

pub mod authored;
pub mod command;
pub mod drift;
pub mod inventory;
pub mod kind;
mod shell;
pub mod standard;

use crate::input::repo::RepoPath;
use base::FileId;

/// Headings of prose under which runbooks stand.
pub const HEADINGS: &[&str] = &[
    "operations",
    "runbooks",
    "runbook",
    "troubleshooting",
    "operating",
    "operational notes",
];

/// What every component has to go by.
#[derive(Debug, Default)]
pub struct RunbookIndex(Vec<Own>);

/// What one component has.
#[derive(Debug, Default)]
pub struct Own {
    /// As its page shows them.
    pub runbooks: Vec<Listed>,
    /// For each of its alerts, the file or the address that says what to do.
    pub answers: Vec<Option<String>>,
}

/// A runbook as lists name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub title: String,
    /// Where it was written; nowhere for what was made from the manifests.
    pub written: Option<(FileId, u32)>,
    /// The default that it was made by, by position.
    pub standard: Option<usize>,
}

impl RunbookIndex {
    /// By component.
    pub fn new(own: Vec<Own>) -> RunbookIndex {
        RunbookIndex(own)
    }

    pub fn for_component(&self, component: usize) -> &Own {
        const NOTHING: &Own = &Own {
            runbooks: Vec::new(),
            answers: Vec::new(),
        };
        self.0.get(component).unwrap_or(NOTHING)
    }
}

/// Whether a file is a runbook by where it stands.
pub fn is_runbook(path: &RepoPath) -> bool {
    let mut directories = path.as_str().split('/').rev().skip(1);
    let stands_there = directories
        .any(|name| name.eq_ignore_ascii_case("runbooks") || name.eq_ignore_ascii_case("runbook"));
    stands_there && !is_list(path)
}

/// A page that lists the runbooks beside it, or a form for new ones.
fn is_list(path: &RepoPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    matches!(stem, "readme" | "index" | "_index" | "template")
}
