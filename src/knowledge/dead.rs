//! Numbers of decisions and specs that documents name and that lead nowhere. Looks at blocks, and at nothing else.

use std::collections::{BTreeMap, BTreeSet};

use base::{FileId, Finding};
use markdown::{BlockKind, Blocks, Text};

use super::Knowledge;
use super::missing::at;
use super::reference::{Number, decisions_in, specs_in};
use super::spec::SpecForm;

/// Upper limit of names in one paragraph; no hand-written paragraph has more.
const MOST_NAMED: usize = 500;
/// A sentence is no longer than this to either side.
const LONGEST_HALF: usize = 400;

/// The numbers that there are.
pub struct Numbers<'a> {
    decisions: BTreeSet<u32>,
    specs: BTreeSet<&'a Number>,
}

impl<'a> Numbers<'a> {
    pub fn from_knowledge(knowledge: &'a Knowledge) -> Numbers<'a> {
        let decisions = knowledge.decisions.iter();
        let specs = knowledge.specs.iter();
        Numbers {
            decisions: decisions
                .filter_map(|one| Some(one.number.as_ref()?.value))
                .collect(),
            specs: specs
                .filter(|spec| spec.form == SpecForm::Recorded)
                .filter_map(|spec| spec.number.as_ref())
                .collect(),
        }
    }

    /// Each number that a document names and that is not there, once. Links have findings of their own.
    pub fn dead(
        &self,
        file: FileId,
        blocks: &BTreeMap<FileId, Blocks>,
        known: BTreeSet<(&'static str, Number)>,
    ) -> Vec<Finding> {
        let mut known = known;
        let mut findings = Vec::new();
        for (first, text) in blocks.get(&file).into_iter().flat_map(texts) {
            let decisions = decisions_in(&text.plain).into_iter().take(MOST_NAMED);
            let decisions = decisions
                .filter(|named| !self.decisions.contains(&named.number.value))
                .filter(|_| !self.decisions.is_empty())
                .map(|named| ("decision", named));
            let specs = specs_in(&text.plain).into_iter().take(MOST_NAMED);
            let specs = specs
                .filter(|named| !self.specs.contains(&named.number))
                .filter(|_| !self.specs.is_empty())
                .map(|named| ("spec", named));
            for (what, named) in decisions.chain(specs) {
                let at_byte = named.range.start;
                let is_link = text.links.iter().any(|(words, _)| words.contains(&at_byte));
                if is_link
                    || is_about_others(sentence(&text.plain, at_byte))
                    || !known.insert((what, named.number.clone()))
                {
                    continue;
                }
                let message = format!(
                    "`{}` refers to a {what} that does not exist; correct the number, or remove the reference",
                    &text.plain[named.range.clone()]
                );
                let place = at(file, line(first, text, at_byte));
                findings.push(Finding::warning("dead-reference", place, message));
            }
        }
        findings
    }
}

/// The paragraphs of a document, each with its first line. Code is left out.
pub fn texts(blocks: &Blocks) -> impl Iterator<Item = (u32, &Text)> {
    blocks.blocks.iter().flat_map(|block| {
        let texts = match &block.kind {
            BlockKind::Heading { text, .. }
            | BlockKind::Paragraph(text)
            | BlockKind::Item { text, .. } => std::slice::from_ref(text),
            BlockKind::Row { cells, .. } => cells.as_slice(),
            BlockKind::Code { .. } => &[],
        };
        texts.iter().map(move |text| (block.line, text))
    })
}

/// The line of a byte in a text that begins in line `first`.
pub fn line(first: u32, text: &Text, at: usize) -> u32 {
    first + text.plain[..at].matches('\n').count() as u32
}

/// The sentence that a byte of a text is in.
fn sentence(text: &str, at: usize) -> &str {
    let ends = |text: &str, at: usize| {
        let is_gap = text[at + 1..].starts_with([' ', '\n']);
        is_gap || at + 1 == text.len()
    };
    let (from, to) = (
        within(text, at.saturating_sub(LONGEST_HALF)),
        within(text, at + LONGEST_HALF),
    );
    let before = text[from..at].rmatch_indices('.');
    let start = before
        .map(|(dot, _)| from + dot)
        .find(|dot| ends(text, *dot));
    let after = text[at..to].match_indices('.');
    let end = after.map(|(dot, _)| at + dot).find(|dot| ends(text, *dot));
    let (start, end) = (start.map_or(from, |dot| dot + 1), end.unwrap_or(to));
    &text[start..end]
}

/// The nearest byte at or before this one that a character begins at.
fn within(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Whether a sentence is about the future or about other projects' documents.
fn is_about_others(sentence: &str) -> bool {
    const WORDS: &[&str] = &[
        "will",
        "future",
        "later",
        "planned",
        "upcoming",
        "next",
        "follow-up",
        "follow-on",
        "template",
        "example",
        "e.g",
        "upstream",
        "would",
        "may",
        "could",
        "should",
        "tbd",
        "todo",
        "deleted",
        "removed",
        "withdrawn",
        "renumbered",
        "formerly",
        "was",
        "were",
        "created",
        "write",
    ];
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.');
    words.any(|word| WORDS.contains(&word.trim_matches('.'))) || lower.contains("://")
}
