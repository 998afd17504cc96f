//! Where the work is, for those who wait for it: stages say so as they begin, and whoever shows it looks here.
//! Nothing that is made depends on it. One work is under way at a time; where there are several, the last to begin is told.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What takes its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Reading,
    Composing,
    Checking,
    Linking,
    Rendering,
}

const STAGES: [Stage; 5] = [
    Stage::Reading,
    Stage::Composing,
    Stage::Checking,
    Stage::Linking,
    Stage::Rendering,
];

/// Where the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub stage: Stage,
    /// Of how many parts how many are done; none where nobody counts.
    pub done: Option<(usize, usize)>,
}

static TRACK: Track = Track::new();

/// Says that a stage begins.
pub fn begin(stage: Stage) {
    TRACK.begin(stage, 0);
}

/// Says that a stage of so many parts begins.
pub fn begin_parts(stage: Stage, parts: usize) {
    TRACK.begin(stage, parts);
}

/// Says that a part is done.
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
