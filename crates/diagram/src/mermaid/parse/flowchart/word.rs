//! The ids and other words of a flowchart.

use super::super::cursor::Cursor;

/// Whether another declaration of CSS follows.
pub(super) fn starts_with_declaration(text: &str) -> bool {
    let text = text.trim_start();
    let after = text.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '-');
    let value = after.trim_start();
    after.len() < text.len() && value.starts_with(':') && !value.starts_with("::")
}

/// Takes the id of a node. An arrow ends it, a single dash does not.
pub(super) fn take_id<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    let rest = cursor.rest();
    let mut chars = rest.char_indices().peekable();
    let mut end = 0;
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, next)| *next);
        let belongs = match c {
            '-' => !after.is_some_and(|next| matches!(next, '>' | '-' | '.')),
            '=' => after != Some('='),
            ':' => !rest[at..].starts_with(":::"),
            '%' => after != Some('%'),
            '&' => at > 0,
            '!' | '#' | '$' | '\'' | '*' | '+' | '.' | '/' | '?' | '\\' | '_' | '`' | ',' => true,
            _ => {
                c.is_ascii_alphanumeric()
                    || (!c.is_ascii() && !c.is_whitespace() && !c.is_control())
            }
        };
        if !belongs {
            break;
        }
        end = at + c.len_utf8();
    }
    cursor.take(end)
}

pub(super) fn is_class_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

pub(super) fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
