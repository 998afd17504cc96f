//! Writes a diagram in words, for screen readers and the Markdown version of a page.

use std::borrow::Cow;

use super::draw::glyph::clean;
use super::{
    Diagram, DiagramBody, Flow, FrameKind, Line, Sequence, SequenceStep, Shape, Side, push_all,
};

pub fn tell(diagram: &Diagram) -> String {
    match &diagram.body {
        DiagramBody::Flow(flow) => flow_in_words(flow),
        DiagramBody::Sequence(sequence) => sequence_in_words(sequence),
    }
}

/// Groups with their members, then nodes with compartments, then all edges, then the nodes not mentioned yet.
fn flow_in_words(flow: &Flow) -> String {
    let mut out = String::new();
    let mut told = vec![false; flow.nodes.len() + flow.groups.len()];
    let mut members = vec![Vec::new(); flow.groups.len()];
    for (index, node) in flow.nodes.iter().enumerate() {
        if let Some(group) = node.group.and_then(|group| members.get_mut(group)) {
            group.push(named(flow, index));
            told[index] = true;
        }
    }
    for (index, group) in flow.groups.iter().enumerate() {
        if let Some(around) = group.parent.and_then(|parent| members.get_mut(parent)) {
            around.push(name(&flow.groups[index].label));
        }
    }
    for (group, members) in flow.groups.iter().zip(&members) {
        if !members.is_empty() {
            push_all(
                &mut out,
                &[&name(&group.label), ": ", &members.join(", "), "\n"],
            );
        }
    }
    for (index, node) in flow.nodes.iter().enumerate() {
        let lines: Vec<Cow<'_, str>> = node
            .compartments
            .iter()
            .flatten()
            .map(|line| clean(line))
            .collect();
        if !lines.is_empty() {
            told[index] = true;
            push_all(
                &mut out,
                &[&named(flow, index), ": ", &lines.join("; "), "\n"],
            );
        }
    }
    for arrow in flow.arrows() {
        if arrow.line == Line::Hidden {
            continue;
        }
        told[arrow.from] = true;
        told[arrow.to] = true;
        let [start, end] = &arrow.ends;
        let with = |vertex: usize, text: &Option<String>| match text.as_deref().map(clean) {
            Some(text) if !text.is_empty() => format!("{} ({text})", named(flow, vertex)).into(),
            _ => named(flow, vertex),
        };
        let (from, to) = (with(arrow.from, start), with(arrow.to, end));
        push_arrow(&mut out, &from, &to, arrow.label.as_deref());
    }
    for index in (0..flow.nodes.len()).filter(|index| !told[*index]) {
        push_all(&mut out, &[&named(flow, index), "\n"]);
    }
    out
}

/// A vertex by its label; dots and bars, which have none, by their meaning.
fn named(flow: &Flow, vertex: usize) -> Cow<'_, str> {
    match flow.nodes.get(vertex).map(|node| node.shape) {
        Some(Shape::Start) => Cow::Borrowed("(start)"),
        Some(Shape::End) => Cow::Borrowed("(end)"),
        Some(Shape::Bar) => Cow::Borrowed("(fork or join)"),
        _ => name(flow.name(vertex)),
    }
}

fn sequence_in_words(sequence: &Sequence) -> String {
    let named = |index: usize| sequence.participants.get(index).map(|who| name(&who.label));
    let mut out = String::new();
    let mut number = 0;
    let mut depth = 0_usize;
    for step in &sequence.steps {
        let line = match step {
            SequenceStep::Message(message) => {
                let (Some(from), Some(to)) = (named(message.from), named(message.to)) else {
                    continue;
                };
                number += 1;
                let mut line = format!("{number}. ");
                push_arrow(&mut line, &from, &to, Some(&message.text));
                line
            }
            SequenceStep::Note(note) => {
                let about = match note.side {
                    Side::LeftOf(who) | Side::RightOf(who) => named(who),
                    Side::Over(first, last) if first == last => named(first),
                    Side::Over(first, last) => named(first)
                        .zip(named(last))
                        .map(|(first, last)| format!("{first} and {last}").into()),
                };
                match about {
                    Some(about) => format!("Note, {about}: {}\n", clean(&note.text)),
                    None => continue,
                }
            }
            SequenceStep::Open { kind, text } => {
                depth += 1;
                push_head(&mut out, depth - 1, frame_words(*kind), text);
                continue;
            }
            SequenceStep::Next { text } => {
                push_head(&mut out, depth.saturating_sub(1), "else", text);
                continue;
            }
            SequenceStep::Close => {
                depth = depth.saturating_sub(1);
                continue;
            }
            SequenceStep::Activate(_) | SequenceStep::Deactivate(_) | SequenceStep::Destroy(_) => {
                continue;
            }
        };
        push_indent(&mut out, depth);
        out.push_str(&line);
    }
    out
}

fn frame_words(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Loop => "loop",
        FrameKind::Alt => "if",
        FrameKind::Opt => "optional",
        FrameKind::Par => "in parallel",
        FrameKind::Critical => "critical",
        FrameKind::Break => "break",
        FrameKind::Rect(_) => "",
    }
}

/// The heading of a frame or of a part of it. An area without a name has none.
fn push_head(out: &mut String, depth: usize, kind: &str, text: &str) {
    let text = clean(text);
    if kind.is_empty() && text.is_empty() {
        return;
    }
    push_indent(out, depth);
    let gap = if kind.is_empty() || text.is_empty() {
        ""
    } else {
        " "
    };
    push_all(out, &[kind, gap, &text, ":\n"]);
}

fn push_indent(out: &mut String, depth: usize) {
    (0..depth).for_each(|_| out.push_str("  "));
}

fn push_arrow(out: &mut String, from: &str, to: &str, label: Option<&str>) {
    push_all(out, &[from, " → ", to]);
    let label = label.map(clean).filter(|label| !label.is_empty());
    if let Some(label) = label {
        push_all(out, &[": ", &label]);
    }
    out.push('\n');
}

/// A node without a name is still there.
fn name(label: &str) -> Cow<'_, str> {
    let label = clean(label);
    if label.is_empty() {
        Cow::Borrowed("(unnamed)")
    } else {
        label
    }
}
