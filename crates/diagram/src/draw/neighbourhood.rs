//! A node between its dependents and dependencies, in columns. Thousands of pages have one, so positions are computed
//! directly, without a search.

use super::super::flow::Arrow;
use super::super::{Direction, Flow, FlowEdge, FlowNode, Line, NodeClass, Port};
use super::block::EdgeLabel;
use super::column::{COLUMNS, Column, GAP, ROWS, Side, block, text_room};
use super::curve::{Point, Tangent, bend, smooth};
use super::layered;
use super::scene::{Scene, Wire};
use super::settle::{STEP, beside};

pub fn lay_out(flow: &Flow, centre: usize) -> Scene {
    if centre >= flow.nodes.len() {
        return layered::lay_out(flow, Direction::Right);
    }
    let edges = node_arrows(flow);
    let sides = sides(flow, centre, &edges);
    let most = most_columns(&sides).map(|columns| columns * ROWS);
    if sides[0].len() > most[0] || sides[1].len() > most[1] {
        let flow = condensed(flow, centre, &sides, most);
        let edges = node_arrows(&flow);
        let sides = self::sides(&flow, 0, &edges);
        return draw(&flow, 0, &edges, sides);
    }
    draw(flow, centre, &edges, sides)
}

/// The edges between nodes: a neighbourhood has no groups.
fn node_arrows(flow: &Flow) -> Vec<Arrow> {
    let mut arrows = flow.arrows();
    arrows.retain(|arrow| arrow.from.max(arrow.to) < flow.nodes.len());
    arrows
}

/// Two columns on each side, or three where the other side has at most one.
fn most_columns(sides: &[Vec<usize>; 2]) -> [usize; 2] {
    let most = |other: &Vec<usize>| {
        if other.len() <= ROWS {
            COLUMNS
        } else {
            COLUMNS - 1
        }
    };
    [most(&sides[1]), most(&sides[0])]
}

/// The flow with one node for all that a side has no room for. The centre comes first.
fn condensed(flow: &Flow, centre: usize, sides: &[Vec<usize>; 2], most: [usize; 2]) -> Flow {
    let mut nodes = vec![flow.nodes[centre].clone()];
    let mut place = vec![0; flow.nodes.len()];
    let mut stand_in = vec![false];
    for (side, most) in sides.iter().zip(most) {
        let shown = if side.len() > most {
            most - 1
        } else {
            side.len()
        };
        for &node in &side[..shown] {
            place[node] = nodes.len();
            nodes.push(flow.nodes[node].clone());
        }
        if side.len() > shown {
            for &node in &side[shown..] {
                place[node] = nodes.len();
            }
            stand_in.resize(nodes.len(), false);
            stand_in.push(true);
            let label = format!("{} more", side.len() - shown);
            nodes.push(FlowNode::new(label, NodeClass::More));
        }
    }
    stand_in.resize(nodes.len(), false);
    let edges = flow.edges.iter().filter_map(|edge| {
        let (Port::Node(from), Port::Node(to)) = (edge.from, edge.to) else {
            return None;
        };
        let (from, to) = (*place.get(from)?, *place.get(to)?);
        match stand_in[from] || stand_in[to] {
            true if from == to || (from != 0 && to != 0) => None,
            true => Some(FlowEdge {
                line: Line::Dashed,
                ..FlowEdge::new(from, to)
            }),
            false => Some(FlowEdge {
                from: from.into(),
                to: to.into(),
                ..edge.clone()
            }),
        }
    });
    let edges = edges.collect();
    Flow {
        nodes,
        groups: Vec::new(),
        edges,
        layout: flow.layout,
        origin: flow.origin,
    }
}

fn draw(flow: &Flow, centre: usize, edges: &[Arrow], sides: [Vec<usize>; 2]) -> Scene {
    let [left, right] = sides.map(Column::new);
    let text = text_room(&left, &right);
    let mut middle = block(&flow.nodes[centre], text.max(150.0));
    // Tall enough for every arrow head to be seen.
    let arrivals = left.nodes.len().max(right.nodes.len()) as f64;
    middle.size.y = middle.size.y.max((arrivals * 9.0 + 16.0).min(200.0));
    let mut tags: Vec<Option<EdgeLabel>> = edges.iter().map(|_| None).collect();
    let runs = [&left, &right].map(|side| side.label(centre, edges, &mut tags));
    let mut left = left.place(flow, text);
    let mut right = right.place(flow, text);
    let outer = [&left, &right].map(|side| side.outer_lines(edges));
    let gap = |side: &Side, run: f64| {
        if side.blocks.is_empty() {
            0.0
        } else {
            GAP + run
        }
    };
    let high = [left.size.y, middle.size.y, right.size.y]
        .into_iter()
        .fold(0.0, f64::max);
    let middle_x = outer[0] + left.size.x + gap(&left, runs[0]);
    let right_x = middle_x + middle.size.x + gap(&right, runs[1]);
    left.mirror();
    left.shift(outer[0], (high - left.size.y) / 2.0);
    right.shift(right_x, (high - right.size.y) / 2.0);
    let centre_at = Point {
        x: middle_x + middle.size.x / 2.0,
        y: high / 2.0,
    };
    let mut cyclic = vec![false; left.nodes.len()];
    for edge in edges.iter().filter(|edge| edge.from == centre) {
        if let Some(at) = left.find(edge.to) {
            cyclic[at] = true;
        }
    }
    let picture = Picture {
        centre,
        centre_at,
        size: middle.size,
        sides: [left, right],
        cyclic,
        runs,
    };
    let wires = picture.wires(edges, tags);
    let mut blocks = vec![(centre_at, middle)];
    let [left, right] = picture.sides;
    let size = Point {
        x: right_x + right.size.x + outer[1],
        y: high,
    };
    for side in [left, right] {
        blocks.extend(side.spots.into_iter().zip(side.blocks));
    }
    Scene {
        size,
        frames: Vec::new(),
        wires,
        blocks,
    }
}

/// The nodes before and after the centre, in the order given. A node on both sides, as in a cycle, comes before; one
/// that only neighbours know is beside them.
fn sides(flow: &Flow, centre: usize, edges: &[Arrow]) -> [Vec<usize>; 2] {
    let mut before = vec![None; flow.nodes.len()];
    for edge in edges.iter().filter(|edge| edge.from == centre) {
        before[edge.to] = Some(false);
    }
    for edge in edges.iter().filter(|edge| edge.to == centre) {
        before[edge.from] = Some(true);
    }
    for edge in edges {
        match (before[edge.from], before[edge.to]) {
            (None, known) if edge.from != centre => before[edge.from] = known,
            (known, None) if edge.to != centre => before[edge.to] = known,
            _ => {}
        }
    }
    let others = (0..flow.nodes.len()).filter(|node| *node != centre);
    let (left, right) = others.partition(|node| before[*node] == Some(true));
    [left, right]
}

struct Picture {
    centre: usize,
    centre_at: Point,
    size: Point,
    sides: [Side; 2],
    /// For the blocks before the centre: whether the centre points back.
    cyclic: Vec<bool>,
    /// How far lines run straight beside the blocks, under their labels.
    runs: [f64; 2],
}

impl Picture {
    fn wires(&self, edges: &[Arrow], mut tags: Vec<Option<EdgeLabel>>) -> Vec<Wire> {
        let mut wires = Vec::new();
        let ends = self.ends(edges);
        for (index, edge) in edges.iter().enumerate() {
            let tag = tags[index].take();
            let full = tag.is_none().then(|| edge.label.clone()).flatten();
            let wire = |path, tag: Option<(Point, EdgeLabel)>, title| Wire {
                path,
                line: edge.line,
                tips: edge.tips,
                tags: tag.into_iter().collect(),
                title,
            };
            match (self.find(edge.from), self.find(edge.to)) {
                _ if edge.from == edge.to => {
                    if let Some((at, size)) = self.spot(edge.from) {
                        wires.push(wire(own_loop(at, size), None, edge.label.clone()));
                    }
                }
                (Some((side, at)), None) if edge.to == self.centre => {
                    let (path, middle) = self.line(side, at, ends[index], Toward::Centre);
                    wires.push(wire(path, tag.map(|tag| (middle, tag)), full));
                }
                (None, Some((side, at))) if edge.from == self.centre => {
                    let (path, middle) = self.line(side, at, ends[index], Toward::Block);
                    wires.push(wire(path, tag.map(|tag| (middle, tag)), full));
                }
                (Some(from), Some(to)) => wires.push(wire(self.between(from, to), None, full)),
                _ => {}
            }
        }
        wires
    }

    fn find(&self, node: usize) -> Option<(usize, usize)> {
        let on = |side: usize| self.sides[side].find(node).map(|at| (side, at));
        on(0).or_else(|| on(1))
    }

    fn spot(&self, node: usize) -> Option<(Point, Point)> {
        if node == self.centre {
            return Some((self.centre_at, self.size));
        }
        let (side, at) = self.find(node)?;
        Some((self.sides[side].spots[at], self.sides[side].blocks[at].size))
    }

    /// For every edge, the position of its end on the centre's side.
    fn ends(&self, edges: &[Arrow]) -> Vec<f64> {
        let mut lines = [Vec::new(), Vec::new()];
        for (index, edge) in edges.iter().enumerate() {
            let other = if edge.from == self.centre {
                edge.to
            } else {
                edge.from
            };
            let own = edge.from == self.centre || edge.to == self.centre;
            if let Some((side, at)) = self.find(other).filter(|_| own) {
                let nearest = self.sides[side]
                    .route_to_centre(at)
                    .last()
                    .map_or(0.0, |point| point.y);
                lines[side].push((nearest, index));
            }
        }
        let mut ends = vec![0.0; edges.len()];
        for lines in &mut lines {
            for (edge, offset) in beside(lines, self.size.y, STEP) {
                ends[edge] = offset;
            }
        }
        ends
    }

    /// The line between a block and the centre, and the middle of its label.
    fn line(&self, side: usize, at: usize, end: f64, toward: Toward) -> (String, Point) {
        let (here, run) = (&self.sides[side], self.runs[side]);
        let mut points = here.route_to_centre(at);
        // In a cycle, the two lines and their labels keep apart.
        if side == 0 && self.cyclic[at] {
            points[0].y += match toward {
                Toward::Centre => -9.0,
                Toward::Block => 9.0,
            };
        }
        let start = points[0];
        if run > 0.0 {
            points.push(Point {
                x: start.x - here.outward * run,
                y: start.y,
            });
        }
        points.push(Point {
            x: self.centre_at.x + here.outward * self.size.x / 2.0,
            y: self.centre_at.y + end,
        });
        let middle = Point {
            x: start.x - here.outward * (run / 2.0 + head(toward)),
            y: start.y,
        };
        if matches!(toward, Toward::Block) {
            points.reverse();
        }
        (smooth(&points, Tangent::Horizontal), middle)
    }

    /// The line between two neighbours: outside a column, or behind the centre.
    fn between(&self, from: (usize, usize), to: (usize, usize)) -> String {
        let end = |(side, at): (usize, usize), out: f64| {
            let here = &self.sides[side];
            let half = here.blocks[at].size.x / 2.0;
            Point {
                x: here.spots[at].x + here.outward * out * half,
                y: here.spots[at].y,
            }
        };
        if from.0 != to.0 {
            return smooth(&[end(from, -1.0), end(to, -1.0)], Tangent::Horizontal);
        }
        let (a, b) = (end(from, 1.0), end(to, 1.0));
        let reach = self.sides[from.0].outward * 36.0;
        let far = |point: Point| Point {
            x: point.x + reach,
            y: point.y,
        };
        bend(a, far(a), far(b), b)
    }
}

#[derive(Clone, Copy)]
enum Toward {
    Centre,
    Block,
}

/// A label leaves the arrow head free.
fn head(toward: Toward) -> f64 {
    match toward {
        Toward::Centre => 0.0,
        Toward::Block => 5.0,
    }
}

fn own_loop(at: Point, size: Point) -> String {
    let top = at.y - size.y / 2.0;
    let point = |x: f64, y: f64| Point { x: at.x + x, y };
    bend(
        point(-9.0, top),
        point(-16.0, top - 14.0),
        point(16.0, top - 14.0),
        point(9.0, top),
    )
}
