//! What is wrong with what a kustomization includes, each as a finding.

use smol_str::SmolStr;

use crate::diagnostic::{Finding, Place, Severity};
use crate::fact::{Build, Listed, Located, Resource};

pub fn not_an_object(listed: &Listed, place: Place) -> Finding {
    Finding::error(
        "not-an-object",
        place,
        format!(
            "`{}` is applied, but this document has no `apiVersion` and `kind`",
            listed.path
        ),
    )
    .help("move it out of what is applied: the build fails on it")
}

pub fn nameless(resource: &Resource) -> Finding {
    Finding::error(
        "object-without-name",
        resource.place,
        format!("this {} has no `metadata.name`", resource.id.kind),
    )
    .help("give it a name: kustomize refuses it, even where the cluster would make one up")
}

pub fn wrong_kind(listed: &Listed, what: &str, help: &str) -> Finding {
    Finding::error(
        "kustomization-wrong-kind",
        listed.place,
        format!("`{}` {what}", listed.path),
    )
    .help(format!("{help}: kustomize refuses it here"))
}

pub fn not_a_kustomization(place: Place) -> Finding {
    Finding::error(
        "kustomization-wrong-kind",
        place,
        "the file that should hold a kustomization holds something else",
    )
    .help("give the file another name, and list it in a kustomization.yaml: kustomize refuses it")
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
                    "charts are not rendered here: of what `{field_name}` brings, only the charts and units in their values are shown"
                ),
            ),
            false => (
                Severity::Warning,
                format!(
                    "kustomize renders charts only with `--enable-helm`, and nothing does so here: the objects that `{field_name}` brings are missing"
                ),
            ),
        };
        Finding::new("kustomize-unsupported", severity, field.place, message)
            .help("nothing to do, if what is shown without it is enough")
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
