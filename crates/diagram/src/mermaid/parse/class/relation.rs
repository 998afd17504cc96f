//! The lines between classes: `<|--`, `*--`, `o--`, `-->`, `..|>`, `()--` and so on.

use super::super::cursor::Cursor;
use crate::{Line, Tip};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RelationEnd {
    Plain,
    Tipped(Tip),
    /// The ball of an interface.
    Lollipop,
}

impl RelationEnd {
    pub fn tip(self) -> Tip {
        match self {
            RelationEnd::Tipped(tip) => tip,
            RelationEnd::Plain | RelationEnd::Lollipop => Tip::None,
        }
    }
}

pub(super) struct Relation {
    pub line: Line,
    pub first: RelationEnd,
    pub second: RelationEnd,
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
        second = RelationEnd::Plain;
    }
    Some(Relation {
        line,
        first,
        second,
    })
}

fn take_end(cursor: &mut Cursor) -> RelationEnd {
    const ENDS: [(&str, RelationEnd); 7] = [
        ("<|", RelationEnd::Tipped(Tip::Triangle)),
        ("|>", RelationEnd::Tipped(Tip::Triangle)),
        ("<", RelationEnd::Tipped(Tip::Open)),
        (">", RelationEnd::Tipped(Tip::Open)),
        ("*", RelationEnd::Tipped(Tip::Diamond)),
        ("o", RelationEnd::Tipped(Tip::HollowDiamond)),
        ("()", RelationEnd::Lollipop),
    ];
    let found = ENDS.iter().find(|(mark, _)| cursor.starts_with(mark));
    let Some((mark, end)) = found else {
        return RelationEnd::Plain;
    };
    cursor.take(mark.len());
    *end
}
