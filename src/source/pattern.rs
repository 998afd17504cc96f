//! Regular expressions, for all that reads or puts together manifests: the only importer of their engine.

pub use regex_lite::{NoExpand as Literal, Regex};

/// More than this, compiled, is not meant for a line of a manifest.
const SMALL: usize = 1 << 16;

/// An expression that a repository brings along, if it is one and stays small.
pub fn small(expression: &str) -> Option<Regex> {
    let mut builder = regex_lite::RegexBuilder::new(expression);
    builder.size_limit(SMALL).build().ok()
}
