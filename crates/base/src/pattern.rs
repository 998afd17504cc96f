//! Regular expressions from manifests, with a size limit. The only importer of the regex engine.

pub use regex_lite::{NoExpand as Literal, Regex};

/// Maximum size of a compiled expression, in bytes.
const SMALL: usize = 1 << 16;

/// Compiles an expression from a repository, if it is valid and small.
pub fn small(expression: &str) -> Option<Regex> {
    let mut builder = regex_lite::RegexBuilder::new(expression);
    builder.size_limit(SMALL).build().ok()
}

/// Like [`small`], with the number of its states: matching a character may take that many steps.
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
