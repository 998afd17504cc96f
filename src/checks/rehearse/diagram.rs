//! A rehearsal as a picture: units framed by their wave, with what each waits for.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cause, Rehearsal, Why};
use diagram::{
    Diagram, DiagramBody, Direction, Flow, FlowAuthor, FlowEdge, FlowNode, Group, Layout, NodeClass,
};

/// Units that only wait for the one that creates them are not drawn: they start with it.
pub fn diagram(rehearsal: &Rehearsal) -> Diagram {
    let mut flow = Flow {
        nodes: Vec::new(),
        groups: Vec::new(),
        edges: Vec::new(),
        layout: Layout::Layered(Direction::Right),
        origin: FlowAuthor::Generated,
    };
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let mut drawn: BTreeSet<&str> = BTreeSet::new();
    for step in rehearsal.waves.iter().flatten() {
        let waits = step.waits_for.iter();
        let stated: Vec<&str> = waits
            .filter(|wait| wait.why == Why::DependsOn)
            .map(|wait| wait.name.as_str())
            .collect();
        if !stated.is_empty() || !step.races.is_empty() {
            drawn.insert(&step.name);
        }
        drawn.extend(stated);
    }
    for (number, wave) in rehearsal.waves.iter().enumerate() {
        let group = flow.groups.len();
        for step in wave
            .iter()
            .filter(|step| drawn.contains(step.name.as_str()))
        {
            if at.contains_key(step.name.as_str()) {
                continue;
            }
            at.insert(&step.name, flow.nodes.len());
            let race = step.races.first();
            let class = match race {
                None => NodeClass::Component,
                Some(_) => NodeClass::External,
            };
            flow.nodes.push(FlowNode {
                detail: race.map(|race| format!("races with {}", race.provider)),
                group: Some(group),
                ..FlowNode::new(step.name.as_str(), class)
            });
        }
        if flow.nodes.iter().any(|node| node.group == Some(group)) {
            flow.groups.push(Group::new(format!("Wave {}", number + 1)));
        }
    }
    let never = rehearsal
        .stuck
        .iter()
        .filter(|stuck| stuck.cause != Cause::Wanted);
    for stuck in never {
        if !at.contains_key(stuck.name.as_str()) {
            at.insert(&stuck.name, flow.nodes.len());
            flow.nodes.push(FlowNode {
                detail: Some("never starts".to_owned()),
                ..FlowNode::new(stuck.name.as_str(), NodeClass::Missing)
            });
        }
    }
    for step in rehearsal.waves.iter().flatten() {
        for wait in step
            .waits_for
            .iter()
            .filter(|wait| wait.why == Why::DependsOn)
        {
            let ends = (at.get(wait.name.as_str()), at.get(step.name.as_str()));
            if let (Some(from), Some(to)) = ends
                && from != to
            {
                flow.edges.push(FlowEdge::new(*from, *to));
            }
        }
    }
    Diagram {
        title: format!("Bootstrap of {}", rehearsal.cluster),
        body: DiagramBody::Flow(flow),
    }
}
