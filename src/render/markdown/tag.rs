//! Reads raw HTML tag by tag. It need not agree with a browser in everything: the sanitiser has the last word.

/// What stands next in raw HTML.
pub enum Token<'h> {
    Text(&'h str),
    /// A `<` that begins nothing whole.
    Stray,
    /// A comment, a declaration or a processing instruction.
    Comment,
    Tag(Tag<'h>),
}

pub struct Tag<'h> {
    /// In small letters.
    pub name: String,
    pub is_end: bool,
    /// Names in small letters; values with their entities read.
    pub attributes: Vec<(String, String)>,
    #[allow(dead_code, reason = "shown when a test fails")]
    pub source: &'h str,
}

/// The first token of `html`, and its length, which is never 0 unless `html` is empty.
pub fn next(html: &str) -> (Token<'_>, usize) {
    let start = html.find('<').unwrap_or(html.len());
    if start > 0 {
        return (Token::Text(&html[..start]), start);
    }
    if html.starts_with("<!--") {
        let end = html[4..].find("-->").map(|end| end + 7);
        return end.map_or((Token::Stray, 1), |end| (Token::Comment, end));
    }
    if html.starts_with("<!") || html.starts_with("<?") {
        let end = html.find('>').map(|end| end + 1);
        return end.map_or((Token::Stray, 1), |end| (Token::Comment, end));
    }
    match tag(html) {
        Some((tag, len)) => (Token::Tag(tag), len),
        None => (Token::Stray, html.len().min(1)),
    }
}

/// How far it is to behind the end tag of `name`.
pub fn end_of(html: &str, name: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = html[at..].find("</") {
        let start = at + found;
        let after = html.get(start + 2..start + 2 + name.len());
        if after.is_some_and(|after| after.eq_ignore_ascii_case(name)) {
            return html[start..].find('>').map(|end| start + end + 1);
        }
        at = start + 2;
    }
    None
}

fn tag(html: &str) -> Option<(Tag<'_>, usize)> {
    let mut rest = html.strip_prefix('<')?;
    let is_end = rest.starts_with('/');
    if is_end {
        rest = &rest[1..];
    }
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>')?;
    let name = rest[..end].to_ascii_lowercase();
    // What is not a name could say anything once it is written again.
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return None;
    }
    rest = &rest[end..];
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(after) = rest.strip_prefix('>') {
            let len = html.len() - after.len();
            let source = &html[..len];
            let tag = Tag {
                name,
                is_end,
                attributes,
                source,
            };
            return Some((tag, len));
        }
        let (key, value, after) = attribute(rest)?;
        let is_name = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_name && !key.is_empty() {
            attributes.push((key.to_ascii_lowercase(), unescape(value)));
        }
        rest = after;
    }
}

/// Name, value, and what follows; none where the tag does not end.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    // A `=` may be the first character of a name.
    let first = text.chars().next()?.len_utf8();
    let end = text[first..].find(|c: char| c.is_ascii_whitespace() || "=/>".contains(c))? + first;
    let (key, rest) = text.split_at(end);
    let space = |c: char| c.is_ascii_whitespace();
    let Some(value) = rest.trim_start_matches(space).strip_prefix('=') else {
        return Some((key, "", rest));
    };
    let value = value.trim_start_matches(space);
    match value.chars().next()? {
        quote @ ('"' | '\'') => {
            let (value, after) = value[1..].split_once(quote)?;
            Some((key, value, after))
        }
        _ => {
            let end = value.find(|c: char| c.is_ascii_whitespace() || c == '>')?;
            Some((key, &value[..end], &value[end..]))
        }
    }
}

/// Reads the entities that addresses and titles have; others stay as they are.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
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
