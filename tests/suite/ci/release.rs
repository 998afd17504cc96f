//! Releases: the repository is named once, and tag, version and changelog have to agree.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use super::{TEMPLATES, WORKFLOWS, package, read, root, run_script};
use crate::cli::{repo, stderr, stdout};
use crate::diff::{commit, git};

const URL: &str = "https://github.com/acme/catalog";
const CHANGELOG: &str = "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-01-02\n\n- Adds a thing.\n\n## 1.2.2 - 2025-12-01\n\n- Fixes another.\n";

/// A project that may be released as 1.2.3.
fn ready() -> TempDir {
    repo(&[
        (
            "Cargo.toml",
            &format!(
                "[package]\nname = \"catalog\"\nversion = \"1.2.3\"\nrepository = \"{URL}\"\n"
            ),
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = \"catalog\"\nversion = \"1.2.3\"\n",
        ),
        ("CHANGELOG.md", CHANGELOG),
    ])
}

fn check(directory: &Path, tag: &str, url: &str) -> Output {
    let directory = directory.to_str().unwrap();
    run_script("ci/release-check.sh", &[tag, url, directory], &root(), &[])
}

#[test]
fn a_release_needs_tag_version_changelog_and_repository_to_agree() {
    let directory = ready();
    let output = check(directory.path(), "v1.2.3", URL);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for (tag, url, expected) in [
        ("v1.2.4", URL, "the tag is v1.2.4"),
        ("1.2.3", URL, "the tag is 1.2.3"),
        (
            "v1.2.3",
            "https://github.com/fork/catalog",
            "ci/set-repository",
        ),
    ] {
        let output = check(directory.path(), tag, url);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    for (path, from, to, expected) in [
        ("Cargo.lock", "1.2.3", "1.2.2", "Cargo.lock does not have"),
        ("CHANGELOG.md", " - 2026-01-02", "", "## 1.2.3 - YYYY-MM-DD"),
        (
            "CHANGELOG.md",
            "2026-01-02",
            "soon",
            "## 1.2.3 - YYYY-MM-DD",
        ),
        ("CHANGELOG.md", "- Adds a thing.\n", "", "with entries"),
        (
            "CHANGELOG.md",
            "Unreleased\n",
            "Unreleased\n\n- More.\n",
            "under Unreleased",
        ),
    ] {
        let directory = ready();
        let file = directory.path().join(path);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let output = check(directory.path(), "v1.2.3", URL);
        assert_eq!(output.status.code(), Some(1), "{path}: {from}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn the_notes_of_a_release_are_its_section_of_the_changelog() {
    let directory = ready();
    let changelog = directory.path().join("CHANGELOG.md");
    let args = ["1.2.3", changelog.to_str().unwrap()];
    let output = run_script("ci/release-notes.sh", &args, &root(), &[]);
    assert_eq!(stdout(&output), "- Adds a thing.\n");
}

#[test]
fn the_changelog_of_this_project_is_dated() {
    let version = package("version");
    let changelog = read("CHANGELOG.md");
    let output = run_script("ci/release-notes.sh", &[&version], &root(), &[]);
    let is_next = changelog.contains("\n## Unreleased\n\n-");
    assert!(output.status.success() || is_next, "{}", stderr(&output));
    for heading in changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
    {
        let date = heading.split_once(" - ").map(|(_, date)| date);
        let is_date = |date: &str| {
            let parts: Vec<usize> = date.split('-').map(str::len).collect();
            parts == [4, 2, 2]
        };
        assert!(
            heading == "Unreleased" || date.is_some_and(is_date),
            "{heading}"
        );
    }
}

/// Files that name the repository of the project.
const NAMING: [&str; 6] = [
    "Cargo.toml",
    "install.sh",
    "ci/gitlab.yml",
    "README.md",
    "docs/ci.md",
    "SECURITY.md",
];

#[test]
fn every_file_names_the_repository_of_the_manifest() {
    let repository = package("repository");
    let name = repository.strip_prefix("https://github.com/").unwrap();
    let short = name.split('/').nth(1).unwrap();
    for path in NAMING {
        let text = read(path).to_lowercase();
        assert!(
            text.contains(&name.to_lowercase()),
            "{path} does not name {name}"
        );
        for before in [
            "github.com/",
            "ghcr.io/",
            "uses: ",
            "--repo ",
            "repository=",
        ] {
            for rest in text.split(before).skip(1) {
                let end = |c: char| !c.is_ascii_alphanumeric() && !"-_./".contains(c);
                let named = rest.split(end).next().unwrap();
                let parts: Vec<&str> = named.split('/').collect();
                if parts.get(1) == Some(&short) {
                    let owner_and_name = parts[..2].join("/");
                    assert_eq!(owner_and_name, name.to_lowercase(), "{path}");
                }
            }
        }
    }
}

#[test]
fn versions_in_files_are_that_of_the_manifest() {
    let (version, repository) = (package("version"), package("repository"));
    let name = repository.strip_prefix("https://github.com/").unwrap();
    let template = read("ci/gitlab.yml");
    assert!(
        template.contains(&format!("catalog:{version}\n")),
        "{version}"
    );
    assert!(
        template.contains(&format!("CATALOG_TAG: v{version}\n")),
        "{version}"
    );
    for path in ["README.md", "docs/ci.md"] {
        let text = read(path);
        for rest in text.split(&format!("{name}@")).skip(1) {
            assert!(rest.starts_with(&format!("v{version}")), "{path}");
        }
    }
}

#[test]
fn one_command_names_the_repository_in_every_file() {
    let directory = tempfile::tempdir().unwrap();
    let paths = NAMING.into_iter().chain(WORKFLOWS).chain(TEMPLATES);
    for path in paths.chain([
        "ci/set-repository",
        "src/export/project.rs",
        "src/cli/starter/pipeline.rs",
    ]) {
        let to = directory.path().join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root().join(path), to).unwrap();
    }
    git(directory.path(), &["init", "-q"]);
    commit(directory.path(), "x");
    let script = directory.path().join("ci/set-repository");
    let run = |name: &str| {
        let mut command = std::process::Command::new("sh");
        let output = command
            .arg(&script)
            .arg(name)
            .env_remove("GIT_DIR")
            .output();
        output.unwrap()
    };
    for wrong in ["", "acme", "a/b/c", "a b/c", "a/b;c"] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong}");
    }
    let before = package("repository").replace("https://github.com/", "");
    // A second name replaces the first.
    for name in ["First-Org/catalog", "other-org/service-catalog"] {
        let output = run(name);
        assert!(output.status.success(), "{}", stderr(&output));
        let text = |path: &str| fs::read_to_string(directory.path().join(path)).unwrap();
        for path in NAMING {
            assert!(
                text(path).to_lowercase().contains(&name.to_lowercase()),
                "{path}"
            );
            assert!(!text(path).contains(&before), "{path}");
        }
        let image = format!("ghcr.io/{}:", name.to_lowercase());
        assert!(
            text("ci/gitlab.yml").contains(&image),
            "{}",
            text("ci/gitlab.yml")
        );
        // The placeholder is still refused.
        assert!(text("install.sh").contains("your-org/*)"));
        assert!(text("src/export/project.rs").contains("github.com/your-org/\""));
    }
}
