//! AsciiDoc as Markdown, line by line, as far as decisions need it: headings, attributes, lists, links and code. Line
//! numbers stay what they are.

/// The same text in Markdown. What has no counterpart becomes an empty line.
pub fn to_markdown(text: &str) -> String {
    let mut markdown = String::with_capacity(text.len() + 64);
    // The delimiter that ends a block of code or a comment.
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim_end();
        match open {
            Some(delimiter) => {
                let is_end = trimmed == delimiter;
                if is_end {
                    open = None;
                }
                match (delimiter.starts_with('/'), is_end) {
                    (true, _) => {}
                    (false, true) => markdown.push_str("```"),
                    // A fence of Markdown inside would end the block.
                    (false, false) => markdown.push_str(&line.replace("```", "'''")),
                }
            }
            None if is_delimiter(trimmed) => {
                open = Some(trimmed);
                if !trimmed.starts_with('/') {
                    markdown.push_str("```");
                }
            }
            None => markdown.push_str(&line_of_text(trimmed)),
        }
        markdown.push('\n');
    }
    markdown
}

/// `----`, `....` and `////` enclose what is not text.
fn is_delimiter(line: &str) -> bool {
    let mut letters = line.chars();
    let first = letters.next();
    line.len() >= 4
        && first.is_some_and(|first| {
            matches!(first, '-' | '.' | '/') && letters.all(|letter| letter == first)
        })
}

fn line_of_text(line: &str) -> String {
    let equals = line.bytes().take_while(|byte| *byte == b'=').count();
    if (1..=6).contains(&equals) && line[equals..].starts_with(' ') {
        return format!("{}{}", "#".repeat(equals), linked(&line[equals..]));
    }
    // `:status: accepted`
    if let Some((key, value)) = line
        .strip_prefix(':')
        .and_then(|rest| rest.split_once(": "))
    {
        let is_key = key
            .chars()
            .all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        return if is_key {
            format!("* {}: {}", key.replace(['-', '_'], " "), linked(value))
        } else {
            String::new()
        };
    }
    let is_attribute = line.starts_with(':') || line.starts_with('[') && line.ends_with(']');
    if is_attribute || line.starts_with("//") || line.starts_with("|===") {
        return String::new();
    }
    // `Status:: accepted`
    if let Some((key, value)) = line.split_once(":: ")
        && key.chars().count() <= 32
    {
        return format!("* {}: {}", key.trim(), linked(value));
    }
    // A row of two cells in one line.
    if let Some(row) = line.strip_prefix('|')
        && let Some((key, value)) = row.split_once('|')
    {
        return format!("* {}: {}", key.trim(), linked(value.trim()));
    }
    let dots = line.bytes().take_while(|byte| *byte == b'.').count();
    if dots > 0 && line[dots..].starts_with(' ') {
        return format!("1.{}", linked(&line[dots..]));
    }
    linked(line)
}

/// `xref:0002-queue.adoc[ADR-0002]` and `link:…[…]` as links. Searches only go forward, however many links are not closed.
fn linked(text: &str) -> String {
    let mut linked = String::with_capacity(text.len());
    let mut written = 0;
    let mut stops = NextSign::new(text, |c| c == '[' || c.is_whitespace());
    let mut closes = NextSign::new(text, |c| c == ']');
    for (colon, _) in text.match_indices(':') {
        let before = &text[written.min(colon)..colon];
        let word = ["xref", "link"]
            .into_iter()
            .find(|word| before.ends_with(word));
        let start = colon + 1;
        let Some(word) = word.filter(|_| written <= colon) else {
            continue;
        };
        let open = stops.from(start);
        let open = open.filter(|at| text[*at..].starts_with('['));
        let Some((open, close)) = open.and_then(|open| Some((open, closes.from(open)?))) else {
            continue;
        };
        linked.push_str(&text[written..colon - word.len()]);
        let target = &text[start..open];
        let title = match text[open + 1..close].trim() {
            "" => target,
            title => title,
        };
        linked.push_str(&format!("[{title}]({target})"));
        written = close + 1;
    }
    linked.push_str(&text[written..]);
    linked
}

/// Finds the next of some signs from positions that only grow.
struct NextSign<'t> {
    text: &'t str,
    is_sign: fn(char) -> bool,
    /// Where the last search ended.
    found: Option<usize>,
}

impl<'t> NextSign<'t> {
    fn new(text: &'t str, is_sign: fn(char) -> bool) -> NextSign<'t> {
        NextSign {
            text,
            is_sign,
            found: Some(0),
        }
    }

    fn from(&mut self, start: usize) -> Option<usize> {
        let known = self.found?;
        if known >= start && self.text[known..].starts_with(self.is_sign) {
            return Some(known);
        }
        let length = self.text[start..].find(self.is_sign);
        base::steps::count(length.unwrap_or(self.text.len() - start));
        self.found = length.map(|length| start + length);
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_are_not_closed_stay_as_they_are() {
        for text in [
            "xref:a link:b",
            "link:a[b xref:c",
            "a: b:c [d]",
            "xref:a b[c]",
        ] {
            assert_eq!(linked(text), text);
        }
        assert_eq!(linked("xref:xref:a[] b"), "[xref:a](xref:a) b");
        assert_eq!(
            linked("see link:a[b] and xref:c[]"),
            "see [b](a) and [c](c)"
        );
    }

    #[test]
    fn headings_attributes_links_and_code_become_markdown_on_their_own_lines() {
        let text = "= ADR 4: Use a queue\n:status: Accepted\n:toc:\n\n== Decision\n\nSee xref:0002-x.adoc[ADR 2].\n\n[source,yaml]\n----\n== not a heading\n----\nStatus:: Superseded by link:0009.adoc[]\n";
        let expected = "# ADR 4: Use a queue\n* status: Accepted\n\n\n## Decision\n\nSee [ADR 2](0002-x.adoc).\n\n\n```\n== not a heading\n```\n* Status: Superseded by [0009.adoc](0009.adoc)\n";
        assert_eq!(to_markdown(text), expected);
    }

    #[test]
    fn what_is_not_closed_ends_with_the_text() {
        for text in [
            "----\nx",
            "xref:",
            "xref:a[",
            "link:b c[d]",
            ":",
            "::",
            "= ",
            "|",
        ] {
            assert_eq!(
                to_markdown(text).lines().count(),
                text.lines().count(),
                "{text}"
            );
        }
    }
}
