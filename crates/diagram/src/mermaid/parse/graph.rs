//! Collects nodes, groups and edges by id, and builds a flow at the end, when it is known which ids are groups.

use std::collections::HashMap;

use super::cursor::Cursor;
use super::style::{self, Paint};
use super::{Error, MOST_EDGES, MOST_LEVELS, MOST_NODES, check_count, text};
use crate::{
    Direction, Flow, FlowAuthor, FlowEdge, FlowNode, Group, Layout, NodeClass, Port, Shape, Style,
};

#[derive(Default)]
pub(super) struct GraphBuilder {
    pub vertices: Vec<Vertex>,
    vertex_ids: HashMap<String, usize>,
    pub frames: Vec<PendingGroup>,
    frame_ids: HashMap<String, usize>,
    links: Vec<VertexLink>,
    classes: HashMap<String, Paint>,
    marks: Vec<(String, Mark)>,
    pub direction: Option<Direction>,
}

/// Something with an id. It becomes a node, unless there is a frame with the same id.
pub(super) struct Vertex {
    id: String,
    pub node: FlowNode,
    classes: Vec<String>,
    paint: Paint,
}

/// Something that becomes a group, or a node if nothing is in it.
pub(super) struct PendingGroup {
    has_id: bool,
    pub group: Group,
    classes: Vec<String>,
    paint: Paint,
}

/// An edge between vertices, with its line in the source.
struct VertexLink {
    edge: FlowEdge,
    line: usize,
}

/// Changes to a node or group that may be declared later.
enum Mark {
    Class(String),
    Paint(Paint),
    Href(String),
}

impl GraphBuilder {
    /// The vertex with this id, created when it is first mentioned.
    pub fn vertex(&mut self, id: &str, shape: Shape) -> usize {
        if let Some(found) = self.vertex_ids.get(id) {
            return *found;
        }
        self.vertex_ids.insert(id.to_owned(), self.vertices.len());
        let label = text::label(id);
        self.add_vertex(id, label, shape)
    }

    /// A vertex that no id refers to.
    pub fn nameless_vertex(&mut self, label: String, shape: Shape) -> usize {
        self.add_vertex("", label, shape)
    }

    fn add_vertex(&mut self, id: &str, label: String, shape: Shape) -> usize {
        let mut node = FlowNode::new(label, NodeClass::Component);
        node.shape = shape;
        self.vertices.push(Vertex {
            id: id.to_owned(),
            node,
            classes: Vec::new(),
            paint: Paint::default(),
        });
        self.vertices.len() - 1
    }

    pub fn node(&mut self, vertex: usize) -> &mut FlowNode {
        &mut self.vertices[vertex].node
    }

    /// The frame with this id, created when it is first opened.
    pub fn frame(&mut self, id: &str, label: String) -> usize {
        if let Some(found) = self.frame_ids.get(id) {
            return *found;
        }
        self.frame_ids.insert(id.to_owned(), self.frames.len());
        let frame = self.nameless_frame(label);
        self.frames[frame].has_id = true;
        frame
    }

    /// A frame that no edge leads to.
    pub fn nameless_frame(&mut self, label: String) -> usize {
        self.frames.push(PendingGroup {
            has_id: false,
            group: Group::new(label),
            classes: Vec::new(),
            paint: Paint::default(),
        });
        self.frames.len() - 1
    }

    pub fn connect(&mut self, edge: FlowEdge, line: usize) -> Result<(), Error> {
        check_count("edges", self.links.len() + 1, MOST_EDGES)?;
        self.links.push(VertexLink { edge, line });
        Ok(())
    }

    pub fn edge_count(&self) -> usize {
        self.links.len()
    }

    pub fn edge(&mut self, at: usize) -> Option<&mut FlowEdge> {
        self.links.get_mut(at).map(|link| &mut link.edge)
    }

    pub fn define_classes(&mut self, names: &str, paint: Paint) {
        for name in split_names(names) {
            let known = self.classes.get(name).copied().unwrap_or_default();
            self.classes.insert(name.to_owned(), paint.over(known));
        }
    }

    pub fn add_class(&mut self, ids: &str, class: &str) {
        self.mark(ids, || Mark::Class(class.to_owned()));
    }

    pub fn add_paint(&mut self, ids: &str, paint: Paint) {
        self.mark(ids, || Mark::Paint(paint));
    }

    /// The rest of `click A href "url"` and `link A "url"`. Calls of functions are ignored.
    pub fn read_href(&mut self, cursor: &mut Cursor<'_>) {
        let id = cursor.take_word();
        let line = cursor.take_line().trim();
        let target = line.strip_prefix("href").map_or(line, str::trim_start);
        if let Some(href) = Cursor::new(target).take_quoted() {
            self.add_href(id, href);
        }
    }

    pub fn add_href(&mut self, ids: &str, href: &str) {
        self.mark(ids, || Mark::Href(href.trim().to_owned()));
    }

    fn mark(&mut self, ids: &str, mark: impl Fn() -> Mark) {
        let ids = split_names(ids).map(str::to_owned);
        self.marks.extend(ids.map(|id| (id, mark())));
    }

    /// Puts a frame into another, unless it is already in one or would contain itself.
    pub fn nest(&mut self, frame: usize, around: usize) {
        let closes_cycle = self.ancestors(around).any(|ancestor| ancestor == frame);
        let parent = &mut self.frames[frame].group.parent;
        if parent.is_none() && !closes_cycle {
            *parent = Some(around);
        }
    }

    /// An error if there are too many nodes, groups or levels of groups, or an edge leads into the group it starts from.
    pub fn finish(mut self) -> Result<Flow, Error> {
        check_count("groups", self.frames.len(), MOST_NODES)?;
        self.apply_marks();
        let frame_of_vertex = self.adopt_vertices();
        for frame in 0..self.frames.len() {
            let levels = self.ancestors(frame).count();
            check_count("levels of groups", levels, MOST_LEVELS)?;
        }
        let places = self.frame_places(&frame_of_vertex);
        let mut flow = Flow {
            nodes: Vec::new(),
            groups: self.groups(&places),
            edges: Vec::new(),
            layout: Layout::Layered(self.direction.unwrap_or(Direction::Down)),
            origin: FlowAuthor::Authored,
        };
        let mut ports = Vec::with_capacity(self.vertices.len());
        for (vertex, frame) in self.vertices.iter().zip(&frame_of_vertex) {
            ports.push(match frame {
                Some(frame) => places[*frame],
                None => {
                    flow.nodes.push(self.painted_node(vertex, &places));
                    Some(Port::Node(flow.nodes.len() - 1))
                }
            });
        }
        self.add_empty_frames(&places, &mut flow);
        check_count("nodes", flow.nodes.len(), MOST_NODES)?;
        for link in &self.links {
            let port = |end: Port| match end {
                Port::Node(vertex) | Port::Group(vertex) => ports.get(vertex).copied().flatten(),
            };
            let (Some(from), Some(to)) = (port(link.edge.from), port(link.edge.to)) else {
                continue;
            };
            if is_within(&flow, from, to) || is_within(&flow, to, from) {
                let message = "an edge cannot lead from a group to something inside it";
                return Err(Error::at(link.line, message));
            }
            flow.edges.push(FlowEdge {
                from,
                to,
                ..link.edge.clone()
            });
        }
        Ok(flow)
    }

    fn apply_marks(&mut self) {
        for (id, mark) in std::mem::take(&mut self.marks) {
            if let Some(frame) = self.frame_ids.get(&id) {
                let frame = &mut self.frames[*frame];
                match mark {
                    Mark::Class(class) => frame.classes.push(class),
                    Mark::Paint(paint) => frame.paint = paint.over(frame.paint),
                    Mark::Href(_) => {}
                }
            } else if let Some(vertex) = self.vertex_ids.get(&id) {
                let vertex = &mut self.vertices[*vertex];
                match mark {
                    Mark::Class(class) => vertex.classes.push(class),
                    Mark::Paint(paint) => vertex.paint = paint.over(vertex.paint),
                    Mark::Href(href) => vertex.node.href = Some(href),
                }
            }
        }
    }

    /// For each vertex, the frame with its id. Such a frame takes the position of the vertex.
    fn adopt_vertices(&mut self) -> Vec<Option<usize>> {
        let mut frame_of_vertex = Vec::with_capacity(self.vertices.len());
        for at in 0..self.vertices.len() {
            let vertex = &self.vertices[at];
            let frame = self.frame_ids.get(&vertex.id).copied();
            frame_of_vertex.push(frame);
            if let (Some(frame), Some(around)) = (frame, vertex.node.group) {
                self.nest(frame, around);
            }
        }
        frame_of_vertex
    }

    /// The frame and all frames around it. Terminates even for cycles.
    fn ancestors(&self, frame: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(frame), |at| self.frames[*at].group.parent)
            .take(self.frames.len())
    }

    /// The result of each frame: a group; a node if it is empty; or nothing if it has no name either.
    fn frame_places(&self, frame_of_vertex: &[Option<usize>]) -> Vec<Option<Port>> {
        let mut has_content = vec![false; self.frames.len()];
        for (vertex, frame) in self.vertices.iter().zip(frame_of_vertex) {
            if let (None, Some(group)) = (frame, vertex.node.group) {
                has_content[group] = true;
            }
        }
        for at in 0..self.frames.len() {
            if has_content[at] || self.frames[at].is_named() {
                for ancestor in self.ancestors(at).skip(1) {
                    has_content[ancestor] = true;
                }
            }
        }
        // Empty frames follow the nodes.
        let mut next_node = frame_of_vertex
            .iter()
            .filter(|frame| frame.is_none())
            .count();
        let mut next_group = 0;
        let mut places = Vec::with_capacity(self.frames.len());
        for (frame, has_content) in self.frames.iter().zip(has_content) {
            if has_content {
                places.push(Some(Port::Group(next_group)));
                next_group += 1;
            } else if frame.is_named() {
                places.push(Some(Port::Node(next_node)));
                next_node += 1;
            } else {
                places.push(None);
            }
        }
        places
    }

    fn groups(&self, places: &[Option<Port>]) -> Vec<Group> {
        let mut groups = Vec::new();
        for (frame, place) in self.frames.iter().zip(places) {
            if let Some(Port::Group(_)) = place {
                let mut group = frame.group.clone();
                group.parent = group_at(group.parent, places);
                group.style = self.frame_style(frame);
                groups.push(group);
            }
        }
        groups
    }

    fn add_empty_frames(&self, places: &[Option<Port>], flow: &mut Flow) {
        for (frame, place) in self.frames.iter().zip(places) {
            if let Some(Port::Node(_)) = place {
                let mut node = FlowNode::new(frame.group.label.clone(), NodeClass::Component);
                node.style = self.frame_style(frame);
                node.group = group_at(frame.group.parent, places);
                flow.nodes.push(node);
            }
        }
    }

    fn frame_style(&self, frame: &PendingGroup) -> Style {
        let named = frame
            .classes
            .iter()
            .filter_map(|class| self.classes.get(class));
        let base = named.fold(Paint::default(), |base, paint| paint.over(base));
        frame.paint.over(base).style()
    }

    fn painted_node(&self, vertex: &Vertex, places: &[Option<Port>]) -> FlowNode {
        let mut node = vertex.node.clone();
        node.group = group_at(node.group, places);
        let mut paint = self.classes.get("default").copied().unwrap_or_default();
        for class in &vertex.classes {
            let defined = self.classes.get(class).copied().unwrap_or_default();
            paint = defined.over(paint);
            if let Some(class) = style::class_named(class).filter(|_| !defined.has_colour()) {
                node.class = class;
            }
        }
        node.style = vertex.paint.over(paint).style();
        node
    }
}

impl PendingGroup {
    fn is_named(&self) -> bool {
        self.has_id || !self.group.label.is_empty()
    }
}

/// The group that a frame became.
fn group_at(frame: Option<usize>, places: &[Option<Port>]) -> Option<usize> {
    match places[frame?] {
        Some(Port::Group(group)) => Some(group),
        _ => None,
    }
}

/// Whether `inner` is somewhere in the group `outer`.
fn is_within(flow: &Flow, inner: Port, outer: Port) -> bool {
    let Port::Group(outer) = outer else {
        return false;
    };
    let mut around = match inner {
        Port::Node(node) => flow.nodes[node].group,
        Port::Group(group) => flow.groups[group].parent,
    };
    while let Some(group) = around {
        if group == outer {
            return true;
        }
        around = flow.groups[group].parent;
    }
    false
}

/// The names in a list with commas.
fn split_names(names: &str) -> impl Iterator<Item = &str> {
    let trimmed = names.split(',').map(str::trim);
    trimmed.filter(|name| !name.is_empty())
}

/// The direction of `TB`, `TD`, `BT`, `LR` or `RL`.
pub(super) fn direction_named(name: &str) -> Option<Direction> {
    match name {
        "TB" | "TD" => Some(Direction::Down),
        "BT" => Some(Direction::Up),
        "LR" => Some(Direction::Right),
        "RL" => Some(Direction::Left),
        _ => None,
    }
}
