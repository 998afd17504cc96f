//! `catalog init`: what it says, what it writes, and what it leaves alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use catalog::input::config;
use serde_json::Value;

use crate::cli::{catalog, export, platform, repo, stderr, stdout};
use crate::site::files;

fn init(directory: &Path, more: &[&str]) -> String {
    let mut args = vec!["init"];
    args.extend(more);
    let output = catalog(&args, directory);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stderr(&output)
}

fn read(directory: &Path, path: &str) -> String {
    fs::read_to_string(directory.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A configuration with every key in use.
fn uncommented(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '[') => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_recognised_is_said_and_written_down_and_changes_nothing() {
    let repo = platform();
    let before = export(repo.path());
    let said = init(repo.path(), &[]);
    for line in [
        "Reconciler   Flux",
        "Cluster      dev  clusters/dev",
        "Wrote catalog.toml",
    ] {
        assert!(said.contains(line), "{line} in\n{said}");
    }
    let written = read(repo.path(), "catalog.toml");
    assert!(written.contains("\n#   Cluster      dev"), "{written}");
    assert!(
        written.contains("\n#root = \"clusters/dev\"\n"),
        "{written}"
    );
    let after = export(repo.path());
    assert_eq!(before["sha"], after["sha"]);
    assert_eq!(before["findings"], after["findings"]);
}

#[test]
fn every_key_that_is_written_can_be_used_as_it_stands() {
    for directory in [platform(), tempfile::tempdir().unwrap()] {
        init(directory.path(), &[]);
        let text = uncommented(&read(directory.path(), "catalog.toml"));
        let config =
            config::parse(&text, "catalog.toml").unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(config.clusters.len(), 1);
        assert_eq!(config.charts.len(), 1);
        assert_eq!(config.check.allow.len(), 1);
        assert!(config.title.is_some() && config.url.is_some());
    }
}

#[test]
fn nothing_that_exists_is_overwritten() {
    let repo = platform();
    fs::write(repo.path().join("catalog.toml"), "title = \"Mine\"\n").unwrap();
    let said = init(repo.path(), &["--ci", "forgejo"]);
    assert!(
        said.contains("Did not write catalog.toml: it already exists"),
        "{said}"
    );
    assert!(
        said.contains("Wrote .forgejo/workflows/catalog.yml"),
        "{said}"
    );
    assert_eq!(read(repo.path(), "catalog.toml"), "title = \"Mine\"\n");
    let first = files(repo.path());
    init(repo.path(), &["--ci", "forgejo"]);
    assert!(files(repo.path()) == first);
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    let (repo, outside) = (platform(), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(outside.path(), repo.path().join(".github")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("x"), repo.path().join("catalog.toml")).unwrap();
    let said = init(repo.path(), &["--ci", "github"]);
    assert!(
        said.contains("Did not write .github/workflows/catalog.yml"),
        "{said}"
    );
    assert!(said.contains("Did not write catalog.toml"), "{said}");
    assert_eq!(files(outside.path()).len(), 0);
}

#[test]
fn a_dry_run_prints_and_writes_nothing() {
    let repo = platform();
    let before = files(repo.path());
    let output = catalog(&["init", "--dry-run", "--ci", "gitlab"], repo.path());
    let printed = stdout(&output);
    assert!(
        printed.contains("#[[cluster]]") && printed.contains("catalog-check:"),
        "{printed}"
    );
    assert!(files(repo.path()) == before);
}

#[test]
fn an_empty_directory_is_told_what_would_be_recognised() {
    let directory = tempfile::tempdir().unwrap();
    let said = init(directory.path(), &[]);
    assert!(
        said.contains("looked for Flux Kustomizations, HelmReleases and ResourceSets"),
        "{said}"
    );
    assert!(said.contains("[[cluster]]"), "{said}");
}

#[test]
fn a_pipeline_stands_where_its_forge_looks_for_it() {
    let one = repo(&[("a.yaml", "a: 1\n")]);
    init(one.path(), &["--ci", "gitlab"]);
    assert!(one.path().join(".gitlab-ci.yml").is_file());
    let other = repo(&[(".gitlab-ci.yml", "stages: []\n")]);
    let said = init(other.path(), &["--ci", "gitlab"]);
    assert!(other.path().join(".gitlab/catalog.gitlab-ci.yml").is_file());
    assert!(said.contains("include"), "{said}");
    assert_eq!(read(other.path(), ".gitlab-ci.yml"), "stages: []\n");
}

#[test]
fn a_directory_below_the_top_of_a_git_repository_gets_no_pipeline() {
    let whole = repo(&[("platform/a.yaml", "a: 1\n")]);
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
        assert!(
            git.args(args)
                .current_dir(whole.path())
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    let said = init(&whole.path().join("platform"), &[".", "--ci", "github"]);
    assert!(said.contains("at the root of the git repository"), "{said}");
    assert!(!whole.path().join("platform/.github").exists());
}

#[test]
fn a_pipeline_comes_with_a_baseline_so_that_its_first_run_passes() {
    for repo_host in ["github", "gitlab", "forgejo"] {
        let repo = platform();
        fs::write(repo.path().join("broken.yaml"), "a: 'open\n").unwrap();
        let check = |more: &[&str]| {
            let args = [&["check", ".", "--fail-on", "info"], more].concat();
            catalog(&args, repo.path()).status.code()
        };
        assert_eq!(check(&[]), Some(1));
        let said = init(repo.path(), &["--ci", repo_host]);
        assert!(said.contains("Wrote catalog-baseline.json"), "{said}");
        assert!(said.contains("fails only on new findings"), "{said}");
        let baseline = ["--baseline", "catalog-baseline.json"];
        assert_eq!(check(&baseline), Some(0), "{repo_host}");
        // A new finding still fails.
        fs::write(repo.path().join("new.yaml"), "a: 'open\n").unwrap();
        assert_eq!(check(&baseline), Some(1), "{repo_host}");
    }
}

#[test]
fn without_findings_or_a_pipeline_there_is_no_baseline() {
    let repo = platform();
    init(repo.path(), &[]);
    assert!(!repo.path().join("catalog-baseline.json").exists());
    let clean = tempfile::tempdir().unwrap();
    let said = init(clean.path(), &["--ci", "github"]);
    assert!(
        !clean.path().join("catalog-baseline.json").exists(),
        "{said}"
    );
}

#[test]
fn a_pipeline_that_does_not_know_its_source_says_what_to_set() {
    if !env!("CARGO_PKG_REPOSITORY").contains("/your-org/") {
        return;
    }
    for (repo_host, variable) in [
        ("github", "CATALOG_REPOSITORY"),
        ("gitlab", "CATALOG_SOURCE"),
        ("forgejo", "CATALOG_SOURCE"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let said = init(directory.path(), &["--ci", repo_host]);
        assert!(said.contains(variable), "{said}");
    }
}

/// Everything below a key, anywhere.
fn all<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get(key));
            map.values().for_each(|inner| all(inner, key, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| all(inner, key, found)),
        _ => {}
    }
}

#[test]
fn pipelines_are_yaml_that_asks_for_little_and_pins_what_it_runs() {
    let directory = tempfile::tempdir().unwrap();
    for (repo_host, path) in [
        ("github", ".github/workflows/catalog.yml"),
        ("gitlab", ".gitlab-ci.yml"),
        ("forgejo", ".forgejo/workflows/catalog.yml"),
    ] {
        init(directory.path(), &["--ci", repo_host]);
        let text = read(directory.path(), path);
        let value: Value = serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
        // Nothing is downloaded from the placeholder.
        assert!(!text.contains("your-org"), "{path}");
        assert!(!text.contains("pull_request_target"), "{path}");
        assert!(!text.contains("secrets."), "{path}");
        let mut uses = Vec::new();
        all(&value, "uses", &mut uses);
        for action in uses {
            let action = action.as_str().unwrap();
            let (name, version) = action.split_once('@').unwrap_or((action, ""));
            // Our own action is used by the tag of this version, or checked out by it.
            let is_own = name.ends_with("/catalog");
            let is_commit = version.len() == 40 && version.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_own || is_commit, "{action}");
        }
        // The action runs them for GitHub.
        let commands = match repo_host {
            "github" => ["command: check diff", "command: build", "pages: \"true\""],
            _ => ["catalog check", "catalog build", "catalog diff"],
        };
        for command in commands {
            assert!(text.contains(command), "{command} in {path}");
        }
        // A pull request may change `catalog.toml`, which may name another repository.
        for command in text.split("catalog ").skip(1) {
            let line = format!("catalog {}", command.lines().next().unwrap());
            let is_run = ["check", "build", "diff"]
                .iter()
                .any(|name| command.starts_with(name));
            let fault = is_run.then(|| crate::ci::trusts_the_configuration(&line));
            assert_eq!(fault.flatten(), None, "{path}");
        }
        // What comes from outside reaches a shell through its environment only.
        let mut runs = Vec::new();
        all(&value, "run", &mut runs);
        for run in runs {
            assert!(!run.as_str().unwrap().contains("${{"), "{run}");
        }
        if repo_host == "github" {
            assert_eq!(value["permissions"], serde_json::json!({}));
            for job in ["check", "build", "publish"] {
                assert!(value["jobs"][job]["permissions"].is_object(), "{job}");
                assert!(value["jobs"][job]["timeout-minutes"].is_number(), "{job}");
            }
            assert_eq!(
                value["jobs"]["build"]["permissions"],
                serde_json::json!({"contents": "read"})
            );
        }
    }
}
