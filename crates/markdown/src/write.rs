//! Writes the events of a page as HTML, part by part.

mod block;
mod container;
mod inline;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use pulldown_cmark::{Alignment, Event};
use sha2::{Digest, Sha256};

use super::outline::{Events, PageOutline};
use super::place::LineStarts;
use super::raw::{self, OpenElements};
use super::source::{DialectBlocks, Document};
use super::{Context, Figures, Html, Link, MermaidBlock, Page};
use base::Finding;

/// Maximum nesting; browsers give up at about 500.
const MAX_DEPTH: usize = 64;

/// Writes a page, and collects its links, words and findings.
pub struct Writer<'a> {
    source: &'a str,
    events: &'a Events<'a>,
    containers: &'a DialectBlocks,
    /// The group of each tab that was written, and its number in it, by its closing event.
    tabs: BTreeMap<usize, (usize, usize)>,
    outline: &'a PageOutline,
    lines: &'a LineStarts<'a>,
    context: &'a Context<'a>,
    /// `None` if no HTML is needed.
    figures: Option<&'a Figures<'a>>,
    markup: String,
    /// The end tag of each open element; empty for one that was too deep to be opened.
    open: Vec<&'static str>,
    alignments: Vec<Alignment>,
    cell: usize,
    row: TableSection,
    /// The anchor link at the end of the current heading.
    anchor: String,
    link_depth: usize,
    part: Markup,
    raw: OpenElements,
    raw_bytes: usize,
    /// Prefix of the class of every placeholder. It contains a hash of the page, so that the page cannot forge it.
    slot: String,
    slots: Vec<String>,
    notes: BTreeMap<String, usize>,
    /// Footnotes that were referenced and are still to be written.
    due: VecDeque<String>,
    /// Footnotes may contain raw HTML, and end up in any part.
    has_raw_notes: bool,
    text: String,
    links: Vec<Link>,
    mermaid: Vec<MermaidBlock>,
    /// Parts of the source that differ in the Markdown version: start, end and replacement.
    moves: BTreeMap<usize, (usize, String)>,
    findings: Vec<Finding>,
}

/// Whether the current part has raw HTML and needs sanitising.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Markup {
    Markdown,
    Raw,
}

/// The current part of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TableSection {
    Head,
    Body,
}

impl<'a> Writer<'a> {
    pub fn new(
        source: &'a str,
        document: &'a Document<'a>,
        outline: &'a PageOutline,
        lines: &'a LineStarts<'a>,
        context: &'a Context<'a>,
        figures: Option<&'a Figures<'a>>,
    ) -> Writer<'a> {
        let mut notes = outline.footnotes.values();
        Writer {
            source,
            events: &document.events,
            containers: &document.containers,
            tabs: BTreeMap::new(),
            outline,
            lines,
            context,
            figures,
            markup: String::new(),
            open: Vec::new(),
            alignments: Vec::new(),
            cell: 0,
            row: TableSection::Body,
            anchor: String::new(),
            link_depth: 0,
            part: Markup::Markdown,
            raw: OpenElements::default(),
            raw_bytes: 0,
            slot: String::new(),
            slots: Vec::new(),
            notes: BTreeMap::new(),
            due: VecDeque::new(),
            has_raw_notes: notes.any(|range| has_raw(&document.events[range.clone()])),
            text: String::new(),
            links: Vec::new(),
            mermaid: Vec::new(),
            moves: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Writes a part of the page: its events, then the footnotes it is the first to refer to. Empty without figures.
    pub fn part(&mut self, ranges: &[Range<usize>]) -> Html {
        let is_raw = self.has_raw_notes
            || ranges
                .iter()
                .any(|range| has_raw(&self.events[range.clone()]));
        self.part = if is_raw {
            Markup::Raw
        } else {
            Markup::Markdown
        };
        if is_raw && self.slot.is_empty() {
            let hash = Sha256::digest(self.source.as_bytes());
            let hex = base::text::hex(&hash[..16]);
            self.slot = format!("slot-{hex}-");
        }
        for range in ranges {
            self.events(range.clone());
        }
        self.footnotes();
        self.raw.close(&mut self.markup);
        self.raw = OpenElements::default();
        let markup = std::mem::take(&mut self.markup);
        if self.figures.is_none() {
            self.slots.clear();
            return Html::default();
        }
        if is_raw {
            let clean = raw::sanitise(&markup);
            Html(self.filled(&clean))
        } else {
            Html(markup)
        }
    }

    /// Adds to the words of the page.
    pub fn words(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push(' ');
    }

    /// A piece of the source with links resolved.
    pub fn relinked(&self, bytes: Range<usize>) -> String {
        let mut text = String::with_capacity(bytes.len());
        let mut copied = bytes.start;
        for (start, (end, href)) in self.moves.range(bytes.clone()) {
            if copied <= *start && *end <= bytes.end {
                text.push_str(&self.source[copied..*start]);
                text.push_str(href);
                copied = *end;
            }
        }
        text.push_str(&self.source[copied..bytes.end]);
        text.trim().to_owned()
    }

    pub fn finish(self, page: &mut Page, findings: &mut Vec<Finding>) {
        page.links = self.links;
        page.mermaid = self.mermaid;
        let words: Vec<&str> = self.text.split_whitespace().collect();
        page.words = words.len();
        page.text = words.join(" ");
        findings.extend(self.findings);
    }

    fn events(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            at = self.event(at).max(at + 1);
        }
    }

    /// Appends our own markup through a placeholder, so that the sanitiser does not change it.
    fn push_trusted(&mut self, markup: &str, kind: Slot) {
        match self.part {
            Markup::Markdown => self.markup.push_str(markup),
            Markup::Raw => {
                let element = match kind {
                    Slot::Block => "hr",
                    Slot::Inline => "wbr",
                };
                let number = self.slots.len();
                self.markup
                    .push_str(&format!("<{element} class=\"{}{number}\">", self.slot));
                self.slots.push(markup.to_owned());
            }
        }
    }

    /// Replaces the placeholders in `clean`. A forged one in an attribute or text was escaped, and is not found.
    fn filled(&mut self, clean: &str) -> String {
        let mut filled = String::with_capacity(clean.len() * 2);
        let mut rest = clean;
        while let Some(at) = rest.find(&self.slot) {
            let (before, after) = (&rest[..at], &rest[at + self.slot.len()..]);
            let digits = after
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(after.len());
            let before = ["<hr class=\"", "<wbr class=\""]
                .iter()
                .find_map(|tag| before.strip_suffix(tag));
            let slot = after[..digits]
                .parse()
                .ok()
                .and_then(|number: usize| self.slots.get(number));
            match (before, slot, after[digits..].strip_prefix("\">")) {
                (Some(before), Some(slot), Some(after)) => {
                    filled.push_str(before);
                    filled.push_str(slot);
                    rest = after;
                }
                _ => {
                    filled.push_str(&rest[..at + self.slot.len()]);
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        self.slots.clear();
        filled
    }
}

/// The content behind a placeholder.
#[derive(Clone, Copy)]
enum Slot {
    Block,
    Inline,
}

fn has_raw(events: &Events<'_>) -> bool {
    events.iter().any(|(event, _)| match event {
        Event::Html(html) | Event::InlineHtml(html) => !raw::is_harmless(html),
        _ => false,
    })
}
