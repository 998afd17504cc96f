//! Markup in what authors write.

use super::{build, check_links, check_policy, pages};
use crate::cli::repo;

const MARKUP: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'";

#[test]
fn markup_in_a_readme_a_name_or_a_value_never_becomes_markup() {
    let yaml = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let evil = yaml(MARKUP);
    let manifest = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {evil}\n  namespace: {evil}\n  labels:\n    app.kubernetes.io/name: {evil}\nspec:\n  replicas: {evil}\n  template:\n    spec:\n      containers:\n        - name: {evil}\n          image: {evil}\n          env:\n            - {{name: {evil}, value: {evil}}}\n---\napiVersion: {evil}\nkind: {evil}\nmetadata: {{name: {evil}}}\n---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  rules:\n    - host: {evil}\n"
    );
    let unit = format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {evil}, namespace: flux-system}}\nspec:\n  path: ./apps/x\n  dependsOn: [{{name: {evil}}}]\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n"
    );
    let release = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: y, namespace: {evil}}}\nspec:\n  chart:\n    spec: {{chart: {evil}, version: {evil}, sourceRef: {{kind: HelmRepository, name: {evil}}}}}\n  values:\n    key: {evil}\n    {evil}: [1, {evil}]\n"
    );
    let readme = format!(
        "# {MARKUP}\n\n{MARKUP} [a](javascript:alert(1)) <a href=\"javascript:alert(1)\" onclick=\"alert(1)\">b</a> <svg onload=alert(1)> and more words\n\n## Purpose {MARKUP}\n\n<iframe src=\"https://x\"></iframe>\n\n```{MARKUP}\n{MARKUP}\n```\n\n```mermaid\nflowchart TD\nA[\"{MARKUP}\"] --> B\nclick A href \"javascript:alert(1)\"\n```\n\n## Operations\n\n### {MARKUP}\n\n**Symptoms:** {MARKUP}\n"
    );
    let config = format!(
        "title = {MARKUP:?}\n[[layer]]\nname = {MARKUP:?}\nmatch = [\"**\"]\n[[owner]]\nname = {MARKUP:?}\ncontact = \"https://x.y/?a=<b>\"\nmatch = [\"**\"]\n"
    );
    let flux = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {url: 'https://x.y/z'}\n---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {path: ./clusters/dev, sourceRef: {kind: GitRepository, name: flux-system}}\n";
    let hostile = repo(&[
        ("catalog.toml", &config),
        ("clusters/dev/flux-system/gotk-sync.yaml", flux),
        ("clusters/dev/unit.yaml", &unit),
        ("clusters/dev/release.yaml", &release),
        ("apps/x/all.yaml", &manifest),
        ("apps/x/README.md", &readme),
        ("docs/<script>alert(1)<script>.md", &readme),
        ("docs/evil.svg", "<svg onload=\"alert(1)\"/>"),
        (
            "docs/page.md",
            "# Page\n\n![x](evil.svg) [y](<../docs/<script>alert(1)<script>.md>)\n",
        ),
    ]);
    let site = build(hostile.path());
    assert!(pages(&site).count() > 8);
    for (path, page) in pages(&site) {
        check_policy(path, page);
    }
    check_links(&site);
    assert!(!site.keys().any(|path| path.contains('<')));
    assert!(!site.contains_key("files/docs/evil.svg"));
    for (path, script) in site.iter().filter(|(path, _)| path.starts_with("search/")) {
        let script = std::str::from_utf8(script).unwrap();
        assert!(
            !script.contains("</script") && !script.contains("<img"),
            "{path}"
        );
    }
}
