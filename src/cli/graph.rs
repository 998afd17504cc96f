//! `catalog graph`: prints the dependency graph, or the neighbourhood of a component, as Mermaid, DOT, JSON or SVG.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::Outcome;
use super::options::{GlobalArgs, RepoArgs};
use super::read::{read, require_manifests};
use crate::catalog::{ComponentIx, EdgeDirection};
use crate::export::report;
use crate::site;
use crate::site::context::{LayerIx, SiteContext};
use crate::site::view::counted;
use diagram::{Diagram, DiagramBody, Flow};

pub const EXAMPLES: &str = "\
Examples:
  catalog graph -o graph.mmd
  catalog graph traefik
  catalog graph external-secrets --repo ../fleet --downstream --depth 2
  catalog graph --format svg -o graph.svg
  catalog graph --format dot | dot -Tpdf > graph.pdf

A single argument is a component, even if a directory has that name. For the
directory, write `./NAME` or `--repo NAME`.";

const AROUND: &str = "Around a component";

#[derive(Debug, Args)]
pub struct GraphArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Component to show with its dependencies and dependents
    ///
    /// Takes the id or title of a component, or the name of a Kustomization, HelmRelease or Application.
    pub component: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t = GraphFormat::Mermaid)]
    pub format: GraphFormat,

    /// Show only what the component depends on
    #[arg(long, conflicts_with = "downstream", help_heading = AROUND)]
    pub upstream: bool,

    /// Show only what depends on the component
    #[arg(long, help_heading = AROUND)]
    pub downstream: bool,

    /// Maximum number of hops from the component
    #[arg(long, value_name = "HOPS", help_heading = AROUND)]
    pub depth: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A Mermaid diagram
    Mermaid,
    /// For Graphviz
    Dot,
    /// `{ "nodes": [ … ], "edges": [ … ] }`
    Json,
    /// A picture
    Svg,
}

pub fn run(args: &GraphArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let (directory, component) = arguments(args, global);
    if component.is_none() && (args.upstream || args.downstream || args.depth.is_some()) {
        bail!("name a component, as in `catalog graph traefik --upstream`");
    }
    let options = global.options(directory.as_deref())?;
    let reading = read(&options)?;
    require_manifests(&reading.catalog)?;
    let context = reading.context();
    let shown = match &component {
        Some(name) => around(&context, name, args)?,
        None => context.catalog.components.indices().collect(),
    };
    if shown.is_empty() {
        system::print_stderr!("nothing to show: the repository has clusters, but no components");
    } else if let (Some(name), [_]) = (&component, shown.as_slice()) {
        let name = report::plain(name);
        options.say(match (args.upstream, args.downstream) {
            (true, _) => format!("`{name}` depends on no other component"),
            (_, true) => format!("no other component depends on `{name}`"),
            _ => format!("`{name}` has no dependencies and no dependents"),
        });
    }
    let text = match args.format {
        GraphFormat::Mermaid => diagram(&context, &shown).mermaid(),
        GraphFormat::Svg => {
            let theme = site::own_theme(context.repo)?;
            diagram(&context, &shown).picture(&theme.diagram_style())
        }
        GraphFormat::Dot => dot(&context, &shown),
        GraphFormat::Json => json(&context, &shown)?,
    };
    options.print(&text)?;
    Ok(Outcome::Clean)
}

/// The repository and the component that the positional arguments name. A single one is a component unless it is written
/// as a path.
fn arguments(args: &GraphArgs, global: &GlobalArgs) -> (Option<PathBuf>, Option<String>) {
    match (&args.repo.repo, &args.component) {
        (Some(one), None) if global.repo.is_some() || !is_path(one) => {
            (None, Some(one.to_string_lossy().into_owned()))
        }
        (directory, component) => (directory.clone(), component.clone()),
    }
}

/// Whether an argument can only be a directory: `.`, `./name`, `../name`, `/name`, or a directory below another.
fn is_path(argument: &Path) -> bool {
    let text = argument.to_string_lossy();
    let is_below = text.contains(std::path::is_separator) && argument.is_dir();
    text.starts_with('.') || argument.is_absolute() || is_below
}

/// A component and what is around it, in the order of the catalogue.
fn around(
    context: &SiteContext<'_>,
    name: &str,
    args: &GraphArgs,
) -> anyhow::Result<Vec<ComponentIx>> {
    let mut shown = context.catalog.components_named(name).map_err(|unknown| {
        if Path::new(name).is_dir() {
            anyhow!("{unknown}\nhelp: to read the directory of that name, use `--repo {name}`")
        } else {
            unknown.into()
        }
    })?;
    let depth = args.depth.unwrap_or(usize::MAX);
    for component in shown.clone() {
        if !args.downstream {
            shown.extend(
                context
                    .graph
                    .reach(component, EdgeDirection::Upstream, depth),
            );
        }
        if !args.upstream {
            shown.extend(
                context
                    .graph
                    .reach(component, EdgeDirection::Downstream, depth),
            );
        }
    }
    shown.sort_unstable();
    shown.dedup();
    Ok(shown)
}

/// The components, or their layers if there are too many components to read.
fn diagram(context: &SiteContext<'_>, shown: &[ComponentIx]) -> Diagram {
    let all = context.draw_components(shown, |_| None);
    let title = format!("{}: dependencies", context.title);
    let body = if shown.len() > Flow::MOST_NODES || !all.fits() {
        let size = |layer: LayerIx| counted(context.layers[layer].components.len(), "component");
        context.draw_layers(size, |_| None).0
    } else {
        all
    };
    Diagram {
        title,
        body: DiagramBody::Flow(body),
    }
}

fn dot(context: &SiteContext<'_>, shown: &[ComponentIx]) -> String {
    let mut text =
        "digraph catalog {\n  rankdir=TB;\n  node [shape=box, style=rounded];\n".to_owned();
    for (at, layer) in context.layers.iter_enumerated() {
        let inside = shown
            .iter()
            .filter(|one| context.related[**one].layer == at);
        let mut inside = inside.peekable();
        if inside.peek().is_none() {
            continue;
        }
        let _ = writeln!(
            text,
            "  subgraph cluster_{} {{\n    label={};",
            at.index(),
            quoted(&layer.title)
        );
        for one in inside {
            let component = &context.catalog.components[*one];
            let (id, title) = (quoted(&component.id.0), quoted(&component.title));
            let _ = writeln!(text, "    {id} [label={title}];");
        }
        text += "  }\n";
    }
    for (from, to) in pairs(context, shown) {
        let id = |at: ComponentIx| quoted(&context.catalog.components[at].id.0);
        let _ = writeln!(text, "  {} -> {};", id(to), id(from));
    }
    text + "}\n"
}

/// Pairs of a component and one that it depends on, each once.
fn pairs<'b>(
    context: &'b SiteContext<'_>,
    shown: &'b [ComponentIx],
) -> impl Iterator<Item = (ComponentIx, ComponentIx)> + 'b {
    shown.iter().flat_map(|from| {
        let needs = context.graph.needs(*from).iter();
        let inside = needs.filter(|to| shown.binary_search(to).is_ok());
        inside.map(|to| (*from, *to))
    })
}

/// A quoted DOT identifier, in which only quotes and backslashes are special.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", report::plain(&escaped))
}

#[derive(Serialize)]
struct GraphDoc<'b> {
    nodes: Vec<GraphNode<'b>>,
    /// From a component to one that it depends on.
    edges: Vec<GraphEdge<'b>>,
}

#[derive(Serialize)]
struct GraphNode<'b> {
    id: &'b str,
    title: &'b str,
    layer: Option<&'b str>,
    status: &'static str,
}

#[derive(Serialize)]
struct GraphEdge<'b> {
    from: &'b str,
    to: &'b str,
    reason: &'b str,
    file: &'b str,
    line: u32,
}

fn json(context: &SiteContext<'_>, shown: &[ComponentIx]) -> anyhow::Result<String> {
    let components = &context.catalog.components;
    let edges = context.catalog.edges.iter().filter(|edge| {
        shown.binary_search(&edge.from).is_ok() && shown.binary_search(&edge.to).is_ok()
    });
    let graph = GraphDoc {
        nodes: shown
            .iter()
            .map(|at| GraphNode {
                id: &components[*at].id.0,
                title: &components[*at].title,
                layer: components[*at].layer.as_deref(),
                status: components[*at].status.name(),
            })
            .collect(),
        edges: edges
            .map(|edge| GraphEdge {
                from: &components[edge.from].id.0,
                to: &components[edge.to].id.0,
                reason: edge.relation.reason(),
                file: context.repo.path(edge.place.file).as_str(),
                line: edge.place.line,
            })
            .collect(),
    };
    Ok(serde_json::to_string_pretty(&graph)? + "\n")
}
