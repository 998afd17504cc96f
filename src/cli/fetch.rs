//! `catalog fetch`: downloads the charts that a repository refers to, and writes `catalog.lock`. The only command that uses
//! the network.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use anyhow::{anyhow, bail};
use clap::Args;

use super::options::{GlobalArgs, Options, RepoArgs};
use super::read::explained;
use super::{Outcome, progress};
use crate::export::report::plain;
use crate::input::config::Config;
use crate::input::repo::{Repo, RepoPath};
use crate::pipeline::{self, ChartReferences};
use crate::site::view::{count, counted};
use base::text::nearest;
use base::{FileId, Place};
use charts::fetch::{
    ChartMirror, Credentials, FetchOptions, FetchOutcome, FetchReport, FetchUpdate, fetch,
};
use charts::{ArchiveDirectory, ChartLock, ChartRequest, LOCK_FILE, read_lock, save_lock};
use system::cache::user_directory;
use system::progress as stages;

pub const EXAMPLES: &str = "\
Examples:
  catalog fetch
  catalog fetch --locked
  catalog fetch --update=cert-manager
  catalog fetch --vendor vendor/charts

This is the only command that uses the network. Commit catalog.lock: it pins
every chart by digest, and a run without changes downloads nothing. Logins come from Docker's and Helm's configuration, ~/.netrc
and CATALOG_FETCH_CREDENTIALS.

Exits 1 if a chart could not be fetched, or if --locked finds a difference.";

#[derive(Debug, Args)]
pub struct FetchArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Exit 1 instead of changing catalog.lock; archives that are missing are still downloaded
    #[arg(long, conflicts_with = "update")]
    pub locked: bool,

    /// Resolve version ranges, tags and branches again: of all charts, or of those named
    #[arg(
        long,
        value_name = "CHART",
        num_args = 0..=1,
        require_equals = true,
        value_delimiter = ',',
        default_missing_value = ""
    )]
    pub update: Option<Vec<String>>,

    /// Keep archives in this directory of the repository instead of the user's cache
    ///
    /// The path is relative to the repository. catalog.lock remembers it for later runs; archives that nothing refers to any
    /// more are removed from it.
    #[arg(long, value_name = "DIR")]
    pub vendor: Option<String>,
}

/// The places that ask for each chart, in order.
type PlacesByRequest = BTreeMap<ChartRequest, Vec<Place>>;

pub fn run(args: &FetchArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(args.repo.repo.as_deref())?;
    let waiting = progress::show(&options);
    let found = pipeline::chart_references(&options.request).map_err(explained)?;
    let asked = asked(&found);
    let before = lock(&found.root)?;
    let wanted = with_vendor(args, before.clone().unwrap_or_default())?;
    let mut text = String::new();
    if args.locked {
        let differences = differences(&asked, before.as_ref(), &wanted);
        if !differences.is_empty() {
            drop(waiting);
            options.print(&differences)?;
            options.say(format!(
                "{LOCK_FILE} is out of date; run `catalog fetch` and commit it"
            ));
            return Ok(Outcome::Findings);
        }
    }
    let fetch_options = fetch_options(args, &found, &wanted, &asked)?;
    let requests: Vec<ChartRequest> = asked.keys().cloned().collect();
    stages::begin_parts(stages::Stage::Fetching, requests.len());
    let report = fetch(&requests, &wanted, &fetch_options, &stages::step);
    drop(waiting);
    describe(&report, &asked, &found.repo, &options, &mut text);
    gaps(&found, &mut text);
    options.print(&text)?;
    let is_changed = before.as_ref() != Some(&report.lock);
    let is_needed = before.is_some() || !report.lock.charts.is_empty();
    if is_changed && is_needed {
        save_lock(&found.root, &report.lock)?;
    }
    // Archives in the repository are committed, so those that are no longer needed are removed.
    let kept = report.lock.charts.values().map(|locked| &locked.digest);
    fetch_options.archives.keep_only(&kept.collect())?;
    options.say(summary(&report, &found, is_changed && is_needed));
    let is_failed = |outcome: &FetchOutcome| matches!(outcome, FetchOutcome::Failed(_));
    if report.outcomes.values().any(is_failed) {
        Ok(Outcome::Findings)
    } else {
        Ok(Outcome::Clean)
    }
}

fn asked(found: &ChartReferences) -> PlacesByRequest {
    let mut asked = PlacesByRequest::new();
    for reference in &found.references {
        if let Ok(request) = &reference.request {
            let places = asked.entry(request.clone()).or_default();
            places.push(reference.place);
        }
    }
    asked
}

fn lock(root: &Path) -> anyhow::Result<Option<ChartLock>> {
    read_lock(root).map_err(|error| {
        anyhow!(
            "cannot read {LOCK_FILE}: {error}; fix it, or delete it to resolve all charts again"
        )
    })
}

/// The lock file with the directory that archives are kept in.
fn with_vendor(args: &FetchArgs, mut lock: ChartLock) -> anyhow::Result<ChartLock> {
    if let Some(directory) = &args.vendor {
        lock.vendor = Some(directory.clone());
    }
    if let Some(directory) = &lock.vendor {
        let path = RepoPath::new(directory.trim_end_matches('/'));
        let Some(path) = path.filter(|path| !path.as_str().is_empty()) else {
            bail!(
                "`{}` is not a directory inside the repository; pass a path relative to its root, such as `vendor/charts`",
                plain(directory)
            );
        };
        lock.vendor = Some(path.as_str().to_owned());
    }
    Ok(lock)
}

fn fetch_options(
    args: &FetchArgs,
    found: &ChartReferences,
    lock: &ChartLock,
    asked: &PlacesByRequest,
) -> anyhow::Result<FetchOptions> {
    let archives = match &lock.vendor {
        Some(directory) => ArchiveDirectory::vendored(&found.root, directory),
        None => {
            let caches = user_directory(|name| std::env::var_os(name));
            let caches = caches.ok_or_else(|| {
                anyhow!(
                    "there is no cache directory; set CATALOG_CACHE_DIR, or pass `--vendor DIR`"
                )
            })?;
            ArchiveDirectory::cached(&caches)
        }
    };
    let credentials = Credentials::of_user(&|name| std::env::var_os(name));
    let mut options = FetchOptions::new(archives, credentials);
    options.mirrors = mirrors(&found.config);
    options.update = match &args.update {
        None => FetchUpdate::Nothing,
        Some(names) if names.iter().all(String::is_empty) => FetchUpdate::Everything,
        Some(names) => {
            names.iter().try_for_each(|name| require(name, asked))?;
            FetchUpdate::Charts(names.clone())
        }
    };
    Ok(options)
}

fn mirrors(config: &Config) -> Vec<ChartMirror> {
    let mirrors = config.fetch.mirrors.iter().map(|mirror| ChartMirror {
        from: mirror.from.clone(),
        to: mirror.to.clone(),
    });
    mirrors.collect()
}

/// An error if no chart has this name.
fn require(name: &str, asked: &PlacesByRequest) -> anyhow::Result<()> {
    if asked.keys().any(|request| request.is_called(name)) {
        return Ok(());
    }
    let names: BTreeSet<&str> = asked.keys().map(|it| it.chart.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    match nearest(name, &names) {
        Some(meant) => bail!(
            "no chart is called `{}`; did you mean `{meant}`?",
            plain(name)
        ),
        None => bail!("no chart of the repository is called `{}`", plain(name)),
    }
}

/// What a run would change in the lock file, a line each.
fn differences(asked: &PlacesByRequest, before: Option<&ChartLock>, wanted: &ChartLock) -> String {
    let mut text = String::new();
    let none = ChartLock::default();
    let before = before.unwrap_or(&none);
    let mut line = |what: &str, request: &ChartRequest| {
        let request = format!("{request}, {}", request.asked);
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{what} {}", plain(&request));
    };
    for request in asked.keys().filter(|it| !before.charts.contains_key(it)) {
        line("not in the lock file:", request);
    }
    for request in before.charts.keys().filter(|it| !asked.contains_key(it)) {
        line("no longer referred to:", request);
    }
    if before.vendor != wanted.vendor {
        text.push_str("the directory of the archives is another one\n");
    }
    text
}

/// A line for each chart that was downloaded or failed.
fn describe(
    report: &FetchReport,
    asked: &PlacesByRequest,
    repo: &Repo,
    options: &Options,
    text: &mut String,
) {
    for (request, outcome) in &report.outcomes {
        let now = report.lock.charts.get(request);
        let version = now.map_or("", |locked| locked.version.as_str());
        let version = plain(version);
        let request_text = plain(&request.to_string());
        let line = match outcome {
            FetchOutcome::Present => {
                options.detail(format!("unchanged: {request_text}, {version}"));
                continue;
            }
            FetchOutcome::Added => format!("added: {request_text}, {version}"),
            FetchOutcome::Restored => format!("downloaded: {request_text}, {version}"),
            FetchOutcome::Changed { before } if before.version == version => {
                format!("changed: {request_text}, {version} with other contents")
            }
            FetchOutcome::Changed { before } => {
                format!(
                    "changed: {request_text}, {} to {version}",
                    plain(&before.version)
                )
            }
            FetchOutcome::Failed(error) => {
                let places = asked.get(request).map_or(&[][..], Vec::as_slice);
                let place = places.first().map(|place| at(*place, repo));
                let more = match places.len() {
                    0 | 1 => String::new(),
                    many => format!(" and {}", counted(many - 1, "other place")),
                };
                let place = place.unwrap_or_default();
                let error = error.to_string();
                format!("failed: {request_text}{place}{more}: {}", plain(&error))
            }
        };
        text.push_str(&line);
        text.push('\n');
    }
}

/// A line for each reference that leads to no request.
fn gaps(found: &ChartReferences, text: &mut String) {
    for reference in &found.references {
        if let Err(gap) = &reference.request {
            let place = at(reference.place, &found.repo);
            let gap = gap.to_string();
            let name = plain(&reference.name);
            let _ = writeln!(text, "cannot be fetched: {name}{place}: {}", plain(&gap));
        }
    }
}

/// ` at apps/web.yaml:7`; nothing without a file.
fn at(place: Place, repo: &Repo) -> String {
    if place.file == FileId::NONE {
        return String::new();
    }
    let path = plain(repo.path(place.file).as_str());
    format!(" at {path}:{}", place.line)
}

fn summary(report: &FetchReport, found: &ChartReferences, is_written: bool) -> String {
    let number = |is_it: fn(&FetchOutcome) -> bool| {
        let outcomes = report.outcomes.values();
        outcomes.filter(|outcome| is_it(outcome)).count()
    };
    let gaps = found.references.iter();
    let gaps = gaps.filter(|reference| reference.request.is_err()).count();
    if report.outcomes.is_empty() && gaps == 0 {
        return if found.has_manifests {
            "no chart from outside this repository is referred to".to_owned()
        } else {
            "no manifests were found, so there is nothing to fetch".to_owned()
        };
    }
    let present = number(|it| matches!(it, FetchOutcome::Present));
    let failed = number(|it| matches!(it, FetchOutcome::Failed(_)));
    let downloaded = report.outcomes.len() - present - failed;
    let mut parts = vec![if downloaded + failed == 0 {
        format!(
            "{}: nothing to download",
            counted(report.outcomes.len(), "chart")
        )
    } else {
        format!(
            "{}: {} downloaded, {} already there",
            counted(report.outcomes.len(), "chart"),
            count(downloaded),
            count(present)
        )
    }];
    if failed > 0 {
        parts.push(format!("{} failed", count(failed)));
    }
    if gaps > 0 {
        parts.push(format!("{} cannot be fetched", counted(gaps, "reference")));
    }
    if is_written {
        parts.push(format!("wrote {LOCK_FILE}"));
    }
    parts.join(", ")
}
