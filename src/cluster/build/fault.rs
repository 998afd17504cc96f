//! What is wrong with what a kustomization includes, each as a finding.

use smol_str::SmolStr;

use super::super::item::Item;
use crate::facts::{Build, Listed, Located, Resource};
use base::{Finding, Place, Severity};

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

pub fn included_twice(item: &Item) -> Finding {
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

/// Charts that are to be rendered: what is in them is not known here. Without a reconciler that renders charts, the
/// build may fail on them.
pub fn unrendered(
    fields: &[Located<SmolStr>],
    unit: Option<&Build>,
) -> impl Iterator<Item = Finding> {
    let is_rendered = unit.is_some_and(|unit| unit.renders_charts);
    fields.iter().map(move |field| {
        let field_name = &field.value;
        let (severity, message) = match is_rendered {
            true => (
                Severity::Info,
                format!(
                    "charts under `{field_name}` are not rendered: the catalogue shows the charts and the \
                     units (such as Applications) in their values, but not their objects"
                ),
            ),
            false => (
                Severity::Warning,
                format!(
                    "the objects of the charts under `{field_name}` are missing from the catalogue: \
                     kustomize renders charts only with `--enable-helm`, which nothing here sets"
                ),
            ),
        };
        Finding::new("kustomize-unsupported", severity, field.place, message)
            .help("no action needed, unless you want the missing objects in the catalogue")
    })
}

/// Where objects are missing here, one that is referred to may be among them.
pub fn forget_unsure(findings: &mut Vec<Finding>) {
    const UNSURE: &[&str] = &[
        "generator-without-object",
        "patch-without-object",
        "replicas-without-object",
        "replacement-failed",
        "var-invalid",
    ];
    findings.retain(|finding| !UNSURE.contains(&finding.rule));
}
