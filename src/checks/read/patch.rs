//! Rules about patches.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "patch-ambiguous": "A patch matches several objects.",
        does: "Checks for patches without `target` whose kind and name match several objects of the build, by current \
               or previous name.",
        bad: "kustomize cannot tell which object is meant, and the build fails.",
        example: "yaml" "patches:\n  - patch: |   # both bases have a Deployment `web`\n      apiVersion: apps/v1\n      kind: Deployment\n      metadata: {name: web}\n      spec: {replicas: 2}",
        fix: "State the namespace, or give the patch a `target`.",
    },
    rule! {
        Error "patch-failed": "A patch cannot be applied to its object.",
        does: "Applies every patch the way kustomize does, and reports the operation that fails: a path that does not \
               exist, a failed test, a value of the wrong type.",
        bad: "The build fails, and nothing that the kustomization includes is applied.",
        example: "yaml" "patches:\n  - target: {kind: Deployment, name: web}\n    patch: |\n      - op: remove\n        path: /spec/strategy   # the Deployment has none",
        fix: "Correct the path or the value to match the object at that point of the build.",
    },
    rule! {
        Error "patch-invalid": "A patch is malformed.",
        does: "Checks for patches that are empty, lack `kind` or `metadata.name`, have both `patch` and `path` or \
               neither, or have a target with an invalid expression.",
        bad: "The kustomize build fails.",
        example: "yaml" "patches:\n  - patch: |\n      spec: {replicas: 2}",
        fix: "Add `apiVersion`, `kind` and `metadata.name`, or write a list of JSON operations with a `target`.",
    },
    rule! {
        Error "patch-without-object": "A patch refers to an object that does not exist.",
        does: "Checks for patches without `target` whose object is not included by the kustomization.",
        bad: "The kustomize build fails. Usually the object was renamed or removed, or the patch has a different \
              apiVersion or namespace.",
        example: "yaml" "patches:\n  - patch: |\n      apiVersion: apps/v1beta1   # the object is apps/v1\n      kind: Deployment\n      metadata: {name: web}",
        fix: "Correct the patch's apiVersion, kind, name or namespace, include the object, or remove the patch.",
    },
    rule! {
        Error "patch-without-target": "A JSON patch has no target.",
        does: "Checks for JSON patches without a `target`.",
        bad: "The operations do not say which object they apply to, so the kustomize build fails.",
        example: "yaml" "patches:\n  - patch: |\n      - {op: replace, path: /spec/replicas, value: 2}",
        fix: "Add a `target` with kind and name.",
    },
];
