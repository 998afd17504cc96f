//! Layers of a graph, with groups as frames: every group is laid out by itself, then frames and
//! single nodes are laid out as if each were a node. Lines pass a frame through gates on its border.

use std::collections::BTreeMap;

use super::curve::{Point, Tangent, smooth};
use super::frame::{End, Inside, gate};
use super::place::{Item, Laid, Link, Pin, Route, Spot, lay};
use super::scene::{Block, Frame, Scene, Tag, Wire};
use super::trace::{add, loop_path, moved, straightened};
use super::{Direction, Edge, Flow, rank};

/// How far a layer may reach across before it is wrapped.
const ROOM_DOWN: f64 = 860.0;
const ROOM_RIGHT: f64 = 620.0;
const TEXT: f64 = 168.0;

pub fn lay_out(flow: &Flow, direction: Direction) -> Scene {
    let plan = Plan::new(flow, direction);
    let stated: Vec<f64> = (0..flow.nodes.len()).map(|index| index as f64).collect();
    let mut hints = plan.hints(&stated);
    let mut best = plan.attempt(&hints);
    // Where groups meet, a group cannot know its best order before the others have theirs.
    let rounds = if plan.frames() && flow.fits() { 4 } else { 0 };
    let mut wishes = plan.pulled(&best);
    for _ in 0..rounds {
        let next = plan.hints(&wishes);
        // The next attempt would be the same, and so would all after it.
        if next == hints {
            break;
        }
        hints = next;
        let attempt = plan.attempt(&hints);
        wishes = plan.pulled(&attempt);
        if attempt.cost < best.cost {
            best = attempt;
        }
    }
    plan.scene(best)
}

/// What is to be laid out, before anything has a position.
pub struct Plan<'a> {
    pub flow: &'a Flow,
    pub direction: Direction,
    blocks: Vec<Block>,
    pub edges: Vec<Edge>,
    tags: Vec<Option<Tag>>,
    /// The outer items with their nodes, in the order of their first node.
    pub homes: Vec<Home>,
    pub home_of: Vec<usize>,
    /// For edges within a home and for edges between homes: whether it runs against the flow.
    against: Vec<bool>,
    /// By node: whether it has an edge to itself, which needs room beside it.
    loops: Vec<bool>,
    /// Of nodes within their homes, and of homes, before any is wrapped.
    layers: Vec<usize>,
    home_layers: Vec<usize>,
}

pub struct Home {
    pub group: Option<usize>,
    pub nodes: Vec<usize>,
}

/// The order in which the members of a layer would like to stand, as numbers: of a wish, nothing else counts.
#[derive(PartialEq)]
struct Hints {
    nodes: Vec<f64>,
    homes: Vec<f64>,
}

/// The place of each in the order of wishes among those of its row, from the middle of the row.
fn in_order(wishes: &[f64], row: impl Fn(usize) -> (usize, usize)) -> Vec<f64> {
    let mut all: Vec<usize> = (0..wishes.len()).collect();
    // Stable, so that those with the same wish keep the order they had.
    all.sort_by(|a, b| {
        row(*a)
            .cmp(&row(*b))
            .then(wishes[*a].total_cmp(&wishes[*b]))
    });
    let mut places = vec![0.0; wishes.len()];
    for row in all.chunk_by(|a, b| row(*a) == row(*b)) {
        let middle = (row.len() - 1) as f64 / 2.0;
        for (at, member) in row.iter().enumerate() {
            places[*member] = at as f64 - middle;
        }
    }
    places
}

/// A layout, and how far its lines go astray.
struct Attempt {
    nodes: Vec<Spot>,
    routes: Vec<Route>,
    frames: Vec<(usize, Spot, Spot)>,
    size: Spot,
    cost: f64,
}

impl<'a> Plan<'a> {
    fn new(flow: &'a Flow, direction: Direction) -> Plan<'a> {
        let blocks: Vec<Block> = flow
            .nodes
            .iter()
            .map(|node| Block::new(node, TEXT))
            .collect();
        let edges = flow.merged();
        let room = if direction == Direction::Down {
            150.0
        } else {
            104.0
        };
        let tag = |edge: &Edge| edge.label.as_deref().map(|label| Tag::new(label, room));
        let mut homes: Vec<Home> = Vec::new();
        let mut home_of = Vec::new();
        let mut by_group = BTreeMap::new();
        for (index, node) in flow.nodes.iter().enumerate() {
            let group = node.group.filter(|group| *group < flow.groups.len());
            let home = match group {
                Some(group) => *by_group.entry(group).or_insert(homes.len()),
                None => homes.len(),
            };
            if home == homes.len() {
                homes.push(Home {
                    group,
                    nodes: Vec::new(),
                });
            }
            homes[home].nodes.push(index);
            home_of.push(home);
        }
        let mut loops = vec![false; blocks.len()];
        for edge in edges.iter().filter(|edge| edge.from == edge.to) {
            loops[edge.from] = true;
        }
        let mut plan = Plan {
            flow,
            direction,
            blocks,
            tags: edges.iter().map(tag).collect(),
            against: vec![false; edges.len()],
            edges,
            homes,
            home_of,
            loops,
            layers: Vec::new(),
            home_layers: Vec::new(),
        };
        plan.turn();
        plan
    }

    /// Cycles are cut between homes and within each, so that frames keep their order.
    fn turn(&mut self) {
        let (mut within, mut between) = (Vec::new(), Vec::new());
        for (at, edge) in self.edges.iter().enumerate() {
            let (from, to) = (self.home_of[edge.from], self.home_of[edge.to]);
            match from == to {
                true => within.push((at, (edge.from, edge.to))),
                false => between.push((at, (from, to))),
            }
        }
        self.layers = self.layers_of(self.blocks.len(), within);
        self.home_layers = self.layers_of(self.homes.len(), between);
    }

    /// The layers of items, by edges with the items that they link; turns those that run against the flow.
    fn layers_of(&mut self, items: usize, edges: Vec<(usize, (usize, usize))>) -> Vec<usize> {
        let (edges, mut links): (Vec<usize>, Vec<(usize, usize)>) = edges.into_iter().unzip();
        let turned = rank::turned(items, &links);
        for ((edge, link), turned) in edges.iter().zip(&mut links).zip(turned) {
            self.against[*edge] = turned;
            if turned {
                *link = (link.1, link.0);
            }
        }
        links.retain(|(from, to)| from != to);
        rank::ranks(items, &links)
    }

    fn frames(&self) -> bool {
        self.homes.iter().any(|home| home.group.is_some())
    }

    /// From the earlier to the later layer.
    pub fn downward(&self, edge: usize) -> (usize, usize) {
        let Edge { from, to, .. } = self.edges[edge];
        if self.against[edge] {
            (to, from)
        } else {
            (from, to)
        }
    }

    /// What fits a laptop; large graphs are zoomed into, and rather square than long.
    pub fn room(&self) -> f64 {
        let square = (self.blocks.len() as f64).sqrt();
        match self.direction {
            Direction::Down => ROOM_DOWN.max(square * 110.0),
            Direction::Right => ROOM_RIGHT.max(square * 60.0),
        }
    }

    pub fn turned(&self, size: Point) -> Spot {
        match self.direction {
            Direction::Down => Spot {
                across: size.x,
                along: size.y,
            },
            Direction::Right => Spot {
                across: size.y,
                along: size.x,
            },
        }
    }

    pub fn item(&self, node: usize, pin: Pin) -> Item {
        let size = self.turned(self.blocks[node].size);
        let room = if self.loops[node] { 52.0 } else { 0.0 };
        Item {
            across: size.across + room,
            along: size.along,
            pin,
        }
    }

    pub fn label_room(&self, edge: usize) -> Option<Spot> {
        self.tags[edge].as_ref().map(|tag| self.turned(tag.size))
    }

    /// From where every node would like to be.
    fn hints(&self, wishes: &[f64]) -> Hints {
        let mean = |home: &Home| {
            home.nodes.iter().map(|node| wishes[*node]).sum::<f64>() / home.nodes.len() as f64
        };
        let means: Vec<f64> = self.homes.iter().map(mean).collect();
        Hints {
            nodes: in_order(wishes, |node| (self.home_of[node], self.layers[node])),
            homes: in_order(&means, |home| (0, self.home_layers[home])),
        }
    }

    fn attempt(&self, hints: &Hints) -> Attempt {
        let insides: Vec<Inside> = self.insides(&hints.nodes);
        let pin = |home: &Home| {
            if home.group.is_some() {
                Pin::Gated
            } else {
                Pin::Free
            }
        };
        let items = self
            .homes
            .iter()
            .zip(&insides)
            .map(|(home, inside)| match home.group {
                None => self.item(home.nodes[0], pin(home)),
                Some(_) => Item {
                    across: inside.size.across,
                    along: inside.size.along,
                    pin: pin(home),
                },
            });
        let items: Vec<Item> = items.collect();
        let mut links = Vec::new();
        let mut link_of = BTreeMap::new();
        for edge in 0..self.edges.len() {
            let (from, to) = self.downward(edge);
            let (a, b) = (self.home_of[from], self.home_of[to]);
            if a != b {
                link_of.insert(edge, links.len());
                let leaves = gate(&insides[a], &insides[a].exits, from, End::Last);
                let enters = gate(&insides[b], &insides[b].entries, to, End::First);
                let label = self.label_room(edge);
                links.push(Link {
                    from: a,
                    to: b,
                    leaves,
                    enters,
                    label,
                });
            }
        }
        let outer = self.narrow(&items, &links, &hints.homes);
        self.assemble(&insides, &outer, &link_of)
    }

    /// Lines need room beside the nodes, how much shows only afterwards: layers are wrapped more
    /// until it fits.
    fn narrow(&self, items: &[Item], links: &[Link], hints: &[f64]) -> Laid {
        let mut best = lay(items, links, hints, self.room());
        let most = self.room() * 1.25;
        for share in [0.8, 0.65] {
            if best.size.across <= most || self.blocks.len() > 100 {
                break;
            }
            let next = lay(items, links, hints, self.room() * share);
            if next.size.across < best.size.across {
                best = next;
            }
        }
        best
    }

    fn assemble(
        &self,
        insides: &[Inside],
        outer: &Laid,
        link_of: &BTreeMap<usize, usize>,
    ) -> Attempt {
        let corners = outer
            .items
            .iter()
            .zip(insides)
            .map(|(middle, inside)| Spot {
                across: middle.across - inside.size.across / 2.0,
                along: middle.along - inside.size.along / 2.0,
            });
        let corners: Vec<Spot> = corners.collect();
        let mut nodes = vec![Spot::default(); self.blocks.len()];
        let mut frames = Vec::new();
        for (at, home) in self.homes.iter().enumerate() {
            for (spot, node) in insides[at].laid.items.iter().zip(&home.nodes) {
                nodes[*node] = add(*spot, add(corners[at], insides[at].shift));
            }
            match home.group {
                Some(group) => frames.push((group, corners[at], insides[at].size)),
                None => nodes[home.nodes[0]] = outer.items[at],
            }
        }
        let inner_route = |home: usize, route: Option<&usize>| {
            let inside = &insides[home];
            let route = route.and_then(|route| inside.laid.routes.get(*route));
            moved(route, add(corners[home], inside.shift))
        };
        let mut routes = Vec::new();
        let mut cost = 0.0;
        for edge in 0..self.edges.len() {
            let (from, to) = self.downward(edge);
            let (a, b) = (self.home_of[from], self.home_of[to]);
            let mut route = match link_of.get(&edge) {
                None => inner_route(a, insides[a].edges.get(&edge)),
                Some(link) => {
                    let mut whole = inner_route(a, insides[a].exits.get(&from));
                    let between = &outer.routes[*link];
                    whole.points.extend(&between.points);
                    whole
                        .points
                        .extend(inner_route(b, insides[b].entries.get(&to)).points);
                    whole.label = between.label;
                    whole
                }
            };
            let steps = route.points.windows(2);
            cost += steps
                .map(|pair| (pair[0].across - pair[1].across).abs())
                .sum::<f64>();
            if self.against[edge] {
                route.points.reverse();
            }
            routes.push(route);
        }
        Attempt {
            nodes,
            routes,
            frames,
            size: outer.size,
            cost,
        }
    }

    /// Where every node would like to be, seen from its neighbours.
    fn pulled(&self, attempt: &Attempt) -> Vec<f64> {
        let mut sums: Vec<(f64, f64)> = attempt
            .nodes
            .iter()
            .map(|spot| (spot.across * 0.3, 0.3))
            .collect();
        for edge in &self.edges {
            for (node, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
                sums[node].0 += attempt.nodes[other].across;
                sums[node].1 += 1.0;
            }
        }
        sums.iter().map(|(sum, weight)| sum / weight).collect()
    }

    fn scene(self, attempt: Attempt) -> Scene {
        let direction = self.direction;
        let point = |spot: Spot| match direction {
            Direction::Down => Point {
                x: spot.across,
                y: spot.along,
            },
            Direction::Right => Point {
                x: spot.along,
                y: spot.across,
            },
        };
        let tangent = match direction {
            Direction::Down => Tangent::Vertical,
            Direction::Right => Tangent::Horizontal,
        };
        let sizes: Vec<Spot> = self
            .blocks
            .iter()
            .map(|block| self.turned(block.size))
            .collect();
        let wires = self.edges.iter().zip(self.tags).zip(&attempt.routes);
        let wires = wires.map(|((edge, tag), route)| {
            if edge.from == edge.to {
                let path = loop_path(attempt.nodes[edge.from], sizes[edge.from], &point);
                let title = edge.label.clone();
                return Wire {
                    path,
                    line: edge.line,
                    tag: None,
                    title,
                };
            }
            let points: Vec<Point> = straightened(&route.points).into_iter().map(point).collect();
            let at = route.label.map(point);
            let title = if at.is_none() {
                edge.label.clone()
            } else {
                None
            };
            Wire {
                path: smooth(&points, tangent),
                line: edge.line,
                tag: at.zip(tag),
                title,
            }
        });
        let frames = attempt.frames.iter().map(|(group, corner, size)| Frame {
            at: point(*corner),
            size: point(*size),
            label: self.flow.groups[*group].label.clone(),
        });
        let places = attempt.nodes.iter().map(|spot| point(*spot));
        Scene {
            size: point(attempt.size),
            frames: frames.collect(),
            wires: wires.collect(),
            blocks: places.zip(self.blocks).collect(),
        }
    }
}
