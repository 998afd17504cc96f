//! Coordinates of the cells of ordered layers: across, as near to their neighbours as the order allows; along, as close
//! as the lines between them stay readable.

use super::order::{Net, Ties};
use super::place::{Cells, Chain, LayerItem, LayerLink, Pin};

/// Gap between two layers.
const GAP: f64 = 44.0;

/// Pictures are drawn in tenths of a pixel, so smaller moves are invisible.
const UNSEEN: f64 = 0.004;

/// Moves every cell as near to its neighbours as the order allows.
pub fn coordinates(net: &Net, cells: &Cells) -> Vec<f64> {
    let mut x = vec![0.0; cells.across.len()];
    let mut widest: f64 = 0.0;
    for layer in &net.layers {
        for pair in layer.windows(2) {
            x[pair[1]] = x[pair[0]] + cells.distance(pair[0], pair[1]);
        }
        widest = widest.max(layer.last().map_or(0.0, |cell| x[*cell]));
    }
    for layer in &net.layers {
        let slack = (widest - layer.last().map_or(0.0, |cell| x[*cell])) / 2.0;
        for cell in layer {
            x[*cell] += slack;
        }
    }
    let (before, after) = (Some(&net.before), Some(&net.after));
    let one_side = [[before, None], [after, None]];
    let both_sides = [[before, after]; 2];
    let mut bench = Buffers::default();
    for (ties, rounds) in [(one_side, 4), (both_sides, 3)] {
        for _ in 0..rounds {
            let before = x.clone();
            for layer in &net.layers {
                bench.settle(layer, ties[0], cells, &mut x);
            }
            for layer in net.layers.iter().rev() {
                bench.settle(layer, ties[1], cells, &mut x);
            }
            // If a sweep hardly moved anything, the next would move even less.
            if x.iter()
                .zip(&before)
                .all(|(x, was)| (x - was).abs() < UNSEEN)
            {
                break;
            }
        }
    }
    x
}

/// Cells that collided and move together.
struct CellCluster {
    wish: f64,
    weight: f64,
    cells: usize,
}

/// Buffers that are reused for every layer.
#[derive(Default)]
struct Buffers {
    offsets: Vec<f64>,
    blocks: Vec<CellCluster>,
}

impl Buffers {
    /// Moves the cells of a layer to where their neighbours pull them, without overlap and with the least squared
    /// distance. Neighbours that collide form a block with a common wish.
    fn settle(&mut self, layer: &[usize], ties: [Option<&Ties>; 2], cells: &Cells, x: &mut [f64]) {
        let Buffers { offsets, blocks } = self;
        offsets.clear();
        blocks.clear();
        let mut offset = 0.0;
        for (at, &cell) in layer.iter().enumerate() {
            if at > 0 {
                offset += cells.distance(layer[at - 1], cell);
            }
            offsets.push(offset);
            let (mut sum, mut weight) = (x[cell] * 0.02, 0.02);
            for tie in ties.iter().flatten().flat_map(|ties| ties.get(cell)) {
                sum += (x[tie.to] + tie.there - tie.here) * tie.pull;
                weight += tie.pull;
            }
            let mut block = CellCluster {
                wish: sum / weight - offset,
                weight,
                cells: 1,
            };
            while let Some(previous) = blocks.pop_if(|previous| previous.wish > block.wish) {
                let weight = previous.weight + block.weight;
                let wish = (previous.wish * previous.weight + block.wish * block.weight) / weight;
                block = CellCluster {
                    wish,
                    weight,
                    cells: previous.cells + block.cells,
                };
            }
            blocks.push(block);
        }
        let mut rest = layer.iter().zip(&*offsets);
        for block in &*blocks {
            for (cell, offset) in rest.by_ref().take(block.cells) {
                x[*cell] = block.wish + offset;
            }
        }
    }
}

/// Removes small bends from long lines: cells in a row move to a common position if each has room there.
pub fn straighten(net: &Net, cells: &Cells, chains: &[Chain], x: &mut [f64]) {
    let mut position = vec![0; x.len()];
    for layer in &net.layers {
        for (at, cell) in layer.iter().enumerate() {
            position[*cell] = at;
        }
    }
    let span = |cell: usize, x: &[f64]| {
        let (layer, at) = (&net.layers[cells.layer[cell]], position[cell]);
        let left = at.checked_sub(1).and_then(|at| layer.get(at));
        let right = layer.get(at + 1);
        let low = left.map_or(f64::NEG_INFINITY, |left| {
            x[*left] + cells.distance(*left, cell)
        });
        let high = right.map_or(f64::INFINITY, |right| {
            x[*right] - cells.distance(cell, *right)
        });
        // Rounding may leave a cell slightly outside its own span.
        (low.min(x[cell]), high.max(x[cell]))
    };
    for chain in chains {
        let mut rest = &chain.cells[..];
        while let Some((&first, _)) = rest.split_first() {
            let (mut low, mut high) = span(first, x);
            let mut run = 1;
            while let Some(&cell) = rest.get(run) {
                let (next_low, next_high) = span(cell, x);
                if next_low.max(low) > next_high.min(high) {
                    break;
                }
                (low, high) = (next_low.max(low), next_high.min(high));
                run += 1;
            }
            let mean = rest[..run].iter().map(|cell| x[*cell]).sum::<f64>() / run as f64;
            for cell in &rest[..run] {
                x[*cell] = mean.clamp(low, high);
            }
            rest = &rest[run..];
        }
    }
}

/// The start and thickness of each layer. Lines that go far to the side get more distance.
pub fn stack(net: &Net, cells: &Cells, items: &[LayerItem], x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let count = net.layers.len();
    let mut aside = vec![0.0f64; count];
    for (cell, tie) in net.after.iter() {
        let distance = (x[cell] + tie.here - x[tie.to] - tie.there).abs();
        let layer = cells.layer[cell];
        aside[layer] = aside[layer].max(distance);
    }
    let gate = |layer: usize| {
        let mut members = net.layers[layer].iter();
        members.any(|cell| items.get(*cell).is_some_and(|item| item.pin != Pin::Free))
    };
    let only_lines = |layer: usize| net.layers[layer].iter().all(|cell| *cell >= cells.items);
    let mut thick = vec![0.0f64; count];
    for (cell, along) in cells.along.iter().enumerate() {
        thick[cells.layer[cell]] = thick[cells.layer[cell]].max(*along);
    }
    // A label layer without labels, beside a gate, needs no room.
    let idle = |layer: usize| {
        let beside_gate = layer > 0 && gate(layer - 1) || layer + 1 < count && gate(layer + 1);
        thick[layer] == 0.0 && only_lines(layer) && beside_gate
    };
    let mut start = vec![0.0];
    for layer in 1..count {
        let half = only_lines(layer - 1) || only_lines(layer);
        let straight = aside[layer - 1] < 1.0;
        let base = match gate(layer - 1) || gate(layer) || idle(layer - 1) || idle(layer) {
            true => 5.0,
            false if half => GAP / 2.0,
            false if straight && !arrives(net, cells, layer) => GAP / 2.0,
            false => GAP,
        };
        let more = (aside[layer - 1] / 8.0).min(GAP * if half { 0.7 } else { 1.3 });
        start.push(start[layer - 1] + thick[layer - 1] + base + more);
    }
    (start, thick)
}

/// Whether a line ends at an item of a layer; other rows may be closer.
fn arrives(net: &Net, cells: &Cells, layer: usize) -> bool {
    let items = net.layers[layer].iter().filter(|cell| **cell < cells.items);
    items.clone().any(|item| !net.before.get(*item).is_empty())
}

/// The ends of every line: side by side, in the order of their other ends.
pub fn spread(
    items: &[LayerItem],
    links: &[LayerLink],
    chains: &[Chain],
    x: &[f64],
) -> Vec<(f64, f64)> {
    let mut leaving = vec![Vec::new(); items.len()];
    let mut entering = vec![Vec::new(); items.len()];
    for (index, (link, chain)) in links.iter().zip(chains).enumerate() {
        let next = chain.cells.first().copied().unwrap_or(link.to);
        let previous = chain.cells.last().copied().unwrap_or(link.from);
        if link.leaves.is_none() {
            leaving[link.from].push((x[next], index));
        }
        if link.enters.is_none() {
            entering[link.to].push((x[previous], index));
        }
    }
    let stated = |link: &LayerLink| {
        (
            link.leaves.unwrap_or_default(),
            link.enters.unwrap_or_default(),
        )
    };
    let mut ends: Vec<(f64, f64)> = links.iter().map(stated).collect();
    for (item, (leaving, entering)) in items.iter().zip(leaving.iter_mut().zip(&mut entering)) {
        for (at, offset) in beside(leaving, item.side, item.step) {
            ends[at].0 = offset;
        }
        for (at, offset) in beside(entering, item.side, item.step) {
            ends[at].1 = offset;
        }
    }
    ends
}

/// Distance between lines at the side of a node: with arrow heads, and with wider tips.
pub const STEP: f64 = 14.0;
pub const WIDE_STEP: f64 = 20.0;

/// Offsets from the middle of a side, for lines sorted by their other ends.
pub fn beside(lines: &mut [(f64, usize)], side: f64, step: f64) -> Vec<(usize, f64)> {
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let count = lines.len() as f64;
    let step = (side * 0.7 / count).min(step);
    let offset = |at: usize| (at as f64 - (count - 1.0) / 2.0) * step;
    lines
        .iter()
        .enumerate()
        .map(|(at, line)| (line.1, offset(at)))
        .collect()
}
