//! What git says of the files that records list: whether they changed after the record, and whether a later spec
//! accounts for it. Commits that belong to a spec are those up to the one that added its record, and those that change
//! specs or records themselves.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::artifact::{Artifact, ArtifactClaim, ArtifactState, LaterChange};
use super::record::Record;
use super::spec::{Spec, SpecForm};
use super::{Decision, ledger};
use crate::input::repo::{PathChangeKind, PathCommit, PathLog, Repo};
use base::hash::HashSet;

/// The part of the history that records are compared with.
pub struct Provenance {
    log: Arc<PathLog>,
    /// Specs, records and decisions: documents, which people may correct.
    documents: HashSet<String>,
    /// Commits that changed a spec or a record.
    recorded: BTreeSet<usize>,
}

/// Why an artifact was not compared with its record.
pub const NO_HISTORY: &str = "git history was not read";
pub const NO_RECORD: &str = "the commit that added the record is not in the history that was read";

impl Provenance {
    /// None without records or without git.
    pub fn read(
        repo: &Repo,
        specs: &[Spec],
        records: &[Record],
        decisions: &[Decision],
    ) -> Option<Provenance> {
        if records.is_empty() {
            return None;
        }
        let path = |file| repo.path(file).to_string();
        let record_paths: BTreeSet<String> = records.iter().map(|one| path(one.file)).collect();
        let recorded = specs.iter().filter(|one| one.form == SpecForm::Recorded);
        let spec_paths: BTreeSet<String> = recorded.map(|one| path(one.file)).collect();
        let artifacts = records.iter().flat_map(|record| &record.artifacts);
        let mut paths: BTreeSet<String> = artifacts
            .map(|artifact| artifact.path.trim_end_matches('/').to_owned())
            .collect();
        paths.extend(record_paths.iter().chain(&spec_paths).cloned());
        let log = repo.path_log(&paths, &record_paths)?;
        let both = || record_paths.iter().chain(&spec_paths);
        let changes = both().flat_map(|path| log.changes(path));
        let recorded = changes.map(|change| change.commit).collect();
        let mut documents: HashSet<String> = both().cloned().collect();
        documents.extend(decisions.iter().map(|one| path(one.file)));
        Some(Provenance {
            log,
            documents,
            recorded,
        })
    }

    /// The commit that added a file, with all files that it changed.
    pub fn added(&self, path: &str) -> Option<&PathCommit> {
        self.log.commit(self.log.added(path)?)
    }

    /// Whether a commit changed a file, under any name.
    pub fn is_in(&self, path: &str, commit: &PathCommit) -> bool {
        let changes = self.log.changes(path.trim_end_matches('/')).iter();
        changes
            .filter_map(|change| self.log.commit(change.commit))
            .any(|one| one.commit == commit.commit)
    }

    /// Says of every artifact what became of it after its record.
    pub fn judge(&self, repo: &Repo, specs: &[Spec], records: &mut [Record]) {
        for record in records {
            let path = repo.path(record.file).as_str();
            let before = self.log.added(path).map(|at| self.log.history_of(at));
            for artifact in &mut record.artifacts {
                match artifact.state {
                    ArtifactState::Gone => artifact.later = self.removal(artifact),
                    ArtifactState::Holds if artifact.claim != ArtifactClaim::Deleted => {}
                    _ => continue,
                }
                let Some(before) = &before else {
                    artifact.unchecked = Some(NO_RECORD);
                    continue;
                };
                artifact.unchecked = None;
                if artifact.state == ArtifactState::Holds {
                    self.compare(artifact, before);
                }
                if artifact.state == ArtifactState::Drifted {
                    artifact.since = planned_by(specs, &artifact.path, record.spec);
                    if artifact.since.is_some() {
                        artifact.state = ArtifactState::Changed;
                    }
                }
            }
        }
    }

    /// The changes of an artifact that its record cannot know of.
    fn compare(&self, artifact: &mut Artifact, before: &BTreeSet<usize>) {
        let path = artifact.path.trim_end_matches('/');
        let is_document = self.documents.contains(path) || artifact.claim == ArtifactClaim::Kept;
        let changes = self.log.changes(path).iter();
        let later = changes.filter(|change| {
            let is_change = matches!(
                change.how,
                PathChangeKind::Modified | PathChangeKind::Added | PathChangeKind::Deleted
            );
            is_change && !before.contains(&change.commit)
        });
        let later: Vec<(usize, &PathCommit)> = later
            .filter_map(|change| Some((change.commit, self.log.commit(change.commit)?)))
            .collect();
        let is_recorded = |at: &usize| self.recorded.contains(at) && !is_document;
        let unrecorded: Vec<&(usize, &PathCommit)> =
            later.iter().filter(|(at, _)| !is_recorded(at)).collect();
        let by_people = unrecorded
            .iter()
            .find(|(_, commit)| !is_automatic(&commit.author));
        artifact.state = if self.log.is_uncommitted(path) {
            artifact.later = Some(LaterChange::Uncommitted);
            if is_document {
                ArtifactState::Edited
            } else {
                ArtifactState::Drifted
            }
        } else if let Some((_, commit)) = by_people {
            artifact.later = Some(LaterChange::Commit((*commit).clone()));
            if is_document {
                ArtifactState::Edited
            } else {
                ArtifactState::Drifted
            }
        } else if let Some((_, commit)) = later.first() {
            artifact.later = Some(LaterChange::Commit((*commit).clone()));
            ArtifactState::Edited
        } else {
            ArtifactState::Holds
        };
    }

    /// The commit that deleted or moved a file that is gone.
    fn removal(&self, artifact: &Artifact) -> Option<LaterChange> {
        let path = artifact.path.trim_end_matches('/');
        let newest = self.log.changes(path).first()?;
        let commit = self.log.commit(newest.commit)?.clone();
        match &newest.how {
            PathChangeKind::MovedTo(to) => Some(LaterChange::Moved(commit, to.clone())),
            PathChangeKind::Deleted => Some(LaterChange::Commit(commit)),
            _ => None,
        }
    }
}

/// A spec without a record that says it changes the file: the work may be under way.
fn planned_by(specs: &[Spec], path: &str, own: Option<usize>) -> Option<usize> {
    specs.iter().enumerate().position(|(at, spec)| {
        let is_open = spec.form == SpecForm::Recorded && spec.record.is_none() && own != Some(at);
        is_open
            && spec
                .planned
                .iter()
                .any(|planned| ledger::is_about(path, &planned.path))
    })
}

/// Whether a name is that of a program that commits new versions.
fn is_automatic(author: &str) -> bool {
    let name = author.to_lowercase();
    let known = [
        "renovate",
        "dependabot",
        "github-actions",
        "github actions",
        "flux",
        "fluxcdbot",
        "fluxbot",
        "weave flux",
        "argocd-image-updater",
        "gitlab-ci",
    ];
    name.ends_with("[bot]") || known.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_commit_are_known_by_name() {
        for name in ["renovate[bot]", "fluxcdbot", "GitHub Actions"] {
            assert!(is_automatic(name), "{name}");
        }
        for name in ["Mara Lind", "Robot Ray", "fluxer"] {
            assert!(!is_automatic(name), "{name}");
        }
    }
}
