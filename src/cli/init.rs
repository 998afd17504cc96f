//! `catalog init`: prints what was detected, and writes a commented `catalog.toml` and, on request, a pipeline.

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::Outcome;
use super::options::{GlobalArgs, RepoArgs};
use super::read::read;
use crate::cli::starter::{self, RepoHost, WriteResult};
use crate::export::report;
use crate::pipeline::{self, Request};

#[derive(Debug, Args)]
pub struct InitArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Write a pipeline that checks pull requests and publishes the site
    #[arg(long, value_enum, value_name = "FORGE")]
    pub ci: Option<Ci>,

    /// Print the files instead of writing them
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ci {
    /// .github/workflows/catalog.yml
    Github,
    /// .gitlab-ci.yml, or a file for it to include
    Gitlab,
    /// .forgejo/workflows/catalog.yml
    Forgejo,
}

pub const EXAMPLES: &str = "\
Examples:
  catalog init
  catalog init --ci github
  catalog init ../fleet --ci gitlab --dry-run";

pub fn run(args: &InitArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let mut options = global.options(args.repo.repo.as_deref())?;
    if options.out.is_some() && !args.dry_run {
        bail!(
            "`init` writes into the repository; name another with --repo DIR, or print the files with --dry-run"
        );
    }
    if options.request.repo.is_none() {
        // Writes into the current repository, not into one that its catalog.toml names.
        options.request = Request {
            repo: Some(pipeline::start_directory()),
            ..options.request
        };
    }
    let reading = read(&options)?;
    let context = reading.context();
    let repo_host = args.ci.map(|ci| match ci {
        Ci::Github => RepoHost::GitHub,
        Ci::Gitlab => RepoHost::GitLab,
        Ci::Forgejo => RepoHost::Forgejo,
    });
    let say = |line: &str| options.say(report::plain(line));
    for line in starter::survey(&context) {
        say(&line);
    }
    say("");
    let mut printed = String::new();
    for file in starter::files(&context, repo_host) {
        if args.dry_run {
            say(&format!("Would write {}", file.path));
            printed += &report::plain_lines(file.text.trim_end());
            printed.push('\n');
            continue;
        }
        let fate = starter::write(&reading.repo, &file)
            .with_context(|| format!("`{}` is not written", file.path))?;
        match fate {
            WriteResult::Written => {
                say(&format!("Wrote {}", file.path));
                if let Some(note) = file.note {
                    say(&format!("  Next: {note}"));
                }
            }
            WriteResult::Left(reason) => say(&format!("Did not write {}: {reason}", file.path)),
        }
    }
    if args.dry_run {
        options.print(&printed)?;
    } else if !context.catalog.components.is_empty() {
        say("");
        say("Next: `catalog build` writes the site to book/; `catalog check` prints findings.");
    }
    Ok(Outcome::Clean)
}
