//! The horizontal extent of the frames of a sequence: around everything inside them.

use super::super::super::{FrameKind, SequenceStep, Side};
use super::columns::{Columns, small};
use super::{AIR, LOOP, Measured};

/// A frame, by the order in which frames begin.
#[derive(Clone, Copy)]
pub struct Extent {
    pub left: f64,
    pub right: f64,
}

/// Padding inside a frame.
pub const PAD: f64 = 12.0;
/// Minimum width, for a few words of its condition.
const NARROWEST: f64 = 150.0;

/// The extents of all frames, in the order in which they begin.
pub fn frames(steps: &[Measured<'_>], columns: &Columns) -> Vec<Extent> {
    let empty = Extent {
        left: f64::INFINITY,
        right: f64::NEG_INFINITY,
    };
    let mut found: Vec<Extent> = Vec::new();
    let mut open: Vec<(usize, f64)> = Vec::new();
    for step in steps {
        match step {
            Measured::Other(SequenceStep::Open { kind, text }) => {
                let named = small(kind_name(*kind)) + small(text) + 50.0;
                open.push((found.len(), named.min(NARROWEST)));
                found.push(empty);
            }
            Measured::Other(SequenceStep::Close) => {
                let Some((at, narrowest)) = open.pop() else {
                    continue;
                };
                let done = finished(found[at], narrowest, columns);
                found[at] = done;
                if let Some((around, _)) = open.last() {
                    widen(&mut found[*around], done.left, done.right);
                }
            }
            other => {
                if let (Some((innermost, _)), Some((left, right))) =
                    (open.last(), reach(other, columns))
                {
                    widen(&mut found[*innermost], left, right);
                }
            }
        }
    }
    while let Some((at, narrowest)) = open.pop() {
        found[at] = finished(found[at], narrowest, columns);
    }
    found
}

pub fn kind_name(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Loop => "loop",
        FrameKind::Alt => "alt",
        FrameKind::Opt => "opt",
        FrameKind::Par => "par",
        FrameKind::Critical => "critical",
        FrameKind::Break => "break",
        FrameKind::Rect(_) => "",
    }
}

fn widen(extent: &mut Extent, left: f64, right: f64) {
    extent.left = extent.left.min(left);
    extent.right = extent.right.max(right);
}

/// A frame without contents spans all participants.
fn finished(extent: Extent, narrowest: f64, columns: &Columns) -> Extent {
    let (left, right) = if extent.left.is_finite() {
        (extent.left, extent.right)
    } else {
        let first = columns.x.first().copied().unwrap_or_default();
        (first, columns.x.last().copied().unwrap_or(first))
    };
    let left = left - PAD;
    Extent {
        left,
        right: (right + PAD).max(left + narrowest),
    }
}

/// The left and right edges of a step.
fn reach(step: &Measured<'_>, columns: &Columns) -> Option<(f64, f64)> {
    let x = &columns.x;
    match step {
        Measured::Message { message, tag } if message.from == message.to => {
            let at = x[message.from];
            Some((at - AIR, at + LOOP + AIR + tag.size.x))
        }
        Measured::Message { message, .. } => {
            let (a, b) = (x[message.from], x[message.to]);
            Some((a.min(b) - AIR, a.max(b) + AIR))
        }
        Measured::Note { side, block } => {
            let (left, wide) = note_place(*side, block.size.x, x);
            Some((left, left + wide))
        }
        Measured::Other(_) => None,
    }
}

/// The left edge and width of a note.
pub fn note_place(side: Side, wide: f64, x: &[f64]) -> (f64, f64) {
    match side {
        Side::LeftOf(who) => (x[who] - AIR - wide, wide),
        Side::RightOf(who) => (x[who] + AIR, wide),
        Side::Over(first, last) => {
            let (a, b) = (x[first].min(x[last]), x[first].max(x[last]));
            let whole = wide.max(b - a + 4.0 * AIR);
            let wide = if first == last { wide } else { whole };
            ((a + b) / 2.0 - wide / 2.0, wide)
        }
    }
}
