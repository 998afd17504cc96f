//! A group laid out by itself: its frame, and the gates on the border through which lines pass.

use std::collections::BTreeMap;

use super::curve::Point;
use super::layered::{Home, Plan};
use super::place::{Item, Laid, Link, Pin, Spot, lay};
use super::scene::DETAIL;
use super::{Direction, glyph};

/// A home laid out by itself, with its gates.
pub struct Inside {
    pub laid: Laid,
    /// Where the laid items begin within the frame.
    pub shift: Spot,
    pub size: Spot,
    /// The route of every edge within.
    pub edges: BTreeMap<usize, usize>,
    /// By node: the route to its gate on the near and on the far border.
    pub entries: BTreeMap<usize, usize>,
    pub exits: BTreeMap<usize, usize>,
}

impl Plan<'_> {
    pub fn insides(&self, hints: &[f64]) -> Vec<Inside> {
        let mut within = vec![Vec::new(); self.homes.len()];
        let mut down = vec![Vec::new(); self.homes.len()];
        let mut up = vec![Vec::new(); self.homes.len()];
        for edge in 0..self.edges.len() {
            let (from, to) = self.downward(edge);
            let (a, b) = (self.home_of[from], self.home_of[to]);
            if a != b {
                down[a].push(from);
                up[b].push(to);
            } else if from != to {
                within[a].push(edge);
            }
        }
        let homes = self.homes.iter().enumerate();
        homes
            .map(|(at, home)| self.inside(home, &within[at], &up[at], &down[at], hints))
            .collect()
    }

    fn inside(
        &self,
        home: &Home,
        within: &[usize],
        entering: &[usize],
        leaving: &[usize],
        hints: &[f64],
    ) -> Inside {
        let place: BTreeMap<usize, usize> = home
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (*node, at))
            .collect();
        let mut items: Vec<Item> = home
            .nodes
            .iter()
            .map(|node| self.item(*node, Pin::Free))
            .collect();
        let mut hint: Vec<f64> = home.nodes.iter().map(|node| hints[*node]).collect();
        let mut links = Vec::new();
        let mut edges = BTreeMap::new();
        let link = |from, to, label| Link {
            from,
            to,
            leaves: 0.0,
            enters: 0.0,
            label,
        };
        for &edge in within {
            let (from, to) = self.downward(edge);
            edges.insert(edge, links.len());
            links.push(link(place[&from], place[&to], self.label_room(edge)));
        }
        let (mut entries, mut exits) = (BTreeMap::new(), BTreeMap::new());
        if home.group.is_some() {
            let mut gates = |nodes: &[usize], pin: Pin, found: &mut BTreeMap<usize, usize>| {
                for node in nodes {
                    if !found.contains_key(node) {
                        found.insert(*node, links.len());
                        let (gate, node_at) = (items.len(), place[node]);
                        links.push(match pin {
                            Pin::First => link(gate, node_at, None),
                            _ => link(node_at, gate, None),
                        });
                        items.push(Item {
                            across: 4.0,
                            along: 0.0,
                            pin,
                        });
                        hint.push(hints[*node]);
                    }
                }
            };
            gates(entering, Pin::First, &mut entries);
            gates(leaving, Pin::Last, &mut exits);
        }
        let laid = lay(&items, &links, &hint, self.room() - 40.0);
        let (shift, size) = match home.group {
            Some(group) => self.padded(laid.size, &self.flow.groups[group].label),
            None => (Spot::default(), laid.size),
        };
        Inside {
            laid,
            shift,
            size,
            edges,
            entries,
            exits,
        }
    }

    /// The frame around a group: a strip for its name, and air.
    fn padded(&self, size: Spot, label: &str) -> (Spot, Spot) {
        let inner = match self.direction {
            Direction::Down => Point {
                x: size.across,
                y: size.along,
            },
            Direction::Right => Point {
                x: size.along,
                y: size.across,
            },
        };
        let name = (glyph::width(&glyph::clean(label), DETAIL) * 1.1).min(220.0) + 26.0;
        let outer = Point {
            x: (inner.x + 32.0).max(name),
            y: inner.y + 28.0 + 14.0,
        };
        let shift = Point {
            x: (outer.x - inner.x) / 2.0,
            y: 28.0,
        };
        (self.turned(shift), self.turned(outer))
    }
}

pub enum End {
    First,
    Last,
}

/// Where on the border of a frame a node's gate is, from the middle.
pub fn gate(inside: &Inside, gates: &BTreeMap<usize, usize>, node: usize, end: End) -> f64 {
    let route = gates
        .get(&node)
        .map(|route| &inside.laid.routes[*route].points);
    let spot = route.and_then(|points| match end {
        End::First => points.first(),
        End::Last => points.last(),
    });
    spot.map_or(0.0, |spot| {
        spot.across + inside.shift.across - inside.size.across / 2.0
    })
}
