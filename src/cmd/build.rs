//! `catalog build`: the site, as files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use super::serve::{found, what};
use super::{Outcome, RepoArgs};
use crate::pipeline::{self, Reading};
use crate::repo::Changed;
use crate::serve::{Made, News, follow};
use crate::site::Site;
use crate::site::publish::publish;
use crate::view::{count, counted};
use crate::watch::Watcher;

#[derive(Debug, Args)]
pub struct BuildArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Where to write the site; replaced as a whole
    #[arg(long, value_name = "DIR", default_value = "book")]
    pub out: PathBuf,

    /// Stay, and write it again whenever the repository changes
    #[arg(long)]
    pub watch: bool,
}

pub fn run(args: &BuildArgs) -> anyhow::Result<Outcome> {
    if args.watch {
        return watch(args);
    }
    let start = Instant::now();
    let reading = pipeline::read(&args.repo.request())?;
    let book = reading.book();
    let site = Site::new(&book)?;
    let summary = publish(&site, &args.out).context("the site is not written")?;
    if !args.repo.quiet {
        eprintln!("{}", super::check::summary(&book));
        eprintln!(
            "{} in {}: {} files, {} KB, {:.1} s",
            counted(summary.pages, "page"),
            args.out.display(),
            count(summary.files),
            count((summary.bytes / 1000) as usize),
            start.elapsed().as_secs_f64()
        );
    }
    Ok(Outcome::Clean)
}

/// Writes the site of every state of the repo, until the process is ended.
fn watch(args: &BuildArgs) -> anyhow::Result<Outcome> {
    let out = absolute(&args.out)?;
    let watcher = Watcher::new(Some(&out))?;
    let make = |reading: Reading, _: &Changed| -> Result<Made, String> {
        let book = reading.book();
        let site = Site::new(&book).map_err(|error| error.to_string())?;
        let written = publish(&site, &out).map_err(|error| error.to_string())?;
        Ok(Made {
            rendered: written.pages,
            ..Made::of(&site)
        })
    };
    let quiet = args.repo.quiet;
    let say = |news: News| match news {
        News::Made { .. } if quiet => {}
        News::Made {
            changed,
            made,
            took,
        } => eprintln!(
            "{}: {} read, {} written to {}, {}; {} ms",
            what(&changed),
            counted(made.reads, "file"),
            counted(made.rendered, "page"),
            args.out.display(),
            found(&made),
            took.as_millis()
        ),
        news => super::serve::complain(&news),
    };
    follow(&args.repo.request(), watcher, make, say);
    Ok(Outcome::Clean)
}

/// The path that changes of the output are reported with, if it is in the repo.
fn absolute(out: &Path) -> anyhow::Result<PathBuf> {
    if let Ok(found) = fs::canonicalize(out) {
        return Ok(found);
    }
    let parent = match out.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).with_context(|| format!("cannot make `{}`", parent.display()))?;
    let parent = fs::canonicalize(parent)?;
    Ok(parent.join(out.file_name().context("name a directory with --out")?))
}
