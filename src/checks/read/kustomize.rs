//! Rules about kustomizations and the files they include.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "build-too-large": "A build includes too much.",
        does: "Checks for directories that include each other too many levels deep, builds with an enormous number of \
               objects, and patches, replacements or directories that multiply the same objects. The build stops \
               there.",
        bad: "The rest of the build is missing from the catalogue.",
        example: "yaml" "resources: [../everything]",
        fix: "Split the build into smaller directories, each applied by its own Kustomization or Application.",
    },
    rule! {
        Error "configuration-conflict": "A transformer configuration contradicts an existing field specification.",
        does: "Checks for entries in a file listed under `configurations` that set a different `create` for a field \
               that is already configured.",
        bad: "kustomize cannot merge the two, and the build fails.",
        example: "yaml" "commonLabels:\n  - path: metadata/labels\n    create: false",
        fix: "Remove the entry, or give it the same `create`.",
    },
    rule! {
        Error "configuration-unknown-field": "A transformer configuration has an unknown field.",
        does: "Checks for unknown fields in files listed under `configurations`.",
        bad: "kustomize rejects the file, and the build fails.",
        example: "yaml" "nameReferences:   # the field is nameReference\n  - kind: ConfigMap",
        fix: "Correct the name.",
    },
    rule! {
        Error "field-blocked": "A field path leads into a scalar value.",
        does: "Checks for objects in which the path of a label, a prefix or a configured field passes through a string \
               or a number.",
        bad: "kustomize cannot set a field inside a scalar, and the build fails.",
        example: "yaml" "metadata:\n  labels: none   # commonLabels cannot add to a string",
        fix: "Correct the object, or the configured path.",
    },
    rule! {
        Error "identity-conflict": "Two objects of a build become the same one.",
        does: "Checks for objects that end up with the same kind, namespace and name because of a `namespace`, a \
               prefix or a suffix.",
        bad: "The kustomize build fails: a cluster can have only one of the two.",
        example: "yaml" "namespace: shop   # the base has `web` in two namespaces",
        fix: "Rename or remove one of the two.",
    },
    rule! {
        Error "image-invalid": "An entry under `images` is not a valid pattern.",
        does: "Checks for names under `images` that are not valid regular expressions, which is how kustomize reads \
               them.",
        bad: "The kustomize build fails, and nothing in it is applied.",
        example: "yaml" "images:\n  - name: \"nginx(\"\n    newTag: \"1.27\"",
        fix: "Write the image name as it is in the manifests, without the tag.",
    },
    rule! {
        Error "included-twice": "An object is included twice in one build.",
        does: "Checks for objects that are included through two entries of `resources`.",
        bad: "The kustomize build fails.",
        example: "yaml" "resources: [web.yaml, ../base]   # the base lists web.yaml too",
        fix: "Remove one of the two entries.",
    },
    rule! {
        Error "kustomization-cycle": "A kustomization includes itself.",
        does: "Checks for entries that lead back to the directory that lists them.",
        bad: "The kustomize build fails.",
        example: "yaml" "# apps/kustomization.yaml\nresources: [../apps]",
        fix: "Remove the entry.",
    },
    rule! {
        Error "kustomization-empty": "A kustomization is empty.",
        does: "Checks for `kustomization.yaml` files without a single field.",
        bad: "kustomize rejects an empty file, and so does the Kustomization or Application that builds it.",
        example: "yaml" "# resources:\n#   - app.yaml",
        fix: "List the files under `resources`. To include nothing, write `resources: []`.",
    },
    rule! {
        Error "kustomization-empty-entry": "A list entry in a kustomization is empty.",
        does: "Checks for entries of `resources`, `components` and `bases` without a value.",
        bad: "kustomize rejects the file. Usually a line was deleted and its dash was left behind.",
        example: "yaml" "resources:\n  - app.yaml\n  -",
        fix: "Name a file or a directory, or remove the entry.",
    },
    rule! {
        Error "kustomization-kind": "A kustomization has an unknown kind.",
        does: "Checks for kustomizations whose `kind` is neither `Kustomization` nor `Component`.",
        bad: "kustomize rejects the file.",
        example: "yaml" "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomize",
        fix: "Correct the kind, or leave out both `kind` and `apiVersion`.",
    },
    rule! {
        Error "kustomization-missing": "An included directory has no kustomization.",
        does: "Checks for entries of `resources` that name a directory without a `kustomization.yaml`.",
        bad: "The kustomize build fails. Flux and Argo CD can apply a directory without one, but a kustomization \
              cannot include it.",
        example: "yaml" "resources: [../base]   # contains app.yaml, but no kustomization.yaml",
        fix: "Add a `kustomization.yaml` there, or list the files themselves.",
    },
    rule! {
        Error "kustomization-sort-order": "The order under `sortOptions` is unknown.",
        does: "Checks for an `order` other than `legacy` and `fifo`.",
        bad: "The kustomize build fails.",
        example: "yaml" "sortOptions: {order: alphabetic}",
        fix: "Use `fifo` to keep the listed order, or `legacy` to sort by kind.",
    },
    rule! {
        Error "kustomization-twice": "A directory or file has two kustomizations.",
        does: "Checks for `kustomization.yaml` next to `kustomization.yml` or `Kustomization`, and for two documents \
               in one of them.",
        bad: "kustomize cannot choose between them, and the build fails.",
        example: "console" "$ ls base\nkustomization.yaml  kustomization.yml",
        fix: "Remove one of them, or move it to a directory of its own.",
    },
    rule! {
        Error "kustomization-unknown-field": "A kustomization has an unknown field.",
        does: "Checks for fields that kustomize does not know, and suggests the most similar one.",
        bad: "kustomize rejects the file.",
        example: "yaml" "resource:\n  - app.yaml",
        fix: "Correct the name, or remove the field.",
    },
    rule! {
        Error "kustomization-version": "A kustomization has the wrong `apiVersion`.",
        does: "Checks that `apiVersion` matches the kind: `v1beta1` for a Kustomization, `v1alpha1` for a Component.",
        bad: "kustomize rejects the file.",
        example: "yaml" "apiVersion: kustomize.config.k8s.io/v1\nkind: Kustomization",
        fix: "Correct the `apiVersion`, or leave out both `kind` and `apiVersion`.",
    },
    rule! {
        Error "kustomization-wrong-kind": "A kustomization is listed under the wrong field.",
        does: "Checks for components under `resources`, kustomizations under `components`, and files named like a \
               kustomization that contain something else.",
        bad: "The kustomize build fails.",
        example: "yaml" "resources: [../components/monitoring]   # its kind is Component",
        fix: "Move the entry to the right list.",
    },
    rule! {
        Error "kustomization-wrong-type": "A field of a kustomization has the wrong type.",
        does: "Checks the type of every field.",
        bad: "kustomize rejects the file.",
        example: "yaml" "resources: app.yaml   # must be a list",
        fix: "Change the value to the type that the message names.",
    },
    rule! {
        Warning "kustomize-unsupported": "A feature of kustomize is not supported.",
        does: "Checks for fields and plugins whose effect is not reproduced: charts inflated by kustomize, plugins \
               that run programs, custom schemas. The severity is info for charts whose reconciler can render them: \
               the chart and its values are shown.",
        bad: "Everything they add or change is missing from the catalogue, and checks cannot see it.",
        example: "yaml" "helmCharts:\n  - name: web\n    repo: https://charts.example.com",
        fix: "No action needed, unless you rely on the missing objects being in the catalogue.",
    },
    rule! {
        Error "not-an-object": "A document that is applied is not a Kubernetes object.",
        does: "Checks for documents without `apiVersion` or `kind` in a directory that is applied or a file that a \
               kustomization includes.",
        bad: "The build fails, and nothing else in it is applied either.",
        example: "yaml" "# values.yaml, in a directory without kustomization.yaml\nreplicaCount: 2",
        fix: "Move the file elsewhere, or add a `kustomization.yaml` that lists the files to apply.",
    },
    rule! {
        Error "object-without-name": "An object has no name.",
        does: "Checks for objects in a build without `metadata.name`.",
        bad: "kustomize rejects them, even if the cluster would generate a name from `generateName`.",
        example: "yaml" "kind: Job\nmetadata: {generateName: migrate-}",
        fix: "Add `metadata.name`.",
    },
    rule! {
        Error "reference-ambiguous": "A reference by name matches several objects.",
        does: "Checks for name references that must be rewritten when several objects of the build had that name.",
        bad: "kustomize cannot tell which object is meant, and the build fails.",
        example: "yaml" "envFrom:\n  - configMapRef: {name: settings}   # generated in two namespaces",
        fix: "State the namespace, or rename one of the objects.",
    },
    rule! {
        Info "remote-base": "A base is remote.",
        does: "Checks for entries of `resources` and `components` that are URLs. They are not fetched.",
        bad: "Everything the base contains is missing from the catalogue. Unless the URL pins a version, it can also \
              change without a commit here.",
        example: "yaml" "resources:\n  - https://github.com/example/operator//config?ref=main",
        fix: "Copy the base into the repository to catalogue and review it.",
        skips_input: true,
        security: 5.0, cwe: 829,
    },
    rule! {
        Error "replacement-failed": "A replacement fails.",
        does: "Applies replacements the way kustomize does, and reports sources and targets that do not exist or match \
               several objects.",
        bad: "The kustomize build fails.",
        example: "yaml" "replacements:\n  - source: {kind: ConfigMap, name: settings, fieldPath: data.HOST}   # no such key\n    targets: []",
        fix: "Correct the entry, or remove it.",
    },
    rule! {
        Error "replicas-without-object": "`replicas` names an object that does not exist.",
        does: "Checks for entries of `replicas` whose name matches no object in the build.",
        bad: "The kustomize build fails. Usually the workload was renamed.",
        example: "yaml" "replicas:\n  - {name: wbe, count: 3}",
        fix: "Correct the name, or remove the entry.",
    },
    rule! {
        Error "var-invalid": "An entry under `vars` cannot be resolved.",
        does: "Checks for variables whose object or field is not in the build, and for variables that are declared \
               twice.",
        bad: "The kustomize build fails.",
        example: "yaml" "vars:\n  - name: HOST\n    objref: {apiVersion: v1, kind: Service, name: wbe}",
        fix: "Correct or remove the entry. `vars` is deprecated: use `replacements` instead.",
    },
    rule! {
        Error "var-list": "A list that may contain variables has an entry that is not a string.",
        does: "Checks for numbers and other non-string values in lists such as `args`, in builds that use `vars`.",
        bad: "kustomize rejects such values there.",
        example: "yaml" "args: [--port, 8080]",
        fix: "Quote them: `\"8080\"`.",
    },
];
