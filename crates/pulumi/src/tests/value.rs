//! What values come to: sets, texts, and data that a program reads.

use super::*;

#[test]
fn a_set_holds_each_value_once() {
    let evaluated = evaluate_text(
        r#"
for (const name of [...new Set(["a", "a", "b"])]) new k8s.core.v1.Namespace(name);
const names = new Set<string>();
names.add("c").add("d").add("c");
for (const name of names) new k8s.core.v1.Namespace(`${name}-${names.size}`);
new k8s.core.v1.Namespace([..."xyz"].join("-"));
"#,
    );
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    assert_eq!(
        told(&evaluated),
        "Namespace a\nNamespace b\nNamespace c-2\nNamespace d-2\nNamespace x-y-z\n"
    );
}

#[test]
fn data_is_read_as_the_program_reads_it() {
    let index = format!(
        "{HEAD}{}",
        r#"
import * as fs from "fs";
import whole from "./data.json";
import { items } from "./data.json";
import * as schema from "./schema.graphql";
const install = (name: string) => new k8s.helm.v3.Release(name, { chart: name });
install(whole.items[0].name);
install(items[1].name);
install(JSON.parse(fs.readFileSync("data.json", "utf8")).items[2].name);
install(JSON.parse(fs.readFileSync("./data.json").toString()).items[3].name);
install(require("./data.json").items[4].name);
new k8s.core.v1.ConfigMap("map", { data: { word: whole.password } });
install(schema.name + "-one");
"#
    );
    let items = ["a", "b", "c", "d", "e"].map(|name| format!("{{\"name\": \"{name}\"}}"));
    let data = format!(
        "{{\"items\": [{}], \"password\": \"hunter2\"}}\n",
        items.join(", ")
    );
    let evaluated = evaluate_files(&[
        ("index.ts", &index),
        ("data.json", &data),
        ("schema.graphql", "type A\n"),
    ]);
    assert_eq!(
        messages(&evaluated),
        [
            "the import `./schema.graphql` is neither a program nor JSON; its value is not known here"
        ]
    );
    assert_eq!(
        told(&evaluated),
        "Release a\nRelease b\nRelease c\nRelease d\nRelease e\nConfigMap map\nRelease …-one\n"
    );
    let map = evaluated.stacks[0].arguments[5].as_ref().unwrap();
    assert_eq!(map.text_at(&["data", "word"]), Some(MARKER));
}

#[test]
fn a_release_tells_what_it_was_given() {
    let evaluated = evaluate_text(
        r#"
const cm = new k8s.helm.v3.Release("cert-manager", { chart: "cert-manager", version: "v1.16.0", namespace: "certs" });
new k8s.core.v1.ConfigMap(`of-${cm.status.name}`, { metadata: { namespace: cm.status.namespace } });
new k8s.core.v1.ConfigMap(`at-${cm.status.version}-${cm.status.chart}-${cm.status.revision}`);
"#,
    );
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    assert_eq!(
        told(&evaluated),
        "Release certs/cert-manager\nConfigMap certs/of-cert-manager < cert-manager\nConfigMap at-v1.16.0-cert-manager-…\n"
    );
}

#[test]
fn what_a_resource_gives_stands_where_it_is_taken() {
    let evaluated = evaluate_text(
        "const issuer = new k8s.apiextensions.CustomResource(\"issuer\", { apiVersion: \"cert-manager.io/v1\", kind: \"ClusterIssuer\", metadata: { name: \"live\" } });\n\
         const cm = new k8s.helm.v3.Release(\"cm\", { chart: \"cm\", name: \"certs\" });\n\
         new k8s.core.v1.ConfigMap(\"map\", { data: {\n  issuer: issuer.metadata.name,\n  release: cm.name,\n  whole: issuer.metadata,\n} });\n",
    );
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    let map = evaluated.stacks[0].arguments[2].as_ref().unwrap();
    let line = |path: &[&str]| map.at(path).unwrap().place.line;
    assert_eq!(line(&["data", "issuer"]), 6);
    assert_eq!(line(&["data", "release"]), 7);
    assert_eq!(line(&["data", "whole", "name"]), 3);
}

#[test]
fn options_that_are_put_together_keep_their_lines() {
    let evaluated = evaluate_text(
        "const a = new k8s.helm.v3.Release(\"a\", { chart: \"a\" });\n\
         const b = new k8s.helm.v3.Release(\"b\", { chart: \"b\" });\n\
         const make = (options: any) => new k8s.core.v1.ConfigMap(\"map\", {}, pulumi.mergeOptions(options, {\n\
           dependsOn: b,\n\
         }));\n\
         make({ dependsOn: [a] });\n",
    );
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    let resources = &evaluated.stacks[0].resources;
    let lines: Vec<(&str, u32)> = resources[2]
        .dependencies
        .iter()
        .map(|one| (resources[one.resource].name.as_str(), one.place.line))
        .collect();
    assert_eq!(lines, [("a", 8), ("b", 6)]);
}

#[test]
fn expressions_are_followed_and_a_name_that_is_not_known_is_not_made_up() {
    let evaluated = evaluate_text(
        r#"
const host = "podinfo.example.com";
const named = (key: string, name: any) =>
  new k8s.core.v1.ConfigMap(key, { metadata: { name, namespace: "web" } });
named("one", host.replace(/\./g, "-"));
named("two", host.split(/[.]/)[0]);
named("three", /^pod/.test(host) ? "yes" : "no");
named("four", host.replace(/(?<=pod)info/, ""));
named("five", `of-${host.match(/x/)}`);
const six = named("six", host.match(/x/));
named("seven", six.metadata.name);
named("eight", undefined);
"#,
    );
    assert_eq!(
        messages(&evaluated),
        [
            "the name of `four` in the cluster cannot be determined",
            "the name of `six` in the cluster cannot be determined",
        ]
    );
    assert_eq!(
        told(&evaluated),
        "ConfigMap web/podinfo-example-com\nConfigMap web/podinfo\nConfigMap web/yes\nConfigMap web/…(four)\nConfigMap web/of-…\nConfigMap web/…(six)\nConfigMap web/…(six) < six\nConfigMap web/eight\n"
    );
}

#[test]
fn classes_of_a_generated_package_are_loaded_when_they_are_asked_for() {
    let index = format!(
        "{HEAD}{}",
        "import { Gateway } from \"./crds/v1\";\nnew Gateway(\"web\", { metadata: { namespace: \"web\" } });\n"
    );
    let package = r#"
import * as utilities from "../utilities";
export type Gateway = import("./gateway").Gateway;
export const Gateway: typeof import("./gateway").Gateway = null as any;
utilities.lazyLoad(exports, ["Gateway"], () => require("./gateway"));
utilities.lazyLoad(exports, ["Route"], () => require("./route"));
"#;
    let class = r#"
import * as pulumi from "@pulumi/pulumi";
export class Gateway extends pulumi.CustomResource {
    public static readonly __pulumiType = "kubernetes:gateway.networking.k8s.io/v1:Gateway";
    constructor(name: string, args?: any, opts?: pulumi.CustomResourceOptions) {
        const inputs: pulumi.Inputs = {};
        inputs["apiVersion"] = "gateway.networking.k8s.io/v1";
        inputs["kind"] = "Gateway";
        inputs["metadata"] = args ? args.metadata : undefined;
        super(Gateway.__pulumiType, name, inputs, opts);
    }
}
"#;
    let utilities = r#"
export function lazyLoad(exports: any, props: string[], loadModule: any) {
    for (let property of props) {
        Object.defineProperty(exports, property, { enumerable: true, get: () => loadModule()[property] });
    }
}
"#;
    let evaluated = evaluate_files(&[
        ("index.ts", &index),
        ("crds/v1/index.ts", package),
        ("crds/v1/gateway.ts", class),
        ("crds/utilities.ts", utilities),
    ]);
    assert_eq!(messages(&evaluated), Vec::<&str>::new());
    assert_eq!(told(&evaluated), "Gateway web/web\n");
}
