//! Programs, and the objects that their resources become.

use std::fmt::Write;
use std::fs;

use super::super::project;
use super::*;
use crate::input::repo::Repo;
use crate::sources::pulumi::IMPLIED;

const PROJECT: (&str, &str) = ("Pulumi.yaml", "name: lab\nruntime: nodejs\n");
const HEAD: &str =
    "import * as k8s from \"@pulumi/kubernetes\";\nimport * as pulumi from \"@pulumi/pulumi\";\n";

/// Follows a project and returns the result for its first stack.
fn follow_files(files: &[(&str, &str)]) -> Followed {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files.iter().chain([&PROJECT]) {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let repo = Repo::open(directory.path(), &[]).unwrap();
    let facts = Facts::read(&repo);
    let projects = project::projects(&facts);
    assert_eq!(projects.len(), 1);
    follow(&projects[0], &facts)
}

fn follow_text(text: &str) -> Followed {
    follow_files(&[("index.ts", &format!("{HEAD}{text}"))])
}

/// The objects of a run in a line each, those of components indented.
fn told(followed: &Followed) -> String {
    let mut text = String::new();
    if let Some(run) = followed.runs.first() {
        run.objects.iter().for_each(|node| tell(node, 0, &mut text));
    }
    text
}

fn tell(node: &Node, level: usize, text: &mut String) {
    let field = |path: &[&str]| node.text_at(path).unwrap_or_default().to_owned();
    let namespace = field(&["metadata", "namespace"]);
    let name = field(&["metadata", "name"]);
    let name = if namespace.is_empty() {
        name
    } else {
        format!("{namespace}/{name}")
    };
    let _ = write!(text, "{}{} {name}", "  ".repeat(level), field(&["kind"]));
    let waits = node
        .get("pulumi.com/run")
        .or_else(|| node.at(&["spec", "dependsOn"]));
    let waits = waits.map(Node::items).unwrap_or_default().iter();
    for wait in waits.filter(|wait| wait.as_map().is_some()) {
        let running = match wait.text_at(&["running"]) {
            Some("true") => " running",
            _ => "",
        };
        let implied = match wait.text_at(&["means"]) {
            Some(IMPLIED) => " implied",
            _ => "",
        };
        let _ = write!(
            text,
            " < {}{running}{implied}",
            wait.text_at(&["name"]).unwrap_or_default()
        );
    }
    text.push('\n');
    for inner in node
        .get("spec")
        .map(|spec| spec.items_at("objects"))
        .unwrap_or_default()
    {
        tell(inner, level + 1, text);
    }
}

fn messages(followed: &Followed) -> Vec<&str> {
    followed
        .findings
        .iter()
        .map(|finding| finding.message.as_str())
        .collect()
}

#[test]
fn objects_have_the_type_that_their_class_names() {
    let followed = follow_text(
        r#"
import { helm } from "@pulumi/kubernetes";
import * as v3 from "@pulumi/kubernetes/helm/v3";
import { Role } from "@pulumi/kubernetes/rbac/v1";
new k8s.apps.v1.Deployment("web", { metadata: { namespace: "web" } });
new k8s.networking.v1.Ingress("web");
new Role("reader", {});
new helm.v4.Chart("a", { chart: "a", namespace: "x" });
new v3.Release("b", { chart: "b", name: "bee" });
new k8s.apiextensions.CustomResource("c", { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "named" } });
"#,
    );
    assert_eq!(followed.findings, Vec::new());
    let types: Vec<&str> = followed.runs[0]
        .objects
        .iter()
        .filter_map(|node| node.text_at(&["apiVersion"]))
        .collect();
    assert_eq!(
        told(&followed),
        "Workload web\n  Deployment web/web\nIngress web\nRole reader\nChart x/a\nRelease bee\nThing named\n"
    );
    assert!(
        types.contains(&"networking.k8s.io/v1") && types.contains(&"rbac.authorization.k8s.io/v1")
    );
}

#[test]
fn dependencies_are_followed_through_variables_arrays_spreads_and_calls() {
    let followed = follow_text(
        r#"
const a = new k8s.helm.v3.Release("a", { chart: "a" });
const b = new k8s.helm.v3.Chart("b", { chart: "b" });
const both = [a, b];
const options = { dependsOn: both };
function make(name: string, first: pulumi.Resource[], { last }: { last?: pulumi.Resource } = {}) {
  return new k8s.core.v1.ConfigMap(name, {}, { dependsOn: [...first, ...(last ? [last] : [])] });
}
new k8s.core.v1.ConfigMap("spread", {}, { ...options, protect: true });
new k8s.core.v1.ConfigMap("merged", {}, pulumi.mergeOptions({ dependsOn: a }, { dependsOn: [b] }));
make("argument", [a], { last: b });
make("alone", [a]);
new k8s.core.v1.ConfigMap("ready", {}, { dependsOn: b.ready });
new k8s.core.v1.ConfigMap("asked", {}, { dependsOn: [b.getResource("apps/v1/Deployment", "b/webhook")] });
new k8s.core.v1.ConfigMap("taken", { data: { name: a.status.name } });
const waiter = new k8s.batch.v1.Job("waiter", {}, { dependsOn: b });
new k8s.core.v1.ConfigMap("behind", {}, { dependsOn: waiter });
"#,
    );
    assert_eq!(messages(&followed), Vec::<&str>::new());
    assert_eq!(
        told(&followed),
        "Release a\nChart b\nConfigMap spread < a < b\nConfigMap merged < a < b\nConfigMap argument < a < b\n\
         ConfigMap alone < a\nConfigMap ready < b running\nConfigMap asked < b running\nConfigMap taken < a\n\
         Job waiter < b\nConfigMap behind < b running\n"
    );
}

#[test]
fn what_a_unit_waits_for_is_not_stated_by_those_who_wait_for_the_unit() {
    let index = format!(
        "{HEAD}{}",
        r#"
import { issuer } from "./issuer";
const a = new k8s.helm.v3.Release("a", { chart: "a" });
const b = new k8s.helm.v3.Release("b", { chart: "b" }, { dependsOn: [a] });
const map = new k8s.core.v1.ConfigMap("map", {}, { dependsOn: b });
new k8s.helm.v3.Release("c", { chart: "c" }, { dependsOn: map });
new k8s.core.v1.ConfigMap("behind", {}, { dependsOn: issuer });
new k8s.core.v1.ConfigMap("both", {}, { dependsOn: [issuer, a] });
"#
    );
    let issuer = format!(
        "{HEAD}{}",
        r#"
const a = new k8s.helm.v3.Chart("z", { chart: "z" });
export const issuer = new k8s.core.v1.ConfigMap("issuer", {}, { dependsOn: a.ready });
"#
    );
    let followed = follow_files(&[("index.ts", &index), ("issuer.ts", &issuer)]);
    assert_eq!(messages(&followed), Vec::<&str>::new());
    assert_eq!(
        told(&followed),
        "File z\n  Chart z\n  ConfigMap issuer < z running\nRelease a\nRelease b < a\nConfigMap map < b\n\
         Release c < b\nConfigMap behind < z running implied < z running\nConfigMap both < z running implied < a < z running\n"
    );
}

#[test]
fn classes_and_files_are_followed() {
    let followed = follow_files(&[
        (
            "index.ts",
            "import { App } from \"./app.js\";\nimport shared, * as all from \"./shared\";\nimport { port } from \"@acme/common\";\n\
             const app = new App(\"web\", { replicas: 2 });\nnew all.Other(`${shared}-${port}`, {}, { dependsOn: app });\n",
        ),
        (
            "app.ts",
            "import * as k8s from \"@pulumi/kubernetes\";\nimport { Base } from \"./shared\";\n\
             export class App extends Base {\n  public readonly chart;\n  private prefix = \"pre\";\n\
               constructor(name: string, private readonly args: { replicas: number }, opts?: any) {\n\
                 super(name, opts);\n    this.chart = new k8s.helm.v3.Release(`${this.prefix}-${name}`, { chart: \"c\" }, { parent: this });\n\
                 this.add();\n  }\n\
               private add() {\n    new k8s.core.v1.Service(\"svc\", {}, { parent: this, dependsOn: this.chart });\n  }\n}\n",
        ),
        (
            "shared/index.ts",
            "import * as pulumi from \"@pulumi/pulumi\";\nimport * as k8s from \"@pulumi/kubernetes\";\n\
             export abstract class Base extends pulumi.ComponentResource {\n\
               constructor(name: string, opts?: any) { super(\"acme:App\", name, {}, opts); }\n}\n\
             export const Other = k8s.core.v1.ConfigMap;\nexport default \"shared\";\n",
        ),
        (
            "common/package.json",
            "{\"name\": \"@acme/common\", \"main\": \"dist/index.js\"}",
        ),
        ("common/src/index.ts", "export const port = 80 + 1;\n"),
    ]);
    assert_eq!(messages(&followed), Vec::<&str>::new());
    assert_eq!(
        told(&followed),
        "ComponentResource web\n  Release pre-web\n  Service svc < pre-web\nConfigMap shared-81 < web < pre-web\n"
    );
}

#[test]
fn components_within_each_other_do_not_go_on_for_ever() {
    let followed = follow_text(
        "class C extends pulumi.ComponentResource { constructor(n: string, o?: any) { super(\"a:C\", n, {}, o); } }\n\
         let parent: any = undefined;\nfor (let i = 0; i < 2000; i++) { parent = new C(`c-${i}`, { parent }); }\n",
    );
    assert_eq!(messages(&followed), Vec::<&str>::new());
    let deepest = told(&followed)
        .lines()
        .map(|line| line.len() - line.trim_start().len())
        .max();
    assert!(deepest <= Some(20), "{deepest:?}");
}

#[test]
fn a_release_whose_name_only_a_run_knows_is_called_by_its_chart_or_its_project() {
    let text = r#"
new k8s.helm.v3.Release(process.env.NAME!, { chart: "oci://registry.example.com/charts/vault" });
new k8s.helm.v3.Release(process.env.NAME!, { chart: process.env.CHART! });
new k8s.helm.v3.Release("web", { chart: "../charts/web-1.2.0.tgz", version: "1.2.0" });
"#;
    let followed = follow_text(text);
    assert_eq!(
        told(&followed),
        "Release vault\nRelease lab-release\nRelease web\n"
    );
    let web = &followed.runs[0].objects[2];
    assert_eq!(web.text_at(&["spec", "chart"]), Some("web"));
}

#[test]
fn manifests_in_files_are_objects() {
    let program =
        "new k8s.yaml.ConfigGroup(\"maps\", { files: [\"maps/*.yaml\", \"two.yaml\"] });\n";
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n");
    let followed = follow_files(&[
        ("index.ts", &format!("{HEAD}{program}")),
        ("maps/one.yaml", &map("one")),
        ("two.yaml", &map("two")),
    ]);
    assert_eq!(messages(&followed), [""; 0]);
    assert_eq!(told(&followed), "ConfigMap one\nConfigMap two\n");
    assert_eq!(followed.files.len(), 3);
}

#[test]
fn a_component_that_a_helper_makes_stands_where_it_was_asked_for() {
    let index = format!("{HEAD}import {{ blog }} from \"./blog\";\nblog();\n");
    let helper = format!(
        "{HEAD}{}",
        r#"
class Site extends pulumi.ComponentResource {
  constructor(name: string) {
    super("lab:Site", name);
    new k8s.core.v1.Service(name, {}, { parent: this });
  }
}
export const site = (name: string) => new Site(name);
"#
    );
    let blog = "import { site } from \"../lib/site\";\nexport function blog() {\n  return site(\"blog\");\n}\n";
    let followed = follow_files(&[
        ("index.ts", &index),
        ("lib/site.ts", &helper),
        ("blog/index.ts", blog),
    ]);
    let component = &followed.runs[0].objects[0];
    assert_eq!(component.text_at(&["spec", "home"]), Some("blog"));
    assert_eq!(component.place.line, 3);
}

#[test]
fn a_component_does_not_stand_where_only_its_name_is_written() {
    let library = format!(
        "{HEAD}{}",
        r#"
export class Site extends pulumi.ComponentResource {
  constructor(name: string) {
    super("lab:Site", name);
    new k8s.core.v1.Service(name, {}, { parent: this });
  }
}
"#
    );
    let apps = "import { NAMES } from \"../config/names\";\nimport { Site } from \"../lib/site\";\nnew Site(NAMES.blog);\n";
    let followed = follow_files(&[
        ("index.ts", "import \"./apps/all\";\n"),
        ("lib/site.ts", &library),
        (
            "config/names.ts",
            "export const NAMES = { blog: \"blog\" };\n",
        ),
        ("apps/all.ts", apps),
    ]);
    let component = &followed.runs[0].objects[0];
    assert_eq!(component.text_at(&["spec", "home"]), Some("apps"));
    assert_eq!(component.place.line, 3);
}

#[test]
fn manifests_that_a_program_spells_out_are_objects() {
    let text = r#"
const mail = process.env.MAIL;
const chart = new k8s.helm.v3.Release("certs", { chart: "certs" });
new k8s.yaml.ConfigGroup("issuer", { yaml: `
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata:
  name: letters
spec:
  email: ${mail}
` }, { dependsOn: [chart] });
new k8s.yaml.v2.ConfigGroup("maps", { objs: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } }] });
new k8s.yaml.ConfigFile("gateway", { file: "https://example.com/gateway.yaml" });
new k8s.yaml.ConfigGroup("open", { yaml: process.env.YAML });
"#;
    let followed = follow_text(text);
    assert_eq!(
        told(&followed),
        "Release certs\nClusterIssuer letters < certs\nConfigMap one\n"
    );
    let issuer = &followed.runs[0].objects[1];
    assert_eq!(issuer.at(&["metadata", "name"]).unwrap().place.line, 10);
    assert_eq!(
        messages(&followed),
        [
            "`gateway` applies `https://example.com/gateway.yaml`, which is not in this repository; its \
             objects are missing from the catalogue",
            "some manifests that `open` applies are not in this repository; their objects are missing from \
             the catalogue",
        ]
    );
}

#[test]
fn a_directory_that_kustomize_builds_is_a_unit_with_that_path() {
    let index = format!(
        "{HEAD}{}",
        r#"
const space = new k8s.helm.v3.Release("mesh", { chart: "mesh" });
const web = new k8s.kustomize.Directory("web", { directory: "./web" }, { dependsOn: [space] });
new k8s.core.v1.ConfigMap("after", {}, { dependsOn: [web] });
new k8s.kustomize.Directory("far", { directory: "https://example.com/far" });
"#
    );
    let followed = follow_files(&[
        ("index.ts", &index),
        ("web/kustomization.yaml", "resources: []\n"),
    ]);
    assert_eq!(
        told(&followed),
        "Release mesh\nDirectory web < mesh\nConfigMap after < web\n"
    );
    let directory = &followed.runs[0].objects[1];
    assert_eq!(directory.text_at(&["spec", "path"]), Some("web"));
    assert_eq!(
        messages(&followed),
        [
            "`far` uses kustomize to build `https://example.com/far`, which is not in this repository; its \
             objects are missing from the catalogue"
        ]
    );
}
