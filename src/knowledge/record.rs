//! Records: how a spec was carried out, by whom, and with which results. Reads only the Markdown passed in.

use crate::input::repo::Repo;
use base::FileId;
use claims::looks_like_path;
use markdown::{Block, BlockKind, Blocks, Text};

use super::artifact::{Artifact, ArtifactClaim};
use super::day::date;
use super::mention::Mention;
use super::name::stem;
use super::outline::{fields, outline};
use super::reference::{Number, leading_number};
use super::spec::{SpecStatement, statements, ticked};

/// The record of how a spec was carried out.
#[derive(Debug, Clone)]
pub struct Record {
    pub file: FileId,
    pub title: String,
    /// By position in the specs; none where there is no such spec.
    pub spec: Option<usize>,
    /// The spec's file as it names it.
    pub names: Option<SpecStatement>,
    /// The number in its own name.
    pub number: Option<Number>,
    /// As `yyyy-mm-dd` where it can be told.
    pub executed: Option<String>,
    /// The person or program that carried it out.
    pub agent: Option<String>,
    pub actions: Vec<SpecStatement>,
    /// Decisions made during the work.
    pub choices: Vec<Choice>,
    /// Deviations from the spec.
    pub deviations: Vec<SpecStatement>,
    pub artifacts: Vec<Artifact>,
    pub results: Vec<StepResult>,
    pub mentions: Vec<Mention>,
    /// Missing sections, by their usual names.
    pub lacks: Vec<&'static str>,
}

/// Something that the spec left open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub decision: String,
    pub chosen: String,
    pub rationale: String,
    pub line: u32,
}

/// The recorded result of a validation step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepResult {
    /// Its number in the list of steps, where it has one.
    pub number: Option<usize>,
    pub passed: Passed,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    Yes,
    No,
    NotRun,
    /// Not said.
    Unknown,
}

/// The sections of a record, as they may be called.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "Actions Taken",
        &[
            "actions",
            "action",
            "steps taken",
            "work done",
            "what was done",
        ],
    ),
    ("Decisions Made", &["decisions", "decision", "choices"]),
    (
        "Deviations from Spec",
        &["deviations", "deviation", "differences"],
    ),
    (
        "Artifacts Produced",
        &["artifacts", "artefacts", "artifact", "files", "changes"],
    ),
    (
        "Validation Results",
        &["validation", "verification", "results", "checks"],
    ),
];

/// The record that a file is; none for one that is yet to be filled in.
pub fn record(repo: &Repo, file: FileId, blocks: &Blocks) -> Option<Record> {
    let outline = outline(&blocks.blocks);
    let written = blocks.front_matter.title.as_deref().or(outline.title);
    if written.is_some_and(|title| title.contains("NNN")) {
        return None;
    }
    let head = fields(outline.head);
    let field = |names: &[&str]| {
        let mut fields = head.iter();
        fields.find(|field| names.contains(&field.key.as_str()) && !field.value.is_empty())
    };
    let section = |at: usize| outline.section(SECTIONS[at].1);
    let blocks_of = |at: usize| section(at).map(|section| section.all).unwrap_or_default();
    let path = repo.path(file);
    let stem = stem(path);
    let bare = stem.strip_prefix("spec").unwrap_or(stem);
    Some(Record {
        file,
        title: written.unwrap_or(stem).to_owned(),
        spec: None,
        names: field(&["spec", "specification"]).map(|field| SpecStatement {
            text: field.value.trim_matches('`').to_owned(),
            line: field.line,
        }),
        number: leading_number(bare.trim_start_matches(['-', '_', ' '])).map(|(number, _)| number),
        executed: field(&["executed", "execution date", "date", "executed on"])
            .and_then(|field| date(&field.value)),
        agent: field(&["agent", "executor", "executed by", "author", "by"])
            .map(|field| field.value.clone()),
        actions: statements(blocks_of(0)),
        choices: choices(blocks_of(1)),
        deviations: deviations(blocks_of(2)),
        artifacts: artifacts(blocks_of(3)),
        results: results(blocks_of(4)),
        mentions: Vec::new(),
        lacks: {
            let missing = SECTIONS
                .iter()
                .filter(|(_, names)| outline.section(names).is_none());
            missing.map(|(called, _)| *called).collect()
        },
    })
}

fn rows(blocks: &[Block]) -> impl Iterator<Item = (&[Text], u32)> {
    blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Row {
            cells,
            is_head: false,
        } => Some((cells.as_slice(), block.line)),
        _ => None,
    })
}

fn choices(blocks: &[Block]) -> Vec<Choice> {
    let full = rows(blocks).filter_map(|(cells, line)| match cells {
        [decision, .., chosen, rationale] => Some((decision, chosen, rationale, line)),
        _ => None,
    });
    full.filter(|(decision, ..)| !decision.plain.trim_matches('.').trim().is_empty())
        .map(|(decision, chosen, rationale, line)| Choice {
            decision: ticked(decision),
            chosen: ticked(chosen),
            rationale: ticked(rationale),
            line,
        })
        .collect()
}

/// Every paragraph and item, but for the sentence that there are none.
fn deviations(blocks: &[Block]) -> Vec<SpecStatement> {
    let texts = blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Paragraph(text) | BlockKind::Item { text, .. } => Some((text, block.line)),
        BlockKind::Row {
            cells,
            is_head: false,
        } => Some((cells.first()?, block.line)),
        _ => None,
    });
    texts
        .map(|(text, line)| SpecStatement {
            text: ticked(text),
            line,
        })
        .filter(|statement| {
            let lower = statement.text.to_lowercase();
            let none = [
                "no deviation",
                "none",
                "n/a",
                "nothing deviates",
                "there were no deviation",
            ];
            !none.iter().any(|words| lower.starts_with(words))
        })
        .collect()
}

/// The files in a table or list, with the change claimed for each.
fn artifacts(blocks: &[Block]) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    for block in blocks {
        match &block.kind {
            BlockKind::Row {
                cells,
                is_head: false,
            } => {
                let [file, status, ..] = cells.as_slice() else {
                    continue;
                };
                let claim = ArtifactClaim::parse(&status.plain);
                let paths = paths(file);
                artifacts.extend(paths.map(|path| Artifact::new(path, claim.clone(), block.line)));
            }
            // "Created `path`"
            BlockKind::Item { text, .. } => {
                let claim = ArtifactClaim::parse(&text.plain);
                let first = text.codes().find(|code| looks_like_path(code));
                if let (Some(path), false) = (first, matches!(claim, ArtifactClaim::Other(_))) {
                    artifacts.push(Artifact::new(path, claim, block.line));
                }
            }
            _ => {}
        }
    }
    artifacts
}

fn paths(cell: &Text) -> impl Iterator<Item = &str> {
    let plain = cell.plain.trim();
    let whole = cell.code.is_empty().then_some(plain);
    let codes = cell.codes().chain(whole);
    codes.filter(|code| looks_like_path(code) || !code.contains(' ') && code.contains('*'))
}

fn results(blocks: &[Block]) -> Vec<StepResult> {
    let mut results = Vec::new();
    for block in blocks {
        match &block.kind {
            BlockKind::Item { text, number, .. } => results.push(StepResult {
                number: number.map(|number| number as usize),
                passed: passed(&text.plain),
                line: block.line,
            }),
            BlockKind::Row {
                cells,
                is_head: false,
            } => {
                let [first, .., last] = cells.as_slice() else {
                    continue;
                };
                results.push(StepResult {
                    number: first.plain.trim().trim_end_matches('.').parse().ok(),
                    passed: passed(&last.plain),
                    line: block.line,
                });
            }
            _ => {}
        }
    }
    results
}

/// The result stated last, since the text before it may be the step itself; but `Pass — by hand` begins with it.
fn passed(text: &str) -> Passed {
    let lower = text.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphabetic()).next();
    match first {
        Some("pass" | "passed" | "passes") => return Passed::Yes,
        Some("fail" | "failed" | "fails") => return Passed::No,
        _ => {}
    }
    let tail = lower
        .rsplit(['\u{2014}', '\u{2013}'])
        .next()
        .unwrap_or(&lower);
    let of = |text: &str| {
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if has(&["fail", "\u{274c}", "not met", "broken"]) {
            Some(Passed::No)
        } else if has(&[
            "skip",
            "not run",
            "not applicable",
            "n/a",
            "requires manual",
            "pending user",
        ]) {
            Some(Passed::NotRun)
        } else if has(&["pass", "\u{2705}", "ok", "done", "\u{2713}"]) {
            Some(Passed::Yes)
        } else {
            None
        }
    };
    of(tail).or_else(|| of(&lower)).unwrap_or(Passed::Unknown)
}
