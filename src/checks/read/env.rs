//! Rules about `.env` files that generators read.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "env-bad-line": "A line of an env file is not `NAME=value`.",
        does: "Checks for lines that kustomize does not read as they look: lines without a name or without `=`, lines \
               whose name is not a valid ConfigMap key (it contains a space, or starts with `export `), and lines \
               longer than 64 KiB.",
        bad: "kustomize skips such a line, turns it into an empty variable, or builds an object that the API server \
              rejects. After an overlong line, all remaining lines are dropped without an error.",
        example: "sh" "export REGION=eu-west-1",
        fix: "Write one `NAME=value` per line, without `export`. Put a multi-line value into a file of its own and \
              list it under `files:`.",
    },
    rule! {
        Warning "env-comment-in-value": "A trailing comment becomes part of the value.",
        does: "Checks for ` #` after a value in a file listed under `envs:` of a generator.",
        bad: "Shells and most `.env` parsers strip such a comment. kustomize does not: the application gets `30 # \
              seconds` where it expects a number.",
        example: "sh" "TIMEOUT=30 # seconds",
        fix: "Move the comment to a line of its own, above the variable.",
    },
    rule! {
        Error "env-duplicate-key": "A variable is set twice in one env file.",
        does: "Checks for names that occur more than once in a file listed under `envs:`.",
        bad: "kustomize rejects a generator with a duplicate key, so nothing in the kustomization is applied.",
        example: "sh" "REGION=eu-west-1\nREGION=eu-central-1",
        fix: "Remove one of the two lines.",
    },
    rule! {
        Warning "env-quoted-value": "Quotes around a value become part of the value.",
        does: "Checks for quoted values in a file listed under `envs:` of a generator.",
        bad: "kustomize does not strip quotes: the application gets them as part of the value, and a quoted URL is not \
              a valid URL.",
        example: "sh" "URL=\"https://example.com\"",
        fix: "Remove the quotes, unless the application expects them.",
    },
];
