//! A thread with a large stack, for the parser and the evaluator, both of which call themselves.

use std::cell::Cell;
use std::thread::Builder;

/// Only what is used is taken. Where a machine does not give that much, a part of it goes with the same part of the
/// depth.
const LARGE_STACK: usize = 512 * 1024 * 1024;
pub const SMALLEST_STACK: usize = LARGE_STACK / 4;

thread_local! {
    /// How many times smaller than the largest the stack of this thread is.
    static DIVISOR: Cell<usize> = const { Cell::new(1) };
}

/// A limit on depth, as it is for the stack of this thread.
pub fn depth_here(most: usize) -> usize {
    most / DIVISOR.get()
}

/// The result of `work` on a thread with a large stack, or with half or a quarter of it; none if there is no such thread.
pub fn with_large_stack<T: Send>(work: impl Fn() -> T + Sync) -> Option<T> {
    let (work, mut size) = (&work, LARGE_STACK);
    while size >= SMALLEST_STACK {
        let done = std::thread::scope(|scope| {
            let run = move || {
                DIVISOR.set(LARGE_STACK / size);
                work()
            };
            let thread = builder(size)?.spawn_scoped(scope, run).ok()?;
            Some(thread.join().ok())
        });
        match done {
            Some(done) => return done,
            None => size /= 2,
        }
    }
    None
}

#[cfg(not(test))]
fn builder(stack: usize) -> Option<Builder> {
    Some(Builder::new().stack_size(stack))
}

/// None if a test pretends that the machine does not give so much.
#[cfg(test)]
fn builder(stack: usize) -> Option<Builder> {
    (stack <= crate::tests::room::LARGEST.get()).then(|| Builder::new().stack_size(stack))
}
