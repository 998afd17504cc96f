//! The commands: one file each. Machine output goes to stdout, all else to stderr.

pub mod build;
pub mod check;
pub mod completions;
pub mod diff;
pub mod explain;
pub mod export;
pub mod graph;
pub mod init;
pub mod man;
mod progress;
pub mod rehearse;
pub mod serve;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::output::Trees;
use crate::pipeline::{self, ReadError, Request};
use crate::report;

/// The version and the commit that was built. Only `--version` shows it: what is made of a repo does not depend on it.
pub const VERSION: &str = env!("CATALOG_VERSION");

/// What a command ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Clean,
    Findings,
}

const START: &str = "\
Start here, in a clone of your GitOps repository:
  catalog build              Write the site to book/: open book/index.html
  catalog serve --open       The same in a browser, while you edit
  catalog check              What is wrong, with the lines
  catalog explain weak-gate  What a rule means, and how to mend it
  catalog rehearse           How a new cluster would start
  catalog graph traefik      What one component needs, and what needs it

No configuration is needed. `catalog COMMAND --help` shows more of each.
Exit codes: 0 clean, 1 findings, 2 could not run.";

/// Turns a GitOps repository into a service catalogue.
#[derive(Debug, Parser)]
#[command(
    name = "catalog",
    version = VERSION,
    about,
    after_help = START,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the catalogue as a site
    #[command(after_help = build::EXAMPLES)]
    Build(build::BuildArgs),
    /// Show the catalogue in a browser, as the repository is while you edit it
    #[command(
        after_help = "Examples:\n  catalog serve --open\n  catalog serve ../fleet --port 8000\n\nIt watches the repository, reloads open pages that changed, and shows what is wrong over them. Ctrl-C ends it."
    )]
    Serve(serve::ServeArgs),
    /// Write the catalogue for other programs: JSON, Markdown pages, Backstage
    #[command(
        after_help = "Examples:\n  catalog export > service-catalog.json\n  catalog export | jq -r '.components[].title'\n  catalog export --format markdown --out docs/catalogue\n  catalog export --format backstage --out catalog-info.yaml"
    )]
    Export(export::ExportArgs),
    /// Say what is recognised in a repository, and write a commented catalog.toml
    #[command(after_help = init::EXAMPLES)]
    Init(init::InitArgs),
    /// Print who needs whom, all of it or around one component
    #[command(
        after_help = "Examples:\n  catalog graph > graph.mmd\n  catalog graph traefik\n  catalog graph ../fleet external-secrets --downstream --depth 2\n  catalog graph --format svg > graph.svg\n  catalog graph --format dot | dot -Tpdf > graph.pdf\n\nAn arrow leads from what is needed to what needs it; in JSON, edges lead\nfrom a component to what it needs."
    )]
    Graph(graph::GraphArgs),
    /// Print what is wrong with the repository, with its lines
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArgs),
    /// Print what changed between two commits, or since one
    #[command(after_help = diff::EXAMPLES)]
    Diff(diff::DiffArgs),
    /// Say what a rule means, why it matters and how to fix it
    #[command(
        after_help = "Examples:\n  catalog explain                      All rules, a line each\n  catalog explain yaml-duplicate-key   One, with an example"
    )]
    Explain(explain::ExplainArgs),
    /// Simulate a start from nothing: waves, races, what never starts
    #[command(
        after_help = "Examples:\n  catalog rehearse\n  catalog rehearse ../fleet --without external-secrets\n  catalog rehearse --format mermaid\n\nThe exit code is 1 when something never starts."
    )]
    Rehearse(rehearse::RehearseArgs),
    /// Print what a shell needs to complete this command line
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write those of all commands
    #[command(after_help = man::EXAMPLES)]
    Man(man::ManArgs),
}

/// The heading of what is the same for many commands, so that it does not hide what one has for itself.
const GENERAL: &str = "General options";

/// What every command that reads a repository takes.
#[derive(Debug, Args)]
pub struct RepoArgs {
    /// The repository; else what `catalog.toml` names, else the current directory
    pub repo: Option<PathBuf>,

    /// The configuration; else `catalog.toml` in the repository
    #[arg(long, value_name = "FILE", help_heading = GENERAL)]
    pub config: Option<PathBuf>,

    /// Say nothing but what was asked for
    #[arg(long, short, help_heading = GENERAL)]
    pub quiet: bool,
}

impl RepoArgs {
    fn request(&self) -> Request {
        Request {
            repo: self.repo.clone(),
            config: self.config.clone(),
            ..Request::default()
        }
    }

    /// The directories in which links are the repository's, not the operator's.
    fn trees(&self) -> Result<Trees, ReadError> {
        let root = pipeline::root(&self.request())?;
        Ok(Trees::around(Some(&root)))
    }
}

/// Prints what programs read. A program gets it as it is; on a terminal nothing in it is obeyed.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.is_terminal() {
        true => stdout.write_all(report::plain_lines(text).as_bytes()),
        false => stdout.write_all(text.as_bytes()),
    }
}

#[derive(Debug, Args)]
pub struct ColorArgs {
    /// When to use colour; `NO_COLOR` and `CLICOLOR_FORCE` count for `auto`
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", help_heading = GENERAL)]
    pub color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Also in a file or a pipe
    Always,
    /// Nowhere
    Never,
}

impl ColorArgs {
    /// Whether what goes to `stream` has colour.
    fn on(&self, stream: &impl IsTerminal) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_off = |name, off: &str| std::env::var_os(name).is_some_and(|value| value == off);
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if is_set("NO_COLOR") => false,
            Color::Auto if is_set("CLICOLOR_FORCE") && !is_off("CLICOLOR_FORCE", "0") => true,
            Color::Auto => {
                stream.is_terminal() && !is_off("TERM", "dumb") && !is_off("CLICOLOR", "0")
            }
        }
    }
}

pub fn run(cli: Cli) -> anyhow::Result<Outcome> {
    match cli.command {
        Command::Build(args) => build::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Rehearse(args) => rehearse::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
