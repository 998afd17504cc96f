//! `catalog check`: how findings are shown, chosen, accepted and fixed.

mod formats;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{catalog, repo, stderr, stdout};

/// One finding of each severity, and one that a comment accepts.
fn troubled() -> TempDir {
    repo(&[
        (
            "clusters/dev/flux-system/gotk-sync.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec:
  path: ./clusters/dev
  sourceRef: {kind: GitRepository, name: flux-system}
",
        ),
        (
            "clusters/dev/apps.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  path: ./apps
  sourceRef: {kind: GitRepository, name: flux-system}
",
        ),
        (
            "apps/kustomization.yaml",
            "resources:
  - web.yaml
  - missing.yaml
  - https://example.com/base?ref=v1 # catalog: allow remote-base, because it is pinned
configMapGenerator:
  - name: settings
    envs: [settings.env]
",
        ),
        ("apps/settings.env", "TIMEOUT=30 # seconds\n"),
        (
            "apps/web.yaml",
            "apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {a: b}
data: {password: hunter2}
",
        ),
        ("apps/template.yaml", "kind: '{{ x }}\n"),
    ])
}

fn check(directory: &Path, args: &[&str]) -> (i32, String, String) {
    let args: Vec<&str> = ["check"].iter().chain(args).copied().collect();
    let output = catalog(&args, directory);
    let code = output.status.code().unwrap();
    (code, stdout(&output), stderr(&output))
}

fn rules(directory: &Path, args: &[&str]) -> Vec<String> {
    let args: Vec<&str> = ["--format", "json"].iter().chain(args).copied().collect();
    let (_, json, error) = check(directory, &args);
    let report: Value = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{json}{error}"));
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["rule"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn findings_are_shown_with_their_lines() {
    let (code, text, summary) = check(troubled().path(), &[]);
    assert_eq!(code, 1);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/findings.txt");
    let shown = format!("{text}{summary}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &shown).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), shown);
    assert!(!text.contains("hunter2") && !text.contains('\x1b'));
}

#[test]
fn colour_is_for_those_who_ask_for_it() {
    let directory = troubled();
    let (_, text, _) = check(directory.path(), &["--color", "always"]);
    assert!(
        text.contains("\x1b[91merror[file-missing]\x1b[0m"),
        "{text}"
    );
    let run = |name: &str, value: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_catalog"))
            .args(["check"])
            .env(name, value)
            .env_remove(if name == "NO_COLOR" {
                "CLICOLOR_FORCE"
            } else {
                "NO_COLOR"
            })
            .current_dir(directory.path())
            .output()
            .unwrap();
        stdout(&output).contains('\x1b')
    };
    assert!(run("CLICOLOR_FORCE", "1") && !run("CLICOLOR", "0") && !run("NO_COLOR", "1"));
}

#[test]
fn rules_paths_and_components_are_chosen_on_the_command_line() {
    let directory = troubled();
    let all = rules(directory.path(), &[]);
    assert_eq!(
        all,
        [
            "file-missing",
            "yaml-duplicate-key",
            "env-comment-in-value",
            "secret-in-git",
            "yaml-template"
        ]
    );
    assert_eq!(rules(directory.path(), &["--select", "yaml-*"]).len(), 2);
    assert_eq!(
        rules(directory.path(), &["--ignore", "yaml-*,file-missing"]),
        ["env-comment-in-value", "secret-in-git"]
    );
    assert_eq!(
        rules(directory.path(), &["--path", "apps/*.env"]),
        ["env-comment-in-value"]
    );
    assert_eq!(rules(directory.path(), &["--component", "apps"]).len(), 5);
    assert_eq!(rules(directory.path(), &["--component", "app*"]).len(), 5);
    let (code, text, error) = check(directory.path(), &["--component", "app"]);
    assert_eq!((code, text.as_str()), (2, ""));
    assert_eq!(
        error,
        "error: there is no component `app`; did you mean `apps`?\n"
    );
    assert_eq!(rules(directory.path(), &["--path", "./apps"]).len(), 5);
    let (code, text, error) = check(directory.path(), &["--path", "app/web.yaml"]);
    assert_eq!((code, text.as_str()), (2, ""));
    assert_eq!(
        error,
        "error: no file matches `app/web.yaml`; did you mean `apps/web.yaml`?\n"
    );
    let (code, _, error) = check(directory.path(), &["--select", "yaml-duplicate"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("there is no rule `yaml-duplicate`"),
        "{error}"
    );
    let (code, _, error) = check(directory.path(), &["--path", "[a"]);
    assert_eq!(code, 2);
    assert!(error.contains("is not a valid glob"), "{error}");
}

#[test]
fn the_exit_code_says_whether_something_counts() {
    let directory = troubled();
    let code = |args: &[&str]| check(directory.path(), args).0;
    assert_eq!(code(&["--ignore", "file-missing,yaml-duplicate-key"]), 0);
    assert_eq!(code(&["--select", "env-*"]), 0);
    assert_eq!(code(&["--select", "env-*", "--deny", "warnings"]), 1);
    assert_eq!(code(&["--select", "env-*", "--fail-on", "warning"]), 1);
    assert_eq!(
        code(&["--select", "yaml-template", "--fail-on", "warning"]),
        0
    );
    assert_eq!(code(&["--select", "yaml-template", "--fail-on", "info"]), 1);
    assert_eq!(code(&["--fail-on", "never"]), 0);
    assert_eq!(code(&["nowhere"]), 2);
}

#[test]
fn the_configuration_weighs_and_accepts_for_everybody() {
    let directory = troubled();
    let config = "[check]
ignore = [\"yaml-template\"]

[check.severity]
file-missing = \"warning\"
\"env-*\" = \"off\"

[[check.allow]]
rule = \"yaml-*\"
path = [\"apps/web.yaml\"]
because = \"it is generated\"
";
    fs::write(directory.path().join("catalog.toml"), config).unwrap();
    let (code, text, summary) = check(directory.path(), &[]);
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("warning[file-missing]"), "{text}");
    assert!(
        summary.contains("0 errors, 2 warnings, 0 infos, 2 suppressed"),
        "{summary}"
    );
    // The site and the export have the same findings.
    let document: Value =
        serde_json::from_str(&stdout(&catalog(&["export"], directory.path()))).unwrap();
    assert_eq!(document["findings"].as_array().unwrap().len(), 2);
    assert_eq!(document["findings"][0]["url"], "checks/file-missing.html");
    let wrong = "[check]\nselect = [\"file-missin\"]\n";
    fs::write(directory.path().join("catalog.toml"), wrong).unwrap();
    let (code, text, _) = check(directory.path(), &[]);
    assert_eq!(code, 1);
    assert!(text.starts_with("error[unknown-rule]"), "{text}");
    let wrong = "[check]\nignore = [\"file-missin\"]\n";
    fs::write(directory.path().join("catalog.toml"), wrong).unwrap();
    let (code, text, _) = check(directory.path(), &["--select", "unknown-rule"]);
    assert_eq!(code, 1);
    assert!(
        text.contains(
            "error[unknown-rule]: there is no rule `file-missin`\n --> catalog.toml:2:11\n"
        ),
        "{text}"
    );
    assert!(text.contains("did you mean `file-missing`?"), "{text}");
}

#[test]
fn a_finding_about_the_configuration_points_into_it() {
    let directory = troubled();
    let config = "[[cluster]]
name = \"dev\"
root = \"clusters/nope\"

[check]
ignore = [\"file-missin\"]

[[accepted]]
spec = \"0001\"
step = 1
because = \"it is\"
";
    fs::create_dir(directory.path().join("ci")).unwrap();
    let outside = TempDir::new().unwrap();
    let rules = [
        ("cluster-missing", 3, 8),
        ("unknown-rule", 6, 11),
        ("accepted-nothing", 9, 8),
    ];
    for path in ["catalog.toml", "ci/prod.toml"] {
        fs::write(directory.path().join(path), config).unwrap();
        let shown = |format: &str| check(directory.path(), &["--config", path, "--format", format]);
        for (rule, line, column) in rules {
            for (format, expected) in [
                ("text", format!("--> {path}:{line}:{column}\n")),
                ("concise", format!("{path}:{line}:{column}: ")),
                (
                    "github",
                    format!("file={path},line={line},endLine={line},col={column},"),
                ),
                ("junit", format!("classname=\"{rule}\" name=\"{path}\"")),
            ] {
                let (_, text, _) = shown(format);
                assert!(text.contains(&expected), "{format}, {expected}: {text}");
            }
            let (_, json, _) = shown("json");
            let report: Value = serde_json::from_str(&json).unwrap();
            let mut findings = report["findings"].as_array().unwrap().iter();
            let finding = findings.find(|finding| finding["rule"] == rule).unwrap();
            assert_eq!(finding["file"], path);
            assert_eq!(finding["line"], line);
            assert_eq!(finding["column"], column);
        }
        let (_, sarif, _) = shown("sarif");
        let sarif: Value = serde_json::from_str(&sarif).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        let (_, gitlab, _) = shown("gitlab");
        let gitlab: Value = serde_json::from_str(&gitlab).unwrap();
        let issues = gitlab.as_array().unwrap();
        for (rule, line, _) in rules {
            let result = results.iter().find(|result| result["ruleId"] == rule);
            let location = &result.unwrap()["locations"][0]["physicalLocation"];
            assert_eq!(location["artifactLocation"]["uri"], path);
            assert_eq!(location["region"]["startLine"], line);
            let issue = issues.iter().find(|issue| issue["check_name"] == rule);
            let location = &issue.unwrap()["location"];
            assert_eq!(location["path"], path);
            assert_eq!(location["lines"]["begin"], line);
        }
        fs::remove_file(directory.path().join(path)).unwrap();
    }
    // A file elsewhere has no path in the repository, so the sentence names the line.
    let file = outside.path().join("catalog.toml");
    fs::write(&file, config).unwrap();
    let file = file.to_str().unwrap();
    let (_, text, _) = check(directory.path(), &["--config", file, "--format", "concise"]);
    for (rule, line, _) in rules {
        let expected = format!("[{rule}] catalog.toml:{line}: the");
        assert!(text.contains(&expected), "{expected}: {text}");
    }
}

#[test]
fn a_comment_accepts_what_it_names_and_says_why() {
    let web = |comment: &str| {
        format!(
            "{comment}apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata: {{a: b}}\ndata: {{c: d}}\n"
        )
    };
    let directory = troubled();
    let path = directory.path().join("apps/web.yaml");
    fs::write(
        &path,
        web("# catalog: allow yaml-duplicate-key, because the tool writes it\n"),
    )
    .unwrap();
    assert!(!rules(directory.path(), &[]).contains(&"yaml-duplicate-key".to_owned()));
    fs::write(&path, web("# catalog: allow yaml-duplicate-key\n")).unwrap();
    let found = rules(directory.path(), &["--path", "apps/web.yaml"]);
    assert_eq!(found, ["yaml-duplicate-key", "allow-without-reason"]);
    fs::write(
        &path,
        web("# catalog: allow yaml-duplicat-key, because x\n"),
    )
    .unwrap();
    let found = rules(directory.path(), &["--path", "apps/web.yaml"]);
    assert_eq!(found, ["yaml-duplicate-key", "allow-unknown-rule"]);
    fs::write(&path, web("# catalog: allow file-missing, because x\n")).unwrap();
    let found = rules(directory.path(), &["--path", "apps/web.yaml"]);
    assert_eq!(found, ["yaml-duplicate-key", "allow-unused"]);
}

#[test]
fn a_fix_is_shown_as_a_patch_and_made_on_request() {
    let directory = troubled();
    let path = directory.path().join("apps/web.yaml");
    let text = "# ours\n# catalog: allow file-missing, because x\napiVersion: v1 # keep\nkind: ConfigMap\nmetadata: {name:   web}\ndata: {a: b}\ndata: {c: d} # catalog: allow link-broken, because y\n";
    fs::write(&path, text).unwrap();
    let before = fs::read_to_string(&path).unwrap();
    let (code, patch, _) = check(directory.path(), &["--diff", "--select", "allow-unused"]);
    assert_eq!(code, 1);
    assert!(
        patch.starts_with("diff --git a/apps/web.yaml b/apps/web.yaml\n"),
        "{patch}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    let (_, shown, summary) = check(directory.path(), &["--select", "allow-unused"]);
    assert!(
        shown.contains("= fix: remove the comment in `apps/web.yaml`"),
        "{shown}"
    );
    assert!(
        shown.contains("    -# catalog: allow file-missing, because x\n"),
        "{shown}"
    );
    assert!(summary.contains("2 fixable with --fix"), "{summary}");
    let (code, left, said) = check(directory.path(), &["--fix", "--select", "allow-unused"]);
    assert_eq!((code, left.as_str()), (0, ""), "{said}");
    assert!(said.contains("wrote apps/web.yaml"), "{said}");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "# ours\napiVersion: v1 # keep\nkind: ConfigMap\nmetadata: {name:   web}\ndata: {a: b}\ndata: {c: d}\n"
    );
}

#[test]
fn a_baseline_keeps_what_was_known_and_fails_on_what_is_new() {
    let directory = troubled();
    let (code, _, said) = check(directory.path(), &["--write-baseline", "known.json"]);
    assert_eq!(code, 0);
    assert!(said.contains("5 findings in `known.json`"), "{said}");
    let (code, text, said) = check(directory.path(), &["--baseline", "known.json"]);
    assert_eq!((code, text.as_str()), (0, ""), "{said}");
    assert!(said.contains("5 in the baseline"), "{said}");
    // Lines move, one finding is mended, one is new.
    let path = directory.path().join("apps/kustomization.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let text = format!(
        "# more\n# lines\n{}  - gone.yaml\n",
        text.split("configMap").next().unwrap()
    );
    fs::write(&path, text).unwrap();
    let (code, text, said) = check(directory.path(), &["--baseline", "known.json"]);
    assert_eq!(code, 1);
    assert_eq!(text.matches("error[file-missing]").count(), 1, "{text}");
    assert!(text.contains("`gone.yaml` does not exist"), "{text}");
    assert!(
        said.contains("1 finding in the baseline no longer occurs;"),
        "{said}"
    );
    let (code, _, error) = check(directory.path(), &["--baseline", "none.json"]);
    assert_eq!(code, 2);
    assert!(
        error.contains(
            "cannot read the baseline `none.json` (--write-baseline creates one): No such file"
        ),
        "{error}"
    );
    fs::write(directory.path().join("bad.json"), "[1]").unwrap();
    let (code, _, error) = check(directory.path(), &["--baseline", "bad.json"]);
    assert_eq!(code, 2);
    assert!(error.contains("not a baseline file"), "{error}");
}

#[test]
fn the_site_says_what_the_rules_mean_that_found_something() {
    let directory = troubled();
    let out = directory.path().join("site");
    let output = catalog(&["build", "--out", "site"], directory.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let findings = fs::read_to_string(out.join("findings.html")).unwrap();
    assert!(
        findings.contains("href=\"checks/file-missing.html\""),
        "{findings}"
    );
    let rule = fs::read_to_string(out.join("checks/file-missing.html")).unwrap();
    assert!(
        rule.contains("Why is this bad?") && rule.contains("../findings.html#rule-file-missing")
    );
    assert!(rule.len() < 100_000);
    let markdown = fs::read_to_string(out.join("checks/file-missing.md")).unwrap();
    assert!(markdown.contains("## How to fix it"), "{markdown}");
    let pages = fs::read_dir(out.join("checks")).unwrap().count();
    assert_eq!(
        pages,
        2 * 5,
        "a page and its markdown for each rule that found something"
    );
}
