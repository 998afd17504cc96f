//! `catalog graph`: who needs whom, as Mermaid, DOT, JSON or a picture; all of it, or what is around one component.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{Outcome, RepoArgs, print, progress};
use crate::book::Book;
use crate::config;
use crate::model::Way;
use crate::pipeline::{self, Reading, Request};
use crate::render::diagram::{Body, Diagram, Flow};
use crate::report;
use crate::site;
use crate::view::counted;

const AROUND: &str = "Around a component";

#[derive(Debug, Args)]
pub struct GraphArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// The component to look at, by its id; a single argument may be one, too
    pub component: Option<String>,

    /// How to print the graph
    #[arg(long, value_enum, default_value_t = Format::Mermaid)]
    pub format: Format,

    /// Only what the component needs
    #[arg(long, conflicts_with = "downstream", help_heading = AROUND)]
    pub upstream: bool,

    /// Only what needs the component
    #[arg(long, help_heading = AROUND)]
    pub downstream: bool,

    /// How far to go from the component
    #[arg(long, value_name = "STEPS", help_heading = AROUND)]
    pub depth: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A `graph TD` that forges and editors draw
    Mermaid,
    /// For Graphviz
    Dot,
    /// `{ "nodes": [ … ], "edges": [ … ] }`
    Json,
    /// A picture
    Svg,
}

pub fn run(args: &GraphArgs) -> anyhow::Result<Outcome> {
    let waiting = progress::show(&args.repo);
    let (reading, component) = read(args)?;
    drop(waiting);
    if component.is_none() && (args.upstream || args.downstream || args.depth.is_some()) {
        bail!("name the component from which to look, as in `catalog graph . valkey --upstream`");
    }
    let book = reading.book();
    let shown = match &component {
        Some(name) => around(&book, name, args)?,
        None => (0..book.catalog.components.len()).collect(),
    };
    let text = match args.format {
        Format::Mermaid => diagram(&book, &shown).mermaid(),
        Format::Svg => {
            let theme = site::own_theme(book.repo)?;
            diagram(&book, &shown).picture(&theme.diagram_style())
        }
        Format::Dot => dot(&book, &shown),
        Format::Json => json(&book, &shown)?,
    };
    print(&text)?;
    Ok(Outcome::Clean)
}

/// A single argument may be a component of the repo that is meant without one, or a repo.
fn read(args: &GraphArgs) -> anyhow::Result<(Reading, Option<String>)> {
    let request = args.repo.request();
    let alone = request.repo.as_ref().and_then(|one| one.to_str());
    let name = alone.filter(|one| args.component.is_none() && !one.contains(['/', '.']));
    let Some(name) = name else {
        return Ok((pipeline::read(&request)?, args.component.clone()));
    };
    let here = pipeline::read(&Request {
        repo: None,
        ..request.clone()
    })?;
    let mut components = here.catalog.components.iter();
    match components.any(|one| one.id.0 == name) || !Path::new(name).is_dir() {
        true => Ok((here, Some(name.to_owned()))),
        false => Ok((pipeline::read(&request)?, None)),
    }
}

/// A component and what is around it, in the order of the catalogue.
fn around(book: &Book<'_>, name: &str, args: &GraphArgs) -> anyhow::Result<Vec<usize>> {
    let components = &book.catalog.components;
    let Some(at) = components.iter().position(|one| one.id.0 == name) else {
        let ids: Vec<&str> = components.iter().map(|one| one.id.0.as_str()).collect();
        match config::nearest(name, &ids) {
            Some(id) => bail!("there is no component `{name}`; did you mean `{id}`?"),
            None => {
                bail!("there is no component `{name}`; `catalog graph --format json` lists them")
            }
        }
    };
    let depth = args.depth.unwrap_or(usize::MAX);
    let mut shown = vec![at];
    if !args.downstream {
        shown.extend(book.graph.reach(at, Way::Upstream, depth));
    }
    if !args.upstream {
        shown.extend(book.graph.reach(at, Way::Downstream, depth));
    }
    shown.sort_unstable();
    shown.dedup();
    Ok(shown)
}

/// The components, or the layers where there are too many of them to read.
fn diagram(book: &Book<'_>, shown: &[usize]) -> Diagram {
    let all = book.draw_components(shown, |_| None);
    let title = format!("{}: what depends on what", book.title);
    let body = match shown.len() > Flow::MOST_NODES || !all.fits() {
        true => {
            let size = |layer: usize| counted(book.layers[layer].components.len(), "component");
            book.draw_layers(size, |_| None).0
        }
        false => all,
    };
    Diagram {
        title,
        body: Body::Flow(body),
    }
}

fn dot(book: &Book<'_>, shown: &[usize]) -> String {
    let mut text =
        "digraph catalog {\n  rankdir=TB;\n  node [shape=box, style=rounded];\n".to_owned();
    for (at, layer) in book.layers.iter().enumerate() {
        let inside = shown.iter().filter(|one| book.related[**one].layer == at);
        let mut inside = inside.peekable();
        if inside.peek().is_none() {
            continue;
        }
        let _ = writeln!(
            text,
            "  subgraph cluster_{at} {{\n    label={};",
            quoted(&layer.title)
        );
        for one in inside {
            let component = &book.catalog.components[*one];
            let (id, title) = (quoted(&component.id.0), quoted(&component.title));
            let _ = writeln!(text, "    {id} [label={title}];");
        }
        text += "  }\n";
    }
    for (from, to) in pairs(book, shown) {
        let id = |at: usize| quoted(&book.catalog.components[at].id.0);
        let _ = writeln!(text, "  {} -> {};", id(to), id(from));
    }
    text + "}\n"
}

/// From what needs to what is needed, each pair once.
fn pairs<'b>(book: &'b Book<'_>, shown: &'b [usize]) -> impl Iterator<Item = (usize, usize)> + 'b {
    shown.iter().flat_map(|from| {
        let needs = book.graph.needs(*from).iter();
        let inside = needs.filter(|to| shown.binary_search(to).is_ok());
        inside.map(|to| (*from, *to))
    })
}

/// A quoted identifier of DOT, in which only quotes and backslashes mean anything.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", report::plain(&escaped))
}

#[derive(Serialize)]
struct Graph<'b> {
    nodes: Vec<Node<'b>>,
    /// From a component to one that it needs.
    edges: Vec<Edge<'b>>,
}

#[derive(Serialize)]
struct Node<'b> {
    id: &'b str,
    title: &'b str,
    layer: Option<&'b str>,
    status: &'static str,
}

#[derive(Serialize)]
struct Edge<'b> {
    from: &'b str,
    to: &'b str,
    reason: &'b str,
    file: &'b str,
    line: u32,
}

fn json(book: &Book<'_>, shown: &[usize]) -> anyhow::Result<String> {
    let components = &book.catalog.components;
    let edges = book.catalog.edges.iter().filter(|edge| {
        shown.binary_search(&edge.from).is_ok() && shown.binary_search(&edge.to).is_ok()
    });
    let graph = Graph {
        nodes: shown
            .iter()
            .map(|at| Node {
                id: &components[*at].id.0,
                title: &components[*at].title,
                layer: components[*at].layer.as_deref(),
                status: components[*at].status.name(),
            })
            .collect(),
        edges: edges
            .map(|edge| Edge {
                from: &components[edge.from].id.0,
                to: &components[edge.to].id.0,
                reason: edge.reason,
                file: book.repo.path(edge.place.file).as_str(),
                line: edge.place.line,
            })
            .collect(),
    };
    Ok(serde_json::to_string_pretty(&graph)? + "\n")
}
