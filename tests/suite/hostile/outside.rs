//! Paths and links that lead out of the repo.

use std::fs;
use std::process::Command;

use super::{findings_of, only};
use crate::cli::{catalog, export, platform, stderr, stdout};

#[test]
fn a_path_that_leaves_the_repo_is_refused() {
    let directory = platform();
    let shop = directory.path().join("shop/kustomization.yaml");
    fs::write(shop, "resources: [app.yaml, ../../../etc/passwd]\n").unwrap();
    only(&findings_of(&directory), "path-outside");
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_repo_is_not_followed() {
    let directory = platform();
    let outside = tempfile::tempdir().unwrap();
    fs::write(
        outside.path().join("secret.yaml"),
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: stolen}\n",
    )
    .unwrap();
    std::os::unix::fs::symlink(
        outside.path().join("secret.yaml"),
        directory.path().join("shop/link.yaml"),
    )
    .unwrap();
    only(&findings_of(&directory), "link-outside");
    assert!(!stdout(&catalog(&["export"], directory.path())).contains("stolen"));
}

#[cfg(unix)]
#[test]
fn a_link_that_is_listed_and_leaves_the_repo_is_told_once() {
    let directory = platform();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.yaml"), "a: 1\n").unwrap();
    for (from, to) in [("shop/link.yaml", "a.yaml"), ("shop/linked", "")] {
        let to = outside.path().join(to);
        std::os::unix::fs::symlink(to, directory.path().join(from)).unwrap();
    }
    fs::write(
        directory.path().join("shop/kustomization.yaml"),
        "resources: [app.yaml, link.yaml, linked/a.yaml]\n",
    )
    .unwrap();
    let findings = findings_of(&directory);
    let rules: Vec<&str> = findings
        .iter()
        .filter_map(|finding| finding["rule"].as_str())
        .collect();
    assert_eq!(rules, ["link-outside", "link-outside"], "{findings:#?}");
}

#[cfg(unix)]
#[test]
fn a_configuration_is_no_link_out_of_the_repo() {
    let directory = platform();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "root:hunter2\n").unwrap();
    let file = directory.path().join("catalog.toml");
    std::os::unix::fs::symlink(&secret, &file).unwrap();
    let output = catalog(&["check"], directory.path());
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("points outside its directory"), "{said}");
    assert!(!said.contains("hunter2") && !stdout(&output).contains("hunter2"));

    fs::remove_file(&file).unwrap();
    fs::write(directory.path().join("shop/own.toml"), "title = \"Own\"\n").unwrap();
    std::os::unix::fs::symlink("shop/own.toml", &file).unwrap();
    export(directory.path());
}

#[cfg(unix)]
#[test]
fn a_configuration_is_a_regular_file() {
    let directory = platform();
    let file = directory.path().join("catalog.toml");
    let refused = || {
        let output = catalog(&["check"], directory.path());
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains("it is not a regular file"), "{said}");
    };
    fs::create_dir(&file).unwrap();
    refused();
    fs::remove_dir(&file).unwrap();
    let made = Command::new("mkfifo").arg(&file).status();
    if made.is_ok_and(|status| status.success()) {
        refused();
    }
}
