//! `catalog rehearse`: simulates the bootstrap of every cluster, as text, JSON or a diagram.

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::options::{GlobalArgs, RepoArgs};
use super::read::{explained, require_manifests};
use super::{Outcome, progress};
use crate::checks::rehearse::{Rehearsal, diagram, text};
use crate::checks::unseen::Unseen;
use crate::pipeline;

pub const EXAMPLES: &str = "\
Examples:
  catalog rehearse
  catalog rehearse ../fleet --without external-secrets
  catalog rehearse --format mermaid -o bootstrap.mmd

Exits 1 if a unit never starts.";

#[derive(Debug, Args)]
pub struct RehearseArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Output format
    #[arg(long, value_enum, default_value_t = RehearseFormat::Text)]
    pub format: RehearseFormat,

    /// Leave out a component, and show what then never starts
    ///
    /// Takes the id or title of a component, or the name of a unit.
    #[arg(long, value_name = "COMPONENT")]
    pub without: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RehearseFormat {
    /// For people
    Text,
    /// `{ "clusters": [ … ], "unseen": { … } }`
    Json,
    /// A Mermaid diagram per cluster
    Mermaid,
}

#[derive(Serialize)]
struct Report<'a> {
    clusters: &'a [Rehearsal],
    unseen: Unseen,
}

pub fn run(args: &RehearseArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(args.repo.repo.as_deref())?;
    let waiting = progress::show(&options);
    let rehearsed = pipeline::rehearse(&options.request, args.without.as_deref());
    drop(waiting);
    let rehearsed = rehearsed.map_err(explained)?;
    require_manifests(&rehearsed.catalog)?;
    let rehearsals = rehearsed.rehearsals?;
    if rehearsals.iter().all(is_empty) {
        system::print_stderr!(
            "nothing to rehearse: no cluster has a Kustomization, HelmRelease or Application that starts; \
             name the directory that a reconciler starts from with [[cluster]] in catalog.toml"
        );
    }
    let printed = match args.format {
        RehearseFormat::Text => text(&rehearsals),
        RehearseFormat::Json => {
            let report = Report {
                clusters: &rehearsals,
                unseen: rehearsed.unseen,
            };
            serde_json::to_string_pretty(&report)? + "\n"
        }
        RehearseFormat::Mermaid => rehearsals.iter().map(diagram_of).collect(),
    };
    options.print(&printed)?;
    if let Some(unseen) = rehearsed.unseen.sentence() {
        options.say(unseen);
    }
    if rehearsals.iter().all(Rehearsal::completes) {
        Ok(Outcome::Clean)
    } else {
        Ok(Outcome::Findings)
    }
}

fn is_empty(rehearsal: &Rehearsal) -> bool {
    rehearsal.waves.is_empty() && rehearsal.stuck.is_empty()
}

/// A diagram, with the name of the cluster as a comment.
fn diagram_of(rehearsal: &Rehearsal) -> String {
    let name = rehearsal.cluster.replace('\n', " ");
    format!("%% {name}\n{}\n", diagram(rehearsal).mermaid().trim_end())
}
