//! What is said about patches.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "patch-ambiguous": "A patch names several objects at once.",
        does: "Looks for patches without `target` whose kind and name more than one object of the build has, or had before \
               it was renamed.",
        bad: "kustomize cannot tell which is meant and refuses the build.",
        example: "yaml" "patches:\n  - patch: |   # both bases have a Deployment `web`\n      apiVersion: apps/v1\n      kind: Deployment\n      metadata: {name: web}\n      spec: {replicas: 2}",
        fix: "State the namespace, or give the patch a `target` that selects what is meant.",
    },
    rule! {
        Error "patch-failed": "A patch cannot be applied to its object.",
        does: "Applies every patch as kustomize would, and reports the operation that does not work: a path that is not \
               there, a test that does not hold, a value of another type.",
        bad: "The build fails, and nothing that the kustomization includes is applied.",
        example: "yaml" "patches:\n  - target: {kind: Deployment, name: web}\n    patch: |\n      - op: remove\n        path: /spec/strategy   # the Deployment has none",
        fix: "Correct the path or the value by what the object has at that point of the build.",
    },
    rule! {
        Error "patch-invalid": "A patch is not a patch.",
        does: "Looks for patches that are empty, lack `kind` or `metadata.name`, have both `patch` and `path` or neither, or \
               a target whose expression cannot be read.",
        bad: "kustomize refuses the build.",
        example: "yaml" "patches:\n  - patch: |\n      spec: {replicas: 2}",
        fix: "Add `apiVersion`, `kind` and `metadata.name`, or write a list of JSON operations with a `target`.",
    },
    rule! {
        Error "patch-without-object": "A patch is for an object that is not there.",
        does: "Looks for patches without `target` whose object is not among what the kustomization includes.",
        bad: "kustomize refuses the build. The object was renamed or removed, or the patch states another apiVersion or \
              namespace than the object has.",
        example: "yaml" "patches:\n  - patch: |\n      apiVersion: apps/v1beta1   # the object is of apps/v1\n      kind: Deployment\n      metadata: {name: web}",
        fix: "Correct apiVersion, kind, name or namespace of the patch, include the object, or remove the patch.",
    },
    rule! {
        Error "patch-without-target": "A list of JSON operations has no target.",
        does: "Looks for JSON patches without a `target`.",
        bad: "The operations do not say which object they are for: kustomize refuses the build.",
        example: "yaml" "patches:\n  - patch: |\n      - {op: replace, path: /spec/replicas, value: 2}",
        fix: "Add a `target` with kind and name.",
    },
];
