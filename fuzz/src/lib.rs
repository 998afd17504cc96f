//! What the fuzz targets run. `engines` and `program` are part of the test suite, too, which replays the corpus.

mod engines;
#[cfg(feature = "program")]
mod program;

/// Runs a target on an input. A panic, a hang or a broken promise is a fault.
pub fn run(target: &str, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    #[cfg(feature = "program")]
    let mut targets = engines::TARGETS.iter().chain(program::TARGETS);
    #[cfg(not(feature = "program"))]
    let mut targets = engines::TARGETS.iter();
    let run = targets.find(|(name, _)| *name == target);
    run.unwrap_or_else(|| panic!("there is no target `{target}`"))
        .1(text);
}
