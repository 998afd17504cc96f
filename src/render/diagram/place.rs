//! Items in layers and lines between them, as coordinates across and along the flow.
//! Whether that flow runs down or to the right is the caller's business.

use super::order::{Net, Tie, Ties, sort};
use super::rank;
use super::settle::{coordinates, spread, stack, straighten};

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

/// `hint` is where every item would like to be; no layer gets much wider than `room`.
pub fn lay(items: &[Item], links: &[Link], hint: &[f64], room: f64) -> Laid {
    if let ([only], []) = (items, links) {
        return alone(only);
    }
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
        let mut points = Vec::with_capacity(2 * chain.cells.len() + 4);
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

/// What most groups hold is one item, which needs no search.
fn alone(item: &Item) -> Laid {
    Laid {
        items: vec![Spot {
            across: item.across / 2.0,
            along: item.along / 2.0,
        }],
        routes: Vec::new(),
        size: Spot {
            across: item.across,
            along: item.along,
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
pub struct Cells {
    pub across: Vec<f64>,
    pub along: Vec<f64>,
    pub layer: Vec<usize>,
    hint: Vec<f64>,
    pub items: usize,
}

pub struct Chain {
    pub cells: Vec<usize>,
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
        let mut layers = vec![Vec::new(); layers];
        for cell in 0..count {
            layers[self.layer[cell]].push(cell);
        }
        for layer in &mut layers {
            layer.sort_by(|a, b| self.hint[*a].total_cmp(&self.hint[*b]));
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (link, chain) in links.iter().zip(chains) {
            let cells = chain.cells.iter().map(|cell| (*cell, 0.0));
            let mut previous = (link.from, link.leaves);
            for (to, enters) in cells.chain([(link.to, link.enters)]) {
                let (from, leaves) = std::mem::replace(&mut previous, (to, enters));
                if self.layer[from] + 1 != self.layer[to] {
                    continue;
                }
                // Long lines bend most visibly, so they are the ones kept straight.
                let pull = match usize::from(from < self.items) + usize::from(to < self.items) {
                    0 => 8.0,
                    1 => 2.0,
                    _ => 1.0,
                };
                let tie = |to, here, there| Tie {
                    to,
                    here,
                    there,
                    pull,
                };
                after.push((from, tie(to, leaves, enters)));
                before.push((to, tie(from, enters, leaves)));
            }
        }
        Net {
            layers,
            before: Ties::of(count, &before),
            after: Ties::of(count, &after),
        }
    }

    /// From the middle of one cell to the middle of the next.
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        let apart = match usize::from(a < self.items) + usize::from(b < self.items) {
            0 => 10.0,
            1 => 14.0,
            _ => 24.0,
        };
        (self.across[a] + self.across[b]) / 2.0 + apart
    }
}
