//! A diagram as Mermaid source, with ids of its own so that labels may contain anything.

use std::fmt::Write;

use super::glyph::clean;
use super::{
    Body, Class, Diagram, Direction, Flow, Layout, Line, Node, Reply, Sequence, push_all, safe,
};

pub fn write(diagram: &Diagram) -> String {
    match &diagram.body {
        Body::Flow(flow) => write_flow(flow),
        Body::Sequence(sequence) => write_sequence(sequence),
    }
}

fn write_flow(flow: &Flow) -> String {
    let mut out = String::from(match flow.layout {
        Layout::Layered(Direction::Down) => "graph TD\n",
        Layout::Layered(Direction::Right) | Layout::Neighbourhood { .. } => "graph LR\n",
    });
    let group_of = |node: &Node| node.group.filter(|group| *group < flow.groups.len());
    let mut members = vec![Vec::new(); flow.groups.len()];
    for (index, node) in flow.nodes.iter().enumerate() {
        match group_of(node) {
            Some(group) => members[group].push(index),
            None => write_node(&mut out, "  ", index, node),
        }
    }
    for (index, (group, members)) in flow.groups.iter().zip(&members).enumerate() {
        // An empty subgraph would be drawn as a node.
        if members.is_empty() {
            continue;
        }
        push_id(&mut out, "  subgraph g", index);
        out.push_str("[\"");
        push_escaped(&mut out, &group.label);
        out.push_str("\"]\n");
        for &member in members {
            write_node(&mut out, "    ", member, &flow.nodes[member]);
        }
        out.push_str("  end\n");
    }
    for edge in flow.merged() {
        let arrow = match edge.line {
            Line::Solid => "-->",
            Line::Dashed => "-.->",
            Line::Bold => "==>",
        };
        push_id(&mut out, "  n", edge.from);
        push_all(&mut out, &[" ", arrow]);
        if let Some(label) = &edge.label {
            out.push_str("|\"");
            push_escaped(&mut out, label);
            out.push_str("\"|");
        }
        push_id(&mut out, " n", edge.to);
        out.push('\n');
    }
    for (index, node) in flow.nodes.iter().enumerate() {
        if let Some(href) = node.href.as_deref().and_then(safe) {
            push_id(&mut out, "  click n", index);
            out.push_str(" href \"");
            push_address(&mut out, href);
            out.push_str("\"\n");
        }
    }
    write_classes(&mut out, flow);
    out
}

fn write_node(out: &mut String, indent: &str, index: usize, node: &Node) {
    let (open, close) = match node.class {
        Class::Store => ("[(\"", "\")]\n"),
        Class::Secret => ("([\"", "\"])\n"),
        Class::External => ("(\"", "\")\n"),
        _ => ("[\"", "\"]\n"),
    };
    out.push_str(indent);
    push_id(out, "n", index);
    out.push_str(open);
    push_escaped(out, &node.label);
    let detail = node.detail.as_deref().map(clean).unwrap_or_default();
    if !detail.is_empty() {
        out.push_str("<br/>");
        push_escaped(out, &detail);
    }
    out.push_str(close);
}

fn push_id(out: &mut String, before: &str, index: usize) {
    out.push_str(before);
    let _ = write!(out, "{index}");
}

/// The two that must be told apart even in Mermaid's own colours.
fn write_classes(out: &mut String, flow: &Flow) {
    let styles = [
        (Class::Current, "current", "stroke-width:3px"),
        (
            Class::Disabled,
            "disabled",
            "stroke-dasharray:4 4,opacity:0.6",
        ),
        (Class::Missing, "missing", "stroke-dasharray:2 2"),
    ];
    for (class, name, style) in styles {
        let nodes = flow.nodes.iter().enumerate();
        let ids: Vec<String> = nodes
            .filter(|(_, node)| node.class == class)
            .map(|(index, _)| format!("n{index}"))
            .collect();
        if !ids.is_empty() {
            let _ = writeln!(out, "  classDef {name} {style}");
            let _ = writeln!(out, "  class {} {name}", ids.join(","));
        }
    }
}

fn write_sequence(sequence: &Sequence) -> String {
    let mut out = String::from("sequenceDiagram\n");
    for (index, participant) in sequence.participants.iter().enumerate() {
        push_id(&mut out, "  participant p", index);
        out.push_str(" as ");
        push_escaped(&mut out, &participant.label);
        out.push('\n');
    }
    for (index, participant) in sequence.participants.iter().enumerate() {
        let href = participant.href.as_deref().and_then(safe);
        // A fragment would start a comment.
        let href = href.and_then(|href| href.split('#').next());
        if let Some(href) = href.filter(|href| !href.is_empty()) {
            push_id(&mut out, "  link p", index);
            out.push_str(": ");
            push_escaped(&mut out, &participant.label);
            out.push_str(" @ ");
            push_address(&mut out, href);
            out.push('\n');
        }
    }
    let known = sequence.participants.len();
    for message in &sequence.messages {
        if message.from.max(message.to) < known {
            let arrow = match message.reply {
                Reply::No => "->>p",
                Reply::Yes => "-->>p",
            };
            push_id(&mut out, "  p", message.from);
            push_id(&mut out, arrow, message.to);
            out.push_str(": ");
            push_escaped(&mut out, &message.text);
            out.push('\n');
        }
    }
    out
}

/// Text that means nothing to Mermaid, to its Markdown, to its comments and to HTML. It decodes
/// `#name;` and `#number;` once the source has been parsed.
fn push_escaped(out: &mut String, text: &str) {
    let text = clean(text);
    if text.is_empty() {
        out.push_str("#160;");
        return;
    }
    // Most labels are plain words.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_./()[],=".contains(&byte);
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(is_plain) {
        out.push_str(&text);
        return;
    }
    let list = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let list_at = match list.chars().next() {
        Some('.' | ')' | '-' | '+') => text.len() - list.len(),
        _ => usize::MAX,
    };
    for (at, c) in text.char_indices() {
        match c {
            '"' => out.push_str("#quot;"),
            '&' => out.push_str("#amp;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '#' | ';' | '%' | '`' | '*' | '$' | '\\' | '@' => push_code(out, c),
            // A list in Markdown, and `wrap:` before a message.
            '.' | ')' | '-' | '+' if at == list_at => push_code(out, c),
            ':' if special_colon(&text, at) => push_code(out, c),
            _ => out.push(c),
        }
    }
}

fn push_code(out: &mut String, c: char) {
    let _ = write!(out, "#{};", u32::from(c));
}

/// Before it parses anything, Mermaid drops the last semicolon of what looks like a style.
fn special_colon(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with("wrap") || text.contains("style") || text.contains("classDef")
}

/// A link between double quotes.
fn push_address(out: &mut String, href: &str) {
    for c in href.chars() {
        match c {
            '"' | '<' | '>' | '{' | '}' | '`' | ';' | ' ' => {
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escape(text: &str) -> String {
        let mut out = String::new();
        push_escaped(&mut out, text);
        out
    }

    #[test]
    fn a_label_cannot_end_its_quotes_or_become_markup() {
        assert_eq!(escape("a \"b\" [c]"), "a #quot;b#quot; [c]");
        assert_eq!(escape("<script>"), "#lt;script#gt;");
        assert_eq!(escape("x\n  end\n"), "x end");
        assert_eq!(
            escape("#quot; `b` %%{init}"),
            "#35;quot#59; #96;b#96; #37;#37;{init}"
        );
        assert_eq!(escape("1. first"), "1#46; first");
        assert_eq!(escape("style: #1"), "style#58; #35;1");
        assert_eq!(escape(" \u{7} "), "#160;");
        assert_eq!(escape("証明書 → é"), "証明書 → é");
    }

    #[test]
    fn a_link_stays_within_its_quotes() {
        let mut out = String::new();
        push_address(&mut out, "a\"b c;#d");
        assert_eq!(out, "a%22b%20c%3B#d");
    }
}
