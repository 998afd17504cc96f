//! Decisions, specs, records and what became of them, as pages and sections show them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::text::{code, escaped, link};
use super::{Here, LinkView, PlaceView, Text, inline_code};
use crate::input::repo::LastChange;
use crate::knowledge::{
    Artifact, ArtifactClaim, ArtifactState, Decision, LaterChange, Passed, Record, Spec, StepState,
    ValidationStep,
};
use base::FileId;
use markdown::Html;

/// The state of an artifact or a validation step, worst first. Templates use the names as classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StateClass {
    Gone,
    Broken,
    /// Changed by a commit that no spec accounts for.
    Drifted,
    Changed,
    /// Changed by programs, or a document that was corrected.
    Edited,
    /// A later spec ended what a step says.
    Ended,
    Undecided,
    /// There, but not compared with the history.
    Present,
    Holds,
}

/// How many of several are in one state.
#[derive(Debug, Clone, Serialize)]
pub struct Tally {
    pub state: StateClass,
    /// The label of the state for the counted things: `unchanged`, `failing`.
    pub label: &'static str,
    pub count: usize,
}

/// An artifact, and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct ArtifactView {
    pub path: String,
    /// To the file, where the repo has an address and the file is there.
    pub href: Option<String>,
    pub claimed: String,
    pub state: StateClass,
    pub label: &'static str,
    pub note: Option<String>,
    /// The later spec or commit that changed it.
    pub by: Option<LinkView>,
    /// Whether `by` is the last commit of the file.
    pub is_last: bool,
    /// Whether the configuration accepts the difference.
    #[serde(skip)]
    pub is_accepted: bool,
    /// The last commit of the file.
    pub commit: Option<CommitView>,
    /// The day before which it last changed, if that commit is older than the history that was read.
    pub before: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct CommitView {
    pub short: String,
    pub date: String,
    pub href: Option<String>,
}

/// A validation step, and whether it holds.
#[derive(Debug, Clone, Serialize)]
pub struct StepView {
    pub number: usize,
    pub text_html: Html,
    pub state: StateClass,
    pub label: &'static str,
    pub note_html: Option<Html>,
    pub by: Option<LinkView>,
    pub place: Option<PlaceView>,
    /// The recorded result: `passed`, `failed`.
    pub recorded: Option<&'static str>,
    #[serde(skip)]
    pub is_accepted: bool,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    note: Option<String>,
}

/// A document by its id and title, in Markdown.
pub fn named(id: &str, href: Option<&str>, title: &str) -> String {
    format!("{} {}", link(id, href), escaped(title))
}

/// The status of a decision, in Markdown.
pub fn status(status: &str, by: Option<&LinkView>) -> String {
    let by = by.map(|by| format!(" by {}", link(&by.title, by.href.as_deref())));
    format!("{}{}", escaped(status), by.unwrap_or_default())
}

impl<'a> Here<'a> {
    /// The page that shows a Markdown file.
    pub fn page_of(&self, file: FileId) -> Option<String> {
        let documents = &self.context.pages.documents;
        let at = documents.binary_search_by_key(&file, |document| document.file);
        let document = &documents[at.ok()?];
        Some(match &document.home {
            crate::knowledge::pages::PageHome::Own(route) => self.to(route),
            crate::knowledge::pages::PageHome::Component(component) => self.href(*component),
        })
    }

    pub fn decision_link(&self, at: usize) -> LinkView {
        let decision = &self.context.knowledge.decisions[at];
        LinkView {
            title: decision.id.clone(),
            href: self.page_of(decision.file),
        }
    }

    pub fn spec_link(&self, at: usize) -> LinkView {
        let spec = &self.context.knowledge.specs[at];
        LinkView {
            title: format!("Spec {}", spec.id),
            href: self.page_of(spec.file),
        }
    }

    pub fn artifact(&self, artifact: &Artifact) -> ArtifactView {
        let context = self.context;
        let repo_host = context.repo_host.as_ref();
        let by = match &artifact.later {
            _ if artifact.state == ArtifactState::Changed => {
                artifact.since.map(|spec| self.spec_link(spec))
            }
            Some(later) => later.commit().map(|commit| LinkView {
                title: commit.short().to_owned(),
                href: repo_host.map(|repo_host| repo_host.commit_page(&commit.commit)),
            }),
            None => None,
        };
        let state = StateClass::from(artifact);
        let note = match (&artifact.state, &artifact.later) {
            (ArtifactState::Changed, _) => {
                let is_gone = artifact.file.is_none() && artifact.claim != ArtifactClaim::Deleted;
                is_gone.then(|| "deleted by".to_owned())
            }
            (_, Some(LaterChange::Uncommitted)) => Some("not committed".to_owned()),
            (_, Some(LaterChange::Moved(_, to))) => Some(format!("moved to {to} by")),
            (ArtifactState::Gone, Some(_)) => Some("deleted by".to_owned()),
            (ArtifactState::Drifted, Some(LaterChange::Commit(commit))) => {
                Some(format!("{}, by {}", commit.subject, commit.author))
            }
            (ArtifactState::Back, _) => Some("recorded as deleted, but exists".to_owned()),
            (ArtifactState::Undecided(why), _) => Some((*why).to_owned()),
            (ArtifactState::Holds, _) if state == StateClass::Present => {
                artifact.unchecked.map(|why| format!("not compared: {why}"))
            }
            _ => None,
        };
        let accepted = artifact.accepted.as_ref();
        let last = artifact
            .file
            .and_then(|file| context.repo.history()?.last_change(file));
        let is_last = match (&artifact.later, &last) {
            (Some(later), Some(LastChange::In(change))) => {
                artifact.state != ArtifactState::Changed
                    && later
                        .commit()
                        .is_some_and(|commit| change.commit == commit.commit)
            }
            _ => false,
        };
        ArtifactView {
            is_last,
            path: artifact.path.clone(),
            href: artifact
                .file
                .and_then(|file| Some(repo_host?.file(context.repo.path(file).as_str()))),
            claimed: artifact.claim.name().to_owned(),
            state,
            label: Tallied::Files.label(state),
            is_accepted: accepted.is_some(),
            note: accepted.map(|why| format!("accepted: {why}")).or(note),
            by,
            commit: match last {
                Some(LastChange::In(change)) => Some(CommitView {
                    short: short(&change.commit),
                    date: change.date.clone(),
                    href: repo_host.map(|repo_host| repo_host.commit_page(&change.commit)),
                }),
                Some(LastChange::Before(_)) | None => None,
            },
            before: match last {
                Some(LastChange::Before(day)) => Some(day.to_owned()),
                Some(LastChange::In(_)) | None => None,
            },
        }
    }

    pub fn step(&self, step: &ValidationStep) -> StepView {
        let note = match (&step.accepted, &step.state) {
            (Some(why), _) => Some(format!("accepted: {why}")),
            (None, StepState::Broken(breach) | StepState::Ended(breach)) => {
                Some(breach.why.clone())
            }
            (None, StepState::Undecided(why)) => Some(why.clone()),
            (None, StepState::Holds) => None,
        };
        let place = step.breach().and_then(|breach| breach.place);
        let state = StateClass::from(&step.state);
        StepView {
            number: step.number,
            text_html: inline_code(&step.text),
            state,
            label: Tallied::Checks.label(state),
            note_html: note.as_deref().map(inline_code),
            by: step.since.map(|spec| self.spec_link(spec)),
            place: place.map(|place| self.place(place)),
            recorded: step.recorded.and_then(recorded),
            is_accepted: step.accepted.is_some(),
            text: step.text.clone(),
            note,
        }
    }

    /// A line of a document, labelled by its number alone, since the document is named beside it.
    pub fn line(&self, file: FileId, line: u32) -> PlaceView {
        let place = base::Place {
            line,
            ..base::Place::start_of(file)
        };
        PlaceView {
            label: format!("line {line}"),
            ..self.place(place)
        }
    }
}

impl StateClass {
    /// Whether nothing explains the difference.
    pub fn needs_attention(self) -> bool {
        matches!(
            self,
            StateClass::Gone | StateClass::Broken | StateClass::Drifted
        )
    }
}

impl From<&Artifact> for StateClass {
    fn from(artifact: &Artifact) -> StateClass {
        match artifact.state {
            ArtifactState::Gone => StateClass::Gone,
            ArtifactState::Back => StateClass::Broken,
            ArtifactState::Drifted => StateClass::Drifted,
            ArtifactState::Changed => StateClass::Changed,
            ArtifactState::Edited => StateClass::Edited,
            ArtifactState::Undecided(_) => StateClass::Undecided,
            ArtifactState::Holds
                if artifact.unchecked.is_some() && artifact.claim != ArtifactClaim::Deleted =>
            {
                StateClass::Present
            }
            ArtifactState::Holds => StateClass::Holds,
        }
    }
}

impl From<&StepState> for StateClass {
    fn from(state: &StepState) -> StateClass {
        match state {
            StepState::Holds => StateClass::Holds,
            StepState::Broken(_) => StateClass::Broken,
            StepState::Ended(_) => StateClass::Ended,
            StepState::Undecided(_) => StateClass::Undecided,
        }
    }
}

impl ArtifactView {
    /// In one line of Markdown.
    pub fn line(&self) -> String {
        let mut line = format!(
            "{} ({}): **{}**",
            code(&self.path),
            escaped(&self.claimed),
            self.label
        );
        if let Some(note) = &self.note {
            line += &format!(", {}", escaped(note));
        }
        if let Some(by) = &self.by {
            let by = link(&by.title, by.href.as_deref());
            let is_open = self
                .note
                .as_deref()
                .is_none_or(|note| note.ends_with(" by"));
            line += &if is_open {
                format!(" {by}")
            } else {
                format!(" ({by})")
            };
        }
        line
    }
}

impl StepView {
    /// In one line of Markdown.
    pub fn line(&self) -> String {
        let mut line = format!("{}. {}: **{}**", self.number, ticks(&self.text), self.label);
        if let Some(note) = &self.note {
            line += &format!(", {}", ticks(note));
        }
        if let Some(by) = &self.by {
            line += &format!(" ({})", link(&by.title, by.href.as_deref()));
        }
        line
    }
}

/// Markdown in which text between backticks stays code and all other text is escaped.
pub fn ticks(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    let is_paired = pieces.len() % 2 == 1;
    let each = pieces.iter().enumerate();
    let shown = each.map(|(at, piece)| {
        if at % 2 == 1 && is_paired {
            code(piece)
        } else {
            escaped(piece)
        }
    });
    shown.collect()
}

/// Things that are counted by state: files that a record names, or the validation steps of a spec.
#[derive(Debug, Clone, Copy)]
pub enum Tallied {
    Files,
    Checks,
}

impl Tallied {
    /// The word that people read for a state.
    pub fn label(self, state: StateClass) -> &'static str {
        match (self, state) {
            (Tallied::Files, StateClass::Holds) => "unchanged",
            (Tallied::Files, StateClass::Gone) => "missing",
            (Tallied::Files, StateClass::Broken) => "restored",
            (Tallied::Files, StateClass::Undecided) => "unknown",
            (_, StateClass::Drifted) => "changed without a spec",
            (_, StateClass::Edited) => "edited",
            (_, StateClass::Ended) => "ended by a later spec",
            (_, StateClass::Present) => "present",
            (Tallied::Checks, StateClass::Holds) => "passing",
            (Tallied::Checks, StateClass::Gone) => "gone",
            (Tallied::Checks, StateClass::Broken) => "failing",
            (Tallied::Checks, StateClass::Undecided) => "manual",
            (_, StateClass::Changed) => "changed by a later spec",
        }
    }
}

/// States in the order in which they matter, with how many are in each.
pub fn tallies(tallied: Tallied, states: impl Iterator<Item = StateClass>) -> Vec<Tally> {
    let mut counts: BTreeMap<StateClass, usize> = BTreeMap::new();
    for state in states {
        *counts.entry(state).or_default() += 1;
    }
    let each = counts.into_iter().map(|(state, count)| Tally {
        state,
        label: tallied.label(state),
        count,
    });
    each.collect()
}

/// Tallies in one line of Markdown.
pub fn tally_line(tallies: &[Tally]) -> String {
    let each = tallies
        .iter()
        .map(|tally| format!("{} {}", tally.count, tally.label));
    each.collect::<Vec<_>>().join(", ")
}

/// The status as a word that a class may be called, whatever word a team has.
pub fn status_class(decision: &Decision) -> &'static str {
    use crate::knowledge::Status;
    match decision.status {
        Status::Accepted => "accepted",
        Status::Draft | Status::Proposed => "proposed",
        Status::Rejected => "rejected",
        Status::Deprecated => "deprecated",
        Status::Superseded => "superseded",
        Status::Other(_) | Status::Unknown => "other",
    }
}

/// A list of artifacts and steps as Markdown.
pub fn write_state(markdown: &mut Text, artifacts: &[ArtifactView], steps: &[StepView]) {
    for artifact in artifacts {
        markdown.item(&artifact.line());
    }
    for step in steps {
        markdown.item(&step.line());
    }
}

/// Date and agent of a record, as far as it states them.
pub fn carried_out(record: &Record) -> Option<String> {
    match (&record.executed, &record.agent) {
        (Some(day), Some(agent)) => Some(format!("{day} by {agent}")),
        (Some(day), None) => Some(day.clone()),
        (None, Some(agent)) => Some(format!("by {agent}")),
        (None, None) => None,
    }
}

/// How far a list of tasks has come.
pub fn progress(spec: &Spec) -> Option<String> {
    let tasks = spec.tasks?;
    Some(format!("{} of {} tasks done", tasks.done, tasks.all))
}

fn recorded(passed: Passed) -> Option<&'static str> {
    match passed {
        Passed::Yes => Some("passed"),
        Passed::No => Some("failed"),
        Passed::NotRun => Some("not run"),
        Passed::Unknown => None,
    }
}

fn short(commit: &str) -> String {
    commit.chars().take(7).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_counted_worst_first_in_the_words_of_what_is_counted() {
        let states = [
            StateClass::Holds,
            StateClass::Broken,
            StateClass::Gone,
            StateClass::Holds,
        ];
        let counted = |tallied: Tallied| tally_line(&tallies(tallied, states.into_iter()));
        assert_eq!(
            counted(Tallied::Files),
            "1 missing, 1 restored, 2 unchanged"
        );
        assert_eq!(counted(Tallied::Checks), "1 gone, 1 failing, 2 passing");
    }

    #[test]
    fn a_state_is_a_class_name_in_templates() {
        let state = serde_json::to_value(StateClass::Undecided).unwrap();
        assert_eq!(state, "undecided");
    }
}
