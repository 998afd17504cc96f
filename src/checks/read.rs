//! Documentation of the rules that readers, composition and Markdown pages report: one file per topic. The findings are
//! created where the problem is detected. A test checks that every rule is documented and every documented rule is used.

mod allow;
mod chart;
mod env;
mod file;
mod generator;
mod knowledge;
mod kustomize;
mod module;
mod pages;
mod patch;
mod program;
mod runbook;
mod unit;
mod yaml;

use base::Rule;

/// Topics in the order in which a repository is read.
pub const TOPICS: &[(&str, &[Rule])] = &[
    ("Clusters and units", unit::RULES),
    ("Pulumi programs", program::RULES),
    ("kustomization.yaml", kustomize::RULES),
    ("Patches", patch::RULES),
    ("Generators", generator::RULES),
    ("Helm charts", chart::RULES),
    ("Environment files", env::RULES),
    ("Terraform", module::RULES),
    ("YAML", yaml::RULES),
    ("Files", file::RULES),
    ("Markdown pages", pages::RULES),
    ("Decisions and specs", knowledge::RULES),
    ("Runbooks and alerts", runbook::RULES),
    ("Suppressed findings", allow::RULES),
];

/// A rule with the four parts of its documentation. Leaving one out is a compile error. A rule about something that is not
/// read says `skips_input: true`, and one about security its score and the weakness: `security: 5.0, cwe: 829`.
macro_rules! rule {
    (
        $severity:ident $name:literal: $summary:literal,
        does: $does:literal,
        bad: $bad:literal,
        example: $language:literal $example:literal,
        fix: $fix:literal
        $(, skips_input: $skips_input:literal)?
        $(, security: $score:literal, cwe: $cwe:literal)? $(,)?
    ) => {
        base::Rule {
            name: $name,
            severity: base::Severity::$severity,
            skips_input: false $(|| $skips_input)?,
            security: rule!(security $($score, $cwe)?),
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
    (security) => {
        None
    };
    (security $score:literal, $cwe:literal) => {
        Some(base::Security {
            score: $score,
            cwe: $cwe,
        })
    };
}
use rule;
