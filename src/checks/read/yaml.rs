//! Rules about YAML documents. A broken document does not affect the others in its file. They are errors in files that
//! something applies, and infos in others.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "yaml-binary": "A `!!binary` value is not valid base64.",
        does: "Checks values tagged `!!binary`.",
        bad: "kustomize rejects the document. It is missing from the catalogue too.",
        example: "yaml" "data: !!binary \"not base64!\"",
        fix: "Encode the value, or remove the tag.",
    },
    rule! {
        Error "yaml-complex-key": "A mapping key is itself a mapping or a list.",
        does: "Checks for keys that are not scalars.",
        bad: "Kubernetes accepts only string keys. The document is skipped.",
        example: "yaml" "? [a, b]\n: value",
        fix: "Write the key as a string.",
    },
    rule! {
        Error "yaml-control-character": "A string contains a control character that kustomize rejects.",
        does: "Checks for characters such as U+0080 to U+009F in values.",
        bad: "kustomize writes them verbatim and cannot read its own output, so the build fails.",
        example: "yaml" "title: \"caf\\x8e\"",
        fix: "Remove the character. Usually it comes from a file saved in another encoding.",
    },
    rule! {
        Error "yaml-directive": "A file starts with a YAML directive.",
        does: "Checks for lines such as `%YAML 1.1` at the top of a file.",
        bad: "kustomize rejects the file.",
        example: "yaml" "%YAML 1.1\n---\nkind: ConfigMap",
        fix: "Remove the line.",
    },
    rule! {
        Error "yaml-duplicate-key": "A key is set twice in one mapping.",
        does: "Checks for duplicate keys. In the catalogue, the last value wins.",
        bad: "kustomize rejects the document. Tools that apply it as it is silently drop one of the values, so there it is a \
              warning.",
        example: "yaml" "spec:\n  interval: 10m\n  path: ./apps\n  interval: 1h",
        fix: "Remove one of the two.",
    },
    rule! {
        Error "yaml-expansion": "Aliases expand to too many values.",
        does: "Checks for aliases of aliases that make a small document enormous.",
        bad: "Tools that read the document run out of memory. The document is skipped.",
        example: "yaml" "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]   # and so on",
        fix: "Write the values out, or remove the aliases.",
    },
    rule! {
        Error "yaml-key-not-text": "A key is a number or a boolean.",
        does: "Checks for keys that YAML does not read as strings.",
        bad: "kustomize rejects the document: every key of a Kubernetes object is a string.",
        example: "yaml" "data:\n  8080: web",
        fix: "Quote the key: `\"8080\": web`.",
    },
    rule! {
        Error "yaml-not-json": "A number cannot be represented in JSON.",
        does: "Checks for `.nan` and `.inf` as values.",
        bad: "Manifests are sent as JSON, which has no such numbers, so kustomize rejects the document.",
        example: "yaml" "limit: .inf",
        fix: "Use a finite number, or quote the value if it is a string.",
    },
    rule! {
        Error "yaml-recursive-alias": "An alias refers to a collection that contains it.",
        does: "Checks for aliases to a collection they are part of.",
        bad: "The value would be infinite. The document is skipped.",
        example: "yaml" "a: &a\n  b: *a",
        fix: "Use another anchor, or write the value out.",
    },
    rule! {
        Error "yaml-syntax": "A document is not valid YAML.",
        does: "Parses every manifest, and reports where a document stops being valid YAML. In a file that nothing applies, \
               it is an info. Files that a generator embeds are text, so they are not judged.",
        bad: "kustomize and the API server reject the document, so it is not applied. The other documents in the file \
              are read.",
        example: "yaml" "name: 'open\nkind: ConfigMap",
        fix: "Look at the line and the one above it. The usual causes are an unclosed quote, a tab, a missing space \
              after `:` and wrong indentation.",
    },
    rule! {
        Info "yaml-template": "A file is a template, not YAML.",
        does: "Reports files that are not YAML but contain `{{`, `{%` or directives such as `%{ for }`, and files with a \
               placeholder such as `<CLUSTER_NAME>` or `APP_NAME` in a name or a path. There is one finding per directory.",
        bad: "The files are fine, but they describe no cluster until something fills them in.",
        example: "yaml" "{{- if .Values.enabled }}\nkind: ConfigMap\n{{- end }}",
        fix: "No action needed. To turn this off, add the directory to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "yaml-too-deep": "A document is nested too deeply.",
        does: "Checks for mappings and lists nested beyond any reasonable depth.",
        bad: "The document is skipped. Other tools that read it may crash.",
        example: "yaml" "a: [[[[[[[[[[[[[[[[[[[[ … ]]]]]]]]]]]]]]]]]]]]",
        fix: "The file is probably not what its name suggests. Rename it, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "yaml-too-many-values": "A file contains too many values.",
        does: "Checks for files with an unreasonable number of values. Reading stops at a limit.",
        bad: "The rest of the file is missing from the catalogue.",
        example: "text" "a generated file with millions of entries",
        fix: "Split it, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "yaml-unknown-anchor": "An alias refers to an unknown anchor.",
        does: "Checks for aliases whose anchor the document does not define.",
        bad: "The document cannot be parsed. An anchor is valid only within its own document: it ends at `---`.",
        example: "yaml" "labels: &labels {app: web}\n---\nlabels: *labels",
        fix: "Define the anchor in the same document, or write the value out.",
    },
];
