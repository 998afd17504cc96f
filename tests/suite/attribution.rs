//! Which components a finding concerns, where the file that it stands in is not one's alone.

use serde_json::Value;

use crate::cli::{catalog, export, repo, stdout};
use crate::site::{build, text};

fn unit(name: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  path: ./{name}
  targetNamespace: {name}
  sourceRef: {{kind: GitRepository, name: flux-system}}
{more}"
    )
}

fn release(name: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name}}}
spec:
  chart: {{spec: {{chart: {name}, version: 1.0.0, sourceRef: {{kind: HelmRepository, name: all}}}}}}
---
"
    )
}

fn of_rule<'d>(document: &'d Value, rule: &str) -> Vec<&'d Value> {
    let findings = document["findings"].as_array().unwrap().iter();
    findings.filter(|one| one["rule"] == rule).collect()
}

#[test]
fn a_finding_about_a_unit_concerns_all_components_of_it() {
    let entry = unit("flux-system", "").replace("./flux-system", "./clusters/dev");
    let logs = ["loki", "promtail"].map(release).concat();
    let directory = repo(&[
        ("clusters/dev/flux-system/gotk-sync.yaml", &entry),
        (
            "clusters/dev/logs.yaml",
            &unit("logs", "  dependsOn: [{name: nowhere}]\n"),
        ),
        ("clusters/dev/web.yaml", &unit("web", "")),
        ("logs/releases.yaml", &logs),
        ("web/web.yaml", &release("web")),
    ]);
    let root = directory.path();
    let document = export(root);
    let found = of_rule(&document, "dangling-dependency");
    assert_eq!(found.len(), 1, "{document}");
    assert_eq!(found[0]["component"], Value::Null);
    assert_eq!(
        found[0]["components"],
        serde_json::json!(["loki", "promtail"])
    );
    let site = build(root);
    for (component, is_concerned) in [("loki", true), ("promtail", true), ("web", false)] {
        let page = text(&site, &format!("components/{component}.md"));
        assert_eq!(page.contains("dangling-dependency"), is_concerned, "{page}");
    }
    let page = text(&site, "components/promtail.html");
    assert!(page.contains("href=\"#findings\""), "the head says so");
    let all = text(&site, "findings.html");
    assert!(
        all.contains("data-component=\"Loki&#10;Promtail\""),
        "{all}"
    );
    let chosen = catalog(&["check", "--component", "loki"], root);
    assert!(stdout(&chosen).contains("dangling-dependency"));
    let chosen = catalog(&["check", "--component", "web"], root);
    assert!(!stdout(&chosen).contains("dangling-dependency"));
}

#[test]
fn what_several_take_from_one_file_is_told_of_the_one_whose_object_it_is() {
    let entry = unit("flux-system", "").replace("./flux-system", "./clusters/dev");
    let namespaces = ["issuer", "early", "late"]
        .map(|name| format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n---\n"));
    let kustomization = |name: &str| format!("namePrefix: {name}-\nresources: [../shared]\n");
    let directory = repo(&[
        ("clusters/dev/flux-system/gotk-sync.yaml", &entry),
        ("clusters/dev/namespaces.yaml", &namespaces.concat()),
        (
            "clusters/dev/issuer.yaml",
            &unit("issuer", "  wait: true\n"),
        ),
        (
            "clusters/dev/late.yaml",
            &unit("late", "  dependsOn: [{name: issuer}]\n"),
        ),
        ("clusters/dev/early.yaml", &unit("early", "")),
        ("issuer/release.yaml", &release("trust-manager")),
        ("late/kustomization.yaml", &kustomization("late")),
        ("early/kustomization.yaml", &kustomization("early")),
        ("shared/kustomization.yaml", "resources: [bundle.yaml]\n"),
        (
            "shared/bundle.yaml",
            "apiVersion: trust.cert-manager.io/v1alpha1\nkind: Bundle\nmetadata: {name: roots}\n",
        ),
    ]);
    let document = export(directory.path());
    let found = of_rule(&document, "crd-unordered");
    assert_eq!(found.len(), 1, "{document}");
    assert_eq!(found[0]["file"], "shared/bundle.yaml");
    assert_eq!(found[0]["component"], "early");
    assert!(found[0].get("components").is_none());
}
