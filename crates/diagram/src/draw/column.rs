//! One side of a neighbourhood: blocks in one or more columns, and the line from each to the centre.

use super::super::flow::Arrow;
use super::super::{Flow, FlowAuthor, FlowNode};
use super::block::{EdgeLabel, TextBlock};
use super::curve::Point;
use super::glyph::TextRoom;

const WIDTH: f64 = 812.0;
pub const GAP: f64 = 64.0;
/// Gap between the columns of one side.
const SUB_GAP: f64 = 28.0;
const ROW_GAP: f64 = 12.0;
/// Gap between the rows of several columns, where lines pass.
const LANE: f64 = 18.0;
pub const ROWS: usize = 12;
pub const COLUMNS: usize = 3;

/// One side before its text is measured.
pub struct Column {
    pub nodes: Vec<usize>,
    pub columns: usize,
}

impl Column {
    pub fn new(nodes: Vec<usize>) -> Column {
        let columns = nodes.len().div_ceil(ROWS);
        Column { nodes, columns }
    }

    /// Shortens the labels of the edges to the centre, and returns their width. Several columns leave no room, so
    /// labels are shown on hover.
    pub fn label(&self, centre: usize, edges: &[Arrow], tags: &mut [Option<EdgeLabel>]) -> f64 {
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
                *tag = edge
                    .label
                    .as_deref()
                    .map(|label| EdgeLabel::new(label, 108.0, FlowAuthor::Generated));
                room = room.max(tag.as_ref().map_or(0.0, |tag| tag.size.x + 12.0));
            }
        }
        room
    }

    pub fn place(self, flow: &Flow, text: f64) -> Side {
        let mut blocks: Vec<TextBlock> = self
            .nodes
            .iter()
            .map(|node| block(&flow.nodes[*node], text))
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

/// Breaks the text of a node; `room` is the maximum width of a line.
pub fn block(node: &FlowNode, room: f64) -> TextBlock {
    let origin = FlowAuthor::Generated;
    TextBlock::within(node, TextRoom { wide: room, origin })
}

/// The width left for the text of one block.
pub fn text_room(left: &Column, right: &Column) -> f64 {
    let columns = left.columns + right.columns + 1;
    let gaps = [left, right].map(|side| match side.columns {
        0 => 0.0,
        1 => GAP + 84.0,
        count => GAP + SUB_GAP * (count as f64 - 1.0),
    });
    let each = (WIDTH - gaps[0] - gaps[1] - 24.0 * columns as f64) / columns as f64;
    each.clamp(60.0, 164.0)
}

/// One side with its blocks; the first column is next to the centre.
pub struct Side {
    pub nodes: Vec<usize>,
    pub columns: usize,
    pub blocks: Vec<TextBlock>,
    pub spots: Vec<Point>,
    pub size: Point,
    rows: usize,
    pitch: f64,
    /// Away from the centre: to the right, or mirrored to the left.
    pub outward: f64,
}

impl Side {
    pub fn mirror(&mut self) {
        for spot in &mut self.spots {
            spot.x = self.size.x - spot.x;
        }
        self.outward = -1.0;
    }

    pub fn shift(&mut self, x: f64, y: f64) {
        for spot in &mut self.spots {
            spot.x += x;
            spot.y += y;
        }
    }

    pub fn find(&self, node: usize) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// The room for lines between two blocks of this side.
    pub fn outer_lines(&self, edges: &[Arrow]) -> f64 {
        let here = |node| self.find(node).is_some();
        let mut edges = edges.iter().filter(|edge| edge.from != edge.to);
        if edges.any(|edge| here(edge.from) && here(edge.to)) {
            30.0
        } else {
            0.0
        }
    }

    /// The points from a block to the column at the centre, between the rows of the columns it passes.
    pub fn route_to_centre(&self, at: usize) -> Vec<Point> {
        let spot = self.spots[at];
        let half = self.blocks[at].size.x / 2.0;
        let column = at / self.rows;
        let mut way = vec![Point {
            x: spot.x - self.outward * half,
            y: spot.y,
        }];
        for passed in (0..column).rev() {
            let first = self.spots[passed * self.rows];
            // Lines of the third column run beside those of the second.
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
