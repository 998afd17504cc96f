//! Values that stand in modules and programs under names of secrets, and that nothing may show.

use std::fs;
use std::path::Path;

use crate::cli::{catalog, repo};

const MODULE: &str = r#"
variable "db_password" {
  default = "hunter2-default"
}
variable "logins" {
  default = { password = "hunter2-inner", name = "shop" }
}
variable "api_token" {
  default = ["hunter2-list"]
}
locals {
  admin_password = "hunter2-local"
  client_secret  = "hunter2-label"
  plain          = local.admin_password
  text           = "pw=${var.db_password}"
}
module "app" {
  source = "./app"
  other  = local.plain
  text   = local.text
  label  = local.client_secret
  conn   = var.db_password
}
resource "helm_release" "web" {
  name       = "web"
  chart      = "web"
  version    = "1.0.0"
  repository = "https://charts.example.com"
  values = [
    yamlencode({ a = local.plain, b = local.client_secret }),
    <<-EOT
      via: ${local.admin_password}
      rootPassword: hunter2-heredoc
    EOT
  ]
  set {
    name  = "auth.password"
    value = "hunter2-set"
  }
}
resource "helm_release" "new" {
  name       = "new"
  chart      = "new"
  version    = "1.0.0"
  repository = "https://charts.example.com"
  set           = [{ name = "auth.password", value = "hunter2-listed" }, { name = "x", value = local.plain }]
  set_sensitive = [{ name = "q", value = "hunter2-sensitive" }]
}
resource "kubernetes_config_map" "c" {
  metadata {
    name = "c"
  }
  data = { via = local.text, held = kubernetes_secret.s.data.a, sent = kubernetes_manifest.m.manifest.stringData.a }
}
resource "kubernetes_secret" "s" {
  metadata {
    name = "s"
  }
  data = { a = "hunter2-held" }
}
resource "kubernetes_manifest" "m" {
  manifest = {
    apiVersion = "v1"
    kind       = "Secret"
    metadata   = { name = "m", namespace = "default" }
    stringData = { a = "hunter2-sent" }
  }
}
resource "helm_release" "private" {
  name       = "private"
  chart      = "private"
  version    = "1.0.0"
  repository = "https://robot:hunter2-address@charts.example.com"
}
module "away" {
  source = "git::https://robot:hunter2-source@git.example.com/away.git"
}
"#;

const JSON: &str = r#"{
  "variable": {"db_password": {"default": "hunter2-json"}, "open": {"sensitive": true}},
  "locals": {"client_secret": "hunter2-json-local"},
  "resource": {
    "helm_release": {"j": {
      "name": "j",
      "chart": "j",
      "version": "1.0.0",
      "values": ["${yamlencode({ via = local.client_secret, open = var.open })}"],
      "set": [{"name": "auth.password", "value": "hunter2-json-set"}],
      "set_sensitive": {"name": "s", "value": "hunter2-json-sensitive"}
    }},
    "kubernetes_secret": {"z": {"metadata": {"name": "z"}, "data": {"u": "hunter2-json-data"}}}
  }
}"#;

const PROGRAM: &str = r#"
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
const config = new pulumi.Config();
const adminPassword = "hunter2-const";
const creds = { password: "hunter2-object", user: "shop" };
class Db { password = "hunter2-field"; }
const db = new Db();
const other = config.get("otherPassword") || "hunter2-fallback";
const mail = config.requireObject<any>("mail");
const dbSecret = "db-credentials";
const { password: renamed } = creds;
function use(name: string, password: string) {
    new k8s.core.v1.ConfigMap(name, { metadata: { name }, data: { conf: `p=${password}`, plain: password } });
}
use("one", "hunter2-argument");
new k8s.core.v1.ConfigMap("more", {
    metadata: { name: "more" },
    data: {
        a: adminPassword,
        b: creds.password,
        c: db.password,
        d: `x ${adminPassword}`,
        e: other,
        f: pulumi.interpolate`q ${creds.password}`,
        g: ["a", adminPassword].join("-"),
        h: mail.password,
    },
});
new k8s.helm.v3.Release("web", {
    chart: "web",
    version: "1.0.0",
    values: { a: renamed, ...creds, nested: creds, b: adminPassword, root: config.get("rootPassword") },
});
const held = new k8s.core.v1.Secret("s", { metadata: { name: dbSecret }, stringData: { u: "hunter2-string" } });
new k8s.core.v1.ConfigMap("held", {
    metadata: { name: "held" },
    data: {
        a: held.stringData.u,
        b: held.stringData.apply(all => all.u),
        c: config.requireSecret("plainKey"),
        d: config.get("marked"),
    },
});
new k8s.helm.v3.Release("private", {
    chart: "private",
    version: "1.0.0",
    repositoryOpts: { repo: "https://robot:hunter2-repo@charts.example.com" },
});
new k8s.yaml.ConfigGroup("g", { yaml: `
apiVersion: v1
kind: Secret
metadata: { name: g }
stringData: { x: hunter2-yaml }
` });
"#;

#[test]
fn what_is_kept_under_the_name_of_a_secret_is_shown_nowhere() {
    let directory = repo(&[
        ("infra/main.tf", MODULE),
        (
            "infra/app/main.tf",
            "variable \"other\" {}\nvariable \"text\" {}\nvariable \"label\" {}\nvariable \"conn\" {}\n",
        ),
        ("json/main.tf.json", JSON),
        (
            "json/terraform.tfvars.json",
            "{\"open\": \"hunter2-given\", \"db_password\": \"hunter2-named\"}\n",
        ),
        (
            "lab/Pulumi.yaml",
            "name: lab\nruntime: nodejs\nconfig:\n  lab:rootPassword:\n    default: hunter2-project\n  lab:marked:\n    secret: true\n    value: hunter2-marked\n",
        ),
        (
            "lab/Pulumi.dev.yaml",
            "config:\n  lab:plainKey: hunter2-plain\n  lab:dbPassword: hunter2-stack\n  lab:mail:\n    user: shop\n    password: hunter2-nested\n",
        ),
        ("lab/index.ts", PROGRAM),
    ]);
    let exported = shows_nothing(directory.path());
    // What names an object is no secret, whatever it is kept under.
    assert!(exported.contains("db-credentials"));
}

const ASSEMBLY: &str = r#"
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [release.yaml, deployment.yaml, secret.yaml, settings.yaml]
patches:
- target: {kind: HelmRelease}
  patch: |
    - {op: add, path: /spec/values/adminPassword, value: hunter2-path}
    - {op: add, path: /spec/values/tokens, value: [hunter2-path-list]}
- target: {kind: Secret}
  patch: |
    - {op: add, path: /data/x, value: hunter2-data}
    - {op: add, path: /stringData, value: {x: hunter2-string}}
- target: {kind: Deployment}
  patch: |
    - {op: replace, path: /spec/template/spec/containers/0/env/0/value, value: hunter2-env}
replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: data.open}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.containers.0.env.1.value"]
"#;

const RELEASE: &str = r#"
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: web}
spec:
  chart: {spec: {chart: web, version: 1.0.0, sourceRef: {kind: HelmRepository, name: web}}}
  values:
    extraObjects:
    - {apiVersion: v1, kind: Secret, metadata: {name: inner}, stringData: {a: hunter2-inner}}
    extraDeploy:
    - |
      apiVersion: v1
      kind: Secret
      metadata: {name: text}
      stringData: {a: hunter2-text}
    passwords: {bob: hunter2-map}
    apiKeys: [hunter2-list]
    credentials: {key: hunter2-key}
    via: "${DB_PASSWORD:=hunter2-default}"
    smtp: "x ${SMTP_PASSWORD:-hunter2-other}"
    rootPassword: ${open}
    header: Bearer hunter2-0123456789abcdef
    git: https://ghp_hunter20123456789abcdef@github.com/a/b
    users: |
      bob:{SHA}hunter2Mm5Pz8GgiULbPgzG37mj9g=
    passwordHash: hunter2-hash
    PASSWORD_1: hunter2-number
    auth: {existingSecret: web-credentials}
"#;

const DEPLOYMENT: &str = r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: web}
spec:
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers:
      - name: api
        image: api:1
        env:
        - {name: DB_PASSWORD, value: ""}
        - {name: SMTP_PASSWORD, value: ""}
"#;

const UNIT: &str = r#"
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  interval: 1h
  path: ./apps/web
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: {substitute: {open: plain-open}}
"#;

const PLUGIN: &str = r#"
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: plugin, namespace: argocd}
spec:
  project: default
  destination: {namespace: plugin, server: https://kubernetes.default.svc}
  source:
    repoURL: https://example.com/a.git
    path: apps/web
    plugin:
      parameters:
      - {name: password, string: hunter2-plugin}
      - {name: tokens, array: [hunter2-array]}
      - {name: api-keys, map: {a: hunter2-map}}
"#;

#[test]
fn what_is_written_into_a_secret_place_is_shown_nowhere() {
    let directory = repo(&[
        ("clusters/main/web.yaml", UNIT),
        ("clusters/main/plugin.yaml", PLUGIN),
        ("apps/web/kustomization.yaml", ASSEMBLY),
        ("apps/web/release.yaml", RELEASE),
        ("apps/web/deployment.yaml", DEPLOYMENT),
        (
            "apps/web/secret.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: web}\ndata: {}\n",
        ),
        (
            "apps/web/settings.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: web}\ndata: {open: plain-text}\n",
        ),
    ]);
    let exported = shows_nothing(directory.path());
    assert!(exported.contains("web-credentials"));
}

#[test]
fn no_line_shows_what_a_generated_secret_holds() {
    let assembly = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nsecretGenerator:\n- name: s\n  envs: [given]\n  files: [key=held.yaml, id_ed25519]\nconfigMapGenerator:\n- name: c\n  files: [settings.yaml]\n";
    let directory = repo(&[
        ("clusters/main/web.yaml", UNIT),
        ("apps/web/kustomization.yaml", assembly),
        (
            "apps/web/given",
            "A=hunter2-value # why\nB=\"hunter2-quoted\"\nC=hunter2-twice\nC=hunter2-again\n",
        ),
        (
            "apps/web/held.yaml",
            "a: hunter2-held\na: hunter2-again\nb: [\n",
        ),
        (
            "apps/web/id_ed25519",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----\n",
        ),
        (
            "apps/web/settings.yaml",
            "db:\n  password: hunter2-correct-horse\n",
        ),
    ]);
    shows_nothing(directory.path());
    let checked = catalog(&["check", "."], directory.path());
    let text = String::from_utf8_lossy(&checked.stdout);
    // The files are looked at, and what is found in them is told.
    for found in [
        "apps/web/given:1",
        "id_ed25519 in Secret s",
        "password in ConfigMap c",
    ] {
        assert!(text.replace('`', "").contains(found), "{found} in {text}");
    }
}

/// What is exported, after no output has shown a value that must not be seen.
fn shows_nothing(directory: &Path) -> String {
    let outputs = [
        &["build", ".", "--out", "book"][..],
        &["check", "."],
        &["check", ".", "--format", "sarif"],
        &["export", "."],
        &["graph", "."],
        &["rehearse", "."],
    ];
    let outputs = outputs.map(|args| catalog(args, directory));
    for output in &outputs {
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(stream);
            let shown: Vec<&str> = text
                .lines()
                .filter(|line| line.contains("hunter2"))
                .collect();
            assert!(shown.is_empty(), "{shown:#?}");
        }
    }
    let mut files = 0;
    each_file(&directory.join("book"), &mut |path, bytes| {
        files += 1;
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("hunter2"), "{}", path.display());
    });
    assert!(files > 10);
    String::from_utf8_lossy(&outputs[3].stdout).into_owned()
}

pub fn each_file(directory: &Path, f: &mut dyn FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_file(&path, f)
        } else {
            f(&path, &fs::read(&path).unwrap())
        }
    }
}
