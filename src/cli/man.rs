//! `catalog man`: prints the manual, generated from the command line that it describes.

use anyhow::Context;
use clap::{Arg, Args, CommandFactory};
use clap_mangen::Man;

use super::options::{self, GlobalArgs};
use super::{Cli, Outcome, VERSION};
use system::Way;
use system::output::{self, Trees};

pub const EXAMPLES: &str = "\
Examples:
  catalog man | man -l -                   Read the manual
  catalog man -o ~/.local/share/man/man1   Install a page for every command";

#[derive(Debug, Args)]
pub struct ManArgs {}

/// The option `--out`, which is a directory here.
pub fn out() -> Arg {
    options::out(
        "DIR",
        "Directory to write catalog.1 and a page for every command to",
    )
}

pub fn run(_: &ManArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(None)?;
    let pages = pages()?;
    let Some(directory) = &options.out else {
        let whole = pages.first().map(|(_, page)| page.as_str());
        options.print_as_it_is(whole.unwrap_or_default())?;
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

/// File names and pages; the page of the program comes first.
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
        // The text after the options is examples: manuals have a heading for them, and keep their lines.
        let text = String::from_utf8(text)?
            .replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n.nf\n")
            .replace(".SH EXTRA\n", ".SH EXAMPLES\n.nf\n");
        pages.push((page.get_filename(), text));
    }
    Ok(pages)
}
