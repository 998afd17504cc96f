//! Rules about `configMapGenerator` and `secretGenerator`.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "generator-ambiguous": "A generator merges into one of several objects.",
        does: "Checks for generators with `behavior: merge` or `replace` whose name matches several objects of the \
               build, by current or previous name.",
        bad: "kustomize cannot tell which object is meant, and the build fails.",
        example: "yaml" "configMapGenerator:\n  - name: settings   # two bases have a ConfigMap with this name\n    behavior: merge\n    literals: [LEVEL=debug]",
        fix: "Rename one of the objects, or state the namespace of the one you mean.",
    },
    rule! {
        Error "generator-exists": "A generator creates an object that already exists.",
        does: "Checks for generators without `behavior` whose object is also declared by a resource or another \
               generator.",
        bad: "kustomize refuses to create the object a second time, and the build fails.",
        example: "yaml" "resources: [settings.yaml]   # declares the ConfigMap `settings`\nconfigMapGenerator:\n  - name: settings\n    literals: [LEVEL=debug]",
        fix: "Add `behavior: merge` to change some keys, or `behavior: replace` to replace the object.",
    },
    rule! {
        Error "generator-file": "An entry under `files` is neither a path nor `key=path`.",
        does: "Checks for entries of `files` with an empty key or path, or with more than one `=`.",
        bad: "kustomize rejects the entry, and the build fails.",
        example: "yaml" "configMapGenerator:\n  - name: settings\n    files: [\"=app.ini\"]",
        fix: "Write `app.ini`, or `key=app.ini` if the key should differ from the file name.",
    },
    rule! {
        Error "generator-literal": "A literal is not `key=value`.",
        does: "Checks for entries of `literals` without an equals sign, or without a key.",
        bad: "kustomize rejects the entry, and the build fails.",
        example: "yaml" "configMapGenerator:\n  - name: settings\n    literals: [\"LEVEL: debug\"]",
        fix: "Write the key, an equals sign and the value: `LEVEL=debug`.",
    },
    rule! {
        Error "generator-repeats-key": "A generator sets the same key twice.",
        does: "Checks for keys that the literals, files and env files of one generator set more than once.",
        bad: "The build fails, because kustomize does not choose between the values.",
        example: "yaml" "configMapGenerator:\n  - name: settings\n    literals: [LEVEL=info, LEVEL=debug]",
        fix: "Keep one of the two. To override a value in an overlay, add a generator with `behavior: merge` there.",
    },
    rule! {
        Error "generator-without-name": "A generator has no name.",
        does: "Checks for entries of `configMapGenerator` and `secretGenerator` without `name`.",
        bad: "The generated object would have no name, so the kustomize build fails.",
        example: "yaml" "configMapGenerator:\n  - literals: [LEVEL=debug]",
        fix: "Add a `name`.",
    },
    rule! {
        Error "generator-without-object": "A generator merges into an object that does not exist.",
        does: "Checks for generators with `behavior: merge` or `replace` whose object is not part of the build.",
        bad: "The kustomize build fails. Usually the name or the namespace differs from the one in the base.",
        example: "yaml" "configMapGenerator:\n  - name: setings   # the base calls it `settings`\n    behavior: merge\n    literals: [LEVEL=debug]",
        fix: "Correct the name, include the object, or use `behavior: create`.",
    },
];
