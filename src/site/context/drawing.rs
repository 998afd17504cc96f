//! The graph as a drawing: components framed by their layers, or the layers alone where there are too many to read.

use std::collections::BTreeMap;

use super::{LayerIx, SiteContext};
use crate::catalog::{ComponentIx, Status};
use diagram::{
    Direction, Flow, FlowAuthor, FlowEdge, FlowNode, FocusGraph, Group, Layout, NodeClass, implied,
};

/// Whether a drawing shows all that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawnEdges {
    All,
    /// Not those that follow from others.
    Reduced,
    /// Only the strongest dependencies of each layer.
    Strongest,
}

/// How the dependencies of all components are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawnGraph {
    Whole,
    /// One component at a time.
    Focus,
}

/// Most arrows between layers of which every one is drawn.
const MOST_COMPLETE: usize = 14;
/// Most arrows between layers that a reader can follow.
const MOST_ARROWS: usize = 26;
const MOST_TIES: usize = 1;
/// A graph of more nodes than this is shown one component at a time.
const MOST_NODES: usize = 40;

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

    /// All components that depend on others or have dependents, and how they are shown.
    pub fn draw_dependencies(
        &self,
        href: impl Fn(ComponentIx) -> Option<String>,
    ) -> (Flow, DrawnGraph) {
        let connected: Vec<ComponentIx> = self.graph.connected().collect();
        let flow = self.draw_components(&connected, href);
        let is_small = flow.nodes.len() <= MOST_NODES && flow.fits();
        (
            flow,
            if is_small {
                DrawnGraph::Whole
            } else {
                DrawnGraph::Focus
            },
        )
    }

    /// The data of the focus graph, for sites that have one.
    pub fn focus_script(&self) -> Option<String> {
        let root = |at: ComponentIx| Some(self.routes.components[at].to_string());
        let (flow, shown) = self.draw_dependencies(root);
        let graph = (shown == DrawnGraph::Focus).then(|| FocusGraph::new(&flow))?;
        Some(graph.script(graph.centre()?))
    }

    /// The layers, and how many dependencies lead from one to another.
    pub fn draw_layers(
        &self,
        detail: impl Fn(LayerIx) -> String,
        href: impl Fn(LayerIx) -> Option<String>,
    ) -> (Flow, DrawnEdges) {
        let (between, extent) = readable(self.layers.len(), self.between_layers());
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

/// Leaves out dependencies that follow from others if there are many arrows, and all but the strongest of each layer if
/// there are too many.
fn readable(
    layers: usize,
    between: BTreeMap<(LayerIx, LayerIx), usize>,
) -> (BTreeMap<(LayerIx, LayerIx), usize>, DrawnEdges) {
    if between.len() <= MOST_COMPLETE {
        return (between, DrawnEdges::All);
    }
    let ends = between.keys().map(|(from, to)| (to.index(), from.index()));
    let ends: Vec<(usize, usize)> = ends.collect();
    let kept = between.into_iter().zip(implied(layers, &ends));
    let between: BTreeMap<(LayerIx, LayerIx), usize> = kept
        .filter_map(|(tie, is_implied)| (!is_implied).then_some(tie))
        .collect();
    if between.len() <= MOST_ARROWS {
        return (between, DrawnEdges::Reduced);
    }
    let mut ties: Vec<((LayerIx, LayerIx), usize)> = between.into_iter().collect();
    ties.sort_by_key(|((from, to), edges)| (*from, std::cmp::Reverse(*edges), *to));
    let of_layers = ties.chunk_by(|a, b| a.0.0 == b.0.0);
    let kept = of_layers.flat_map(|ties| ties.iter().take(MOST_TIES).copied());
    (kept.collect(), DrawnEdges::Strongest)
}
