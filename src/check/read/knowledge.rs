//! What is said about decisions, specs and their records.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Warning "artifact-gone": "A file that a record says was made is gone, or one that it says was deleted is back.",
        does: "Looks again for every file that the record of a spec says was created, modified or deleted. What a later \
               record did to it counts as that one's.",
        bad: "Whoever reads the record believes in something that is not there: it was removed without a word.",
        example: "md" "| `infra/main.tf` | Created |   <!-- the file is not there -->",
        fix: "Bring the file back, write a spec and a record for its removal, or accept the difference in `catalog.toml` \
              under `[[accepted]]`, with `spec`, `file` and `because`.",
    },
    rule! {
        Warning "validation-broken": "A validation step of a spec that was carried out no longer holds.",
        does: "Decides again every validation step that states a fact about files: that a file exists or does not, that a \
               directory has so many files, that a file contains a text or a `key: value`. Only what a sentence certainly \
               states is decided. Where a later spec changed what the step is about, the finding is an info and says which.",
        bad: "What was once shown to be so is so no longer, and nobody has said that it was meant.",
        example: "md" "- `apps/postgres/` contains exactly 3 files   <!-- there are 5 -->",
        fix: "Undo the change, correct the spec, or accept the difference in `catalog.toml` under `[[accepted]]`, with \
              `spec`, `step` and `because`. With `now`, set to what the finding says is the case, another difference is \
              reported again.",
    },
    rule! {
        Warning "spec-without-record": "A spec has no record of how it was carried out.",
        does: "Looks for specs below `.sdd/specification` to which no record below `.sdd/provenance` belongs.",
        bad: "Either it was not carried out, or nobody wrote down what was done.",
        example: "text" ".sdd/specification/spec-0004-traffic.md, and no .sdd/provenance/spec-0004-traffic.provenance.md",
        fix: "Write the record, under the name of the spec with `.provenance.md`.",
    },
    rule! {
        Warning "record-without-spec": "A record is about a spec that is not there.",
        does: "Looks for records whose `**Spec:**` line or file name leads to no spec.",
        bad: "A record says what was done, the spec what was asked for. Without it nobody can tell whether the two agree.",
        example: "md" "**Spec:** `.sdd/specification/spec-0009-gone.md`",
        fix: "Correct the path behind `**Spec:**`, or bring the spec back.",
    },
    rule! {
        Warning "record-section-missing": "A record lacks one of the sections that a record has.",
        does: "Looks for the five sections of a record: Actions Taken, Decisions Made, Deviations from Spec, Artifacts \
               Produced and Validation Results.",
        bad: "Nothing to say is an answer, and no section is none: whether there were deviations is then not known.",
        example: "md" "## Actions Taken\n## Artifacts Produced",
        fix: "Add the section. One that has nothing to say says so.",
    },
    rule! {
        Info "spec-section-missing": "A spec does not say why, or when it is done.",
        does: "Looks for a section that says why the work is needed (Context, Problem, Background) and for one that says \
               how to tell that it is done (Validation steps, Acceptance criteria).",
        bad: "Whoever carries it out cannot tell when to stop, and whoever reads it later cannot tell whether it holds.",
        example: "md" "# Spec 0004: Split the traffic\n\n## Changes",
        fix: "Add the section.",
    },
    rule! {
        Warning "decision-number-twice": "Two decisions in one place have the same number.",
        does: "Looks for decisions of one directory that share a number. Both are shown.",
        bad: "Two branches took the next number, and both were merged: whoever refers to it now refers to two.",
        example: "text" "docs/adr/0007-use-postgres.md\ndocs/adr/0007-use-traefik.md",
        fix: "Give the later one the next free number, and correct what refers to it.",
    },
    rule! {
        Warning "decision-superseded-by-nothing": "A decision is superseded by one that does not exist.",
        does: "Looks for decisions that name their successor, where there is no such decision.",
        bad: "Readers of a superseded decision want the one that counts.",
        example: "md" "**Status:** Superseded by ADR-0099",
        fix: "Name the successor, as in `Superseded by [ADR-0012](0012-title.md)`.",
    },
    rule! {
        Warning "dead-reference": "A decision or a spec names a decision, a spec or a file that is not there.",
        does: "Looks for numbers of decisions and specs, and for paths that are said to exist. Sentences about what is yet \
               to come are not taken for mistakes, nor are links, which have findings of their own.",
        bad: "A number that leads nowhere is a mistake, or what it named was removed: the reason is lost either way.",
        example: "md" "As decided in ADR-0042, …   <!-- the last decision is 0019 -->",
        fix: "Correct the reference, or remove it.",
    },
    rule! {
        Warning "accepted-nothing": "An accepted difference in `catalog.toml` is not there.",
        does: "Looks for entries under `[[accepted]]` that no difference matches.",
        bad: "What was accepted has been mended, or has become another difference; the entry could hide something later.",
        example: "toml" "[[accepted]]\nspec = \"0003\"\nfile = \"infra/main.tf\"\nbecause = \"It moved to another repository.\"",
        fix: "Remove the entry.",
    },
];
