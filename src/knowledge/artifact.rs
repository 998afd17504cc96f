//! Artifacts: files that a record lists as created, modified or deleted, compared with the files in the repo today.

use crate::catalog::ComponentIx;
use crate::input::repo::{PathCommit, Repo, RepoPath};
use base::FileId;

/// A file as a record has it.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// As written, without a leading `./`.
    pub path: String,
    pub claim: ArtifactClaim,
    pub line: u32,
    /// The file that is there now.
    pub file: Option<FileId>,
    pub state: ArtifactState,
    /// The last spec, by position, whose record names it again.
    pub since: Option<usize>,
    /// The newest change after the record, or what removed the file.
    pub later: Option<LaterChange>,
    /// Why git was not asked whether it changed.
    pub unchecked: Option<&'static str>,
    /// The components that it belongs to, by position.
    pub owners: Vec<ComponentIx>,
    /// Why its state is accepted, from the configuration.
    pub accepted: Option<String>,
}

/// The change that a record claims for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactClaim {
    Created,
    Modified,
    Deleted,
    /// It was there before, and stays.
    Kept,
    Other(String),
}

/// The current state of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactState {
    Holds,
    /// A later spec changed it again.
    Changed,
    /// A commit changed it that no spec or record accounts for.
    Drifted,
    /// Only programs changed it since, or it is a document.
    Edited,
    Gone,
    /// It was deleted, and is there again.
    Back,
    Undecided(&'static str),
}

/// What happened to a file after its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaterChange {
    Commit(PathCommit),
    /// It was moved to this path.
    Moved(PathCommit, String),
    /// The working tree has changes that are not committed.
    Uncommitted,
}

impl LaterChange {
    pub fn commit(&self) -> Option<&PathCommit> {
        match self {
            LaterChange::Commit(commit) | LaterChange::Moved(commit, _) => Some(commit),
            LaterChange::Uncommitted => None,
        }
    }
}

impl Artifact {
    pub fn new(path: &str, claim: ArtifactClaim, line: u32) -> Artifact {
        Artifact {
            path: path.trim().trim_start_matches("./").to_owned(),
            claim,
            line,
            file: None,
            state: ArtifactState::Undecided("not checked yet"),
            since: None,
            later: None,
            unchecked: Some(super::provenance::NO_HISTORY),
            owners: Vec::new(),
            accepted: None,
        }
    }

    /// Sets the state from the files in the repo today, regardless of later specs.
    pub fn look(&mut self, repo: &Repo) {
        let path = RepoPath::new(self.path.trim_end_matches('/'));
        let Some(path) = path.filter(|_| !self.path.contains(['*', '<', '{', '$'])) else {
            self.state = ArtifactState::Undecided("not the path of a single file");
            return;
        };
        self.file = repo.file(&path);
        let is_there = self.file.is_some() || repo.is_dir(&path);
        self.state = match (&self.claim, is_there) {
            (ArtifactClaim::Deleted, true) => ArtifactState::Back,
            (ArtifactClaim::Deleted, false) => ArtifactState::Holds,
            (_, true) => ArtifactState::Holds,
            (_, false) if repo.has_unread(&path) => {
                ArtifactState::Undecided("the file exists but is not read")
            }
            (ArtifactClaim::Other(_), false) => {
                ArtifactState::Undecided("the file does not exist, possibly on purpose")
            }
            (_, false) => ArtifactState::Gone,
        };
    }

    /// Whether it is not as this record, and none after it, says.
    pub fn is_difference(&self) -> bool {
        self.since.is_none()
            && matches!(
                self.state,
                ArtifactState::Gone | ArtifactState::Back | ArtifactState::Drifted
            )
    }
}

impl ArtifactState {
    pub fn name(&self) -> &'static str {
        match self {
            ArtifactState::Holds => "holds",
            ArtifactState::Changed => "changed",
            ArtifactState::Drifted => "drifted",
            ArtifactState::Edited => "edited",
            ArtifactState::Gone => "gone",
            ArtifactState::Back => "broken",
            ArtifactState::Undecided(_) => "undecided",
        }
    }
}

impl ArtifactClaim {
    pub fn parse(text: &str) -> ArtifactClaim {
        let lower = text.trim().to_lowercase();
        let words = lower.trim_start_matches(|c: char| !c.is_alphabetic());
        let word = words
            .split(|c: char| !c.is_alphabetic())
            .next()
            .unwrap_or_default();
        // A list of choices, left over from a template, is not a claim.
        let is_choice = words.starts_with(|_: char| true) && words.contains(" / ");
        match word {
            _ if is_choice => ArtifactClaim::Other(text.trim().to_owned()),
            "created" | "added" | "new" | "generated" | "written" | "saved" => {
                ArtifactClaim::Created
            }
            "modified" | "updated" | "changed" | "edited" | "rewritten" | "extended"
            | "rewrote" => ArtifactClaim::Modified,
            "deleted" | "removed" => ArtifactClaim::Deleted,
            "unchanged" | "kept" | "existing" | "retained" => ArtifactClaim::Kept,
            "already" if words.starts_with("already exist") => ArtifactClaim::Kept,
            _ => ArtifactClaim::Other(text.trim().to_owned()),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            ArtifactClaim::Created => "created",
            ArtifactClaim::Modified => "modified",
            ArtifactClaim::Deleted => "deleted",
            ArtifactClaim::Kept => "kept",
            ArtifactClaim::Other(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_known_by_its_first_word() {
        for (text, name) in [
            ("Created", "created"),
            ("Modified (added `a.yaml` to resources)", "modified"),
            ("Modified \u{2014} added a datasource", "modified"),
            ("**Deleted**", "deleted"),
            ("Already existed (it was there before)", "kept"),
            (
                "Created / Modified / Deleted",
                "Created / Modified / Deleted",
            ),
            ("Moved", "Moved"),
        ] {
            assert_eq!(ArtifactClaim::parse(text).name(), name);
        }
    }
}
