//! `catalog export`: the catalogue as a document on stdout or in a file.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::{Outcome, RepoArgs};
use crate::pipeline;

#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub format: Format,

    /// Write to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// service-catalog.json
    Json,
}

pub fn run(args: &ExportArgs) -> anyhow::Result<Outcome> {
    let reading = pipeline::read(&args.repo.request())?;
    let document = reading.document();
    let mut text = match args.format {
        Format::Json => serde_json::to_string_pretty(&document)?,
    };
    text.push('\n');
    match &args.out {
        Some(path) => std::fs::write(path, text)
            .with_context(|| format!("cannot write `{}`", path.display()))?,
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    if !args.repo.quiet {
        eprintln!("{}", super::check::summary(&reading));
    }
    Ok(Outcome::Clean)
}
