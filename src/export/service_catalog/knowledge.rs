//! Decisions and specs as the document has them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::input::repo::Repo;
use crate::knowledge::{Knowledge, Spec, SpecForm};

/// An architecture decision.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecisionDoc<'a> {
    /// Such as `ADR-0018`.
    pub id: &'a str,
    pub title: &'a str,
    /// `draft`, `proposed`, `accepted`, `rejected`, `deprecated`, `superseded`, `unknown`, or a word of your own.
    pub status: &'a str,
    /// As `yyyy-mm-dd` if it can be parsed, otherwise as written.
    pub date: Option<&'a str>,
    pub file: &'a str,
    /// The ids of the decisions that took its place.
    pub superseded_by: Vec<&'a str>,
    /// The ids of the components that it is about.
    pub components: Vec<&'a str>,
}

/// A spec: a written request for a change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SpecDoc<'a> {
    /// Such as `0003a`.
    pub id: &'a str,
    pub title: &'a str,
    pub file: &'a str,
    /// The stated status, of spec-kit and OpenSpec; `archived` for an archived change.
    pub status: Option<&'a str>,
    /// Ticked and total tasks. Null if it has no list of tasks.
    pub tasks: Option<TasksDoc>,
    /// The items of its list of tasks. Omitted if it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task_list: Vec<TaskDoc<'a>>,
    /// How much it asks for. Omitted for specs with records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountsDoc>,
    /// The ids of the changes to a living spec, or of the living specs that a change is about. Omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<&'a str>,
    /// The ids of the components that it is about.
    pub components: Vec<&'a str>,
    /// The ids of earlier specs that it repairs.
    pub fixes: Vec<&'a str>,
    /// The file of its record. Null if there is none.
    pub record: Option<&'a str>,
    /// The files listed in its record, or named by its finished tasks.
    pub artifacts: Vec<ArtifactDoc<'a>>,
    /// Its validation steps.
    pub validation: Vec<ValidationDoc<'a>>,
}

/// How many tasks are done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TasksDoc {
    pub done: usize,
    pub all: usize,
}

/// One task.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskDoc<'a> {
    /// Code is in backticks.
    pub text: &'a str,
    pub done: bool,
    /// The files that it names.
    pub files: Vec<&'a str>,
}

/// Requirements, scenarios and open questions of spec-kit and OpenSpec.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountsDoc {
    pub requirements: usize,
    pub scenarios: usize,
    pub open_questions: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ArtifactDoc<'a> {
    pub file: &'a str,
    /// `created`, `modified`, `deleted`, `kept`, or another word from the record.
    pub claimed: &'a str,
    /// `holds`, `changed` (by a later spec), `drifted` (by a commit without a spec), `edited` (by a program, or a
    /// document that was corrected), `gone`, `broken` (deleted, but exists again) or `undecided`.
    pub state: &'a str,
    /// Whether git history was there to tell.
    pub compared: bool,
    /// The newest commit that changed or removed it after the record. Null if there is none.
    pub commit: Option<&'a str>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ValidationDoc<'a> {
    /// Code is in backticks.
    pub text: &'a str,
    /// `holds`, `broken`, `ended` (by a later spec) or `undecided`.
    pub state: &'a str,
}

pub fn decisions<'a>(
    repo: &'a Repo,
    catalog: &'a Catalog,
    knowledge: &'a Knowledge,
) -> Vec<DecisionDoc<'a>> {
    let decisions = knowledge.decisions.iter();
    decisions
        .map(|decision| DecisionDoc {
            id: &decision.id,
            title: &decision.title,
            status: decision.status.name(),
            date: decision.date.as_deref(),
            file: repo.path(decision.file).as_str(),
            superseded_by: {
                let by = decision.superseded_by.iter();
                let by = by.filter_map(|reference| reference.to);
                by.map(|to| knowledge.decisions[to].id.as_str()).collect()
            },
            components: {
                let about = decision.components().into_iter();
                about
                    .map(|at| catalog.components[at].id.0.as_str())
                    .collect()
            },
        })
        .collect()
}

pub fn specs<'a>(
    repo: &'a Repo,
    catalog: &'a Catalog,
    knowledge: &'a Knowledge,
) -> Vec<SpecDoc<'a>> {
    let specs = knowledge.specs.iter().enumerate();
    let docs = specs.map(|(at, one)| SpecDoc {
        components: {
            let concerned = knowledge.concerned(at).into_iter();
            concerned
                .map(|at| catalog.components[at].id.0.as_str())
                .collect()
        },
        ..spec(repo, knowledge, one)
    });
    docs.collect()
}

fn spec<'a>(repo: &'a Repo, knowledge: &'a Knowledge, spec: &'a Spec) -> SpecDoc<'a> {
    let record = spec.record.map(|at| &knowledge.records[at]);
    let recorded = record.map_or(&spec.artifacts, |record| &record.artifacts);
    let artifacts = recorded.iter().map(|artifact| ArtifactDoc {
        file: &artifact.path,
        claimed: artifact.claim.name(),
        state: artifact.state.name(),
        compared: artifact.unchecked.is_none(),
        commit: artifact
            .later
            .as_ref()
            .and_then(|later| Some(later.commit()?.commit.as_str())),
    });
    let tasks = spec.task_list.iter().map(|task| TaskDoc {
        text: &task.text,
        done: task.is_done,
        files: task.files.iter().map(String::as_str).collect(),
    });
    SpecDoc {
        id: &spec.id,
        title: &spec.title,
        file: repo.path(spec.file).as_str(),
        status: spec.status.as_deref(),
        tasks: spec.tasks.map(|tasks| TasksDoc {
            done: tasks.done,
            all: tasks.all,
        }),
        task_list: tasks.collect(),
        counts: (spec.form != SpecForm::Recorded).then_some(CountsDoc {
            requirements: spec.counts.requirements,
            scenarios: spec.counts.scenarios,
            open_questions: spec.counts.questions,
        }),
        related: {
            let related = spec.related.iter();
            related.map(|at| knowledge.specs[*at].id.as_str()).collect()
        },
        components: Vec::new(),
        fixes: {
            let fixes = spec.fixes.iter();
            fixes.map(|at| knowledge.specs[*at].id.as_str()).collect()
        },
        record: record.map(|record| repo.path(record.file).as_str()),
        artifacts: artifacts.collect(),
        validation: {
            let steps = spec.steps.iter();
            steps
                .map(|step| ValidationDoc {
                    text: &step.text,
                    state: step.state.name(),
                })
                .collect()
        },
    }
}
