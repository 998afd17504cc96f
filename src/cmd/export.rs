//! `catalog export`: the catalogue for other programs, on stdout, in a file or as a directory of Markdown.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::{Outcome, RepoArgs, print, progress};
use crate::backstage;
use crate::book::Book;
use crate::manuscript::{self, Links};
use crate::pipeline;
use crate::report::plain;
use crate::view::{count, counted};

#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub format: Format,

    /// Where to write: a file instead of stdout; for Markdown a directory, replaced as a whole
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,

    /// How Markdown pages name each other
    #[arg(long, value_enum, default_value_t = LinkStyle::Files)]
    pub links: LinkStyle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// service-catalog.json
    Json,
    /// A directory of pages for MkDocs, mdBook or Starlight
    Markdown,
    /// catalog-info.yaml, with the entities of Backstage
    Backstage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinkStyle {
    /// By file, as MkDocs and mdBook want it
    Files,
    /// By address, as Starlight wants it
    Addresses,
}

pub fn run(args: &ExportArgs) -> anyhow::Result<Outcome> {
    if args.format == Format::Markdown && args.out.is_none() {
        bail!("Markdown is a directory of pages: say where to write it, with --out DIR");
    }
    if args.format != Format::Markdown && args.links != LinkStyle::Files {
        bail!("--links is about Markdown pages: use it with --format markdown");
    }
    let waiting = progress::show(&args.repo);
    let reading = pipeline::read(&args.repo.request())?;
    let book = reading.book();
    let summary = match (args.format, &args.out) {
        (Format::Markdown, Some(out)) => {
            let links = match args.links {
                LinkStyle::Files => Links::Files,
                LinkStyle::Addresses => Links::Addresses,
            };
            let summary =
                manuscript::publish(&book, links, out).context("the pages are not written")?;
            drop(waiting);
            Some(format!(
                "{} in {}: {} files, {} KB",
                counted(summary.pages, "page"),
                plain(&out.to_string_lossy()),
                count(summary.files),
                count((summary.bytes / 1000) as usize),
            ))
        }
        (format, Some(path)) => {
            drop(waiting);
            let trees = args.repo.trees()?;
            trees.write(path, |to| write(to, format, &book))?;
            None
        }
        (format, None) => {
            drop(waiting);
            let stdout = io::stdout();
            if stdout.is_terminal() {
                let mut text = Vec::new();
                write(&mut text, format, &book)?;
                print(&String::from_utf8_lossy(&text))?;
            } else {
                let mut to = io::BufWriter::new(stdout.lock());
                write(&mut to, format, &book)?;
                to.flush()?;
            }
            None
        }
    };
    if !args.repo.quiet {
        crate::print_stderr!("{}", super::check::summary(&book));
        if let Some(summary) = summary {
            crate::print_stderr!("{summary}");
        }
    }
    Ok(Outcome::Clean)
}

fn write(mut to: &mut dyn Write, format: Format, book: &Book<'_>) -> io::Result<()> {
    match format {
        Format::Json => book.write_document(&mut to),
        Format::Backstage => to.write_all(backstage::entities(book).as_bytes()),
        // Many files, which `run` has written.
        Format::Markdown => Ok(()),
    }
}
