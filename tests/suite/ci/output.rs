//! Reports for CI services: several formats from one run, GitLab Code Quality, and what code scanning shows of a rule.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{catalog, platform, stderr, stdout};

const BROKEN: &[(&str, &str)] = &[
    (
        "clusters/dev/apps.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec:\n  path: ./apps\n  sourceRef: {kind: GitRepository, name: flux-system}\n",
    ),
    (
        "apps/kustomization.yaml",
        "resources:\n  - missing.yaml\n  - gone.yaml\n",
    ),
    (
        "operator/secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: secrets}\nstringData: {password: hunter2hunter2}\n",
    ),
    ("broken.yaml", "a: 'open\n"),
];

/// The small platform of the other tests, with mistakes.
fn broken() -> TempDir {
    let directory = platform();
    for (path, text) in BROKEN {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

#[test]
fn one_run_writes_several_formats_and_prints_one() {
    let directory = broken();
    let output = catalog(
        &[
            "check",
            ".",
            "--quiet",
            "--output",
            "sarif=out.sarif",
            "--output",
            "github",
            "--output",
            "gitlab=quality.json",
            "--output",
            "junit=out.xml",
            "--output",
            "text=out.txt",
        ],
        directory.path(),
    );
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    // Each is what the format alone would print.
    for (format, text) in [
        ("github", stdout(&output)),
        ("sarif", read("out.sarif")),
        ("gitlab", read("quality.json")),
        ("junit", read("out.xml")),
        ("text", read("out.txt")),
    ] {
        let alone = broken();
        let alone = catalog(&["check", ".", "--quiet", "--format", format], alone.path());
        assert_eq!(stdout(&alone), text, "{format}");
    }
}

#[test]
fn only_one_format_can_be_printed_and_only_those_that_exist() {
    let directory = broken();
    for (args, expected) in [
        (
            &["--output", "json", "--output", "github"][..],
            "only one --output",
        ),
        (&["--output", "sariff=x"], "there is no format `sariff`"),
        (&["--output", "sarif="], "the file after `=` is missing"),
        (
            &["--output", "json", "--format", "text"],
            "cannot be used with",
        ),
        (
            &["--output", "json=no/such/directory/x"],
            "no/such/directory",
        ),
    ] {
        let args = [&["check", "."], args].concat();
        let output = catalog(&args, directory.path());
        assert_eq!(
            output.status.code(),
            Some(2),
            "{args:?}: {}",
            stdout(&output)
        );
        assert!(
            stderr(&output).contains(expected),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

fn code_quality(directory: &std::path::Path, select: &str) -> Vec<Value> {
    let output = catalog(
        &[
            "check", ".", "--quiet", "--format", "gitlab", "--select", select,
        ],
        directory,
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn code_quality_has_what_gitlab_requires() {
    let directory = broken();
    let issues = code_quality(directory.path(), "*");
    assert!(issues.len() >= 3, "{issues:?}");
    let mut fingerprints = BTreeSet::new();
    for issue in &issues {
        for key in ["description", "check_name", "fingerprint"] {
            assert!(
                issue[key].as_str().is_some_and(|text| !text.is_empty()),
                "{issue}"
            );
        }
        let severity = issue["severity"].as_str().unwrap();
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&severity));
        assert!(issue["location"]["path"].is_string(), "{issue}");
        assert!(issue["location"]["lines"]["begin"].as_u64().unwrap() >= 1);
        assert!(
            fingerprints.insert(issue["fingerprint"].to_string()),
            "{issue}"
        );
        assert!(!issue.to_string().contains("hunter2"), "{issue}");
    }
    let missing = |issues: &[Value]| {
        let found = issues
            .iter()
            .find(|issue| issue["check_name"] == "file-missing");
        found.unwrap().clone()
    };
    let before = missing(&issues);
    assert_eq!(before["location"]["path"], "apps/kustomization.yaml");
    assert_eq!(before["severity"], "critical");
    // A line above moves the finding, and leaves its fingerprint.
    let path = directory.path().join("apps/kustomization.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("# moved\n{text}")).unwrap();
    let after = missing(&code_quality(directory.path(), "file-*"));
    assert_eq!(after["fingerprint"], before["fingerprint"]);
    assert_ne!(after["location"], before["location"]);
    assert_eq!(code_quality(directory.path(), "dependency-cycle").len(), 0);
}

#[test]
fn code_scanning_learns_which_rules_are_about_security() {
    let directory = broken();
    let output = catalog(
        &["check", ".", "--quiet", "--format", "sarif"],
        directory.path(),
    );
    let sarif: Value = serde_json::from_slice(&output.stdout).unwrap();
    let driver = &sarif["runs"][0]["tool"]["driver"];
    let rules = driver["rules"].as_array().unwrap();
    let rule = |name: &str| rules.iter().find(|rule| rule["id"] == name).unwrap();
    let secret = &rule("secret-in-git")["properties"];
    assert_eq!(secret["security-severity"], "8.0");
    assert!(
        secret["tags"]
            .as_array()
            .unwrap()
            .contains(&"security".into())
    );
    let missing = &rule("file-missing")["properties"];
    assert_eq!(missing["security-severity"], Value::Null);
    assert_eq!(missing["tags"][0], "gitops");
    // Links lead to the published repository, never to the placeholder.
    let is_published = !env!("CARGO_PKG_REPOSITORY").contains("/your-org/");
    assert_eq!(driver["informationUri"].is_string(), is_published);
    assert_eq!(rule("file-missing")["helpUri"].is_string(), is_published);
}
