//! What grows with every step: it is stopped, and told of once.

use std::fs;

use tempfile::TempDir;

use super::{findings_of, only};
use crate::cli::{catalog, export, platform, repo, stderr};

#[test]
fn units_that_create_units_without_end_are_stopped() {
    let unit = |name: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  path: ./loop
  postBuild: {{substitute: {{N: {name}}}}}
  sourceRef: {{kind: GitRepository, name: flux-system}}
"
        )
    };
    let directory = platform();
    fs::create_dir(directory.path().join("loop")).unwrap();
    fs::write(directory.path().join("loop/again.yaml"), unit("'${N}-x'")).unwrap();
    fs::write(
        directory.path().join("clusters/dev/again.yaml"),
        unit("again"),
    )
    .unwrap();
    only(&findings_of(&directory), "unit-chain");
}

#[test]
fn a_set_that_makes_one_object_again_and_again_is_stopped() {
    let object = "    - {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: shop}}\n";
    let text = format!(
        "apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {{name: set, namespace: flux-system}}
spec:
  inputs:
{}  resources:
{}",
        "    - {a: b}\n".repeat(150),
        object.repeat(150)
    );
    let directory = platform();
    fs::write(directory.path().join("clusters/dev/set.yaml"), text).unwrap();
    let document = export(directory.path());
    let findings = document["findings"].as_array().unwrap().iter();
    let stopped = findings.filter(|finding| finding["rule"] == "generator-too-large");
    assert_eq!(stopped.count(), 1);
}

#[test]
fn directories_that_include_each_other_by_the_thousand_are_built_once() {
    let directory = platform();
    for level in 0..30 {
        let here = directory.path().join(format!("fan/{level}"));
        fs::create_dir_all(&here).unwrap();
        let next = format!("../{}", level + 1);
        let text = match level {
            29 => "resources: []\n".to_owned(),
            _ => format!("resources: [{next}, {next}/../{}, {next}/.]\n", level + 1),
        };
        fs::write(here.join("kustomization.yaml"), text).unwrap();
    }
    fs::write(
        directory.path().join("shop/kustomization.yaml"),
        "resources: [app.yaml, ../fan/0]\n",
    )
    .unwrap();
    let output = catalog(&["export"], directory.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// A shop whose kustomization has this besides its application, and a ConfigMap to write to.
fn shop_with(more: &str) -> TempDir {
    let directory = platform();
    let shop = directory.path().join("shop");
    let map =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: shop}\ndata: {a: b}\n";
    fs::write(shop.join("map.yaml"), map).unwrap();
    let text = format!("resources: [app.yaml, map.yaml]\n{more}");
    fs::write(shop.join("kustomization.yaml"), text).unwrap();
    directory
}

#[test]
fn a_patch_that_copies_an_object_into_itself_is_stopped() {
    let copies: String = (0..40)
        .map(|at| format!("      - {{op: copy, from: /data, path: /data/x{at}}}\n"))
        .collect();
    let directory = shop_with(&format!(
        "patches:\n  - target: {{kind: ConfigMap}}\n    patch: |-\n{copies}"
    ));
    only(&findings_of(&directory), "build-too-large");
}

#[test]
fn a_patch_that_moves_an_object_ever_deeper_is_refused() {
    let step = "      - {op: add, path: /n, value: {}}\n      - {op: move, from: /data, path: /n/x}\n      - {op: move, from: /n, path: /data}\n";
    let directory = shop_with(&format!(
        "patches:\n  - target: {{kind: ConfigMap}}\n    patch: |-\n{}",
        step.repeat(20_000)
    ));
    only(&findings_of(&directory), "patch-failed");
}

#[test]
fn replacements_of_a_map_into_itself_are_stopped() {
    let each: String = (0..40)
        .map(|at| {
            format!(
                "  - source: {{kind: ConfigMap, name: x, fieldPath: data}}
    targets: [{{select: {{kind: ConfigMap, name: x}}, fieldPaths: [data.x{at}], options: {{create: true}}}}]\n"
            )
        })
        .collect();
    let directory = shop_with(&format!("replacements:\n{each}"));
    only(&findings_of(&directory), "build-too-large");
}

#[test]
fn replacements_that_double_a_text_are_stopped() {
    let each = "  - source: {kind: ConfigMap, name: x, fieldPath: data.a}
    targets: [{select: {kind: ConfigMap, name: x}, fieldPaths: [data.a], options: {delimiter: ',', index: 99}}]\n";
    let directory = shop_with(&format!("replacements:\n{}", each.repeat(40)));
    only(&findings_of(&directory), "build-too-large");
}

/// Directories that each include all that come after it, the first of which the shop includes.
fn clique(kind: &str, list: &str, size: usize) -> TempDir {
    let directory = platform();
    for at in 0..size {
        let here = directory.path().join(format!("clique/{at}"));
        fs::create_dir_all(&here).unwrap();
        let after: Vec<String> = (at + 1..size).map(|at| format!("../{at}")).collect();
        let text = format!("{kind}{list}: [{}]\nnamePrefix: a-\n", after.join(", "));
        fs::write(here.join("kustomization.yaml"), text).unwrap();
    }
    let shop = directory.path().join("shop/kustomization.yaml");
    let text = match list {
        "resources" => "resources: [app.yaml, ../clique/0]\n",
        _ => "resources: [app.yaml]\ncomponents: [../clique/0]\n",
    };
    fs::write(shop, text).unwrap();
    directory
}

#[test]
fn directories_that_all_include_each_other_are_stopped() {
    let directory = clique("", "resources", 40);
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";
    fs::write(directory.path().join("clique/39/x.yaml"), text).unwrap();
    fs::write(
        directory.path().join("clique/39/kustomization.yaml"),
        "resources: [x.yaml]\n# - y.yaml\n",
    )
    .unwrap();
    let document = export(directory.path());
    assert_eq!(document["components"].as_array().unwrap().len(), 3);
    let findings = document["findings"].as_array().unwrap().iter();
    let stopped = findings.filter(|finding| finding["rule"] == "build-too-large");
    assert_eq!(stopped.count(), 1);
}

#[test]
fn components_that_all_include_each_other_are_stopped() {
    let kind = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
    let directory = clique(kind, "components", 40);
    only(&findings_of(&directory), "build-too-large");
}

#[test]
fn thousands_of_labels_are_set_in_time() {
    let labels: String = (0..4_000).map(|at| format!("  l{at}: v\n")).collect();
    let directory = shop_with(&format!("commonLabels:\n{labels}"));
    let objects: String = (0..100)
        .map(|at| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{at}}}\n"))
        .collect();
    fs::write(directory.path().join("shop/map.yaml"), objects).unwrap();
    let start = std::time::Instant::now();
    assert!(findings_of(&directory).is_empty());
    // Looking through all labels for each would take a hundred times as long.
    assert!(start.elapsed().as_secs() < 60);
}

/// The findings of a rule, as `catalog check` prints them.
fn told(files: &[(&str, &str)], rule: &str) -> Vec<String> {
    let directory = repo(files);
    let document = export(directory.path());
    let findings = document["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|finding| finding["rule"] == rule);
    let messages = of_rule.map(|finding| finding["message"].as_str().unwrap().to_owned());
    messages.collect()
}

const UNIT: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: flux-system}
spec: {path: ./app, sourceRef: {kind: GitRepository, name: flux-system}}
";

#[test]
fn a_mistake_that_a_file_repeats_is_told_a_hundred_times_and_counted() {
    let keys = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{}",
        "  k: 1\n".repeat(20_001)
    );
    let files = [
        ("clusters/dev/app.yaml", UNIT),
        (
            "app/kustomization.yaml",
            "resources: [a.yaml]\nconfigMapGenerator:\n- {name: e, envs: [a.env]}\n",
        ),
        ("app/a.yaml", &keys),
        ("app/a.env", &"A=1\n".repeat(20_001)),
    ];
    for rule in ["yaml-duplicate-key", "env-duplicate-key"] {
        let told = told(&files, rule);
        assert_eq!(told.len(), 101, "{rule}");
        let counted = told
            .iter()
            .filter(|message| message.starts_with("19900 more"));
        assert_eq!(counted.count(), 1, "{rule}");
    }
}

#[test]
fn patches_that_copy_a_large_object_again_and_again_are_stopped() {
    let data: String = (0..20_000).map(|n| format!("  k{n}: v\n")).collect();
    let object = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{data}");
    let patch =
        "- target: {kind: ConfigMap}\n  patch: |\n    - {op: add, path: /data/x, value: y}\n";
    let patches = format!("resources: [a.yaml]\npatches:\n{}", patch.repeat(400));
    let files = [
        ("clusters/dev/app.yaml", UNIT),
        ("app/kustomization.yaml", patches.as_str()),
        ("app/a.yaml", &object),
    ];
    assert_eq!(told(&files, "build-too-large").len(), 1);
}

#[test]
fn a_template_that_doubles_a_list_costs_one_finding() {
    let set = "apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: set, namespace: argocd}
spec:
  goTemplate: true
  generators: [{list: {elements: [{a: 1}, {a: 2}, {a: 3}]}}]
  template:
    metadata:
      name: '{{ $x := list 1 }}{{ range until 40 }}{{ $x = list $x $x }}{{ end }}{{ eq $x (deepCopy $x) }}'
    spec: {project: default, source: {repoURL: 'https://example.com/x', path: a}, destination: {namespace: a}}
";
    let told = told(&[("clusters/dev/set.yaml", set)], "template-unfollowed");
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn values_of_terraform_that_grow_without_end_are_cut() {
    let double = |name: &str, first: &str, made: &str| {
        let steps = (1..12).map(|n| {
            let before = format!("local.{name}{}", n - 1);
            format!("  {name}{n} = {}\n", made.replace('X', &before))
        });
        format!("  {name}0 = {first}\n{}", steps.collect::<String>())
    };
    let object = |value: &str| {
        format!(
            "resource \"kubernetes_manifest\" \"x\" {{\n  count = 256\n  manifest = {{\n    apiVersion = \"v1\"\n    kind = \"ConfigMap\"\n    metadata = {{ name = \"x-${{count.index}}\" }}\n    data = {value}\n  }}\n}}\n"
        )
    };
    let lists = double("e", "[[], []]", "concat(X, X)");
    let encoded: String = (1..40)
        .map(|n| format!("  j{n} = jsonencode(local.j{})\n", n - 1))
        .collect();
    let merged: String = (0..3_000)
        .map(|n| format!("  n{n} = merge(local.m, local.m)\n"))
        .collect();
    for (locals, value) in [
        (
            format!(
                "{lists}  f = [for x in local.e11 : local.e11]\n  g = flatten([for x in local.e11 : local.f])\n"
            ),
            "{ a = join(\",\", local.g) }".to_owned(),
        ),
        (
            format!("  j0 = \"\\\"\\\"\"\n{encoded}"),
            "{ a = local.j39 }".to_owned(),
        ),
        (
            format!("{lists}  m = {{ for i, x in local.e11 : \"k${{i}}\" => i }}\n{merged}"),
            "[for x in range(1) : local.n2999]".to_owned(),
        ),
        (
            format!("{lists}  b = [for x in local.e3 : local.e11]\n"),
            "local.b".to_owned(),
        ),
    ] {
        let module = format!("locals {{\n{locals}}}\n{}", object(&value));
        let directory = repo(&[("infra/main.tf", &module)]);
        let start = std::time::Instant::now();
        export(directory.path());
        // Seconds at most, where it took minutes or all memory.
        assert!(start.elapsed().as_secs() < 30, "{value}");
    }
}

#[test]
fn a_variable_that_is_put_into_thousands_of_places_is_stopped() {
    let unit = format!(
        "{}  postBuild: {{substitute: {{BIG: {}}}}}\n",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app, namespace: flux-system}\nspec:\n  path: ./app\n  sourceRef: {kind: GitRepository, name: flux-system}\n",
        "a".repeat(100_000)
    );
    let data: String = (0..400)
        .map(|n| format!("  k{n}: {}\n", "${BIG}".repeat(9)))
        .collect();
    let object = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{data}");
    let files = [
        ("clusters/dev/app.yaml", unit.as_str()),
        ("app/a.yaml", &object),
    ];
    let told = told(&files, "substitution-invalid");
    assert_eq!(told.len(), 1, "{told:?}");
}
