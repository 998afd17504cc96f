//! `catalog render`: prints the objects that a cluster gets as YAML, those of charts included.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::bail;
use clap::Args;

use super::options::{GlobalArgs, Options};
use super::read::{explained, require_manifests};
use super::{Outcome, progress};
use crate::export::report::plain;
use crate::pipeline::{self, RenderedObject, RenderedRepo};
use base::text::nearest;
use base::{FileId, Place};

pub const EXAMPLES: &str = "\
Examples:
  catalog render
  catalog render external-secrets
  catalog render external-secrets --environment prod --origin
  catalog render --environment prod -o prod.yaml

Charts come from the repository or from `catalog fetch`. Values of Secrets are
hidden. What a chart generates, such as passwords and certificates, is a
placeholder that is the same in every run.";

/// A repository is more likely to have many charts that were not read than few.
const MOST_REASONS: usize = 10;

#[derive(Debug, Args)]
pub struct RenderArgs {
    /// Component whose objects are printed; all if none is named
    ///
    /// Takes the id or title of a component, or the name of a Kustomization, HelmRelease or Application.
    pub component: Option<String>,

    /// Print the objects of one environment only
    #[arg(long, value_name = "ENV")]
    pub environment: Option<String>,

    /// Print the file and line that each object comes from
    #[arg(long)]
    pub origin: bool,
}

pub fn run(args: &RenderArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(None)?;
    let waiting = progress::show(&options);
    let rendered = pipeline::rendered(&options.request);
    drop(waiting);
    let rendered = rendered.map_err(explained)?;
    require_manifests(&rendered.catalog)?;
    let components = match &args.component {
        Some(name) => Some(rendered.catalog.components_named(name)?),
        None => None,
    };
    let mut objects = match &components {
        Some(components) => {
            let components = components.iter();
            components
                .flat_map(|it| rendered.of_component(*it))
                .collect()
        }
        None => rendered.all(),
    };
    if let Some(environment) = &args.environment {
        require_environment(&rendered, environment)?;
        objects.retain(|object| object.environment == environment);
    }
    options.print(&text(&rendered, &objects, args))?;
    let unread = rendered.unread_charts(components.as_deref(), args.environment.as_deref());
    explain(&unread, &options);
    Ok(Outcome::Clean)
}

fn require_environment(rendered: &RenderedRepo, name: &str) -> anyhow::Result<()> {
    let environments = rendered.catalog.environments.iter();
    let known: Vec<&str> = environments.map(|one| one.name.as_str()).collect();
    if known.contains(&name) {
        return Ok(());
    }
    let name_shown = plain(name);
    match nearest(name, &known) {
        Some(meant) => bail!(
            "there is no environment `{name_shown}`; did you mean `{}`?",
            plain(meant)
        ),
        None => bail!(
            "there is no environment `{name_shown}`; there are: {}",
            plain(&known.join(", "))
        ),
    }
}

fn text(rendered: &RenderedRepo, objects: &[RenderedObject<'_>], args: &RenderArgs) -> String {
    let first = objects.first().map(|object| object.environment);
    let has_several = objects
        .iter()
        .any(|object| Some(object.environment) != first);
    let mut text = String::new();
    for object in objects {
        text.push_str("---\n");
        // Writing to a text cannot fail.
        let _ = match object.template {
            Some(line) => writeln!(text, "# Source: {}", plain(&line.template)),
            None => writeln!(text, "# Source: {}", plain(&path(rendered, object.place))),
        };
        if has_several {
            let _ = writeln!(text, "# Environment: {}", plain(object.environment));
        }
        if args.origin {
            let _ = writeln!(text, "# Origin: {}", plain(&origin(rendered, object)));
        }
        text.push_str(&yaml::write(&object.tree));
    }
    text
}

fn path(rendered: &RenderedRepo, place: Place) -> String {
    match place.file {
        FileId::NONE => "generated".to_owned(),
        file => rendered.repo.path(file).to_string(),
    }
}

/// The line that an object comes from. One of a published chart comes from a template of that, which the repository names.
fn origin(rendered: &RenderedRepo, object: &RenderedObject<'_>) -> String {
    let here = format!("{}:{}", path(rendered, object.place), object.place.line);
    match object.template {
        Some(line) if line.file.is_none() => {
            format!("{} line {}, installed by {here}", line.chart, line.line)
        }
        _ => here,
    }
}

/// Says which charts are missing.
fn explain(unread: &BTreeSet<(String, String)>, options: &Options) {
    for (unit, why) in unread.iter().take(MOST_REASONS) {
        options.say(format!(
            "incomplete: {}: {}",
            plain(unit),
            plain(why.trim_end())
        ));
    }
    if unread.len() > MOST_REASONS {
        let more = unread.len() - MOST_REASONS;
        options.say(format!("incomplete: {more} more charts"));
    }
}
