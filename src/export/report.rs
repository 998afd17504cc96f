//! Findings as people and programs read them: text with source lines, one line each, JSON, SARIF, GitHub annotations,
//! GitLab Code Quality, JUnit. Every format sorts them alike and writes paths from the root of the git work tree.
//! Source lines come from `source::excerpt`, which keeps secrets out.

mod concise;
mod fingerprint;
mod github;
mod gitlab;
mod json;
mod junit;
mod sarif;
mod statistics;
mod text;

use crate::checks;
use crate::checks::fix::Fixes;
use crate::checks::triage::Allowed;
use crate::checks::unseen::Unseen;
use crate::input::config::Config;
use crate::input::repo::Repo;
use base::{FileId, Finding, Severity};
pub use concise::concise;
pub use github::github;
pub use gitlab::gitlab;
pub use json::json;
pub use junit::junit;
pub use sarif::sarif;
pub use statistics::{Statistic, statistics, statistics_json, statistics_text};
pub use text::text;

pub use system::terminal::{Paint, plain, plain_lines};

/// Findings to report, and the repository they are about.
pub struct Report<'a> {
    pub repo: &'a Repo,
    pub config: &'a Config,
    /// In the order of [`sort`].
    pub findings: Vec<&'a Finding>,
    /// Fixes for all findings, suppressed or not.
    pub fixes: Fixes<'a>,
    pub allowed: &'a [Allowed],
    /// The lowest severity that makes the run fail; none if nothing does.
    pub fail_on: Option<Severity>,
    /// What could not be seen, if that was counted.
    pub unseen: Option<Unseen>,
}

impl Report<'_> {
    /// The path of a file from the root of the git work tree, in every format: forges, editors and `git apply` look for
    /// it there. From the root of the repository if that is not in git. None for [`FileId::NONE`].
    pub fn path(&self, file: FileId) -> Option<String> {
        let is_file = file != FileId::NONE;
        is_file.then(|| format!("{}{}", self.prefix(), self.repo.path(file)))
    }

    /// The directory of the repository in its git work tree: empty, or a path that ends with `/`.
    pub fn prefix(&self) -> &str {
        prefix(self.repo)
    }

    /// The page of the published site that explains a rule; none if `url` is not configured.
    fn address(&self, rule: &str) -> Option<String> {
        let site = self.config.url.as_deref()?;
        Some(format!("{site}{}", checks::page(rule)))
    }

    /// Whether a finding makes the run exit 1.
    pub fn fails(&self, finding: &Finding) -> bool {
        self.fail_on.is_some_and(|least| finding.severity <= least)
    }
}

/// The directory of a repository in its git work tree: empty, or a path that ends with `/`.
pub fn prefix(repo: &Repo) -> &str {
    repo.git().map_or("", |git| git.prefix.as_str())
}

/// Sorts findings for a report: by severity, then file, line, column and rule. What is in no file comes last.
pub fn sort(findings: &mut [&Finding]) {
    findings.sort_by(|a, b| {
        let key = |one: &Finding| (one.severity, one.place, one.rule);
        key(a).cmp(&key(b)).then_with(|| a.cmp(b))
    });
}
