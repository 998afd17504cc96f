//! `catalog build`: writes the site, or checks whether the published one is up to date.

use std::borrow::Cow;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::{Arg, Args};

use super::options::{self, GlobalArgs, Options, RepoArgs};
use super::read::{explained, read, read_commit, require_content};
use super::serve::{found, warn_if_empty, what};
use super::{Outcome, progress};
use crate::export::report::plain;
use crate::input::repo::{Changed, Record};
use crate::pipeline::{self, Reading};
use crate::preview::watch::Watcher;
use crate::preview::{Made, Maker, News, follow};
use crate::publish::publish;
use crate::publish::stale::{self, Stale};
use crate::site::Site;
use crate::site::view::{count, counted};
use system::Way;

pub const EXAMPLES: &str = "\
Examples:
  catalog build
  catalog build ../fleet -o public
  catalog build -o docs/catalog --check
  catalog build --watch
  catalog build --at v1.4.0 -o /tmp/v1.4.0

--at reads a commit from git, with its own catalog.toml and theme. The work
tree is neither read nor changed. Files that git does not track and pages of a
guide outside the repository are not part of a commit.

--check is for repositories that commit their site. Git facts (commit, links
to it, dates of changes) are taken from the published site. So the commit that
adds the site does not make it out of date, and --check needs no git history.";

/// The option `--out`, which has a default here.
pub fn out() -> Arg {
    options::out("DIR", "Directory to write the site to; replaced as a whole").long_help(
        "Directory to write the site to; replaced as a whole\n\nDefaults to book/ at the root of \
         the git repository around the current directory. If another repository is read, book/ is in the current directory.",
    )
}

/// At most this many pages are listed.
const MOST_LISTED: usize = 20;

#[derive(Debug, Args)]
pub struct BuildArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Write nothing; exit 1 and list the pages that are out of date
    #[arg(long)]
    pub check: bool,

    /// Keep running and rebuild on change
    #[arg(long, conflicts_with = "check")]
    pub watch: bool,

    /// Build the site of a commit: a branch, a tag or a commit id
    #[arg(long, value_name = "REV", conflicts_with_all = ["check", "watch"])]
    pub at: Option<String>,
}

pub fn run(args: &BuildArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(args.repo.repo.as_deref())?;
    let site = match &options.out {
        Some(out) => Cow::Borrowed(out.as_path()),
        None => Cow::Owned(default_site(&options)),
    };
    if args.check {
        check(&options, &site)
    } else if args.watch {
        watch(&options, &site)
    } else {
        build(&options, args.at.as_deref(), &site)
    }
}

/// `book` beside the `catalog.toml` that counts, or where it would be.
fn default_site(options: &Options) -> PathBuf {
    let is_named = options.request.repo.is_some();
    let home = (!is_named).then(pipeline::start_directory);
    let home = home.filter(|home| home != Path::new("."));
    home.unwrap_or_default().join("book")
}

fn build(options: &Options, at: Option<&str>, out: &Path) -> anyhow::Result<Outcome> {
    let start = Instant::now();
    // The process ends soon; freeing memory would only take time.
    let reading = ManuallyDrop::new(match at {
        Some(commit) => read_commit(options, commit)?,
        None => read(options)?,
    });
    require_content(&reading)?;
    let waiting = progress::show(options);
    let context = ManuallyDrop::new(reading.context());
    let site = ManuallyDrop::new(Site::new(&context)?);
    let summary = publish(&site, out)?;
    drop(waiting);
    options.say(super::check::summary(&context));
    options.say(format!(
        "{} in {}: {} files, {} KB, {:.1} s",
        counted(summary.pages, "page"),
        plain(&out.to_string_lossy()),
        count(summary.files),
        count((summary.bytes / 1000) as usize),
        start.elapsed().as_secs_f64()
    ));
    Ok(Outcome::Clean)
}

/// Writes the site again on every change, until the process is ended.
fn watch(options: &Options, out: &Path) -> anyhow::Result<Outcome> {
    // Changes of the output are reported with this path if it is in the repository.
    let real = options.trees().spot(out, Way::Made)?.path;
    let watcher = Watcher::new(Some(&real))?;
    let say = |news: News| match news {
        News::Made { .. } if options.is_quiet() => {}
        News::Made {
            changed,
            made,
            took,
        } => {
            system::print_stderr!(
                "{}: {} read, {} written to {}, {}; {} ms",
                what(&changed),
                counted(made.reads, "file"),
                counted(made.rendered, "page"),
                plain(&out.to_string_lossy()),
                found(&made),
                took.as_millis()
            );
            if changed.is_empty() {
                warn_if_empty(&made);
            }
        }
        news => super::serve::complain(&news),
    };
    let writer = SiteWriter { out: &real };
    let error = follow(&options.request, watcher, &writer, say);
    Err(explained(error))
}

/// Writes the site of every state of the repository to a directory.
struct SiteWriter<'a> {
    out: &'a Path,
}

impl Maker for SiteWriter<'_> {
    fn make(&self, reading: Reading, _: &Changed, _: u64) -> Result<Made, String> {
        let context = reading.context();
        let site = Site::new(&context).map_err(|error| error.to_string())?;
        let written = publish(&site, self.out).map_err(|error| error.to_string())?;
        Ok(Made {
            rendered: written.pages,
            ..Made::from_site(&site)
        })
    }
}

fn check(options: &Options, out: &Path) -> anyhow::Result<Outcome> {
    let name = plain(&out.to_string_lossy());
    let root = pipeline::root(&options.request)?;
    let published = stale::published(&root, out).context("the site is not checked")?;
    let record = published
        .as_ref()
        .map_or_else(Record::default, |published| published.recorded());
    let reading = pipeline::read_as_recorded(&options.request, &record).map_err(explained)?;
    require_content(&reading)?;
    let context = reading.context();
    let site = Site::new(&context)?;
    // The result is this list, not the site that `--out` names.
    let stdout = Options {
        out: None,
        ..options.clone()
    };
    let Some(published) = published else {
        stdout.print(&format!(
            "There is no site in {name}; write it with `catalog build`.\n"
        ))?;
        return Ok(Outcome::Findings);
    };
    let stale = stale::stale(&site, &published).context("the site is not checked")?;
    if stale.is_empty() {
        let pages = counted(site.pages().len(), "page");
        options.say(format!("{name} is up to date: {pages}"));
        return Ok(Outcome::Clean);
    }
    stdout.print(&listed(&stale))?;
    system::print_stderr!("{name} is out of date; run `catalog build` and commit the result");
    Ok(Outcome::Findings)
}

/// The pages that differ; other files only if no page does.
fn listed(stale: &Stale) -> String {
    let (listed, others) = if stale.pages.is_empty() {
        (&stale.files, 0)
    } else {
        (&stale.pages, stale.files.len())
    };
    let mut text = String::new();
    for (path, how) in listed.iter().take(MOST_LISTED) {
        text += &format!("{:<14}  {}\n", how.words(), plain(path));
    }
    let left = listed.len().saturating_sub(MOST_LISTED);
    if left > 0 {
        text += &format!("… and {} more\n", count(left));
    }
    if stale.around > 0 {
        let differ = match stale.around {
            1 => "1 page differs".to_owned(),
            many => format!("{} pages differ", count(many)),
        };
        text += &format!("{differ} only in navigation or links\n");
    }
    if others > 0 {
        let differ = match others {
            1 => "1 other file differs".to_owned(),
            many => format!("{} other files differ", count(many)),
        };
        text += &format!("{differ}\n");
    }
    text
}
