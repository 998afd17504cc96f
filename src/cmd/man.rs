//! `catalog man`: the manual, made from the command line that it describes.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_mangen::Man;

use super::{Cli, Outcome, VERSION};
use crate::output::{self, Trees};
use crate::system::Way;

pub const EXAMPLES: &str = "\
Examples:
  catalog man | man -l -                          Read it now
  catalog man --out ~/.local/share/man/man1       Install a page per command";

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write catalog.1 and a page for each command to this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

pub fn run(args: &ManArgs) -> anyhow::Result<Outcome> {
    let pages = pages()?;
    let Some(directory) = &args.out else {
        let whole = pages.first().map(|(_, page)| page.as_bytes());
        std::io::stdout()
            .lock()
            .write_all(whole.unwrap_or_default())?;
        return Ok(Outcome::Clean);
    };
    let trees = Trees::around(None);
    let spot = trees.spot(&directory.join("page"), Way::Made)?;
    for (name, page) in &pages {
        let written = output::place(&spot.directory, name.as_ref(), |to| {
            to.write_all(page.as_bytes())
        });
        let path = directory.join(name);
        written.with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(Outcome::Clean)
}

/// File names and pages, the page of the whole first.
fn pages() -> anyhow::Result<Vec<(String, String)>> {
    let mut whole = Cli::command();
    whole.build();
    let commands = whole.get_subcommands().cloned();
    let all: Vec<_> = std::iter::once(whole.clone()).chain(commands).collect();
    let mut pages = Vec::new();
    for command in all {
        let page = Man::new(command)
            .source(format!("catalog {VERSION}"))
            .manual("Service catalogue");
        let mut text = Vec::new();
        page.render(&mut text)?;
        // What stands behind the options are examples: manuals call them so, and keep their lines.
        let text = String::from_utf8(text)?
            .replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n.nf\n")
            .replace(".SH EXTRA\n", ".SH EXAMPLES\n.nf\n");
        pages.push((page.get_filename(), text));
    }
    Ok(pages)
}
