//! Programs, and what is followed of them.

mod bombs;
mod manifest;
pub mod room;
mod value;

use std::fmt::Write;
use std::fs;

use super::super::project;
use super::*;
use crate::facts::{IMPLIED, MARKER};
use crate::input::repo::Repo;

const PROJECT: (&str, &str) = ("Pulumi.yaml", "name: lab\nruntime: nodejs\n");
const HEAD: &str =
    "import * as k8s from \"@pulumi/kubernetes\";\nimport * as pulumi from \"@pulumi/pulumi\";\n";

/// What a project makes for its first stack.
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
    let name = match namespace.is_empty() {
        true => name,
        false => format!("{namespace}/{name}"),
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
fn what_only_a_run_knows_is_said_where_it_is() {
    let followed = follow_text(
        r#"
import * as aws from "@pulumi/aws";
const zones = aws.getZones();
zones.names.map((zone: string) => new aws.ec2.Subnet(`private-${zone}`, {}));
if (process.env.CI) { new k8s.core.v1.Namespace("ci"); } else { new k8s.core.v1.Namespace("human"); }
import { gone } from "./gone";
new k8s.core.v1.Namespace("late", {}, { dependsOn: gone });
"#,
    );
    assert_eq!(
        told(&followed),
        "aws.ec2.Subnet private-…\nNamespace ci\nNamespace human\nNamespace late\n"
    );
    let mut lines: Vec<u32> = followed
        .findings
        .iter()
        .map(|finding| finding.place.line)
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [6, 7, 8, 9], "{:#?}", followed.findings);
}

#[test]
fn each_stack_has_its_own_configuration() {
    let program = format!(
        "{HEAD}const config = new pulumi.Config();\nconst size = config.getNumber(\"size\") ?? 1;\n\
         const key = config.requireSecret(\"key\");\nconst on = config.getBoolean(\"extra\") || false;\n\
         new k8s.core.v1.ConfigMap(`map-${{pulumi.getStack()}}`, {{ data: {{ size, key }} }});\n\
         if (on) new k8s.core.v1.ConfigMap(\"extra\");\nexport const out = pulumi.interpolate`${{size}}`;\n"
    );
    let followed = follow_files(&[
        ("index.ts", &program),
        (
            "Pulumi.dev.yaml",
            "config:\n  lab:size: 3\n  lab:key:\n    secure: AAAB\n",
        ),
        ("Pulumi.prod.yaml", "config:\n  lab:extra: true\n"),
    ]);
    assert_eq!(followed.findings, Vec::new());
    let dev = &followed.runs[0].objects;
    assert_eq!(dev.len(), 1);
    assert_eq!(dev[0].text_at(&["metadata", "name"]), Some("map-dev"));
    assert_eq!(dev[0].text_at(&["data", "size"]), Some("3"));
    assert_eq!(dev[0].text_at(&["data", "key"]), Some(MARKER));
    assert_eq!(followed.runs[1].objects.len(), 2);
    let inputs: Vec<(&str, Option<&str>, bool)> = followed.runs[0]
        .inputs
        .iter()
        .map(|input| {
            (
                input.name.as_str(),
                input.default.as_deref(),
                input.is_secret,
            )
        })
        .collect();
    assert_eq!(
        inputs,
        [
            ("extra", Some("false"), false),
            ("key", None, true),
            ("size", Some("1"), false)
        ]
    );
    assert_eq!(followed.runs[0].outputs.len(), 1);
}

/// Whatever a program does, it costs one finding and little time.
#[test]
fn hostile_programs_cost_one_finding() {
    let times = |text: &str, count: usize| text.repeat(count);
    let deep = |open: &str, close: &str| {
        format!(
            "const a = {}1{};",
            times(open, 10_000),
            times(close, 10_000)
        )
    };
    let cases = [
        ("parentheses", deep("(", ")")),
        ("brackets", deep("[", "]")),
        ("nots", deep("!", "")),
        ("arrows", deep("a=>", "")),
        ("syntax", "const = ;".to_owned()),
        (
            "sums",
            format!(
                "new k8s.core.v1.ConfigMap({}\"z\");",
                times("\"a\" + ", 5_000)
            ),
        ),
        (
            "recursion",
            "function f(n: number): number { return f(n + 1); }\nf(0);".to_owned(),
        ),
        (
            "mutual",
            "const a = () => b();\nconst b = () => a();\na();".to_owned(),
        ),
        ("loop", "while (true) { }".to_owned()),
        (
            "endless",
            "for (let i = 0; ; i++) { new k8s.core.v1.ConfigMap(`c-${i}`); }".to_owned(),
        ),
        (
            "doubling",
            format!("let s = \"ab\";\n{}", times("s = `${s}${s}`;\n", 64)),
        ),
        (
            "spreading",
            format!(
                "let a: any[] = [1, 2];\n{}",
                times("a = [...a, ...a];\n", 64)
            ),
        ),
    ];
    for (name, text) in cases {
        let started = std::time::Instant::now();
        let followed = follow_text(&text);
        assert_eq!(
            followed.findings.len(),
            1,
            "{name}: {:#?}",
            followed.findings
        );
        assert!(started.elapsed().as_secs() < 20, "{name}");
    }
}

#[test]
fn lists_and_objects_may_hold_themselves() {
    let followed = follow_text(
        r#"
const list: any[] = [];
list.push(list, [list]);
const object: any = { list };
object.object = object;
new k8s.helm.v3.Chart("web", { chart: "web", transformations: list, values: object }, { dependsOn: list });
new k8s.core.v1.ConfigMap("map", object, { dependsOn: [list], transforms: list });
"#,
    );
    assert!(told(&followed).contains("Chart web\n"));
}

#[test]
fn long_lists_and_cyclic_imports_are_nothing_special() {
    let long = format!("const a = [{}];\na.length;", "1, ".repeat(100_000));
    assert_eq!(follow_text(&long).findings, Vec::new());
    let itself = "class A extends A {}\nnew A();";
    assert_eq!(follow_text(itself).findings, Vec::new());
    let followed = follow_files(&[
        (
            "index.ts",
            "import { b } from \"./b\";\nimport * as k8s from \"@pulumi/kubernetes\";\nexport const a = \"a\";\n\
             new k8s.core.v1.ConfigMap(b());\n",
        ),
        (
            "b.ts",
            "import { a } from \"./index\";\nexport const b = () => `b-${a}`;\n",
        ),
    ]);
    assert_eq!(followed.findings, Vec::new());
    assert_eq!(told(&followed), "ConfigMap b-a\n");
}

#[test]
fn a_context_may_be_made_once_and_handed_around() {
    let followed = follow_text(
        r#"
class Context {
  private static instance: Context;
  charts: Record<string, pulumi.Resource> = {};
  constructor(public readonly domain: string) {}
  static get() {
    if (!Context.instance) { Context.instance = new Context("example.org"); }
    return Context.instance;
  }
  install(name: string, { version = "1", ...more }: any, dependsOn: pulumi.Resource[] = []) {
    this.charts[name] = new k8s.helm.v3.Release(name, { name, chart: name, version, ...more }, { dependsOn });
    return this.charts[name];
  }
  host = (app: string) => `${app}.${this.domain}`;
}
const apps: ((ctx: Context) => void)[] = [
  (ctx) => { ctx.install("b", {}, [ctx.charts["a"]]); },
  (ctx) => { new k8s.core.v1.ConfigMap(ctx.host("c"), {}, { dependsOn: ctx.charts.b }); },
];
Context.get().install("a", { namespace: "x" });
apps.forEach((app) => app(Context.get()));
"#,
    );
    assert_eq!(messages(&followed), Vec::<&str>::new());
    assert_eq!(
        told(&followed),
        "Release x/a\nRelease b < a\nConfigMap c.example.org < b\n"
    );
}

#[test]
fn a_program_may_be_a_function() {
    let followed = follow_text(
        "export = async () => { const n = new k8s.core.v1.Namespace(\"a\"); return { name: n.metadata.name }; };\n",
    );
    assert_eq!(messages(&followed), Vec::<&str>::new());
    assert_eq!(told(&followed), "Namespace a\n");
    assert_eq!(followed.runs[0].outputs[0].name, "name");
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
fn a_loop_over_the_positions_of_a_list_makes_one_for_each() {
    let text = r#"
const specs = [
  { space: { metadata: { name: "tools" } }, charts: [{ name: "vault", chart: "vault", repository: "https://charts.example.com" }, { name: "web", chart: "web", repository: "" }] },
  { space: { metadata: { name: "data" } }, charts: [] },
];
for (var i in specs) {
  const space = new k8s.core.v1.Namespace(specs[i].space.metadata.name, { metadata: specs[i].space.metadata });
  for (var j in specs[i].charts) {
    if (specs[i].charts[j].repository === "") continue;
    new k8s.helm.v3.Release(specs[i].charts[j].name, { chart: specs[i].charts[j].chart, namespace: space.metadata.name }, { dependsOn: [space] });
  }
}
"#;
    let followed = follow_text(text);
    let expected = "Namespace tools\nRelease tools/vault\nNamespace data\n";
    assert_eq!(told(&followed), expected);
    assert_eq!(messages(&followed), [""; 0]);
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
fn a_program_may_go_through_directories_of_the_repository() {
    let index = format!(
        "{HEAD}{}",
        r#"
import * as fs from "fs";
import * as path from "node:path";
const apps = path.join(__dirname, "apps");
if (fs.existsSync(apps)) {
  const names = fs.readdirSync(apps, { withFileTypes: true }).filter((one) => one.isDirectory()).map((one) => one.name);
  for (const name of names) new k8s.core.v1.Namespace(name, { metadata: { name } });
}
const files = fs.readdirSync("maps").filter((name) => name.endsWith(".yaml")).map((name) => path.join("maps", name));
new k8s.yaml.ConfigGroup("maps", { files });
"#
    );
    let followed = follow_files(&[
        ("index.ts", &index),
        ("apps/README.md", "Apps\n"),
        ("apps/blog/package.json", "{}\n"),
        ("apps/shop/package.json", "{}\n"),
        (
            "maps/one.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n",
        ),
    ]);
    assert_eq!(messages(&followed), [""; 0]);
    assert_eq!(
        told(&followed),
        "Namespace blog\nNamespace shop\nConfigMap one\n"
    );
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
