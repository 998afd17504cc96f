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
    let url = with_line(normal(target));
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
    if let Some(href) = fragment.as_ref().and_then(|fragment| ids(fragment)) {
        return Resolved::Inside(href);
    }
    // Browsers scroll to the top, whatever the page contains.
    if fragment.is_some_and(|fragment| fragment.eq_ignore_ascii_case("top")) {
        return Resolved::Inside("#".to_owned());
    }
    match (context.link)(&url) {
        LinkTarget::Href(href) => Resolved::Inside(href),
        LinkTarget::Keep => Resolved::Inside(url),
        LinkTarget::Elsewhere => Resolved::Elsewhere,
        LinkTarget::Broken => Resolved::Broken,
    }
}

/// A link to a line of a file, as editors write it, in the form of the hosts of repos: `main.go:12-15` is
/// `main.go#L12-L15`.
fn with_line(url: String) -> String {
    let Some((path, lines)) = url.rsplit_once(':') else {
        return url;
    };
    let is_file = path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.') && !name.contains([':', '#', '?']));
    let numbers: Vec<&str> = lines.split('-').collect();
    let is_file = is_file && !path.contains("//");
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match numbers.as_slice() {
        [first] if is_file && is_number(first) => format!("{path}#L{first}"),
        [first, last] if is_file && is_number(first) && is_number(last) => {
            format!("{path}#L{first}-L{last}")
        }
        _ => url,
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
    let mut progress = base::steps::ScanProgress::default();
    while let Some(at) = text[from..].find("://") {
        progress.turn(from + at);
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
        base::steps::count(end - start);
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
