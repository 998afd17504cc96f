//! Pages of API groups: who installs the definitions, and what is known where nobody here is seen to.

use tempfile::TempDir;

use crate::cli::repo;
use crate::entry;
use crate::site::{build, text};

fn unit(name: &str) -> String {
    entry::unit(name, &format!("./{name}"), "")
}

fn release(name: &str, values: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name}, namespace: {name}}}
spec:
  chart: {{spec: {{chart: {name}, version: 1.0.0, sourceRef: {{kind: HelmRepository, name: {name}}}}}}}
  values: {values}
"
    )
}

fn object(api: &str, kind: &str) -> String {
    format!("apiVersion: {api}/v1\nkind: {kind}\nmetadata: {{name: one, namespace: jobs}}\n---\n")
}

fn fleet() -> TempDir {
    let units: String = ["flux-system", "traefik", "engine", "jobs"]
        .map(unit)
        .concat();
    let units = units.replace("./flux-system", "./clusters/dev");
    let traefik = object("traefik.io", "IngressRoute") + &release("traefik", "{}");
    let engine = release("llmkube", "{crds: {install: true}}");
    let jobs = [
        ("inference.llmkube.dev", "Model"),
        ("kopiur.example.com", "Snapshot"),
        ("distribution.example.net", "Driver"),
        ("nobody.example.org", "Thing"),
    ];
    let jobs: String = jobs.map(|(api, kind)| object(api, kind)).concat();
    repo(&[
        (
            "catalog.toml",
            "external_crds = [\"distribution.example.net\"]\n",
        ),
        ("clusters/dev/flux-system/gotk-sync.yaml", &units),
        ("traefik/all.yaml", &traefik),
        ("engine/release.yaml", &engine),
        ("jobs/all.yaml", &jobs),
        (
            "bootstrap/helmfile.yaml",
            "releases:\n  - name: kopiur\n    namespace: system\n",
        ),
    ])
}

#[test]
fn an_api_says_who_installs_it_or_what_is_known_of_that() {
    let directory = fleet();
    let site = build(directory.path());
    let list = text(&site, "apis.md");
    for (group, installed_by) in [
        ("traefik.io", "Traefik"),
        ("inference.llmkube.dev", "Engine"),
        ("kopiur.example.com", "Manual step"),
        ("distribution.example.net", "Not in this repository"),
        ("nobody.example.org", "Not found in this repository"),
    ] {
        let row = format!("| [{group}](apis/{group}.md) | {installed_by} |");
        assert!(list.contains(&row), "{row}\n{list}");
    }
    for (group, said) in [
        (
            "traefik.io",
            "Installed by: [Traefik](../components/traefik.md)",
        ),
        (
            "kopiur.example.com",
            "Installed by: Manual step before bootstrap: bootstrap/helmfile.yaml:2",
        ),
        (
            "distribution.example.net",
            "Installed by: Not in this repository (declared in catalog.toml)",
        ),
        (
            "nobody.example.org",
            "Installed by: Not found in this repository: no manifest defines the CRDs",
        ),
    ] {
        let page = text(&site, &format!("apis/{group}.md"));
        assert!(page.contains(said), "{said}\n{page}");
    }
    let page = text(&site, "apis/traefik.io.html");
    let kinds = page.split("id=\"kinds\"").nth(1).unwrap();
    assert!(
        !kinds.contains("in this repository") && !kinds.contains("Manual step"),
        "{kinds}"
    );
    let own = text(&site, "components/traefik.md");
    assert!(own.contains("traefik.io"), "{own}");
}
