//! A diagram as a value, and that value as Mermaid source, as an SVG picture and in words.
//! Pure: data in, text out. Indices that point nowhere are ignored, so any value can be drawn.

mod column;
mod curve;
mod frame;
pub(super) mod glyph;
mod layered;
mod mermaid;
mod neighbourhood;
mod order;
mod place;
mod rank;
mod scene;
mod sequence;
mod settle;
mod trace;
mod words;

/// A picture with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// What it shows: the accessible name, and the tooltip.
    pub title: String,
    pub body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Flow(Flow),
    Sequence(Sequence),
}

/// Boxes and arrows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    pub nodes: Vec<Node>,
    pub groups: Vec<Group>,
    pub edges: Vec<Edge>,
    pub layout: Layout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// What points at the centre, the centre, what it points at: three columns, laid out directly.
    Neighbourhood { centre: usize },
    /// Every arrow leads to a later layer, but for those that close a cycle.
    Layered(Direction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Down,
    Right,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub label: String,
    /// A second, smaller line.
    pub detail: Option<String>,
    pub href: Option<String>,
    pub class: Class,
    /// The group that frames it.
    pub group: Option<usize>,
}

/// What a node stands for; a class in the stylesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Component,
    /// The one whose page this is.
    Current,
    Workload,
    Store,
    Secret,
    Source,
    Namespace,
    External,
    Disabled,
    /// Something that is referred to and does not exist.
    Missing,
    /// Several that are not drawn one by one.
    More,
}

/// A labelled frame around the nodes that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub label: Option<String>,
    pub line: Line,
}

/// Ordered by strength: of several edges between two nodes, the strongest is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    Dashed,
    Solid,
    Bold,
}

/// Who says what to whom, from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    pub participants: Vec<Participant>,
    pub messages: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    pub label: String,
    pub href: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub from: usize,
    pub to: usize,
    pub text: String,
    pub reply: Reply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A call of its own.
    No,
    /// The answer to an earlier call: dashed.
    Yes,
}

impl Diagram {
    /// The source that Mermaid reads.
    pub fn mermaid(&self) -> String {
        mermaid::write(self)
    }

    /// A picture without script or style of its own: `theme/static/diagram.css` colours it.
    pub fn svg(&self) -> String {
        scene::draw(self)
    }

    /// A picture that stands by itself, with the style of [`crate::render::theme::Theme::diagram_style`] in it.
    pub fn picture(&self, style: &str) -> String {
        let svg = self.svg();
        let style = style.replace('&', "&amp;").replace('<', "&lt;");
        match svg.find(">\n") {
            Some(end) => format!(
                "{}>\n<style>svg{{color-scheme:light dark;background:Canvas}}\n{style}</style>{}",
                &svg[..end],
                &svg[end + 1..]
            ),
            None => svg,
        }
    }

    /// The same in words, a line for every edge or message.
    pub fn text(&self) -> String {
        words::tell(self)
    }
}

impl Flow {
    /// More than this is not read but searched: group it first. It is still drawn, only coarsely.
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

    /// The edges as drawn: those between existing nodes, one for each pair and direction, in the
    /// order of their first mention, with the labels of all.
    fn merged(&self) -> Vec<Edge> {
        let mut place = std::collections::BTreeMap::new();
        let mut merged: Vec<(Edge, Vec<&str>)> = Vec::new();
        for edge in &self.edges {
            if edge.from.max(edge.to) >= self.nodes.len() {
                continue;
            }
            let at = *place.entry((edge.from, edge.to)).or_insert(merged.len());
            if at == merged.len() {
                let bare = Edge {
                    label: None,
                    ..*edge
                };
                merged.push((bare, Vec::new()));
            }
            let (first, labels) = &mut merged[at];
            first.line = first.line.max(edge.line);
            let label = edge.label.as_deref().map(str::trim);
            if let Some(label) = label.filter(|label| !label.is_empty() && !labels.contains(label))
            {
                labels.push(label);
            }
        }
        let join = |(mut edge, labels): (Edge, Vec<&str>)| {
            edge.label = (!labels.is_empty()).then(|| labels.join(", "));
            edge
        };
        merged.into_iter().map(join).collect()
    }
}

/// Pieces of text one after the other. Formats do the same, but slowly, and every page has a few pictures.
fn push_all(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.push_str(part));
}

/// A link that is safe to follow: on the web, mail, or within the site.
pub(super) fn safe(href: &str) -> Option<&str> {
    let href = href.trim();
    let clean = !href.is_empty() && !href.chars().any(|c| c.is_control() || c == '\\');
    let scheme = href.split(['/', '?', '#']).next().unwrap_or_default();
    let known = match scheme.split_once(':') {
        None => true,
        Some((name, _)) => ["http", "https", "mailto"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known)),
    };
    (clean && known).then_some(href)
}
