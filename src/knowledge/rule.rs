//! What is said about each finding in decisions, specs and records. Text, and nothing else.

use crate::diagnostic::{Rule, Severity};

/// The findings, the most important first.
pub const RULES: &[Rule] = &[
    Rule {
        name: "artifact-gone",
        severity: Severity::Warning,
        summary: "A file that a record says was created or modified is not there, or one that it says was deleted is.",
        about: "A record names the files that carrying out a spec produced. Each is looked for again. One that is not there, and \
that no later record says was deleted, was removed without a word; whoever reads the record believes in something that is gone.\n\n\
Bring the file back, write a spec and a record for its removal, or accept the difference in `catalog.toml`:\n\n\
```toml\n[[accepted]]\nspec = \"0003\"\nfile = \"infra/main.tf\"\nbecause = \"It moved to another repository.\"\n```\n",
    },
    Rule {
        name: "validation-broken",
        severity: Severity::Warning,
        summary: "A validation step of a spec that was carried out no longer holds.",
        about: "A validation step that states a fact about files is decided again: that a file exists or does not, that a directory \
has so many files, that a file contains a text or a `key: value`. Only what a sentence certainly states is decided. Where a later spec \
changed what the step is about, the finding is an info and says which.\n\n\
Undo the change, correct the spec, or accept the difference in `catalog.toml`:\n\n\
```toml\n[[accepted]]\nspec = \"0003\"\nstep = 2\nbecause = \"Spec 0003a split the directory.\"\n```\n\n\
With `now`, set to what the finding says is the case, another difference is reported again.\n",
    },
    Rule {
        name: "spec-without-record",
        severity: Severity::Warning,
        summary: "A spec has no record of how it was carried out.",
        about: "Either it was not carried out, or nobody wrote down what was done. The record belongs in `.sdd/provenance/`, under \
the name of the spec with `.provenance.md`.\n",
    },
    Rule {
        name: "record-without-spec",
        severity: Severity::Warning,
        summary: "A record is about a spec that is not there.",
        about: "A record says what was done; the spec says what was asked for. Without it nobody can tell whether the two agree. \
Correct the path behind `**Spec:**`, or bring the spec back.\n",
    },
    Rule {
        name: "record-section-missing",
        severity: Severity::Warning,
        summary: "A record lacks one of the sections that a record has.",
        about: "A record has five sections: Actions Taken, Decisions Made, Deviations from Spec, Artifacts Produced and Validation \
Results. One that has nothing to say says so, which is not the same as nothing.\n",
    },
    Rule {
        name: "spec-section-missing",
        severity: Severity::Info,
        summary: "A spec does not say why, or when it is done.",
        about: "A spec needs a section that says why the work is needed (Context, Problem, Background) and one that says how to tell \
that it is done (Validation steps, Acceptance criteria).\n",
    },
    Rule {
        name: "decision-number-twice",
        severity: Severity::Warning,
        summary: "Two decisions in one place have the same number.",
        about: "Two branches took the next number, and both were merged. Whoever refers to a decision by its number now refers to \
two. Give the later one the next free number, and correct what refers to it.\n",
    },
    Rule {
        name: "decision-superseded-by-nothing",
        severity: Severity::Warning,
        summary: "A decision is said to be superseded by one that does not exist.",
        about: "Readers of a superseded decision want the one that counts. Name it, as in `Superseded by [ADR-0012](0012-title.md)`.\n",
    },
    Rule {
        name: "dead-reference",
        severity: Severity::Warning,
        summary: "A decision or a spec names a decision, a spec or a file that is not there.",
        about: "A number that leads nowhere is a mistake, or what it named was removed. Sentences about what is yet to come are not \
taken for mistakes, nor are links, which have findings of their own.\n",
    },
    Rule {
        name: "accepted-nothing",
        severity: Severity::Warning,
        summary: "An accepted difference in `catalog.toml` is not there.",
        about: "What was accepted has been mended, or has become another difference. Remove the entry, so that it cannot hide \
something later.\n",
    },
];
