//! What is said about decisions, specs and their records.

use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[];
