//! A node between what points at it and what it points at, in columns. Thousands of pages have
//! one, so positions are simply computed: no search for anything better.

use super::curve::{Point, Tangent, bend, smooth};
use super::layered;
use super::place::beside;
use super::scene::{Block, Scene, Tag, Wire};
use super::{Class, Direction, Edge, Flow, Line, Node};

const WIDTH: f64 = 868.0;
const GAP: f64 = 64.0;
/// Between the columns of one side.
const SUB_GAP: f64 = 28.0;
const ROW_GAP: f64 = 12.0;
/// Between the rows of several columns, where lines pass.
const LANE: f64 = 18.0;
const ROWS: usize = 12;
const COLUMNS: usize = 3;

pub fn lay_out(flow: &Flow, centre: usize) -> Scene {
    if centre >= flow.nodes.len() {
        return layered::lay_out(flow, Direction::Right);
    }
    let edges = flow.merged();
    let sides = sides(flow, centre, &edges);
    let most = most_columns(&sides).map(|columns| columns * ROWS);
    if sides[0].len() > most[0] || sides[1].len() > most[1] {
        return draw(&condensed(flow, centre, &sides, most), 0);
    }
    draw(flow, centre)
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

/// With one node for all that a side has no room for. The centre comes first.
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
            nodes.push(Node {
                label,
                detail: None,
                href: None,
                class: Class::More,
                group: None,
            });
        }
    }
    stand_in.resize(nodes.len(), false);
    let known = flow
        .edges
        .iter()
        .filter(|edge| edge.from.max(edge.to) < place.len());
    let edges = known.filter_map(|edge| {
        let (from, to) = (place[edge.from], place[edge.to]);
        match stand_in[from] || stand_in[to] {
            true if from == to || (from != 0 && to != 0) => None,
            true => Some(Edge {
                from,
                to,
                label: None,
                line: Line::Dashed,
            }),
            false => Some(Edge {
                from,
                to,
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
    }
}

fn draw(flow: &Flow, centre: usize) -> Scene {
    let edges = flow.merged();
    let [left, right] = sides(flow, centre, &edges).map(Column::new);
    let text = text_room(&left, &right);
    let mut middle = Block::new(&flow.nodes[centre], text.max(130.0));
    // Tall enough for every arrow head to be seen.
    let arrivals = left.nodes.len().max(right.nodes.len()) as f64;
    middle.size.y = middle.size.y.max((arrivals * 9.0 + 16.0).min(200.0));
    let mut tags: Vec<Option<Tag>> = edges.iter().map(|_| None).collect();
    let runs = [&left, &right].map(|side| side.label(centre, &edges, &mut tags));
    let mut left = left.place(flow, text);
    let mut right = right.place(flow, text);
    let outer = [&left, &right].map(|side| side.outer_lines(&edges));
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
    let picture = Picture {
        centre,
        centre_at,
        size: middle.size,
        sides: [left, right],
        runs,
    };
    let wires = picture.wires(&edges, tags);
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

/// What comes before the centre and what after it, in the order given. A node that is both, as in
/// a cycle, comes before; one that only neighbours know stands beside them.
fn sides(flow: &Flow, centre: usize, edges: &[Edge]) -> [Vec<usize>; 2] {
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

/// One side before its text is measured.
struct Column {
    nodes: Vec<usize>,
    columns: usize,
}

impl Column {
    fn new(nodes: Vec<usize>) -> Column {
        let columns = nodes.len().div_ceil(ROWS);
        Column { nodes, columns }
    }

    /// Shortens the labels of the edges to the centre; the room that they take. With several
    /// columns there is none, and they are shown on hover.
    fn label(&self, centre: usize, edges: &[Edge], tags: &mut [Option<Tag>]) -> f64 {
        let mut room: f64 = 0.0;
        if self.columns != 1 {
            return room;
        }
        for (edge, tag) in edges.iter().zip(tags) {
            let other = if edge.from == centre {
                edge.to
            } else {
                edge.from
            };
            let own = edge.to == centre || edge.from == centre;
            if own && self.nodes.binary_search(&other).is_ok() {
                *tag = edge.label.as_deref().map(|label| Tag::new(label, 96.0));
                room = room.max(tag.as_ref().map_or(0.0, |tag| tag.size.x + 12.0));
            }
        }
        room
    }

    fn place(self, flow: &Flow, text: f64) -> Side {
        let mut blocks: Vec<Block> = self
            .nodes
            .iter()
            .map(|node| Block::new(&flow.nodes[*node], text))
            .collect();
        let wide = blocks.iter().map(|block| block.size.x).fold(0.0, f64::max);
        let tall = blocks.iter().map(|block| block.size.y).fold(0.0, f64::max);
        let rows = blocks.len().div_ceil(self.columns.max(1)).max(1);
        let mut spots = Vec::new();
        let mut size = Point::default();
        for (at, block) in blocks.iter_mut().enumerate() {
            block.size.x = wide;
            let (column, row) = (at / rows, at % rows);
            let x = column as f64 * (wide + SUB_GAP) + wide / 2.0;
            let y = match self.columns {
                1 => size.y + block.size.y / 2.0,
                // Every other column is half a row lower, so that its lines pass between the rows.
                _ => (row as f64 + 0.5 * (column % 2) as f64) * (tall + LANE) + tall / 2.0,
            };
            spots.push(Point { x, y });
            size.x = size.x.max(x + wide / 2.0);
            let below = if self.columns == 1 {
                block.size.y / 2.0 + ROW_GAP
            } else {
                tall / 2.0
            };
            size.y = size.y.max(y + below);
        }
        if self.columns == 1 {
            size.y -= ROW_GAP;
        }
        let (nodes, columns) = (self.nodes, self.columns);
        Side {
            nodes,
            columns,
            blocks,
            spots,
            size,
            rows,
            pitch: tall + LANE,
            outward: 1.0,
        }
    }
}

/// What is left of the width for the text of one block.
fn text_room(left: &Column, right: &Column) -> f64 {
    let columns = left.columns + right.columns + 1;
    let gaps = [left, right].map(|side| match side.columns {
        0 => 0.0,
        1 => GAP + 60.0,
        count => GAP + SUB_GAP * (count as f64 - 1.0),
    });
    let each = (WIDTH - gaps[0] - gaps[1] - 24.0 * columns as f64) / columns as f64;
    each.clamp(60.0, 164.0)
}

/// One side with its blocks; the first column is the one at the centre.
struct Side {
    nodes: Vec<usize>,
    columns: usize,
    blocks: Vec<Block>,
    spots: Vec<Point>,
    size: Point,
    rows: usize,
    pitch: f64,
    /// Away from the centre: to the right, or mirrored to the left.
    outward: f64,
}

impl Side {
    fn mirror(&mut self) {
        for spot in &mut self.spots {
            spot.x = self.size.x - spot.x;
        }
        self.outward = -1.0;
    }

    fn shift(&mut self, x: f64, y: f64) {
        for spot in &mut self.spots {
            spot.x += x;
            spot.y += y;
        }
    }

    fn find(&self, node: usize) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// The room for lines between two blocks of this side.
    fn outer_lines(&self, edges: &[Edge]) -> f64 {
        let here = |node| self.find(node).is_some();
        let mut edges = edges.iter().filter(|edge| edge.from != edge.to);
        if edges.any(|edge| here(edge.from) && here(edge.to)) {
            30.0
        } else {
            0.0
        }
    }

    /// The way from a block to the column at the centre: between the rows of the columns it passes.
    fn way(&self, at: usize) -> Vec<Point> {
        let spot = self.spots[at];
        let half = self.blocks[at].size.x / 2.0;
        let column = at / self.rows;
        let mut way = vec![Point {
            x: spot.x - self.outward * half,
            y: spot.y,
        }];
        for passed in (0..column).rev() {
            let first = self.spots[passed * self.rows];
            // Lines of the third column keep beside those of the second.
            let aside = match (self.columns, column) {
                (3, 2) => 4.0,
                (3, _) => -4.0,
                _ => 0.0,
            };
            let lane = ((spot.y - first.y) / self.pitch - 0.5).round();
            let y = first.y + (lane + 0.5) * self.pitch + aside;
            way.push(Point {
                x: first.x + self.outward * (half + 4.0),
                y,
            });
            way.push(Point {
                x: first.x - self.outward * half,
                y,
            });
        }
        way
    }
}

struct Picture {
    centre: usize,
    centre_at: Point,
    size: Point,
    sides: [Side; 2],
    /// How far lines run straight beside the blocks, under their labels.
    runs: [f64; 2],
}

impl Picture {
    fn wires(&self, edges: &[Edge], mut tags: Vec<Option<Tag>>) -> Vec<Wire> {
        let mut wires = Vec::new();
        let ends = self.ends(edges);
        for (index, edge) in edges.iter().enumerate() {
            let tag = tags[index].take();
            let full = tag.is_none().then(|| edge.label.clone()).flatten();
            let wire = |path, tag, title| Wire {
                path,
                line: edge.line,
                tag,
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

    /// For every edge, where on the centre's side it ends.
    fn ends(&self, edges: &[Edge]) -> Vec<f64> {
        let mut lines = [Vec::new(), Vec::new()];
        for (index, edge) in edges.iter().enumerate() {
            let other = if edge.from == self.centre {
                edge.to
            } else {
                edge.from
            };
            if edge.from == self.centre || edge.to == self.centre {
                if let Some((side, at)) = self.find(other) {
                    let nearest = self.sides[side].way(at).last().map_or(0.0, |point| point.y);
                    lines[side].push((nearest, index));
                }
            }
        }
        let mut ends = vec![0.0; edges.len()];
        for lines in &mut lines {
            for (edge, offset) in beside(lines, self.size.y) {
                ends[edge] = offset;
            }
        }
        ends
    }

    /// The line between a block and the centre, and the middle of its label.
    fn line(&self, side: usize, at: usize, end: f64, toward: Toward) -> (String, Point) {
        let (here, run) = (&self.sides[side], self.runs[side]);
        let mut points = here.way(at);
        // A line back, in a cycle, keeps clear of the line forth.
        let back = matches!((toward, side), (Toward::Block, 0));
        if back {
            points[0].y += 8.0;
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

    /// A line between two neighbours: outside of a column, or behind the centre.
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
