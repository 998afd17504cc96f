//! Progress of the run: stages report when they begin, and the progress display and `--verbose` read it here.
//! No output depends on it. If several stages run at once, the last to begin is shown.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A part of the run that may take a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Reading,
    Composing,
    Checking,
    Linking,
    Rendering,
    Fetching,
}

const STAGES: [Stage; 6] = [
    Stage::Reading,
    Stage::Composing,
    Stage::Checking,
    Stage::Linking,
    Stage::Rendering,
    Stage::Fetching,
];

impl Stage {
    /// What `--verbose` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Reading => "reading",
            Stage::Composing => "composing",
            Stage::Checking => "checking",
            Stage::Linking => "linking",
            Stage::Rendering => "rendering",
            Stage::Fetching => "fetching",
        }
    }
}

/// The current stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub stage: Stage,
    /// Parts done and parts in all; none if the stage does not count them.
    pub done: Option<(usize, usize)>,
}

static TRACK: Track = Track::new();

/// When each stage began. A preview that runs for days keeps only the first ones.
static BEGUN: Mutex<Vec<(Stage, Instant)>> = Mutex::new(Vec::new());
const MOST_BEGUN: usize = 32;

/// Reports that a stage begins.
pub fn begin(stage: Stage) {
    begin_parts(stage, 0);
}

/// Reports that a stage with this many parts begins.
pub fn begin_parts(stage: Stage, parts: usize) {
    TRACK.begin(stage, parts);
    let mut begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    if begun.len() < MOST_BEGUN {
        begun.push((stage, Instant::now()));
    }
}

/// How long each stage took, in order; the last one until now.
pub fn timings() -> Vec<(Stage, Duration)> {
    let begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    let ends = begun.iter().skip(1).map(|(_, began)| *began);
    let ends = ends.chain([Instant::now()]);
    let each = begun.iter().zip(ends);
    each.map(|((stage, began), end)| (*stage, end.saturating_duration_since(*began)))
        .collect()
}

/// Reports that a part is done.
pub fn step() {
    TRACK.done.fetch_add(1, Ordering::Relaxed);
}

pub fn now() -> Progress {
    TRACK.now()
}

struct Track {
    stage: AtomicUsize,
    done: AtomicUsize,
    all: AtomicUsize,
}

impl Track {
    const fn new() -> Track {
        Track {
            stage: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            all: AtomicUsize::new(0),
        }
    }

    fn begin(&self, stage: Stage, parts: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.all.store(parts, Ordering::Relaxed);
        self.stage.store(stage as usize, Ordering::Relaxed);
    }

    fn now(&self) -> Progress {
        let all = self.all.load(Ordering::Relaxed);
        let done = self.done.load(Ordering::Relaxed).min(all);
        Progress {
            stage: STAGES[self.stage.load(Ordering::Relaxed) % STAGES.len()],
            done: (all > 0).then_some((done, all)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_counts_its_own_parts_and_no_more_than_it_has() {
        let track = Track::new();
        track.begin(Stage::Rendering, 2);
        track.done.fetch_add(3, Ordering::Relaxed);
        assert_eq!(track.now().done, Some((2, 2)));
        for stage in STAGES {
            track.begin(stage, 0);
            assert_eq!(track.now(), Progress { stage, done: None });
        }
    }
}
