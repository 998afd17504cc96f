//! The engine panics on some broken sources. That costs the picture and nothing else, and says nothing on the terminal;
//! any other panic goes its way.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use super::Error;

thread_local! {
    /// Whether a panic of this thread is the engine's.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// What `work` gives, or an error if it panics.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                usual(panic);
            }
        }));
    });
    GUARDED.set(true);
    // The engine keeps nothing between two diagrams but its configuration, which is only read.
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    result.unwrap_or_else(|_| {
        Err(Error::Broken {
            reason: "the engine stumbles over its source".to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_within_is_an_error_and_a_panic_after_it_is_one() {
        let error = guarded::<()>(|| panic!("within")).unwrap_err();
        assert!(error.to_string().contains("stumbles"));
        assert_eq!(guarded(|| Ok(1)), Ok(1));
        assert!(catch_unwind(|| panic!("after")).is_err());
    }
}
