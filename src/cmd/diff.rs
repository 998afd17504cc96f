//! `catalog diff`: what changed between two commits, or since one.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::check::FailOn;
use super::{ColorArgs, Outcome, print};
use crate::book::Book;
use crate::diff::{self, Side};
use crate::pipeline::{self, Reading, Request};
use crate::report::{Paint, plain_lines};

pub const EXAMPLES: &str = "\
Examples:
  catalog diff main                                    What the working tree changes
  catalog diff main feature                            What one branch has beyond another
  catalog diff v1.4.0 v1.5.0 --repo ../fleet           Between two releases
  catalog diff origin/main --merge-base                What a branch did since it left main
  catalog diff origin/main --format markdown           A comment for a pull request
  catalog diff origin/main --fail-on error             Fail when it brings new errors

Commits are read from git, without a checkout, each with the catalog.toml that it has.
A line that moved is no change. Values of secrets are never shown.

The exit code is 0, whatever changed, unless --fail-on names the findings that may not be new.";

/// What the working tree is called where commits have names.
const WORKING_TREE: &str = "working tree";

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The commit to compare with: a branch, a tag or an id
    pub base: String,

    /// The commit to look at; else the working tree
    pub head: Option<String>,

    /// The repository; else what `catalog.toml` names, else the current directory
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,

    /// The configuration for both; else the `catalog.toml` that each commit has
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Compare with the last commit that both have, as a pull request does
    #[arg(long)]
    pub merge_base: bool,

    /// How to print the difference
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    #[command(flatten)]
    pub color: ColorArgs,

    /// Say nothing but what was asked for
    #[arg(long, short)]
    pub quiet: bool,

    /// The least grave new finding that makes it end with 1
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Never)]
    pub fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For a comment on a pull request: at most 65,000 bytes
    Markdown,
    /// For programs: docs/diff.md says how it reads
    Json,
}

pub fn run(args: &DiffArgs) -> anyhow::Result<Outcome> {
    let request = Request {
        repo: args.repo.clone(),
        config: args.config.clone(),
        ..Request::default()
    };
    let merge_base = match args.merge_base {
        true => {
            let head = args.head.as_deref().unwrap_or("HEAD");
            Some(pipeline::merge_base(&request, &args.base, head)?)
        }
        false => None,
    };
    let start = merge_base.as_deref().unwrap_or(&args.base);
    let (base, head) = rayon::join(
        || pipeline::read_commit(&request, start),
        || match &args.head {
            Some(head) => pipeline::read_commit(&request, head),
            None => pipeline::read_work_tree(&request),
        },
    );
    // Where both cannot be read, the same is wrong with both.
    let (base, head) = (base?, head?);
    let (base_book, head_book) = rayon::join(|| base.book(), || head.book());
    let base_name = args.base.as_str();
    let head_name = args.head.as_deref();
    let difference = diff::diff(
        side(&base, &base_book, Some(base_name)),
        side(&head, &head_book, head_name),
    );
    let stdout = std::io::stdout();
    let paint = match args.color.on(&stdout) {
        true => Paint::Colour,
        false => Paint::Plain,
    };
    match args.format {
        // It has colours of its own, and spells out all else.
        Format::Text => {
            let text = diff::text(&difference, paint);
            stdout.lock().write_all(text.as_bytes())?;
        }
        // People read it in logs and in comments, where names should not deceive them either.
        Format::Markdown => print(&plain_lines(&diff::markdown(&difference)))?,
        Format::Json => print(&difference.to_json())?,
    }
    let fails = args.fail_on.least();
    Ok(match fails.is_some_and(|least| difference.has_new(least)) {
        true => Outcome::Findings,
        false => Outcome::Clean,
    })
}

/// `name` is that of a commit; none for the working tree.
fn side<'a>(reading: &'a Reading, book: &'a Book<'a>, name: Option<&'a str>) -> Side<'a> {
    let git = reading.repo.git();
    Side {
        name: name.unwrap_or(WORKING_TREE),
        commit: name.and_then(|_| git.map(|git| git.commit.as_str())),
        repo: &reading.repo,
        catalog: &reading.catalog,
        knowledge: &reading.knowledge,
        findings: &book.findings,
    }
}
