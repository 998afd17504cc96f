//! A diagram in words, for screen readers and for the plain Markdown twin of a page.

use std::borrow::Cow;

use super::glyph::clean;
use super::{Body, Diagram, Flow, Sequence, push_all};

pub fn tell(diagram: &Diagram) -> String {
    match &diagram.body {
        Body::Flow(flow) => flow_in_words(flow),
        Body::Sequence(sequence) => sequence_in_words(sequence),
    }
}

/// Groups with their members, then every edge, then the nodes that neither mentioned.
fn flow_in_words(flow: &Flow) -> String {
    let mut out = String::new();
    let mut told = vec![false; flow.nodes.len()];
    let mut members = vec![Vec::new(); flow.groups.len()];
    for (index, node) in flow.nodes.iter().enumerate() {
        if let Some(group) = node.group.and_then(|group| members.get_mut(group)) {
            group.push(name(&node.label));
            told[index] = true;
        }
    }
    for (group, members) in flow.groups.iter().zip(&members) {
        for (at, member) in members.iter().enumerate() {
            match at {
                0 => push_all(&mut out, &[&name(&group.label), ": "]),
                _ => out.push_str(", "),
            }
            out.push_str(member);
        }
        if !members.is_empty() {
            out.push('\n');
        }
    }
    for edge in flow.merged() {
        told[edge.from] = true;
        told[edge.to] = true;
        let (from, to) = (&flow.nodes[edge.from].label, &flow.nodes[edge.to].label);
        push_arrow(&mut out, from, to, edge.label.as_deref());
    }
    for (node, told) in flow.nodes.iter().zip(told) {
        if !told {
            push_all(&mut out, &[&name(&node.label), "\n"]);
        }
    }
    out
}

fn sequence_in_words(sequence: &Sequence) -> String {
    let named = |index: usize| {
        sequence
            .participants
            .get(index)
            .map(|who| who.label.as_str())
    };
    let messages = sequence.messages.iter();
    let said = messages.filter_map(|message| {
        let (from, to) = (named(message.from)?, named(message.to)?);
        Some((from, to, message.text.as_str()))
    });
    let mut out = String::new();
    for (at, (from, to, text)) in said.enumerate() {
        push_all(&mut out, &[&(at + 1).to_string(), ". "]);
        push_arrow(&mut out, from, to, Some(text));
    }
    out
}

fn push_arrow(out: &mut String, from: &str, to: &str, label: Option<&str>) {
    push_all(out, &[&name(from), " → ", &name(to)]);
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
