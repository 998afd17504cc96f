//! Tests of the parsers, one module for each kind of diagram.

mod classes;
mod entities;
mod flowcharts;
mod hostile;
mod links;
mod sequences;
mod shared;
mod states;
mod styles;

use super::{Error, parse};
use crate::{DiagramBody, Flow, FlowEdge, FlowNode, Port, Sequence};

fn flow(source: &str) -> Flow {
    match parse(source) {
        Ok(authored) => match authored.diagram.body {
            DiagramBody::Flow(flow) => flow,
            DiagramBody::Sequence(_) => panic!("{source}: a sequence"),
        },
        Err(error) => panic!("{source}: {error}"),
    }
}

fn sequence(source: &str) -> Sequence {
    match parse(source) {
        Ok(authored) => match authored.diagram.body {
            DiagramBody::Sequence(sequence) => sequence,
            DiagramBody::Flow(_) => panic!("{source}: a flow"),
        },
        Err(error) => panic!("{source}: {error}"),
    }
}

/// The message of the error, with its line.
fn message(source: &str) -> String {
    match parse(source) {
        Ok(authored) => panic!("{source}: {authored:?}"),
        Err(error) => error.to_string(),
    }
}

fn line_of_error(source: &str) -> usize {
    match parse(source) {
        Err(Error::Source { line, .. }) => line,
        other => panic!("{source}: {other:?}"),
    }
}

fn node<'a>(flow: &'a Flow, label: &str) -> &'a FlowNode {
    let found = flow.nodes.iter().find(|node| node.label == label);
    found.unwrap_or_else(|| panic!("no {label} in {flow:?}"))
}

fn labels(flow: &Flow) -> Vec<&str> {
    flow.nodes.iter().map(|node| node.label.as_str()).collect()
}

fn port_label(flow: &Flow, port: Port) -> String {
    match port {
        Port::Node(at) => flow.nodes[at].label.clone(),
        Port::Group(at) => format!("[{}]", flow.groups[at].label),
    }
}

/// `A>B`, with the labels of groups in brackets.
fn ends(flow: &Flow, edge: &FlowEdge) -> String {
    format!(
        "{}>{}",
        port_label(flow, edge.from),
        port_label(flow, edge.to)
    )
}

fn all_ends(flow: &Flow) -> Vec<String> {
    flow.edges.iter().map(|edge| ends(flow, edge)).collect()
}

/// The label of the group that frames a node.
fn group_of<'a>(flow: &'a Flow, label: &str) -> Option<&'a str> {
    let group = node(flow, label).group?;
    Some(flow.groups[group].label.as_str())
}
