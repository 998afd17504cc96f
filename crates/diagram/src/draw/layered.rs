//! Layered graphs with groups as frames: every scope is laid out by itself, innermost first, and its frames count as
//! nodes. Lines pass a frame through gates on its border.

use super::super::flow::Arrow;
use super::super::{Direction, Flow, FlowAuthor, Shape, Tip};
use super::block::{EdgeLabel, TextBlock};
use super::curve::Point;
use super::frame::{Inside, ScopeLines, turned};
use super::place::{Labels, Laid, LayerItem, LayerLink, Pin, Spot, lay};
use super::rank;
use super::scene::Scene;
use super::settle::{STEP, WIDE_STEP};
use super::shape;
use super::trace::SelfLoop;
use super::tree::{Span, Tree};

/// Maximum width of a layer before it is wrapped.
const ROOM_DOWN: f64 = 800.0;
const ROOM_RIGHT: f64 = 620.0;

pub fn lay_out(flow: &Flow, direction: Direction) -> Scene {
    let plan = Plan::new(flow, direction);
    let stated = (0..plan.tree.scope_of.len()).map(|at| {
        let at = at as f64;
        Point { x: at, y: at }
    });
    let mut hints = plan.hints(&stated.collect::<Vec<_>>());
    let mut best = plan.attempt(&hints);
    // A group cannot know its best order before the groups around it have theirs, so repeat.
    let has_frames = plan.tree.inside_out.len() > 1;
    let rounds = if has_frames && flow.fits() { 4 } else { 0 };
    let mut wishes = plan.pulled(&best);
    for _ in 0..rounds {
        let next = plan.hints(&wishes);
        // The next attempt would be the same.
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

/// The input of a layout, before anything has a position.
pub struct Plan<'a> {
    pub flow: &'a Flow,
    pub tree: Tree,
    /// By scope.
    pub lines: Vec<ScopeLines>,
    pub blocks: Vec<TextBlock>,
    pub arrows: Vec<Arrow>,
    /// By edge; `None` for an edge to itself or to a group around it.
    pub spans: Vec<Option<Span>>,
    pub tags: Vec<Labels<EdgeLabel>>,
    /// By edge: whether it runs against the flow.
    pub against: Vec<bool>,
    /// By vertex: the room that its loops need beside it, in both directions.
    loops: Vec<Option<Point>>,
    /// By vertex: its layer within its scope, before any layer is wrapped.
    layers: Vec<usize>,
    /// Distance between lines where they meet a node.
    step: f64,
}

/// A layout, and the total detour of its lines.
pub struct Attempt {
    pub insides: Vec<Option<Inside>>,
    /// By scope, the upper left corner of its frame.
    pub corners: Vec<Point>,
    /// By vertex.
    pub middles: Vec<Point>,
    cost: f64,
}

impl<'a> Plan<'a> {
    fn new(flow: &'a Flow, direction: Direction) -> Plan<'a> {
        let arrows = flow.arrows();
        let tree = Tree::new(flow, &arrows, direction);
        let blocks = flow.nodes.iter().enumerate().map(|(at, node)| {
            let mut block = TextBlock::new(node, flow.origin);
            let is_level = matches!(
                tree.directions[tree.scope_of[at]],
                Direction::Right | Direction::Left
            );
            if node.shape == Shape::Bar && is_level {
                block.size = Point {
                    x: block.size.y,
                    y: block.size.x,
                };
            }
            block
        });
        let blocks: Vec<TextBlock> = blocks.collect();
        let spans: Vec<Option<Span>> = arrows.iter().map(|arrow| tree.span(arrow)).collect();
        let vertices = tree.scope_of.len();
        let has_wide_tips = arrows.iter().flat_map(|arrow| arrow.tips).any(Tip::is_wide);
        let mut plan = Plan {
            flow,
            lines: vec![ScopeLines::default(); tree.members.len()],
            blocks,
            tags: arrows
                .iter()
                .zip(&spans)
                .map(|(arrow, span)| tags(flow, &tree, arrow, *span))
                .collect(),
            against: vec![false; arrows.len()],
            arrows,
            spans,
            loops: vec![None; vertices],
            layers: vec![0; vertices],
            step: if has_wide_tips { WIDE_STEP } else { STEP },
            tree,
        };
        plan.find_loops();
        plan.turn();
        plan.cross();
        plan
    }

    fn find_loops(&mut self) {
        for (arrow, tags) in self.arrows.iter().zip(&self.tags) {
            if arrow.from == arrow.to {
                let label = tags[1].as_ref().map_or(Point::default(), |tag| tag.size);
                let room = self.loops[arrow.from].get_or_insert_default();
                room.x = room.x.max(label.x);
                room.y = room.y.max(label.y);
            }
        }
    }

    /// Breaks cycles within each scope, so that frames keep their order.
    fn turn(&mut self) {
        let mut by_scope = vec![Vec::new(); self.tree.members.len()];
        for (edge, span) in self.spans.iter().enumerate() {
            if let Some(span) = span {
                by_scope[span.scope].push((edge, *span));
            }
        }
        let mut place = vec![0; self.tree.scope_of.len()];
        for (members, edges) in self.tree.members.iter().zip(by_scope) {
            for (at, vertex) in members.iter().enumerate() {
                place[*vertex] = at;
            }
            let ends = |(_, span): &(usize, Span)| (place[span.from], place[span.to]);
            let mut links: Vec<(usize, usize)> = edges.iter().map(ends).collect();
            let turned = rank::turned(members.len(), &links);
            for (((edge, _), link), turned) in edges.iter().zip(&mut links).zip(turned) {
                self.against[*edge] = turned;
                if turned {
                    *link = (link.1, link.0);
                }
            }
            let ranks = rank::ranks(members.len(), &links);
            for (vertex, rank) in members.iter().zip(ranks) {
                self.layers[*vertex] = rank;
            }
        }
    }

    /// Finds the lines within each scope, and those that cross its border.
    fn cross(&mut self) {
        for edge in 0..self.arrows.len() {
            let Some(span) = self.spans[edge] else {
                continue;
            };
            self.lines[span.scope].within.push(edge);
            let (span, from, to) = self.downward(edge);
            for scope in self.tree.crossed(from, span.from) {
                self.lines[scope].leaving.push(from);
            }
            for scope in self.tree.crossed(to, span.to) {
                self.lines[scope].entering.push(to);
            }
        }
    }

    /// The span and the ends of an edge that has a span, from the earlier to the later layer.
    pub fn downward(&self, edge: usize) -> (Span, usize, usize) {
        let Arrow { from, to, .. } = self.arrows[edge];
        let span = self.spans[edge].unwrap_or(Span { scope: 0, from, to });
        if !self.against[edge] {
            return (span, from, to);
        }
        let turned = Span {
            from: span.to,
            to: span.from,
            ..span
        };
        (turned, to, from)
    }

    /// Width that fits a laptop. Large graphs are zoomed into, and better square than long.
    pub fn room(&self, direction: Direction) -> f64 {
        let square = (self.blocks.len() as f64).sqrt();
        match direction {
            Direction::Down | Direction::Up => ROOM_DOWN.max(square * 110.0),
            Direction::Right | Direction::Left => ROOM_RIGHT.max(square * 60.0),
        }
    }

    /// A member of a scope with this direction.
    pub fn item(
        &self,
        vertex: usize,
        insides: &[Option<Inside>],
        direction: Direction,
    ) -> LayerItem {
        let inside = self
            .tree
            .scope_within(vertex)
            .and_then(|scope| insides[scope].as_ref());
        let size = match self.blocks.get(vertex) {
            Some(block) => block.size,
            None => inside.map_or(Point::default(), |inside| inside.size),
        };
        let size = turned(size, direction);
        let label = self.loops[vertex].map(|label| turned(label, direction));
        let room = label.map_or(0.0, |label| SelfLoop::room(label.across));
        let is_pointed = self
            .flow
            .nodes
            .get(vertex)
            .is_some_and(|node| shape::is_pointed(node.shape));
        LayerItem {
            across: size.across + room,
            along: size.along.max(label.map_or(0.0, |label| label.along)),
            body: size.along,
            side: if is_pointed {
                size.across * 0.4
            } else {
                size.across
            },
            step: self.step,
            pin: Pin::Free,
        }
    }

    pub fn label_rooms(&self, edge: usize, direction: Direction) -> Labels<Spot> {
        let room = |tag: &Option<EdgeLabel>| tag.as_ref().map(|tag| turned(tag.size, direction));
        let [start, middle, end] = &self.tags[edge];
        let rooms = [room(start), room(middle), room(end)];
        if self.against[edge] {
            [rooms[2], rooms[1], rooms[0]]
        } else {
            rooms
        }
    }

    /// The preferred order of the members of a layer, as numbers. Only the order of wishes counts.
    fn hints(&self, wishes: &[Point]) -> Vec<f64> {
        let across = |vertex: usize| {
            let direction = self.tree.directions[self.tree.scope_of[vertex]];
            turned(wishes[vertex], direction).across
        };
        let row = |vertex: usize| (self.tree.scope_of[vertex], self.layers[vertex]);
        let mut all: Vec<usize> = (0..wishes.len()).collect();
        // Stable, so that equal wishes keep their order.
        all.sort_by(|a, b| {
            let wishes = across(*a).total_cmp(&across(*b));
            row(*a).cmp(&row(*b)).then(wishes)
        });
        let mut hints = vec![0.0; wishes.len()];
        for row in all.chunk_by(|a, b| row(*a) == row(*b)) {
            let middle = (row.len() - 1) as f64 / 2.0;
            for (at, member) in row.iter().enumerate() {
                hints[*member] = at as f64 - middle;
            }
        }
        hints
    }

    fn attempt(&self, hints: &[f64]) -> Attempt {
        let mut insides: Vec<Option<Inside>> = self.tree.members.iter().map(|_| None).collect();
        for &scope in &self.tree.inside_out {
            insides[scope] = Some(self.inside(scope, &insides, hints));
        }
        let mut corners = vec![Point::default(); insides.len()];
        let mut middles = vec![Point::default(); self.tree.scope_of.len()];
        let mut cost = 0.0;
        for &scope in self.tree.inside_out.iter().rev() {
            let Some(inside) = &insides[scope] else {
                continue;
            };
            let steps = inside
                .laid
                .routes
                .iter()
                .flat_map(|route| route.points.windows(2));
            cost += steps
                .map(|pair| (pair[0].across - pair[1].across).abs())
                .sum::<f64>();
            for (vertex, spot) in self.tree.members[scope].iter().zip(&inside.laid.items) {
                let middle = inside.point(*spot, corners[scope]);
                middles[*vertex] = middle;
                let inner = self.tree.scope_within(*vertex);
                if let Some((inner, framed)) =
                    inner.and_then(|inner| Some((inner, insides[inner].as_ref()?)))
                {
                    corners[inner] = Point {
                        x: middle.x - framed.size.x / 2.0,
                        y: middle.y - framed.size.y / 2.0,
                    };
                }
            }
        }
        Attempt {
            insides,
            corners,
            middles,
            cost,
        }
    }

    /// Wraps layers until the layout fits: the room that lines need beside nodes shows only afterwards.
    pub fn narrow(&self, items: &[LayerItem], links: &[LayerLink], hints: &[f64]) -> Laid {
        let room = self.room(self.tree.directions[0]);
        let mut best = lay(items, links, hints, room);
        for share in [0.8, 0.65] {
            if best.size.across <= room * 1.03 || self.blocks.len() > 100 {
                break;
            }
            let next = lay(items, links, hints, room * share);
            if next.size.across < best.size.across {
                best = next;
            }
        }
        best
    }

    /// The position that the neighbours of each vertex pull it to; for a group, the neighbours of its nodes.
    fn pulled(&self, attempt: &Attempt) -> Vec<Point> {
        let mut sums: Vec<(Point, f64)> = vec![(Point::default(), 0.0); attempt.middles.len()];
        let mut pull = |vertex: usize, to: Point, weight: f64| {
            let mut at = vertex;
            loop {
                let (sum, total) = &mut sums[at];
                sum.x += to.x * weight;
                sum.y += to.y * weight;
                *total += weight;
                match self.tree.scope_of[at] {
                    0 => break,
                    scope => at = self.tree.vertex_of(scope),
                }
            }
        };
        for (vertex, middle) in attempt.middles.iter().enumerate().take(self.blocks.len()) {
            pull(vertex, *middle, 0.3);
        }
        for arrow in &self.arrows {
            pull(arrow.from, attempt.middles[arrow.to], 1.0);
            pull(arrow.to, attempt.middles[arrow.from], 1.0);
        }
        let mean = |((sum, weight), middle): (&(Point, f64), &Point)| {
            if *weight > 0.0 {
                Point {
                    x: sum.x / weight,
                    y: sum.y / weight,
                }
            } else {
                *middle
            }
        };
        sums.iter().zip(&attempt.middles).map(mean).collect()
    }
}

/// The labels of an edge, broken into lines.
fn tags(flow: &Flow, tree: &Tree, arrow: &Arrow, span: Option<Span>) -> Labels<EdgeLabel> {
    let scope = span.map_or(tree.scope_of[arrow.from], |span| span.scope);
    let is_level = matches!(tree.directions[scope], Direction::Right | Direction::Left);
    let room = match (flow.origin, is_level) {
        (FlowAuthor::Generated, true) => 104.0,
        (FlowAuthor::Generated, false) => 150.0,
        (FlowAuthor::Authored, true) => 130.0,
        (FlowAuthor::Authored, false) => 180.0,
    };
    let tag = |text: &Option<String>| {
        let text = text.as_deref()?;
        Some(EdgeLabel::new(text, room, flow.origin)).filter(|tag| !tag.is_empty())
    };
    // A loop has no room at its ends, so their texts join the label.
    if arrow.from == arrow.to && arrow.ends.iter().any(Option::is_some) {
        let ends: Vec<&str> = arrow.ends.iter().flatten().map(String::as_str).collect();
        let label = arrow.label.iter().cloned().chain([ends.join(" – ")]);
        return [None, tag(&Some(label.collect::<Vec<_>>().join("\n"))), None];
    }
    [tag(&arrow.ends[0]), tag(&arrow.label), tag(&arrow.ends[1])]
}
