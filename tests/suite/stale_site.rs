//! `catalog build --check`: whether a site that is kept in git is still what the files say.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::cli::{catalog, stderr, stdout};
use crate::diff::{commit, committed, git};
use crate::site::files;

fn build(directory: &Path) {
    let output = catalog(&["build", "--out", "docs/catalog"], directory);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

fn check(directory: &Path) -> Output {
    let before = files(&directory.join("docs/catalog"));
    let output = catalog(&["build", "--out", "docs/catalog", "--check"], directory);
    assert!(
        files(&directory.join("docs/catalog")) == before,
        "it writes nothing"
    );
    output
}

fn assert_current(directory: &Path) {
    let output = check(directory);
    let said = stdout(&output) + &stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
}

/// What is said of a stale site.
fn stale(directory: &Path) -> String {
    let output = check(directory);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("is out of date"),
        "{}",
        stderr(&output)
    );
    stdout(&output)
}

/// A repository that has a remote and some history, with its site committed.
fn published() -> TempDir {
    let directory = committed();
    let root = directory.path();
    let url = "https://github.com/acme/fleet.git";
    git(root, &["remote", "add", "origin", url]);
    fs::write(
        root.join("shop/README.md"),
        "# Shop\n\nSells.\n\n[app](app.yaml)\n",
    )
    .unwrap();
    commit(root, "a second commit");
    build(root);
    commit(root, "the site");
    directory
}

#[test]
fn the_commit_that_holds_the_site_does_not_make_it_stale() {
    let directory = published();
    let root = directory.path();
    let page = fs::read_to_string(root.join("docs/catalog/components/shop.html")).unwrap();
    assert!(
        page.contains("<small>Ann</small>"),
        "pages show what git knows"
    );
    assert!(page.contains("https://github.com/acme/fleet/blob/"));
    assert_current(root);
    fs::write(root.join("notes.txt"), "nothing").unwrap();
    commit(root, "unrelated");
    git(root, &["checkout", "-q", "-b", "feature"]);
    assert_current(root);
}

#[test]
fn the_last_change_of_a_component_is_that_of_all_its_files() {
    let directory = committed();
    let root = directory.path();
    let app = root.join("shop/app.yaml");
    let text = fs::read_to_string(&app).unwrap();
    fs::write(&app, text.replace("shop:1.2.3", "shop:1.2.4")).unwrap();
    let author = "--author=Bo <bo@example.org>";
    git(root, &["commit", "-q", "-a", "-m", "an upgrade", author]);
    build(root);
    for (component, author) in [("shop", "(Bo)"), ("store", "(Ann)")] {
        let page = root.join(format!("docs/catalog/components/{component}.md"));
        let page = fs::read_to_string(page).unwrap();
        assert!(page.contains(author), "{component}: {page}");
    }
}

#[test]
fn a_site_is_checked_without_the_history_that_it_was_built_with() {
    let directory = published();
    let clones = tempfile::tempdir().unwrap();
    let url = format!("file://{}", directory.path().display());
    git(
        clones.path(),
        &["clone", "-q", "--depth", "1", &url, "shallow"],
    );
    assert_current(&clones.path().join("shallow"));
    // Squashed, the commit that it was built at is gone.
    let root = directory.path();
    git(root, &["checkout", "-q", "--orphan", "squashed"]);
    commit(root, "all of it");
    git(
        clones.path(),
        &["clone", "-q", "--single-branch", &url, "squashed"],
    );
    assert_current(&clones.path().join("squashed"));
}

#[test]
fn pages_that_say_otherwise_are_named() {
    let directory = published();
    let root = directory.path();
    let app = root.join("shop/app.yaml");
    let text = fs::read_to_string(&app).unwrap();
    fs::write(&app, text.replace("1.2.3", "1.3.0")).unwrap();
    commit(root, "another version");
    let said = stale(root);
    assert!(
        said.contains("differs         components/shop.html\n"),
        "{said}"
    );
    assert!(!said.contains("components/operator.html"), "{said}");
    assert!(said.contains("only in navigation or links"), "{said}");
    build(root);
    assert_current(root);

    let unit = root.join("clusters/dev/shop.yaml");
    let text = fs::read_to_string(&unit).unwrap();
    fs::write(
        root.join("clusters/dev/till.yaml"),
        text.replace("shop", "till"),
    )
    .unwrap();
    fs::create_dir(root.join("till")).unwrap();
    let text = fs::read_to_string(&app).unwrap();
    fs::write(root.join("till/app.yaml"), text.replace("shop", "till")).unwrap();
    fs::remove_file(unit).unwrap();
    let said = stale(root);
    assert!(
        said.contains("missing         components/till.html\n"),
        "{said}"
    );
    build(root);
    fs::write(root.join("docs/catalog/components/old.html"), "old").unwrap();
    fs::write(root.join("docs/catalog/components/old.md"), "old").unwrap();
    let said = stale(root);
    assert_eq!(said, "obsolete        components/old.html\n");
}

#[test]
fn many_pages_are_counted() {
    let directory = published();
    let root = directory.path();
    for number in 0..30 {
        let text = format!("# Page {number}\n\nWords.\n");
        fs::write(root.join(format!("docs/page-{number}.md")), text).unwrap();
    }
    let said = stale(root);
    assert_eq!(
        said.lines().filter(|line| line.contains(".html")).count(),
        20
    );
    assert!(said.contains("\n… and "), "{said}");
}

#[test]
fn where_there_is_no_site_there_is_nothing_current() {
    let directory = committed();
    let root = directory.path();
    let output = catalog(&["build", "--check"], root);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("no site in book"),
        "{}",
        stdout(&output)
    );
    assert!(!root.join("book").exists());
    fs::create_dir(root.join("book")).unwrap();
    fs::write(root.join("book/mine.txt"), "").unwrap();
    let output = catalog(&["build", "--check"], root);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--out"), "{}", stderr(&output));
}

#[test]
fn a_site_that_was_built_before_there_was_git_stays_current() {
    let directory = crate::cli::platform();
    let root = directory.path();
    fs::write(root.join("catalog.toml"), "title = \"Fleet\"\n").unwrap();
    build(root);
    assert_current(root);
    git(root, &["init", "-q"]);
    commit(root, "first");
    assert_current(root);
    // What a record should not say is not believed.
    let record = "{\"commit\": \"x\", \"remote\": \"javascript:alert(1)\", \"last\": {\"shop/app.yaml\": 7}}";
    fs::write(root.join("docs/catalog/.catalog-git.json"), record).unwrap();
    assert_current(root);
}
