//! The arrows of a flowchart: `-->`, `-.->`, `==>`, `~~~`, of any length, with a label in either style.

use super::super::cursor::Cursor;
use super::super::{Error, text};
use crate::{Line, Tip};

pub(super) struct Arrowed {
    pub label: Option<String>,
    pub line: Line,
    pub tips: [Tip; 2],
}

/// Reads the arrow at the cursor with its label. None if there is none.
pub(super) fn read(cursor: &mut Cursor) -> Result<Option<Arrowed>, Error> {
    let start = *cursor;
    if cursor.starts_with("~~~") {
        cursor.take_while(|c| c == '~');
        return finish(cursor, Line::Hidden, [Tip::None, Tip::None]).map(Some);
    }
    let first = match cursor.peek() {
        Some('<') => Tip::Arrow,
        Some('x') => Tip::Cross,
        Some('o') => Tip::Circle,
        _ => Tip::None,
    };
    if first != Tip::None {
        cursor.bump();
    }
    let Some(stroke) = take_stroke(cursor) else {
        *cursor = start;
        return Ok(None);
    };
    match stroke {
        Stroke::Whole(line) => {
            let last = take_tip(cursor);
            finish(cursor, line, [first, last]).map(Some)
        }
        Stroke::Start(line) => {
            let label = text::label(take_inner_label(cursor, line)?);
            let last = take_tip(cursor);
            Ok(Some(Arrowed {
                label: (!label.is_empty()).then_some(label),
                line,
                tips: [first, last],
            }))
        }
    }
}

/// The line of an arrow, without its tips.
enum Stroke {
    Whole(Line),
    /// The part before a label: `--`, `-.` or `==`.
    Start(Line),
}

fn take_stroke(cursor: &mut Cursor) -> Option<Stroke> {
    let is_tip = |c: Option<char>| c.is_some_and(|c| matches!(c, '>' | 'x' | 'o'));
    let dashes = count(cursor, '-');
    let dots = count_after(cursor, dashes, '.');
    let equals = count(cursor, '=');
    if dots > 0 && dashes < 2 {
        let after = cursor.rest()[dashes + dots..].chars().next();
        if after == Some('-') {
            cursor.take(dashes + dots);
            cursor.take_while(|c| c == '-');
            return Some(Stroke::Whole(Line::Dashed));
        }
        if dashes == 0 {
            return None;
        }
        cursor.take(2);
        return Some(Stroke::Start(Line::Dashed));
    }
    let (length, line) = if dashes > 0 {
        (dashes, Line::Solid)
    } else {
        (equals, Line::Bold)
    };
    if length < 2 {
        return None;
    }
    cursor.take(length);
    if length > 2 || is_tip(cursor.peek()) {
        return Some(Stroke::Whole(line));
    }
    Some(Stroke::Start(line))
}

fn count(cursor: &Cursor, mark: char) -> usize {
    count_after(cursor, 0, mark)
}

fn count_after(cursor: &Cursor, start: usize, mark: char) -> usize {
    let rest = &cursor.rest()[start..];
    rest.len() - rest.trim_start_matches(mark).len()
}

fn take_tip(cursor: &mut Cursor) -> Tip {
    let tip = match cursor.peek() {
        Some('>') => Tip::Arrow,
        Some('x') => Tip::Cross,
        Some('o') => Tip::Circle,
        _ => return Tip::None,
    };
    cursor.bump();
    tip
}

/// The label in `-- label -->`. The cursor is then before the tip of the arrow.
fn take_inner_label<'a>(cursor: &mut Cursor<'a>, line: Line) -> Result<&'a str, Error> {
    let mut at_start = *cursor;
    let rest = cursor.rest();
    let mut is_quoted = false;
    let mut previous = None;
    let end = rest.char_indices().find(|(at, c)| {
        is_quoted ^= *c == '"';
        let found = !is_quoted
            && match line {
                Line::Dashed => *c == '.' && is_dotted_end(&rest[*at..], previous),
                Line::Bold => rest[*at..].starts_with("=="),
                _ => rest[*at..].starts_with("--"),
            };
        previous = Some(*c);
        found
    });
    let unfinished = |cursor: &mut Cursor| {
        let arrow = match line {
            Line::Dashed => "-. text .->",
            Line::Bold => "== text ==>",
            _ => "-- text -->",
        };
        cursor.error(format!("this arrow has no end; write `-->` or `{arrow}`"))
    };
    let Some((end, _)) = end else {
        return Err(unfinished(&mut at_start));
    };
    let label = cursor.take(end);
    let length = match line {
        Line::Dashed => {
            let dots = count(cursor, '.');
            cursor.take(dots);
            dots + cursor.take_while(|c| c == '-').len()
        }
        Line::Bold => cursor.take_while(|c| c == '=').len(),
        _ => cursor.take_while(|c| c == '-').len(),
    };
    let has_tip = cursor.peek().is_some_and(|c| matches!(c, '>' | 'x' | 'o'));
    if length < 3 && line != Line::Dashed && !has_tip {
        return Err(unfinished(&mut at_start));
    }
    if line == Line::Dashed {
        return Ok(label.strip_suffix('-').unwrap_or(label));
    }
    Ok(label)
}

/// Whether a run of dots starts here that a dash ends.
fn is_dotted_end(text: &str, previous: Option<char>) -> bool {
    previous != Some('.') && text.trim_start_matches('.').starts_with('-')
}

/// Reads `|label|` after the arrow.
fn finish(cursor: &mut Cursor, line: Line, tips: [Tip; 2]) -> Result<Arrowed, Error> {
    let arrow = *cursor;
    cursor.skip_blank();
    if !cursor.eat("|") {
        *cursor = arrow;
        return Ok(Arrowed {
            label: None,
            line,
            tips,
        });
    }
    let raw = super::shape::take_label(cursor, &["|"], "the edge")?;
    let label = text::label(raw.text);
    Ok(Arrowed {
        label: (!label.is_empty()).then_some(label),
        line,
        tips,
    })
}
