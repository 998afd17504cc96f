//! The cost of 80 releases of 40 charts, each chart read once, beside `helm template` run for one release after the other.
//! The charts are generated; charts given as arguments are used instead, each twice. Prints a table and fails when the
//! bound is broken. Helm is the program in `HELM`, or else `helm`.

#[path = "../crates/helm/tests/compare/directory.rs"]
mod directory;
mod profile;

use std::env;
use std::error::Error;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Instant;

use helm::{Capabilities, ChartRelease, Data, Flavour, Package, PackageFile, read_yaml, render};
use mimalloc::MiMalloc;
use rayon::prelude::*;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

type Outcome<T> = Result<T, Box<dyn Error>>;

const CHARTS: usize = 40;
/// Least ratio of Helm's time to ours.
const LEAST_RATIO: f64 = 20.0;
/// The machine may be busy: of so many runs, the best counts.
const ROUNDS: usize = 3;
/// Clock ticks in a second, for every program on Linux.
const TICKS: f64 = 100.0;

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
    let mut ours = Cost::MOST;
    let mut objects = 0;
    for _ in 0..ROUNDS {
        let started = Started::now();
        objects = render_all(&charts, &values)?;
        ours = ours.least(started.cost(Clock::Own));
    }
    let releases = charts.len() * 2;
    println!(
        "{releases} releases of {} charts: {objects} objects in {ours}",
        charts.len()
    );
    let helm = env::var("HELM").unwrap_or_else(|_| "helm".to_owned());
    let Some(theirs) = helm_cost(&helm, &charts, &values)? else {
        println!("there is no `{helm}` to compare with");
        return Ok(true);
    };
    let (wall, processor) = (ours.wall / theirs.wall, ours.processor / theirs.processor);
    println!(
        "helm template, one by one: {theirs}; ours is 1/{:.1} of the time and 1/{:.1} of the processor time, at most 1/{LEAST_RATIO}",
        1.0 / wall,
        1.0 / processor
    );
    Ok(wall.max(processor) * LEAST_RATIO <= 1.0)
}

/// Seconds that something took.
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    /// On all cores together.
    processor: f64,
}

impl Cost {
    const MOST: Cost = Cost {
        wall: f64::MAX,
        processor: f64::MAX,
    };

    fn least(self, other: Cost) -> Cost {
        Cost {
            wall: self.wall.min(other.wall),
            processor: self.processor.min(other.processor),
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.2} s ({:.2} s of processor time)",
            self.wall, self.processor
        )
    }
}

/// Whose processor time counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    Own,
    /// That of programs that were run to their end.
    Children,
}

struct Started {
    at: Instant,
    own: f64,
    children: f64,
}

impl Started {
    fn now() -> Started {
        Started {
            at: Instant::now(),
            own: processor_time(Clock::Own),
            children: processor_time(Clock::Children),
        }
    }

    fn cost(&self, clock: Clock) -> Cost {
        let before = if clock == Clock::Own {
            self.own
        } else {
            self.children
        };
        Cost {
            wall: self.at.elapsed().as_secs_f64(),
            processor: processor_time(clock) - before,
        }
    }
}

/// Seconds of processor time so far, in the program and in the system for it. Nothing where there is no `/proc`.
fn processor_time(clock: Clock) -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, which comes second, may have spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let skipped = if clock == Clock::Own { 11 } else { 13 };
    let times = fields.split_whitespace().skip(skipped).take(2);
    times
        .filter_map(|time| time.parse::<f64>().ok())
        .sum::<f64>()
        / TICKS
}

/// Renders every chart twice, with its defaults and with values; returns the number of objects. Each chart is read once,
/// and charts are shared out among the cores, as in the program.
fn render_all(charts: &[PathBuf], values: &Path) -> Outcome<usize> {
    let given = read_yaml(&fs::read_to_string(values)?)?;
    let counts = charts.par_iter().map(|chart| {
        let files = directory::files(chart).map_err(|error| error.to_string())?;
        let files = files.into_iter();
        let files = files.map(|(path, data)| PackageFile::new(path, data));
        let package = Arc::new(Package::from_directory(files.collect())?);
        Ok([&Data::map(), &given]
            .map(|values| objects(&package, values))
            .iter()
            .sum())
    });
    let counts: Result<Vec<usize>, String> = counts.collect();
    Ok(counts?.iter().sum())
}

fn objects(package: &Arc<Package>, values: &Data) -> usize {
    let release = ChartRelease {
        name: "release-name".into(),
        namespace: "default".into(),
        flavour: Flavour::Helm3,
    };
    let capabilities = Capabilities::offline(Flavour::Helm3);
    render(package, values, &release, &capabilities)
        .manifests
        .len()
}

/// The cost of Helm; `None` if there is no Helm.
fn helm_cost(helm: &str, charts: &[PathBuf], values: &Path) -> Outcome<Option<Cost>> {
    if Command::new(helm)
        .arg("version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        return Ok(None);
    }
    let started = Started::now();
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
    Ok(Some(started.cost(Clock::Children)))
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
