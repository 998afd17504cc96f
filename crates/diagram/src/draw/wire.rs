//! Turns a finished layout into a scene: lines with labels, frames and blocks.

use super::super::Direction;
use super::super::flow::Arrow;
use super::block::EdgeLabel;
use super::curve::{Point, Tangent, smooth};
use super::frame::Inside;
use super::layered::{Attempt, Plan};
use super::place::{Labels, Spot};
use super::scene::{GroupFrame, Scene, Wire};
use super::shape;
use super::trace::{SelfLoop, straightened};

impl Plan<'_> {
    /// The points of an edge, and the middles of its labels.
    fn route(&self, attempt: &Attempt, edge: usize) -> (Vec<Point>, Labels<Point>) {
        let (span, from, to) = self.downward(edge);
        let mut points = Vec::new();
        let mut add = |scope: usize, find: &dyn Fn(&Inside) -> Option<usize>| {
            let inside = attempt.insides[scope].as_ref()?;
            let route = &inside.laid.routes[find(inside)?];
            let point = |spot: &Spot| inside.point(*spot, attempt.corners[scope]);
            points.extend(route.points.iter().map(point));
            Some(route.labels.map(|label| label.as_ref().map(point)))
        };
        for scope in self.tree.crossed(from, span.from) {
            add(scope, &|inside| inside.exits.get(&from).copied());
        }
        let labels = add(span.scope, &|inside| inside.edges.get(&edge).copied());
        let entered: Vec<usize> = self.tree.crossed(to, span.to).collect();
        for scope in entered.into_iter().rev() {
            add(scope, &|inside| inside.entries.get(&to).copied());
        }
        let mut labels = labels.unwrap_or_default();
        if self.against[edge] {
            points.reverse();
            labels.reverse();
        }
        self.meet(
            &mut points,
            self.arrows[edge].from,
            attempt,
            EndOfLine::First,
        );
        self.meet(&mut points, self.arrows[edge].to, attempt, EndOfLine::Last);
        (points, labels)
    }

    /// Moves the end of a line from the box around a node to its outline.
    fn meet(&self, points: &mut [Point], vertex: usize, attempt: &Attempt, which: EndOfLine) {
        let end = match which {
            EndOfLine::First => points.first_mut(),
            EndOfLine::Last => points.last_mut(),
        };
        let (Some(end), Some(block)) = (end, self.blocks.get(vertex)) else {
            return;
        };
        let node = &self.flow.nodes[vertex];
        let middle = attempt.middles[vertex];
        let border = Point {
            x: end.x - middle.x,
            y: end.y - middle.y,
        };
        let met = shape::meeting(node.shape, node.class, block.size, border);
        *end = Point {
            x: middle.x + met.x,
            y: middle.y + met.y,
        };
    }

    pub fn scene(mut self, attempt: Attempt) -> Scene {
        let mut tags = std::mem::take(&mut self.tags);
        let mut wires = Vec::with_capacity(self.arrows.len());
        for (edge, arrow) in self.arrows.iter().enumerate() {
            let [start, middle, end] = std::mem::take(&mut tags[edge]);
            if arrow.from == arrow.to {
                wires.push(self.self_loop(&attempt, arrow, middle));
                continue;
            }
            let Some(span) = self.spans[edge] else {
                continue;
            };
            let (points, at) = self.route(&attempt, edge);
            let tangent = match self.tree.directions[span.scope] {
                Direction::Down | Direction::Up => Tangent::Vertical,
                Direction::Right | Direction::Left => Tangent::Horizontal,
            };
            let title = arrow.label.clone().filter(|_| at[1].is_none());
            let tags = at.into_iter().zip([start, middle, end]);
            wires.push(Wire {
                path: smooth(&straightened(&points, tangent), tangent),
                line: arrow.line,
                tips: arrow.tips,
                tags: tags.filter_map(|(at, tag)| at.zip(tag)).collect(),
                title,
            });
        }
        let outside_in = self.tree.inside_out.iter().rev();
        let frames = outside_in.filter_map(|scope| {
            let group = &self.flow.groups[scope.checked_sub(1)?];
            Some(GroupFrame {
                at: attempt.corners[*scope],
                size: attempt.insides[*scope].as_ref()?.size,
                label: group.label.clone(),
                style: group.style,
                depth: self.tree.depth(*scope) - 1,
            })
        });
        let whole = attempt.insides[0].as_ref();
        Scene {
            size: whole.map_or(Point::default(), |whole| whole.size),
            frames: frames.collect(),
            wires,
            blocks: attempt.middles.iter().copied().zip(self.blocks).collect(),
        }
    }

    fn self_loop(&self, attempt: &Attempt, arrow: &Arrow, tag: Option<EdgeLabel>) -> Wire {
        let scope = self.tree.scope_of[arrow.from];
        let within = self.tree.scope_within(arrow.from);
        let framed = within.and_then(|scope| attempt.insides[scope].as_ref());
        let size = match self.blocks.get(arrow.from) {
            Some(block) => block.size,
            None => framed.map_or(Point::default(), |inside| inside.size),
        };
        let drawn = SelfLoop::new(
            attempt.middles[arrow.from],
            size,
            self.tree.directions[scope],
        );
        let tag = tag.map(|tag| (drawn.label(tag.size), tag));
        Wire {
            path: drawn.path(),
            line: arrow.line,
            tips: arrow.tips,
            tags: tag.into_iter().collect(),
            title: None,
        }
    }
}

enum EndOfLine {
    First,
    Last,
}
