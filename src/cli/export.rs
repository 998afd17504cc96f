//! `catalog export`: prints the catalogue for other programs, or writes it as a directory of Markdown.

use secret::outgoing::Outgoing;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::bail;
use clap::{Arg, Args, ValueEnum};

use super::options::{self, GlobalArgs, Options, RepoArgs};
use super::read::{read, require_content};
use super::{Outcome, progress};
use crate::export::report::plain;
use crate::publish::markdown::{self, PageNaming};
use crate::site::backstage;
use crate::site::context::SiteContext;
use crate::site::view::{count, counted};

pub const EXAMPLES: &str = "\
Examples:
  catalog export -o service-catalog.json
  catalog export | jq -r '.components[].title'
  catalog export --format markdown -o docs/catalogue
  catalog export --format backstage -o catalog-info.yaml";

/// The option `--out`, which is a directory for Markdown.
pub fn out() -> Arg {
    options::out("PATH", "File to write instead of stdout; for Markdown, a directory").long_help(
        "File to write instead of stdout\n\nFor Markdown, a directory, which is required and replaced as a whole.",
    )
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Output format
    #[arg(long, value_enum, default_value_t = ExportFormat::Json)]
    pub format: ExportFormat,

    /// How Markdown pages link to each other
    #[arg(long, value_enum, default_value_t = LinkStyle::Files)]
    pub links: LinkStyle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// service-catalog.json
    Json,
    /// Pages for MkDocs, mdBook or Starlight
    Markdown,
    /// catalog-info.yaml with Backstage entities
    Backstage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinkStyle {
    /// By file name, for MkDocs and mdBook
    Files,
    /// By URL, for Starlight
    Addresses,
}

pub fn run(args: &ExportArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(args.repo.repo.as_deref())?;
    if args.format == ExportFormat::Markdown && options.out.is_none() {
        bail!("--format markdown writes a directory of pages; name it with --out DIR");
    }
    if args.format != ExportFormat::Markdown && args.links != LinkStyle::Files {
        bail!("--links applies to Markdown pages; use it with --format markdown");
    }
    let reading = read(&options)?;
    require_content(&reading)?;
    let context = reading.context();
    let summary = match (args.format, &options.out) {
        (ExportFormat::Markdown, Some(out)) => {
            Some(write_pages(&context, args.links, out, &options)?)
        }
        _ => {
            write_document(args.format, &context, &options)?;
            None
        }
    };
    options.say(super::check::summary(&context));
    if let Some(summary) = summary {
        options.say(summary);
    }
    Ok(Outcome::Clean)
}

/// Writes Markdown pages, and returns what was written.
fn write_pages(
    context: &SiteContext<'_>,
    links: LinkStyle,
    out: &Path,
    options: &Options,
) -> anyhow::Result<String> {
    let links = match links {
        LinkStyle::Files => PageNaming::Files,
        LinkStyle::Addresses => PageNaming::Addresses,
    };
    let waiting = progress::show(options);
    let summary = markdown::publish(context, links, out)?;
    drop(waiting);
    Ok(format!(
        "{} in {}: {} files, {} KB",
        counted(summary.pages, "page"),
        plain(&out.to_string_lossy()),
        count(summary.files),
        count((summary.bytes / 1000) as usize),
    ))
}

fn write_document(
    format: ExportFormat,
    context: &SiteContext<'_>,
    options: &Options,
) -> anyhow::Result<()> {
    let write = |to: &mut Outgoing<&mut dyn Write>| match format {
        ExportFormat::Json => context.write_document(to),
        ExportFormat::Backstage => to.write_all(backstage::entities(context).as_bytes()),
        // A directory, which `write_pages` writes.
        ExportFormat::Markdown => Ok(()),
    };
    if options.out.is_none() && io::stdout().is_terminal() {
        let mut text = Vec::new();
        let mut to = Outgoing::new(&mut text as &mut dyn Write);
        write(&mut to)?;
        to.finish()?;
        return options.print(&String::from_utf8_lossy(&text));
    }
    options.write(write)
}
