//! `catalog build --watch`: the site on disk follows the repo.

use std::fs;

use super::{change, fixture, put, watching};
use crate::site::{Files, build, files};

#[test]
fn a_build_that_watches_writes_what_a_clean_build_writes_and_does_not_answer_itself() {
    let repo = fixture();
    let root = repo.path();
    let mut watching = watching(root, "book");
    assert!(files(&root.join("book")) == build(root));
    change(root, "shop/app.yaml", "1.2.3", "1.2.4");
    let line = watching.line_about("shop/app.yaml");
    assert!(
        line.contains("1 file read, ") && line.contains(" pages written to book, "),
        "{line}"
    );
    let after = built_and_written(root);
    assert!(after.0 == after.1);
    put(root, "docs/more.md", "# More\n");
    watching.line_about("docs/more.md");
    fs::remove_file(root.join("shop/README.md")).unwrap();
    watching.line_about("shop/README.md");
    let after = built_and_written(root);
    assert!(after.0 == after.1);
    assert_eq!(watching.said.len(), 4, "{:#?}", watching.said);
}

#[test]
fn two_builds_that_watch_one_repo_do_not_answer_each_other() {
    let repo = fixture();
    let root = repo.path();
    let mut one = watching(root, "book");
    let mut other = watching(root, "public");
    for (from, to) in [("1.2.3", "1.2.4"), ("1.2.4", "1.2.5"), ("1.2.5", "1.2.6")] {
        change(root, "shop/app.yaml", from, to);
        // What the other one wrote may be named beside it, and is no reason to write again.
        one.line(|line| line.contains("shop/app.yaml"));
        other.line(|line| line.contains("shop/app.yaml"));
    }
    assert!(files(&root.join("book")) == files(&root.join("public")));
    // On a busy machine, one may say that it waits for the other to finish writing.
    let written = |said: &[String]| said.iter().filter(|line| line.contains(" read, ")).count();
    assert_eq!(written(&one.said), 4, "{:#?}", one.said);
    assert_eq!(written(&other.said), 4, "{:#?}", other.said);
}

#[test]
fn a_build_that_watches_keeps_the_last_good_site_while_something_is_broken() {
    let repo = fixture();
    let root = repo.path();
    let mut watching = watching(root, "book");
    let good = files(&root.join("book"));
    put(root, "catalog.toml", "tilte = 'x'\n");
    watching.line(|line| line.starts_with("error"));
    assert!(files(&root.join("book")) == good);
    put(root, "catalog.toml", "title = 'Fleet'\n");
    watching.line_about("catalog.toml");
    let (built, written) = built_and_written(root);
    assert!(built == written && written != good);
}

fn built_and_written(root: &std::path::Path) -> (Files, Files) {
    (build(root), files(&root.join("book")))
}
