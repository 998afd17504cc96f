//! Resolves links and images, and rejects those that a page must not have.

use super::{Context, LinkTarget};
use base::uri;

/// The result of resolving a link.
#[derive(Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A place in the site or in the page.
    Inside(String),
    /// Another site, which is linked but never loaded.
    Outside(String),
    /// It exists, but not on the site.
    Elsewhere,
    /// It does not exist.
    Broken,
    /// A scheme that a page must not have, such as `javascript:`.
    Refused,
}

/// Resolves a link. `ids` returns how an anchor of this document is written in the page, or `None`.
pub fn resolve(
    target: &str,
    context: &Context<'_>,
    ids: &dyn Fn(&str) -> Option<String>,
) -> Resolved {
    let url = normal(target);
    if url.contains("{{") || url.contains("{%") {
        // A site generator fills it in.
        return Resolved::Elsewhere;
    }
    match scheme(&url).as_deref() {
        Some("http" | "https" | "mailto") => return Resolved::Outside(url),
        Some(_) => return Resolved::Refused,
        None if is_host_relative(&url) => return Resolved::Outside(url),
        None => {}
    }
    let fragment = url.strip_prefix('#');
    let fragment = fragment.map(|fragment| uri::decoded(fragment).unwrap_or(fragment.into()));
    if let Some(href) = fragment.and_then(|fragment| ids(&fragment)) {
        return Resolved::Inside(href);
    }
    match (context.link)(&url) {
        LinkTarget::Href(href) => Resolved::Inside(href),
        LinkTarget::Keep => Resolved::Inside(url),
        LinkTarget::Elsewhere => Resolved::Elsewhere,
        LinkTarget::Broken => Resolved::Broken,
    }
}

/// Whether loading this would contact another machine or run something. Errs on the side of yes.
pub fn is_off_site(url: &str) -> bool {
    let url = normal(url);
    scheme(&url).is_some() || is_host_relative(&url)
}

/// A URL as browsers read it: trimmed, and without line breaks and tabs.
fn normal(url: &str) -> String {
    url.trim_matches(|c: char| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect()
}

fn scheme(url: &str) -> Option<String> {
    let end = url.find([':', '/', '?', '#', '\\'])?;
    url[end..]
        .starts_with(':')
        .then(|| url[..end].to_ascii_lowercase())
}

/// Whether a URL is `//host/path`; browsers read a backslash as a slash.
fn is_host_relative(url: &str) -> bool {
    let mut bytes = url.bytes();
    let mut is_slash = || matches!(bytes.next(), Some(b'/' | b'\\'));
    is_slash() && is_slash()
}

/// Byte ranges of the addresses in plain text.
pub fn bare(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("://") {
        let colon = from + at;
        from = colon + 3;
        let Some(start) = ["https", "http"].iter().find_map(|scheme| {
            let start = colon.checked_sub(scheme.len())?;
            let is_scheme = text.get(start..colon)?.eq_ignore_ascii_case(scheme);
            is_scheme.then_some(start)
        }) else {
            continue;
        };
        let before = text[..start].chars().next_back();
        if before.is_some_and(char::is_alphanumeric)
            || found.last().is_some_and(|last| last.end > start)
        {
            continue;
        }
        let end = text[from..]
            .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`'))
            .map_or(text.len(), |len| from + len);
        let end = start + without_tail(&text[start..end]);
        if end > from {
            found.push(start..end);
            from = end;
        }
    }
    found
}

/// Length without punctuation that belongs to the sentence.
fn without_tail(url: &str) -> usize {
    let mut url = url;
    let mut surplus = url.matches(')').count() as i64 - url.matches('(').count() as i64;
    loop {
        match url.chars().next_back() {
            Some('?' | '!' | '.' | ',' | ':' | ';' | '*' | '_' | '~' | '\'') => {
                url = &url[..url.len() - 1]
            }
            Some(')') if surplus > 0 => {
                surplus -= 1;
                url = &url[..url.len() - 1];
            }
            _ => return url.len(),
        }
    }
}
