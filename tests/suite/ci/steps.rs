//! Scripts of the action and the GitLab template, run as CI runs them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_yaml::Value;
use tempfile::TempDir;

use super::{root, yaml};
use crate::cli::{platform, stderr, stdout};
use crate::diff::{commit, committed, git};

/// The script of a step of the action.
fn step(name: &str) -> String {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_sequence().unwrap();
    let step = steps.iter().find(|step| step["name"] == name);
    step.unwrap()["run"].as_str().unwrap().to_owned()
}

/// The script of a job of the GitLab template, with the scripts of the image where they are in this repository.
fn job(name: &str) -> String {
    let template = yaml("ci/gitlab.yml");
    let lines = template[name]["script"].as_sequence().unwrap().iter();
    let lines: Vec<&str> = lines.filter_map(Value::as_str).collect();
    let scripts = format!("{}/ci", root().display());
    lines
        .join("\n")
        .replace("/usr/local/share/catalog", &scripts)
}

/// Runs a script with the program in the path, in the way of a GitHub or GitLab runner.
fn run(script: &str, directory: &Path, variables: &[(&str, &str)]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_catalog"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
    command.current_dir(directory).env("PATH", path);
    for name in [
        "PR_BASE",
        "PR_HEAD",
        "PR_TARGET",
        "CATALOG_TOKEN",
        "GIT_DIR",
    ] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

/// A runner with a repository that has an error.
struct Runner {
    repo: TempDir,
    temp: TempDir,
}

impl Runner {
    fn new() -> Runner {
        let repo = platform();
        fs::write(repo.path().join("clusters/dev/broken.yaml"), "a: 'open\n").unwrap();
        let temp = tempfile::tempdir().unwrap();
        Runner { repo, temp }
    }

    fn temp(&self, name: &str) -> String {
        self.temp.path().join(name).to_str().unwrap().to_owned()
    }

    fn check(&self, args: &str, fail_on: &str) -> (Output, String) {
        let _ = fs::remove_file(self.temp("outputs"));
        let output = run(
            &step("Check"),
            self.temp.path(),
            &[
                ("REPO", self.repo.path().to_str().unwrap()),
                ("ARGS", args),
                ("BASELINE", "catalog-baseline.json"),
                ("FAIL_ON", fail_on),
                ("RUNNER_TEMP", self.temp.path().to_str().unwrap()),
                ("GITHUB_OUTPUT", &self.temp("outputs")),
            ],
        );
        let outputs = fs::read_to_string(self.temp("outputs")).unwrap_or_default();
        (output, outputs)
    }
}

#[test]
fn findings_are_uploaded_before_they_fail_the_job() {
    let runner = Runner::new();
    let (output, outputs) = runner.check("", "error");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(outputs, "code=1\n");
    assert!(
        stdout(&output).contains("::error file=clusters/dev/broken.yaml,"),
        "{}",
        stdout(&output)
    );
    let sarif = fs::read_to_string(runner.temp("catalog.sarif")).unwrap();
    assert!(sarif.contains("yaml-syntax"), "{sarif}");
    let (_, outputs) = runner.check("--select dependency-cycle", "error");
    assert_eq!(outputs, "code=0\n");
    // What cannot run fails at once.
    let (output, _) = runner.check("--no-such-option", "error");
    assert!(!output.status.success());
}

#[test]
fn the_action_uses_a_baseline_that_is_there() {
    let runner = Runner::new();
    let known = crate::cli::catalog(
        &["check", ".", "--write-baseline", "catalog-baseline.json"],
        runner.repo.path(),
    );
    assert!(known.status.success(), "{}", stderr(&known));
    let (_, outputs) = runner.check("", "info");
    assert_eq!(outputs, "code=0\n");
    // One that is named in the arguments is used instead.
    let empty = runner.temp("empty.json");
    fs::write(&empty, "{\"version\": 2, \"findings\": []}").unwrap();
    let (_, outputs) = runner.check(&format!("--baseline {empty}"), "error");
    assert_eq!(outputs, "code=1\n");
}

/// A repository at the merge commit of a pull request.
fn merged() -> TempDir {
    let directory = committed();
    let root = directory.path();
    git(root, &["checkout", "-q", "-b", "feature"]);
    let path = root.join("shop/app.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("1.2.3", "1.3.0")).unwrap();
    commit(root, "update shop");
    git(root, &["checkout", "-q", "main"]);
    git(root, &["merge", "-q", "--no-ff", "-m", "merge", "feature"]);
    directory
}

#[test]
fn the_action_and_the_template_compare_a_pull_request_alike() {
    let directory = merged();
    let temp = tempfile::tempdir().unwrap();
    let summary = temp.path().join("summary");
    let output = run(
        &step("Compare with the target branch"),
        directory.path(),
        &[
            ("GITHUB_ACTION_PATH", root().to_str().unwrap()),
            ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
            ("RUNNER_TEMP", temp.path().to_str().unwrap()),
            ("PR_TARGET", "main"),
        ],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let github = fs::read_to_string(temp.path().join("catalog-diff.md")).unwrap();
    assert!(github.contains("### 1 component changed"), "{github}");
    assert_eq!(fs::read_to_string(summary).unwrap(), github);
    let before = commit_before_the_merge(directory.path());
    for variables in [
        &[("CI_MERGE_REQUEST_EVENT_TYPE", "merged_result")][..],
        &[
            ("CI_MERGE_REQUEST_EVENT_TYPE", "detached"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &before),
        ],
    ] {
        let output = run(&job("catalog-diff"), directory.path(), variables);
        assert!(output.status.success(), "{}", stderr(&output));
        let gitlab = fs::read_to_string(directory.path().join("catalog-diff.md")).unwrap();
        assert_eq!(gitlab, github);
        assert!(
            stdout(&output).contains("CATALOG_TOKEN"),
            "{}",
            stdout(&output)
        );
        fs::remove_file(directory.path().join("catalog-diff.md")).unwrap();
    }
}

fn commit_before_the_merge(directory: &Path) -> String {
    let mut git = Command::new("git");
    let output = git
        .args(["rev-parse", "HEAD^1"])
        .current_dir(directory)
        .output()
        .unwrap();
    stdout(&output).trim_end().to_owned()
}

#[test]
fn the_template_writes_both_reports_of_gitlab() {
    let runner = Runner::new();
    let directory = runner.repo.path();
    let variables = [("CATALOG_FAIL_ON", "error")];
    let output = run(&job("catalog-check"), directory, &variables);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let quality = fs::read_to_string(directory.join("gl-code-quality-report.json")).unwrap();
    assert!(quality.contains("yaml-syntax"), "{quality}");
    assert!(directory.join("catalog.xml").is_file());
    let known = crate::cli::catalog(
        &["check", ".", "--write-baseline", "catalog-baseline.json"],
        directory,
    );
    assert!(known.status.success(), "{}", stderr(&known));
    let output = run(&job("catalog-check"), directory, &variables);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn pipelines_fetch_charts_that_a_lock_file_names_before_anything_else() {
    for path in [
        "action.yml",
        "ci/gitlab.yml",
        "src/cli/starter/pipeline/forgejo.yml",
    ] {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.contains("#")).collect();
        let runs = |command: &str| {
            let is_it = |line: &&str| line.contains(&format!("catalog {command} "));
            lines.iter().position(is_it).unwrap_or(usize::MAX)
        };
        let fetches = runs("fetch");
        assert!(fetches < lines.len(), "{path}");
        for command in ["check", "build", "diff"] {
            assert!(fetches < runs(command), "{path}: {command}");
        }
    }
}

#[test]
fn the_step_that_fetches_charts_does_nothing_without_a_lock_file() {
    let repo = platform();
    let variables = [("REPO", repo.path().to_str().unwrap())];
    let done = run(&step("Fetch charts"), repo.path(), &variables);
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(stdout(&done) + &stderr(&done), "");
    fs::write(repo.path().join("catalog.lock"), "format = 99\n").unwrap();
    let done = run(&step("Fetch charts"), repo.path(), &variables);
    assert!(!done.status.success());
    assert!(stderr(&done).contains("catalog.lock"), "{}", stderr(&done));
}
