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
  data = { via = local.text }
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
new k8s.core.v1.Secret("s", { metadata: { name: dbSecret }, stringData: { u: "hunter2-string" } });
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
            "name: lab\nruntime: nodejs\nconfig:\n  lab:rootPassword:\n    default: hunter2-project\n",
        ),
        (
            "lab/Pulumi.dev.yaml",
            "config:\n  lab:dbPassword: hunter2-stack\n  lab:mail:\n    user: shop\n    password: hunter2-nested\n",
        ),
        ("lab/index.ts", PROGRAM),
    ]);
    let outputs = [
        &["build", ".", "--out", "book"][..],
        &["check", "."],
        &["check", ".", "--format", "sarif"],
        &["export", "."],
        &["graph", "."],
        &["rehearse", "."],
    ];
    let outputs = outputs.map(|args| catalog(args, directory.path()));
    for output in &outputs {
        for stream in [&output.stdout, &output.stderr] {
            assert!(!String::from_utf8_lossy(stream).contains("hunter2"));
        }
    }
    let exported = String::from_utf8_lossy(&outputs[3].stdout).into_owned();
    // What names an object is no secret, whatever it is kept under.
    assert!(exported.contains("db-credentials"));
    let mut files = 0;
    each_file(&directory.path().join("book"), &mut |path, bytes| {
        files += 1;
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("hunter2"), "{}", path.display());
    });
    assert!(files > 10);
}

pub fn each_file(directory: &Path, f: &mut dyn FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => each_file(&path, f),
            false => f(&path, &fs::read(&path).unwrap()),
        }
    }
}
