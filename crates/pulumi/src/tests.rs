//! Programs, and what is evaluated of them.

mod bombs;
mod memory;
pub mod room;
mod transformation;
mod value;

use std::fmt::Write;

use super::*;
use base::{MARKER, RepoPath};
use memory::Memory;
use yaml::Node;

const HEAD: &str =
    "import * as k8s from \"@pulumi/kubernetes\";\nimport * as pulumi from \"@pulumi/pulumi\";\n";

/// What a test looks at, for one stack.
struct Outcome {
    /// The resources in a line each, those with a parent indented.
    told: String,
    /// The arguments of the resources.
    arguments: Vec<Option<Node>>,
    resources: Vec<Resource>,
    parameters: Vec<Parameter>,
    outputs: Vec<ProgramOutput>,
}

/// The results for the project `lab` in the root.
fn evaluate_files(files: &[(&str, &str)]) -> Evaluated<Outcome> {
    let memory = Memory::new(files);
    let name = "lab".into();
    let root = RepoPath::root();
    let project = Project {
        name: &name,
        place: Place::default(),
        root: &root,
        main: None,
        secret_keys: BTreeSet::new(),
        stacks: memory.stacks(),
    };
    evaluate(&project, &memory, &memory, outcome)
}

fn evaluate_text(text: &str) -> Evaluated<Outcome> {
    evaluate_files(&[("index.ts", &format!("{HEAD}{text}"))])
}

fn outcome(evaluation: &mut Evaluation<'_, '_>) -> Outcome {
    let resources = evaluation.resources().to_vec();
    let arguments: Vec<Option<Node>> = resources
        .iter()
        .map(|resource| evaluation.to_yaml(&resource.arguments))
        .collect();
    let mut told = String::new();
    for (resource, node) in resources.iter().zip(&arguments) {
        tell(resource, node.as_ref(), &resources, &mut told);
    }
    Outcome {
        told,
        arguments,
        resources,
        parameters: evaluation.parameters(),
        outputs: evaluation.outputs().to_vec(),
    }
}

fn tell(resource: &Resource, node: Option<&Node>, all: &[Resource], told: &mut String) {
    let text = |path: &[&str]| node.and_then(|node| node.text_at(path)).unwrap_or_default();
    let (kind, path): (&str, &[&str]) = match &resource.class {
        ResourceClass::Object { kind, .. } => (kind, &["metadata"]),
        ResourceClass::CustomResource => (text(&["kind"]), &["metadata"]),
        ResourceClass::Chart(_) => ("Chart", &[]),
        ResourceClass::Release => ("Release", &[]),
        ResourceClass::Component => ("ComponentResource", &[]),
        ResourceClass::ConfigFile(_) => ("ConfigFile", &[]),
        ResourceClass::ConfigGroup(_) => ("ConfigGroup", &[]),
        ResourceClass::Directory(_) => ("Directory", &[]),
        ResourceClass::Provider => ("Provider", &[]),
        ResourceClass::Existing { kind } | ResourceClass::Other { kind } => (kind, &[]),
        ResourceClass::StackReference => ("StackReference", &[]),
    };
    let field = |key| text(&[path, &[key]].concat());
    let name = match field("name") {
        "" => &resource.name,
        name => name,
    };
    let above = |one: &&Resource| one.parent.map(|parent| &all[parent]);
    let level = std::iter::successors(Some(resource), above).skip(1).count();
    let _ = write!(told, "{}{kind} ", "  ".repeat(level));
    if !field("namespace").is_empty() {
        let _ = write!(told, "{}/", field("namespace"));
    }
    told.push_str(name);
    let mut dependencies = resource.dependencies.clone();
    dependencies.sort_by_key(|one| one.resource);
    for dependency in dependencies {
        let _ = write!(told, " < {}", all[dependency.resource].name);
        if dependency.state == State::Running {
            told.push_str(" running");
        }
    }
    told.push('\n');
}

/// The resources for the first stack.
fn told(evaluated: &Evaluated<Outcome>) -> &str {
    evaluated.stacks.first().map_or("", |stack| &stack.told)
}

fn messages(evaluated: &Evaluated<Outcome>) -> Vec<&str> {
    let findings = evaluated.findings.iter();
    findings.map(|finding| finding.message.as_str()).collect()
}

#[test]
fn objects_have_the_type_that_their_class_names() {
    let evaluated = evaluate_text(
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
    assert_eq!(evaluated.findings, Vec::new());
    let resources = evaluated.stacks[0].resources.iter();
    let types: Vec<&str> = resources
        .filter_map(|resource| match &resource.class {
            ResourceClass::Object { api_version, .. } => Some(api_version.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        told(&evaluated),
        "Deployment web/web\nIngress web\nRole reader\nChart x/a\nRelease bee\nThing named\n"
    );
    assert_eq!(
        types,
        [
            "apps/v1",
            "networking.k8s.io/v1",
            "rbac.authorization.k8s.io/v1"
        ]
    );
}

#[test]
fn dependencies_are_followed_through_variables_arrays_spreads_and_calls() {
    let evaluated = evaluate_text(
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
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    assert_eq!(
        told(&evaluated),
        "Release a\nChart b\nConfigMap spread < a < b\nConfigMap merged < a < b\nConfigMap argument < a < b\n\
         ConfigMap alone < a\nConfigMap ready < b running\nConfigMap asked < b running\nConfigMap taken < a\n\
         Job waiter < b\nConfigMap behind < waiter\n"
    );
}

#[test]
fn classes_and_files_are_followed() {
    let evaluated = evaluate_files(&[
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
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    assert_eq!(
        told(&evaluated),
        "ComponentResource web\n  Release pre-web\n  Service svc < pre-web\nConfigMap shared-81 < web\n"
    );
}

#[test]
fn what_only_a_run_knows_is_said_where_it_is() {
    let evaluated = evaluate_text(
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
        told(&evaluated),
        "aws.ec2.Subnet private-…\nNamespace ci\nNamespace human\nNamespace late\n"
    );
    let mut lines: Vec<u32> = evaluated
        .findings
        .iter()
        .map(|finding| finding.place.line)
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [6, 7, 8, 9], "{:#?}", evaluated.findings);
}

#[test]
fn each_stack_has_its_own_configuration() {
    let program = format!(
        "{HEAD}const config = new pulumi.Config();\nconst size = config.getNumber(\"size\") ?? 1;\n\
         const key = config.requireSecret(\"key\");\nconst on = config.getBoolean(\"extra\") || false;\n\
         new k8s.core.v1.ConfigMap(`map-${{pulumi.getStack()}}`, {{ data: {{ size, key }} }});\n\
         if (on) new k8s.core.v1.ConfigMap(\"extra\");\nexport const out = pulumi.interpolate`${{size}}`;\n"
    );
    let evaluated = evaluate_files(&[
        ("index.ts", &program),
        (
            "Pulumi.dev.yaml",
            "config:\n  lab:size: 3\n  lab:key:\n    secure: AAAB\n",
        ),
        ("Pulumi.prod.yaml", "config:\n  lab:extra: true\n"),
    ]);
    assert_eq!(evaluated.findings, Vec::new());
    let dev = &evaluated.stacks[0].arguments;
    assert_eq!(dev.len(), 1);
    let map = dev[0].as_ref().unwrap();
    assert_eq!(map.text_at(&["metadata", "name"]), Some("map-dev"));
    assert_eq!(map.text_at(&["data", "size"]), Some("3"));
    assert_eq!(map.text_at(&["data", "key"]), Some(MARKER));
    assert_eq!(evaluated.stacks[1].resources.len(), 2);
    let parameters: Vec<(&str, Option<&str>, bool)> = evaluated.stacks[0]
        .parameters
        .iter()
        .map(|one| (one.name.as_str(), one.default.as_deref(), one.is_secret))
        .collect();
    assert_eq!(
        parameters,
        [
            ("extra", Some("false"), false),
            ("key", None, true),
            ("size", Some("1"), false)
        ]
    );
    assert_eq!(evaluated.stacks[0].outputs.len(), 1);
}

#[test]
fn a_context_may_be_made_once_and_handed_around() {
    let evaluated = evaluate_text(
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
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    assert_eq!(
        told(&evaluated),
        "Release x/a\nRelease b < a\nConfigMap c.example.org < b\n"
    );
}

#[test]
fn a_program_may_be_a_function() {
    let evaluated = evaluate_text(
        "export = async () => { const n = new k8s.core.v1.Namespace(\"a\"); return { name: n.metadata.name }; };\n",
    );
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    assert_eq!(told(&evaluated), "Namespace a\n");
    assert_eq!(evaluated.stacks[0].outputs[0].name, "name");
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
    let evaluated = evaluate_text(text);
    let expected = "Namespace tools\nRelease tools/vault < tools\nNamespace data\n";
    assert_eq!(told(&evaluated), expected);
    assert_eq!(messages(&evaluated), [""; 0]);
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
    let evaluated = evaluate_files(&[
        ("index.ts", &index),
        ("apps/README.md", "Apps\n"),
        ("apps/blog/package.json", "{}\n"),
        ("apps/shop/package.json", "{}\n"),
        (
            "maps/one.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n",
        ),
    ]);
    assert_eq!(messages(&evaluated), [""; 0]);
    assert_eq!(
        told(&evaluated),
        "Namespace blog\nNamespace shop\nConfigGroup maps\n"
    );
    let group = evaluated.stacks[0].arguments[2].as_ref().unwrap();
    let files: Vec<_> = group.items_at("files").iter().map(Node::text).collect();
    assert_eq!(files, [Some("maps/one.yaml")]);
}

#[test]
fn secrets_in_code_are_found_by_name_whether_it_is_run_or_not() {
    let program = "const a = 1;\nfunction unused() {\n  const password = \"hunter2-hunter2\";\n}\n";
    let memory = Memory::new(&[
        ("app/index.ts", program),
        ("app/index.test.ts", program),
        ("other/index.ts", program),
    ]);
    let found = plain_secrets(&memory, &[&RepoPath::new("app").unwrap()]);
    let found: Vec<(&str, u32, &str)> = found
        .iter()
        .map(|one| {
            let path = memory.path(one.place.file).as_str();
            (path, one.place.line, one.key.as_str())
        })
        .collect();
    assert_eq!(found, [("app/index.ts", 3, "password")]);
}
