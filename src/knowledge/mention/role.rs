//! What a document says of a component: that it is about it, that its decision is, or a word in passing.

use markdown::{BlockKind, Blocks};

/// What a document says of a component, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MentionRole {
    /// Its title or front matter names it, or it names files of the component.
    Subject,
    /// Its decision names it.
    Decided,
    /// It is named in passing.
    Passing,
}

/// Which part of a decision is read.
pub struct SectionRole {
    /// The level of the heading that a decision stands under.
    decision: Option<u8>,
    /// Whether the document has no sections, so that all of it is the decision.
    is_whole: bool,
}

impl SectionRole {
    pub fn from_blocks(blocks: &Blocks) -> SectionRole {
        let is_section = |kind: &BlockKind| matches!(kind, BlockKind::Heading { level: 2.., .. });
        SectionRole {
            decision: None,
            is_whole: !blocks.blocks.iter().any(|block| is_section(&block.kind)),
        }
    }

    pub fn enter(&mut self, level: u8, title: &str) {
        let title = title.trim_start_matches(|c: char| !c.is_alphabetic());
        let title = title.trim_end_matches([':', ' ']).to_lowercase();
        if self.decision.is_some_and(|open| level <= open) {
            self.decision = None;
        }
        let is_decision = DECISION_HEADINGS.contains(&title.as_str());
        if is_decision && level > 1 && self.decision.is_none() {
            self.decision = Some(level);
        }
    }

    pub fn role(&self) -> MentionRole {
        match self.decision {
            Some(_) => MentionRole::Decided,
            None if self.is_whole => MentionRole::Decided,
            None => MentionRole::Passing,
        }
    }
}

/// Headings above what was decided.
const DECISION_HEADINGS: &[&str] = &[
    "decision",
    "decision outcome",
    "decisions",
    "the decision",
    "outcome",
    "resolution",
    "entscheidung",
    "d\u{e9}cision",
    "decisi\u{f3}n",
    "decis\u{e3}o",
    "decisione",
    "besluit",
    "beslut",
];
