//! From text to markup: code, Markdown and pictures as HTML.
//! Pure functions of what they are given; they read no files and know nothing of the catalogue.

use serde::Serialize;

/// Diagrams as Mermaid, as pictures and in words.
pub mod diagram;

/// Code in colours.
pub mod highlight;

/// Markdown pages in parts.
pub mod markdown;

/// The Mermaid diagrams that authors write, as pictures.
pub mod mermaid;

/// Templates, style and script.
pub mod theme;

/// Markup that may stand in a page as it is: made here, with everything that came from outside escaped or sanitised.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Html(String);

impl Html {
    /// Takes `markup` at its word; for markup that this program wrote.
    pub fn trusted(markup: String) -> Html {
        Html(markup)
    }

    /// None yet, with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Html {
        Html(String::with_capacity(bytes))
    }

    /// `text` as markup that shows it, in an element or in a quoted attribute.
    pub fn escape(text: &str) -> Html {
        let mut markup = String::with_capacity(text.len() + text.len() / 16);
        push_attribute(&mut markup, text);
        Html(markup)
    }

    /// Appends markup that stands in this program.
    pub fn markup(&mut self, markup: &'static str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Appends `text` as markup that shows it.
    pub fn text(&mut self, text: &str) -> &mut Html {
        push_attribute(&mut self.0, text);
        self
    }

    /// Appends markup that was made before.
    pub fn html(&mut self, markup: &Html) -> &mut Html {
        self.0.push_str(&markup.0);
        self
    }

    /// Appends what stands from `start` on once more, and says where that begins.
    pub fn repeat_from(&mut self, start: usize) -> usize {
        let end = self.0.len();
        self.0.extend_from_within(start..);
        end
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Appends `text` for the inside of an element, where a quote is only a quote.
fn push_text(markup: &mut String, text: &str) {
    push_escaped(markup, text, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        _ => None,
    });
}

/// Appends `text` for a quoted attribute.
fn push_attribute(markup: &mut String, text: &str) {
    push_escaped(markup, text, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'"' => Some("&quot;"),
        b'\'' => Some("&#39;"),
        _ => None,
    });
}

/// Most text needs nothing, so it is looked at in pieces that a processor compares at once.
fn push_escaped(markup: &mut String, text: &str, escape: impl Fn(u8) -> Option<&'static str>) {
    let (pieces, rest) = text.as_bytes().as_chunks::<16>();
    let mut copied = 0;
    let mut write = |start: usize, bytes: &[u8]| {
        for (at, byte) in (start..).zip(bytes) {
            if let Some(entity) = escape(*byte) {
                markup.push_str(&text[copied..at]);
                markup.push_str(entity);
                copied = at + 1;
            }
        }
    };
    for (at, piece) in (0..).step_by(16).zip(pieces) {
        if piece.iter().fold(false, |any, byte| any | is_markup(*byte)) {
            write(at, piece);
        }
    }
    write(text.len() - rest.len(), rest);
    markup.push_str(&text[copied..]);
}

/// Every byte that may have to be escaped somewhere.
fn is_markup(byte: u8) -> bool {
    (byte == b'&') | (byte == b'<') | (byte == b'>') | (byte == b'"') | (byte == b'\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_is_safe_in_elements_and_attributes() {
        let html = Html::escape(r#"<a href="x" title='y'> & é"#);
        assert_eq!(
            html.as_str(),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt; &amp; é"
        );
    }

    #[test]
    fn text_is_escaped_wherever_it_stands() {
        for length in 0..40 {
            let before = "é".repeat(length);
            let html = Html::escape(&format!("{before}<{before}>"));
            assert_eq!(html.as_str(), format!("{before}&lt;{before}&gt;"));
        }
    }
}
