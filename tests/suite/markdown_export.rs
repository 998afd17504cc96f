//! The Markdown that other site generators take, looked at as files.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::cli::{catalog, repo, stderr};
use crate::site::{Files, files, text};

fn export(repo: &Path, more: &[&str]) -> Files {
    let out = tempfile::tempdir().unwrap();
    let mut args = vec![
        "export",
        repo.to_str().unwrap(),
        "--format",
        "markdown",
        "--out",
        "docs",
    ];
    args.extend(more);
    let output = catalog(&args, out.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    files(&out.path().join("docs"))
}

fn content() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("content")
}

fn pages(files: &Files) -> impl Iterator<Item = (&str, &str)> {
    let pages = files.iter().filter(|(path, _)| path.ends_with(".md"));
    pages.map(|(path, bytes)| (path.as_str(), std::str::from_utf8(bytes).unwrap()))
}

/// The addresses of a page's links and pictures.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let code = page.split("\n```").step_by(2);
    code.flat_map(|text| text.split("](").skip(1))
        .filter_map(|rest| Some(rest.split_once(')')?.0))
}

/// A page without its spans of code, in which markup is text and directives are not.
fn without_code(page: &str) -> String {
    let lines = page.lines().map(|line| {
        let parts = line.split('`').step_by(2);
        parts.collect::<Vec<_>>().join("``")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn resolved(from: &str, path: &str) -> String {
    let mut names: Vec<&str> = from.split('/').collect();
    names.pop();
    for name in path.split('/') {
        match name {
            "." => {}
            ".." => {
                names.pop().unwrap();
            }
            name => names.push(name),
        }
    }
    names.join("/")
}

#[test]
fn every_link_of_the_exported_pages_leads_to_a_file_and_an_anchor_of_it() {
    let files = export(&content(), &[]);
    let mut followed = 0;
    for (path, page) in pages(&files) {
        for link in links(page).filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            let (to, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = match to {
                "" => path.to_owned(),
                to => resolved(path, to),
            };
            let bytes = files.get(&target);
            let target = bytes.unwrap_or_else(|| panic!("{path} links to {link}"));
            if !fragment.is_empty() {
                let target = std::str::from_utf8(target).unwrap();
                let is_there = target.contains(&format!("<a id=\"{fragment}\">"))
                    || target.lines().any(|line| {
                        let title = line.trim_start_matches('#');
                        line.starts_with('#')
                            && title.trim().to_lowercase().replace(' ', "-") == fragment
                    });
                assert!(is_there, "{path} links to {link}");
            }
            followed += 1;
        }
    }
    assert!(followed > 500, "{followed}");
}

#[test]
fn every_page_has_a_title_in_its_front_matter_and_no_first_heading_in_its_text() {
    let files = export(&content(), &[]);
    for (path, page) in pages(&files) {
        let front = page
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---\n"));
        let (front, body) = front.unwrap_or_else(|| panic!("{path}"));
        assert!(front.contains("\ntitle: \""), "{path}");
        let mut prose = body.split("\n```").step_by(2);
        let is_contents = path == "SUMMARY.md";
        assert!(
            is_contents || !prose.any(|text| text.contains("\n# ")),
            "{path}"
        );
    }
}

#[test]
fn the_contents_list_every_page_once() {
    let files = export(&content(), &[]);
    let mut listed: Vec<&str> = links(text(&files, "SUMMARY.md")).collect();
    listed.sort_unstable();
    let all: Vec<&str> = pages(&files)
        .map(|(path, _)| path)
        .filter(|path| *path != "SUMMARY.md")
        .collect();
    assert_eq!(listed, all);
}

#[test]
fn two_exports_of_one_repository_are_the_same() {
    assert!(export(&content(), &[]) == export(&content(), &[]));
}

#[test]
fn links_by_address_name_no_file() {
    let files = export(&content(), &["--links", "addresses"]);
    assert!(!files.contains_key("SUMMARY.md"));
    let redis = text(&files, "components/redis.md");
    assert!(redis.contains("](../external-secrets-config/)"), "{redis}");
    assert!(redis.contains("\nslug: \"components/redis\"\n"), "{redis}");
    for (path, page) in pages(&files) {
        let mut inside = links(page).filter(|link| !link.contains("://"));
        assert!(!inside.any(|link| link.ends_with(".md")), "{path}");
    }
}

/// A component whose prose tries whatever generators would obey.
fn hostile() -> TempDir {
    repo(&[
        (
            "clusters/dev/app.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app, namespace: flux-system}\n\
             spec: {interval: 1h, path: ./app, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}\n",
        ),
        (
            "app/config.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: app}\ndata:\n  a: \"{{#include /etc/passwd}}\"\n  \
             b: \"--8<-- '/etc/passwd'\"\n  c: \"<script>alert(1)</script>\"\n",
        ),
        (
            "app/README.md",
            "# App {{#include /etc/passwd}}\n\n{{#include /etc/passwd}}\n\n```yaml\n{{#include /etc/passwd}}\n```\n\n\
             --8<-- \"/etc/passwd\"\n\n    --8<-- \"/etc/passwd\"\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n\
             [a](javascript:alert(1)) {% include 'x' %} `{{#include /etc/passwd}}`\n\n![p](picture.png)\n",
        ),
        ("app/picture.png", "not much of a picture"),
        (
            "docs/odd --> {{#include x}}.md",
            "---\ntitle: \"--> {{#include /etc/passwd}} <b>\"\n---\n\nText.\n",
        ),
    ])
}

#[test]
fn nothing_of_a_repository_is_a_directive_or_markup_in_the_export() {
    let repo = hostile();
    let files = export(repo.path(), &[]);
    for (path, page) in pages(&files) {
        for live in ["{{#", "{{ #", "{%", "8<-"] {
            assert!(!page.contains(live), "{live} in {path}:\n{page}");
        }
        let page = &without_code(page);
        for live in [
            "<script",
            "<img",
            "onerror=alert(1)>",
            "](javascript:",
            "<b>",
        ] {
            assert!(!page.contains(live), "{live} in {path}:\n{page}");
        }
    }
    assert!(files.contains_key("files/app/picture.png"));
}

#[test]
fn an_export_leaves_a_directory_alone_that_it_did_not_make() {
    let out = tempfile::tempdir().unwrap();
    fs::create_dir(out.path().join("docs")).unwrap();
    fs::write(out.path().join("docs/mine.md"), "mine").unwrap();
    let repo = content();
    let export = |to: &str| {
        let args = [
            "export",
            repo.to_str().unwrap(),
            "--format",
            "markdown",
            "--out",
            to,
        ];
        catalog(&args, out.path())
    };
    let refused = export("docs");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("was not generated by catalog"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(
        fs::read_to_string(out.path().join("docs/mine.md")).unwrap(),
        "mine"
    );
    assert_eq!(export("other").status.code(), Some(0));
    assert_eq!(
        export("other").status.code(),
        Some(0),
        "its own is replaced"
    );
}

#[test]
fn markdown_needs_a_directory() {
    let here = tempfile::tempdir().unwrap();
    let output = catalog(&["export", "--format", "markdown"], here.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--out"), "{}", stderr(&output));
}
