//! Flows: the nodes, groups and edges of a flowchart, a state, class or entity diagram. Plain data.

use std::collections::BTreeMap;

/// Nodes and edges, with groups around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    pub nodes: Vec<FlowNode>,
    pub groups: Vec<Group>,
    pub edges: Vec<FlowEdge>,
    pub layout: Layout,
    pub origin: FlowAuthor,
}

/// The author of a flow, which decides how much of its text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowAuthor {
    /// Generated from the model: long labels are shortened, and parallel edges are merged.
    Generated,
    /// Written by a person: every line of a label and every edge is drawn.
    Authored,
}

/// How a flow is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Predecessors, a centre and successors, in columns.
    Neighbourhood { centre: usize },
    /// Every edge leads to a later layer, except those that close a cycle.
    Layered(Direction),
}

/// The direction in which a flow runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Down,
    Right,
    Up,
    Left,
}

/// A node of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowNode {
    /// Lines are separated by `\n`.
    pub label: String,
    /// A second, smaller line.
    pub detail: Option<String>,
    /// Compartments below the label, each a list of lines: the members of a class, the attributes of an entity.
    pub compartments: Vec<Vec<String>>,
    pub href: Option<String>,
    pub class: NodeClass,
    pub shape: Shape,
    pub style: Style,
    /// The innermost group that frames it.
    pub group: Option<usize>,
}

impl FlowNode {
    pub fn new(label: impl Into<String>, class: NodeClass) -> FlowNode {
        FlowNode {
            label: label.into(),
            detail: None,
            compartments: Vec::new(),
            href: None,
            class,
            shape: Shape::Box,
            style: Style::default(),
            group: None,
        }
    }
}

/// What a node represents; a class in the stylesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeClass {
    Component,
    /// The component whose page this is.
    Current,
    Workload,
    Store,
    Secret,
    Source,
    Namespace,
    External,
    Disabled,
    /// Something that is referenced but does not exist.
    Missing,
    /// Several nodes that are not drawn individually.
    More,
}

/// The shape of a node, with its brackets in a flowchart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `[text]`
    Box,
    /// `(text)`
    Round,
    /// `([text])`
    Stadium,
    /// `[[text]]`
    Subroutine,
    /// `[(text)]`
    Cylinder,
    /// `((text))`
    Circle,
    /// `(((text)))`
    DoubleCircle,
    /// `>text]`
    Flag,
    /// `{text}`
    Diamond,
    /// `{{text}}`
    Hexagon,
    /// `[/text/]`
    LeanRight,
    /// `[\text\]`
    LeanLeft,
    /// `[/text\]`
    Trapezoid,
    /// `[\text/]`
    TrapezoidFlipped,
    /// Text without an outline.
    Bare,
    /// A sheet with a folded corner.
    Note,
    /// The dot at which a state machine starts.
    Start,
    /// The ringed dot at which it ends.
    End,
    /// Where a state machine forks or joins; it has no text.
    Bar,
}

/// The `style` and `classDef` of an author, in the colours of the theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub tint: Option<Tint>,
    pub outline: Outline,
}

/// The outline of a node or frame, as an author's style sets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outline {
    #[default]
    Plain,
    Dashed,
    Thick,
}

/// One of the twelve hues of the theme, `h0` to `h11` in the stylesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tint(u8);

impl Tint {
    pub const COUNT: u8 = 12;

    /// `None` beyond the last hue.
    pub fn new(hue: u8) -> Option<Tint> {
        (hue < Tint::COUNT).then_some(Tint(hue))
    }

    pub fn index(self) -> u8 {
        self.0
    }
}

/// A labelled frame around the nodes and groups that name it as parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Without a label, a group has a frame but no strip for its name.
    pub label: String,
    /// The group around this one; cycles are ignored.
    pub parent: Option<usize>,
    /// Its own direction, if no edge crosses the frame, as in Mermaid.
    pub direction: Option<Direction>,
    pub style: Style,
}

impl Group {
    pub fn new(label: impl Into<String>) -> Group {
        Group {
            label: label.into(),
            parent: None,
            direction: None,
            style: Style::default(),
        }
    }
}

/// An edge between two nodes or groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowEdge {
    pub from: Port,
    pub to: Port,
    /// Lines are separated by `\n`.
    pub label: Option<String>,
    /// Short texts at the start and at the end of the line, such as `1` and `0..*`.
    pub ends: [Option<String>; 2],
    pub line: Line,
    /// The tips at the start and the end of the line.
    pub tips: [Tip; 2],
}

impl FlowEdge {
    /// A solid arrow.
    pub fn new(from: impl Into<Port>, to: impl Into<Port>) -> FlowEdge {
        FlowEdge {
            from: from.into(),
            to: to.into(),
            label: None,
            ends: [None, None],
            line: Line::Solid,
            tips: [Tip::None, Tip::Arrow],
        }
    }
}

/// The start or end of an edge. For a group, that is its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Port {
    Node(usize),
    Group(usize),
}

impl From<usize> for Port {
    fn from(node: usize) -> Port {
        Port::Node(node)
    }
}

/// Ordered by strength: of several edges between two nodes, the strongest is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// Keeps its ends in order, and is not drawn.
    Hidden,
    Dashed,
    Solid,
    Bold,
}

/// The tip of a line where it meets a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tip {
    None,
    /// A filled arrow head.
    Arrow,
    /// An open arrow head of two strokes.
    Open,
    Circle,
    Cross,
    /// Inheritance: a hollow triangle.
    Triangle,
    /// Composition.
    Diamond,
    /// Aggregation.
    HollowDiamond,
    /// Crow's feet: exactly one, none or one, one or more, any number.
    One,
    ZeroOrOne,
    OneOrMore,
    ZeroOrMore,
}

impl Flow {
    /// Maximum number of nodes that are laid out well. Larger flows are drawn coarsely: group them first.
    pub const MOST_NODES: usize = 300;
    pub const MOST_EDGES: usize = 1_200;

    pub fn fits(&self) -> bool {
        match self.layout {
            Layout::Neighbourhood { .. } => true,
            Layout::Layered(_) => {
                self.nodes.len() <= Self::MOST_NODES && self.edges.len() <= Self::MOST_EDGES
            }
        }
    }

    /// The edges as drawn, in the order of their first mention. Parallel edges of a generated flow are merged, with all
    /// their labels; in an authored flow, only loops are.
    pub(super) fn arrows(&self) -> Vec<Arrow> {
        let parents = self.parents();
        let mut place = BTreeMap::new();
        let mut arrows: Vec<Arrow> = Vec::with_capacity(self.edges.len());
        let mut labels: Vec<Vec<&str>> = Vec::new();
        for edge in &self.edges {
            let Some((from, to)) = self.vertex(edge.from).zip(self.vertex(edge.to)) else {
                continue;
            };
            if self.frames(&parents, from, to) || self.frames(&parents, to, from) {
                continue;
            }
            // Loops would overlap, so a node has one with all their labels.
            let at = if self.origin == FlowAuthor::Generated || from == to {
                *place.entry((from, to)).or_insert(arrows.len())
            } else {
                arrows.len()
            };
            if at == arrows.len() {
                arrows.push(Arrow {
                    from,
                    to,
                    label: None,
                    ends: edge.ends.clone(),
                    line: edge.line,
                    tips: edge.tips,
                });
                labels.push(Vec::new());
            }
            arrows[at].line = arrows[at].line.max(edge.line);
            let label = edge.label.as_deref().map(str::trim);
            let is_new = |label: &&str| !label.is_empty() && !labels[at].contains(label);
            if let Some(label) = label.filter(is_new) {
                labels[at].push(label);
            }
        }
        let separator = match self.origin {
            FlowAuthor::Generated => ", ",
            FlowAuthor::Authored => "\n",
        };
        for (arrow, labels) in arrows.iter_mut().zip(labels) {
            arrow.label = (!labels.is_empty()).then(|| labels.join(separator));
        }
        arrows
    }

    /// The index of a node or group: nodes come first, then groups. `None` if it does not exist.
    fn vertex(&self, port: Port) -> Option<usize> {
        match port {
            Port::Node(node) => (node < self.nodes.len()).then_some(node),
            Port::Group(group) => (group < self.groups.len()).then_some(self.nodes.len() + group),
        }
    }

    /// By group, the group around it, without those that would close a cycle.
    pub(super) fn parents(&self) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.groups.len()];
        for (at, group) in self.groups.iter().enumerate() {
            let Some(parent) = group.parent.filter(|parent| *parent < self.groups.len()) else {
                continue;
            };
            // The parents accepted so far form no cycle, so this ends.
            let mut around = std::iter::successors(Some(parent), |at| parents[*at]);
            if around.all(|around| around != at) {
                parents[at] = Some(parent);
            }
        }
        parents
    }

    /// Whether a vertex is a group around another. An edge between the two cannot be drawn.
    fn frames(&self, parents: &[Option<usize>], outer: usize, inner: usize) -> bool {
        let Some(outer) = outer.checked_sub(self.nodes.len()) else {
            return false;
        };
        let innermost = match self.nodes.get(inner) {
            Some(node) => node.group.filter(|group| *group < parents.len()),
            None => parents[inner - self.nodes.len()],
        };
        std::iter::successors(innermost, |group| parents[*group]).any(|group| group == outer)
    }

    /// The label of a vertex.
    pub(super) fn name(&self, vertex: usize) -> &str {
        match self.nodes.get(vertex) {
            Some(node) => &node.label,
            None => &self.groups[vertex - self.nodes.len()].label,
        }
    }
}

/// An edge between two vertices: see [`Flow::arrows`].
#[derive(Clone, Debug)]
pub(super) struct Arrow {
    pub from: usize,
    pub to: usize,
    pub label: Option<String>,
    pub ends: [Option<String>; 2],
    pub line: Line,
    pub tips: [Tip; 2],
}
