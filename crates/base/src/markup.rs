//! Text in HTML and XML, escaped and read back.

use std::borrow::Cow;

use crate::replace::{Replacements, push_replaced};

/// Text inside an element, where a quote is only a quote.
pub struct InText;

impl Replacements for InText {
    const PAIRS: &'static [(u8, &'static str)] = &[(b'&', "&amp;"), (b'<', "&lt;"), (b'>', "&gt;")];
}

/// Text inside a quoted attribute.
pub struct InAttribute;

impl Replacements for InAttribute {
    const PAIRS: &'static [(u8, &'static str)] = &[
        (b'&', "&amp;"),
        (b'<', "&lt;"),
        (b'>', "&gt;"),
        (b'"', "&quot;"),
        (b'\'', "&#39;"),
    ];
}

/// Appends `text` for the inside of an element.
pub fn push_text(markup: &mut String, text: &str) {
    push_replaced::<InText>(markup, text);
}

/// Appends `text` for a quoted attribute.
pub fn push_attribute(markup: &mut String, text: &str) {
    push_replaced::<InAttribute>(markup, text);
}

/// `text` for an element or attribute of XML, which cannot represent most control characters: they are left out.
pub fn xml(text: &str) -> Cow<'_, str> {
    // Most text is plain, and pages are many.
    let is_plain =
        |byte: u8| (b' '..0x7f).contains(&byte) && !InAttribute::IS_WANTED[usize::from(byte)];
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let is_lost = |c: char| match c {
        '\n' | '\t' => false,
        _ => c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'),
    };
    let mut markup = String::with_capacity(text.len() + 16);
    for piece in text.split(is_lost) {
        push_attribute(&mut markup, piece);
    }
    Cow::Owned(markup)
}

/// The text that `markup` without tags shows. Knows numbers and the names that addresses and titles use; other entities
/// stay as they are.
pub fn unescaped(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let read = end.and_then(|end| Some((entity(&rest[1..end])?, end + 1)));
        let (c, len) = read.unwrap_or(('&', 1));
        text.push(c);
        rest = &rest[len..];
    }
    text.push_str(rest);
    text
}

fn entity(name: &str) -> Option<char> {
    let code = match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        "colon" => return Some(':'),
        "Tab" | "NewLine" => return Some('\n'),
        name => name.strip_prefix('#')?,
    };
    let code = match code.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => code.parse().ok()?,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_is_read_back_and_xml_can_hold_it() {
        let text = "<a title='x'> & \"é\"\n";
        assert_eq!(
            xml(text),
            "&lt;a title=&#39;x&#39;&gt; &amp; &quot;é&quot;\n"
        );
        assert_eq!(unescaped(&xml(text)), text);
        assert_eq!(
            unescaped("&amp;lt; &#x41; &unknown; &"),
            "&lt; A &unknown; &"
        );
        assert_eq!(xml("a\u{1b}\u{0}\u{ffff}b"), "ab");
    }
}
