//! `catalog serve`: the catalogue in a browser, as the repository is while people edit it.

use clap::Args;

use super::{Outcome, RepoArgs};
use crate::report::{plain, plain_lines};
use crate::serve::{self, Address, Made, News};
use crate::view::{count, counted};

#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// The address to serve on; others than this machine can look at it unless it is a loopback address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: String,

    /// The port; else 4280, or the next that is free
    #[arg(long, value_name = "NUMBER")]
    pub port: Option<u16>,

    /// Open the catalogue in the browser
    #[arg(long)]
    pub open: bool,
}

pub fn run(args: &ServeArgs) -> anyhow::Result<Outcome> {
    let address = Address {
        host: args.host.clone(),
        port: args.port,
    };
    let bound = serve::bind(&address)?;
    let url = bound.url();
    if bound.is_public() {
        crate::print_stderr!(
            "warning: everybody who can reach {} can read this catalogue",
            bound.address
        );
    }
    let quiet = args.repo.quiet;
    let mut to_open = args.open.then(|| url.clone());
    let mut is_told = false;
    let say = move |news: News| {
        let made = matches!(news, News::Made { .. });
        match &news {
            News::Made { changed, .. } if quiet && !changed.is_empty() => {}
            News::Shown { .. } if quiet => {}
            news => tell(news),
        }
        // A page shows what is wrong, too, and mends itself.
        if !is_told && matches!(news, News::Made { .. } | News::Failed(_)) {
            crate::print_stderr!("{url} follows the repository; Ctrl-C ends it");
            is_told = true;
        }
        if let Some(url) = to_open.take_if(|_| made)
            && let Err(error) = serve::open(&url)
        {
            crate::print_stderr!("warning: no browser could be opened: {error}");
        }
    };
    serve::serve(args.repo.request(), bound, say)?;
    Ok(Outcome::Clean)
}

fn tell(news: &News) {
    match news {
        News::Made {
            changed,
            made,
            took,
        } if changed.is_empty() => crate::print_stderr!(
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
        } => crate::print_stderr!(
            "{}: {} read, {} rendered, {}; {} ms",
            what(changed),
            counted(made.reads, "file"),
            counted(made.rendered, "open page"),
            found(made),
            took.as_millis()
        ),
        News::Shown { pages, took } => crate::print_stderr!(
            "shown on {}; {} ms",
            counted(*pages, "open page"),
            took.as_millis()
        ),
        news => complain(news),
    }
}

/// What is no news of a site.
pub(super) fn complain(news: &News) {
    match news {
        News::Failed(text) if text.starts_with("error") => {
            crate::print_stderr!("{}", plain_lines(text))
        }
        News::Failed(text) => crate::print_stderr!("error: {}", plain_lines(text)),
        News::Mended => crate::print_stderr!("mended: all is as before"),
        News::Warning(text) => crate::print_stderr!("warning: {}", plain_lines(text)),
        News::Made { .. } | News::Shown { .. } => {}
    }
}

/// The first of what changed, and how many more.
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
