//! `catalog build`: the site, as files.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use super::{Outcome, RepoArgs};
use crate::pipeline;
use crate::site::Site;
use crate::site::publish::publish;
use crate::view::{count, counted};

#[derive(Debug, Args)]
pub struct BuildArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Where to write the site; replaced as a whole
    #[arg(long, value_name = "DIR", default_value = "book")]
    pub out: PathBuf,
}

pub fn run(args: &BuildArgs) -> anyhow::Result<Outcome> {
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
