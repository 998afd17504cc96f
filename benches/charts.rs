//! What 80 releases of 40 charts cost, each chart read once, beside `helm template` run for one release after the other.
//! The charts are generated; charts given as arguments are used instead, each twice. Prints a table and fails when the
//! bound is broken. Helm is the program in `HELM`, or else `helm`.

mod profile;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use helm::{Capabilities, ChartRelease, Data, Flavour, Package, PackageFile, read_yaml, render};

type Outcome<T> = Result<T, Box<dyn Error>>;

const CHARTS: usize = 40;
/// Beside Helm.
const MAX_SHARE: f64 = 1.0 / 20.0;
/// The machine may be busy: of so many runs, the best counts.
const ROUNDS: usize = 3;
const MAX_DEPTH: usize = 12;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    // `cargo test --all-targets` runs this too, and is not meant to wait for it.
    if !args.iter().any(|arg| arg == "--bench") {
        println!("run `cargo bench --profile dist` for the figures");
        return ExitCode::SUCCESS;
    }
    profile::print();
    let given = args.iter().filter(|arg| !arg.starts_with('-'));
    match bench(given.map(PathBuf::from).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("the benchmark could not run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the bound holds.
fn bench(given: Vec<PathBuf>) -> Outcome<bool> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("charts");
    let charts = if given.is_empty() {
        (0..CHARTS)
            .map(|nth| write_chart(&root, nth))
            .collect::<Outcome<Vec<_>>>()?
    } else {
        given
    };
    let values = root.join("values.yaml");
    fs::create_dir_all(&root)?;
    fs::write(&values, "replicaCount: 3\nimage: {tag: 2.0.0}\n")?;
    let mut ours = Duration::MAX;
    let mut objects = 0;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        objects = render_all(&charts, &values)?;
        ours = ours.min(started.elapsed());
    }
    let releases = charts.len() * 2;
    println!(
        "{releases} releases of {} charts: {objects} objects in {ours:.0?}",
        charts.len()
    );
    let helm = env::var("HELM").unwrap_or_else(|_| "helm".to_owned());
    let Some(theirs) = helm_time(&helm, &charts, &values)? else {
        println!("there is no `{helm}` to compare with");
        return Ok(true);
    };
    let share = ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "helm template: {theirs:.0?}; ours takes {:.3} of it, at most {MAX_SHARE}",
        share
    );
    Ok(share <= MAX_SHARE)
}

/// Renders every chart twice, with its defaults and with values; returns the number of objects.
fn render_all(charts: &[PathBuf], values: &Path) -> Outcome<usize> {
    let release = ChartRelease {
        name: "release-name".into(),
        namespace: "default".into(),
        flavour: Flavour::Helm3,
    };
    let capabilities = Capabilities::offline(Flavour::Helm3);
    let mut count = 0;
    for chart in charts {
        let mut files = Vec::new();
        read(chart, "", 0, &mut files)?;
        let package = Arc::new(Package::from_directory(files)?);
        let given = read_yaml(&fs::read_to_string(values)?)?;
        for values in [&Data::map(), &given] {
            count += render(&package, values, &release, &capabilities)
                .manifests
                .len();
        }
    }
    Ok(count)
}

/// The time that Helm takes; `None` if there is no Helm.
fn helm_time(helm: &str, charts: &[PathBuf], values: &Path) -> Outcome<Option<Duration>> {
    if Command::new(helm)
        .arg("version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        return Ok(None);
    }
    let started = Instant::now();
    for chart in charts {
        for values in [None, Some(values)] {
            let mut command = Command::new(helm);
            command
                .args(["template", "release-name", "--include-crds"])
                .arg(chart);
            if let Some(values) = values {
                command.arg("-f").arg(values);
            }
            // Charts that are given may need values; a failure takes time, too.
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
        }
    }
    Ok(Some(started.elapsed()))
}

fn read(directory: &Path, prefix: &str, depth: usize, files: &mut Vec<PackageFile>) -> Outcome<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() && depth < MAX_DEPTH {
            read(&path, &format!("{name}/"), depth + 1, files)?;
        } else if path.is_file() {
            files.push(PackageFile::new(name, fs::read(&path)?));
        }
    }
    Ok(())
}

const VALUES: &str = "\
replicaCount: 1
image: {repository: registry.example.com/app, tag: '', pullPolicy: IfNotPresent}
serviceAccount: {create: true, name: '', annotations: {}}
podAnnotations: {prometheus.io/scrape: 'true'}
service: {type: ClusterIP, port: 80, targetPort: 8080}
resources:
  requests: {cpu: 100m, memory: 128Mi}
  limits: {memory: 256Mi}
env:
  LOG_LEVEL: info
  DATABASE_URL: postgres://{{ .Release.Name }}-db/app
ingress:
  enabled: true
  hosts:
    - {host: app.example.com, paths: [/, /api]}
    - {host: admin.example.com, paths: [/]}
nodeSelector: {kubernetes.io/os: linux}
tolerations: []
";

const HELPERS: &str = r#"{{- define "app.name" -}}{{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}{{- end }}
{{- define "app.fullname" -}}
{{- if contains (include "app.name" .) .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name (include "app.name" .) | trunc 63 }}{{ end }}
{{- end }}
{{- define "app.labels" -}}
app.kubernetes.io/name: {{ include "app.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}
"#;

const DEPLOYMENT: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "app.fullname" . }}
  labels: {{- include "app.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicaCount }}
  selector:
    matchLabels: {{- include "app.labels" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "app.labels" . | nindent 8 }}
      {{- with .Values.podAnnotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "app.fullname" . }}
      containers:
        - name: {{ .Chart.Name }}
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          ports:
            - {name: http, containerPort: {{ .Values.service.targetPort }}}
          env:
            {{- range $name, $value := .Values.env }}
            - name: {{ $name }}
              value: {{ tpl $value $ | quote }}
            {{- end }}
          livenessProbe:
            httpGet: {path: /healthz, port: http}
          resources: {{- toYaml .Values.resources | nindent 12 }}
      {{- with .Values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
"#;

const REST: &str = r#"apiVersion: v1
kind: Service
metadata:
  name: {{ include "app.fullname" . }}
  labels: {{- include "app.labels" . | nindent 4 }}
spec:
  type: {{ .Values.service.type }}
  ports:
    - name: http
      port: {{ .Values.service.port }}
      targetPort: http
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "app.fullname" . }}
  labels: {{- include "app.labels" . | nindent 4 }}
{{- if .Values.ingress.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "app.fullname" . }}
spec:
  rules:
    {{- range .Values.ingress.hosts }}
    - host: {{ .host | quote }}
      http:
        paths:
          {{- range .paths }}
          - path: {{ . }}
            pathType: Prefix
            backend:
              service:
                name: {{ include "app.fullname" $ }}
                port:
                  name: http
          {{- end }}
    {{- end }}
{{- end }}
"#;

/// Writes a chart. Every third one has resource definitions, as operators have.
fn write_chart(root: &Path, nth: usize) -> Outcome<PathBuf> {
    let chart = root.join(format!("app-{nth:02}"));
    fs::create_dir_all(chart.join("templates"))?;
    let metadata =
        format!("apiVersion: v2\nname: app-{nth:02}\nversion: 1.{nth}.0\nappVersion: 1.{nth}.2\n");
    fs::write(chart.join("Chart.yaml"), metadata)?;
    fs::write(chart.join("values.yaml"), VALUES)?;
    fs::write(chart.join("templates/_helpers.tpl"), HELPERS)?;
    fs::write(chart.join("templates/deployment.yaml"), DEPLOYMENT)?;
    fs::write(chart.join("templates/rest.yaml"), REST)?;
    for extra in 0..nth % 8 {
        let map = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{{{ include \"app.fullname\" . }}}}-{extra}\n  labels: {{{{- include \"app.labels\" . | nindent 4 }}}}\ndata:\n  config.yaml: |\n    {{{{- toYaml .Values | nindent 4 }}}}\n"
        );
        fs::write(chart.join(format!("templates/config-{extra}.yaml")), map)?;
    }
    if nth.is_multiple_of(3) {
        fs::create_dir_all(chart.join("crds"))?;
        for kind in 0..nth % 7 + 1 {
            fs::write(
                chart.join(format!("crds/kind-{kind}.yaml")),
                definition(nth, kind),
            )?;
        }
    }
    Ok(chart)
}

/// A resource definition with a schema of some thousand lines.
fn definition(nth: usize, kind: usize) -> String {
    let mut text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  annotations:\n    controller-gen.kubebuilder.io/version: v0.17.0\n  name: kind{kind}s.app{nth}.example.com\nspec:\n  group: app{nth}.example.com\n  names:\n    kind: Kind{kind}\n    plural: kind{kind}s\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n"
    );
    for field in 0..120 {
        text.push_str(&format!(
            "          field{field}:\n            description: |-\n              Field {field} says how the operator treats a part of the object.\n              It is optional.\n            type: object\n            required:\n            - name\n            properties:\n"
        ));
        for inner in 0..8 {
            text.push_str(&format!(
                "              name{inner}:\n                description: The value of the part, which must be set before the\n                  operator begins.\n                type: string\n                pattern: ^[a-z]([-a-z0-9]*[a-z0-9])?$\n"
            ));
        }
    }
    text
}
