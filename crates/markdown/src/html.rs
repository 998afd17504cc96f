//! HTML as a type: outside text is escaped or sanitised before it becomes `Html`.

use serde::Serialize;

use base::replace::{Table, push_replaced};

/// HTML that is safe to include in a page: written here, with all outside text escaped or sanitised.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Html(pub(crate) String);

impl Html {
    /// Wraps `markup` unchecked; for markup that this program wrote.
    pub fn trusted(markup: String) -> Html {
        Html(markup)
    }

    /// Empty, with capacity for this many bytes.
    pub fn with_capacity(bytes: usize) -> Html {
        Html(String::with_capacity(bytes))
    }

    /// Escapes `text` for use in an element or a quoted attribute.
    pub fn escape(text: &str) -> Html {
        let mut markup = String::with_capacity(text.len() + text.len() / 16);
        push_attribute(&mut markup, text);
        Html(markup)
    }

    /// Appends constant markup.
    pub fn markup(&mut self, markup: &'static str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Appends escaped text.
    pub fn text(&mut self, text: &str) -> &mut Html {
        push_attribute(&mut self.0, text);
        self
    }

    /// Appends markup that was made before.
    pub fn html(&mut self, markup: &Html) -> &mut Html {
        self.0.push_str(&markup.0);
        self
    }

    /// Appends a copy of everything from `start` on, and returns its offset.
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

/// Appends `text`, escaped for the contents of an element.
pub(crate) fn push_text(markup: &mut String, text: &str) {
    push_replaced::<InText>(markup, text);
}

/// Appends `text`, escaped for a quoted attribute.
pub(crate) fn push_attribute(markup: &mut String, text: &str) {
    push_replaced::<InAttribute>(markup, text);
}

/// Quotes need no escaping in the contents of an element.
struct InText;

impl Table for InText {
    const PAIRS: &'static [(u8, &'static str)] = &[(b'&', "&amp;"), (b'<', "&lt;"), (b'>', "&gt;")];
}

/// The bytes to escape in a quoted attribute.
pub struct InAttribute;

impl Table for InAttribute {
    const PAIRS: &'static [(u8, &'static str)] = &[
        (b'&', "&amp;"),
        (b'<', "&lt;"),
        (b'>', "&gt;"),
        (b'"', "&quot;"),
        (b'\'', "&#39;"),
    ];
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
}
