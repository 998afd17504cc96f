//! A diagram as a value, and that value as Mermaid source, as an SVG picture and in words.
//! Pure: data in, text out. Indices that point nowhere are ignored, so any value can be drawn.

mod draw;
mod flow;
mod mermaid;
mod sequence;
mod words;

pub use flow::{
    Class, Direction, Edge, Flow, Group, Layout, Line, Node, Origin, Outline, Port, Shape, Style,
    Tint, Tip,
};
pub use mermaid::{Authored, Error, parse};
pub use sequence::{
    FrameKind, Message, Note, Participant, ParticipantBox, Role, Sequence, SequenceStep, Side,
};

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

impl Diagram {
    /// The source that Mermaid reads.
    pub fn mermaid(&self) -> String {
        mermaid::write(self)
    }

    /// A picture without script or style of its own: `theme/static/diagram.css` colours it. Its id comes from what it
    /// shows.
    pub fn svg(&self) -> String {
        draw::draw(self, None)
    }

    /// The same with an id, which keeps it apart from a picture of the same on the page.
    pub fn svg_with_id(&self, id: &str) -> String {
        draw::draw(self, Some(id))
    }

    /// A picture that stands by itself, with the style of [`crate::site::theme::Theme::diagram_style`] in it.
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

    /// The same in words, a line for every edge or message.
    pub fn text(&self) -> String {
        words::tell(self)
    }
}

/// Pieces of text one after the other. Formats do the same, but slowly, and every page has a few pictures.
fn push_all(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.push_str(part));
}

/// A link that is safe to follow: on the web, mail, or within the site.
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
