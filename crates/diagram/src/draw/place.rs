//! Positions of items in layers and of the lines between them, across and along the flow. The caller decides whether
//! the flow runs down or to the right.

use super::order::{Net, Tie, Ties, sort};
use super::rank;
use super::settle::{coordinates, spread, stack, straighten};

/// Something with a size.
#[derive(Clone, Copy)]
pub struct LayerItem {
    pub across: f64,
    pub along: f64,
    /// The part of `along` at which lines end: the label of a loop may be longer.
    pub body: f64,
    /// The part of the side that lines may share, and their distance if there is room.
    pub side: f64,
    pub step: f64,
    pub pin: Pin,
}

impl LayerItem {
    /// A gate of a frame: a point on its border.
    pub fn gate(pin: Pin) -> LayerItem {
        LayerItem {
            across: 4.0,
            along: 0.0,
            body: 0.0,
            side: 0.0,
            step: 0.0,
            pin,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// In the layer that its links determine.
    Free,
    /// Before all other layers: a gate.
    First,
    /// After all other layers: a gate.
    Last,
    /// The name of a frame, in the corner before all gates of the first or of the last layer.
    FirstTitle,
    LastTitle,
}

/// A line from an item to one of a later layer. Links must not form a cycle.
#[derive(Clone, Copy)]
pub struct LayerLink {
    pub from: usize,
    pub to: usize,
    /// Where it ends, relative to the middle of its item; `None` if lines share the side.
    pub leaves: Option<f64>,
    pub enters: Option<f64>,
    /// Sizes of the text at its start, its label and the text at its end, across and along.
    pub labels: Labels<Spot>,
}

/// At the start, in the middle and at the end of a line.
pub type Labels<T> = [Option<T>; 3];

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
    /// The middle of each label.
    pub labels: Labels<Spot>,
}

/// A long line has a cell in each layer it passes. Beyond this many cells, lines run straight, so that time is bounded.
const MOST_CELLS: usize = 12_000;

/// Lays out items. `hint` is the preferred position of each; no layer gets much wider than `room`.
pub fn lay(items: &[LayerItem], links: &[LayerLink], hint: &[f64], room: f64) -> Laid {
    if let ([only], []) = (items, links) {
        return alone(only);
    }
    let between = layers_between(links);
    let ranks = rank_of(items, links, hint, room, between);
    let mut cells = Cells::new(items, &ranks, hint, between);
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
    titles_first(&mut net, items);
    let mut x = coordinates(&net, &cells);
    straighten(&net, &cells, &chains, &mut x);
    let lefts = (0..x.len()).map(|cell| x[cell] - cells.across[cell] / 2.0);
    let left = lefts.fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= left);
    for (title, _) in titles(items) {
        x[title] = items[title].across / 2.0;
    }
    let (start, thick) = stack(&net, &cells, items, &x);
    let ends = spread(items, links, &chains, &x);
    let middle = |cell: usize| {
        let layer = cells.layer[cell];
        Spot {
            across: x[cell],
            along: start[layer] + thick[layer] / 2.0,
        }
    };
    let routes = links
        .iter()
        .zip(&chains)
        .zip(&ends)
        .map(|((link, chain), &(leaves, enters))| {
            let mut points = Vec::with_capacity(2 * chain.cells.len() + 4);
            let mut push = |across: f64, along: f64| points.push(Spot { across, along });
            let (from, to) = (middle(link.from), middle(link.to));
            let layer = cells.layer[link.from];
            push(
                from.across + leaves,
                from.along + items[link.from].body / 2.0,
            );
            push(from.across + leaves, start[layer] + thick[layer]);
            for &cell in &chain.cells {
                let layer = cells.layer[cell];
                push(x[cell], start[layer]);
                push(x[cell], start[layer] + thick[layer]);
            }
            push(to.across + enters, start[cells.layer[link.to]]);
            push(to.across + enters, to.along - items[link.to].body / 2.0);
            points.dedup_by(|b, a| {
                (a.across - b.across).abs() < 0.1 && (a.along - b.along).abs() < 0.1
            });
            let labels = chain.labels.map(|label| label.map(middle));
            Route { points, labels }
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

/// Number of layers per layer of items: lines need one for their label, or three with texts at their ends.
fn layers_between(links: &[LayerLink]) -> usize {
    let has = |at: usize| links.iter().any(|link| link.labels[at].is_some());
    match (has(0) || has(2), has(1)) {
        (true, _) => 4,
        (false, true) => 2,
        (false, false) => 1,
    }
}

fn titles(items: &[LayerItem]) -> impl Iterator<Item = (usize, &LayerItem)> {
    let all = items.iter().enumerate();
    all.filter(|(_, item)| matches!(item.pin, Pin::FirstTitle | Pin::LastTitle))
}

/// Moves titles before all gates of their layer. No line leads to a title, so this adds no crossing.
fn titles_first(net: &mut Net, items: &[LayerItem]) {
    for (title, _) in titles(items) {
        for layer in &mut net.layers {
            if let Some(at) = layer.iter().position(|cell| *cell == title) {
                layer[..=at].rotate_right(1);
            }
        }
    }
}

/// The layout of a single item, as in most groups, which needs no search.
fn alone(item: &LayerItem) -> Laid {
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

fn rank_of(
    items: &[LayerItem],
    links: &[LayerLink],
    hint: &[f64],
    room: f64,
    factor: usize,
) -> Vec<usize> {
    let free: Vec<usize> = (0..items.len())
        .filter(|item| items[*item].pin == Pin::Free)
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
    let is_first = |item: &LayerItem| matches!(item.pin, Pin::First | Pin::FirstTitle);
    let shift = usize::from(items.iter().any(is_first));
    let last = ranks.iter().max().map_or(0, |last| last + 1) + shift;
    let all = items.iter().zip(place).map(|(item, at)| match item.pin {
        Pin::First | Pin::FirstTitle => 0,
        Pin::Last | Pin::LastTitle => last,
        Pin::Free => ranks[at] + shift,
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
    /// See [`layers_between`].
    between: usize,
}

pub struct Chain {
    pub cells: Vec<usize>,
    labels: Labels<usize>,
}

impl Cells {
    fn new(items: &[LayerItem], ranks: &[usize], hint: &[f64], between: usize) -> Cells {
        Cells {
            across: items.iter().map(|item| item.across).collect(),
            along: items.iter().map(|item| item.along).collect(),
            layer: ranks.to_vec(),
            hint: hint.to_vec(),
            items: items.len(),
            between,
        }
    }

    fn chain(&mut self, link: &LayerLink, ranks: &[usize]) -> Chain {
        let (first, last) = (ranks[link.from], ranks[link.to]);
        let mut chain = Chain {
            cells: Vec::new(),
            labels: [None; 3],
        };
        let span = last.saturating_sub(first);
        if self.across.len() + span > MOST_CELLS {
            return chain;
        }
        // Labels have the layers between those of the items to themselves.
        let between = self.between;
        let middle = first + (span / between).saturating_sub(1) / 2 * between + between.div_ceil(2);
        let layers = [first + 1, middle, last.saturating_sub(1)];
        for layer in first + 1..last {
            let labelled = (0..3).find(|at| link.labels[*at].is_some() && layers[*at] == layer);
            let room = labelled.and_then(|at| link.labels[at]).unwrap_or(Spot {
                across: 2.0,
                along: 0.0,
            });
            let share = (layer - first) as f64 / span as f64;
            if let Some(at) = labelled {
                chain.labels[at] = Some(self.across.len());
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

    fn net(&self, chains: &[Chain], links: &[LayerLink]) -> Net {
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
            let mut previous = (link.from, link.leaves.unwrap_or_default());
            for (to, enters) in cells.chain([(link.to, link.enters.unwrap_or_default())]) {
                let (from, leaves) = std::mem::replace(&mut previous, (to, enters));
                if self.layer[from] + 1 != self.layer[to] {
                    continue;
                }
                // Bends of long lines are most visible, so those are kept straight.
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
            before: Ties::by_cell(count, &before),
            after: Ties::by_cell(count, &after),
        }
    }

    /// Distance between the middles of two adjacent cells.
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        let apart = match usize::from(a < self.items) + usize::from(b < self.items) {
            0 => 10.0,
            1 => 14.0,
            _ => 24.0,
        };
        (self.across[a] + self.across[b]) / 2.0 + apart
    }
}
