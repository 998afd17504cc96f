//! Counts the work of one build and enforces its limits: trees copied into themselves and directories that include each
//! other double with every step.

use base::budget::Budget;
use base::{Finding, Place};
use yaml::{Node, Value};

/// Maximum number of objects, findings and the like in one build, counted again for each inclusion.
const MAX_ENTRIES: u64 = 500_000;
/// Maximum number of values that patches and replacements of one build write.
const MAX_VALUES: u64 = 4_000_000;
/// Maximum depth of a tree after another tree was inserted into it.
pub const MAX_LEVELS: usize = 500;
/// Maximum length of a field path: longer ones would create trees too deep to walk.
pub const MAX_PATH: usize = 250;

/// Number of bytes of text that cost as much as a value.
const TEXT: usize = 64;

/// The work of one build so far.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    entries: Budget,
    values: Budget,
    is_told: bool,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            entries: Budget::new(MAX_ENTRIES),
            values: Budget::new(MAX_VALUES),
            is_told: false,
        }
    }
}

impl Effort {
    /// Adds the effort of a part of the build.
    pub fn add(&mut self, part: Effort) {
        self.entries.add(part.entries);
        self.values.add(part.values);
        self.is_told |= part.is_told;
    }

    pub fn gather(&mut self, entries: usize) {
        let _ = self.entries.charge(entries as u64);
    }

    /// Counts values that are about to be written; fails if they exceed the limit.
    pub fn write(&mut self, values: usize) -> Result<(), String> {
        let charged = self.values.charge(values as u64);
        if charged.is_err() || self.is_exceeded() {
            Err("the build becomes too large".to_owned())
        } else {
            Ok(())
        }
    }

    /// Counts a text that is about to be written.
    pub fn write_text(&mut self, bytes: usize) -> Result<(), String> {
        self.write(1 + bytes / TEXT)
    }

    pub fn is_exceeded(&self) -> bool {
        self.entries.is_exceeded() || self.values.is_exceeded()
    }

    /// The finding about an exceeded limit, once.
    pub fn take_finding(&mut self, place: Place) -> Option<Finding> {
        let is_new = !std::mem::replace(&mut self.is_told, true);
        is_new.then(|| {
            Finding::error(
                "build-too-large",
                place,
                "the build becomes too large here, because it includes or copies the same objects \
                 repeatedly; the rest is skipped",
            )
            .help("include each directory once, or split the build")
        })
    }
}

/// Checks the depth of a tree that is inserted `depth` levels deep.
pub fn fits(node: &Node, depth: usize) -> Result<(), String> {
    fn levels(node: &Node) -> usize {
        1 + match &node.value {
            Value::Scalar(_) => 0,
            Value::Seq(items) => items.iter().map(levels).max().unwrap_or(0),
            Value::Map(map) => {
                let below = map.0.iter().map(|entry| levels(&entry.value));
                below.max().unwrap_or(0)
            }
        }
    }
    let is_deep = depth > MAX_PATH || depth + levels(node) > MAX_LEVELS;
    if is_deep {
        Err(format!(
            "the result is nested more than {MAX_LEVELS} levels deep"
        ))
    } else {
        Ok(())
    }
}
