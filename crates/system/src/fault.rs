//! Faults on request, so that tests can fail every step of writing an output. Compiled into builds with debug assertions
//! only: `CATALOG_TEST_FAULT` names a kind of fault and the number of the step, such as `kill:17`.

/// A step that may fail. Call it right before the operation it stands for.
#[cfg(not(debug_assertions))]
#[inline]
pub fn point(_step: &str) -> std::io::Result<()> {
    Ok(())
}

#[cfg(debug_assertions)]
pub use with_faults::point;

#[cfg(debug_assertions)]
mod with_faults {
    use std::fs::OpenOptions;
    use std::io::{self, Write};
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    enum Fault {
        /// Lists the steps in a file.
        List(PathBuf),
        /// One step fails.
        Error(u64),
        /// The disk is full from this step on.
        Full(u64),
        /// The process ends before the step, without cleaning up.
        Kill(u64),
    }

    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    static STEPS: AtomicU64 = AtomicU64::new(0);

    pub fn point(step: &str) -> io::Result<()> {
        let Some(fault) = FAULT.get_or_init(asked) else {
            return Ok(());
        };
        let number = STEPS.fetch_add(1, Ordering::Relaxed);
        match fault {
            Fault::List(path) => {
                let mut file = OpenOptions::new().create(true).append(true).open(path)?;
                writeln!(file, "{step}")
            }
            Fault::Error(at) if *at == number => Err(io::Error::other("a fault on request")),
            // Names can still be removed and exchanged.
            Fault::Full(at) if *at <= number && matches!(step, "open" | "write" | "make") => {
                Err(io::ErrorKind::StorageFull.into())
            }
            Fault::Kill(at) if *at == number => std::process::abort(),
            _ => Ok(()),
        }
    }

    fn asked() -> Option<Fault> {
        let asked = std::env::var("CATALOG_TEST_FAULT").ok()?;
        let (kind, value) = asked.split_once(':')?;
        Some(match kind {
            "list" => Fault::List(value.into()),
            "error" => Fault::Error(value.parse().ok()?),
            "full" => Fault::Full(value.parse().ok()?),
            "kill" => Fault::Kill(value.parse().ok()?),
            _ => return None,
        })
    }
}
