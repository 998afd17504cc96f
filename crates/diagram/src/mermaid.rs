//! Mermaid source: parsed into a [`Diagram`](super::Diagram), and written from one. Text in, text out.

mod parse;
mod write;

pub use parse::{Authored, Error, parse};
pub(super) use write::write;

use base::markup::xml;

impl Authored {
    /// The picture with its heading and description. `id` distinguishes it from others on the page.
    pub fn markup(&self, id: &str) -> String {
        let svg = self.diagram.svg_with_id(id);
        let described = match &self.description {
            Some(description) => {
                let text = format!("</title>\n<desc>{}</desc>", xml(description));
                svg.replacen("</title>", &text, 1)
            }
            None => svg,
        };
        match &self.heading {
            Some(heading) => {
                format!(
                    "<p class=\"diagram-heading\">{}</p>{described}",
                    xml(heading)
                )
            }
            None => described,
        }
    }
}
