//! The forms of sentences about files: phrases and what each says of the file. To add a form, add a line here and a sentence
//! with its reading to the tests of `sentence.rs`. Of phrases that begin alike, the longest counts.

use super::Unclear;

/// What a phrase says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Exists,
    Absent,
    /// The file has the code that follows.
    Has,
    /// It does not have the code that follows.
    Lacks,
    /// It has all sections that it must have.
    Complete,
    Or,
    /// The work did not change it.
    Unchanged,
    /// The code that follows is the name of an output.
    Output,
    /// It has the keys of the file that follows.
    Like,
    VersionRange,
    Limits,
    Unscheduled,
    Json,
    /// Nothing.
    Filler,
}

pub const FORMS: &[(Meaning, &[&str])] = &[
    (
        Meaning::Exists,
        &[
            "exists",
            "exist",
            "is present",
            "has been created",
            "is created",
            "was created",
        ],
    ),
    (
        Meaning::Absent,
        &[
            "does not exist",
            "do not exist",
            "no longer exists",
            "has been deleted",
            "has been removed",
            "have been deleted",
            "is deleted",
            "is removed",
            "was deleted",
            "was removed",
            "is gone",
            "is absent",
        ],
    ),
    (
        Meaning::Has,
        &[
            "exists with correct content",
            "contains",
            "contain",
            "includes",
            "include",
            "lists",
            "has",
            "with",
            "containing",
            "including",
            "mentions",
            "references",
            "points to",
            "uses",
            "sets",
            "accepts",
            "creates",
            "installs",
            "defines",
            "declares",
            "matches",
            "pushes to",
            "constructs",
            "with label",
            "with url",
        ],
    ),
    (
        Meaning::Lacks,
        &[
            "does not contain",
            "does not include",
            "does not have",
            "does not mention",
        ],
    ),
    (
        Meaning::Complete,
        &[
            "contains all required sections",
            "has all required sections",
            "with all required sections",
        ],
    ),
    (
        Meaning::Unchanged,
        &[
            "is unchanged",
            "remains unchanged",
            "is untouched",
            "was not modified",
            "is not modified",
            "was not changed",
            "is unchanged from its current content",
        ],
    ),
    (Meaning::Output, &["exports", "outputs"]),
    (
        Meaning::Like,
        &[
            "follows the same pattern as",
            "follows the pattern of",
            "and follows the same pattern as",
        ],
    ),
    (
        Meaning::VersionRange,
        &[
            "a valid semver range",
            "with a valid semver range",
            "a semver range",
        ],
    ),
    (Meaning::Limits, &["resource limits"]),
    (
        Meaning::Unscheduled,
        &["has no special scheduling", "no special scheduling"],
    ),
    (
        Meaning::Json,
        &[
            "valid dashboard json",
            "valid json",
            "contains valid dashboard json",
            "contains valid json",
        ],
    ),
    (Meaning::Or, &["or"]),
    (
        Meaning::Filler,
        &[
            "in its resources list",
            "in the resources list",
            "in its resource list",
            "in its resources",
            "in the resources",
            "in the repo",
            "in the repository",
            "and",
            "both",
            "also",
            "on",
            "the text",
            "the line",
            "the files",
            "files",
            "flag",
            "flags",
            "resource",
            "resources",
            "variable",
            "variables",
            "as a variable",
            "env vars",
            "environment variables",
            "from key vault secrets",
            "entrypoint",
            "entrypoints",
            "label",
        ],
    ),
];

/// The form that these words begin with, and how many of them it takes.
pub fn form(words: &[&str]) -> Option<(Meaning, usize)> {
    let phrases = FORMS
        .iter()
        .flat_map(|(meaning, phrases)| phrases.iter().map(|phrase| (*meaning, *phrase)));
    let matching = phrases.filter_map(|(meaning, phrase)| {
        let length = phrase.split(' ').count();
        let is_here = words.len() >= length && phrase.split(' ').zip(words).all(|(a, b)| a == *b);
        is_here.then_some((meaning, length))
    });
    matching.max_by_key(|(_, length)| *length)
}

/// Words before the path of a sentence that say that it is there.
pub const SAVED: &[&str] = &[
    "saved", "exists", "exist", "written", "stored", "located", "created",
];
/// Further words that may stand before it.
pub const LEAD: &[&str] = &[
    "the",
    "this",
    "a",
    "file",
    "directory",
    "folder",
    "manifest",
    "new",
    "spec",
    "specification",
    "has",
    "been",
    "is",
    "was",
    "to",
    "at",
    "in",
    "as",
    "provenance",
    "record",
    "adr",
    "document",
    "decision",
    "script",
];
/// Words that make an aside more than an explanation.
pub const CONDITIONS: &[&str] = &[
    "if", "unless", "when", "except", "not", "or", "without", "only",
];
/// Words that may say the opposite of what follows them.
pub const TURNS: &[&str] = &[
    "not",
    "no",
    "never",
    "neither",
    "nor",
    "none",
    "without",
    "if",
    "unless",
    "when",
    "except",
    "only",
    "should",
    "may",
    "might",
    "instead",
    "cannot",
    "optional",
    "optionally",
];

/// Words that show what a sentence needs to be decided, in this order.
pub const EVIDENCE: &[(Unclear, &[&str])] = &[
    (
        Unclear::Command,
        &[
            "passes", "pass", "succeeds", "succeed", "lint", "builds", "compiles",
        ],
    ),
    (
        Unclear::History,
        &["unchanged", "committed", "modified", "changed", "untouched"],
    ),
    (
        Unclear::Cluster,
        &[
            "pods",
            "pod",
            "running",
            "reconciled",
            "ready",
            "cluster",
            "healthy",
            "deployed",
        ],
    ),
];
/// Programs: code that begins with one is a command.
pub const PROGRAMS: &[&str] = &[
    "kubectl",
    "flux",
    "helm",
    "terraform",
    "pnpm",
    "npm",
    "yarn",
    "make",
    "cargo",
    "go",
    "git",
    "kustomize",
    "argocd",
    "docker",
    "az",
    "aws",
    "pytest",
    "curl",
    "just",
    "task",
];
/// Kinds that are one word.
pub const KINDS: &[&str] = &[
    "Deployment",
    "Service",
    "Namespace",
    "Ingress",
    "Kustomization",
    "Secret",
    "Job",
];
/// Words that claim more than the code behind them does.
pub const CLAIMS: &[&str] = &[
    "all",
    "every",
    "each",
    "valid",
    "correct",
    "is",
    "are",
    "was",
    "were",
    "same",
    "exactly",
    "least",
    "most",
    "other",
    "any",
    "both",
    "either",
    "then",
    "before",
    "after",
    "construct",
    "loop",
    "all",
    "from",
    "schedules",
    "tolerates",
    "instantiates",
    "wires",
    "follows",
    "maps",
];
