//! What git said when a site was built, so that one can ask later whether the site still says what the files say: by then
//! there are commits that it cannot know, the one that holds the site among them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::git::{self, Depth, Git};
use super::history::{Change, History};
use super::{Repo, RepoPath};

/// The git facts of a snapshot, in a form that can be kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// None where there was no git repository.
    commit: Option<String>,
    branch: Option<String>,
    remote: Option<String>,
    prefix: String,
    /// The newest first.
    changes: Vec<Change>,
    /// By path, the position of its last change.
    last: BTreeMap<String, usize>,
}

impl Record {
    /// None for text that is no record.
    pub fn parse(text: &[u8]) -> Option<Record> {
        serde_json::from_slice(text).ok()
    }

    /// None where there is nothing to keep.
    pub fn to_text(&self) -> Option<String> {
        self.commit.as_ref()?;
        let text = serde_json::to_string_pretty(self).ok()?;
        Some(text + "\n")
    }
}

impl Repo {
    /// What git said, as far as somebody asked.
    pub fn record(&self) -> Record {
        let Some(git) = &self.git else {
            return Record::default();
        };
        let history = self.history.get().and_then(Option::as_ref);
        let last = self.files().filter_map(|file| {
            let at = history?.position(file)?;
            Some((self.path(file).to_string(), at))
        });
        Record {
            commit: Some(git.commit.clone()),
            branch: git.branch.clone(),
            remote: git.remote.clone(),
            prefix: git.prefix.clone(),
            last: last.collect(),
            changes: history.map_or_else(Vec::new, |history| history.changes().to_vec()),
        }
    }

    /// The same files, with git facts from a record in the place of what git says now.
    pub fn as_recorded(self, record: &Record) -> Repo {
        // A record is a file like any other: what it holds is looked at as if git had said it.
        let commit = record.commit.clone().filter(|id| git::is_id(id));
        let git = commit.map(|commit| Git {
            commit,
            branch: record.branch.clone(),
            remote: record.remote.as_deref().and_then(git::web_address),
            // Where the files lie is seen, if git is there.
            prefix: match &self.git {
                Some(git) => git.prefix.clone(),
                None => record.prefix.clone(),
            },
            depth: Depth::Full,
        });
        let last = |path: &RepoPath| {
            let at = *record.last.get(path.as_str())?;
            (at < record.changes.len()).then_some(at)
        };
        let files = self.files();
        let history = git.as_ref().map(|_| {
            let last = files.map(|file| last(self.path(file))).collect();
            History::of(record.changes.clone(), last)
        });
        Repo {
            git,
            history: Arc::new(OnceLock::from(history)),
            ..self
        }
    }
}
