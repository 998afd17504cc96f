//! Decisions and specs as the document has them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::input::repo::Repo;
use crate::knowledge::{Knowledge, Spec};

/// An architecture decision.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecisionDoc<'a> {
    /// Such as `ADR-0018`.
    pub id: &'a str,
    pub title: &'a str,
    /// `proposed`, `accepted`, `rejected`, `deprecated`, `superseded`, `unknown`, or a word of your own.
    pub status: &'a str,
    /// As `yyyy-mm-dd` if it can be parsed, otherwise as written.
    pub date: Option<&'a str>,
    pub file: &'a str,
}

/// A spec: a written request for a change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SpecDoc<'a> {
    /// Such as `0003a`.
    pub id: &'a str,
    pub title: &'a str,
    pub file: &'a str,
    /// The file of its record. Null if there is none.
    pub record: Option<&'a str>,
    /// The files listed in its record.
    pub artifacts: Vec<ArtifactDoc<'a>>,
    /// Its validation steps.
    pub validation: Vec<ValidationDoc<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ArtifactDoc<'a> {
    pub file: &'a str,
    /// `created`, `modified`, `deleted`, `kept`, or another word from the record.
    pub claimed: &'a str,
    /// `holds`, `changed` (by a later spec), `gone`, `broken` (deleted, but exists again) or `undecided`.
    pub state: &'a str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ValidationDoc<'a> {
    /// Code is in backticks.
    pub text: &'a str,
    /// `holds`, `broken` or `undecided`.
    pub state: &'a str,
}

pub fn decisions<'a>(repo: &'a Repo, knowledge: &'a Knowledge) -> Vec<DecisionDoc<'a>> {
    let decisions = knowledge.decisions.iter();
    decisions
        .map(|decision| DecisionDoc {
            id: &decision.id,
            title: &decision.title,
            status: decision.status.name(),
            date: decision.date.as_deref(),
            file: repo.path(decision.file).as_str(),
        })
        .collect()
}

pub fn specs<'a>(repo: &'a Repo, knowledge: &'a Knowledge) -> Vec<SpecDoc<'a>> {
    let specs = knowledge.specs.iter();
    specs.map(|one| spec(repo, knowledge, one)).collect()
}

fn spec<'a>(repo: &'a Repo, knowledge: &'a Knowledge, spec: &'a Spec) -> SpecDoc<'a> {
    let record = spec.record.map(|at| &knowledge.records[at]);
    let artifacts = record.iter().flat_map(|record| {
        let artifacts = record.artifacts.iter();
        artifacts.map(|artifact| ArtifactDoc {
            file: &artifact.path,
            claimed: artifact.claim.name(),
            state: artifact.state.name(),
        })
    });
    SpecDoc {
        id: &spec.id,
        title: &spec.title,
        file: repo.path(spec.file).as_str(),
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
