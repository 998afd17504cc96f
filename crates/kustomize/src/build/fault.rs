//! Findings about the entries of a kustomization. Plain constructors.

use super::super::item::BuildObject;
use crate::{Listed, Resource};
use base::{Effect, Finding, Place};

pub fn not_an_object(listed: &Listed, place: Place) -> Finding {
    Finding::error(
        "not-an-object",
        place,
        format!(
            "`{}` is applied, but this document has no `apiVersion` and `kind`, so the build fails",
            listed.path
        ),
    )
    .help("move the file elsewhere, or add a kustomization.yaml that lists the files to apply")
}

pub fn nameless(resource: &Resource) -> Finding {
    Finding::error(
        "object-without-name",
        resource.place,
        format!(
            "this {} has no `metadata.name`, so kustomize rejects it",
            resource.id.kind
        ),
    )
    .help("add a name; kustomize does not accept `generateName`")
}

pub fn wrong_kind(listed: &Listed, what: &str, help: &str) -> Finding {
    Finding::error(
        "kustomization-wrong-kind",
        listed.place,
        format!("`{}` {what}, so kustomize rejects it here", listed.path),
    )
    .help(help)
}

pub fn cycle(listed: &Listed) -> Finding {
    let path = &listed.path;
    Finding::error(
        "kustomization-cycle",
        listed.place,
        format!("`{path}` includes itself through this entry, so the kustomize build fails"),
    )
    .help("remove the entry")
}

pub fn included_twice(item: &BuildObject) -> Finding {
    Finding::error(
        "included-twice",
        item.place,
        format!(
            "{} is included twice in one build, so kustomize rejects it",
            item.id
        ),
    )
    .help("remove one of the entries that include it")
}

pub fn not_a_kustomization(place: Place) -> Finding {
    Finding::error(
        "kustomization-wrong-kind",
        place,
        "the kustomization file of this directory contains something else, so kustomize rejects it",
    )
    .help("rename the file, and list it in a kustomization.yaml")
}

/// Finding for an entry that kustomize downloads. `lost` is what the catalogue lacks without it.
pub fn remote(path: &str, lost: &str, place: Place) -> Finding {
    unfetched(path, lost, place).effect(Effect::Remote)
}

/// Finding for a file whose contents kustomize downloads into an object. No object is missing without it.
pub fn remote_contents(path: &str, place: Place) -> Finding {
    unfetched(path, "its contents", place)
}

fn unfetched(path: &str, lost: &str, place: Place) -> Finding {
    Finding::info(
        "remote-base",
        place,
        format!("`{path}` is remote and is not fetched: {lost} are missing from the catalogue"),
    )
    .help("copy it into this repository to include it in the catalogue")
    .cause(place.file.0)
}

/// Drops findings about missing objects, for builds that are incomplete.
pub fn drop_uncertain(findings: &mut Vec<Finding>) {
    const UNSURE: &[&str] = &[
        "generator-without-object",
        "patch-without-object",
        "replicas-without-object",
        "replacement-failed",
        "var-invalid",
    ];
    findings.retain(|finding| !UNSURE.contains(&finding.rule));
}
