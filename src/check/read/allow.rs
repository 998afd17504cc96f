//! What is said about comments that accept a finding.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Warning "allow-without-reason": "A comment allows a finding without saying why.",
        does: "Looks for comments such as `# catalog: allow weak-gate` that give no reason. Such a comment allows \
               nothing: the finding stays.",
        bad: "Whoever reads the file next cannot tell a decision from a shortcut, and nobody dares to remove the comment.",
        example: "yaml" "# catalog: allow weak-gate\napiVersion: kustomize.toolkit.fluxcd.io/v1",
        fix: "Say why behind the rule: `# catalog: allow weak-gate, because the chart waits for itself`.",
    },
    rule! {
        Warning "allow-unknown-rule": "A comment allows a rule that does not exist.",
        does: "Looks for names in `catalog: allow` comments that no rule has.",
        bad: "The comment does nothing, and the finding that it was meant for is still reported. Most often the name is \
              misspelt.",
        example: "yaml" "# catalog: allow weak-gates, because the chart waits for itself",
        fix: "Correct the name; `catalog explain` lists them all.",
    },
    rule! {
        Info "allow-unused": "A comment allows what is not found.",
        does: "Looks for `catalog: allow` comments whose rule reports nothing where they stand. Only files with other \
               findings are looked at.",
        bad: "The fault was mended, or has moved: the comment misleads, and would hide the next one.",
        example: "yaml" "wait: true # catalog: allow weak-gate, because we were in a hurry",
        fix: "Remove the comment.",
    },
    rule! {
        Error "unknown-rule": "`catalog.toml` names a rule that does not exist.",
        does: "Looks for names under `[check]` in `catalog.toml` that no rule has.",
        bad: "What was meant is not selected, ignored or weighed: a finding fails the build that should not, or nobody sees one \
              that should.",
        example: "toml" "[check]\nignore = [\"yaml-templates\"]",
        fix: "Correct the name; `catalog explain` lists them all.",
    },
];
