//! Rules about decisions, specs and their records.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Warning "artifact-gone": "A recorded file change no longer matches the repository.",
        does: "Checks every file that a spec's record lists as created, modified or deleted: a created or modified \
               file must exist, a deleted one must not. If a later record changed the file, the later record counts.",
        bad: "The record describes something that is no longer true: the file was removed or restored without a \
              record.",
        example: "md" "| `infra/main.tf` | Created |   <!-- the file does not exist -->",
        fix: "Restore the file, write a spec and a record for its removal, or accept the difference under \
              `[[accepted]]` in `catalog.toml`, with `spec`, `file` and `because`.",
    },
    rule! {
        Info "artifact-drifted": "Files were changed after their spec was recorded, without another spec.",
        does: "Compares every file that a spec's record lists with the history in git. Commits up to the one that added \
               the record belong to the spec; later ones must belong to a later record that lists the file, or also \
               change a spec or record that names the file or its directory. There is one finding for each record. \
               Commits by Renovate, Dependabot and other programs do not count, and neither do \
               corrections to specs, records and decisions. Skipped if git cannot tell, for example in a shallow clone.",
        bad: "Spec and record describe a file that nobody has seen in this form since. The next person who works from \
              the spec undoes the change, or builds on something that is no longer there.",
        example: "md" "| `apps/postgres/release.yaml` | Created |   <!-- changed since by a commit without a spec -->",
        fix: "Write a spec and a record for the change, or accept it under `[[accepted]]` in `catalog.toml`, with `spec`, \
              `file` and `because`.",
    },
    rule! {
        Warning "validation-broken": "A validation step of a completed spec no longer holds.",
        does: "Checks every validation step that states a fact about files: that a file exists or does not, that a \
               directory contains a number of files, that a file contains a text, a heading, a link or a `key: value`. Steps that could \
               mean something else are skipped, and so are those that a later spec ended. What was committed together \
               and which files the work left alone is compared with the commit that added the record; as nobody can \
               change that commit, the severity is info.",
        bad: "Something that was verified once is no longer true, and nothing says that the change was deliberate.",
        example: "md" "- `apps/postgres/` contains exactly 3 files   <!-- there are 5 -->",
        fix: "Revert the change, correct the spec, or accept the difference under `[[accepted]]` in `catalog.toml`, \
              with `spec`, `step` and `because`. Add `now`, copied from the finding, to be told when it changes again.",
    },
    rule! {
        Warning "spec-without-record": "A spec has no record.",
        does: "Checks for specs below `.sdd/specification` without a matching record below `.sdd/provenance`.",
        bad: "Either the spec was never carried out, or nobody wrote down what was done.",
        example: "text" ".sdd/specification/spec-0004-traffic.md exists, .sdd/provenance/spec-0004-traffic.provenance.md does not",
        fix: "Write the record, named after the spec with the suffix `.provenance.md`.",
    },
    rule! {
        Warning "record-without-spec": "A record refers to a spec that does not exist.",
        does: "Checks for records whose `**Spec:**` line or file name matches no spec.",
        bad: "A record states what was done, its spec what was asked for. Without the spec, nobody can compare the \
              two.",
        example: "md" "**Spec:** `.sdd/specification/spec-0009-gone.md`",
        fix: "Correct the path after `**Spec:**`, or restore the spec.",
    },
    rule! {
        Warning "record-section-missing": "A record lacks a required section.",
        does: "Checks for the five sections of a record: Actions Taken, Decisions Made, Deviations from Spec, \
               Artifacts Produced and Validation Results.",
        bad: "A section that says \"none\" is an answer. A missing section leaves open whether, for example, there \
              were deviations.",
        example: "md" "## Actions Taken\n## Artifacts Produced",
        fix: "Add the section. If it has no content, write \"None\".",
    },
    rule! {
        Info "spec-section-missing": "A spec does not say why, or when it is done.",
        does: "Checks for a section that explains why the work is needed (Context, Problem, Background) and one that \
               defines when it is done (Validation steps, Acceptance criteria).",
        bad: "Without them, whoever implements the spec cannot tell when to stop, and later readers cannot tell \
              whether it still holds.",
        example: "md" "# Spec 0004: Split the traffic\n\n## Changes",
        fix: "Add the section.",
    },
    rule! {
        Warning "decision-number-twice": "Two decisions in one directory have the same number.",
        does: "Checks for decisions in the same directory that share a number. Both are shown.",
        bad: "Usually two branches took the next number and both were merged. References to that number are now \
              ambiguous.",
        example: "text" "docs/adr/0007-use-postgres.md\ndocs/adr/0007-use-traefik.md",
        fix: "Give the later one the next free number, and update the references to it.",
    },
    rule! {
        Warning "decision-superseded-by-nothing": "A decision is superseded by one that does not exist.",
        does: "Checks for decisions that name a successor that does not exist.",
        bad: "Readers of a superseded decision need the one that replaces it.",
        example: "md" "**Status:** Superseded by ADR-0099",
        fix: "Name the successor, as in `Superseded by [ADR-0012](0012-title.md)`.",
    },
    rule! {
        Warning "dead-reference": "A decision or spec refers to a decision, spec or file that does not exist.",
        does: "Checks for references to decisions and specs by number, and for paths that are stated to exist. \
               Sentences about future work are skipped, and so are links, which have a rule of their own.",
        bad: "Either the reference is wrong, or its target was removed. In both cases the reasoning behind the \
              document is lost.",
        example: "md" "As decided in ADR-0042, …   <!-- the last decision is 0019 -->",
        fix: "Correct the reference, or remove it.",
    },
    rule! {
        Warning "accepted-nothing": "An `[[accepted]]` entry in `catalog.toml` matches no difference.",
        does: "Checks for entries under `[[accepted]]` that match no difference.",
        bad: "The difference has been fixed or has changed. The entry could hide a later one.",
        example: "toml" "[[accepted]]\nspec = \"0003\"\nfile = \"infra/main.tf\"\nbecause = \"It moved to another repository.\"",
        fix: "Remove the entry.",
    },
];
