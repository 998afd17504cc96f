//! The lines between classes: `<|--`, `*--`, `o--`, `-->`, `..|>`, `()--` and so on.

use super::super::cursor::Cursor;
use crate::{Line, Tip};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Plain,
    Tipped(Tip),
    /// The ball of an interface.
    Lollipop,
}

impl End {
    pub fn tip(self) -> Tip {
        match self {
            End::Tipped(tip) => tip,
            End::Plain | End::Lollipop => Tip::None,
        }
    }
}

pub(super) struct Relation {
    pub line: Line,
    pub first: End,
    pub second: End,
}

/// Whether a relation starts at the cursor, perhaps after a number in quotes.
pub(super) fn starts(cursor: &Cursor) -> bool {
    let mut ahead = *cursor;
    if ahead.take_quoted().is_some() {
        ahead.skip_spaces();
    }
    read(&mut ahead).is_some()
}

/// None if there is no relation at the cursor.
pub(super) fn read(cursor: &mut Cursor) -> Option<Relation> {
    let start = *cursor;
    let first = take_end(cursor);
    let line = if cursor.eat("--") {
        Line::Solid
    } else if cursor.eat("..") {
        Line::Dashed
    } else {
        *cursor = start;
        return None;
    };
    let before = *cursor;
    let mut second = take_end(cursor);
    // In `A --order` the `o` belongs to the name.
    if before.peek() == Some('o')
        && cursor
            .peek()
            .is_some_and(|c| c.is_alphanumeric() || c == '_')
    {
        *cursor = before;
        second = End::Plain;
    }
    Some(Relation {
        line,
        first,
        second,
    })
}

fn take_end(cursor: &mut Cursor) -> End {
    const ENDS: [(&str, End); 7] = [
        ("<|", End::Tipped(Tip::Triangle)),
        ("|>", End::Tipped(Tip::Triangle)),
        ("<", End::Tipped(Tip::Open)),
        (">", End::Tipped(Tip::Open)),
        ("*", End::Tipped(Tip::Diamond)),
        ("o", End::Tipped(Tip::HollowDiamond)),
        ("()", End::Lollipop),
    ];
    let found = ENDS.iter().find(|(mark, _)| cursor.starts_with(mark));
    let Some((mark, end)) = found else {
        return End::Plain;
    };
    cursor.take(mark.len());
    *end
}
