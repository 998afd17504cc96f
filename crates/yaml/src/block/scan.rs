//! Finds keys and scalars in a line.

use smol_str::SmolStr;

use crate::Style;

/// Maximum length of a key.
const MAX_KEY: usize = 1_000;

/// Whether a line begins with the dash of an item.
pub fn is_item(rest: &str) -> bool {
    rest == "-" || rest.starts_with("- ")
}

/// A key with its length as written.
pub struct FoundKey<'t> {
    pub text: &'t str,
    pub length: usize,
    pub style: Style,
}

/// The key that a line begins with.
pub fn key(rest: &str) -> Option<FoundKey<'_>> {
    let bytes = rest.as_bytes();
    let is_end =
        |at: usize| bytes.get(at) == Some(&b':') && matches!(bytes.get(at + 1), None | Some(b' '));
    let first = *bytes.first()?;
    if matches!(first, b'"' | b'\'') {
        let inside = &rest[1..];
        let length = inside.find(char::from(first))?;
        let text = &inside[..length];
        let is_simple = text.is_ascii() && !text.contains(['\\', '\t', '\r']);
        return (is_simple && length < MAX_KEY && is_end(length + 2)).then_some(FoundKey {
            text,
            length: length + 2,
            style: Style::Quoted,
        });
    }
    if !(first.is_ascii_alphanumeric() || matches!(first, b'_' | b'.' | b'/' | b'$')) {
        return None;
    }
    let longest = bytes.len().min(MAX_KEY);
    let length = (1..longest).find(|at| is_end(*at));
    base::steps::count(length.unwrap_or(longest));
    let length = length?;
    let text = &rest[..length];
    let is_simple = text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() || byte == b' ');
    let is_whole = is_simple && !text.ends_with(' ') && !text.contains(" #");
    is_whole.then_some(FoundKey {
        text,
        length,
        style: Style::Plain,
    })
}

/// The text of a quoted scalar that ends on its line, and its length as written.
pub fn quoted(rest: &str) -> Option<(SmolStr, usize)> {
    let bytes = rest.as_bytes();
    let quote = bytes[0];
    let mut at = 1;
    let mut is_changed = false;
    loop {
        match *bytes.get(at)? {
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => {
                is_changed = true;
                at += 2;
            }
            b'\\' if quote == b'"' => {
                is_changed = true;
                at += 2;
            }
            b'\t' | b'\r' => return None,
            byte if byte == quote => break,
            _ => at += 1,
        }
    }
    let inside = &rest[1..at];
    let text = if is_changed {
        decoded(inside, quote)?
    } else {
        inside.into()
    };
    Some((text, at + 1))
}

/// The text of a quoted scalar without its escapes.
pub fn decoded(inside: &str, quote: u8) -> Option<SmolStr> {
    if quote == b'\'' {
        return Some(inside.replace("''", "'").into());
    }
    let mut text = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => text.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                c @ (' ' | '"' | '\\' | '/') => c,
                _ => return None,
            }),
            c => text.push(c),
        }
    }
    Some(text.into())
}

/// The part of a line that is a plain scalar; nothing if the line is more than a scalar and a comment.
pub fn plain_line(rest: &str) -> Option<&str> {
    let bytes = rest.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        base::steps::count(1);
        match byte {
            b'\t' | b'\r' => return None,
            b':' if matches!(bytes.get(at + 1), None | Some(b' ')) => return None,
            b'#' if at > 0 && bytes[at - 1] == b' ' => {
                return Some(rest[..at].trim_end_matches(' '));
            }
            0xC2 | 0xE2 | 0xEF => {
                // Some line breaks and marks of Unicode are special.
                let c = rest[at..].chars().next()?;
                if matches!(
                    c,
                    '\u{85}' | '\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}'
                ) {
                    return None;
                }
            }
            byte if *byte < 0x20 => return None,
            _ => {}
        }
    }
    Some(rest.trim_end_matches(' '))
}
