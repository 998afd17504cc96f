//! What is wrong with what a kustomization includes, each as a finding.

use crate::diagnostic::{Finding, Place};
use crate::fact::{Listed, Resource};

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

/// Where something remote was not fetched, an object that is not here may be there.
pub fn forget_unsure(findings: &mut Vec<Finding>) {
    const UNSURE: &[&str] = &[
        "generator-without-object",
        "patch-without-object",
        "replicas-without-object",
        "replacement-failed",
        "var-invalid",
    ];
    if findings.iter().any(|finding| finding.rule == "remote-base") {
        findings.retain(|finding| !UNSURE.contains(&finding.rule));
    }
}
