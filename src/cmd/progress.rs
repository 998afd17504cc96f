//! Progress on a terminal, for work that takes longer than people wait without asking. The only importer of the crate that
//! draws it. Writes to stderr, and leaves nothing behind.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::RepoArgs;
use crate::progress::{Progress, Stage, now};
use crate::view::count;

/// What takes less is done before anybody has read that it began.
const UNSAID: Duration = Duration::from_secs(1);
const BETWEEN: Duration = Duration::from_millis(100);

/// Shows where the work is until it is dropped, if somebody is there to see it.
pub struct Waiting {
    is_over: Arc<AtomicBool>,
    shower: Option<JoinHandle<()>>,
}

pub fn show(args: &RepoArgs) -> Waiting {
    let is_over = Arc::new(AtomicBool::new(false));
    let seen = is_over.clone();
    let shower = is_watched(args).then(|| thread::spawn(move || draw(&seen)));
    Waiting { is_over, shower }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(shower) = self.shower.take() {
            shower.thread().unpark();
            // What it drew is gone when it ends, before anything else is printed.
            let _ = shower.join();
        }
    }
}

/// A log is not a terminal, and a terminal in CI is a log.
fn is_watched(args: &RepoArgs) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    !args.quiet && std::io::stderr().is_terminal() && !is_dumb && !is_set("CI")
}

fn draw(is_over: &AtomicBool) {
    let start = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    while !is_over.load(Ordering::Relaxed) {
        thread::park_timeout(BETWEEN);
        if start.elapsed() < UNSAID || is_over.load(Ordering::Relaxed) {
            continue;
        }
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg}");
            match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_message(said(now()));
        bar.tick();
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn said(progress: Progress) -> String {
    let stage = match progress.stage {
        Stage::Reading => "reading manifests",
        Stage::Composing => "composing what each cluster gets",
        Stage::Checking => "checking the order in which clusters start",
        Stage::Linking => "linking prose and pages",
        Stage::Rendering => "rendering",
    };
    match progress.done {
        Some((done, all)) => format!("{stage} {} of {} pages", count(done), count(all)),
        None => stage.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_names_the_stage_and_how_far_it_is() {
        let said_of = |stage, done| said(Progress { stage, done });
        assert_eq!(said_of(Stage::Reading, None), "reading manifests");
        assert_eq!(
            said_of(Stage::Rendering, Some((1_200, 5_024))),
            "rendering 1,200 of 5,024 pages"
        );
    }
}
