//! Parts common to every kind of diagram: front matter, directives, comments, `accTitle` and `accDescr`. They are
//! blanked, so that line numbers stay the same.

use super::text;

/// A source without the common parts.
pub(super) struct MermaidSource {
    /// The first word: the kind of diagram.
    pub kind: String,
    /// Everything after the first word. Line 1 is the first line of the source.
    pub body: String,
    /// Offset in `body` of the rest of the first line, such as ` TD` in `flowchart TD`.
    pub header: usize,
    /// The title of the front matter.
    pub title: Option<String>,
    pub accessible_title: Option<String>,
    pub description: Option<String>,
}

pub(super) fn read(source: &str) -> MermaidSource {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let unix = source.replace("\r\n", "\n").replace('\r', "\n");
    let (front_lines, title) = read_front_matter(&unix);
    let clean = without_directives(&unix);
    let mut document = MermaidSource {
        kind: String::new(),
        body: "\n".repeat(front_lines),
        header: 0,
        title,
        accessible_title: None,
        description: None,
    };
    let mut lines = clean.split('\n').skip(front_lines);
    while let Some(line) = lines.next() {
        base::steps::count(line.len() + 1);
        let trimmed = line.trim();
        let is_comment = trimmed.starts_with("%%");
        if !is_comment && document.kind.is_empty() {
            document.kind = first_word(trimmed).to_owned();
            document.header = document.body.len();
            document.body.push_str(&trimmed[document.kind.len()..]);
        } else if let Some(value) = value_after(trimmed, "accTitle", ':') {
            document.accessible_title = text::plain(value);
        } else if let Some(value) = value_after(trimmed, "accDescr", ':') {
            document.description = text::plain(value);
        } else if let Some(value) = value_after(trimmed, "accDescr", '{') {
            read_description_block(value, &mut lines, &mut document);
        } else if !is_comment {
            document.body.push_str(line);
        }
        document.body.push('\n');
    }
    document
}

/// The kind of diagram: everything up to a blank or a `;`.
fn first_word(line: &str) -> &str {
    line.split(|c: char| c.is_whitespace() || c == ';')
        .next()
        .unwrap_or_default()
}

fn value_after<'a>(line: &'a str, key: &str, mark: char) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?.trim_start();
    rest.strip_prefix(mark)
}

/// Reads up to the `}` and leaves the lines of the block blank.
fn read_description_block<'a>(
    first: &str,
    lines: &mut impl Iterator<Item = &'a str>,
    document: &mut MermaidSource,
) {
    let mut description = String::new();
    let mut part = first;
    loop {
        if let Some((before, after)) = part.split_once('}') {
            description.push_str(before);
            document.body.push_str(after);
            break;
        }
        description.push_str(part);
        description.push(' ');
        let Some(next) = lines.next() else { break };
        document.body.push('\n');
        part = next;
    }
    document.description = text::plain(&description);
}

/// How many lines the front matter has, and its title.
fn read_front_matter(source: &str) -> (usize, Option<String>) {
    let mut lines = source.split('\n').enumerate();
    let opening = lines.find(|(_, line)| !line.trim().is_empty());
    if opening.is_none_or(|(_, line)| line.trim() != "---") {
        return (0, None);
    }
    let mut title = None;
    for (at, line) in lines {
        if line.trim() == "---" {
            return (at + 1, title);
        }
        if let Some(value) = value_after(line, "title", ':') {
            let value = value.trim();
            let is_quoted =
                |quote: char| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
            let bare = if is_quoted('"') || is_quoted('\'') {
                &value[1..value.len() - 1]
            } else {
                value
            };
            title = text::plain(bare);
        }
    }
    // Without an end it is no front matter.
    (0, None)
}

/// Without `%%{ … }%%`, which may span lines. Line breaks stay.
fn without_directives(source: &str) -> String {
    let mut clean = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("%%{") {
        let Some(length) = rest[start..].find("}%%") else {
            break;
        };
        let end = start + length + 3;
        clean.push_str(&rest[..start]);
        clean.extend(rest[start..end].chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    clean.push_str(rest);
    clean
}
