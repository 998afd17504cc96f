//! Git facts at build time, to check later whether a site is still up to date. By then there are newer commits,
//! including the one that adds the site.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::git::{self, Depth, Git};
use super::history::{ChangeCommit, History, Last};
use super::path_log::{LogSource, PathLog};
use super::{RecentCommit, Repo, RepoPath, recent};

/// The git facts of a snapshot, in a form that can be kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// None if there was no git repository.
    commit: Option<String>,
    branch: Option<String>,
    remote: Option<String>,
    prefix: String,
    /// The newest first.
    changes: Vec<ChangeCommit>,
    /// By path, the position of its last change.
    last: BTreeMap<String, usize>,
    /// The day before which the files of `older` were last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// Paths of files whose last change is older than the commits that were read.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    older: BTreeSet<String>,
    /// The newest commits, with what each changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recent: Vec<RecentCommit>,
    /// The commits that changed the files of specs and records.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<PathLog>,
}

impl Record {
    /// None for text that is no record.
    pub fn parse(text: &[u8]) -> Option<Record> {
        serde_json::from_slice(text).ok()
    }

    /// None if there is nothing to keep.
    pub fn to_text(&self) -> Option<String> {
        self.commit.as_ref()?;
        let text = serde_json::to_string_pretty(self).ok()?;
        Some(text + "\n")
    }
}

impl Repo {
    /// Git facts that were read so far.
    pub fn record(&self) -> Record {
        let Some(git) = &self.git else {
            return Record::default();
        };
        let history = self.history.get().and_then(Option::as_ref);
        let mut record = Record {
            commit: Some(git.commit.clone()),
            branch: git.branch.clone(),
            remote: git.remote.clone(),
            prefix: git.prefix.clone(),
            recent: self.recent.get().cloned().unwrap_or_default(),
            log: self.log.asked(),
            ..Record::default()
        };
        let Some(history) = history else {
            return record;
        };
        record.changes = history.changes().to_vec();
        record.before = history.before().map(str::to_owned);
        for file in self.files() {
            let path = || self.path(file).to_string();
            match history.last(file) {
                Some(Last::Change(at)) => drop(record.last.insert(path(), at)),
                Some(Last::Before) => drop(record.older.insert(path())),
                None => {}
            }
        }
        record
    }

    /// The same files, with git facts from a record in the place of what git says now.
    pub fn as_recorded(self, record: &Record) -> Repo {
        // A record is a file like any other: what it holds is looked at as if git had said it.
        let commit = record.commit.clone().filter(|id| git::is_id(id));
        let git = commit.map(|commit| Git {
            commit,
            branch: record.branch.clone(),
            remote: record.remote.as_deref().and_then(git::web_address),
            // The path comes from git if git is available.
            prefix: match &self.git {
                Some(git) => git.prefix.clone(),
                None => record.prefix.clone(),
            },
            depth: Depth::Full,
        });
        let last = |path: &RepoPath| match record.last.get(path.as_str()) {
            Some(at) => (*at < record.changes.len()).then_some(Last::Change(*at)),
            None => record.older.contains(path.as_str()).then_some(Last::Before),
        };
        let files = self.files();
        let history = git.as_ref().map(|_| {
            let last = files.map(|file| last(self.path(file))).collect();
            History::kept(record.changes.clone(), last, record.before.clone())
        });
        Repo {
            git,
            history: Arc::new(OnceLock::from(history)),
            recent: Arc::new(OnceLock::from(recent::recorded(&record.recent))),
            log: Arc::new(LogSource::from_record(record.log.as_ref())),
            ..self
        }
    }
}
