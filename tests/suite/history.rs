//! A history that is longer than what is looked at: pages say so, with and without a cache.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use catalog::pipeline::{self, GitUse, Request};
use tempfile::TempDir;

use crate::cli::{platform, stderr};
use crate::diff::{commit, committed, git};
use crate::site::{files, text};

/// The first second of February 2020.
const FEBRUARY: usize = 1_580_515_200;

/// The small platform as the first commit, and then one each minute that changes something else.
fn long(commits: usize) -> TempDir {
    let directory = platform();
    let root = directory.path();
    let mut stream = String::new();
    let mut head = |number: usize, time: usize| {
        let author = format!("Ann <ann@example.org> {time} +0000");
        writeln!(
            stream,
            "commit refs/heads/main\nauthor {author}\ncommitter {author}\ndata 0"
        )
        .unwrap();
        let mut put = |path: &str, content: &str| {
            let bytes = content.len();
            writeln!(stream, "M 644 inline {path}\ndata {bytes}\n{content}").unwrap();
        };
        match number {
            0 => {
                for (path, content) in files(root) {
                    put(&path, std::str::from_utf8(&content).unwrap());
                }
            }
            number => put("notes.txt", &number.to_string()),
        }
    };
    head(0, FEBRUARY - 1_000_000);
    for number in 1..=commits {
        head(number, FEBRUARY + number * 60);
    }
    git(root, &["init", "-q", "-b", "main"]);
    let mut import = Command::new("git")
        .current_dir(root)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    input.write_all(stream.as_bytes()).unwrap();
    drop(input);
    assert!(import.wait().unwrap().success());
    git(root, &["reset", "-q", "--hard", "main"]);
    directory
}

fn run(directory: &Path, cache: impl AsRef<OsStr>, args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_catalog"))
        .args(args)
        .current_dir(directory)
        .env("CATALOG_CACHE_DIR", cache)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn files_older_than_what_is_looked_at_were_changed_before_a_day() {
    let directory = long(12_100);
    let root = directory.path();
    let outside = tempfile::tempdir().unwrap();
    let cache = outside.path().join("cache");
    let build = |cache: &Path, name: &str| {
        let site = outside.path().join(name);
        run(root, cache, &["build", "--out", site.to_str().unwrap()]);
        files(&site)
    };
    let first = build(&cache, "first");
    let page = text(&first, "components/shop.md");
    assert!(page.contains("| before 2020-02-02 |"), "{page}");
    let html = text(&first, "components/shop.html");
    assert!(html.contains("before 2020-02-02") && !html.contains("by Ann"));
    assert_eq!(fs::read_dir(cache.join("history")).unwrap().count(), 1);

    assert!(build(&cache, "second") == first, "from the cache");
    assert!(build(Path::new(""), "third") == first, "without a cache");
    let exported = outside.path().join("markdown");
    let to = exported.to_str().unwrap();
    run(
        root,
        &cache,
        &["export", "--format", "markdown", "--out", to],
    );
    let page = files(&exported);
    let has_day =
        |content: &Vec<u8>| String::from_utf8_lossy(content).contains("before 2020-02-02");
    assert!(page.values().any(has_day));

    let app = root.join("shop/app.yaml");
    let manifest = fs::read_to_string(&app).unwrap();
    fs::write(&app, manifest.replace("shop:1.2.3", "shop:1.2.4")).unwrap();
    commit(root, "one more");
    let newer = build(&cache, "newer");
    let page = text(&newer, "components/shop.md");
    assert!(page.contains(": one more (Ann)"), "{page}");
    let other = text(&newer, "components/store.md");
    assert!(other.contains("| before 2020-02-02 |"), "{other}");
    assert!(
        build(Path::new(""), "cold") == newer,
        "continued from the cache"
    );
}

#[test]
fn a_site_with_days_is_checked_without_its_history() {
    let directory = long(12_100);
    let root = directory.path();
    let url = "https://github.com/acme/fleet.git";
    git(root, &["remote", "add", "origin", url]);
    run(root, "", &["build", "--out", "site"]);
    commit(root, "the site");
    let clones = tempfile::tempdir().unwrap();
    let url = format!("file://{}", root.display());
    git(
        clones.path(),
        &["clone", "-q", "--depth", "1", &url, "shallow"],
    );
    let shallow = clones.path().join("shallow");
    run(&shallow, "", &["build", "--out", "site", "--check"]);
}

#[test]
fn a_request_without_git_has_no_git_facts() {
    let directory = committed();
    let reading = |git: GitUse| {
        let request = Request {
            repo: Some(directory.path().to_path_buf()),
            git,
            ..Request::default()
        };
        pipeline::read(&request).unwrap()
    };
    let (with, without) = (reading(GitUse::Read), reading(GitUse::Skip));
    assert!(with.repo.git().is_some() && with.repo.history().is_some());
    assert!(without.repo.git().is_none() && without.repo.history().is_none());
    assert_eq!(
        with.catalog.components.len(),
        without.catalog.components.len()
    );
}
