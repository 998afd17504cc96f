//! `catalog export`: the catalogue as a document on stdout or in a file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::{Outcome, RepoArgs};
use crate::export::Document;
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
    let book = reading.book();
    let document = book.document();
    match &args.out {
        Some(path) => File::create(path)
            .and_then(|file| write(file, args.format, &document))
            .with_context(|| format!("cannot write `{}`", path.display()))?,
        None => write(io::stdout().lock(), args.format, &document)?,
    }
    if !args.repo.quiet {
        eprintln!("{}", super::check::summary(&book));
    }
    Ok(Outcome::Clean)
}

fn write(to: impl Write, format: Format, document: &Document) -> io::Result<()> {
    let mut to = BufWriter::new(to);
    match format {
        Format::Json => serde_json::to_writer_pretty(&mut to, document)?,
    }
    to.write_all(b"\n")?;
    to.flush()
}
