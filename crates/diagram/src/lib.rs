//! Diagrams as values: parsed from Mermaid, and written as SVG, Mermaid source or text. Pure: data in, text out.
//! Invalid indices are ignored, so that any value can be drawn.

mod draw;
mod flow;
mod focus;
mod mermaid;
mod sequence;
mod words;

pub use flow::{
    Direction, Flow, FlowAuthor, FlowEdge, FlowNode, Group, Layout, Line, NodeClass, Outline, Port,
    Shape, Style, Tint, Tip,
};
pub use focus::{FocusGraph, implied};
pub use mermaid::{Authored, Error, parse};
pub use sequence::{
    FrameKind, Message, Note, Participant, ParticipantBox, ParticipantRole, Sequence, SequenceStep,
    Side,
};

/// A diagram with a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The accessible name and the tooltip.
    pub title: String,
    pub body: DiagramBody,
}

/// The content of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiagramBody {
    Flow(Flow),
    Sequence(Sequence),
}

impl Diagram {
    /// Mermaid source.
    pub fn mermaid(&self) -> String {
        mermaid::write(self)
    }

    /// SVG without script or style of its own; the page's stylesheet colours it. Its id is derived from its content.
    pub fn svg(&self) -> String {
        draw::draw(self, None)
    }

    /// Like [`Diagram::svg`] with an id, which distinguishes equal diagrams on one page.
    pub(crate) fn svg_with_id(&self, id: &str) -> String {
        draw::draw(self, Some(id))
    }

    /// A standalone SVG with the given style in it.
    pub fn picture(&self, style: &str) -> String {
        let svg = self.svg();
        let mut escaped = String::with_capacity(style.len());
        base::markup::push_text(&mut escaped, style);
        match svg.find(">\n") {
            Some(end) => format!(
                "{}>\n<style>svg{{color-scheme:light dark;background:Canvas}}\n{escaped}</style>{}",
                &svg[..end],
                &svg[end + 1..]
            ),
            None => svg,
        }
    }

    /// The diagram in words, one line per edge or message.
    pub fn text(&self) -> String {
        words::tell(self)
    }
}

/// Appends several pieces of text. Faster than `format!`, and every page has a few diagrams.
fn push_all(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.push_str(part));
}

/// A link that is safe to follow: http, https, mailto or within the site.
pub fn safe(href: &str) -> Option<&str> {
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
