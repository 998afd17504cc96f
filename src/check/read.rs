//! The documentation of what readers, composition and prose report: one file for each topic. The code that reports stands
//! where the fault is seen; a test holds that every name has its text here, or with its check, and every text its code.

mod allow;
mod env;
mod file;
mod generator;
mod knowledge;
mod kustomize;
mod module;
mod patch;
mod program;
mod prose;
mod runbook;
mod unit;
mod yaml;

use crate::diagnostic::Rule;

/// In the order in which a repository is read.
pub const TOPICS: &[(&str, &[Rule])] = &[
    ("Clusters and units", unit::RULES),
    ("Programs", program::RULES),
    ("Kustomizations", kustomize::RULES),
    ("Patches", patch::RULES),
    ("Generators", generator::RULES),
    ("Environment files", env::RULES),
    ("Terraform", module::RULES),
    ("YAML", yaml::RULES),
    ("Files", file::RULES),
    ("Prose", prose::RULES),
    ("Decisions and specs", knowledge::RULES),
    ("Runbooks and alerts", runbook::RULES),
    ("Accepted findings", allow::RULES),
];

/// A rule with the four parts of its documentation; leaving one out does not compile.
macro_rules! rule {
    (
        $severity:ident $name:literal: $summary:literal,
        does: $does:literal,
        bad: $bad:literal,
        example: $language:literal $example:literal,
        fix: $fix:literal $(,)?
    ) => {
        $crate::diagnostic::Rule {
            name: $name,
            severity: $crate::diagnostic::Severity::$severity,
            summary: $summary,
            about: concat!(
                "## What it does\n\n",
                $does,
                "\n\n## Why is this bad?\n\n",
                $bad,
                "\n\n## Example\n\n```",
                $language,
                "\n",
                $example,
                "\n```\n\n## How to fix it\n\n",
                $fix,
                "\n"
            ),
        }
    };
}
use rule;
