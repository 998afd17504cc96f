//! How a site takes the place of the last one: whole, or not at all.

mod fault;

use std::fs;
use std::path::PathBuf;

use crate::cli::{catalog, stderr};
use crate::site::{files, written};

#[test]
fn a_build_that_fails_leaves_the_last_good_site() {
    let repo = written("# Web\n\nFirst words of it.\n", &[]);
    let out = tempfile::tempdir().unwrap();
    let run = || {
        catalog(
            &["build", repo.path().to_str().unwrap(), "--out", "site"],
            out.path(),
        )
    };
    assert_eq!(run().status.code(), Some(0));
    let good = files(&out.path().join("site"));
    fs::create_dir_all(repo.path().join("theme/sections")).unwrap();
    fs::write(repo.path().join("theme/sections/overview.html"), "{% if %}").unwrap();
    let failed = run();
    assert_eq!(failed.status.code(), Some(2));
    assert!(
        stderr(&failed).contains("sections/overview.html"),
        "{}",
        stderr(&failed)
    );
    // One that parses, and fails only when it is rendered.
    fs::write(
        repo.path().join("theme/sections/overview.html"),
        "{{ section.nothing.at.all }}",
    )
    .unwrap();
    assert_eq!(run().status.code(), Some(2));
    assert!(files(&out.path().join("site")) == good);
    let names: Vec<PathBuf> = fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(
        names,
        [out.path().join("site")],
        "nothing else is left behind"
    );
}

#[test]
fn what_a_killed_build_left_is_removed_by_the_next_one() {
    let repo = written("# Web\n", &[]);
    let out = tempfile::tempdir().unwrap();
    let left = out.path().join(".site.catalog-4194305");
    fs::create_dir(&left).unwrap();
    fs::write(left.join(".catalog-site"), "").unwrap();
    let other = out.path().join(".site.catalog-notes");
    fs::create_dir(&other).unwrap();
    catalog(
        &["build", repo.path().to_str().unwrap(), "--out", "site"],
        out.path(),
    );
    assert!(!left.exists() && other.exists());
}

#[test]
fn a_directory_that_it_did_not_make_is_left_alone() {
    let repo = written("# Web\n", &[]);
    let out = tempfile::tempdir().unwrap();
    let precious = out.path().join("site/precious.txt");
    fs::create_dir(out.path().join("site")).unwrap();
    fs::write(&precious, "mine").unwrap();
    let run = || {
        catalog(
            &["build", repo.path().to_str().unwrap(), "--out", "site"],
            out.path(),
        )
    };
    let refused = run();
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--out"), "{}", stderr(&refused));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    // An empty directory is fine, and so is one that is only kept in git.
    fs::rename(&precious, out.path().join("site/.gitkeep")).unwrap();
    assert_eq!(run().status.code(), Some(0));
    assert_eq!(
        fs::read_to_string(out.path().join("site/.gitkeep")).unwrap(),
        "mine"
    );
    assert_eq!(run().status.code(), Some(0), "its own site is replaced");
}

#[test]
fn a_site_inside_the_repo_is_no_part_of_it() {
    let repo = written("# Web\n", &[]);
    let run = || catalog(&["build", ".", "--out", "public"], repo.path());
    assert_eq!(run().status.code(), Some(0));
    let first = files(&repo.path().join("public"));
    assert_eq!(run().status.code(), Some(0));
    assert!(files(&repo.path().join("public")) == first);
}
