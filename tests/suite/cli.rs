//! The program as a user runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub fn catalog(args: &[&str], directory: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_catalog"))
        .args(args)
        .current_dir(directory)
        .output()
        .unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A repo of these files.
pub fn repo(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    directory
}

pub fn export(directory: &Path) -> Value {
    let output = catalog(&["export"], directory);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A small platform: one cluster, an operator, a store that needs it, and an application.
pub fn platform() -> TempDir {
    repo(&[
        ("clusters/dev/flux-system/gotk-sync.yaml", SYNC),
        (
            "clusters/dev/flux-system/kustomization.yaml",
            "resources: [gotk-sync.yaml]\n",
        ),
        (
            "clusters/dev/operator.yaml",
            &unit("operator", "operator", "  wait: true\n"),
        ),
        (
            "clusters/dev/store.yaml",
            &unit("store", "store", "  dependsOn: [{name: operator}]\n"),
        ),
        (
            "clusters/dev/shop.yaml",
            &unit(
                "shop",
                "shop",
                "  postBuild: {substitute: {REPLICAS: \"3\", DB_PASSWORD: hunter2}}\n",
            ),
        ),
        ("operator/helm.yaml", OPERATOR),
        (
            "store/store.yaml",
            "apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: vault}\nspec: {}\n",
        ),
        ("shop/app.yaml", SHOP),
    ])
}

#[test]
fn a_reader_that_has_gone_away_is_no_reason_to_fail() {
    let repo = platform();
    for args in [
        &["build"][..],
        &["build", "--check"],
        &["check"],
        &["export"],
        &["graph"],
        &["rehearse"],
        &["init", "--dry-run"],
        &["explain", "weak-gate"],
        &["nonsense"],
    ] {
        let expected = catalog(args, repo.path()).status.code().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_catalog"))
            .args(args)
            .current_dir(repo.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Both ends are closed before anything is written.
        drop((child.stdout.take(), child.stderr.take()));
        let code = child.wait().unwrap().code().unwrap();
        assert!(code == expected || code == 0, "{args:?}: {code}");
    }
}

pub fn unit(name: &str, path: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  path: ./{path}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{more}"
    )
}

/// What `flux bootstrap` leaves in `clusters/dev`.
pub const SYNC: &str = "apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {url: 'https://git.example.com/platform'}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec:
  path: ./clusters/dev
  sourceRef: {kind: GitRepository, name: flux-system}
";

const OPERATOR: &str = "apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: external-secrets, namespace: flux-system}
spec: {url: 'https://charts.external-secrets.io'}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: external-secrets, namespace: flux-system}
spec:
  targetNamespace: secrets
  chart:
    spec:
      chart: external-secrets
      version: 0.18.2
      sourceRef: {kind: HelmRepository, name: external-secrets}
  values:
    replicaCount: 2
    webhook: {adminPassword: s3cret-value}
";

const SHOP: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: shop}
spec:
  replicas: ${REPLICAS}
  template:
    spec:
      containers:
        - name: shop
          image: shop:1.2.3
          env:
            - {name: DB_PASSWORD, value: '${DB_PASSWORD}'}
            - {name: API_TOKEN, value: plain-token-value}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: shop, namespace: shop}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
---
apiVersion: v1
kind: Secret
metadata: {name: raw, namespace: shop}
stringData: {anything: very-secret-text}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop, namespace: shop}
spec:
  rules:
    - host: shop.example.com
";

fn component<'a>(document: &'a Value, id: &str) -> &'a Value {
    let components = document["components"].as_array().unwrap();
    components
        .iter()
        .find(|component| component["id"] == id)
        .unwrap_or_else(|| panic!("no component {id} in {components:#?}"))
}

#[test]
fn export_prints_the_catalogue() {
    let directory = platform();
    let document = export(directory.path());
    assert_eq!(document["schema"], 1);
    assert_eq!(document["commit"], Value::Null);
    assert_eq!(document["clusters"][0]["name"], "dev");
    assert_eq!(document["clusters"][0]["root"], "clusters/dev");
    let units = document["clusters"][0]["units"].as_array().unwrap();
    assert_eq!(units.len(), 5);
    let operator = component(&document, "operator");
    assert_eq!(operator["kind"], "HelmRelease");
    assert_eq!(operator["namespace"], "secrets");
    assert_eq!(operator["chart"]["name"], "external-secrets");
    assert_eq!(operator["chart"]["version"], "0.18.2");
    assert_eq!(
        operator["chart"]["repository"],
        "https://charts.external-secrets.io"
    );
    let store = component(&document, "store");
    let reasons: Vec<_> = store["upstream"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["Flux dependsOn", "needs its CRD"]);
    assert_eq!(store["upstream"][0]["file"], "clusters/dev/store.yaml");
    assert_eq!(store["upstream"][0]["line"], 7);
    let shop = component(&document, "shop");
    assert_eq!(shop["urls"][0], "http://shop.example.com/");
    assert_eq!(shop["images"][0], "shop:1.2.3");
    assert_eq!(shop["workloads"][0]["replicas"], "3");
    assert!(
        shop["upstream"]
            .as_array()
            .unwrap()
            .iter()
            .any(|edge| edge["id"] == "store")
    );
}

#[test]
fn no_secret_leaves_the_program() {
    let directory = platform();
    let output = catalog(&["export"], directory.path());
    let text = stdout(&output) + &stderr(&output);
    for secret in [
        "hunter2",
        "s3cret-value",
        "plain-token-value",
        "very-secret-text",
    ] {
        assert!(!text.contains(secret), "{secret} was exported");
    }
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let settings = component(&document, "operator")["settings"]
        .as_array()
        .unwrap();
    let password = settings
        .iter()
        .find(|setting| setting["name"] == "webhook.adminPassword")
        .unwrap();
    assert_eq!(password["secret"], true);
    assert_eq!(password["values"]["dev"]["value"], Value::Null);
    assert_eq!(password["values"]["dev"]["file"], "operator/helm.yaml");
}

#[test]
fn the_same_repo_gives_the_same_bytes() {
    let directory = platform();
    let first = catalog(&["export"], directory.path()).stdout;
    for _ in 0..3 {
        assert_eq!(first, catalog(&["export"], directory.path()).stdout);
    }
}

#[test]
fn the_sha_changes_with_the_facts_and_with_nothing_else() {
    let directory = platform();
    let before = export(directory.path());
    assert_eq!(before["sha"].as_str().unwrap().len(), 16);
    fs::write(directory.path().join("notes.txt"), "nothing").unwrap();
    assert_eq!(before["sha"], export(directory.path())["sha"]);
    let shop = directory.path().join("shop/app.yaml");
    fs::write(&shop, SHOP.replace("1.2.3", "1.2.4")).unwrap();
    assert_ne!(before["sha"], export(directory.path())["sha"]);
}

#[test]
fn export_follows_its_schema_and_the_schema_in_docs_is_current() {
    let document = export(platform().path());
    follows_schema(
        "service-catalog.schema.json",
        &catalog::export::service_catalog::schema(),
        &document,
    );
}

/// Holds a document to its schema, and the schema in docs/ to the one that the types give.
pub fn follows_schema(name: &str, schema: &Value, document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(name);
    let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        text,
        "run the tests once with UPDATE_GOLDEN=1"
    );
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_mistake_in_the_configuration_is_shown_with_its_line() {
    let directory = repo(&[("catalog.toml", "# ours\ntilte = \"x\"\n")]);
    let output = catalog(&["export"], directory.path());
    assert_eq!(output.status.code(), Some(2));
    let error = stderr(&output);
    assert!(
        error.contains("catalog.toml:2:1") && error.contains("did you mean `title`?"),
        "{error}"
    );
}

#[test]
fn configured_clusters_count_alone() {
    let directory = platform();
    let config = "[[cluster]]\nname = \"only\"\nroot = \"store\"\n";
    fs::write(directory.path().join("catalog.toml"), config).unwrap();
    let document = export(directory.path());
    assert_eq!(document["clusters"].as_array().unwrap().len(), 1);
    assert_eq!(document["clusters"][0]["name"], "only");
}

#[test]
fn a_repo_that_is_not_there_cannot_be_read() {
    let directory = repo(&[]);
    let output = catalog(&["export", "nowhere"], directory.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("`nowhere` does not exist"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn check_ends_with_one_when_there_are_errors() {
    let clean = platform();
    assert_eq!(catalog(&["check"], clean.path()).status.code(), Some(0));
    fs::write(clean.path().join("shop/broken.yaml"), "a: 'open\n").unwrap();
    let output = catalog(&["check", "--format", "json"], clean.path());
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut findings = report["findings"].as_array().unwrap().iter();
    let broken = findings.find(|finding| finding["rule"] == "yaml-syntax");
    assert_eq!(broken.unwrap()["file"], "shop/broken.yaml");
    assert_eq!(broken.unwrap()["component"], "shop");
}
