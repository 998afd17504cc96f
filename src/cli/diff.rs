//! `catalog diff`: prints what changed between two commits, or between a commit and the working tree.

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::Outcome;
use super::check::FailOn;
use super::options::GlobalArgs;
use super::read::explained;
use crate::export::diff::{self, DiffSide};
use crate::export::report::plain_lines;
use crate::pipeline::{self, Checked, GitUse};

pub const EXAMPLES: &str = "\
Examples:
  catalog diff main                            Working tree against main
  catalog diff main feature                    One branch against another
  catalog diff v1.4.0 v1.5.0 --repo ../fleet   Two releases
  catalog diff origin/main --merge-base        Changes since the branch point
  catalog diff origin/main --format markdown   A comment for a pull request
  catalog diff origin/main --fail-on error     Exit 1 if there are new errors

Each commit is read with its own catalog.toml, unless --config is given. Moved
lines are not changes. Values of secrets are never printed.

Exits 0 whatever changed, unless --fail-on is given.";

/// The name of the working tree among commits.
const WORKING_TREE: &str = "working tree";

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Commit to compare with: a branch, a tag or a commit id
    pub base: String,

    /// Commit to compare; defaults to the working tree
    pub head: Option<String>,

    /// Compare with the merge base of both commits, as a pull request does
    #[arg(long)]
    pub merge_base: bool,

    /// List every object that changed, not only the first of each component
    ///
    /// Charts may change many objects at once. Without this, removed objects, immutable fields, CRDs and workloads come
    /// first, and the rest is counted.
    #[arg(long)]
    pub objects: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    pub format: DiffFormat,

    /// Lowest severity of a new finding that makes the command exit 1
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Never)]
    pub fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people
    Text,
    /// For a comment on a pull request; at most 65,000 bytes
    Markdown,
    /// For programs; described in docs/diff.md
    Json,
}

pub fn run(args: &DiffArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(None)?;
    let request = &options.request;
    if request.git == GitUse::Skip {
        bail!("`diff` reads commits from git; remove --no-git");
    }
    let merge_base = if args.merge_base {
        let head = args.head.as_deref().unwrap_or("HEAD");
        Some(pipeline::merge_base(request, &args.base, head).map_err(explained)?)
    } else {
        None
    };
    let start = merge_base.as_deref().unwrap_or(&args.base);
    let (base, head) = rayon::join(
        || pipeline::check_commit(request, start),
        || match &args.head {
            Some(head) => pipeline::check_commit(request, head),
            None => pipeline::check_work_tree(request),
        },
    );
    // If both cannot be read, it is for the same reason.
    let (base, head) = (base.map_err(explained)?, head.map_err(explained)?);
    let mut difference = diff::diff(
        side(&base, Some(args.base.as_str())),
        side(&head, args.head.as_deref()),
    );
    if !args.objects && args.format != DiffFormat::Json {
        difference.summarise_objects();
    }
    match args.format {
        // It has colours of its own, and makes all other control characters visible.
        DiffFormat::Text => options.print_as_it_is(&diff::text(&difference, options.paint()))?,
        // People read it in logs and comments, where names should not deceive them either.
        DiffFormat::Markdown => options.print(&plain_lines(&diff::markdown(&difference)))?,
        DiffFormat::Json => options.print(&difference.to_json())?,
    }
    let lowest = args.fail_on.lowest();
    if lowest.is_some_and(|lowest| difference.has_new(lowest)) {
        Ok(Outcome::Findings)
    } else {
        Ok(Outcome::Clean)
    }
}

/// One side of the comparison. `name` is that of a commit; none for the working tree.
fn side<'a>(checked: &'a Checked, name: Option<&'a str>) -> DiffSide<'a> {
    let git = checked.repo.git();
    DiffSide {
        name: name.unwrap_or(WORKING_TREE),
        commit: name.and_then(|_| git.map(|git| git.commit.as_str())),
        repo: &checked.repo,
        catalog: &checked.catalog,
        knowledge: &checked.knowledge,
        findings: &checked.findings.open,
    }
}
