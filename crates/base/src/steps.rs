//! Counts what hand-written scanners do, so that tests can tell how their work grows with their input: counted rather than
//! timed, as machines are busy. In builds without debug assertions there is nothing left of it.

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts work, such as bytes that are looked at.
#[inline]
pub fn count(_work: usize) {
    #[cfg(debug_assertions)]
    STEPS.with(|steps| steps.set(steps.get() + _work as u64));
}

/// The work that `run` counts on this thread.
#[cfg(debug_assertions)]
pub fn counted(run: impl FnOnce()) -> u64 {
    let before = STEPS.with(std::cell::Cell::get);
    run();
    STEPS.with(std::cell::Cell::get) - before
}

/// Watches a scanner: each turn of its loop must be further on than the one before. Without it, one that stands still
/// hangs; with it, a test fails.
#[derive(Debug, Default)]
pub struct ScanProgress {
    #[cfg(debug_assertions)]
    next: usize,
}

impl ScanProgress {
    /// Starts a turn at a position.
    #[inline]
    pub fn turn(&mut self, _at: usize) {
        #[cfg(debug_assertions)]
        {
            assert!(_at >= self.next, "a scanner does not move on from {_at}");
            self.next = _at + 1;
            count(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_and_standing_still_is_noticed() {
        let work = counted(|| {
            let mut progress = ScanProgress::default();
            (0..5).for_each(|at| progress.turn(at));
            count(10);
        });
        assert_eq!(work, 15);
        let stuck = std::panic::catch_unwind(|| {
            let mut progress = ScanProgress::default();
            progress.turn(1);
            progress.turn(1);
        });
        assert!(stuck.is_err());
    }
}
