//! Writes highlighted code with as few elements as possible.

use super::super::Html;
use super::HighlightClass;
use base::markup::push_text;

/// Markup under construction. Adjacent pieces of one class share an element, even across white space.
pub struct Spans {
    markup: String,
    open: Option<HighlightClass>,
    /// White space that belongs to the open element only if its class continues after it.
    space: String,
}

impl Spans {
    pub fn with_capacity(bytes: usize) -> Spans {
        Spans {
            markup: String::with_capacity(bytes),
            open: None,
            space: String::new(),
        }
    }

    pub fn push(&mut self, class: impl Into<Option<HighlightClass>>, text: &str) {
        let core = text.trim_ascii_start();
        self.space.push_str(&text[..text.len() - core.len()]);
        let (core, tail) = core.split_at(core.trim_ascii_end().len());
        if core.is_empty() {
            return;
        }
        let class = class.into();
        if class == self.open {
            self.flush_space();
        } else {
            self.close();
            if let Some(class) = class {
                // The shortest element there is: a page has thousands.
                self.markup.push_str("<i class=");
                self.markup.push(class.letter());
                self.markup.push('>');
            }
            self.open = class;
        }
        push_text(&mut self.markup, core);
        self.space.push_str(tail);
    }

    pub fn finish(mut self) -> Html {
        self.close();
        Html(self.markup)
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.markup.push_str("</i>");
        }
        self.flush_space();
    }

    fn flush_space(&mut self) {
        self.markup.push_str(&self.space);
        self.space.clear();
    }
}
