//! Manifests, directories and charts that a program has applied, and what it changes in them.

use super::*;

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

#[test]
fn what_functions_change_in_the_end_is_said_where_they_are_handed_over() {
    let text = r#"
const drop = [(object: any) => { delete object.status; }];
pulumi.runtime.registerStackTransformation(() => undefined);
new k8s.helm.v3.Chart("certs", {
    chart: "certs",
    transformations: drop,
});
new k8s.helm.v4.Chart("mesh", { chart: "mesh" }, { transforms: drop });
new k8s.yaml.ConfigGroup("maps", {
    objs: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } }],
    transformations: drop,
});
new k8s.core.v1.ConfigMap("two", {}, { transformations: drop });
const lab = new pulumi.ComponentResource("acme:Lab", "lab", {}, { transformations: drop });
new k8s.core.v1.ConfigMap("three", {}, { parent: lab });
"#;
    let followed = follow_text(text);
    assert!(told(&followed).contains("ComponentResource lab\n  ConfigMap three\n"));
    let said: Vec<(u32, &str)> = followed
        .findings
        .iter()
        .map(|finding| (finding.place.line, finding.message.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (
                5,
                "`registerStackTransformation` transforms the program's resources, which is not supported; \
                 they are shown untransformed"
            ),
            (
                8,
                "`certs` changes its chart's objects with `transformations`, which are not evaluated; \
                 checks use the chart as published"
            ),
            (
                10,
                "`mesh` changes its chart's objects with `transforms`, which are not evaluated; checks use \
                 the chart as published"
            ),
            (
                13,
                "`maps` changes its objects with `transformations`, which are not evaluated; the objects \
                 are shown unchanged"
            ),
            (
                15,
                "`two` is changed by `transformations`, which are not evaluated; it is shown unchanged"
            ),
            (
                16,
                "`lab` changes its objects with `transformations`, which are not evaluated; the objects \
                 are shown unchanged"
            ),
        ]
    );
}

#[test]
fn nothing_is_said_where_no_function_changes_anything() {
    let text = r#"
interface Options { transformations?: any[] }
function chart(name: string, options: Options = {}) {
    return new k8s.helm.v3.Chart(name, { chart: name, transformations: options.transformations });
}
chart("certs");
chart("mesh", { transformations: [] });
new k8s.helm.v3.Release("proxy", { chart: "proxy", values: { transformations: ["strip"] } });
new k8s.apiextensions.CustomResource("rule", {
    apiVersion: "example.com/v1",
    kind: "Rule",
    transformations: [{ strip: "path" }],
});
const provider = new k8s.Provider("other", {}, { transformations: [() => undefined] });
"#;
    assert_eq!(messages(&follow_text(text)), [""; 0]);
}
