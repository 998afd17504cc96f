//! Positions of the life lines: as close as names, texts and notes allow.

use super::super::super::{SequenceStep, Side};
use super::super::block::DETAIL;
use super::super::glyph;
use super::extent::PAD;
use super::{AIR, Head, LOOP, Measured};

pub struct Columns {
    /// By participant.
    pub x: Vec<f64>,
    /// Half the width of its name.
    pub half: Vec<f64>,
    /// Right edge of everything between and beside the life lines.
    pub right: f64,
}

/// The room needed between neighbours, and beside the outermost.
struct Spacing {
    gaps: Vec<f64>,
    before: f64,
    after: f64,
    /// From one participant to another: distributed over the gaps between them once those are known.
    long: Vec<(usize, usize, f64)>,
}

impl Spacing {
    fn left_of(&mut self, who: usize, need: f64) {
        match who.checked_sub(1) {
            Some(gap) => self.gaps[gap] = self.gaps[gap].max(need),
            None => self.before = self.before.max(need),
        }
    }

    fn right_of(&mut self, who: usize, need: f64) {
        match self.gaps.get_mut(who) {
            Some(gap) => *gap = gap.max(need),
            None => self.after = self.after.max(need),
        }
    }

    fn between(&mut self, a: usize, b: usize, need: f64) {
        let (first, last) = (a.min(b), a.max(b));
        if last == first + 1 {
            self.right_of(first, need);
        } else {
            self.long.push((first, last, need));
        }
    }
}

impl Columns {
    pub fn new(heads: &[Head], steps: &[Measured<'_>]) -> Columns {
        let half: Vec<f64> = heads.iter().map(|head| head.block.size.x / 2.0).collect();
        let mut needs = Spacing {
            gaps: half
                .windows(2)
                .map(|pair| pair[0] + pair[1] + 20.0)
                .collect(),
            before: half.first().copied().unwrap_or_default(),
            after: half.last().copied().unwrap_or_default(),
            long: Vec::new(),
        };
        for step in steps {
            match step {
                Measured::Message { message, tag } if message.from == message.to => {
                    needs.right_of(message.to, tag.size.x + LOOP + 2.0 * AIR);
                }
                Measured::Message { message, tag } => {
                    needs.between(message.from, message.to, tag.size.x + 2.0 * AIR);
                }
                Measured::Note { side, block } => {
                    let wide = block.size.x;
                    match *side {
                        Side::LeftOf(who) => needs.left_of(who, wide + 2.0 * AIR),
                        Side::RightOf(who) => needs.right_of(who, wide + 2.0 * AIR),
                        Side::Over(first, last) if first == last => {
                            needs.left_of(first, wide / 2.0 + AIR);
                            needs.right_of(first, wide / 2.0 + AIR);
                        }
                        Side::Over(first, last) => {
                            needs.between(first, last, wide - 2.0 * AIR);
                        }
                    }
                }
                Measured::Other(_) => {}
            }
        }
        // Frames extend to the left of their contents.
        needs.before += PAD * deepest(steps) as f64;
        needs.placed(half)
    }
}

impl Spacing {
    fn placed(mut self, half: Vec<f64>) -> Columns {
        // Texts that span several gaps seldom need more than those have together.
        for (first, last, need) in self.long {
            let have: f64 = self.gaps[first..last].iter().take(64).sum();
            if have < need {
                let more = (need - have) / (last - first) as f64;
                self.gaps[first..last]
                    .iter_mut()
                    .for_each(|gap| *gap += more);
            }
        }
        let mut at = self.before;
        let mut x = Vec::with_capacity(half.len());
        for who in 0..half.len() {
            x.push(at);
            at += self.gaps.get(who).copied().unwrap_or(self.after);
        }
        let right = if x.is_empty() { 0.0 } else { at };
        Columns { x, half, right }
    }
}

/// Maximum number of frames around a step.
fn deepest(steps: &[Measured<'_>]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for step in steps {
        match step {
            Measured::Other(SequenceStep::Open { .. }) => depth += 1,
            Measured::Other(SequenceStep::Close) => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Width of a text in the small font.
pub fn small(text: &str) -> f64 {
    glyph::width(&glyph::clean(text), DETAIL)
}
