//! How far things reach that have an end of their own: placeholders, templates and brackets.

/// How long `<name>` is, if that is what begins here. A name has no blanks, or words with single ones between.
pub fn placeholder(text: &str) -> Option<usize> {
    const LONGEST: usize = 64;
    let inside = text.strip_prefix('<')?;
    let inside = &inside[..inside.floor_char_boundary(LONGEST)];
    let end = inside.find(['>', '\n'])?;
    let (name, rest) = inside.split_at(end);
    let is_name = name.starts_with(|c: char| c.is_alphabetic())
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || " -_./|:".contains(c))
        && !name.contains("  ");
    (rest.starts_with('>') && is_name).then_some(end + 2)
}

/// How long `{{ … }}` is, if that is what begins here.
pub fn template(text: &str) -> Option<usize> {
    const LONGEST: usize = 128;
    let inside = text.strip_prefix("{{")?;
    let inside = &inside[..inside.floor_char_boundary(LONGEST)];
    let end = inside.find("}}")?;
    (!inside[..end].contains('\n')).then_some(end + 4)
}

/// Position of the bracket that closes the one at the start of `text`; respects quotes.
pub fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        let was_escaped = escaped;
        escaped = c == '\\' && !was_escaped && quote != Some('\'');
        if was_escaped {
            continue;
        }
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if c == open => depth += 1,
            (None, c) if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
