//! `catalog serve`: previews the catalogue in a browser, with live reload.

use anyhow::bail;
use clap::Args;
use secret::outgoing::line;

use super::Outcome;
use super::options::{GlobalArgs, RepoArgs};
use crate::cli::starter;
use crate::export::report::{plain, plain_lines};
use crate::preview::{self, Made, News, ServeAddress};
use crate::site::view::{count, counted};

pub const EXAMPLES: &str = "\
Examples:
  catalog serve --open
  catalog serve ../fleet --port 8000

Press Ctrl-C to stop.";

#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Address to listen on
    ///
    /// On any other than a loopback address, everyone who can reach it can read the catalogue.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: String,

    /// Port to listen on
    ///
    /// Defaults to 4280, or the next free port.
    #[arg(long, value_name = "NUMBER")]
    pub port: Option<u16>,

    /// Open the catalogue in a browser
    #[arg(long)]
    pub open: bool,
}

pub fn run(args: &ServeArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(args.repo.repo.as_deref())?;
    if options.out.is_some() {
        bail!("`serve` writes no files; use `catalog build --watch --out DIR` for that");
    }
    let address = ServeAddress {
        host: args.host.clone(),
        port: args.port,
    };
    let bound = preview::bind(&address)?;
    let url = bound.url();
    if bound.is_public() {
        system::print_stderr!(
            "warning: everyone who can reach {} can read this catalogue",
            bound.address
        );
    }
    let quiet = options.is_quiet();
    let mut to_open = args.open.then(|| url.clone());
    let mut is_told = false;
    let say = move |news: News| {
        let made = matches!(news, News::Made { .. });
        match &news {
            News::Made { changed, .. } if quiet && !changed.is_empty() => {}
            News::Shown { .. } if quiet => {}
            news => tell(news),
        }
        if let News::Made { changed, made, .. } = &news
            && changed.is_empty()
        {
            warn_if_empty(made);
        }
        // If reading failed, the page shows why, and recovers by itself.
        let is_answering = matches!(
            news,
            News::Made { .. } | News::Failed(_) | News::Misconfigured(_)
        );
        if !is_told && is_answering {
            system::print_stderr!("Serving {url}; press Ctrl-C to stop");
            is_told = true;
        }
        if let Some(url) = to_open.take_if(|_| made)
            && let Err(error) = preview::open(&url)
        {
            system::print_stderr!("warning: cannot open a browser: {error}");
        }
    };
    preview::serve(options.request, bound, say)?;
    Ok(Outcome::Clean)
}

fn tell(news: &News) {
    match news {
        News::Made {
            changed,
            made,
            took,
        } if changed.is_empty() => system::print_stderr!(
            "{} on {}, {}; {} ms",
            counted(made.components, "component"),
            counted(made.pages, "page"),
            found(made),
            took.as_millis()
        ),
        News::Made {
            changed,
            made,
            took,
        } => system::print_stderr!(
            "{}: {} read, {} rendered, {}; {} ms",
            what(changed),
            counted(made.reads, "file"),
            counted(made.rendered, "open page"),
            found(made),
            took.as_millis()
        ),
        News::Shown { pages, took } => system::print_stderr!(
            "shown on {}; {} ms",
            counted(*pages, "open page"),
            took.as_millis()
        ),
        news => complain(news),
    }
}

/// Warns of a repository without manifests: it stays empty until somebody adds one.
pub(super) fn warn_if_empty(made: &Made) {
    if made.clusters + made.components == 0 {
        system::print_stderr!("warning: {}", starter::no_manifests());
    }
}

/// Prints errors and warnings.
pub(super) fn complain(news: &News) {
    match news {
        News::Misconfigured(text) => system::print_stderr!("{}", line(plain_lines(text))),
        News::Failed(text) => system::print_stderr!("error: {}", line(plain_lines(text))),
        News::Mended => system::print_stderr!("fixed: the repository can be read again"),
        News::Warning(text) => system::print_stderr!("warning: {}", line(plain_lines(text))),
        News::Made { .. } | News::Shown { .. } => {}
    }
}

/// The first paths that changed, and how many more.
pub(super) fn what(changed: &[String]) -> String {
    match changed {
        [] => "the repository".to_owned(),
        [one] => plain(one),
        [first, second] => format!("{}, {}", plain(first), plain(second)),
        [first, rest @ ..] => format!("{} and {} more", plain(first), count(rest.len())),
    }
}

pub(super) fn found(made: &Made) -> String {
    let [errors, warnings, infos] = made.findings;
    match errors + warnings + infos {
        0 => "no findings".to_owned(),
        all => format!(
            "{} ({}, {})",
            counted(all, "finding"),
            counted(errors, "error"),
            counted(warnings, "warning")
        ),
    }
}
