//! Messages: `A->>+B: text`.

use crate::{Line, Tip};

pub(super) struct Signal<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub text: &'a str,
    pub line: Line,
    pub tips: [Tip; 2],
    /// `+` activates the receiver, `-` deactivates the sender.
    pub suffix: Option<char>,
}

type Arrow = (&'static str, Line, [Tip; 2]);

/// If two arrows start at the same position, the longer one comes first.
const ARROWS: [Arrow; 6] = [
    ("<<-->>", Line::Dashed, [Tip::Arrow, Tip::Arrow]),
    ("<<->>", Line::Solid, [Tip::Arrow, Tip::Arrow]),
    ("-->>", Line::Dashed, [Tip::None, Tip::Arrow]),
    ("->>", Line::Solid, [Tip::None, Tip::Arrow]),
    ("-->", Line::Dashed, [Tip::None, Tip::None]),
    ("->", Line::Solid, [Tip::None, Tip::None]),
];

/// Arrows that can be part of a name, such as `-x` in `my-xray`: they count where no other arrow is.
/// Half arrow heads are drawn as open ones.
const OTHER_ARROWS: [Arrow; 20] = [
    ("--|\\", Line::Dashed, [Tip::None, Tip::Open]),
    ("--|/", Line::Dashed, [Tip::None, Tip::Open]),
    ("--\\\\", Line::Dashed, [Tip::None, Tip::Open]),
    ("--//", Line::Dashed, [Tip::None, Tip::Open]),
    ("/|--", Line::Dashed, [Tip::Open, Tip::None]),
    ("\\|--", Line::Dashed, [Tip::Open, Tip::None]),
    ("//--", Line::Dashed, [Tip::Open, Tip::None]),
    ("\\\\--", Line::Dashed, [Tip::Open, Tip::None]),
    ("-|\\", Line::Solid, [Tip::None, Tip::Open]),
    ("-|/", Line::Solid, [Tip::None, Tip::Open]),
    ("-\\\\", Line::Solid, [Tip::None, Tip::Open]),
    ("-//", Line::Solid, [Tip::None, Tip::Open]),
    ("/|-", Line::Solid, [Tip::Open, Tip::None]),
    ("\\|-", Line::Solid, [Tip::Open, Tip::None]),
    ("//-", Line::Solid, [Tip::Open, Tip::None]),
    ("\\\\-", Line::Solid, [Tip::Open, Tip::None]),
    ("--x", Line::Dashed, [Tip::None, Tip::Cross]),
    ("-x", Line::Solid, [Tip::None, Tip::Cross]),
    ("--)", Line::Dashed, [Tip::None, Tip::Open]),
    ("-)", Line::Solid, [Tip::None, Tip::Open]),
];

/// None if the statement is no message.
pub(super) fn read(statement: &str) -> Option<Signal<'_>> {
    let (head, text) = statement.split_once(':').unwrap_or((statement, ""));
    let (at, (mark, line, tips)) =
        find_arrow(head, &ARROWS).or_else(|| find_arrow(head, &OTHER_ARROWS))?;
    let from = head[..at].trim();
    let from = from.strip_suffix("()").unwrap_or(from).trim();
    let after = head[at + mark.len()..].trim();
    let suffix = after.chars().next().filter(|c| *c == '+' || *c == '-');
    let to = after.trim_start_matches("()");
    let to = to.strip_prefix(['+', '-']).unwrap_or(to).trim();
    (!from.is_empty() && !to.is_empty()).then_some(Signal {
        from,
        to,
        text,
        line,
        tips,
        suffix,
    })
}

/// The first arrow in the text.
fn find_arrow(text: &str, arrows: &[Arrow]) -> Option<(usize, Arrow)> {
    text.char_indices().find_map(|(at, c)| {
        if !matches!(c, '<' | '-' | '/' | '\\') {
            return None;
        }
        let rest = &text[at..];
        let found = arrows.iter().find(|(mark, _, _)| rest.starts_with(mark))?;
        Some((at, *found))
    })
}
