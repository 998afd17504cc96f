//! Items in layers and lines between them, as coordinates across and along the flow.
//! Whether that flow runs down or to the right is the caller's business.

use super::order::{Net, Tie, sort};
use super::rank;

/// Something with a size.
#[derive(Clone, Copy)]
pub struct Item {
    pub across: f64,
    pub along: f64,
    pub pin: Pin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// Where its links put it; lines spread over its side.
    Free,
    /// The same, but its lines end where the link says.
    Gated,
    /// In a layer before all others: a gate.
    First,
    /// In a layer after all others: a gate.
    Last,
}

/// A line from an item to one of a later layer. Links must not form a cycle.
#[derive(Clone, Copy)]
pub struct Link {
    pub from: usize,
    pub to: usize,
    /// From the middle of a gated item.
    pub leaves: f64,
    pub enters: f64,
    /// The room of its label, across and along.
    pub label: Option<Spot>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spot {
    pub across: f64,
    pub along: f64,
}

pub struct Laid {
    /// The middle of every item.
    pub items: Vec<Spot>,
    pub routes: Vec<Route>,
    pub size: Spot,
}

#[derive(Clone, Default)]
pub struct Route {
    pub points: Vec<Spot>,
    /// The middle of the label.
    pub label: Option<Spot>,
}

/// Long lines pass every layer through a cell of their own; more cells than this and the rest of
/// the lines run straight, so that the time stays bounded.
const MOST_CELLS: usize = 12_000;
const GAP: f64 = 44.0;

/// `hint` is where every item would like to be; no layer gets much wider than `room`.
pub fn lay(items: &[Item], links: &[Link], hint: &[f64], room: f64) -> Laid {
    let labelled = links.iter().any(|link| link.label.is_some());
    let ranks = rank_of(items, links, hint, room, if labelled { 2 } else { 1 });
    let mut cells = Cells::new(items, &ranks, hint);
    let chains: Vec<Chain> = links.iter().map(|link| cells.chain(link, &ranks)).collect();
    let mut net = cells.net(&chains, links);
    sort(
        &mut net,
        &cells.across,
        if cells.across.len() > MOST_CELLS {
            2
        } else {
            10
        },
    );
    let mut x = coordinates(&net, &cells);
    straighten(&net, &cells, &chains, &mut x);
    let (start, thick) = stack(&net, &cells, items, &x);
    let ends = spread(items, links, &chains, &x);
    let middle = |cell: usize| {
        let layer = cells.layer[cell];
        Spot {
            across: x[cell],
            along: start[layer] + thick[layer] / 2.0,
        }
    };
    let routes = links.iter().zip(&chains).zip(&ends);
    let routes = routes.map(|((link, chain), &(leaves, enters))| {
        let mut points = Vec::new();
        let mut push = |across: f64, along: f64| points.push(Spot { across, along });
        let (from, to) = (middle(link.from), middle(link.to));
        let layer = cells.layer[link.from];
        push(
            from.across + leaves,
            from.along + items[link.from].along / 2.0,
        );
        push(from.across + leaves, start[layer] + thick[layer]);
        for &cell in &chain.cells {
            let layer = cells.layer[cell];
            push(x[cell], start[layer]);
            push(x[cell], start[layer] + thick[layer]);
        }
        push(to.across + enters, start[cells.layer[link.to]]);
        push(to.across + enters, to.along - items[link.to].along / 2.0);
        points
            .dedup_by(|b, a| (a.across - b.across).abs() < 0.1 && (a.along - b.along).abs() < 0.1);
        let label = chain.label.map(middle);
        Route { points, label }
    });
    Laid {
        routes: routes.collect(),
        items: (0..items.len()).map(middle).collect(),
        size: Spot {
            across: (0..x.len())
                .map(|cell| x[cell] + cells.across[cell] / 2.0)
                .fold(0.0, f64::max),
            along: start
                .last()
                .zip(thick.last())
                .map_or(0.0, |(start, thick)| start + thick),
        },
    }
}

fn rank_of(items: &[Item], links: &[Link], hint: &[f64], room: f64, factor: usize) -> Vec<usize> {
    let free: Vec<usize> = (0..items.len())
        .filter(|item| matches!(items[*item].pin, Pin::Free | Pin::Gated))
        .collect();
    let mut place = vec![usize::MAX; items.len()];
    for (at, item) in free.iter().enumerate() {
        place[*item] = at;
    }
    let inner: Vec<(usize, usize)> = links
        .iter()
        .map(|link| (place[link.from], place[link.to]))
        .filter(|(from, to)| *from != usize::MAX && *to != usize::MAX)
        .collect();
    let mut ranks = rank::ranks(free.len(), &inner);
    let width: Vec<f64> = free.iter().map(|item| items[*item].across + 24.0).collect();
    let hint: Vec<f64> = free.iter().map(|item| hint[*item]).collect();
    rank::wrap_wide(&mut ranks, &width, &hint, room);
    let shift = usize::from(items.iter().any(|item| item.pin == Pin::First));
    let last = ranks.iter().max().map_or(0, |last| last + 1) + shift;
    let all = items.iter().zip(place).map(|(item, at)| match item.pin {
        Pin::First => 0,
        Pin::Last => last,
        Pin::Free | Pin::Gated => ranks[at] + shift,
    });
    all.map(|rank| rank * factor).collect()
}

/// Items, and a cell for every layer that a line passes.
struct Cells {
    across: Vec<f64>,
    along: Vec<f64>,
    layer: Vec<usize>,
    hint: Vec<f64>,
    items: usize,
}

struct Chain {
    cells: Vec<usize>,
    label: Option<usize>,
}

impl Cells {
    fn new(items: &[Item], ranks: &[usize], hint: &[f64]) -> Cells {
        Cells {
            across: items.iter().map(|item| item.across).collect(),
            along: items.iter().map(|item| item.along).collect(),
            layer: ranks.to_vec(),
            hint: hint.to_vec(),
            items: items.len(),
        }
    }

    fn chain(&mut self, link: &Link, ranks: &[usize]) -> Chain {
        let (first, last) = (ranks[link.from], ranks[link.to]);
        let mut chain = Chain {
            cells: Vec::new(),
            label: None,
        };
        let span = last.saturating_sub(first);
        if self.across.len() + span > MOST_CELLS {
            return chain;
        }
        // Labels have the odd layers to themselves.
        let half = span / 2;
        let label_at = first
            + if half % 2 == 1 {
                half
            } else {
                half.saturating_sub(1)
            };
        for layer in first + 1..last {
            let label = link.label.filter(|_| layer == label_at);
            let room = label.unwrap_or(Spot {
                across: 2.0,
                along: 0.0,
            });
            let share = (layer - first) as f64 / span as f64;
            if label.is_some() {
                chain.label = Some(self.across.len());
            }
            chain.cells.push(self.across.len());
            self.across.push(room.across);
            self.along.push(room.along);
            self.layer.push(layer);
            self.hint
                .push(self.hint[link.from] * (1.0 - share) + self.hint[link.to] * share);
        }
        chain
    }

    fn net(&self, chains: &[Chain], links: &[Link]) -> Net {
        let count = self.across.len();
        let layers = self.layer.iter().max().map_or(0, |last| last + 1);
        let mut net = Net {
            layers: vec![Vec::new(); layers],
            before: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
        };
        for cell in 0..count {
            net.layers[self.layer[cell]].push(cell);
        }
        for layer in &mut net.layers {
            layer.sort_by(|a, b| self.hint[*a].total_cmp(&self.hint[*b]));
        }
        for (link, chain) in links.iter().zip(chains) {
            let mut stops = vec![(link.from, link.leaves)];
            stops.extend(chain.cells.iter().map(|cell| (*cell, 0.0)));
            stops.push((link.to, link.enters));
            for pair in stops.windows(2) {
                let ((from, leaves), (to, enters)) = (pair[0], pair[1]);
                if self.layer[from] + 1 != self.layer[to] {
                    continue;
                }
                // Long lines bend most visibly, so they are the ones kept straight.
                let pull = match usize::from(from < self.items) + usize::from(to < self.items) {
                    0 => 8.0,
                    1 => 2.0,
                    _ => 1.0,
                };
                net.after[from].push(Tie {
                    to,
                    here: leaves,
                    there: enters,
                    pull,
                });
                net.before[to].push(Tie {
                    to: from,
                    here: enters,
                    there: leaves,
                    pull,
                });
            }
        }
        net
    }

    /// From the middle of one cell to the middle of the next.
    fn distance(&self, a: usize, b: usize) -> f64 {
        let apart = match usize::from(a < self.items) + usize::from(b < self.items) {
            0 => 10.0,
            1 => 14.0,
            _ => 24.0,
        };
        (self.across[a] + self.across[b]) / 2.0 + apart
    }
}

/// Every cell as near to its neighbours in the layers around it as the order allows.
fn coordinates(net: &Net, cells: &Cells) -> Vec<f64> {
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
    let count = net.layers.len();
    for sweep in 0..14 {
        for step in 0..count {
            let layer = if sweep % 2 == 0 {
                step
            } else {
                count - 1 - step
            };
            let ties: [&[Vec<Tie>]; 2] = match (sweep, sweep % 2) {
                (8.., _) => [&net.before, &net.after],
                (_, 0) => [&net.before, &[]],
                _ => [&net.after, &[]],
            };
            settle(&net.layers[layer], ties, cells, &mut x);
        }
    }
    let left = (0..x.len()).map(|cell| x[cell] - cells.across[cell] / 2.0);
    let left = left.fold(f64::INFINITY, f64::min);
    x.iter().map(|x| x - left).collect()
}

/// Moves the cells of a layer to where their neighbours pull them, without overlap and with the
/// least squared distance: neighbours that collide form a block with a common wish.
fn settle(layer: &[usize], ties: [&[Vec<Tie>]; 2], cells: &Cells, x: &mut [f64]) {
    struct Block {
        wish: f64,
        weight: f64,
        cells: usize,
    }
    let mut offsets = Vec::with_capacity(layer.len());
    let mut blocks: Vec<Block> = Vec::with_capacity(layer.len());
    let mut offset = 0.0;
    for (at, &cell) in layer.iter().enumerate() {
        if at > 0 {
            offset += cells.distance(layer[at - 1], cell);
        }
        offsets.push(offset);
        let (mut sum, mut weight) = (x[cell] * 0.02, 0.02);
        for tie in ties.iter().filter_map(|ties| ties.get(cell)).flatten() {
            sum += (x[tie.to] + tie.there - tie.here) * tie.pull;
            weight += tie.pull;
        }
        let mut block = Block {
            wish: sum / weight - offset,
            weight,
            cells: 1,
        };
        while let Some(previous) = blocks.pop_if(|previous| previous.wish > block.wish) {
            let weight = previous.weight + block.weight;
            let wish = (previous.wish * previous.weight + block.wish * block.weight) / weight;
            block = Block {
                wish,
                weight,
                cells: previous.cells + block.cells,
            };
        }
        blocks.push(block);
    }
    let wishes = blocks
        .iter()
        .flat_map(|block| std::iter::repeat_n(block.wish, block.cells));
    for ((cell, offset), wish) in layer.iter().zip(offsets).zip(wishes) {
        x[*cell] = wish + offset;
    }
}

/// Long lines lose the small bends that the search for places left in them: cells in a row move to
/// a common place as long as each of them has room there.
fn straighten(net: &Net, cells: &Cells, chains: &[Chain], x: &mut [f64]) {
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
        // Rounding may have left a cell a hair out of its own span.
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

/// Where each layer starts and how thick it is. Lines that go far to the side get a longer way.
fn stack(net: &Net, cells: &Cells, items: &[Item], x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let count = net.layers.len();
    let mut aside = vec![0.0f64; count];
    for (cell, ties) in net.after.iter().enumerate() {
        for tie in ties {
            let distance = (x[cell] + tie.here - x[tie.to] - tie.there).abs();
            let layer = cells.layer[cell];
            aside[layer] = aside[layer].max(distance);
        }
    }
    let gate = |layer: usize| {
        let mut members = net.layers[layer].iter();
        members.any(|cell| {
            items
                .get(*cell)
                .is_some_and(|item| matches!(item.pin, Pin::First | Pin::Last))
        })
    };
    let only_lines = |layer: usize| net.layers[layer].iter().all(|cell| *cell >= cells.items);
    let mut thick = vec![0.0f64; count];
    for (cell, along) in cells.along.iter().enumerate() {
        thick[cells.layer[cell]] = thick[cells.layer[cell]].max(*along);
    }
    // A layer for labels that has none, beside a gate, needs no room of its own.
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

/// Whether any line ends at an item of a layer; rows that only share their space may be closer.
fn arrives(net: &Net, cells: &Cells, layer: usize) -> bool {
    let items = net.layers[layer].iter().filter(|cell| **cell < cells.items);
    items.clone().any(|item| !net.before[*item].is_empty())
}

/// Where every line leaves and enters: beside one another, in the order of where they come from.
fn spread(items: &[Item], links: &[Link], chains: &[Chain], x: &[f64]) -> Vec<(f64, f64)> {
    let mut leaving = vec![Vec::new(); items.len()];
    let mut entering = vec![Vec::new(); items.len()];
    for (index, (link, chain)) in links.iter().zip(chains).enumerate() {
        let next = chain.cells.first().copied().unwrap_or(link.to);
        let previous = chain.cells.last().copied().unwrap_or(link.from);
        leaving[link.from].push((x[next], index));
        entering[link.to].push((x[previous], index));
    }
    let mut ends: Vec<(f64, f64)> = links
        .iter()
        .map(|link| (link.leaves, link.enters))
        .collect();
    for (item, (leaving, entering)) in items.iter().zip(leaving.iter_mut().zip(&mut entering)) {
        if item.pin != Pin::Free {
            continue;
        }
        for (at, offset) in beside(leaving, item.across) {
            ends[at].0 = offset;
        }
        for (at, offset) in beside(entering, item.across) {
            ends[at].1 = offset;
        }
    }
    ends
}

/// Offsets from the middle of a side for lines sorted by where their other end is.
pub fn beside(lines: &mut [(f64, usize)], side: f64) -> Vec<(usize, f64)> {
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let count = lines.len() as f64;
    let step = (side * 0.7 / count).min(14.0);
    let offset = |at: usize| (at as f64 - (count - 1.0) / 2.0) * step;
    lines
        .iter()
        .enumerate()
        .map(|(at, line)| (line.1, offset(at)))
        .collect()
}
