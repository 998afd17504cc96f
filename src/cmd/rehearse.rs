//! `catalog rehearse`: a start from nothing, wave by wave, as text, JSON or a diagram.

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{Outcome, RepoArgs, print, progress};
use crate::config::nearest;
use crate::pipeline;
use crate::rehearse::{Rehearsal, diagram, text};

#[derive(Debug, Args)]
pub struct RehearseArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Leave a component out, and see what never starts
    #[arg(long, value_name = "COMPONENT")]
    pub without: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// `{ "clusters": [ … ] }`
    Json,
    /// A diagram for each cluster
    Mermaid,
}

#[derive(Serialize)]
struct Report<'a> {
    clusters: &'a [Rehearsal],
}

pub fn run(args: &RehearseArgs) -> anyhow::Result<Outcome> {
    let waiting = progress::show(&args.repo);
    let rehearsed = pipeline::rehearse(&args.repo.request(), args.without.as_deref())?;
    drop(waiting);
    let rehearsals = match rehearsed {
        Ok(rehearsals) => rehearsals,
        Err(known) => {
            let name = args.without.as_deref().unwrap_or_default();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            match nearest(name, &known) {
                Some(near) => bail!("there is no component `{name}`; did you mean `{near}`?"),
                None => bail!("there is no component `{name}`"),
            }
        }
    };
    let printed = match args.format {
        Format::Text => text(&rehearsals),
        Format::Json => {
            let report = Report {
                clusters: &rehearsals,
            };
            serde_json::to_string_pretty(&report)? + "\n"
        }
        Format::Mermaid => {
            let all = rehearsals.iter().map(|rehearsal| {
                let name = rehearsal.cluster.replace('\n', " ");
                format!("%% {name}\n{}\n", diagram(rehearsal).mermaid().trim_end())
            });
            all.collect()
        }
    };
    print(&printed)?;
    Ok(match rehearsals.iter().all(Rehearsal::completes) {
        true => Outcome::Clean,
        false => Outcome::Findings,
    })
}
