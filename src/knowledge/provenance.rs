//! What git says of the files that records list: whether they changed after the record, and whether a later spec
//! accounts for it. Commits that belong to a spec are those up to the one that added its record, and those that change
//! a spec or record that names the file or its directory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::artifact::{Artifact, ArtifactClaim, ArtifactState, LaterChange};
use super::record::Record;
use super::spec::{Spec, SpecForm};
use super::{Decision, ledger};
use crate::input::repo::{PathChangeKind, PathCommit, PathLog, Repo};
use base::FileId;
use base::hash::{HashMap, HashSet};

/// The part of the history that records are compared with.
pub struct Provenance {
    log: Arc<PathLog>,
    /// Specs, records and decisions: documents, which people may correct.
    documents: HashSet<String>,
    /// By path, the specs and records that name it.
    named: HashMap<String, Vec<usize>>,
    /// By spec or record, the commits that changed it.
    recorded: Vec<BTreeSet<usize>>,
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
        let both = record_paths.iter().chain(&spec_paths);
        let mut documents: HashSet<String> = both.cloned().collect();
        documents.extend(decisions.iter().map(|one| path(one.file)));
        let mut provenance = Provenance {
            log,
            documents,
            named: HashMap::default(),
            recorded: Vec::new(),
        };
        for (file, names) in named_paths(repo, specs, records) {
            let changes = provenance.log.changes(repo.path(file).as_str()).iter();
            let written = changes.filter(|change| {
                matches!(change.how, PathChangeKind::Added | PathChangeKind::Modified)
            });
            let commits = written.map(|change| change.commit).collect();
            for name in names {
                let known = provenance.named.entry(name).or_default();
                known.push(provenance.recorded.len());
            }
            provenance.recorded.push(commits);
        }
        Some(provenance)
    }

    /// Whether a commit changed a spec or record that names the file, its directory or one above that is not at the root.
    fn is_recorded(&self, path: &str, commit: usize) -> bool {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let directories = above.filter(|name| name.contains('/') || *name == parent);
        directories
            .chain([path])
            .filter_map(|name| self.named.get(name))
            .flatten()
            .any(|document| self.recorded[*document].contains(&commit))
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
                    // Later records answer for these.
                    ArtifactState::Changed if before.is_some() => {
                        artifact.unchecked = None;
                        continue;
                    }
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
        let is_recorded = |at: &usize| !is_document && self.is_recorded(path, *at);
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

/// The paths that each spec and record names, without a slash at the end.
fn named_paths(
    repo: &Repo,
    specs: &[Spec],
    records: &[Record],
) -> BTreeMap<FileId, BTreeSet<String>> {
    let mut named: BTreeMap<FileId, BTreeSet<String>> = BTreeMap::new();
    let bare = |path: &str| {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        path.to_owned()
    };
    for spec in specs.iter().filter(|one| one.form == SpecForm::Recorded) {
        let planned = spec.planned.iter().map(|one| bare(&one.path));
        named.entry(spec.file).or_default().extend(planned);
    }
    for record in records {
        let artifacts = record.artifacts.iter().map(|one| bare(&one.path));
        named.entry(record.file).or_default().extend(artifacts);
    }
    for (file, names) in &mut named {
        let text = repo.read_text(*file).unwrap_or_default();
        let words = text.split(|c: char| !c.is_alphanumeric() && !"/-_.+@".contains(c));
        let paths = words.filter(|word| word.contains(['/', '.']));
        names.extend(paths.map(|word| bare(word.trim_end_matches('.'))));
    }
    named
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
