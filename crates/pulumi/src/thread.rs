//! A thread with a large stack, for the parser and the evaluator, which are recursive.

use std::cell::Cell;
use std::thread::Builder;

/// Only the pages in use are allocated. If a machine does not grant that much, the depth is reduced with the stack.
const LARGE_STACK: usize = 512 * 1024 * 1024;
pub const SMALLEST_STACK: usize = LARGE_STACK / 4;

thread_local! {
    /// The size of the largest stack divided by that of this thread's.
    static DIVISOR: Cell<usize> = const { Cell::new(1) };
}

/// A depth limit, scaled to the stack of this thread.
pub fn depth_here(most: usize) -> usize {
    most / DIVISOR.get()
}

/// Runs `work` on a thread with a large stack, or with half or a quarter of it; `None` if there is no such thread.
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

/// `None` if a test simulates a machine that does not grant so much.
#[cfg(test)]
fn builder(stack: usize) -> Option<Builder> {
    (stack <= crate::tests::room::LARGEST.get()).then(|| Builder::new().stack_size(stack))
}
