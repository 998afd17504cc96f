//! What a pull request is compared with, and the comment it gets.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use super::run_script;
use crate::cli::{catalog, platform, stderr, stdout};
use crate::diff::{commit, git};

const APPS: [&str; 6] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];

fn replace(directory: &Path, path: &str, from: &str, to: &str) {
    let text = fs::read_to_string(directory.join(path)).unwrap();
    assert!(text.contains(from), "{path}: {text}");
    fs::write(directory.join(path), text.replace(from, to)).unwrap();
}

fn id_of(directory: &Path, name: &str) -> String {
    let mut command = Command::new("git");
    let output = command
        .args(["rev-parse", name])
        .current_dir(directory)
        .output()
        .unwrap();
    stdout(&output).trim_end().to_owned()
}

/// A pull request (branch `feature`) that changes one component. Since it was opened, five others changed on `main`. The
/// branch `merged` is what a host checks out: `feature` merged into `main`.
fn pull_request() -> TempDir {
    let directory = platform();
    let root = directory.path();
    for app in APPS {
        for path in ["clusters/dev/shop.yaml", "shop/app.yaml"] {
            let text = fs::read_to_string(root.join(path)).unwrap();
            let to = root.join(path.replace("shop", app));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, text.replace("shop", app)).unwrap();
        }
    }
    git(root, &["init", "-q", "-b", "main"]);
    commit(root, "first");
    git(root, &["checkout", "-q", "-b", "feature"]);
    replace(root, "alpha/app.yaml", "1.2.3", "1.3.0");
    commit(root, "change alpha");
    git(root, &["checkout", "-q", "main"]);
    for app in &APPS[1..] {
        replace(root, &format!("{app}/app.yaml"), "1.2.3", "2.0.0");
    }
    commit(root, "change the others");
    git(root, &["checkout", "-q", "-b", "merged"]);
    git(
        root,
        &[
            "merge",
            "-q",
            "--no-ff",
            "-m",
            "Merge feature into main",
            "feature",
        ],
    );
    directory
}

fn base(directory: &Path, variables: &[(&str, &str)]) -> Output {
    run_script("ci/pull-request-base.sh", &[], directory, variables)
}

fn base_id(directory: &Path, variables: &[(&str, &str)]) -> String {
    let output = base(directory, variables);
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).trim_end().to_owned()
}

/// Ids of the components that differ between a commit and the checkout.
fn changed(directory: &Path, base: &str) -> Vec<String> {
    let output = catalog(
        &["diff", base, "--repo", ".", "--format", "json"],
        directory,
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let difference: Value = serde_json::from_slice(&output.stdout).unwrap();
    let changed = difference["components"]["changed"]
        .as_array()
        .unwrap()
        .iter();
    let ids = changed.map(|one| one["id"].as_str().unwrap().to_owned());
    ids.collect()
}

#[test]
fn a_stale_base_does_not_add_the_changes_of_others() {
    let directory = pull_request();
    let root = directory.path();
    // The event names the commit at which the pull request was opened.
    let stale = id_of(root, "main~1");
    assert_eq!(changed(root, &stale).len(), 6);
    let head = id_of(root, "feature");
    let variables = [("PR_HEAD", head.as_str()), ("PR_TARGET", "main")];
    let base = base_id(root, &variables);
    assert_eq!(base, id_of(root, "main"));
    assert_eq!(changed(root, &base), ["alpha"]);
    // Without an event, a merge commit is compared with its first parent as well.
    assert_eq!(base_id(root, &[]), base);
}

/// A clone as CI makes it: one ref, no branch, and so many commits.
fn cloned(from: &Path, branch: &str, depth: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["init", "-q", "-b", "none"]);
    let url = format!("file://{}", from.display());
    git(directory.path(), &["remote", "add", "origin", &url]);
    let depth = format!("--depth={depth}");
    git(directory.path(), &["fetch", "-q", &depth, "origin", branch]);
    git(
        directory.path(),
        &["checkout", "-q", "--detach", "FETCH_HEAD"],
    );
    directory
}

#[test]
fn a_shallow_checkout_of_the_merge_is_enough() {
    let directory = pull_request();
    let root = directory.path();
    git(root, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let head = id_of(root, "feature");
    let variables = [("PR_HEAD", head.as_str()), ("PR_TARGET", "main")];
    for depth in ["2", "1"] {
        let clone = cloned(root, "merged", depth);
        let base = base_id(clone.path(), &variables);
        assert_eq!(base, id_of(root, "main"), "depth {depth}");
        assert_eq!(changed(clone.path(), &base), ["alpha"], "depth {depth}");
    }
    // What cannot be fetched either is said, with what to do.
    let clone = cloned(root, "merged", "1");
    git(clone.path(), &["remote", "set-url", "origin", "/nowhere"]);
    let output = base(clone.path(), &variables);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("fetch-depth: 2"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_head_of_a_pull_request_is_compared_with_where_it_left_the_target() {
    let directory = pull_request();
    let root = directory.path();
    git(root, &["checkout", "-q", "feature"]);
    // The author merges the target branch into the pull request: a merge commit that is not the one of the host.
    git(
        root,
        &["merge", "-q", "--no-ff", "-m", "Update from main", "main"],
    );
    let head = id_of(root, "feature");
    let variables = [("PR_HEAD", head.as_str()), ("PR_TARGET", "main")];
    // The target branch is fetched if the checkout does not have it.
    let clone = cloned(root, "feature", "100");
    let base = base_id(clone.path(), &variables);
    assert_eq!(base, id_of(root, "main"));
    assert_eq!(changed(clone.path(), &base), ["alpha"]);
    let unknown = [("PR_HEAD", head.as_str())];
    let output = super::pull_request::base(clone.path(), &unknown);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
}

#[test]
fn a_base_that_the_user_names_is_used() {
    let directory = pull_request();
    let root = directory.path();
    let first = id_of(root, "main~1");
    assert_eq!(base_id(root, &[("PR_BASE", "main~1")]), first);
    let clone = cloned(root, "merged", "1");
    let named = base_id(clone.path(), &[("PR_BASE", "main")]);
    assert_eq!(named, id_of(root, "main"));
    let output = base(clone.path(), &[("PR_BASE", "no-such-branch")]);
    assert_eq!(output.status.code(), Some(1));
}

/// A directory with a program of this name, which logs its arguments and answers by a script.
fn fake(name: &str, script: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    let log = directory.path().join("log");
    let text = format!("#!/bin/sh\necho \"$*\" >> '{}'\n{script}", log.display());
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    directory
}

/// Runs a script with the fake program first in the path, and gives what that was asked.
fn asked(script: &str, fake: &TempDir, markdown: &str, variables: &[(&str, &str)]) -> String {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("diff.md"), markdown).unwrap();
    let path = format!(
        "{}:{}",
        fake.path().display(),
        std::env::var("PATH").unwrap()
    );
    let mut all = vec![("PATH", path.as_str()), ("FILE", "diff.md")];
    all.extend(variables);
    let output = run_script(script, &[], here.path(), &all);
    assert!(output.status.success(), "{}", stderr(&output));
    fs::read_to_string(fake.path().join("log")).unwrap_or_default()
}

const CHANGES: &str = "<!-- catalog diff -->\n### 1 component changed\n";
const NO_CHANGES: &str = "<!-- catalog diff -->\n**No changes in the catalogue.** `a` → `b`\n";

/// Answers as `gh api` does, with jq filters applied by jq to the comments.
fn gh(comments: &str) -> TempDir {
    let script = format!(
        "case $* in\n  'api user'*) exit 1 ;;\n  *--jq*) for last; do :; done; printf '%s' '{comments}' | jq -r \"$last\" ;;\nesac\n"
    );
    fake("gh", &script)
}

fn has_jq() -> bool {
    Command::new("jq").arg("--version").output().is_ok()
}

const GITHUB: [(&str, &str); 2] = [("REPOSITORY", "acme/platform"), ("NUMBER", "7")];

#[test]
fn our_comment_is_replaced_and_no_other() {
    if !has_jq() {
        return;
    }
    // Another bot commented last, and somebody quoted our marker.
    let comments = r#"[
        {"id": 1, "user": {"type": "User", "login": "ann"}, "body": "<!-- catalog diff --> mine"},
        {"id": 2, "user": {"type": "Bot", "login": "github-actions[bot]"}, "body": "<!-- catalog diff -->\n### old"},
        {"id": 3, "user": {"type": "Bot", "login": "renovate[bot]"}, "body": "Updates"}]"#;
    let log = asked("ci/github-comment.sh", &gh(comments), CHANGES, &GITHUB);
    assert!(
        log.contains("--method PATCH repos/acme/platform/issues/comments/2 --field body=@diff.md"),
        "{log}"
    );
    assert!(!log.contains("POST"), "{log}");
    // Once a comment is there, it says that nothing changes any more.
    let log = asked("ci/github-comment.sh", &gh(comments), NO_CHANGES, &GITHUB);
    assert!(log.contains("comments/2"), "{log}");
}

#[test]
fn a_first_comment_is_written_only_if_something_changes() {
    if !has_jq() {
        return;
    }
    let comments =
        r#"[{"id": 3, "user": {"type": "Bot", "login": "renovate[bot]"}, "body": "Updates"}]"#;
    let log = asked("ci/github-comment.sh", &gh(comments), CHANGES, &GITHUB);
    assert!(
        log.contains("--method POST repos/acme/platform/issues/7/comments"),
        "{log}"
    );
    let log = asked("ci/github-comment.sh", &gh(comments), NO_CHANGES, &GITHUB);
    assert!(!log.contains("POST") && !log.contains("PATCH"), "{log}");
}

const GITLAB: [(&str, &str); 4] = [
    ("CI_API_V4_URL", "https://gitlab.example.com/api/v4"),
    ("CI_PROJECT_ID", "12"),
    ("CI_MERGE_REQUEST_IID", "7"),
    ("CATALOG_TOKEN", "glpat-secret"),
];

fn curl(notes: &str) -> TempDir {
    let script = format!(
        "cat > /dev/null\ncase $* in\n  *--request*) ;;\n  */user) echo '{{\"id\": 5}}' ;;\n  *page=1) printf '%s' '{notes}' ;;\nesac\n"
    );
    fake("curl", &script)
}

#[test]
fn a_merge_request_has_one_note_of_ours() {
    if !has_jq() {
        return;
    }
    let notes = r#"[
        {"id": 1, "author": {"id": 9}, "body": "<!-- catalog diff --> not ours"},
        {"id": 2, "author": {"id": 5}, "body": "<!-- catalog diff -->\n### old"}]"#;
    let log = asked("ci/gitlab-note.sh", &curl(notes), CHANGES, &GITLAB);
    let address = "https://gitlab.example.com/api/v4/projects/12/merge_requests/7/notes";
    assert!(
        log.contains(&format!("--request PUT --form body=<diff.md {address}/2")),
        "{log}"
    );
    assert!(!log.contains("glpat"), "the token is an argument: {log}");
    let log = asked("ci/gitlab-note.sh", &curl("[]"), CHANGES, &GITLAB);
    assert!(
        log.contains(&format!("--request POST --form body=<diff.md {address}\n")),
        "{log}"
    );
    let log = asked("ci/gitlab-note.sh", &curl("[]"), NO_CHANGES, &GITLAB);
    assert!(!log.contains("--request"), "{log}");
    // Without a token there is nothing to do.
    let log = asked("ci/gitlab-note.sh", &curl("[]"), CHANGES, &GITLAB[..3]);
    assert_eq!(log, "");
}

#[test]
fn the_program_marks_its_comment_as_the_scripts_look_for_it() {
    let directory = pull_request();
    for (base, expected) in [("main", CHANGES), ("HEAD", NO_CHANGES)] {
        let output = catalog(&["diff", base, "--format", "markdown"], directory.path());
        let markdown = stdout(&output);
        let start: Vec<&str> = expected.lines().collect();
        assert_eq!(markdown.lines().next(), Some(start[0]));
        let second = markdown.lines().nth(1).unwrap();
        assert!(second.starts_with(&start[1][..12]), "{markdown}");
    }
    for script in ["ci/github-comment.sh", "ci/gitlab-note.sh"] {
        assert!(
            super::read(script).contains("marker='<!-- catalog diff -->'"),
            "{script}"
        );
    }
}
