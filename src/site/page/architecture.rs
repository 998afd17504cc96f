//! The whole graph by layer, the waves of a start, and what each layer rests on.

use std::collections::BTreeSet;

use serde::Serialize;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::catalog::{ComponentIx, Status};
use crate::checks::rehearse;
use crate::checks::wording::duration;
use crate::site::context::{DrawnEdges, DrawnGraph, LayerIx};
use crate::site::view::{DiagramView, Here, Mention, More, Text, counted};
use diagram::{DiagramBody, Flow, FocusGraph};
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct Architecture {
    diagrams: Vec<DiagramView>,
    waves: Vec<Wave>,
    waves_note: &'static str,
    layers: Vec<LayerRow>,
}

#[derive(Serialize)]
struct Wave {
    title: String,
    count: usize,
    components: Vec<Mention>,
    more: Option<More>,
}

#[derive(Serialize)]
struct LayerRow {
    title: String,
    href: String,
    description: Option<String>,
    count: usize,
    enabled: usize,
    depends_on: Vec<String>,
    components: Vec<Mention>,
    more: Option<More>,
}

/// The id of the picture of all components.
const GRAPH: &str = "graph";
/// A bootstrap of more units than this is not drawn.
const MOST_DRAWN: usize = 60;
/// Components that one wave or layer names, and that all of them name together.
const MOST_NAMED: usize = 30;
const MOST_NAMED_TOGETHER: usize = 150;
const MOST_WAVES: usize = 30;

/// More clusters than this start alike.
const MOST_STARTS: usize = 4;

pub fn write(here: &Here<'_>) -> PageContent {
    let context = here.context;
    let mut page = PageHead::new(here, "architecture", "Architecture");
    let programs = context.catalog.components.len() - context.catalog.services();
    page.description = Some(format!(
        "{} in {}, with their dependencies.",
        match programs {
            0 => counted(context.catalog.services(), "component"),
            many => format!(
                "{} and {}",
                counted(context.catalog.services(), "component"),
                counted(many, "program")
            ),
        },
        counted(context.layers.len(), "layer")
    ));
    let diagrams = diagrams(here);
    let waves = waves(here);
    let layers = layers(here);
    let headings = diagrams.iter().map(|diagram| match diagram.id.as_str() {
        GRAPH => Toc::new(2, "graph-section", "Component dependencies"),
        id => Toc::new(2, id, &diagram.title),
    });
    page.toc.extend(headings);
    if !waves.is_empty() {
        page.toc.push(Toc::new(2, "waves", "Start-up waves"));
    }
    if !layers.is_empty() {
        page.toc.push(Toc::new(2, "layers", "Layers"));
    }
    let mut markdown = Text::default();
    for diagram in &diagrams {
        markdown.heading(2, &diagram.title);
        markdown.code("mermaid", &diagram.source);
    }
    markdown.heading(2, "Start-up waves");
    for wave in &waves {
        let names = wave.components.iter();
        let names: Vec<String> = names.map(|c| link(&c.title, c.href.as_deref())).collect();
        let more = wave.more.as_ref().map_or("", |more| more.title.as_str());
        markdown.item(&format!("{}: {} {more}", wave.title, names.join(", ")));
    }
    markdown.heading(2, "Layers");
    markdown.table(
        &["Layer", "Depends on", "Enabled", "Total"],
        layers.iter().map(|layer| {
            [
                link(&layer.title, Some(&layer.href)),
                escaped(&layer.depends_on.join(", ")),
                layer.enabled.to_string(),
                layer.count.to_string(),
            ]
        }),
    );
    let architecture = Architecture {
        diagrams,
        waves,
        waves_note: "Each wave depends only on earlier waves, so its components can start in parallel. Components in a dependency cycle share a wave. Flux and Argo CD do not enforce every dependency. To simulate the order in which they start a new cluster, run catalog rehearse.",
        layers,
    };
    PageContent {
        template: "pages/architecture.html",
        page,
        views: vec![view("architecture", &architecture)],
        markdown,
    }
}

/// The layers as a picture, and every component where that can still be read.
fn diagrams(here: &Here<'_>) -> Vec<DiagramView> {
    let mut diagrams = Vec::new();
    let context = here.context;
    if context.layers.len() > 1 {
        let (flow, extent) = context.draw_layers(
            |layer| counted(context.layers[layer].components.len(), "component"),
            |layer| Some(here.layer_href(layer)),
        );
        let drawn = diagram::Diagram {
            title: "Layer dependencies".to_owned(),
            body: DiagramBody::Flow(flow),
        };
        let mut caption =
            "Layers are groups of components. Arrows point from a layer to its dependents; numbers count the dependencies."
                .to_owned();
        caption.push_str(match extent {
            DrawnEdges::All => "",
            DrawnEdges::Reduced => " Dependencies that follow from others are left out; the table of layers has all.",
            DrawnEdges::Strongest => " Only the strongest dependencies of each layer are shown; the table of layers has all.",
        });
        diagrams.push(here.diagram("layers-diagram", Some(caption), &drawn));
    }
    diagrams.extend(dependencies(here));
    diagrams.extend(starts(here));
    diagrams
}

/// The whole graph, or one component of it: the script shows the others.
fn dependencies(here: &Here<'_>) -> Option<DiagramView> {
    let context = here.context;
    let (flow, shown) = context.draw_dependencies(|at| Some(here.href(at)));
    let picture = |title: String, caption: &str, flow: Flow| {
        let drawn = diagram::Diagram {
            title,
            body: DiagramBody::Flow(flow),
        };
        here.diagram(GRAPH, Some(caption.to_owned()), &drawn)
    };
    match shown {
        DrawnGraph::Whole if flow.edges.is_empty() => None,
        DrawnGraph::Whole => {
            let title = "Component dependencies".to_owned();
            let caption = "Arrows point from a component to its dependents.";
            Some(picture(title, caption, flow))
        }
        DrawnGraph::Focus => {
            let graph = FocusGraph::new(&flow);
            let centre = graph.centre()?;
            let mut around = graph.neighbourhood(centre);
            for node in &mut around.nodes {
                node.href = node.href.take().map(|href| href + "#dependencies");
            }
            let title = format!("Dependencies of {}", flow.nodes[centre].label);
            let caption = "The page of each component shows its own neighbours.";
            Some(picture(title, caption, around))
        }
    }
}

/// Bootstrap diagrams of the clusters, where they are readable.
fn starts(here: &Here<'_>) -> Vec<DiagramView> {
    let catalog = here.context.catalog;
    // Programs are run by hand, so they have no bootstrap.
    let is_cluster = |name: &str| catalog.kubernetes().any(|cluster| cluster.name == name);
    let rehearsals = here.context.rehearsals.iter();
    let rehearsals = rehearsals.filter(|rehearsal| is_cluster(&rehearsal.cluster));
    let rehearsals = rehearsals.take(MOST_STARTS);
    let each = rehearsals.enumerate().filter_map(|(number, rehearsal)| {
        let drawn = rehearse::diagram(rehearsal);
        let DiagramBody::Flow(flow) = &drawn.body else {
            return None;
        };
        if flow.nodes.len() > MOST_DRAWN || !flow.fits() || flow.edges.is_empty() {
            return None;
        }
        let never = rehearsal.never();
        let never = match never {
            0 => String::new(),
            1 => " 1 unit never starts.".to_owned(),
            many => format!(" {many} units never start."),
        };
        let caption = format!(
            "Units (Kustomizations, HelmReleases or Applications) that wait for others, by wave: each wave waits for earlier ones. Worst-case wait {}, excluding install time.{never}",
            duration(rehearsal.waiting)
        );
        Some(here.diagram(&format!("start-{}", number + 1), Some(caption), &drawn))
    });
    each.collect()
}

fn waves(here: &Here<'_>) -> Vec<Wave> {
    let waves = here.context.catalog.order_graph().waves();
    let all = waves.len();
    let most = most_named(all.min(MOST_WAVES));
    let enabled = |at: &ComponentIx| here.component(*at).status != Status::Disabled;
    let waves = waves
        .into_iter()
        .take(MOST_WAVES)
        .enumerate()
        .map(|(number, wave)| {
            let components: Vec<ComponentIx> = wave.into_iter().filter(enabled).collect();
            let (mentions, more) = here.mentions(&components, most);
            Wave {
                title: if number > 0 && number + 1 == all {
                    format!("Wave {} (last)", number + 1)
                } else {
                    format!("Wave {}", number + 1)
                },
                count: components.len(),
                components: mentions,
                more,
            }
        });
    waves.filter(|wave| wave.count > 0).collect()
}

fn layers(here: &Here<'_>) -> Vec<LayerRow> {
    let between = here.context.between_layers();
    let most = most_named(here.context.layers.len());
    let layers = here.context.layers.iter_enumerated().map(|(at, layer)| {
        let rests: BTreeSet<LayerIx> = between
            .keys()
            .filter(|(from, _)| *from == at)
            .map(|(_, to)| *to)
            .collect();
        let (components, more) = here.mentions(&layer.components, most);
        let enabled = layer.components.iter();
        LayerRow {
            title: layer.title.clone(),
            href: here.layer_href(at),
            description: None,
            count: layer.components.len(),
            enabled: enabled
                .filter(|at| here.component(**at).status == Status::Enabled)
                .count(),
            depends_on: rests
                .iter()
                .map(|at| here.context.layers[*at].title.clone())
                .collect(),
            components,
            more: more.map(|more| More {
                href: here.layer_href(at),
                ..more
            }),
        }
    });
    layers.collect()
}

/// Most names in each of several lists.
fn most_named(lists: usize) -> usize {
    (MOST_NAMED_TOGETHER / lists.max(1)).clamp(3, MOST_NAMED)
}
