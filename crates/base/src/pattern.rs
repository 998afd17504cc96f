//! Regular expressions, for all that reads or puts together manifests: the only importer of their engine.

pub use regex_lite::{NoExpand as Literal, Regex};

/// More than this, compiled, is not meant for a line of a manifest.
const SMALL: usize = 1 << 16;

/// An expression that a repository brings along, if it is one and stays small.
pub fn small(expression: &str) -> Option<Regex> {
    let mut builder = regex_lite::RegexBuilder::new(expression);
    builder.size_limit(SMALL).build().ok()
}

/// The same, and how many states it may have: looking at a character may take as many steps.
pub fn measured(expression: &str) -> Option<(Regex, u64)> {
    const STATE: u64 = 64;
    [1 << 10, 1 << 12, 1 << 14, SMALL]
        .into_iter()
        .find_map(|limit| {
            let mut builder = regex_lite::RegexBuilder::new(expression);
            let compiled = builder.size_limit(limit).build().ok()?;
            Some((compiled, limit as u64 / STATE))
        })
}
