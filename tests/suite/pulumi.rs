//! Pulumi at the doors: what the components of a program are, where they stand, and which of them need which.

use serde_json::Value;

use crate::entry::read;

const PROJECT: (&str, &str) = (
    "lab/Pulumi.yaml",
    "name: house\nruntime: nodejs\nconfig:\n  domain: house.example.net\n",
);

/// Two proxies in a loop, each with something of its own, and an app behind the second.
const LAB: &str = r#"
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
const config = new pulumi.Config();
const proxies: Record<string, k8s.helm.v3.Release> = {};
for (const side of ["private", "public"]) {
    proxies[side] = new k8s.helm.v3.Release(`traefik-${side}`, {
        chart: "traefik",
        version: "37.0.0",
        repositoryOpts: { repo: "https://traefik.github.io/charts" },
        namespace: `traefik-${side}`,
        createNamespace: true,
    });
    new k8s.apiextensions.CustomResource(`allow-${side}`, {
        apiVersion: "traefik.io/v1alpha1",
        kind: "Middleware",
        metadata: { name: "allow", namespace: `traefik-${side}` },
    }, { dependsOn: proxies[side] });
}
class App extends pulumi.ComponentResource {
    constructor(name: string) {
        super("house:App", name);
        new k8s.core.v1.Namespace(name, { metadata: { name } }, { parent: this });
        new k8s.apiextensions.CustomResource(name, {
            apiVersion: "traefik.io/v1alpha1",
            kind: "IngressRoute",
            metadata: { name, namespace: name },
            spec: { routes: [{ kind: "Rule", match: `Host(\`${name}.${config.require("domain")}\`)` }] },
        }, { parent: this, dependsOn: [proxies.public] });
    }
}
new App("photos");
export const sides = Object.keys(proxies);
"#;

fn lab() -> Value {
    read(&[PROJECT, ("lab/index.ts", LAB)])
}

#[test]
fn stacks_of_a_project_are_environments_of_one_program() {
    let stack = "config: {}\n";
    let document = read(&[
        PROJECT,
        ("lab/index.ts", LAB),
        ("lab/Pulumi.blue.yaml", stack),
        ("lab/Pulumi.green.yaml", stack),
    ]);
    assert_eq!(document["clusters"], Value::Array(Vec::new()));
    assert_eq!(names(&document["programs"]), ["house"]);
    let units = document["programs"][0]["units"].as_array().unwrap().iter();
    let runs = units.filter(|unit| unit["kind"] == "Stack");
    let runs: Vec<&Value> = runs.map(|unit| &unit["environment"]).collect();
    assert_eq!(runs, ["blue", "green"]);
}

fn component<'d>(document: &'d Value, id: &str) -> &'d Value {
    let mut components = document["components"].as_array().unwrap().iter();
    components.find(|component| component["id"] == id).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    let items = list.as_array().unwrap().iter();
    items.map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn a_release_stands_where_it_is_made_and_takes_nothing_that_the_program_is_given() {
    let document = lab();
    let proxy = component(&document, "traefik-public");
    assert_eq!(
        (&proxy["file"], &proxy["line"]),
        (&"lab/index.ts".into(), &7.into())
    );
    assert_eq!(names(&proxy["inputs"]), [""; 0]);
    assert_eq!(names(&proxy["outputs"]), [""; 0]);
    let house = component(&document, "house");
    assert_eq!(names(&house["inputs"]), ["domain"]);
    assert_eq!(names(&house["outputs"]), ["sides"]);
    // What it makes itself is in several namespaces, of which none is its own.
    assert_eq!(house["namespace"].as_str().unwrap_or_default(), "");
}

#[test]
fn of_several_releases_that_bring_a_type_it_needs_the_one_that_it_waits_for() {
    let document = lab();
    let upstream = component(&document, "photos")["upstream"]
        .as_array()
        .unwrap();
    let needs: Vec<(&str, &str)> = upstream
        .iter()
        .map(|edge| {
            (
                edge["id"].as_str().unwrap(),
                edge["reason"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        needs,
        [
            ("traefik-public", "Pulumi dependsOn"),
            ("traefik-public", "needs its CRD")
        ]
    );
}

#[test]
fn a_chain_of_releases_is_a_chain_of_edges() {
    let index = "import * as k8s from \"@pulumi/kubernetes\";\nconst a = new k8s.helm.v3.Release(\"a\", { chart: \"a\" });\nconst b = new k8s.helm.v3.Release(\"b\", { chart: \"b\" }, { dependsOn: [a] });\nnew k8s.helm.v3.Release(\"c\", { chart: \"c\" }, { dependsOn: [b] });\n";
    let document = read(&[PROJECT, ("lab/index.ts", index)]);
    let needs = |id: &str| {
        let upstream = component(&document, id)["upstream"].as_array().unwrap();
        let told = upstream.iter().map(|edge| {
            let id = edge["id"].as_str().unwrap();
            format!("{id} {}", edge["line"])
        });
        told.collect::<Vec<String>>()
    };
    assert_eq!(needs("c"), ["b 4"]);
    assert_eq!(needs("b"), ["a 3"]);
    assert_eq!(needs("a"), [""; 0]);
}

#[test]
fn a_program_that_is_about_one_release_is_that_release() {
    let project = ("lab/Pulumi.yaml", "name: metallb\nruntime: nodejs\n");
    let index = "import * as k8s from \"@pulumi/kubernetes\";\nconst metallb = new k8s.helm.v3.Release(\"metallb\", { chart: \"metallb\", version: \"0.14.9\", namespace: \"metallb-system\", createNamespace: true });\nnew k8s.apiextensions.CustomResource(\"pool\", { apiVersion: \"metallb.io/v1beta1\", kind: \"IPAddressPool\", metadata: { name: \"pool\", namespace: \"metallb-system\" } }, { dependsOn: [metallb] });\n";
    let document = read(&[project, ("lab/index.ts", index)]);
    let components = document["components"].as_array().unwrap();
    assert_eq!(components.len(), 1, "{components:?}");
    let metallb = component(&document, "metallb");
    assert_eq!(metallb["kind"], "Release");
    assert_eq!(metallb["chart"]["version"], "0.14.9");
    let resources = names(&metallb["resources"]);
    assert!(resources.contains(&"pool"), "{resources:?}");
    // What is beside it keeps its own name.
    let more = format!("{index}new k8s.helm.v3.Release(\"web\", {{ chart: \"web\" }});\n");
    let document = read(&[project, ("lab/index.ts", &more)]);
    assert_eq!(document["components"].as_array().unwrap().len(), 3);
}

/// Functions and a class that all other files make things with.
const SHARED: &str = r#"
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

export class Operator extends pulumi.ComponentResource {
    readonly release: k8s.helm.v3.Release;
    constructor(name: string, chart: string, repo: string) {
        super("house:Operator", name);
        const space = new k8s.core.v1.Namespace(name, { metadata: { name } }, { parent: this });
        this.release = new k8s.helm.v3.Release(name, {
            name, chart, version: "1.2.3", namespace: space.metadata.name, repositoryOpts: { repo },
        }, { parent: this });
    }
}

export const custom = (apiVersion: string, kind: string, name: string, dependsOn: pulumi.Resource[]) =>
    new k8s.apiextensions.CustomResource(`${kind}-${name}`, { apiVersion, kind, metadata: { name } }, { dependsOn });
"#;

#[test]
fn a_program_leaves_the_name_to_the_release_that_bears_it() {
    let index = r#"
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
const replicas = new pulumi.Config().requireNumber("replicas");
const install = (name: string) => new k8s.helm.v3.Release(name, {
    name, chart: name, version: "1.7.2", namespace: `${name}-system`, createNamespace: true, values: { replicas },
});
install("longhorn");
install("snapshots");
"#;
    let document = read(&[
        ("storage/Pulumi.yaml", "name: longhorn\nruntime: nodejs\n"),
        (
            "storage/Pulumi.prod.yaml",
            "config: {longhorn:replicas: 2}\n",
        ),
        ("storage/index.ts", index),
    ]);
    let kind = |id| component(&document, id)["kind"].as_str();
    assert_eq!(kind("longhorn"), Some("Release"));
    assert_eq!(kind("snapshots"), Some("Release"));
    assert_eq!(kind("longhorn-stack"), Some("Stack"));
}

#[test]
fn what_shared_functions_make_stands_where_they_are_called_and_belongs_to_the_release_there() {
    let certificates = "import { Operator, custom } from \"./shared\";\nconst operator = new Operator(\"cert-manager\", \"cert-manager\", \"https://charts.jetstack.io\");\nexport const issuers = [\"live\", \"trial\"].map((name) =>\n    custom(\"cert-manager.io/v1\", \"ClusterIssuer\", name, [operator.release]));\n";
    let secrets = "import { Operator, custom } from \"./shared\";\nconst operator = new Operator(\"external-secrets\", \"external-secrets\", \"https://charts.external-secrets.io\");\ncustom(\"external-secrets.io/v1\", \"ClusterSecretStore\", \"vault\", [operator.release]);\n";
    let index = "import \"./secrets\";\nimport { issuers } from \"./certificates\";\nimport { custom } from \"./shared\";\ncustom(\"example.com/v1\", \"Thing\", \"loose\", issuers);\n";
    let document = read(&[
        PROJECT,
        ("lab/index.ts", index),
        ("lab/shared.ts", SHARED),
        ("lab/certificates.ts", certificates),
        ("lab/secrets.ts", secrets),
    ]);
    let objects = |id: &str| {
        let resources = component(&document, id)["resources"].as_array().unwrap();
        let told = resources.iter().map(|one| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            format!(
                "{} {} {}:{}",
                text("kind"),
                text("name"),
                text("file"),
                one["line"]
            )
        });
        told.collect::<Vec<String>>()
    };
    assert_eq!(
        objects("cert-manager"),
        [
            "Namespace cert-manager lab/certificates.ts:2",
            "ClusterIssuer live lab/certificates.ts:4",
            "ClusterIssuer trial lab/certificates.ts:4",
            "Release cert-manager lab/certificates.ts:2",
        ]
    );
    assert_eq!(
        objects("external-secrets"),
        [
            "Namespace external-secrets lab/secrets.ts:2",
            "ClusterSecretStore vault lab/secrets.ts:3",
            "Release external-secrets lab/secrets.ts:2",
        ]
    );
    assert_eq!(
        objects("house"),
        [
            "Thing loose lab/index.ts:4",
            "Stack house lab/Pulumi.yaml:1"
        ]
    );
    let findings = document["findings"].as_array().unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}
