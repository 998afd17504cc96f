//! Recent changes: which commits changed a component, and what they replaced.

use std::fs;
use std::path::Path;

use crate::cli::{catalog, platform};
use crate::diff::{commit, git};
use crate::site::{Files, check_links, files, text};

/// The site of a repository with its git facts.
fn site(repo: &Path) -> Files {
    let out = tempfile::tempdir().unwrap();
    let site = out.path().join("site");
    let args = ["build", "--quiet", "--out", site.to_str().unwrap()];
    let built = catalog(&args, repo);
    assert!(built.status.success(), "{built:?}");
    files(&site)
}

/// The small platform, with a commit that raises the replicas of its shop and states a password, and one that adds a file.
fn changed() -> tempfile::TempDir {
    let repo = platform();
    let root = repo.path();
    git(root, &["init", "-q", "-b", "main"]);
    commit(root, "Start");
    let unit = root.join("clusters/dev/shop.yaml");
    let before = fs::read_to_string(&unit).unwrap();
    let after = before
        .replace("REPLICAS: \"3\"", "REPLICAS: \"5\"")
        .replace("hunter2", "hunter3");
    assert_ne!(before, after);
    fs::write(&unit, after).unwrap();
    let operator = root.join("operator/helm.yaml");
    let chart = fs::read_to_string(&operator).unwrap();
    fs::write(&operator, chart.replace("version: ", "version: 9.")).unwrap();
    commit(
        root,
        "Scale <the> shop with ghp_0123456789abcdefghijABCDEFGHIJ012345",
    );
    fs::write(root.join("shop/notes.txt"), "a\n").unwrap();
    commit(root, "Note something");
    repo
}

#[test]
fn a_component_lists_the_commits_that_changed_it_with_versions_before_and_after() {
    let repo = changed();
    let site = site(repo.path());
    let operator = text(&site, "components/operator.md");
    let section = operator.split("## Recent changes").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    assert!(
        section.contains("`version`") && section.contains("`9."),
        "{section}"
    );
    assert!(!section.contains("Note something"), "{section}");
    let shop = text(&site, "components/shop.md");
    assert!(shop.contains("Note something") && shop.contains("1 file added"));
    let changes = text(&site, "changes.html");
    assert!(changes.contains("Scale &lt;the&gt; shop"));
    assert!(
        changes.contains("components/operator.html") && changes.contains("components/shop.html")
    );
    let newest = changes.find("Note something").unwrap();
    assert!(newest < changes.find("Scale &lt;the&gt;").unwrap());
    check_links(&site);
}

#[test]
fn no_secret_of_a_commit_is_shown() {
    let repo = changed();
    let url = "url = \"https://catalog.acme.dev/\"\n";
    fs::write(repo.path().join("catalog.toml"), url).unwrap();
    for (path, bytes) in site(repo.path()) {
        let content = String::from_utf8_lossy(&bytes);
        for secret in ["hunter2", "hunter3", "ghp_0123456789"] {
            assert!(!content.contains(secret), "{path} has {secret}");
        }
    }
}

#[test]
fn a_feed_needs_the_address_of_the_site() {
    let repo = changed();
    assert!(!site(repo.path()).contains_key("changes.atom"));
    let url = "url = \"https://catalog.acme.dev/x/\"\n";
    fs::write(repo.path().join("catalog.toml"), url).unwrap();
    let site = site(repo.path());
    let feed = text(&site, "changes.atom");
    assert!(feed.contains("<link href=\"https://catalog.acme.dev/x/changes.html\"/>"));
    assert_eq!(feed.matches("<entry>").count(), 3);
    assert!(feed.contains("<title>Scale &lt;the&gt; shop"));
}

#[test]
fn a_site_that_is_kept_in_git_stays_up_to_date_when_it_is_committed() {
    let repo = changed();
    let root = repo.path();
    let run = |args: &[&str]| catalog(args, root);
    assert!(run(&["build", "--quiet"]).status.success());
    commit(root, "Publish the site");
    let check = run(&["build", "--check"]);
    assert!(check.status.success(), "{check:?}");
}

#[test]
fn without_git_there_are_no_recent_changes() {
    let repo = platform();
    let site = site(repo.path());
    assert!(!site.contains_key("changes.html"));
    assert!(!text(&site, "index.html").contains("last change"));
}
