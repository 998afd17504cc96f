//! Findings as people and programs read them: text with source lines, JSON, SARIF, annotations of GitHub, JUnit.
//! Functions of findings to text; the lines that are shown come from `source::excerpt`, which keeps secrets out.

mod github;
mod json;
mod junit;
mod sarif;
mod text;

use crate::check;
use crate::config::Config;
use crate::diagnostic::{FileId, Finding, Severity};
use crate::repo::Repo;
use crate::triage::Allowed;
pub use github::github;
pub use json::json;
pub use junit::junit;
pub use sarif::sarif;
pub use text::{Paint, text};

pub use crate::terminal::{plain, plain_lines};

/// What there is to report.
pub struct Report<'a> {
    pub repo: &'a Repo,
    pub config: &'a Config,
    /// By place.
    pub findings: Vec<&'a Finding>,
    pub allowed: &'a [Allowed],
    /// The least grave findings that make the run fail; none where nothing does.
    pub fail_on: Option<Severity>,
}

impl Report<'_> {
    /// The path of the file that a finding is in, from the root of the work tree, as those who read reports expect it.
    fn path(&self, file: FileId) -> Option<String> {
        if file == FileId::NONE {
            return None;
        }
        let prefix = self.repo.git().map_or("", |git| git.prefix.as_str());
        Some(format!("{prefix}{}", self.repo.path(file)))
    }

    /// Where the published site says what a rule means; none where nobody said where it is published.
    fn address(&self, rule: &str) -> Option<String> {
        let site = self.config.url.as_deref()?;
        Some(format!("{site}{}", check::page(rule)))
    }

    /// Whether a finding makes the run fail.
    pub fn fails(&self, finding: &Finding) -> bool {
        self.fail_on.is_some_and(|least| finding.severity <= least)
    }
}
