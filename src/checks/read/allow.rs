//! Rules about suppression comments.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Warning "allow-without-reason": "A suppression comment gives no reason.",
        does: "Checks for comments such as `# catalog: allow weak-gate` that give no reason. Such a comment has no \
               effect: the finding is still reported.",
        bad: "The next reader cannot tell a deliberate decision from a shortcut, so nobody dares to remove the \
              comment.",
        example: "yaml" "# catalog: allow weak-gate\napiVersion: kustomize.toolkit.fluxcd.io/v1",
        fix: "Add the reason after the rule name: `# catalog: allow weak-gate, because the chart waits for itself`.",
    },
    rule! {
        Warning "allow-unknown-rule": "A suppression comment names a rule that does not exist.",
        does: "Checks for names in `catalog: allow` comments that match no rule.",
        bad: "The comment has no effect, and the finding it was meant to suppress is still reported. Usually the name \
              is misspelt.",
        example: "yaml" "# catalog: allow weak-gates, because the chart waits for itself",
        fix: "Correct the rule name. `catalog explain` lists all rules.",
    },
    rule! {
        Info "allow-unused": "A suppression comment matches no finding.",
        does: "Checks for `catalog: allow` comments whose rule reports nothing at that place. Only files that have \
               other findings are checked.",
        bad: "The problem has been fixed or has moved. The comment is misleading, and would hide the next finding of \
              that rule.",
        example: "yaml" "wait: true # catalog: allow weak-gate, because we were in a hurry",
        fix: "Remove the comment.",
    },
    rule! {
        Error "unknown-rule": "`catalog.toml` names a rule that does not exist.",
        does: "Checks for names under `[check]` in `catalog.toml` that match no rule.",
        bad: "The setting has no effect: a finding you meant to ignore still fails the build, or one you meant to \
              select is never reported.",
        example: "toml" "[check]\nignore = [\"yaml-templates\"]",
        fix: "Correct the rule name. `catalog explain` lists all rules.",
    },
];
