//! What is said about YAML documents. A broken document costs itself, and no other.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "yaml-binary": "What is tagged `!!binary` is not base64.",
        does: "Decodes values with the tag `!!binary`.",
        bad: "kustomize refuses the document, and it is left out here too.",
        example: "yaml" "data: !!binary \"not base64!\"",
        fix: "Encode the value, or remove the tag.",
    },
    rule! {
        Error "yaml-complex-key": "The key of a mapping is itself a mapping or a list.",
        does: "Looks for keys that are not single values.",
        bad: "Kubernetes knows text keys only. The document is left out.",
        example: "yaml" "? [a, b]\n: value",
        fix: "Write the key as text. Often a `{{ … }}` without quotes is meant as text: put it in quotes.",
    },
    rule! {
        Error "yaml-control-character": "A text holds a control character that kustomize refuses.",
        does: "Looks for characters such as U+0080 to U+009F in values.",
        bad: "kustomize writes them as they are and cannot read them again: the build fails.",
        example: "yaml" "title: \"caf\\x8e\"",
        fix: "Remove the character. Often it is a letter that was saved in another encoding.",
    },
    rule! {
        Error "yaml-directive": "A file begins with a YAML directive.",
        does: "Looks for lines such as `%YAML 1.1` at the head of a file.",
        bad: "kustomize refuses the file.",
        example: "yaml" "%YAML 1.1\n---\nkind: ConfigMap",
        fix: "Remove the line.",
    },
    rule! {
        Error "yaml-duplicate-key": "A key is set twice in one mapping.",
        does: "Looks for keys that a mapping has more than once. Here, the last one counts.",
        bad: "The reconciler refuses the document, or one of the values is lost without a word, depending on who reads it.",
        example: "yaml" "spec:\n  interval: 10m\n  path: ./apps\n  interval: 1h",
        fix: "Remove one of the two.",
    },
    rule! {
        Error "yaml-expansion": "Aliases expand to too many values.",
        does: "Stops where aliases of aliases make a small document enormous.",
        bad: "Whoever reads it runs out of memory. The document is left out.",
        example: "yaml" "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]   # and so on",
        fix: "Write the values out, or remove the aliases.",
    },
    rule! {
        Error "yaml-key-not-text": "A key is a number or a truth value.",
        does: "Looks for keys that YAML reads as something other than text.",
        bad: "kustomize refuses the document: every key of a Kubernetes object is text.",
        example: "yaml" "data:\n  8080: web",
        fix: "Put the key in quotes: `\"8080\": web`.",
    },
    rule! {
        Error "yaml-not-json": "A number has no form in JSON.",
        does: "Looks for `.nan` and `.inf` as values.",
        bad: "Manifests travel as JSON, which has no such number: kustomize refuses the document.",
        example: "yaml" "limit: .inf",
        fix: "Give a number, or put the value in quotes if it is text.",
    },
    rule! {
        Error "yaml-recursive-alias": "An alias stands inside of what it names.",
        does: "Looks for aliases to the collection that they are part of.",
        bad: "It has no finite value. The document is left out.",
        example: "yaml" "a: &a\n  b: *a",
        fix: "Name another anchor, or write the value out.",
    },
    rule! {
        Error "yaml-syntax": "A document is not YAML.",
        does: "Parses every manifest, and reports where a document ceases to be YAML.",
        bad: "The document is not applied: kustomize and the API server refuse it. Others in the same file are read.",
        example: "yaml" "name: 'open\nkind: ConfigMap",
        fix: "Look at the line and the one above it: an open quote, a tab, a missing space behind `:` and a wrong indentation \
              are the usual causes.",
    },
    rule! {
        Info "yaml-template": "A file is a template rather than YAML.",
        does: "Names files that are not YAML but contain `{{`, or directives such as `%{ for }`.",
        bad: "It is not bad: templates are not read, as what becomes of them is decided elsewhere.",
        example: "yaml" "{{- if .Values.enabled }}\nkind: ConfigMap\n{{- end }}",
        fix: "Nothing to do. To be rid of the remark, add the directory to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "yaml-too-deep": "A document is nested too deeply.",
        does: "Stops where collections stand inside of collections beyond any use.",
        bad: "The document is left out; others that read it may crash.",
        example: "yaml" "a: [[[[[[[[[[[[[[[[[[[[ … ]]]]]]]]]]]]]]]]]]]]",
        fix: "Most likely the file is not what its name says. Rename it, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "yaml-too-many-values": "A file holds more values than are read.",
        does: "Stops reading a file that holds an unreasonable number of values.",
        bad: "The rest of the file is left out.",
        example: "text" "a generated file with millions of entries",
        fix: "Split it, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "yaml-unknown-anchor": "An alias names no anchor.",
        does: "Looks for aliases whose anchor the document does not define.",
        bad: "The document cannot be read. An anchor reaches no further than its own document: behind `---` it is gone.",
        example: "yaml" "labels: &labels {app: web}\n---\nlabels: *labels",
        fix: "Define the anchor in the same document, or write the value out.",
    },
];
