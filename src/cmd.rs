//! The commands: one file each. Machine output goes to stdout, all else to stderr.

pub mod build;
pub mod check;
pub mod export;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::pipeline::Request;

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
    version,
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
    /// Print the catalogue as a document for other programs
    #[command(
        after_help = "Examples:\n  catalog export > service-catalog.json\n  catalog export ../fleet --out service-catalog.json\n  catalog export | jq -r '.components[].title'"
    )]
    Export(export::ExportArgs),
    /// Print what is wrong with the repository, with its lines
    #[command(after_help = "Examples:\n  catalog check\n  catalog check ../fleet --format json")]
    Check(check::CheckArgs),
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

pub fn run(cli: Cli) -> anyhow::Result<Outcome> {
    match cli.command {
        Command::Build(args) => build::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Check(args) => check::run(&args),
    }
}
