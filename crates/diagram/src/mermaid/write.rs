//! Writes Mermaid source. Ids are generated, so that labels may contain anything.

use std::fmt::Write;

use super::super::draw::glyph::clean;
use super::super::{
    Diagram, DiagramBody, Direction, Flow, FlowNode, FrameKind, Layout, Line, Message, NodeClass,
    ParticipantRole, Sequence, SequenceStep, Shape, Side, Tip, push_all, safe,
};
use base::uri;

pub fn write(diagram: &Diagram) -> String {
    match &diagram.body {
        DiagramBody::Flow(flow) => write_flow(flow),
        DiagramBody::Sequence(sequence) => write_sequence(sequence),
    }
}

/// Writes any flow as a flowchart; members of classes become lines of their label.
fn write_flow(flow: &Flow) -> String {
    let mut out = String::from(match flow.layout {
        Layout::Layered(Direction::Down) => "graph TD\n",
        Layout::Layered(Direction::Up) => "graph BT\n",
        Layout::Layered(Direction::Left) => "graph RL\n",
        Layout::Layered(Direction::Right) | Layout::Neighbourhood { .. } => "graph LR\n",
    });
    let group_of = |node: &FlowNode| node.group.filter(|group| *group < flow.groups.len());
    let mut members = vec![Vec::new(); flow.groups.len()];
    for (index, node) in flow.nodes.iter().enumerate() {
        match group_of(node) {
            Some(group) => members[group].push(index),
            None => write_node(&mut out, 1, index, node),
        }
    }
    let arrows = flow.arrows();
    let mut is_linked = vec![false; flow.nodes.len() + flow.groups.len()];
    for arrow in &arrows {
        is_linked[arrow.from] = true;
        is_linked[arrow.to] = true;
    }
    let groups = Groups {
        flow,
        parents: flow.parents(),
        members,
        is_linked,
    };
    for (index, parent) in groups.parents.iter().enumerate() {
        if parent.is_none() {
            groups.write(&mut out, 1, index);
        }
    }
    for arrow in arrows {
        out.push_str("  ");
        push_vertex(&mut out, flow, arrow.from);
        push_all(&mut out, &[" ", &link(arrow.line, arrow.tips)]);
        if let Some(label) = &arrow.label {
            out.push_str("|\"");
            push_lines(&mut out, label);
            out.push_str("\"|");
        }
        out.push(' ');
        push_vertex(&mut out, flow, arrow.to);
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

/// Groups nested deeper are written beside their parent, as source cannot nest so deep.
const DEEPEST: usize = 32;

struct Groups<'a> {
    flow: &'a Flow,
    parents: Vec<Option<usize>>,
    /// By group, its nodes.
    members: Vec<Vec<usize>>,
    /// By vertex, whether it has an edge.
    is_linked: Vec<bool>,
}

impl Groups<'_> {
    fn write(&self, out: &mut String, depth: usize, index: usize) {
        let flow = self.flow;
        let inner = self
            .parents
            .iter()
            .enumerate()
            .filter(|(_, parent)| **parent == Some(index) && depth < DEEPEST);
        let inner: Vec<usize> = inner.map(|(inner, _)| inner).collect();
        let members = &self.members[index];
        // An empty subgraph would be drawn as a node.
        if members.is_empty() && inner.is_empty() && !self.is_linked[flow.nodes.len() + index] {
            return;
        }
        push_indent(out, depth);
        push_id(out, "subgraph g", index);
        out.push_str("[\"");
        push_escaped(out, &flow.groups[index].label);
        out.push_str("\"]\n");
        for &member in members {
            write_node(out, depth + 1, member, &flow.nodes[member]);
        }
        for group in inner {
            self.write(out, depth + 1, group);
        }
        push_indent(out, depth);
        out.push_str("end\n");
    }
}

fn push_indent(out: &mut String, depth: usize) {
    (0..depth).for_each(|_| out.push_str("  "));
}

fn push_vertex(out: &mut String, flow: &Flow, vertex: usize) {
    match vertex.checked_sub(flow.nodes.len()) {
        Some(group) => push_id(out, "g", group),
        None => push_id(out, "n", vertex),
    }
}

/// A link with the flowchart tips nearest to the given ones.
fn link(line: Line, [start, end]: [Tip; 2]) -> String {
    let tip = |tip: Tip, arrow: &'static str| match tip {
        Tip::None => "",
        Tip::Circle | Tip::ZeroOrOne | Tip::ZeroOrMore => "o",
        Tip::Cross => "x",
        _ => arrow,
    };
    let (start, end) = (tip(start, "<"), tip(end, ">"));
    let body = match line {
        Line::Hidden => return "~~~".to_owned(),
        Line::Solid if end.is_empty() => "---",
        Line::Solid => "--",
        Line::Dashed => "-.-",
        Line::Bold if end.is_empty() => "===",
        Line::Bold => "==",
    };
    format!("{start}{body}{end}")
}

fn write_node(out: &mut String, depth: usize, index: usize, node: &FlowNode) {
    let (open, close) = match (node.shape, node.class) {
        (Shape::Box, NodeClass::Store) | (Shape::Cylinder, _) => ("[(\"", "\")]\n"),
        (Shape::Box, NodeClass::Secret) | (Shape::Stadium, _) => ("([\"", "\"])\n"),
        (Shape::Box, NodeClass::External) | (Shape::Round, _) => ("(\"", "\")\n"),
        (Shape::Subroutine, _) => ("[[\"", "\"]]\n"),
        (Shape::Circle | Shape::Start, _) => ("((\"", "\"))\n"),
        (Shape::DoubleCircle | Shape::End, _) => ("(((\"", "\")))\n"),
        (Shape::Flag, _) => (">\"", "\"]\n"),
        (Shape::Diamond, _) => ("{\"", "\"}\n"),
        (Shape::Hexagon, _) => ("{{\"", "\"}}\n"),
        (Shape::LeanRight, _) => ("[/\"", "\"/]\n"),
        (Shape::LeanLeft, _) => ("[\\\"", "\"\\]\n"),
        (Shape::Trapezoid, _) => ("[/\"", "\"\\]\n"),
        (Shape::TrapezoidFlipped, _) => ("[\\\"", "\"/]\n"),
        (Shape::Box | Shape::Bare | Shape::Note | Shape::Bar, _) => ("[\"", "\"]\n"),
    };
    push_indent(out, depth);
    push_id(out, "n", index);
    out.push_str(open);
    push_lines(out, &node.label);
    let detail = node.detail.as_deref().map(clean).unwrap_or_default();
    let members = node.compartments.iter().flatten().map(|line| clean(line));
    for line in std::iter::once(detail).chain(members) {
        if !line.is_empty() {
            out.push_str("<br/>");
            push_escaped(out, &line);
        }
    }
    out.push_str(close);
}

/// Writes a label with line breaks.
fn push_lines(out: &mut String, label: &str) {
    for (at, line) in label.trim().split('\n').enumerate() {
        if at > 0 {
            out.push_str("<br/>");
        }
        push_escaped(out, line);
    }
}

fn push_id(out: &mut String, before: &str, index: usize) {
    out.push_str(before);
    let _ = write!(out, "{index}");
}

/// Classes that must be distinguishable even in Mermaid's own colours.
fn write_classes(out: &mut String, flow: &Flow) {
    let styles = [
        (NodeClass::Current, "current", "stroke-width:3px"),
        (
            NodeClass::Disabled,
            "disabled",
            "stroke-dasharray:4 4,opacity:0.6",
        ),
        (NodeClass::Missing, "missing", "stroke-dasharray:2 2"),
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
        let role = match participant.role {
            ParticipantRole::System => "  participant p",
            ParticipantRole::Actor => "  actor p",
        };
        push_id(&mut out, role, index);
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
    let mut open = Vec::new();
    let mut active = vec![0_usize; sequence.participants.len()];
    for step in &sequence.steps {
        let mut line = String::new();
        // Mermaid rejects the end of a bar that never began.
        match step {
            SequenceStep::Activate(who) if *who < active.len() => active[*who] += 1,
            SequenceStep::Deactivate(who) if *who < active.len() => {
                match active[*who].checked_sub(1) {
                    Some(left) => active[*who] = left,
                    None => continue,
                }
            }
            _ => {}
        }
        let depth = match step {
            // Skip what closes no frame.
            SequenceStep::Close | SequenceStep::Next { .. } if open.is_empty() => continue,
            SequenceStep::Close | SequenceStep::Next { .. } => open.len(),
            _ => open.len() + 1,
        };
        write_step(&mut line, step, sequence.participants.len(), open.last());
        match step {
            SequenceStep::Open { kind, .. } => open.push(*kind),
            SequenceStep::Close => drop(open.pop()),
            _ => {}
        }
        if !line.is_empty() {
            push_indent(&mut out, depth);
            push_all(&mut out, &[&line, "\n"]);
        }
    }
    for depth in (1..=open.len()).rev() {
        push_indent(&mut out, depth);
        out.push_str("end\n");
    }
    out
}

/// Writes a step, unless it names a participant that does not exist. `frame` is the innermost open one.
fn write_step(out: &mut String, step: &SequenceStep, known: usize, frame: Option<&FrameKind>) {
    match step {
        SequenceStep::Message(message) if message.from.max(message.to) < known => {
            push_id(out, "p", message.from);
            push_id(out, call(message), message.to);
            out.push_str(": ");
            push_lines(out, &message.text);
        }
        SequenceStep::Note(note) => {
            match note.side {
                Side::LeftOf(who) if who < known => push_id(out, "note left of p", who),
                Side::RightOf(who) if who < known => push_id(out, "note right of p", who),
                Side::Over(first, last) if first.max(last) < known => {
                    push_id(out, "note over p", first);
                    push_id(out, ",p", last);
                }
                _ => return,
            }
            out.push_str(": ");
            push_lines(out, &note.text);
        }
        SequenceStep::Open { kind, text } => {
            out.push_str(match kind {
                FrameKind::Loop => "loop ",
                FrameKind::Alt => "alt ",
                FrameKind::Opt => "opt ",
                FrameKind::Par => "par ",
                FrameKind::Critical => "critical ",
                FrameKind::Break => "break ",
                FrameKind::Rect(_) => "rect rgba(128, 128, 128, 0.1)",
            });
            if !matches!(kind, FrameKind::Rect(_)) {
                push_escaped(out, text);
            }
        }
        SequenceStep::Next { text } => {
            out.push_str(match frame {
                Some(FrameKind::Alt) => "else ",
                Some(FrameKind::Par) => "and ",
                Some(FrameKind::Critical) => "option ",
                // Other frames have one part.
                _ => return,
            });
            push_escaped(out, text);
        }
        SequenceStep::Close => out.push_str("end"),
        SequenceStep::Activate(who) if *who < known => push_id(out, "activate p", *who),
        SequenceStep::Deactivate(who) if *who < known => push_id(out, "deactivate p", *who),
        SequenceStep::Message(_)
        | SequenceStep::Activate(_)
        | SequenceStep::Deactivate(_)
        | SequenceStep::Destroy(_) => {}
    }
}

/// The arrow of a message.
fn call(message: &Message) -> &'static str {
    match (message.line == Line::Dashed, message.tips[1]) {
        (false, Tip::None) => "->p",
        (true, Tip::None) => "-->p",
        (false, Tip::Cross) => "-xp",
        (true, Tip::Cross) => "--xp",
        (false, Tip::Open) => "-)p",
        (true, Tip::Open) => "--)p",
        (false, _) => "->>p",
        (true, _) => "-->>p",
    }
}

/// Escapes text for Mermaid, its Markdown, its comments and HTML. Mermaid decodes `#name;` and `#number;` after
/// parsing.
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

/// Before parsing, Mermaid drops the last semicolon of anything that looks like a style.
fn special_colon(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with("wrap") || text.contains("style") || text.contains("classDef")
}

/// Writes a link between double quotes.
fn push_address(out: &mut String, href: &str) {
    // A semicolon ends a statement, also in quotes.
    for (at, piece) in href.split(';').enumerate() {
        out.push_str(if at > 0 { "%3B" } else { "" });
        uri::push_link(out, piece);
    }
}

#[cfg(test)]
mod tests;
