//! What is said about `.env` files that generators read.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "env-bad-line": "A line of an env file is not `NAME=value`.",
        does: "Looks for lines that kustomize reads otherwise than they look: without a name, without `=`, with a name that \
               a ConfigMap cannot have (a space, `export `), or longer than 64 KiB.",
        bad: "kustomize leaves such a line out, makes an empty variable of it, or builds an object that the API server \
              refuses. Behind an overlong line, all others are lost without a word.",
        example: "sh" "export REGION=eu-west-1",
        fix: "Write `NAME=value`, one a line, without `export`. Read a value of several lines from a file of its own, under \
              `files:`.",
    },
    rule! {
        Warning "env-comment-in-value": "A comment behind a value becomes part of the value.",
        does: "Looks for ` #` behind a value in a file under `envs:` of a generator.",
        bad: "Shells and most readers of `.env` files drop such a comment, kustomize does not: the application gets \
              `30 # seconds` where it expects a number.",
        example: "sh" "TIMEOUT=30 # seconds",
        fix: "Move the comment to a line of its own, above the variable.",
    },
    rule! {
        Error "env-duplicate-key": "A variable is set twice in one env file.",
        does: "Looks for names that stand in a file under `envs:` more than once.",
        bad: "kustomize refuses to build a generator that repeats a key, so that nothing of the kustomization is applied.",
        example: "sh" "REGION=eu-west-1\nREGION=eu-central-1",
        fix: "Remove one of the two lines.",
    },
    rule! {
        Warning "env-quoted-value": "Quotes around a value become part of the value.",
        does: "Looks for values in quotes in a file under `envs:` of a generator.",
        bad: "kustomize unquotes nothing: the application gets the quotes too, and an address in quotes is no address.",
        example: "sh" "URL=\"https://example.com\"",
        fix: "Remove the quotes, unless the program that reads the value wants them.",
    },
];
