//! The guide to the program is part of the example's site, and a guide is taken from nowhere but where it may be.

use std::fs;
use std::path::Path;

use crate::ci::root;
use crate::cli::{catalog, repo, stderr};
use crate::html::tags;
use crate::readme::copy;
use crate::site::{check_link, check_policy, files, pages};

/// The site of the project itself, as the README has it made.
fn site(top: &Path) -> crate::site::Files {
    let output = catalog(&["build"], top);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    files(&top.join("book"))
}

#[test]
fn every_page_of_the_guide_is_in_the_site_and_its_links_lead_somewhere() {
    let top = copy();
    let site = site(top.path());
    let anchors = pages(&site)
        .map(|(path, page)| (path, crate::html::ids(page)))
        .collect();
    let mut written = 0;
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let at = format!("guide/{stem}.html");
        let page = crate::site::text(&site, &at);
        check_policy(&at, page);
        for target in tags(page).filter_map(|tag| tag.attribute("href")) {
            check_link(&site, &anchors, &at, &target);
        }
        assert!(page.contains("aria-current=\"true\">Guide<") || stem == "README");
        assert!(site.contains_key(&format!("guide/{stem}.md")));
        let first = crate::site::text(&site, "guide/README.html");
        let is_named = stem == "README" || first.contains(&format!("href=\"{stem}.html\""));
        assert!(is_named, "docs/README.md does not name {stem}.md");
        written += 1;
    }
    assert!(written >= 11, "{written}");
    let index = crate::site::text(&site, "index.html");
    assert!(index.contains("href=\"guide/README.html\""));
}

#[test]
fn what_the_guide_links_to_is_there() {
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let links = text.split("](").skip(1);
        for link in links.filter_map(|rest| rest.split([')', ' ']).next()) {
            let target = link.split('#').next().unwrap();
            let is_file = target.starts_with("../") || target.ends_with(".md");
            // Rules show links that are broken on purpose.
            if is_file && !path.ends_with("checks.md") {
                let there = root().join("docs").join(target);
                assert!(there.exists(), "{}: {link}", path.display());
            }
        }
    }
}

#[test]
fn a_repo_that_is_named_on_the_command_line_brings_no_guide() {
    let outer = repo(&[
        ("hostile/catalog.toml", "repo = \".\"\nguide = \"docs\"\n"),
        ("hostile/docs/page.md", "# A page\n"),
        ("hostile/clusters/dev/gotk-sync.yaml", crate::cli::SYNC),
        ("own/readme.md", "# Ours\n"),
    ]);
    let output = catalog(&["build", "hostile"], outer.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(outer.path().join("book/index.html").is_file());
    assert!(!outer.path().join("book/guide").exists());
}

#[test]
fn a_guide_is_read_from_below_its_configuration_only() {
    let outer = repo(&[
        ("private/secret.md", "# Not for the public\n"),
        ("site/catalog.toml", "repo = \"own\"\nguide = \"docs\"\n"),
        ("site/own/readme.md", "# Ours\n"),
    ]);
    let here = outer.path().join("site");
    let output = catalog(&["build"], &here);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("the guide `docs` is not a directory"),
        "{}",
        stderr(&output)
    );
    std::os::unix::fs::symlink("../private", here.join("docs")).unwrap();
    let output = catalog(&["build"], &here);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    fs::remove_file(here.join("docs")).unwrap();
    fs::create_dir(here.join("docs")).unwrap();
    fs::write(
        here.join("docs/a.md"),
        "# A\n\n[out](../../private/secret.md)\n",
    )
    .unwrap();
    std::os::unix::fs::symlink("../../private/secret.md", here.join("docs/b.md")).unwrap();
    let output = catalog(&["build"], &here);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let site = files(&here.join("book"));
    assert!(site.contains_key("guide/a.html"));
    let all = site.values().map(|bytes| String::from_utf8_lossy(bytes));
    assert!(
        !all.into_iter()
            .any(|text| text.contains("Not for the public"))
    );
}

#[test]
fn every_test_that_holds_a_promise_exists() {
    let text = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let (_, table) = text.split_once("## What holds these promises").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let mut named = 0;
    for row in rows.skip(1) {
        let mut file = String::new();
        for code in row.split('`').skip(1).step_by(2) {
            if code.ends_with(".rs") {
                let path = [code.to_owned(), format!("tests/suite/{code}")];
                let path = path.iter().map(|path| root().join(path));
                let path = path.into_iter().find(|path| path.is_file());
                file = fs::read_to_string(path.unwrap_or_else(|| panic!("{row}"))).unwrap();
                named += 1;
            } else if code.contains('_') {
                assert!(file.contains(&format!("fn {code}(")), "{row}");
                named += 1;
            }
        }
    }
    assert!(named > 30, "{named}");
}
