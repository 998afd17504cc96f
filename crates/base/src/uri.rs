//! Percent-encoding in addresses.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::replace::{Replacements, push_replaced};

/// Bytes that a path of an address cannot contain. `:` is one of them: it would end a scheme.
const NOT_IN_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/')
    .remove(b'@')
    .remove(b'+')
    .remove(b',')
    .remove(b'=')
    .remove(b'!');

/// Everything but what no address needs to encode.
const NOT_IN_COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// `path` as a path of an address.
pub fn path(path: &str) -> Cow<'_, str> {
    utf8_percent_encode(path, NOT_IN_PATH).into()
}

/// `text` as a value in a path, query or fragment of an address: it ends none of them.
pub fn component(text: &str) -> Cow<'_, str> {
    utf8_percent_encode(text, NOT_IN_COMPONENT).into()
}

/// An address without `%20` and the like; none if the result is not UTF-8. A `%` without two digits stays.
pub fn decoded(text: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(text).decode_utf8().ok()
}

/// The host of an address, without scheme, login, port, path and query. A variable in braces counts as a part of it.
pub fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let mut depth = 0;
    let end = rest.find(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth <= 0 && matches!(c, '/' | '?' | '#' | ':')
    });
    let authority = &rest[..end.unwrap_or(rest.len())];
    authority.rsplit('@').next().unwrap_or_default()
}

/// Whether two digits follow every `%`.
pub fn is_well_formed(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Appends an address in which the characters that end a link in Markdown or a quoted text are encoded.
pub fn push_link(to: &mut String, href: &str) {
    push_replaced::<Delimiters>(to, href);
}

struct Delimiters;

impl Replacements for Delimiters {
    const PAIRS: &'static [(u8, &'static str)] = &[
        (b' ', "%20"),
        (b'(', "%28"),
        (b')', "%29"),
        (b'<', "%3C"),
        (b'>', "%3E"),
        (b'{', "%7B"),
        (b'}', "%7D"),
        (b'[', "%5B"),
        (b']', "%5D"),
        (b'"', "%22"),
        (b'\'', "%27"),
        (b'`', "%60"),
        (b'|', "%7C"),
        (b'\\', "%5C"),
        (b'*', "%2A"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_encoded_and_decoded() {
        assert_eq!(path("a b/c#d:é.yaml"), "a%20b/c%23d%3A%C3%A9.yaml");
        assert_eq!(decoded("a%2Fb%20c").as_deref(), Some("a/b c"));
        assert_eq!(decoded("%252e").as_deref(), Some("%2e"));
        assert_eq!(decoded("%c3%a9").as_deref(), Some("é"));
        for odd in ["%", "%4", "%zz", "%+4"] {
            assert_eq!(decoded(odd).as_deref(), Some(odd));
            assert!(!is_well_formed(odd) && is_well_formed("%c3a%A9"));
        }
        assert_eq!(decoded("%ff"), None);
    }
}
