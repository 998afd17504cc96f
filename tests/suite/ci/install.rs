//! The install script and the first step of the action, against a release in a local directory.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use super::{package, root, run_script};

const TARGET: &str = "x86_64-unknown-linux-musl";

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// A release as the workflow makes it, of a program that prints the version and commit of the action.
fn release(commit: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("catalog");
    let version = package("version");
    fs::write(
        &program,
        format!("#!/bin/sh\necho 'catalog {version} ({commit} 2026-01-02)'\n"),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = run_script("ci/package.sh", &[TARGET, ".", "."], directory.path(), &[]);
    assert!(output.status.success(), "{}", text(&output));
    let archive = format!("catalog-{TARGET}.tar.gz");
    let sum = std::process::Command::new("sha256sum")
        .arg(&archive)
        .current_dir(directory.path())
        .output()
        .unwrap();
    fs::write(directory.path().join("SHA256SUMS"), sum.stdout).unwrap();
    directory
}

fn install(release: &Path, to: &Path, more: &[(&str, &str)]) -> Output {
    let url = format!("file://{}", release.display());
    let to = to.to_str().unwrap();
    let mut variables = vec![
        ("CATALOG_BASE_URL", url.as_str()),
        ("CATALOG_INSTALL_DIR", to),
        ("CATALOG_TARGET", TARGET),
    ];
    variables.extend(more);
    run_script("install.sh", &[], &root(), &variables)
}

#[test]
fn a_release_with_the_right_checksum_is_installed() {
    let (release, to) = (release("abc1234"), tempfile::tempdir().unwrap());
    let output = install(release.path(), to.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(
        text(&output).contains("installed catalog "),
        "{}",
        text(&output)
    );
    let mode = fs::metadata(to.path().join("catalog"))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o755);
    let left: Vec<_> = fs::read_dir(to.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    // A second run replaces it.
    let output = install(release.path(), to.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn a_release_with_a_wrong_or_missing_checksum_is_not_installed() {
    let (release, to) = (release("abc1234"), tempfile::tempdir().unwrap());
    let sums = release.path().join("SHA256SUMS");
    let right = fs::read_to_string(&sums).unwrap();
    let other = format!("{}  other.tar.gz\n", right.split(' ').next().unwrap());
    for wrong in [format!("{}{}", "0".repeat(64), &right[64..]), other] {
        fs::write(&sums, &wrong).unwrap();
        let output = install(release.path(), to.path(), &[]);
        assert_eq!(output.status.code(), Some(4), "{}", text(&output));
        assert!(text(&output).contains("nothing was installed"));
        assert!(fs::read_dir(to.path()).unwrap().next().is_none());
    }
    fs::remove_file(&sums).unwrap();
    let output = install(release.path(), to.path(), &[]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
}

#[test]
fn a_platform_without_a_binary_and_an_unsafe_address_are_refused() {
    let (release, to) = (release("abc1234"), tempfile::tempdir().unwrap());
    let other = [("CATALOG_TARGET", "riscv64gc-unknown-linux-gnu")];
    let output = install(release.path(), to.path(), &other);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    for (name, value) in [
        ("CATALOG_BASE_URL", "http://example.org/x"),
        ("CATALOG_TARGET", "../x"),
    ] {
        let output = install(release.path(), to.path(), &[(name, value)]);
        assert!(!output.status.success(), "{name}");
        assert!(fs::read_dir(to.path()).unwrap().next().is_none());
    }
}

#[test]
fn nothing_is_downloaded_from_the_placeholder() {
    let to = tempfile::tempdir().unwrap();
    let directory = [("CATALOG_INSTALL_DIR", to.path().to_str().unwrap())];
    for repository in [None, Some("your-org/tool"), Some("x"), Some("a/b/c")] {
        let mut variables = directory.to_vec();
        variables.extend(repository.map(|name| ("CATALOG_REPOSITORY", name)));
        let is_published = !package("repository").contains("/your-org/");
        if repository.is_none() && is_published {
            continue;
        }
        let output = run_script("install.sh", &[], &root(), &variables);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        assert!(
            text(&output).contains("CATALOG_REPOSITORY"),
            "{}",
            text(&output)
        );
    }
}

/// The outputs of the first step of the action, for an action of this repository and ref.
fn first_step(release: &Path, repository: &str, reference: &str) -> (Output, String) {
    let runner = tempfile::tempdir().unwrap();
    let file = |name: &str| runner.path().join(name).to_str().unwrap().to_owned();
    let (outputs, path) = (file("outputs"), file("path"));
    let url = format!("file://{}", release.display());
    let output = run_script(
        "ci/action-install.sh",
        &[],
        &root(),
        &[
            ("ACTION_REPOSITORY", repository),
            ("ACTION_REF", reference),
            ("RUNNER_TEMP", runner.path().to_str().unwrap()),
            ("GITHUB_OUTPUT", &outputs),
            ("GITHUB_PATH", &path),
            ("CATALOG_BASE_URL", &url),
            ("CATALOG_TARGET", TARGET),
        ],
    );
    let outputs = fs::read_to_string(outputs).unwrap_or_default();
    let is_installed = runner.path().join("catalog/bin/catalog").exists();
    assert_eq!(
        outputs.contains("installed=true"),
        is_installed,
        "{outputs}"
    );
    (output, outputs)
}

#[test]
fn the_action_installs_the_release_of_its_own_version() {
    let release = release("abc1234");
    let tag = format!("v{}", package("version"));
    let commit = format!("abc1234{}", "0".repeat(33));
    for reference in [tag.as_str(), &commit] {
        let (output, outputs) = first_step(release.path(), "acme/catalog", reference);
        assert!(output.status.success(), "{}", text(&output));
        assert!(outputs.contains("installed=true\n"), "{outputs}");
    }
}

#[test]
fn the_action_builds_what_was_not_released() {
    let release = release("abc1234");
    let other_commit = "f".repeat(40);
    for (repository, reference) in [
        ("acme/catalog", "main"),
        ("acme/catalog", "v99.0.0"),
        ("acme/catalog", other_commit.as_str()),
        ("", ""),
    ] {
        let (output, outputs) = first_step(release.path(), repository, reference);
        assert!(output.status.success(), "{}", text(&output));
        assert!(
            outputs.contains("installed=false\n"),
            "{reference}: {outputs}"
        );
        let rust = format!("rust={}\n", package("rust-version"));
        assert!(outputs.contains(&rust), "{outputs}");
        let key = outputs.split("key=").nth(1).unwrap().trim_end();
        assert_eq!(key.len(), 40, "{outputs}");
    }
}

#[test]
fn the_action_stops_at_a_wrong_checksum() {
    let release = release("abc1234");
    let line = format!("{}  catalog-{TARGET}.tar.gz\n", "0".repeat(64));
    fs::write(release.path().join("SHA256SUMS"), line).unwrap();
    let tag = format!("v{}", package("version"));
    let (output, _) = first_step(release.path(), "acme/catalog", &tag);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
}
