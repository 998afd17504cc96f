//! Reads raw HTML tag by tag. It need not agree with browsers in everything: the sanitiser has the last word.

use base::markup::unescaped;

/// The next token of raw HTML.
pub enum Token<'h> {
    Text(&'h str),
    /// A `<` that begins no complete tag.
    Stray,
    /// A comment, a declaration or a processing instruction.
    Comment,
    Tag(Tag),
}

pub struct Tag {
    /// In lower case.
    pub name: String,
    pub is_end: bool,
    /// Names in lower case; values with entities decoded.
    pub attributes: Vec<(String, String)>,
}

/// Maximum length of a tag, so that the end of an unclosed one is not searched for in the whole page.
const MAX_TAG_BYTES: usize = 8 * 1024;

/// The tokens of raw HTML, each with its offset.
pub struct HtmlTokens<'h> {
    html: &'h str,
    at: usize,
    /// Whether a comment can still end; once none does, no later one can.
    comments_end: bool,
    /// Elements that no later tag closes.
    endless: Vec<String>,
}

impl<'h> HtmlTokens<'h> {
    pub fn new(html: &'h str) -> HtmlTokens<'h> {
        HtmlTokens {
            html,
            at: 0,
            comments_end: true,
            endless: Vec::new(),
        }
    }

    /// Skips everything up to and including the end tag of `name`, if there is one.
    pub fn skip_element(&mut self, name: &str) {
        if self.endless.iter().any(|endless| endless == name) {
            return;
        }
        match end_of(&self.html[self.at..], name) {
            Some(len) => self.at += len,
            None => self.endless.push(name.to_owned()),
        }
    }

    fn comment(&mut self, rest: &str) -> Option<usize> {
        if !self.comments_end {
            return None;
        }
        let end = rest.find("-->").map(|end| end + 3);
        self.comments_end = end.is_some();
        end
    }
}

impl<'h> Iterator for HtmlTokens<'h> {
    type Item = (usize, Token<'h>);

    fn next(&mut self) -> Option<Self::Item> {
        let (html, at) = (&self.html[self.at..], self.at);
        let (token, len) = match html.find('<') {
            None if html.is_empty() => return None,
            None => (Token::Text(html), html.len()),
            Some(0) => self.markup(html),
            Some(start) => (Token::Text(&html[..start]), start),
        };
        self.at += len;
        Some((at, token))
    }
}

impl<'h> HtmlTokens<'h> {
    /// The token that the `<` at the start of `html` begins.
    fn markup(&mut self, html: &'h str) -> (Token<'h>, usize) {
        if let Some(rest) = html.strip_prefix("<!--") {
            let end = self.comment(rest);
            return end.map_or((Token::Stray, 1), |end| (Token::Comment, end + 4));
        }
        let most = (0..=html.len().min(MAX_TAG_BYTES)).rev();
        let head = &html[..most
            .into_iter()
            .find(|at| html.is_char_boundary(*at))
            .unwrap_or(0)];
        if html.starts_with("<!") || html.starts_with("<?") {
            let end = head.find('>');
            return end.map_or((Token::Stray, 1), |end| (Token::Comment, end + 1));
        }
        match tag(head) {
            Some((tag, len)) => (Token::Tag(tag), len),
            None => (Token::Stray, 1),
        }
    }
}

/// The offset after the end tag of `name`.
fn end_of(html: &str, name: &str) -> Option<usize> {
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

fn tag(html: &str) -> Option<(Tag, usize)> {
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
    // Anything but a name could mean something else once it is written again.
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        return None;
    }
    rest = &rest[end..];
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(after) = rest.strip_prefix('>') {
            let len = html.len() - after.len();
            let tag = Tag {
                name,
                is_end,
                attributes,
            };
            return Some((tag, len));
        }
        let (key, value, after) = attribute(rest)?;
        let is_name = key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_name && !key.is_empty() {
            attributes.push((key.to_ascii_lowercase(), unescaped(value)));
        }
        rest = after;
    }
}

/// Name, value and the rest; `None` if the tag does not end.
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
