//! Draws the steps of a sequence from top to bottom.

use super::super::super::{FlowAuthor, FrameKind, Message, SequenceStep, Side, Style, Tip};
use super::super::block::{DETAIL, EdgeLabel, TextBlock, write_block, write_line, write_tag};
use super::super::curve::{Point, bend, straight};
use super::super::glyph::TextRoom;
use super::super::scene::{line_class, push_style, write_path};
use super::super::shape::{Ending, write_lines, write_rect};
use super::columns::{Columns, small};
use super::extent::{Extent, kind_name, note_place};
use super::{AIR, LOOP, Measured};

/// Half the width of an activation bar, and the offset of nested ones.
const BAR: f64 = 4.0;
const BAR_STEP: f64 = 4.0;
/// The strip at the top of a frame and of its parts.
const STRIP: f64 = 22.0;
const STEP: f64 = 15.0;

/// The output so far, in layers from back to front.
pub struct Rows<'a> {
    columns: &'a Columns,
    extents: std::vec::IntoIter<Extent>,
    /// The sides of shaded boxes behind everything.
    boxes: &'a [(f64, f64)],
    y: f64,
    /// Position of the last message.
    last: f64,
    open: Vec<OpenFrame>,
    /// By participant, the starts of its open bars.
    active: Vec<Vec<f64>>,
    /// By participant, the end of its life line if it is destroyed.
    pub ends: Vec<Option<f64>>,
    pub areas: String,
    pub bars: String,
    pub frames: String,
    pub lines: String,
    pub texts: String,
    pub tips: Vec<Tip>,
    pub right: f64,
}

struct OpenFrame {
    kind: FrameKind,
    extent: Extent,
    top: f64,
}

impl<'a> Rows<'a> {
    pub fn new(
        columns: &'a Columns,
        extents: Vec<Extent>,
        boxes: &'a [(f64, f64)],
        top: f64,
    ) -> Rows<'a> {
        let count = columns.x.len();
        let right = extents
            .iter()
            .map(|extent| extent.right)
            .fold(0.0, f64::max);
        Rows {
            columns,
            extents: extents.into_iter(),
            boxes,
            y: top + 12.0,
            last: top,
            open: Vec::new(),
            active: vec![Vec::new(); count],
            ends: vec![None; count],
            areas: String::new(),
            bars: String::new(),
            frames: String::new(),
            lines: String::new(),
            texts: String::new(),
            tips: Vec::new(),
            right,
        }
    }

    pub fn add(&mut self, step: &Measured<'_>) {
        match step {
            Measured::Message { message, tag } => self.message(message, tag),
            Measured::Note { side, block } => self.note(*side, block),
            Measured::Other(SequenceStep::Open { kind, text }) => self.begin(*kind, text),
            Measured::Other(SequenceStep::Next { text }) => self.next_part(text),
            Measured::Other(SequenceStep::Close) => self.end(),
            Measured::Other(SequenceStep::Activate(who)) => self.active[*who].push(self.last),
            Measured::Other(SequenceStep::Deactivate(who)) => self.deactivate(*who),
            Measured::Other(SequenceStep::Destroy(who)) => self.destroy(*who),
            Measured::Other(SequenceStep::Message(_) | SequenceStep::Note(_)) => {}
        }
    }

    /// Closes what is still open; returns the end of the life lines.
    pub fn finish(&mut self) -> f64 {
        while !self.open.is_empty() {
            self.end();
        }
        for who in 0..self.active.len() {
            while !self.active[who].is_empty() {
                self.last = self.y;
                self.deactivate(who);
            }
        }
        self.y + 16.0
    }

    /// Where a line meets the life line of a participant, depending on where it comes from.
    fn edge(&self, who: usize, from: f64) -> f64 {
        let x = self.columns.x[who];
        match self.active[who].len() {
            0 => x,
            depth if from > x => x + BAR + BAR_STEP * (depth - 1) as f64,
            _ => x - BAR,
        }
    }

    fn message(&mut self, message: &Message, tag: &EdgeLabel) {
        let Some(class) = line_class(message.line) else {
            return;
        };
        self.tips.extend(message.tips);
        let is_silent = tag.is_empty();
        if message.from == message.to {
            let high = if is_silent {
                22.0
            } else {
                tag.size.y.max(22.0)
            };
            let from = self.edge(message.from, f64::INFINITY);
            let (top, low) = (self.y + 6.0, self.y + 6.0 + high);
            let far = from + LOOP * 1.25;
            let point = |x: f64, y: f64| Point { x, y };
            let path = bend(
                point(from, top),
                point(far, top),
                point(far, low),
                point(from, low),
            );
            write_path(&mut self.lines, class, &path, message.tips, None);
            if !is_silent {
                let x = from + LOOP + AIR / 2.0 + tag.size.x / 2.0;
                self.write_label(point(x, (top + low) / 2.0), tag);
            }
            self.last = low;
            self.y = low + 13.0;
            return;
        }
        let (a, b) = (self.columns.x[message.from], self.columns.x[message.to]);
        let line = self.y + if is_silent { 8.0 } else { tag.size.y + 6.0 };
        if !is_silent {
            let middle = Point {
                x: (a + b) / 2.0,
                y: self.y + 2.0 + tag.size.y / 2.0,
            };
            self.write_label(middle, tag);
        }
        let path = straight(
            self.edge(message.from, b),
            line,
            'H',
            self.edge(message.to, a),
        );
        write_path(&mut self.lines, class, &path, message.tips, None);
        self.last = line;
        self.y = line + 11.0;
    }

    fn write_label(&mut self, at: Point, tag: &EdgeLabel) {
        let is_boxed = self
            .boxes
            .iter()
            .any(|(left, right)| *left < at.x && at.x < *right);
        let class = if is_boxed {
            "d-label d-framed"
        } else {
            "d-label"
        };
        write_tag(&mut self.texts, at, tag, class);
    }

    fn note(&mut self, side: Side, block: &TextBlock) {
        let (left, wide) = note_place(side, block.size.x, &self.columns.x);
        let size = Point {
            x: wide,
            y: block.size.y,
        };
        let middle = Point {
            x: left + wide / 2.0,
            y: self.y + 4.0 + size.y / 2.0,
        };
        let mut widened = block.clone();
        widened.size = size;
        write_block(&mut self.texts, middle, &widened);
        self.y += size.y + 14.0;
        self.last = self.y;
    }

    fn begin(&mut self, kind: FrameKind, text: &str) {
        let Some(extent) = self.extents.next() else {
            return;
        };
        let top = self.y;
        self.open.push(OpenFrame { kind, extent, top });
        let name = kind_name(kind);
        if name.is_empty() {
            self.y += 8.0;
            return;
        }
        let tab = small(name) * 1.1 + 16.0;
        let (left, right) = (extent.left, extent.right);
        let point = |x: f64, y: f64| Point { x, y };
        let corners = [
            point(left, top),
            point(left + tab + 6.0, top),
            point(left + tab + 6.0, top + 12.0),
            point(left + tab, top + 18.0),
            point(left, top + 18.0),
        ];
        write_lines(&mut self.frames, "d-tab", &corners, Ending::Closed);
        write_line(
            &mut self.texts,
            left + tab / 2.0,
            top + 13.5,
            "d-tab-name",
            name,
        );
        let lines = condition(text, right - left - tab - 18.0);
        for (at, line) in lines.iter().enumerate() {
            let y = top + 13.5 + STEP * at as f64;
            write_line(&mut self.texts, left + tab + 12.0, y, "d-condition", line);
        }
        self.texts.push('\n');
        self.y = top + STRIP + STEP * lines.len().saturating_sub(1) as f64 + 4.0;
    }

    fn next_part(&mut self, text: &str) {
        let Some(open) = self.open.last() else {
            return;
        };
        let Extent { left, right } = open.extent;
        let y = self.y;
        let ends = [Point { x: left, y }, Point { x: right, y }];
        write_lines(&mut self.frames, "d-part", &ends, Ending::Open);
        let lines = condition(text, right - left - 24.0);
        for (at, line) in lines.iter().enumerate() {
            let y = y + 14.5 + STEP * at as f64;
            write_line(&mut self.texts, left + 12.0, y, "d-condition", line);
        }
        self.texts.push('\n');
        self.y += STRIP + STEP * lines.len().saturating_sub(1) as f64 + 4.0;
    }

    fn end(&mut self) {
        let Some(OpenFrame { kind, extent, top }) = self.open.pop() else {
            return;
        };
        let bottom = self.y + 2.0;
        let corner = Point {
            x: extent.left,
            y: top,
        };
        let size = Point {
            x: extent.right - extent.left,
            y: bottom - top,
        };
        match kind {
            FrameKind::Rect(tint) => {
                let mut class = String::from("d-area");
                push_style(
                    &mut class,
                    Style {
                        tint,
                        ..Style::default()
                    },
                );
                // Inner areas end first, and outer ones are drawn first.
                let mut area = String::new();
                write_rect(&mut area, &class, corner, size, 4.0);
                area.push('\n');
                self.areas.insert_str(0, &area);
            }
            _ => {
                write_rect(&mut self.frames, "d-frame", corner, size, 4.0);
                self.frames.push('\n');
            }
        }
        self.y = bottom + 10.0;
        self.last = bottom;
    }

    fn deactivate(&mut self, who: usize) {
        let Some(start) = self.active[who].pop() else {
            return;
        };
        let shift = BAR_STEP * self.active[who].len() as f64;
        let corner = Point {
            x: self.columns.x[who] - BAR + shift,
            y: start,
        };
        let size = Point {
            x: 2.0 * BAR,
            y: (self.last - start).max(8.0),
        };
        // A nested bar ends first, and is drawn on top.
        let mut bar = String::new();
        write_rect(&mut bar, "d-active", corner, size, 2.0);
        bar.push('\n');
        self.bars.insert_str(0, &bar);
    }

    fn destroy(&mut self, who: usize) {
        while !self.active[who].is_empty() {
            self.deactivate(who);
        }
        let (x, y) = (self.columns.x[who], self.last);
        for slant in [-7.0, 7.0] {
            let ends = [
                Point {
                    x: x - 7.0,
                    y: y - slant,
                },
                Point {
                    x: x + 7.0,
                    y: y + slant,
                },
            ];
            write_lines(&mut self.frames, "d-limb", &ends, Ending::Open);
        }
        self.ends[who].get_or_insert(y);
        self.y = self.y.max(y + 14.0);
    }
}

/// A condition in square brackets, as UML writes it.
fn condition(text: &str, wide: f64) -> Vec<String> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let room = TextRoom {
        wide: wide.max(60.0),
        origin: FlowAuthor::Authored,
    };
    room.lines(&format!("[{}]", text.trim()), DETAIL)
}
