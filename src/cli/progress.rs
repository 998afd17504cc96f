//! A progress line on a terminal, for runs that take more than a second. The only importer of the crate that draws it.
//! Writes to stderr, and leaves nothing behind.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Options;
use crate::site::view::count;
use system::progress::{Progress, Stage, now};

/// Shorter runs show no progress.
const SILENT: Duration = Duration::from_secs(1);
const BETWEEN: Duration = Duration::from_millis(100);

/// Shows progress until it is dropped.
pub struct Waiting {
    is_over: Arc<AtomicBool>,
    shower: Option<JoinHandle<()>>,
}

/// Shows progress if stderr is a terminal and nobody asked for quiet or for no escape sequences.
pub fn show(options: &Options) -> Waiting {
    let is_over = Arc::new(AtomicBool::new(false));
    let seen = is_over.clone();
    let shower = is_watched(options).then(|| thread::spawn(move || draw(&seen)));
    Waiting { is_over, shower }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(shower) = self.shower.take() {
            shower.thread().unpark();
            // It clears its line when it ends, before anything else is printed.
            let _ = shower.join();
        }
    }
}

/// A terminal in CI is a log.
fn is_watched(options: &Options) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let stream = std::io::stderr();
    let is_wanted = !options.is_quiet() && options.color.is_on(&stream);
    is_wanted && stream.is_terminal() && !is_set("CI")
}

fn draw(is_over: &AtomicBool) {
    let start = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    while !is_over.load(Ordering::Relaxed) {
        thread::park_timeout(BETWEEN);
        if start.elapsed() < SILENT || is_over.load(Ordering::Relaxed) {
            continue;
        }
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg}");
            if let Ok(style) = style {
                bar.with_style(style)
            } else {
                bar
            }
        });
        bar.set_message(message(now()));
        bar.tick();
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn message(progress: Progress) -> String {
    let stage = match progress.stage {
        Stage::Reading => "reading manifests",
        Stage::Composing => "composing clusters",
        Stage::Checking => "checking",
        Stage::Linking => "linking pages",
        Stage::Rendering => "rendering",
        Stage::Fetching => "fetching",
    };
    let parts = match progress.stage {
        Stage::Fetching => "charts",
        _ => "pages",
    };
    match progress.done {
        Some((done, all)) => format!("{stage} {} of {} {parts}", count(done), count(all)),
        None => stage.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_the_stage_and_counts_its_parts() {
        let shown = |stage, done| message(Progress { stage, done });
        assert_eq!(shown(Stage::Reading, None), "reading manifests");
        assert_eq!(
            shown(Stage::Rendering, Some((1_200, 5_024))),
            "rendering 1,200 of 5,024 pages"
        );
        assert_eq!(
            shown(Stage::Fetching, Some((1, 2))),
            "fetching 1 of 2 charts"
        );
    }
}
