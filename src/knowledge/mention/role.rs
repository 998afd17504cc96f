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

/// The part of a document that a word is in, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentPart {
    Title,
    /// The first paragraph of the decision.
    Lead,
    Decision,
    Other,
}

/// Which part of a decision is read.
pub struct SectionRole {
    /// The level of the heading that a decision stands under.
    decision: Option<u8>,
    /// Whether the document has no sections, so that all of it is the decision.
    is_whole: bool,
    /// Whether the first paragraph of the decision was read.
    has_lead: bool,
}

impl SectionRole {
    pub fn from_blocks(blocks: &Blocks) -> SectionRole {
        let is_section = |kind: &BlockKind| matches!(kind, BlockKind::Heading { level: 2.., .. });
        SectionRole {
            decision: None,
            is_whole: !blocks.blocks.iter().any(|block| is_section(&block.kind)),
            has_lead: false,
        }
    }

    pub fn enter(&mut self, level: u8, title: &str) {
        if self.decision.is_some_and(|open| level <= open) {
            self.decision = None;
        }
        if is_decision_heading(title) && level > 1 && self.decision.is_none() {
            self.decision = Some(level);
        }
    }

    /// The part that a block which is no heading is in.
    pub fn block(&mut self, kind: &BlockKind) -> DocumentPart {
        if self.decision.is_none() && !self.is_whole {
            return DocumentPart::Other;
        }
        let is_text = match kind {
            BlockKind::Paragraph(text) | BlockKind::Item { text, .. } => !is_field(&text.plain),
            _ => false,
        };
        if self.has_lead || !is_text {
            return DocumentPart::Decision;
        }
        self.has_lead = true;
        DocumentPart::Lead
    }

    /// The part that a heading other than the title is in.
    pub fn heading(&self) -> DocumentPart {
        match self.decision {
            Some(_) => DocumentPart::Decision,
            None => DocumentPart::Other,
        }
    }
}

/// `Status: accepted`, at the head of a document.
fn is_field(text: &str) -> bool {
    let key = text.split_once([':', '：']).map(|(key, _)| key);
    key.is_some_and(|key| {
        key.split_whitespace().count() <= 2 && text.split_whitespace().count() <= 6
    })
}

/// Whether a heading stands above what was decided: `## 2. Decision: use a queue`, not `## Decision drivers`.
fn is_decision_heading(title: &str) -> bool {
    let title = title
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .to_lowercase();
    DECISION_HEADINGS.iter().any(|known| {
        let rest = title.strip_prefix(known);
        rest.is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.is_empty()
                || rest.starts_with([':', '/', '(', '-', '\u{2013}', '\u{2014}', '：', '（'])
        })
    })
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
    "beschluss",
    "d\u{e9}cision",
    "decisi\u{f3}n",
    "decis\u{e3}o",
    "decisione",
    "besluit",
    "beslut",
    "решение",
    "決定",
    "決定事項",
    "決定内容",
    "决定",
    "决策",
    "決策",
    "결정",
    "결정 사항",
    "결정사항",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_stands_under_headings_of_several_languages() {
        for title in [
            "Decision",
            "2. Decision Outcome",
            "✅ Decision: use a queue",
            "Decision / 決定",
            "決定（Decision）",
            "Entscheidung",
            "D\u{e9}cision",
        ] {
            assert!(is_decision_heading(title), "{title}");
        }
        for title in [
            "Decision Drivers",
            "Decision makers",
            "Context",
            "Outcomes of the test",
        ] {
            assert!(!is_decision_heading(title), "{title}");
        }
    }
}
