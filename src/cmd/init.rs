//! `catalog init`: says what it recognised, and writes a commented `catalog.toml` and, if asked, a pipeline.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::Outcome;
use crate::pipeline::{self, Request};
use crate::report;
use crate::starter::{self, Fate, Forge};

#[derive(Debug, Args)]
pub struct InitArgs {
    /// The repository; else the current directory
    pub repo: Option<PathBuf>,

    /// Write a pipeline that checks pull requests and publishes the site
    #[arg(long, value_enum, value_name = "FORGE")]
    pub ci: Option<Ci>,

    /// Print the files instead of writing them
    #[arg(long)]
    pub dry_run: bool,

    /// Say nothing but what was asked for
    #[arg(long, short)]
    pub quiet: bool,
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

pub const EXAMPLES: &str = "Examples:\n  catalog init\n  catalog init --ci github\n  catalog init ../fleet --ci gitlab --dry-run\n\nNothing that exists is overwritten.";

pub fn run(args: &InitArgs) -> anyhow::Result<Outcome> {
    let root = args
        .repo
        .clone()
        .unwrap_or_else(|| Path::new(".").to_path_buf());
    let reading = pipeline::read(&Request {
        repo: Some(root.clone()),
        config: None,
        ..Request::default()
    })?;
    let book = reading.book();
    let forge = args.ci.map(|ci| match ci {
        Ci::Github => Forge::GitHub,
        Ci::Gitlab => Forge::GitLab,
        Ci::Forgejo => Forge::Forgejo,
    });
    let say = |line: &str| {
        if !args.quiet {
            crate::print_stderr!("{}", report::plain(line));
        }
    };
    for line in starter::survey(&book) {
        say(&line);
    }
    say("");
    for file in starter::files(&book, forge) {
        if args.dry_run {
            say(&format!("Would write {}:", file.path));
            super::print(&format!("{}\n", report::plain_lines(file.text.trim_end())))?;
            continue;
        }
        let fate = starter::write(&reading.repo, &file)
            .with_context(|| format!("`{}` is not written", file.path))?;
        match fate {
            Fate::Written => {
                say(&format!("Wrote {}", file.path));
                if let Some(note) = file.note {
                    say(&format!("  Next: {note}"));
                }
            }
            Fate::Left(reason) => say(&format!("Left {} alone: {reason}", file.path)),
        }
    }
    if !args.dry_run && !book.catalog.components.is_empty() {
        say("");
        say(
            "Next: `catalog build` writes the site to book/, and `catalog check` prints the findings.",
        );
    }
    Ok(Outcome::Clean)
}
