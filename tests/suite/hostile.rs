//! Hostile input is normal input: each costs one clear finding, and nothing else is lost.

mod growth;
mod nonsense;
mod outside;
mod terminal;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{catalog, export, platform, repo, stderr};

/// The findings on a platform to which a file was added; everything else must still be there.
fn findings_with(path: &str, content: &[u8]) -> Vec<Value> {
    let directory = platform();
    let full = directory.path().join(path);
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    fs::write(full, content).unwrap();
    findings_of(&directory)
}

fn findings_of(directory: &TempDir) -> Vec<Value> {
    let document = export(directory.path());
    assert_eq!(
        document["components"].as_array().unwrap().len(),
        3,
        "a component was lost"
    );
    let findings = document["findings"].as_array().unwrap().iter();
    let of_readers =
        findings.filter(|finding| !crate::check::is_of_check(finding["rule"].as_str().unwrap()));
    of_readers.cloned().collect()
}

fn only(findings: &[Value], rule: &str) {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["rule"], rule, "{findings:#?}");
}

#[test]
fn an_empty_cluster_is_an_empty_catalogue() {
    let directory = repo(&[
        (
            "catalog.toml",
            "[[cluster]]\nname = \"dev\"\nroot = \"dev\"\n",
        ),
        ("dev/kustomization.yaml", "resources: []\n"),
    ]);
    let document = export(directory.path());
    assert_eq!(document["components"], Value::Array(Vec::new()));
    assert_eq!(document["findings"], Value::Array(Vec::new()));
    assert_eq!(catalog(&["check"], directory.path()).status.code(), Some(0));
}

#[test]
fn a_directory_without_git_has_no_commit() {
    assert_eq!(export(platform().path())["commit"], Value::Null);
}

/// Commits all that a directory holds, where there is a git to do it.
fn committed(root: &Path) -> bool {
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        let output = command.args(args).current_dir(root).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        return false;
    }
    assert!(git(&["add", "-A"]) && git(&["commit", "-qm", "all"]));
    true
}

#[test]
fn a_git_repository_has_its_commit() {
    let directory = platform();
    if !committed(directory.path()) {
        return;
    }
    assert_eq!(
        export(directory.path())["commit"].as_str().unwrap().len(),
        40
    );
}

#[test]
fn a_binary_file_is_named_and_left_out() {
    only(
        &findings_with("shop/logo.yaml", b"\x89PNG\0\0\0"),
        "file-binary",
    );
    assert!(findings_with("shop/logo.png", b"\x89PNG\0\0\0").is_empty());
}

#[test]
fn a_manifest_of_two_megabytes_is_read() {
    let mut text = String::from(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big, namespace: shop}\ndata:\n",
    );
    while text.len() < 2_000_000 {
        text += &format!("  key-{}: some value that stands here\n", text.len());
    }
    assert!(findings_with("shop/big.yaml", text.as_bytes()).is_empty());
}

#[test]
fn a_file_over_the_limit_is_named_and_left_out() {
    let text = "# nothing\n".repeat(900_000);
    only(
        &findings_with("shop/huge.yaml", text.as_bytes()),
        "file-too-large",
    );
}

#[test]
fn variables_of_a_file_that_is_not_read_are_unknown() {
    let uses: String = (0..500)
        .map(|at| format!("  k{at}: ${{V{at}}}\n"))
        .collect();
    let map = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: used, namespace: shop}}\ndata:\n{uses}"
    );
    let variables = "configMapGenerator:\n- name: vars\n  namespace: flux-system\n  envs: [small.env, big.env]\n  options: {disableNameSuffixHash: true}\nresources: [unit.yaml]\n";
    let unit = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: used, namespace: flux-system}\nspec:\n  path: ./used\n  sourceRef: {kind: GitRepository, name: flux-system}\n  postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}\n";
    let big = "# nothing\n".repeat(900_000);
    let directory = platform();
    for (path, text) in [
        ("clusters/dev/more/kustomization.yaml", variables),
        ("clusters/dev/more/unit.yaml", unit),
        ("clusters/dev/more/small.env", "V1=here\n"),
        ("clusters/dev/more/big.env", big.as_str()),
        ("used/map.yaml", map.as_str()),
    ] {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let document = export(directory.path());
    let findings = document["findings"].as_array().unwrap();
    let rules: Vec<&str> = findings
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap())
        .filter(|rule| *rule == "unset-variable" || rule.starts_with("file-"))
        .collect();
    assert_eq!(rules, ["file-too-large"], "{findings:#?}");
}

#[test]
fn invalid_utf8_is_named_with_its_place() {
    let findings = findings_with("shop/latin.yaml", b"a: 1\nname: caf\xe9\n");
    only(&findings, "file-not-utf8");
    assert_eq!(findings[0]["line"], 2);
}

#[test]
fn an_unclosed_quote_costs_its_document_only() {
    let text = b"apiVersion: v1\nkind: Namespace\nmetadata: {name: kept}\n---\nname: \"open\n";
    only(&findings_with("shop/quote.yaml", text), "yaml-syntax");
}

#[test]
fn a_billion_laughs_are_not_laughed() {
    let mut text = String::from("a0: &a0 [lol]\n");
    for i in 1..40 {
        text += &format!(
            "a{i}: &a{i} [{}]\n",
            vec![format!("*a{}", i - 1); 10].join(", ")
        );
    }
    only(
        &findings_with("other/bomb.yaml", text.as_bytes()),
        "yaml-expansion",
    );
}

#[test]
fn deep_nesting_does_not_overflow() {
    for text in [
        "[".repeat(10_000),
        "- ".repeat(10_000),
        "{a: ".repeat(10_000),
    ] {
        only(
            &findings_with("other/deep.yaml", text.as_bytes()),
            "yaml-too-deep",
        );
    }
}

#[test]
fn a_kustomization_that_includes_itself_ends() {
    let directory = platform();
    let shop = directory.path().join("shop/kustomization.yaml");
    fs::write(shop, "resources: [app.yaml, ../shop]\n").unwrap();
    only(&findings_of(&directory), "kustomization-cycle");
}

#[test]
fn two_kustomizations_that_include_each_other_end() {
    let directory = platform();
    let shop = directory.path().join("shop/kustomization.yaml");
    fs::write(shop, "resources: [app.yaml, ../other]\n").unwrap();
    fs::create_dir(directory.path().join("other")).unwrap();
    fs::write(
        directory.path().join("other/kustomization.yaml"),
        "resources: [../shop]\n",
    )
    .unwrap();
    only(&findings_of(&directory), "kustomization-cycle");
}

#[test]
fn thousands_of_mistakes_in_a_configuration_are_counted() {
    let directory = platform();
    let text: String = (0..60_000).map(|at| format!("key{at} = 1\n")).collect();
    fs::write(directory.path().join("catalog.toml"), text).unwrap();
    let output = catalog(&["check"], directory.path());
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("59,950 more errors in this file"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_costs_one_finding() {
    use std::os::unix::fs::PermissionsExt;
    let directory = platform();
    let path = directory.path().join("shop/locked.yaml");
    fs::write(&path, "a: 1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Who may read everything cannot be refused.
    if fs::read(&path).is_err() {
        only(&findings_of(&directory), "file-unreadable");
    }
}

#[cfg(unix)]
#[test]
fn a_mailmap_is_not_read() {
    let directory = platform();
    if !committed(directory.path()) {
        return;
    }
    let made = Command::new("mkfifo")
        .arg(directory.path().join(".mailmap"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let start = std::time::Instant::now();
    let out = directory.path().join("site");
    let output = catalog(&["build", "--out", out.to_str().unwrap()], directory.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(start.elapsed().as_secs() < 50);
}

#[test]
fn a_bad_substitution_is_a_finding() {
    let directory = platform();
    let app = directory.path().join("shop/extra.yaml");
    fs::write(app, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: shop}\ndata: {a: '${bad'}\n").unwrap();
    only(&findings_of(&directory), "substitution-invalid");
}
