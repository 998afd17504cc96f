//! The names of classes, with their type parameters.

use super::super::cursor::Cursor;
use super::super::text;

/// Takes the name of a class: `` `any text` ``, `a.b-c`, `List~int~`.
pub(super) fn take_name<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    let rest = cursor.rest();
    let quoted = rest
        .strip_prefix('`')
        .and_then(|inner| inner.find('`'))
        .map_or(0, |length| length + 2);
    let mut depth = 0_usize;
    let mut previous = ' ';
    let end = rest[quoted..].char_indices().find(|(at, c)| {
        let here = &rest[quoted + at..];
        if *c == '~' {
            let opens = here[1..].starts_with(|next: char| next.is_alphanumeric() || next == '_');
            depth = if opens && previous.is_alphanumeric() {
                depth + 1
            } else {
                depth.saturating_sub(1)
            };
        }
        previous = *c;
        let in_type = depth > 0 && *c != '\n' && *c != '{';
        let is_line = here.starts_with("--") || here.starts_with("..");
        let is_name = c.is_alphanumeric()
            || matches!(c, '_' | '-' | '.' | '~')
            || (!c.is_ascii() && !c.is_whitespace());
        !in_type && (is_line || !is_name)
    });
    cursor.take(end.map_or(rest.len(), |(at, _)| quoted + at))
}

/// The name without its type parameters.
pub(super) fn class_id(name: &str) -> &str {
    let id = name.split('~').next().unwrap_or(name);
    text::between(id, '`').unwrap_or(id)
}
