//! Values that nothing in a chart reads.

#![allow(clippy::unwrap_used)]

use catalog_helm::{Package, PackageFile, read_yaml};

const VALUES: &str = "\
image: {repository: a, tag: ''}
resources: {}
nodeSelector: {a: b}
labels: {team: x}
args: []
service:
  port: 80
  # targetPort: 8080
components: {one: {}, two: {}}
feature: {on: true}
note: '{{ .Values.fromText }}'
";

const TEMPLATE: &str = r#"
image: {{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . }}
{{- end }}
{{- with .Values.service }}
port: {{ .port }}{{ .name }}
{{- end }}
{{ include "labels" (dict "all" .Values.labels) }}
{{- range $name, $_ := .Values.components }}
{{ index $.Values $name }}
{{- end }}
{{- $feature := .Values.feature }}
{{ if $feature.on }}{{ get $feature "level" }}{{ (index .Values "odd-name").inner }}{{ end }}
{{ if hasKey .Values "present" }}{{ dig "a" "b" "" .Values.dug }}{{ end }}
{{ (.Values.chain | default dict).link }}
"#;

const SCHEMA: &str = r#"{"properties": {"fromSchema": {"properties": {"a": {"type": "string"}}}}}"#;

fn unknown(extra: &[(&str, &str)], values: &str) -> Vec<String> {
    let files = [
        (
            "Chart.yaml",
            "apiVersion: v2\nname: top\nversion: 0.1.0\ndependencies: [{name: sub, version: 0.1.0, alias: other}, {name: gone, version: 1.0.0}]\n",
        ),
        ("values.yaml", VALUES),
        ("values.schema.json", SCHEMA),
        ("templates/a.yaml", TEMPLATE),
        (
            "templates/_h.tpl",
            r#"{{ define "labels" }}{{ toYaml .all }}{{ end }}"#,
        ),
        (
            "charts/sub/Chart.yaml",
            "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
        ),
        ("charts/sub/values.yaml", "size: 1\n"),
        (
            "charts/sub/templates/b.yaml",
            "a: {{ .Values.size }}{{ .Values.extra }}\n",
        ),
    ];
    let files = files.iter().chain(extra);
    let files = files.map(|(path, text)| PackageFile::new(*path, text.as_bytes()));
    let package = Package::from_directory(files.collect()).unwrap();
    let found = package.unknown_values(&read_yaml(values).unwrap());
    let shown = found.into_iter().map(|unknown| {
        let nearest = unknown.nearest.map(|path| path.join("."));
        format!("{} {}", unknown.path.join("."), nearest.unwrap_or_default())
    });
    shown.collect()
}

#[test]
fn a_key_that_nothing_reads_is_unknown() {
    let cases: &[(&str, &[&str])] = &[
        ("imgae: {tag: x}", &["imgae image"]),
        (
            "image: {tagg: x, pullPolicy: y}",
            &["image.pullPolicy ", "image.tagg image.tag"],
        ),
        ("service: {prot: 1}", &["service.prot service.port"]),
        ("fromSchema: {other1: 1}", &["fromSchema.other1 "]),
        ("other: {sice: 1}", &["other.sice other.size"]),
        ("feature: {odd: 1}", &["feature.odd "]),
        ("chain: {lnk: 1}", &["chain.lnk chain.link"]),
    ];
    for (values, expected) in cases {
        assert_eq!(unknown(&[], values), *expected, "{values}");
    }
}

#[test]
fn what_may_be_read_is_known() {
    let cases = [
        "resources: {limits: {cpu: 1}}",
        "nodeSelector: {any: x}",
        "labels: {any: x}",
        "service: {name: a, targetPort: 1}",
        "components: {three: {}}\nthree: {a: b}",
        "feature: {level: 1}",
        "odd-name: {inner: 1}",
        "present: true\ndug: {a: {b: 1}}",
        "fromText: {a: 1}",
        "fromSchema: {a: x}",
        "global: {any: 1}\ntags: {any: true}",
        "other: {size: 2, extra: 1, enabled: true}",
        "gone: {any: {thing: 1}}",
        "x-anchors: {a: 1}",
        "nothing: null",
        "service: {name: '{{ .Values.own.key }}'}\nown: {key: 1}",
    ];
    for values in cases {
        assert_eq!(unknown(&[], values), [""; 0], "{values}");
    }
}

#[test]
fn a_chart_that_passes_all_values_on_knows_every_key() {
    let passes = ("templates/all.yaml", "{{ toYaml .Values }}");
    assert_eq!(unknown(&[passes], "any: 1"), [""; 0]);
    let renamed = (
        "templates/all.yaml",
        "{{ $v := .Values }}{{ merge (dict) $v }}",
    );
    assert_eq!(unknown(&[renamed], "any: 1"), [""; 0]);
    let broken = ("templates/all.yaml", "{{ if }}");
    assert_eq!(unknown(&[broken], "any: 1"), [""; 0]);
}
