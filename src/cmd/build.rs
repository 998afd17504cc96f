//! `catalog build`: the site, as files; or whether the files are what it would be.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use super::serve::{found, what};
use super::{Outcome, RepoArgs, print, progress};
use crate::pipeline::{self, Reading};
use crate::repo::{Changed, Record};
use crate::report::plain;
use crate::serve::{Made, Maker, News, follow};
use crate::site::Site;
use crate::site::publish::publish;
use crate::site::stale::{self, Stale};
use crate::system::Way;
use crate::view::{count, counted};
use crate::watch::Watcher;

pub const EXAMPLES: &str = "\
Examples:
  catalog build
  catalog build ../fleet --out public
  catalog build --out docs/catalog --check
  catalog build --watch

The site needs no server: open index.html.

--check is for repositories that commit their site: does it still say what the files say?
What comes from git (the commit, links to it, dates of changes) counts as it was when the
site was built. So the commit that holds the site does not make it stale, and no history is
needed to check it.";

/// As many pages are named.
const MOST_NAMED: usize = 20;

#[derive(Debug, Args)]
pub struct BuildArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Where to write the site; replaced as a whole
    #[arg(long, value_name = "DIR", default_value = "book")]
    pub out: PathBuf,

    /// Write nothing; end with 1 when the site there is stale, and name the pages
    #[arg(long)]
    pub check: bool,

    /// Stay, and write it again whenever the repository changes
    #[arg(long, conflicts_with = "check")]
    pub watch: bool,
}

pub fn run(args: &BuildArgs) -> anyhow::Result<Outcome> {
    match (args.check, args.watch) {
        (true, _) => check(args),
        (_, true) => watch(args),
        _ => build(args),
    }
}

fn build(args: &BuildArgs) -> anyhow::Result<Outcome> {
    let start = Instant::now();
    let waiting = progress::show(&args.repo);
    // The process ends soon, and taking down what it holds would be work for nothing.
    let reading = ManuallyDrop::new(pipeline::read(&args.repo.request())?);
    let book = ManuallyDrop::new(reading.book());
    let site = ManuallyDrop::new(Site::new(&book)?);
    let summary = publish(&site, &args.out).context("the site is not written")?;
    drop(waiting);
    if !args.repo.quiet {
        crate::print_stderr!("{}", super::check::summary(&book));
        crate::print_stderr!(
            "{} in {}: {} files, {} KB, {:.1} s",
            counted(summary.pages, "page"),
            plain(&args.out.to_string_lossy()),
            count(summary.files),
            count((summary.bytes / 1000) as usize),
            start.elapsed().as_secs_f64()
        );
    }
    Ok(Outcome::Clean)
}

/// Writes the site of every state of the repo, until the process is ended.
fn watch(args: &BuildArgs) -> anyhow::Result<Outcome> {
    // The path that changes of the output are reported with, if it is in the repo.
    let out = args.repo.trees()?.spot(&args.out, Way::Made)?.path;
    let watcher = Watcher::new(Some(&out))?;
    let quiet = args.repo.quiet;
    let say = |news: News| match news {
        News::Made { .. } if quiet => {}
        News::Made {
            changed,
            made,
            took,
        } => crate::print_stderr!(
            "{}: {} read, {} written to {}, {}; {} ms",
            what(&changed),
            counted(made.reads, "file"),
            counted(made.rendered, "page"),
            plain(&args.out.to_string_lossy()),
            found(&made),
            took.as_millis()
        ),
        news => super::serve::complain(&news),
    };
    let writer = Writer { out: &out };
    Err(follow(&args.repo.request(), watcher, &writer, say).into())
}

/// Writes the site of every state to a directory.
struct Writer<'a> {
    out: &'a Path,
}

impl Maker for Writer<'_> {
    fn make(&self, reading: Reading, _: &Changed, _: u64) -> Result<Made, String> {
        let book = reading.book();
        let site = Site::new(&book).map_err(|error| error.to_string())?;
        let written = publish(&site, self.out).map_err(|error| error.to_string())?;
        Ok(Made {
            rendered: written.pages,
            ..Made::of(&site)
        })
    }
}

fn check(args: &BuildArgs) -> anyhow::Result<Outcome> {
    let out = plain(&args.out.to_string_lossy());
    let request = args.repo.request();
    let published = stale::published(&pipeline::root(&request)?, &args.out);
    let published = published.context("the site is not checked")?;
    let record = published
        .as_ref()
        .map_or_else(Record::default, |published| published.recorded());
    let reading = pipeline::read_as_recorded(&request, &record)?;
    let book = reading.book();
    let site = Site::new(&book)?;
    let Some(published) = published else {
        print(&format!(
            "There is no site in {out}; write it with `catalog build`.\n"
        ))?;
        return Ok(Outcome::Findings);
    };
    let stale = stale::stale(&site, &published).context("the site is not checked")?;
    if stale.is_empty() {
        if !args.repo.quiet {
            let pages = counted(site.pages().len(), "page");
            crate::print_stderr!("{out} is current: {pages}");
        }
        return Ok(Outcome::Clean);
    }
    print(&named(&stale))?;
    crate::print_stderr!("{out} is stale; write it again with `catalog build`");
    Ok(Outcome::Findings)
}

/// The pages first; files that are none only where no page says it.
fn named(stale: &Stale) -> String {
    let (named, others) = match stale.pages.is_empty() {
        true => (&stale.files, 0),
        false => (&stale.pages, stale.files.len()),
    };
    let mut text = String::new();
    for (path, how) in named.iter().take(MOST_NAMED) {
        text += &format!("{:<14}  {}\n", how.words(), plain(path));
    }
    let left = named.len().saturating_sub(MOST_NAMED);
    if left > 0 {
        text += &format!("… and {} more\n", count(left));
    }
    if stale.around > 0 {
        let pages = counted(stale.around, "other page");
        text +=
            &format!("{pages} with the same words in another frame: navigation, links or sha\n");
    }
    if others > 0 {
        text += &format!("{} besides the pages\n", counted(others, "file"));
    }
    text
}
