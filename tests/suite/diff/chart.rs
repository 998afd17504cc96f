//! What changes inside a chart between two commits.

use super::{commit, git, replace, text};
use crate::cli::{repo, unit};

const RELEASE: &str = "\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}
  values: {replicas: 1}
";

const TEMPLATE: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {helm.sh/chart: \"{{ .Chart.Name }}-{{ .Chart.Version }}\"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'ghcr.io/acme/web:{{ .Chart.Version }}'}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: '{{ .Release.Name }}'}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: '{{ .Release.Name }}'
  labels: {helm.sh/chart: \"{{ .Chart.Name }}-{{ .Chart.Version }}\"}
";

#[test]
fn objects_of_a_chart_are_compared_by_what_they_hold() {
    let directory = repo(&[
        ("clusters/prod/apps.yaml", &unit("apps", "apps", "")),
        ("apps/web.yaml", RELEASE),
        (
            "charts/web/Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        ),
        ("charts/web/templates/all.yaml", TEMPLATE),
    ]);
    let root = directory.path();
    git(root, &["init", "-q", "-b", "main"]);
    commit(root, "first");
    replace(
        root,
        "charts/web/Chart.yaml",
        "version: 1.0.0",
        "version: 1.1.0",
    );
    let template = "charts/web/templates/all.yaml";
    replace(
        root,
        template,
        "matchLabels: {app: web}",
        "matchLabels: {app: shop}",
    );
    replace(root, template, "kind: ServiceAccount", "kind: Secret");
    commit(root, "second");
    let told = text(root, &["HEAD~1", "HEAD"]);
    let lines: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("object"))
        .collect();
    let has = |words: &[&str]| {
        let all = |line: &&&str| words.iter().all(|word| line.contains(word));
        lines.iter().any(|line| all(&line))
    };
    assert!(has(&["ServiceAccount shop/web"]), "{told}");
    assert!(has(&["Secret shop/web"]), "{told}");
    assert!(has(&["Deployment shop/web", "must be recreated"]), "{told}");
    // Only a label with the version of the chart changed in it.
    assert!(!has(&["ConfigMap"]), "{told}");
    assert!(told.contains("1.0.0") && told.contains("1.1.0"), "{told}");
}
