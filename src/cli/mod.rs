//! The commands, one file each. Results go to stdout or `--out`, everything else to stderr.

pub mod build;
pub mod check;
pub mod complete;
pub mod completions;
pub mod diff;
pub mod explain;
pub mod export;
#[cfg(feature = "fetch")]
pub mod fetch;
pub mod graph;
pub mod init;
pub mod man;
mod options;
mod progress;
mod read;
pub mod rehearse;
pub mod render;
pub mod serve;
pub mod show;
pub mod starter;

use clap::{Parser, Subcommand};

use crate::pipeline::ReadError;
pub use options::{Color, GlobalArgs, Options, RepoArgs};
use system::progress as stages;

/// The version and the commit that was built. Only `--version` shows it: output does not depend on it.
pub const VERSION: &str = env!("CATALOG_VERSION");

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit 0.
    Clean,
    /// Exit 1.
    Findings,
}

const START: &str = "\
Start here, in a clone of your GitOps repository:
  catalog build              Write the site to book/; open book/index.html
  catalog serve --open       Preview the site in a browser, with live reload
  catalog check              Print problems in the manifests
  catalog explain weak-gate  Explain a rule, and how to fix its findings
  catalog rehearse           Simulate the bootstrap of a new cluster
  catalog show traefik       Print the facts about traefik
  catalog graph traefik      Print what traefik needs, and what needs it

No configuration is needed. `catalog COMMAND --help` describes a command.
Exit codes: 0 success, 1 findings, 2 could not run.";

/// Generates a service catalogue from a Flux or Argo CD repository
///
/// Writes a page for every component of your platform, and catches what would stop a new cluster from bootstrapping. It
/// only reads files, and needs no access to a cluster.
#[derive(Debug, Parser)]
#[command(
    name = "catalog",
    version = VERSION,
    after_help = START,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Generate the site
    ///
    /// Writes the catalogue as a static site: a page for every component, with its dependencies, diagrams, configuration
    /// per environment, findings and runbooks. The site needs no server; open index.html.
    #[command(after_long_help = build::EXAMPLES, arg = build::out())]
    Build(build::BuildArgs),
    /// Preview the catalogue with live reload
    ///
    /// Serves the site from memory, watches the repository and reloads the pages that an edit changes. If a file cannot be
    /// read, the page shows why.
    #[command(after_long_help = serve::EXAMPLES, arg = options::out("PATH", "").hide(true))]
    Serve(serve::ServeArgs),
    /// Print the facts about a component
    ///
    /// Prints what the page of a component shows: versions, owner, links, dependencies, settings, runbooks.
    #[command(after_long_help = show::EXAMPLES)]
    Show(show::ShowArgs),
    /// Print the catalogue for other programs
    ///
    /// Prints service-catalog.json or Backstage entities, or writes Markdown pages for another site generator.
    #[command(after_long_help = export::EXAMPLES, arg = export::out())]
    Export(export::ExportArgs),
    /// Detect what the repository contains, and write a commented catalog.toml
    ///
    /// Prints the clusters, components and documentation that were detected, and writes a catalog.toml with every key
    /// commented out. With --ci, it also writes a pipeline. Existing files are never overwritten.
    #[command(after_long_help = init::EXAMPLES)]
    Init(init::InitArgs),
    /// Print the dependency graph
    ///
    /// Prints the dependencies between all components, or those around one. Arrows point from a component to its
    /// dependents; in JSON, an edge leads from a component to what it depends on.
    #[command(
        after_long_help = graph::EXAMPLES,
        override_usage = "catalog graph [OPTIONS] [COMPONENT]\n       catalog graph [OPTIONS] <DIR> [COMPONENT]"
    )]
    Graph(graph::GraphArgs),
    /// Print problems in the manifests
    ///
    /// Prints findings, the most severe first, each with its source line and what to do about it. Errors are certain
    /// failures or races, warnings are likely ones, and infos are worth knowing. In every format, paths are relative to the
    /// root of the git repository.
    #[command(after_long_help = check::EXAMPLES)]
    Check(check::CheckArgs),
    /// Print what changed between two commits
    ///
    /// Compares two commits, or a commit with the working tree, and prints the components, settings, versions and findings
    /// that differ. Commits are read from git, without a checkout.
    #[command(after_long_help = diff::EXAMPLES)]
    Diff(diff::DiffArgs),
    /// Print the objects that a cluster gets
    ///
    /// Prints the objects of one component, or of all, as YAML: kustomizations are built, variables substituted and charts
    /// rendered. Charts come from the repository or from `catalog fetch`.
    #[command(after_long_help = render::EXAMPLES)]
    Render(render::RenderArgs),
    /// Download the charts that the repository refers to
    ///
    /// Resolves the charts of HelmReleases, Applications, kustomizations, Terraform and helmfile, downloads them into the
    /// user's cache directory, and writes catalog.lock. The only command that uses the network.
    #[cfg(feature = "fetch")]
    #[command(after_long_help = fetch::EXAMPLES)]
    Fetch(fetch::FetchArgs),
    /// Explain a rule
    ///
    /// Prints what a rule checks for, why it matters, an example and how to fix it. Without RULE, lists all rules.
    #[command(after_long_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// Simulate the bootstrap of a new cluster
    ///
    /// Prints the order in which units (Kustomizations, HelmReleases or Applications) start on an empty cluster. A wave is
    /// a group of units that start together, after the waves before it. Also prints races, units that never start, and the
    /// critical path: the chain of dependencies that takes longest.
    #[command(after_long_help = rehearse::EXAMPLES)]
    Rehearse(rehearse::RehearseArgs),
    /// Print a completion script for a shell
    ///
    /// In bash, zsh and fish, the script also completes the names of rules and components.
    #[command(after_long_help = completions::EXAMPLES)]
    Completions(completions::CompletionsArgs),
    /// Print the manual page
    ///
    /// Prints the manual page of catalog. With --out, writes that page and one for every command.
    #[command(after_long_help = man::EXAMPLES, arg = man::out())]
    Man(man::ManArgs),
}

/// Whether an error is a list of mistakes in the configuration, and nothing was added to it.
pub fn is_misconfigured(error: &anyhow::Error) -> bool {
    let outermost = error.chain().next();
    let read_error = outermost.and_then(|error| error.downcast_ref::<ReadError>());
    matches!(read_error, Some(ReadError::Config(_)))
}

pub fn run(cli: Cli) -> anyhow::Result<Outcome> {
    let Cli { global, command } = cli;
    let outcome = match command {
        Command::Build(args) => build::run(&args, &global),
        Command::Serve(args) => serve::run(&args, &global),
        Command::Show(args) => show::run(&args, &global),
        Command::Export(args) => export::run(&args, &global),
        Command::Init(args) => init::run(&args, &global),
        Command::Graph(args) => graph::run(&args, &global),
        Command::Render(args) => render::run(&args, &global),
        Command::Check(args) => check::run(&args, &global),
        Command::Diff(args) => diff::run(&args, &global),
        #[cfg(feature = "fetch")]
        Command::Fetch(args) => fetch::run(&args, &global),
        Command::Explain(args) => explain::run(&args, &global),
        Command::Rehearse(args) => rehearse::run(&args, &global),
        Command::Completions(args) => completions::run(&args, &global),
        Command::Man(args) => man::run(&args, &global),
    }?;
    if global.verbose {
        print_timings();
    }
    Ok(outcome)
}

/// How long each stage took, on stderr.
fn print_timings() {
    let each = stages::timings().into_iter();
    let each: Vec<String> = each
        .map(|(stage, took)| format!("{} {} ms", stage.name(), took.as_millis()))
        .collect();
    if !each.is_empty() {
        system::print_stderr!("time: {}", each.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;
    use crate::input::config;

    #[test]
    fn only_mistakes_of_the_configuration_itself_bring_their_own_label() {
        let mistakes = || ReadError::from(config::parse("no", "catalog.toml").unwrap_err());
        let error = anyhow::Error::from(mistakes());
        assert!(is_misconfigured(&error));
        assert!(format!("{error:#}").starts_with("error: "));
        let added = Err::<(), _>(mistakes()).context("not read").unwrap_err();
        assert!(!is_misconfigured(&added));
        let other = ReadError::Guide("docs".to_owned());
        assert!(!is_misconfigured(&other.into()));
    }
}
