//! Secrets of every kind, planted in every kind of place, and looked for in all that any command writes. What authors write
//! as prose is theirs to publish, but for tokens of a well-known format.

mod places;
mod secrets;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cli::catalog;
use crate::secret::each_file;
use places::Garden;

/// Commands that print to stdout, in every format.
const PRINTING: &[&[&str]] = &[
    &["check", "."],
    &["check", ".", "--color", "always"],
    &["check", ".", "--format", "json"],
    &["check", ".", "--format", "sarif"],
    &["check", ".", "--format", "github"],
    &["check", ".", "--format", "junit"],
    &["check", ".", "--diff"],
    &["export", "."],
    &["export", ".", "--format", "backstage"],
    &["graph", "."],
    &["graph", ".", "--format", "dot"],
    &["graph", ".", "--format", "json"],
    &["graph", ".", "--format", "svg"],
    &["rehearse", "."],
    &["rehearse", ".", "--format", "json"],
    &["rehearse", ".", "--format", "mermaid"],
    &["init", ".", "--dry-run"],
    &["diff", "HEAD^"],
    &["diff", "HEAD^", "--format", "markdown"],
    &["diff", "HEAD^", "--format", "json"],
];

/// Commands that write files.
const WRITING: &[&[&str]] = &[
    &["build", ".", "--out", "../out/site"],
    &[
        "export",
        ".",
        "--format",
        "markdown",
        "--out",
        "../out/pages",
    ],
    &[
        "export",
        ".",
        "--format",
        "markdown",
        "--links",
        "addresses",
        "--out",
        "../out/others",
    ],
    &["export", ".", "--out", "../out/service-catalog.json"],
    &["check", ".", "--write-baseline", "../out/baseline.json"],
];

#[test]
fn no_command_shows_a_planted_secret() {
    let garden = Garden::planted();
    assert!(garden.secrets.len() >= 150, "{}", garden.secrets.len());
    let around = tempfile::tempdir().unwrap();
    let repo = around.path().join("repo");
    fs::create_dir_all(around.path().join("out")).unwrap();
    git(around.path(), &["init", "--quiet", "repo"]);
    fs::write(repo.join("README.md"), "# Garden\n").unwrap();
    commit(&repo, "Begin");
    for (path, text) in &garden.files {
        let path = repo.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    commit(&repo, &garden.subject);

    let needles: HashMap<[u8; 12], &str> = garden
        .secrets
        .iter()
        .map(|planted| (planted.needle, planted.what.as_str()))
        .collect();
    assert_eq!(needles.len(), garden.secrets.len());
    let mut leaks: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut look = |name: String, bytes: &[u8]| {
        let text = bytes.to_ascii_lowercase();
        for part in text.array_windows::<12>() {
            if let Some(what) = needles.get(part) {
                leaks.entry(what).or_default().insert(name.clone());
            }
        }
    };
    for args in WRITING.iter().chain(PRINTING) {
        let output = catalog(args, &repo);
        let code = output.status.code();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(code, Some(0 | 1)), "{args:?}: {stderr}");
        look(args.join(" "), &output.stdout);
        look(args.join(" "), &output.stderr);
    }
    let mut files = 0;
    each_file(&around.path().join("out"), &mut |path, bytes| {
        files += 1;
        look(
            path.strip_prefix(around.path())
                .unwrap()
                .display()
                .to_string(),
            bytes,
        );
    });
    assert!(files > 100, "{files}");
    let shown = leaks.iter().map(|(what, where_)| {
        let first: Vec<&str> = where_.iter().map(String::as_str).take(2).collect();
        format!("{what}: {} places, {first:?}", where_.len())
    });
    let shown: Vec<String> = shown.collect();
    assert!(
        leaks.is_empty(),
        "{} of {} leak:\n{}",
        leaks.len(),
        garden.secrets.len(),
        shown.join("\n")
    );
    // What stands beside the secrets is shown, so that nothing is hidden by leaving all of it out.
    let document = fs::read_to_string(around.path().join("out/service-catalog.json")).unwrap();
    for open in &garden.open {
        assert!(document.contains(open), "{open} is not shown");
    }
}

fn git(directory: &Path, args: &[&str]) {
    let fixed = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.com",
        "-c",
        "commit.gpgsign=false",
    ];
    let output = Command::new("git")
        .args(fixed)
        .args(args)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn commit(repo: &Path, subject: &str) {
    git(repo, &["add", "--all", "--force"]);
    git(repo, &["commit", "--quiet", "--message", subject]);
}
