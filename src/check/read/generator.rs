//! What is said about `configMapGenerator` and `secretGenerator`.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "generator-ambiguous": "A generator merges into one of several objects.",
        does: "Looks for generators with `behavior: merge` or `replace` where more than one object of the build is, or was, \
               called what they name.",
        bad: "kustomize cannot tell which is meant and refuses the build.",
        example: "yaml" "configMapGenerator:\n  - name: settings   # two bases bring a ConfigMap of this name\n    behavior: merge\n    literals: [LEVEL=debug]",
        fix: "Rename one of the objects, or state the namespace of the one that is meant.",
    },
    rule! {
        Error "generator-exists": "A generator creates an object that is there already.",
        does: "Looks for generators without `behavior` whose object another resource or generator makes too.",
        bad: "kustomize refuses to create it a second time, and the build fails.",
        example: "yaml" "resources: [settings.yaml]   # has the ConfigMap `settings`\nconfigMapGenerator:\n  - name: settings\n    literals: [LEVEL=debug]",
        fix: "Add `behavior: merge` to change some keys, or `behavior: replace` to take its place.",
    },
    rule! {
        Error "generator-file": "An entry under `files` is neither a path nor `key=path`.",
        does: "Looks for entries of `files` with an empty key or path, or with several `=`.",
        bad: "kustomize refuses the entry, and the build fails.",
        example: "yaml" "configMapGenerator:\n  - name: settings\n    files: [\"=app.ini\"]",
        fix: "Write `app.ini`, or `key=app.ini` for another key than the file's name.",
    },
    rule! {
        Error "generator-literal": "A literal is not `key=value`.",
        does: "Looks for entries of `literals` without an equals sign, or without a key.",
        bad: "kustomize refuses the entry, and the build fails.",
        example: "yaml" "configMapGenerator:\n  - name: settings\n    literals: [\"LEVEL: debug\"]",
        fix: "Write the key, an equals sign and the value: `LEVEL=debug`.",
    },
    rule! {
        Error "generator-repeats-key": "A generator gives one key twice.",
        does: "Looks for a key that literals, files and env files of one generator give more than once.",
        bad: "kustomize refuses the generator rather than choose between the values.",
        example: "yaml" "configMapGenerator:\n  - name: settings\n    literals: [LEVEL=info, LEVEL=debug]",
        fix: "Keep one of the two. To override a value in an overlay, use a generator with `behavior: merge` there.",
    },
    rule! {
        Error "generator-without-name": "A generator has no name.",
        does: "Looks for entries of `configMapGenerator` and `secretGenerator` without `name`.",
        bad: "The object that they make would have none: kustomize refuses the build.",
        example: "yaml" "configMapGenerator:\n  - literals: [LEVEL=debug]",
        fix: "Give it a `name`.",
    },
    rule! {
        Error "generator-without-object": "A generator merges into an object that is not there.",
        does: "Looks for generators with `behavior: merge` or `replace` whose object nothing in the build makes.",
        bad: "kustomize refuses the build. Most often the name or the namespace differs from that in the base.",
        example: "yaml" "configMapGenerator:\n  - name: setings   # the base calls it `settings`\n    behavior: merge\n    literals: [LEVEL=debug]",
        fix: "Correct the name, include what makes the object, or use `behavior: create`.",
    },
];
