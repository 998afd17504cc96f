//! The graph as a drawing: components framed by their layers, or the layers alone where there are too many to read.

use std::collections::BTreeMap;

use super::{LayerIx, SiteContext};
use crate::catalog::{ComponentIx, Status};
use diagram::{Direction, Flow, FlowAuthor, FlowEdge, FlowNode, Group, Layout, NodeClass};

/// Whether a drawing shows all that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawnEdges {
    All,
    /// Only the strongest dependencies of each layer.
    Strongest,
}

/// Most arrows between layers that a reader can follow.
const MOST_ARROWS: usize = 30;
const MOST_TIES: usize = 2;

impl SiteContext<'_> {
    /// Draws components, given by index and in order, with their dependencies on each other. An arrow points to the
    /// dependent.
    pub fn draw_components(
        &self,
        components: &[ComponentIx],
        href: impl Fn(ComponentIx) -> Option<String>,
    ) -> Flow {
        let place: BTreeMap<ComponentIx, usize> = components
            .iter()
            .enumerate()
            .map(|(node, at)| (*at, node))
            .collect();
        let nodes = components.iter().map(|at| {
            let component = &self.catalog.components[*at];
            let class = match component.status {
                Status::Enabled => NodeClass::Component,
                _ => NodeClass::Disabled,
            };
            FlowNode {
                href: href(*at),
                group: Some(self.related[*at].layer.index()),
                ..FlowNode::new(component.title.as_str(), class)
            }
        });
        let edges = components.iter().flat_map(|at| {
            let needs = self.graph.needs(*at).iter();
            needs.filter_map(|need| Some(FlowEdge::new(*place.get(need)?, *place.get(at)?)))
        });
        Flow {
            nodes: nodes.collect(),
            edges: edges.collect(),
            groups: self
                .layers
                .iter()
                .map(|layer| Group::new(layer.title.as_str()))
                .collect(),
            layout: Layout::Layered(Direction::Down),
            origin: FlowAuthor::Generated,
        }
    }

    /// The layers, and how many dependencies lead from one to another.
    pub fn draw_layers(
        &self,
        detail: impl Fn(LayerIx) -> String,
        href: impl Fn(LayerIx) -> Option<String>,
    ) -> (Flow, DrawnEdges) {
        let (between, extent) = strongest(self.between_layers());
        let flow = Flow {
            nodes: self
                .layers
                .indices()
                .map(|at| FlowNode {
                    detail: Some(detail(at)),
                    href: href(at),
                    ..FlowNode::new(self.layers[at].title.as_str(), NodeClass::Component)
                })
                .collect(),
            groups: Vec::new(),
            edges: between
                .iter()
                .map(|((from, to), edges)| FlowEdge {
                    label: Some(edges.to_string()),
                    ..FlowEdge::new(to.index(), from.index())
                })
                .collect(),
            layout: Layout::Layered(Direction::Down),
            origin: FlowAuthor::Generated,
        };
        (flow, extent)
    }

    /// The number of dependencies between components of two layers, by layer pair.
    pub fn between_layers(&self) -> BTreeMap<(LayerIx, LayerIx), usize> {
        let mut between = BTreeMap::new();
        for at in self.catalog.components.indices() {
            let from = self.related[at].layer;
            for need in self.graph.needs(at) {
                let to = self.related[*need].layer;
                if from != to {
                    *between.entry((from, to)).or_default() += 1;
                }
            }
        }
        between
    }
}

/// Keeps only the strongest dependencies of each layer if there are too many arrows.
fn strongest(
    between: BTreeMap<(LayerIx, LayerIx), usize>,
) -> (BTreeMap<(LayerIx, LayerIx), usize>, DrawnEdges) {
    if between.len() <= MOST_ARROWS {
        return (between, DrawnEdges::All);
    }
    let mut ties: Vec<((LayerIx, LayerIx), usize)> = between.into_iter().collect();
    ties.sort_by_key(|((from, to), edges)| (*from, std::cmp::Reverse(*edges), *to));
    let of_layers = ties.chunk_by(|a, b| a.0.0 == b.0.0);
    let kept = of_layers.flat_map(|ties| ties.iter().take(MOST_TIES).copied());
    (kept.collect(), DrawnEdges::Strongest)
}
