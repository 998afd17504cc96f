//! Points the links of a Markdown text elsewhere and leaves everything else as it is. Text in, text out.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Parser, Tag, TagEnd};

use super::options;

/// A link or image that is open.
struct Open {
    range: Range<usize>,
    href: Option<String>,
    /// From the beginning of the first child to the end of the last.
    inner: Option<Range<usize>>,
}

/// `markdown` with every link as `follow` resolves it; one that it resolves to nothing becomes its text. Links of diagrams
/// are removed.
pub fn relinked(markdown: &str, follow: &dyn Fn(&str) -> Option<String>) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut in_diagram = false;
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                in_diagram = &*info == "mermaid";
            }
            Event::End(TagEnd::CodeBlock) => in_diagram = false,
            Event::Text(_) if in_diagram => edits.extend(clicks(markdown, range)),
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) if has_target(link_type) => {
                let href = follow(&dest_url);
                open.push(Open {
                    range,
                    href,
                    inner: None,
                });
            }
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                ..
            }) if has_target(link_type) => {
                child(&mut open, &range);
                let href = follow(&dest_url);
                open.push(Open {
                    range,
                    href,
                    inner: None,
                });
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if open.last().is_some_and(|last| last.range == range) {
                    edits.extend(
                        open.pop()
                            .into_iter()
                            .flat_map(|one| rewritten(markdown, one)),
                    );
                }
            }
            _ => child(&mut open, &range),
        }
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut text = String::with_capacity(markdown.len());
    let mut at = 0;
    for (range, new) in edits {
        if range.start < at {
            continue;
        }
        text.push_str(&markdown[at..range.start]);
        text.push_str(&new);
        at = range.end;
    }
    text.push_str(&markdown[at..]);
    text
}

/// Whether a link is written with a target in parentheses or in a definition, and not as a bare address.
fn has_target(link_type: LinkType) -> bool {
    !matches!(link_type, LinkType::Autolink | LinkType::Email)
}

fn child(open: &mut [Open], range: &Range<usize>) {
    if let Some(last) = open.last_mut() {
        let start = last
            .inner
            .as_ref()
            .map_or(range.start, |inner| inner.start.min(range.start));
        let end = last
            .inner
            .as_ref()
            .map_or(range.end, |inner| inner.end.max(range.end));
        last.inner = Some(start..end);
    }
}

/// What replaces the beginning and the end of a link.
fn rewritten(markdown: &str, link: Open) -> Vec<(Range<usize>, String)> {
    let inner = link.inner.unwrap_or(link.range.start..link.range.start);
    let is_image = markdown[link.range.clone()].starts_with('!');
    let (before, after) = match link.href {
        Some(href) => {
            let mut after = String::from("](");
            base::uri::push_link(&mut after, &href);
            after.push(')');
            (if is_image { "![" } else { "[" }, after)
        }
        None => ("", String::new()),
    };
    vec![
        (link.range.start..inner.start, before.to_owned()),
        (inner.end..link.range.end, after),
    ]
}

/// The lines of a diagram that only link its nodes.
fn clicks(markdown: &str, range: Range<usize>) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = range.start;
    for line in markdown[range].split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_start().starts_with("click ") && line.contains(" href ") {
            found.push((at..end, String::new()));
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(markdown: &str) -> String {
        relinked(markdown, &|href| {
            href.strip_suffix(".md")
                .map(|stem| format!("https://x/{stem}"))
        })
    }

    #[test]
    fn links_lead_elsewhere_or_become_text() {
        assert_eq!(
            moved("| [A *b*](a.md) | [`c`](#c) | <https://d> | [e][f] |\n\n[f]: f.md\n"),
            "| [A *b*](https://x/a) | `c` | <https://d> | [e](https://x/f) |\n\n[f]: f.md\n"
        );
        assert_eq!(moved("[![alt](i.png)](a.md)"), "[alt](https://x/a)");
        assert_eq!(moved("[](a.md) [x](y)"), "[](https://x/a) x");
        assert_eq!(moved("`[a](a.md)`"), "`[a](a.md)`");
    }

    #[test]
    fn diagrams_lose_their_links_and_nothing_else() {
        let diagram =
            "```mermaid\ngraph LR\n  a[click me href x]\n  click a href \"a.html\"\n```\n";
        assert_eq!(
            moved(diagram),
            "```mermaid\ngraph LR\n  a[click me href x]\n```\n"
        );
    }

    #[test]
    fn any_text_ends() {
        for text in [
            "[",
            "![[[](",
            "[a](b",
            "[a](<b>)]](",
            "\u{e9}[\u{e9}](\u{e9})",
        ] {
            moved(&text.repeat(300));
        }
    }
}
