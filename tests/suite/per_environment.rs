//! What a component is in each environment, where those differ.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::{export, repo};
use crate::entry::unit;
use crate::site::{build, text};

/// A component `shop` that two clusters have, each with objects of its own.
fn shop(dev: &str, prod: &str) -> TempDir {
    let own = |environment: &str| unit("shop", &format!("./shop/{environment}"), "");
    repo(&[
        ("clusters/dev/shop.yaml", &own("dev")),
        ("clusters/prod/shop.yaml", &own("prod")),
        ("shop/dev/all.yaml", dev),
        ("shop/prod/all.yaml", prod),
    ])
}

fn release(chart: &str, version: &str, values: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: shop, namespace: shop}}\n\
         spec:\n  chart: {{spec: {{chart: {chart}, version: {version}, sourceRef: {{kind: HelmRepository, name: x}}}}}}\n  \
         values: {values}\n"
    )
}

fn image(repository: &str, tag: &str) -> String {
    format!("{{image: {{repository: {repository}, tag: {tag}}}}}")
}

fn versions(repo: &TempDir) -> Vec<Value> {
    let document = export(repo.path());
    let environments = &document["components"][0]["environments"];
    let environments = environments.as_array().unwrap().iter();
    environments.map(|one| one["version"].clone()).collect()
}

#[test]
fn the_version_of_what_a_chart_for_anything_runs_is_that_of_its_image() {
    let of = |tag: &str| {
        let container = image("ghcr.io/acme/shop", tag);
        let values = format!("{{controllers: {{shop: {{containers: {{app: {container}}}}}}}}}");
        release("app-template", "5.1.0", &values)
    };
    let repo = shop(&of("v2.1.0@sha256:aa"), &of("v2.0.0"));
    assert_eq!(versions(&repo), ["v2.1.0", "v2.0.0"]);
    let units = &export(repo.path())["clusters"][0]["units"];
    let release = units.as_array().unwrap().iter();
    let release = release.filter(|unit| unit["kind"] == "HelmRelease");
    let stated: Vec<&Value> = release.map(|unit| &unit["version"]).collect();
    assert_eq!(stated, ["5.1.0"]);

    let site = build(repo.path());
    let page = text(&site, "components/shop.md");
    assert!(page.contains("| Chart | `app-template` (5.1.0"), "{page}");
    assert!(
        page.contains("| Version | `v2.1.0` (dev), `v2.0.0` (prod)"),
        "{page}"
    );
}

#[test]
fn the_image_that_values_pin_counts_rather_than_the_chart() {
    let both = |chart: &str, repository: &str| {
        let one = release(chart, "1.0.0", &image(repository, "7.0"));
        versions(&shop(&one, &one))
    };
    assert_eq!(both("microservice", "acme/shop"), ["7.0", "7.0"]);
    assert_eq!(both("microservice", "acme/nginx"), ["7.0", "7.0"]);
    assert_eq!(both("shop", "acme/shop"), ["7.0", "7.0"]);
}

#[test]
fn a_version_that_is_not_known_is_not_that_of_the_chart_beside_one_of_an_image() {
    let dev = release("app-template", "5.1.0", &image("acme/shop", "2.0"));
    let prod = release("app-template", "5.1.0", "{image: {repository: acme/shop}}");
    assert_eq!(versions(&shop(&dev, &prod)), [json!("2.0"), Value::Null]);
    // The version of a chart that runs anything says nothing.
    assert_eq!(versions(&shop(&prod, &prod)), [Value::Null, Value::Null]);
}

#[test]
fn replicas_and_sizes_are_told_for_each_environment_where_they_differ() {
    let of = |replicas: &str, size: &str| {
        format!(
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: shop, namespace: shop}}\nspec:\n  {replicas}\n  \
             template: {{spec: {{containers: [{{name: c, image: \"shop:1\"}}]}}}}\n  \
             volumeClaimTemplates:\n    - metadata: {{name: data}}\n      \
             spec: {{storageClassName: gp3, resources: {{requests: {{storage: {size}}}}}}}\n\
             ---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: shop, namespace: shop}}\n\
             spec: {{rules: [{{host: shop.example.com}}]}}\n"
        )
    };
    let page = |dev: &str, prod: &str| {
        let site = build(shop(dev, prod).path());
        text(&site, "components/shop.md").to_owned()
    };
    let differs = page(&of("replicas: 1", "1Gi"), &of("replicas: 3", "9Gi"));
    assert!(
        differs.contains("`StatefulSet/shop` (× 1 (dev), × 3 (prod))"),
        "{differs}"
    );
    assert!(
        differs.contains("StatefulSet × 1 (dev), × 3 (prod)"),
        "{differs}"
    );
    assert!(
        differs.contains("`data` (1Gi (dev), 9Gi (prod), storage class gp3)"),
        "{differs}"
    );

    let same = page(&of("replicas: 2", "1Gi"), &of("replicas: 2", "1Gi"));
    assert!(same.contains("`StatefulSet/shop` (× 2)"), "{same}");
    assert!(same.contains("`data` (1Gi, storage class gp3)"), "{same}");

    let unsaid = page(&of("serviceName: x", "1Gi"), &of("replicas: 3", "1Gi"));
    assert!(
        unsaid.contains("`StatefulSet/shop` (× 3 (prod))"),
        "{unsaid}"
    );
}
