//! Which values and which lines of templates the scalars of manifests come from.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use catalog_helm::{
    Capabilities, ChartRelease, Flavour, Package, PackageFile, Rendered, read_yaml, render,
};

const VALUES: &str = "\
image: {repository: ghcr.io/a/b, tag: ''}
replicas: 3
resources: {limits: {cpu: 100m, memory: 1Gi}}
args: [--one, --two]
env: {LOG: debug, MODE: fast}
secret: hunter2
note: 'on {{ .Release.Name }}'
labels: {team: x}
list: [{name: p, value: q}]
enabled: true
changed: {a: b}
sub: {port: 8080}
global: {domain: example.org}
";

const TEMPLATE: &str = r#"image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
replicas: {{ .Values.replicas }}
resources: {{- toYaml .Values.resources | nindent 2 }}
{{- with .Values.args }}
args:
{{- range . }}
- {{ . | quote }}
{{- end }}
{{- end }}
env:
- name: fixed
  value: q
{{- toYaml .Values.list | nindent 0 }}
{{- range $name, $value := .Values.env }}
- {name: {{ $name }}, value: {{ $value }}}
{{- end }}
secret: {{ .Values.secret | b64enc }}
note: {{ tpl .Values.note . }}
{{- $tag := .Values.image.repository }}
again: {{ $tag }}
labels: {{- include "labels" (dict "labels" .Values.labels "context" $) | nindent 2 }}
mode: {{ if .Values.enabled }}on{{ end }}
{{- $_ := set .Values.changed "a" "b" }}
changed: {{ .Values.changed.a }}
index: {{ index .Values "env" "LOG" }}
full: {{ include "full" . }}
nothing: {{ .Values.nothing }}
text: |
  level = {{ .Values.env.LOG }}
  other = 1
"#;

const HELPERS: &str = r#"{{ define "labels" }}
app: {{ .context.Release.Name }}
{{ toYaml .labels }}
count: {{ .context.Values.replicas }}
{{ end }}
{{ define "full" }}{{ .Release.Name }}-{{ .Values.env.MODE }}{{ end }}
"#;

const SUB_TEMPLATE: &str =
    "port: {{ .Values.port }}\nhost: {{ .Values.global.domain }}\nown: {{ .Values.own }}\n";

fn package() -> Arc<Package> {
    let files = [
        (
            "Chart.yaml",
            "apiVersion: v2\nname: top\nversion: 0.1.0\nappVersion: '1.2'\n",
        ),
        ("values.yaml", VALUES),
        ("templates/a.yaml", TEMPLATE),
        ("templates/_helpers.tpl", HELPERS),
        (
            "charts/sub/Chart.yaml",
            "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
        ),
        ("charts/sub/values.yaml", "own: 1\nport: 80\n"),
        ("charts/sub/templates/b.yaml", SUB_TEMPLATE),
    ];
    let files = files.map(|(path, text)| PackageFile::new(path, text.as_bytes()));
    Arc::new(Package::from_directory(files.into()).unwrap())
}

fn rendered() -> Rendered {
    let release = ChartRelease {
        name: "r".into(),
        namespace: "default".into(),
        flavour: Flavour::Helm3,
    };
    let values = read_yaml("secret: geheim\n").unwrap();
    let capabilities = Capabilities::offline(Flavour::Helm3);
    let rendered = render(&package(), &values, &release, &capabilities);
    assert_eq!(rendered.faults, []);
    rendered
}

fn origin(rendered: &Rendered, path: &str) -> (u32, Vec<String>) {
    let steps: Vec<&str> = path.split('/').collect();
    let (template, steps) = steps.split_first().unwrap();
    let mut manifests = rendered.manifests.iter();
    let manifest = manifests
        .find(|it| it.template.ends_with(template))
        .unwrap();
    let origin = manifest.origin(steps).unwrap();
    let values = origin.values.iter().map(|path| path.join(".")).collect();
    (origin.line.unwrap(), values)
}

#[test]
fn a_scalar_knows_the_values_that_were_printed_into_it() {
    let rendered = rendered();
    let cases: &[(&str, u32, &[&str])] = &[
        ("a.yaml/image", 1, &["image.repository"]),
        ("a.yaml/replicas", 2, &["replicas"]),
        ("a.yaml/resources/limits/cpu", 3, &["resources.limits.cpu"]),
        ("a.yaml/args/1", 7, &["args.1"]),
        ("a.yaml/env/0/value", 12, &[]),
        ("a.yaml/env/1/value", 13, &["list.0.value"]),
        ("a.yaml/env/2/value", 15, &["env.LOG"]),
        ("a.yaml/secret", 17, &["secret"]),
        ("a.yaml/note", 18, &["note"]),
        ("a.yaml/again", 20, &["image.repository"]),
        ("a.yaml/labels/app", 21, &[]),
        ("a.yaml/labels/team", 21, &["labels.team"]),
        ("a.yaml/labels/count", 21, &["replicas"]),
        ("a.yaml/mode", 22, &[]),
        ("a.yaml/changed", 24, &[]),
        ("a.yaml/index", 25, &["env.LOG"]),
        ("a.yaml/full", 26, &["env.MODE"]),
        ("a.yaml/nothing", 27, &[]),
        ("a.yaml/text", 28, &["env.LOG"]),
        ("b.yaml/port", 1, &["sub.port"]),
        ("b.yaml/host", 2, &["sub.global.domain"]),
        ("b.yaml/own", 3, &["sub.own"]),
    ];
    for (path, line, values) in cases {
        let (found_line, found) = origin(&rendered, path);
        assert_eq!(found, *values, "{path}");
        assert_eq!(found_line, *line, "{path}");
    }
}

#[test]
fn a_default_is_found_in_the_chart_that_sets_it() {
    let package = package();
    let place = |path: &str| {
        let steps: Vec<_> = path.split('.').map(Into::into).collect();
        let place = package.default_place(&steps)?;
        Some((place.chart.to_string(), place.line))
    };
    assert_eq!(place("image.tag"), Some((String::new(), 1)));
    assert_eq!(place("args.1"), Some((String::new(), 4)));
    assert_eq!(place("sub.port"), Some((String::new(), 12)));
    assert_eq!(place("sub.own"), Some(("charts/sub".to_owned(), 1)));
    assert_eq!(place("sub.global.domain"), Some((String::new(), 13)));
    assert_eq!(place("sub.nothing"), None);
}
