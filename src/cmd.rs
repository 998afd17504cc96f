//! The commands: one file each. Machine output goes to stdout, all else to stderr.

pub mod build;
pub mod check;
pub mod diff;
pub mod explain;
pub mod export;
pub mod graph;
pub mod rehearse;
pub mod serve;

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::pipeline::Request;

/// The version and the commit that was built. Only `--version` shows it: what is made of a repo does not depend on it.
pub const VERSION: &str = env!("CATALOG_VERSION");

/// What a command ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Clean,
    Findings,
}

/// Turns a GitOps repository into a service catalogue.
#[derive(Debug, Parser)]
#[command(
    name = "catalog",
    version = VERSION,
    about,
    after_help = "Exit codes: 0 clean, 1 findings, 2 could not run.",
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the catalogue as a site
    #[command(
        after_help = "Examples:\n  catalog build\n  catalog build ../fleet --out public\n\nThe site needs no server: open index.html."
    )]
    Build(build::BuildArgs),
    /// Show the catalogue in a browser, as the repository is while you edit it
    #[command(
        after_help = "Examples:\n  catalog serve --open\n  catalog serve ../fleet --port 8000\n\nIt watches the repository, reloads open pages that changed, and shows what is wrong over them. Ctrl-C ends it."
    )]
    Serve(serve::ServeArgs),
    /// Print the catalogue as a document for other programs
    #[command(
        after_help = "Examples:\n  catalog export > service-catalog.json\n  catalog export ../fleet --out service-catalog.json\n  catalog export | jq -r '.components[].title'"
    )]
    Export(export::ExportArgs),
    /// Print who needs whom
    #[command(
        after_help = "Examples:\n  catalog graph > graph.mmd\n  catalog graph . external-secrets --downstream --depth 2\n  catalog graph --format svg > graph.svg\n  catalog graph --format dot | dot -Tpdf > graph.pdf\n\nAn arrow leads from what is needed to what needs it; in JSON, edges lead from a component to what it needs."
    )]
    Graph(graph::GraphArgs),
    /// Print what is wrong with the repository, with its lines
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArgs),
    /// Print what changed between two commits, or since one
    #[command(after_help = diff::EXAMPLES)]
    Diff(diff::DiffArgs),
    /// Say what a rule means, why it matters and how to fix it
    #[command(after_help = "Examples:\n  catalog explain\n  catalog explain yaml-duplicate-key")]
    Explain(explain::ExplainArgs),
    /// Simulate a start from nothing: what starts in which wave, what races, what never starts
    #[command(
        after_help = "Examples:\n  catalog rehearse\n  catalog rehearse ../fleet --without external-secrets\n  catalog rehearse --format mermaid\n\nThe exit code is 1 when something never starts."
    )]
    Rehearse(rehearse::RehearseArgs),
}

/// What every command that reads a repository takes.
#[derive(Debug, Args)]
pub struct RepoArgs {
    /// The repository; else what `catalog.toml` names, else the current directory
    pub repo: Option<PathBuf>,

    /// The configuration; else `catalog.toml` in the repository
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Say nothing but what was asked for
    #[arg(long, short)]
    pub quiet: bool,
}

impl RepoArgs {
    fn request(&self) -> Request {
        Request {
            repo: self.repo.clone(),
            config: self.config.clone(),
        }
    }
}

#[derive(Debug, Args)]
pub struct ColorArgs {
    /// When to use colour; `NO_COLOR` and `CLICOLOR_FORCE` count for `auto`
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal
    Auto,
    Always,
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
        Command::Graph(args) => graph::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Rehearse(args) => rehearse::run(&args),
    }
}
