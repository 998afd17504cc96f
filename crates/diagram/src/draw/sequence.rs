//! Sequence diagrams: participants side by side, time downwards. Measures everything, positions the life lines, then
//! draws the steps from top to bottom.

mod columns;
mod extent;
mod row;

use super::super::{
    FlowAuthor, FlowNode, NodeClass, Participant, ParticipantRole, Sequence, SequenceStep, Shape,
    Side, Tip,
};
use super::block::{DETAIL, EdgeLabel, TextBlock, write_block, write_line};
use super::curve::{Point, straight};
use super::glyph::TextRoom;
use super::scene::{Drawn, EDGES, Links, push_style, write_path};
use super::shape::write_rect;
use columns::Columns;
use extent::frames;
use row::Rows;

/// Padding of texts between two life lines.
const AIR: f64 = 10.0;
/// Width of a message to oneself.
const LOOP: f64 = 30.0;
/// The width that life lines share, as long as texts stay readable.
const WIDTH: f64 = 812.0;
const NOTE_TEXT: f64 = 180.0;
/// The figure of an actor above its name.
const FIGURE: f64 = 34.0;

/// A participant's name at the top of its line.
struct Head {
    block: TextBlock,
    role: ParticipantRole,
}

impl Head {
    fn new(participant: &Participant, wide: f64) -> Head {
        let node = FlowNode {
            href: participant.href.clone(),
            shape: match participant.role {
                ParticipantRole::System => Shape::Box,
                ParticipantRole::Actor => Shape::Bare,
            },
            ..FlowNode::new(participant.label.as_str(), NodeClass::Component)
        };
        let room = TextRoom {
            wide,
            origin: FlowAuthor::Authored,
        };
        Head {
            block: TextBlock::within(&node, room),
            role: participant.role,
        }
    }

    fn high(&self) -> f64 {
        match self.role {
            ParticipantRole::System => self.block.size.y,
            ParticipantRole::Actor => self.block.size.y + FIGURE - 8.0,
        }
    }

    /// Writes it in a row that begins at `top` and is `row` high.
    fn write(&self, out: &mut String, x: f64, top: f64, row: f64) {
        let y = top + row - self.block.size.y / 2.0;
        match self.role {
            ParticipantRole::System => {
                let y = top + row / 2.0;
                write_block(out, Point { x, y }, &self.block);
            }
            ParticipantRole::Actor => {
                write_figure(out, x, top + row - self.high());
                write_block(out, Point { x, y }, &self.block);
            }
        }
    }

    /// The start of its life line.
    fn bottom(&self, top: f64, row: f64) -> f64 {
        match self.role {
            ParticipantRole::System => top + row / 2.0 + self.block.size.y / 2.0,
            ParticipantRole::Actor => top + row,
        }
    }
}

fn write_figure(out: &mut String, x: f64, top: f64) {
    out.push_str("<g class=\"d-figure\"><circle");
    super::curve::push_numbers(out, &[("cx", x), ("cy", top + 6.0), ("r", 5.0)]);
    out.push_str("/>");
    for (from, to) in [
        ((0.0, 11.0), (0.0, 21.0)),
        ((-8.0, 15.0), (8.0, 15.0)),
        ((0.0, 21.0), (-7.0, 30.0)),
        ((0.0, 21.0), (7.0, 30.0)),
    ] {
        let point = |(dx, dy): (f64, f64)| Point {
            x: x + dx,
            y: top + dy,
        };
        let ends = [point(from), point(to)];
        super::shape::write_lines(out, "d-limb", &ends, super::shape::Ending::Open);
    }
    out.push_str("</g>");
}

/// A step with its text broken into lines.
enum Measured<'a> {
    Message {
        message: &'a super::super::Message,
        tag: EdgeLabel,
    },
    Note {
        side: Side,
        block: TextBlock,
    },
    Other(&'a SequenceStep),
}

/// The steps whose participants exist.
fn measured(sequence: &Sequence) -> Vec<Measured<'_>> {
    let count = sequence.participants.len();
    let share = WIDTH / count.max(1) as f64;
    let text = (share - 2.0 * AIR).clamp(96.0, 190.0);
    let steps = sequence.steps.iter();
    steps
        .filter_map(|step| measure(step, count, text))
        .collect()
}

/// Breaks the text of a step; `text` is its maximum width between two neighbours.
fn measure(step: &SequenceStep, count: usize, text: f64) -> Option<Measured<'_>> {
    match step {
        SequenceStep::Message(message) if message.from.max(message.to) < count => {
            let said = match &message.number {
                Some(number) => format!("{number}. {}", message.text),
                None => message.text.clone(),
            };
            let span = message.from.abs_diff(message.to).clamp(1, 3) as f64;
            let tag = EdgeLabel::new(&said, text * span, FlowAuthor::Authored);
            Some(Measured::Message { message, tag })
        }
        SequenceStep::Note(note) if last_of(note.side) < count => {
            let span = match note.side {
                Side::Over(first, last) => first.abs_diff(last).clamp(1, 3) as f64,
                _ => 1.0,
            };
            let node = FlowNode {
                shape: Shape::Note,
                ..FlowNode::new(note.text.as_str(), NodeClass::Component)
            };
            let room = TextRoom {
                wide: NOTE_TEXT * span,
                origin: FlowAuthor::Authored,
            };
            let block = TextBlock::within(&node, room);
            Some(Measured::Note {
                side: note.side,
                block,
            })
        }
        SequenceStep::Message(_) | SequenceStep::Note(_) => None,
        SequenceStep::Activate(who)
        | SequenceStep::Deactivate(who)
        | SequenceStep::Destroy(who)
            if *who >= count =>
        {
            None
        }
        other => Some(Measured::Other(other)),
    }
}

fn last_of(side: Side) -> usize {
    match side {
        Side::LeftOf(who) | Side::RightOf(who) => who,
        Side::Over(first, last) => first.max(last),
    }
}

pub fn draw(sequence: &Sequence) -> Drawn {
    let share = WIDTH / sequence.participants.len().max(1) as f64;
    let name = (share - 24.0 - 2.0 * AIR).clamp(64.0, 130.0);
    let heads: Vec<Head> = sequence
        .participants
        .iter()
        .map(|who| Head::new(who, name))
        .collect();
    let steps = measured(sequence);
    let columns = Columns::new(&heads, &steps);
    let frames = frames(&steps, &columns);
    let row = heads.iter().map(Head::high).fold(0.0, f64::max);
    let is_boxed = sequence.boxes.iter().any(|frame| !frame.label.is_empty());
    let top = if is_boxed { 24.0 } else { 0.0 };
    let boxes = box_sides(sequence, &columns);
    let mut rows = Rows::new(&columns, frames, &boxes, top + row);
    for step in &steps {
        rows.add(step);
    }
    let bottom = rows.finish();
    // On a long page, the names at the top are out of sight.
    let messages = steps
        .iter()
        .filter(|step| matches!(step, Measured::Message { .. }));
    let is_repeated = messages.count() > 12;
    let high = match (heads.is_empty(), is_repeated) {
        (true, _) => 0.0,
        (false, true) => bottom + row,
        (false, false) => bottom,
    };
    let mut body = String::new();
    write_boxes(&mut body, sequence, &boxes, high);
    body.push_str(&rows.areas);
    body.push_str("<g class=\"d-lives\">\n");
    for (who, head) in heads.iter().enumerate() {
        let end = rows.ends[who].unwrap_or(bottom);
        let line = straight(columns.x[who], head.bottom(top, row), 'V', end);
        write_path(&mut body, "d-life", &line, [Tip::None, Tip::Arrow], None);
    }
    body.push_str("</g>\n");
    body.push_str(&rows.bars);
    body.push_str(&rows.frames);
    body.push_str(EDGES);
    body.push_str(&rows.lines);
    body.push_str("</g>\n");
    body.push_str(&rows.texts);
    for (head, x) in heads.iter().zip(&columns.x) {
        head.write(&mut body, *x, top, row);
    }
    if is_repeated {
        for (who, head) in heads.iter().enumerate() {
            if rows.ends[who].is_none() {
                head.write(&mut body, columns.x[who], bottom, row);
            }
        }
    }
    let size = Point {
        x: rows.right.max(columns.right),
        y: high,
    };
    Drawn {
        size,
        body,
        links: Links::for_diagram(heads.iter().any(|head| head.block.linked())),
        tips: rows.tips,
    }
}

/// Left and right edges of the boxes around participants; empty if those do not exist.
fn box_sides(sequence: &Sequence, columns: &Columns) -> Vec<(f64, f64)> {
    let sides = sequence.boxes.iter().map(|frame| {
        let (first, last) = (frame.first.min(frame.last), frame.first.max(frame.last));
        if last >= columns.x.len() {
            return (0.0, 0.0);
        }
        let left = columns.x[first] - columns.half[first] - 6.0;
        (left, columns.x[last] + columns.half[last] + 6.0)
    });
    sides.collect()
}

/// Writes the boxes around participants, behind everything.
fn write_boxes(out: &mut String, sequence: &Sequence, sides: &[(f64, f64)], high: f64) {
    for (frame, &(left, right)) in sequence.boxes.iter().zip(sides) {
        if left >= right {
            continue;
        }
        let mut class = String::from("d-group");
        push_style(
            &mut class,
            super::super::Style {
                tint: frame.tint,
                ..Default::default()
            },
        );
        let corner = Point { x: left, y: 0.0 };
        let size = Point {
            x: right - left,
            y: high,
        };
        write_rect(out, &class, corner, size, 8.0);
        let room = TextRoom {
            wide: right - left - 12.0,
            origin: FlowAuthor::Generated,
        };
        let shown = room.one_line(&super::glyph::clean(&frame.label), DETAIL);
        if !shown.is_empty() {
            write_line(out, (left + right) / 2.0, 16.0, "d-box-label", &shown);
        }
        out.push('\n');
    }
}
