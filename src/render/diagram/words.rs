//! A diagram in words, for screen readers and for the plain Markdown twin of a page.

use super::glyph::clean;
use super::{Body, Diagram, Flow, Sequence};

pub fn tell(diagram: &Diagram) -> String {
    match &diagram.body {
        Body::Flow(flow) => flow_in_words(flow),
        Body::Sequence(sequence) => sequence_in_words(sequence),
    }
}

/// Groups with their members, then every edge, then the nodes that neither mentioned.
fn flow_in_words(flow: &Flow) -> String {
    let mut lines = Vec::new();
    let mut told = vec![false; flow.nodes.len()];
    let mut members = vec![Vec::new(); flow.groups.len()];
    for (index, node) in flow.nodes.iter().enumerate() {
        if let Some(group) = node.group.and_then(|group| members.get_mut(group)) {
            group.push(name(&node.label));
            told[index] = true;
        }
    }
    for (group, members) in flow.groups.iter().zip(&members) {
        if !members.is_empty() {
            lines.push(format!("{}: {}", name(&group.label), members.join(", ")));
        }
    }
    for edge in flow.merged() {
        told[edge.from] = true;
        told[edge.to] = true;
        let (from, to) = (&flow.nodes[edge.from].label, &flow.nodes[edge.to].label);
        lines.push(arrow(from, to, edge.label.as_deref()));
    }
    for (node, told) in flow.nodes.iter().zip(told) {
        if !told {
            lines.push(name(&node.label));
        }
    }
    end_lines(lines)
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
        Some(arrow(from, to, Some(&message.text)))
    });
    let numbered = said
        .enumerate()
        .map(|(at, line)| format!("{}. {line}", at + 1));
    end_lines(numbered.collect())
}

fn arrow(from: &str, to: &str, label: Option<&str>) -> String {
    let label = label.map(clean).filter(|label| !label.is_empty());
    let suffix = label.map(|label| format!(": {label}")).unwrap_or_default();
    format!("{} → {}{suffix}", name(from), name(to))
}

/// A node without a name is still there.
fn name(label: &str) -> String {
    let label = clean(label);
    if label.is_empty() {
        "(unnamed)".to_owned()
    } else {
        label
    }
}

fn end_lines(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}
