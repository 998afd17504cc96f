//! Notes on states.

use super::super::{Error, text};
use super::StateDiagramParser;
use crate::{FlowEdge, Line, Shape, Tip};

impl<'a> StateDiagramParser<'a> {
    /// `note right of A : text`, the same over several lines up to `end note`, or `note "text" as N`.
    pub(super) fn read_note(&mut self) -> Result<(), Error> {
        let line = self.cursor.line();
        if let Some(quoted) = self.cursor.take_quoted() {
            self.cursor.take_line();
            let note = self.graph.nameless_vertex(text::label(quoted), Shape::Note);
            self.place(note);
            return Ok(());
        }
        let side = self.cursor.take_word().to_ascii_lowercase();
        let of = self.cursor.take_word();
        if !["left", "right"].contains(&side.as_str()) || !of.eq_ignore_ascii_case("of") {
            let message = "write `note left of STATE : text` or `note right of STATE : text`";
            return Err(Error::at(line, message));
        }
        self.cursor.skip_spaces();
        let id = self.take_id();
        let state = self.graph.vertex(id, Shape::Round);
        if self.described.len() <= state {
            self.place(state);
        }
        self.cursor.skip_spaces();
        let raw = if self.cursor.eat(":") {
            self.cursor.take_line()
        } else {
            self.take_note_block(line)?
        };
        let note = self.graph.nameless_vertex(text::label(raw), Shape::Note);
        self.place(note);
        let (from, to) = if side == "left" {
            (note, state)
        } else {
            (state, note)
        };
        let edge = FlowEdge {
            line: Line::Dashed,
            tips: [Tip::None, Tip::None],
            ..FlowEdge::new(from, to)
        };
        self.graph.connect(edge, line)
    }

    fn take_note_block(&mut self, line: usize) -> Result<&'a str, Error> {
        let rest = self.cursor.rest();
        let mut length = 0;
        for part in rest.split_inclusive('\n') {
            if part.trim().eq_ignore_ascii_case("end note") {
                let text = self.cursor.take(length);
                self.cursor.take_line();
                return Ok(text);
            }
            length += part.len();
        }
        Err(Error::at(line, "this note has no `end note`"))
    }
}
