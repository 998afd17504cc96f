//! A graph that is too large for one picture: seen from one node at a time, without edges that others imply. Written as
//! a script of data for the page, and as a picture of one node for those without a script.

use std::collections::BTreeSet;

use super::draw::turned;
use super::{Flow, FlowNode, Layout, NodeClass, Port};

/// A flow with fewer edges.
pub struct FocusGraph<'f> {
    flow: &'f Flow,
    /// The nodes that each node depends on; an edge of the flow points to the dependent.
    needs: Vec<Vec<usize>>,
    needed_by: Vec<Vec<usize>>,
}

/// Sets of reachable nodes take the square of this in bits; larger graphs keep all of their edges.
const MAX_REDUCED: usize = 20_000;
/// Neighbours that a picture shows without crowding.
const MOST_DRAWN: usize = 16;

impl<'f> FocusGraph<'f> {
    pub fn new(flow: &'f Flow) -> FocusGraph<'f> {
        let count = flow.nodes.len();
        let edges = flow
            .edges
            .iter()
            .filter_map(|edge| match (edge.from, edge.to) {
                (Port::Node(from), Port::Node(to)) if from != to && from.max(to) < count => {
                    Some((from, to))
                }
                _ => None,
            });
        let edges: BTreeSet<(usize, usize)> = edges.collect();
        let edges: Vec<(usize, usize)> = edges.into_iter().collect();
        let mut needs = vec![Vec::new(); count];
        let mut needed_by = vec![Vec::new(); count];
        for ((from, to), is_implied) in edges.iter().zip(implied(count, &edges)) {
            if !is_implied {
                needs[*to].push(*from);
                needed_by[*from].push(*to);
            }
        }
        FocusGraph {
            flow,
            needs,
            needed_by,
        }
    }

    /// The node with the most neighbours that still fit in a picture.
    pub fn centre(&self) -> Option<usize> {
        let neighbours = |node: usize| self.needs[node].len() + self.needed_by[node].len();
        let nodes = 0..self.flow.nodes.len();
        let fitting = nodes.filter(|node| (1..=MOST_DRAWN).contains(&neighbours(*node)));
        fitting.max_by_key(|node| (neighbours(*node), std::cmp::Reverse(*node)))
    }

    /// A picture of a node with its neighbours.
    pub fn neighbourhood(&self, centre: usize) -> Flow {
        let mut nodes: Vec<FlowNode> = Vec::new();
        let mut edges = Vec::new();
        let mut place = |node: usize| {
            nodes.push(FlowNode {
                group: None,
                ..self.flow.nodes[node].clone()
            });
            nodes.len() - 1
        };
        let middle = place(centre);
        for need in self.needs[centre].iter().take(MOST_DRAWN) {
            edges.push(super::FlowEdge::new(place(*need), middle));
        }
        for dependent in self.needed_by[centre].iter().take(MOST_DRAWN) {
            edges.push(super::FlowEdge::new(middle, place(*dependent)));
        }
        if let Some(centre) = nodes.first_mut() {
            centre.class = NodeClass::Current;
        }
        Flow {
            nodes,
            edges,
            groups: Vec::new(),
            layout: Layout::Neighbourhood { centre: middle },
            origin: self.flow.origin,
        }
    }

    /// A script that assigns the graph to `window.catalogGraph`: `groups`, `nodes` with title, address, group and
    /// whether they are off, and for each node what it `needs`.
    pub fn script(&self, centre: usize) -> String {
        let mut script = format!("window.catalogGraph={{\"centre\":{centre},\"groups\":[");
        for (number, group) in self.flow.groups.iter().enumerate() {
            separate(&mut script, number);
            push_string(&mut script, &group.label);
        }
        script.push_str("],\n\"nodes\":[");
        for (number, node) in self.flow.nodes.iter().enumerate() {
            separate(&mut script, number);
            script.push_str("\n[");
            push_string(&mut script, &node.label);
            script.push(',');
            push_string(&mut script, node.href.as_deref().unwrap_or_default());
            let group = node
                .group
                .map_or(-1, |group| i64::try_from(group).unwrap_or(-1));
            let is_off = u8::from(node.class == NodeClass::Disabled);
            script.push_str(&format!(",{group},{is_off}]"));
        }
        script.push_str("],\n\"needs\":[");
        for (number, needs) in self.needs.iter().enumerate() {
            separate(&mut script, number);
            let needs: Vec<String> = needs.iter().map(usize::to_string).collect();
            script.push_str(&format!("[{}]", needs.join(",")));
        }
        script.push_str("]};\n");
        script
    }
}

fn separate(script: &mut String, number: usize) {
    if number > 0 {
        script.push(',');
    }
}

/// A string of JavaScript that cannot end the element it stands in.
fn push_string(script: &mut String, text: &str) {
    script.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                script.push('\\');
                script.push(c);
            }
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                script.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c if c.is_control() => script.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => script.push(c),
        }
    }
    script.push('"');
}

/// Whether each edge leads where a path of other edges leads, too. Edges that close a cycle are never implied.
pub fn implied(count: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut implied = vec![false; edges.len()];
    if count > MAX_REDUCED {
        return implied;
    }
    let turned = turned(count, edges);
    let mut out: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
    let mut waiting = vec![0usize; count];
    for (number, &(from, to)) in edges.iter().enumerate() {
        if !turned[number] {
            out[from].push((to, number));
            waiting[to] += 1;
        }
    }
    let mut order: Vec<usize> = (0..count).filter(|node| waiting[*node] == 0).collect();
    let mut at = 0;
    while let Some(&node) = order.get(at) {
        for (to, _) in &out[node] {
            waiting[*to] -= 1;
            if waiting[*to] == 0 {
                order.push(*to);
            }
        }
        at += 1;
    }
    let mut position = vec![0; count];
    for (at, node) in order.iter().enumerate() {
        position[*node] = at;
    }
    let words = count.div_ceil(64);
    let mut reach = vec![0u64; count * words];
    for &node in order.iter().rev() {
        let mut own = vec![0u64; words];
        // The nearest come first: a later one may be reached through them.
        out[node].sort_by_key(|(to, _)| position[*to]);
        for &(to, number) in &out[node] {
            let bit = 1u64 << (to % 64);
            if own[to / 64] & bit != 0 {
                implied[number] = true;
                continue;
            }
            own[to / 64] |= bit;
            let below = &reach[to * words..(to + 1) * words];
            own.iter_mut()
                .zip(below)
                .for_each(|(own, below)| *own |= below);
        }
        reach[node * words..(node + 1) * words].copy_from_slice(&own);
    }
    implied
}

#[cfg(test)]
mod tests {
    use super::super::{Direction, FlowAuthor, FlowEdge, Group};
    use super::*;
    use proptest::prelude::*;

    fn flow(count: usize, edges: &[(usize, usize)]) -> Flow {
        let node = |at: usize| FlowNode {
            href: Some(format!("components/{at}.html")),
            group: Some(0),
            ..FlowNode::new(format!("n{at}</script>\u{2028}\""), NodeClass::Component)
        };
        Flow {
            nodes: (0..count).map(node).collect(),
            groups: vec![Group::new("all")],
            edges: edges.iter().map(|(a, b)| FlowEdge::new(*a, *b)).collect(),
            layout: Layout::Layered(Direction::Down),
            origin: FlowAuthor::Generated,
        }
    }

    fn reaches(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; count]; count];
        edges.iter().for_each(|(a, b)| reach[*a][*b] = true);
        for by in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reach[from][to] |= reach[from][by] && reach[by][to];
                }
            }
        }
        reach
    }

    #[test]
    fn an_edge_that_a_path_replaces_is_implied() {
        let edges = [(0, 1), (1, 2), (0, 2), (2, 0)];
        assert_eq!(implied(3, &edges), [false, false, true, false]);
    }

    #[test]
    fn the_script_is_data_and_ends_no_element() {
        let flow = flow(3, &[(0, 1), (1, 2), (0, 2)]);
        let graph = FocusGraph::new(&flow);
        let script = graph.script(1);
        assert!(
            !script.contains('<') && !script.contains('\u{2028}'),
            "{script}"
        );
        assert!(script.ends_with("\"needs\":[[],[0],[1]]};\n"), "{script}");
        assert_eq!(graph.centre(), Some(1));
        let picture = graph.neighbourhood(1);
        assert_eq!((picture.nodes.len(), picture.edges.len()), (3, 2));
    }

    #[test]
    fn a_graph_without_edges_has_no_centre() {
        assert_eq!(FocusGraph::new(&flow(3, &[])).centre(), None);
        assert_eq!(FocusGraph::new(&flow(0, &[])).centre(), None);
    }

    proptest! {
        #[test]
        fn what_is_reachable_stays_so(edges in prop::collection::btree_set((0usize..12, 0usize..12), 0..60)) {
            let edges: Vec<(usize, usize)> = edges.into_iter().filter(|(a, b)| a != b).collect();
            let implied = implied(12, &edges);
            let kept: Vec<(usize, usize)> =
                edges.iter().zip(&implied).filter(|(_, implied)| !**implied).map(|(edge, _)| *edge).collect();
            prop_assert_eq!(reaches(12, &kept), reaches(12, &edges));
        }
    }
}
