//! What a pull request cannot do: hide a manifest from `check` that a cluster would apply.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{catalog, platform, stderr, stdout};
use crate::diff::{commit, committed, git};
use crate::site::build;

const SECRET: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: door, namespace: shop}\nstringData: {password: open-sesame}\n";

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Each finding as its rule, its file and its message.
fn findings(root: &Path) -> Vec<(String, String, String)> {
    let output = catalog(&["check", ".", "--format", "json"], root);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = json["findings"].as_array().unwrap().iter();
    found
        .map(|one| {
            let file = &one["file"];
            (text(&one["rule"]), text(file), text(&one["message"]))
        })
        .collect()
}

fn secrets(root: &Path) -> Vec<String> {
    let found = findings(root).into_iter();
    let secret = found.filter(|(rule, ..)| rule == "secret-in-git");
    let files = secret.map(|(_, file, _)| file);
    // The platform has some of its own.
    let own = [
        "clusters/dev/shop.yaml",
        "operator/helm.yaml",
        "shop/app.yaml",
    ];
    files.filter(|file| !own.contains(&file.as_str())).collect()
}

fn assert_like_its_commit(root: &Path) {
    let output = catalog(&["diff", "HEAD", "--format", "json"], root);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json["findings"]["new"], Value::Array(Vec::new()), "{json}");
    assert_eq!(
        json["findings"]["fixed"],
        Value::Array(Vec::new()),
        "{json}"
    );
}

#[test]
fn a_marker_or_the_name_of_a_staging_directory_hides_no_manifest() {
    for (marker, path) in [
        ("shop/deep/.catalog-site", "shop/deep/door.yaml"),
        ("shop/deep/.catalog-site", "shop/deep/er/door.yml"),
        ("shop/.x.catalog-1/README.md", "shop/.x.catalog-1/door.yaml"),
        ("shop/.x.catalog-a1B2/x", "shop/.x.catalog-a1B2/y/door.yaml"),
    ] {
        for directory in [platform(), committed()] {
            let root = directory.path();
            put(root, marker, "");
            put(root, path, SECRET);
            assert_eq!(secrets(root), [path]);
            if root.join(".git").exists() {
                commit(root, "hidden");
                assert_eq!(secrets(root), [path]);
                assert_like_its_commit(root);
            }
        }
    }
}

#[test]
fn a_site_in_the_repository_is_no_part_of_it_and_no_news() {
    let directory = committed();
    let root = directory.path();
    put(root, "docs/page.md", "# Page\n\nWords.\n");
    commit(root, "a page");
    let before = findings(root);
    let clean = build(root);
    let output = catalog(&["build", ".", "--out", "site", "--quiet"], root);
    assert_eq!(output.status.code(), Some(0));
    put(root, "site/.gitkeep", "");
    assert_eq!(findings(root), before);
    assert!(build(root) == clean);
    commit(root, "the site as well");
    assert_eq!(findings(root), before);
    assert_like_its_commit(root);
}

#[test]
fn what_git_tracks_is_read_whatever_a_gitignore_says() {
    let directory = committed();
    let root = directory.path();
    put(root, ".gitignore", "*.log\n/shop/ignored/\nhidden.yaml\n");
    put(root, "store/.gitignore", "*\n");
    let tracked = [
        "shop/hidden.yaml",
        "shop/ignored/deep/door.yaml",
        "store/door.yaml",
    ];
    for (nth, path) in tracked.iter().enumerate() {
        put(root, path, &SECRET.replace("door", &format!("door-{nth}")));
    }
    commit(root, "ignored, and added by force");
    put(root, "shop/ignored/untracked.yaml", SECRET);
    put(root, "hidden.yaml", SECRET);
    assert_eq!(secrets(root), tracked);
    assert_like_its_commit(root);
    assert!(
        findings(root)
            .iter()
            .all(|(rule, ..)| rule != "file-ignored")
    );
    // What is deleted or replaced by a link is no file of it any more.
    fs::remove_dir_all(root.join("shop/ignored")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    put(outside.path(), "deep/door.yaml", SECRET);
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), root.join("shop/ignored")).unwrap();
    assert_eq!(secrets(root), ["shop/hidden.yaml", "store/door.yaml"]);
    // The configuration of the repository has the last word.
    put(
        root,
        "catalog.toml",
        "ignore = [\"store/\", \"hidden.yaml\"]\n",
    );
    assert_eq!(secrets(root), [""; 0]);
}

#[test]
fn what_a_submodule_tracks_is_read_and_one_that_is_absent_is_told() {
    let part = tempfile::tempdir().unwrap();
    git(part.path(), &["init", "-q", "-b", "main"]);
    put(part.path(), ".gitignore", "*.yaml\n");
    put(part.path(), "door.yaml", SECRET);
    commit(part.path(), "part");
    let directory = committed();
    let root = directory.path();
    let from = part.path().to_str().unwrap();
    git(root, &["submodule", "add", "-q", from, "shop/part"]);
    commit(root, "with a part");
    assert_eq!(secrets(root), ["shop/part/door.yaml"]);
    assert_like_its_commit(root);
    git(root, &["submodule", "deinit", "-q", "-f", "shop/part"]);
    let absent = |root: &Path| -> Vec<String> {
        let found = findings(root).into_iter();
        let absent = found.filter(|(rule, ..)| rule == "submodule-absent");
        absent.map(|(.., message)| message).collect()
    };
    assert_eq!(secrets(root), [""; 0]);
    assert!(
        absent(root)[0].contains("`shop/part`"),
        "{:?}",
        absent(root)
    );
    assert_like_its_commit(root);
}

/// One finding names all that is skipped where nobody can say what is tracked.
fn ignored(root: &Path) -> Vec<String> {
    let found = findings(root).into_iter();
    let ignored = found.filter(|(rule, ..)| rule == "file-ignored");
    ignored.map(|(.., message)| message).collect()
}

#[test]
fn without_git_what_a_gitignore_hides_is_told() {
    let directory: TempDir = platform();
    let root = directory.path();
    assert_eq!(ignored(root), [""; 0]);
    put(root, ".gitignore", "*.log\n/shop/ignored/\nhidden.yaml\n");
    put(root, "notes.log", "");
    assert_eq!(ignored(root), [""; 0], "no manifest is called so");
    put(root, "shop/ignored/door.yaml", SECRET);
    put(root, "shop/hidden.yaml", SECRET);
    assert_eq!(secrets(root), [""; 0]);
    let told = ignored(root);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("`shop/hidden.yaml`") && told[0].contains("`shop/ignored`"),
        "{told:?}"
    );
    // Where git is there and cannot answer, that is a reason to look.
    fs::create_dir(root.join(".git")).unwrap();
    let output = catalog(&["check", ".", "--deny", "warnings"], root);
    assert!(
        stdout(&output).contains("warning[file-ignored]"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_the_configuration_hides_is_counted() {
    let directory = platform();
    let root = directory.path();
    put(root, "hidden/door.yaml", SECRET);
    put(
        root,
        "catalog.toml",
        "ignore = [\"hidden/\"]\n[check]\nignore = [\"secret-in-git\"]\n",
    );
    let output = catalog(&["check", "."], root);
    let said = stderr(&output);
    assert!(said.contains("2 disabled in catalog.toml"), "{said}");
    assert!(
        said.contains("1 path skipped because of `ignore` in catalog.toml"),
        "{said}"
    );
}

#[test]
fn a_conflict_in_an_ignored_file_is_one_file() {
    let directory = committed();
    let root = directory.path();
    put(root, ".gitignore", "hidden.yaml\n");
    put(root, "shop/hidden.yaml", SECRET);
    commit(root, "hidden");
    git(root, &["checkout", "-q", "-b", "other"]);
    put(root, "shop/hidden.yaml", &SECRET.replace("sesame", "other"));
    commit(root, "other");
    git(root, &["checkout", "-q", "main"]);
    put(root, "shop/hidden.yaml", &SECRET.replace("sesame", "main"));
    commit(root, "main");
    let merged = std::process::Command::new("git")
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
        .args(["merge", "-q", "other"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(!merged.status.success(), "they conflict");
    put(root, "shop/hidden.yaml", SECRET);
    assert_eq!(secrets(root), ["shop/hidden.yaml"]);
}
