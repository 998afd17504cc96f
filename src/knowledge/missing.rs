//! Findings about decisions, specs and records: missing parts, and statements that no longer hold.

use std::collections::{BTreeMap, BTreeSet};

use crate::input::repo::{Repo, RepoPath};
use base::hash::HashMap;
use base::{FileId, Finding, Place, Severity};
use claims::looks_like_path;
use markdown::Blocks;

use super::Knowledge;
use super::artifact::{Artifact, ArtifactState, LaterChange};
use super::dead::Numbers;
use super::ledger::is_about;
use super::mention::ComponentNames;
use super::record::Record;
use super::reference::Number;
use super::spec::SpecForm;
use super::status::Status;
use super::validation::{Breach, BreachKind};

pub fn findings(
    repo: &Repo,
    knowledge: &Knowledge,
    blocks: &BTreeMap<FileId, Blocks>,
    names: &ComponentNames<'_>,
) -> Vec<Finding> {
    let find = Find {
        repo,
        knowledge,
        names,
    };
    let mut findings = find.numbers_twice();
    findings.extend(find.superseded_by_nothing());
    findings.extend(find.specs());
    findings.extend(find.records());
    findings.extend(find.artifacts());
    findings.extend(find.steps());
    findings.extend(find.dead_references(blocks));
    findings
}

struct Find<'a> {
    repo: &'a Repo,
    knowledge: &'a Knowledge,
    names: &'a ComponentNames<'a>,
}

/// Files of a record that are listed in one finding.
const MOST_NOTED: usize = 10;

pub fn at(file: FileId, line: u32) -> Place {
    Place {
        line: line.max(1),
        ..Place::start_of(file)
    }
}

impl Find<'_> {
    fn numbers_twice(&self) -> Vec<Finding> {
        let mut first: HashMap<(String, &Number), FileId> = HashMap::default();
        let mut findings = Vec::new();
        for one in &self.knowledge.decisions {
            let Some(number) = &one.number else { continue };
            let path = self.repo.path(one.file);
            // Categories may count by themselves.
            let key = (
                path.parent()
                    .map(|parent| parent.to_string())
                    .unwrap_or_default(),
                number,
            );
            let Some(other) = first.get(&key) else {
                first.insert(key, one.file);
                continue;
            };
            let message = format!(
                "`{}` has the same number as `{}` ({}); renumber one of them",
                path.file_name(),
                self.repo.path(*other).file_name(),
                number.value
            );
            findings.push(
                Finding::warning("decision-number-twice", at(one.file, 1), message)
                    .note(at(*other, 1), "the first with this number"),
            );
        }
        findings
    }

    fn superseded_by_nothing(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for one in &self.knowledge.decisions {
            let rule = "decision-superseded-by-nothing";
            for reference in one
                .superseded_by
                .iter()
                .filter(|reference| reference.to.is_none())
            {
                let message = format!(
                    "{} is superseded by `{}`, which does not exist; name the decision that replaces it",
                    one.id, reference.text
                );
                findings.push(Finding::warning(
                    rule,
                    at(one.file, reference.line),
                    message,
                ));
            }
            if one.status == Status::Superseded
                && one.superseded_by.is_empty()
                && self.is_silent(one)
            {
                let message = format!(
                    "{} is superseded but does not say by which decision; name it",
                    one.id
                );
                findings.push(Finding::info(rule, at(one.file, one.line), message));
            }
        }
        findings
    }

    /// Whether a superseded decision says nothing behind that word.
    fn is_silent(&self, one: &super::Decision) -> bool {
        let Ok(text) = self.repo.read_text(one.file) else {
            return false;
        };
        let line = text
            .lines()
            .nth(one.line as usize - 1)
            .unwrap_or_default()
            .to_lowercase();
        !super::status::SUPERSEDED_BY
            .iter()
            .any(|words| line.contains(words))
            && !line.contains("](")
    }

    fn specs(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for spec in self
            .knowledge
            .specs
            .iter()
            .filter(|spec| spec.form == SpecForm::Recorded)
        {
            if spec.record.is_none() {
                let path = self.repo.path(spec.file);
                let message = format!(
                    "spec {} has no record; carry it out, and record what was done",
                    spec.id
                );
                let help = format!("write the record to `{}`", record_path(path));
                findings.push(
                    Finding::warning("spec-without-record", at(spec.file, 1), message).help(help),
                );
            }
            for section in &spec.lacks {
                let message = format!("spec {} has no section `{section}`; add it", spec.id);
                findings.push(Finding::info(
                    "spec-section-missing",
                    at(spec.file, 1),
                    message,
                ));
            }
        }
        findings
    }

    fn records(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for record in &self.knowledge.records {
            if record.spec.is_none() {
                let (message, line) = match &record.names {
                    Some(names) => {
                        let message = format!(
                            "this record refers to `{}`, which does not exist; correct the path, or \
                             restore the spec",
                            names.text
                        );
                        (message, names.line)
                    }
                    None => (
                        "this record names no spec; add a `**Spec:**` line with its path"
                            .to_owned(),
                        1,
                    ),
                };
                findings.push(Finding::warning(
                    "record-without-spec",
                    at(record.file, line),
                    message,
                ));
            }
            for section in &record.lacks {
                let message = format!(
                    "this record has no section `{section}`; add it, even if its content is \"None\""
                );
                findings.push(Finding::warning(
                    "record-section-missing",
                    at(record.file, 1),
                    message,
                ));
            }
        }
        findings
    }

    fn artifacts(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for record in &self.knowledge.records {
            for artifact in &record.artifacts {
                if artifact.accepted.is_some() || !artifact.is_difference() {
                    continue;
                }
                let Some((rule, message)) = difference(artifact) else {
                    continue;
                };
                let mut finding = Finding::warning(rule, at(record.file, artifact.line), message);
                if let Some(spec) = record.spec {
                    let id = &self.knowledge.specs[spec].id;
                    finding = finding.help(format!(
                        "to accept it, add `[[accepted]]` to catalog.toml with `spec = \"{id}\"`, `file = \"{}\"` and the reason in `because`",
                        artifact.path
                    ));
                }
                finding.component = self.names.owner_of(&artifact.path);
                findings.push(finding);
            }
            findings.extend(self.drift(record));
        }
        findings
    }

    /// One finding for all files of a record that changed without a spec.
    fn drift(&self, record: &Record) -> Option<Finding> {
        let is_drifted = |artifact: &&Artifact| {
            artifact.state == ArtifactState::Drifted
                && artifact.accepted.is_none()
                && artifact.is_difference()
        };
        let drifted: Vec<&Artifact> = record.artifacts.iter().filter(is_drifted).collect();
        let first = drifted.first()?;
        let message = match drifted.as_slice() {
            [one] => match one.later.as_ref().and_then(LaterChange::commit) {
                Some(commit) => format!(
                    "commit {} changed `{}` after this record, and no later spec mentions it; write a \
                     spec and a record for the change",
                    commit.short(),
                    one.path
                ),
                None => format!(
                    "`{}` has uncommitted changes that no spec mentions; write a spec and a record for them",
                    one.path
                ),
            },
            several => format!(
                "{} files of this record changed after it, and no later spec mentions them; write a spec and \
                 a record for the changes",
                several.len()
            ),
        };
        let place = at(record.file, first.line);
        let mut finding = Finding::info("artifact-drifted", place, message);
        if drifted.len() > 1 {
            for artifact in drifted.iter().take(MOST_NOTED) {
                let by = artifact.later.as_ref().and_then(LaterChange::commit);
                let note = match by {
                    Some(commit) => format!("changed by commit {}", commit.short()),
                    None => "has uncommitted changes".to_owned(),
                };
                finding = finding.note(at(record.file, artifact.line), note);
            }
        }
        if let Some(spec) = record.spec {
            let id = &self.knowledge.specs[spec].id;
            finding = finding.help(format!(
                "to accept a change, add `[[accepted]]` to catalog.toml with `spec = \"{id}\"`, `file = \"{}\"` and the reason in `because`",
                first.path
            ));
        }
        let owner = self.names.owner_of(&first.path);
        let mut others = drifted.iter();
        let is_same = others.all(|artifact| self.names.owner_of(&artifact.path) == owner);
        finding.component = owner.filter(|_| is_same);
        Some(finding)
    }

    fn steps(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for spec in &self.knowledge.specs {
            for step in spec.steps.iter().filter(|step| step.accepted.is_none()) {
                let Some(breach) = step.breach() else {
                    continue;
                };
                // A later spec ended it on purpose.
                if step.since.is_some() || self.is_reported_elsewhere(breach) {
                    continue;
                }
                let (severity, verb) = match breach.kind {
                    BreachKind::Past => (Severity::Info, "did not hold"),
                    _ => (Severity::Warning, "no longer holds"),
                };
                let message = format!(
                    "step {} of spec {} {verb}: {}",
                    step.number, spec.id, breach.why
                );
                let help = format!(
                    "to accept it, add `[[accepted]]` to catalog.toml with `spec = \"{}\"`, `step = {}` and the reason in `because`",
                    spec.id, step.number
                );
                let place = at(spec.file, step.line);
                let mut finding =
                    Finding::new("validation-broken", severity, place, message).help(help);
                if let Some(place) = breach.place {
                    finding = finding.note(place, "the current state");
                }
                finding.component = self.names.owner_of(&breach.path);
                findings.push(finding);
            }
        }
        findings
    }

    /// Whether a record already has a finding for the same missing file.
    fn is_reported_elsewhere(&self, breach: &Breach) -> bool {
        let missing = match &breach.kind {
            BreachKind::Missing(path) => path,
            BreachKind::Incomplete => return true,
            BreachKind::Past | BreachKind::Other => return false,
        };
        let records = self.knowledge.records.iter();
        let mut artifacts = records.flat_map(|record| &record.artifacts);
        artifacts.any(|artifact| {
            artifact.state == ArtifactState::Gone && is_about(missing, &artifact.path)
        })
    }

    fn dead_references(&self, blocks: &BTreeMap<FileId, Blocks>) -> Vec<Finding> {
        let numbers = Numbers::from_knowledge(self.knowledge);
        let mut findings = Vec::new();
        for one in &self.knowledge.decisions {
            // Dead `superseded by` references have their own finding.
            let by = one.superseded_by.iter().filter_map(|one| one.number());
            let known = by.map(|number| ("decision", number.clone())).collect();
            findings.extend(numbers.dead(one.file, blocks, known));
        }
        for one in &self.knowledge.specs {
            findings.extend(numbers.dead(one.file, blocks, BTreeSet::new()));
        }
        for one in &self.knowledge.records {
            let own = one.number.iter().map(|number| ("spec", number.clone()));
            findings.extend(numbers.dead(one.file, blocks, own.collect()));
        }
        findings.extend(self.dead_files());
        findings
    }

    /// Findings for prerequisite files that a spec says to read first.
    fn dead_files(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for spec in &self.knowledge.specs {
            for statement in &spec.prerequisites {
                let is_read = statement
                    .text
                    .trim_start()
                    .to_lowercase()
                    .starts_with("read ");
                let codes = statement.text.split('`').skip(1).step_by(2);
                for code in
                    codes.filter(|code| is_read && code.contains('/') && looks_like_path(code))
                {
                    let Some(path) = RepoPath::new(code.trim_end_matches('/')) else {
                        continue;
                    };
                    let is_there = self.repo.file(&path).is_some()
                        || self.repo.is_dir(&path)
                        || self.repo.has_unread(&path);
                    if !is_there {
                        let message = format!(
                            "`{code}` is a prerequisite but does not exist; correct the path, or remove it"
                        );
                        findings.push(Finding::warning(
                            "dead-reference",
                            at(spec.file, statement.line),
                            message,
                        ));
                    }
                }
            }
        }
        findings
    }
}

/// The rule and the message for an artifact that is missing, or exists although it was deleted.
fn difference(artifact: &Artifact) -> Option<(&'static str, String)> {
    let path = &artifact.path;
    Some(match (&artifact.state, &artifact.later) {
        (ArtifactState::Gone, Some(LaterChange::Moved(commit, to))) => (
            "artifact-gone",
            format!(
                "`{path}` was moved to `{to}` by commit {} without a spec; record the move",
                commit.short()
            ),
        ),
        (ArtifactState::Gone, later) => {
            let was = match artifact.claim {
                super::ArtifactClaim::Kept => "there",
                _ => artifact.claim.name(),
            };
            let by = later.as_ref().and_then(LaterChange::commit);
            let by = by.map(|commit| format!(" (deleted by commit {})", commit.short()));
            let message = format!(
                "`{path}` does not exist{}, but this record says that it was {was}; restore it, or record \
                 its removal",
                by.unwrap_or_default(),
            );
            ("artifact-gone", message)
        }
        (ArtifactState::Back, _) => (
            "artifact-gone",
            format!(
                "`{path}` exists, but this record says that it was deleted; delete it, or record why it was \
                 restored"
            ),
        ),
        _ => return None,
    })
}

/// Path where the record of `spec` belongs.
fn record_path(spec: &RepoPath) -> String {
    let path = spec.as_str();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let moved = stem
        .replace(".sdd/specification/", ".sdd/provenance/")
        .replace(".sdd/specs/", ".sdd/provenance/")
        .replace(".spec/", ".provenance/");
    format!("{moved}.provenance.md")
}
