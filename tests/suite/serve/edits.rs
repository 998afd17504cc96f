//! What is served is what a build writes, byte for byte, after everything that people and programs do to files.

use std::fs;
use std::path::Path;

use super::server::Server;
use super::{assert_like_a_build, change, fixture, git, put};
use crate::cli::catalog;
use crate::site::Files;

/// An edit, in words.
type Edit = (&'static str, fn(&Path));

const MANIFESTS: &[Edit] = &[
    ("editing a manifest", |root| {
        change(root, "shop/app.yaml", "1.2.3", "1.2.4");
    }),
    ("editing an env file", |root| {
        fs::write(root.join("shop/shop.env"), "LEVEL=debug\nMORE=yes\n").unwrap();
    }),
    ("adding a component", |root| {
        let unit = fs::read_to_string(root.join("clusters/dev/store.yaml")).unwrap();
        let pay = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
        fs::create_dir_all(root.join("pay/deep/er")).unwrap();
        fs::write(
            root.join("pay/deep/er/app.yaml"),
            pay.replace("shop", "pay"),
        )
        .unwrap();
        fs::write(
            root.join("clusters/dev/pay.yaml"),
            unit.replace("store", "pay"),
        )
        .unwrap();
    }),
    ("renaming a file", |root| {
        let deep = root.join("pay/deep/er");
        fs::rename(deep.join("app.yaml"), deep.join("pay.yaml")).unwrap();
    }),
    ("editing the renamed file", |root| {
        change(root, "pay/deep/er/pay.yaml", "1.2.4", "1.3.0");
    }),
    ("renaming a directory", |root| {
        fs::rename(root.join("pay"), root.join("payments")).unwrap();
        change(root, "clusters/dev/pay.yaml", "./pay", "./payments");
    }),
    ("editing in the renamed directory", |root| {
        change(root, "payments/deep/er/pay.yaml", "1.3.0", "1.3.1");
    }),
    ("another directory in its place", |root| {
        fs::rename(root.join("payments"), root.join("old")).unwrap();
        put(
            root,
            "payments/pay.yaml",
            &fs::read_to_string(root.join("old/deep/er/pay.yaml"))
                .unwrap()
                .replace("1.3.1", "2.0.0"),
        );
        fs::remove_dir_all(root.join("old")).unwrap();
    }),
    ("deleting a file", |root| {
        fs::remove_file(root.join("clusters/dev/pay.yaml")).unwrap();
    }),
    ("deleting a directory", |root| {
        fs::remove_dir_all(root.join("payments")).unwrap();
    }),
    ("a file becoming a directory", |root| {
        fs::remove_file(root.join("shop/shop.env")).unwrap();
        put(root, "shop/shop.env/notes.md", "# Notes\n");
    }),
    ("and a file again", |root| {
        fs::remove_dir_all(root.join("shop/shop.env")).unwrap();
        fs::write(root.join("shop/shop.env"), "LEVEL=info\n").unwrap();
    }),
];

const WRITING: &[Edit] = &[
    ("editing prose", |root| {
        fs::write(root.join("shop/README.md"), "# Shop\n\nWhere they buy.\n").unwrap();
    }),
    (
        "an editor that writes a file of another name and renames it",
        |root| {
            let beside = root.join("shop/.README.md.swp");
            fs::write(&beside, "# Shop\n\n## Purpose\n\nSelling.\n").unwrap();
            fs::rename(beside, root.join("shop/README.md")).unwrap();
        },
    ),
    ("an editor that keeps what was before", |root| {
        let file = root.join("shop/README.md");
        fs::rename(&file, root.join("shop/README.md~")).unwrap();
        fs::write(&file, "# Shop\n\n## Purpose\n\nSelling more.\n").unwrap();
        fs::remove_file(root.join("shop/README.md~")).unwrap();
    }),
    ("a new page and a decision", |root| {
        put(root, "docs/more.md", "# More\n\nSee [basics](basics.md).\n");
        put(
            root,
            "docs/adr/0001-shop.md",
            "# 1. Have a shop\n\n## Status\n\nAccepted\n\nThe shop it is.\n",
        );
    }),
    ("renaming a page", |root| {
        fs::rename(root.join("docs/basics.md"), root.join("docs/first.md")).unwrap();
    }),
    ("a configuration", |root| {
        put(root, "catalog.toml", "title = 'Fleet'\n");
    }),
    ("a configuration that ignores some of it", |root| {
        put(
            root,
            "catalog.toml",
            "title = 'Fleet'\nignore = ['docs/adr']\n",
        );
    }),
    ("no configuration", |root| {
        fs::remove_file(root.join("catalog.toml")).unwrap();
    }),
    ("a style of its own", |root| {
        put(root, "theme/static/style.css", "body { color: teal }\n");
    }),
    ("another style", |root| {
        fs::write(
            root.join("theme/static/style.css"),
            "body { color: navy }\n",
        )
        .unwrap();
    }),
    ("a template of its own", |root| {
        put(root, "theme/sections/overview.html", "<p>Ours.</p>\n");
    }),
    ("another template", |root| {
        fs::write(
            root.join("theme/sections/overview.html"),
            "<p>Still ours.</p>\n",
        )
        .unwrap();
    }),
    ("no theme", |root| {
        fs::remove_dir_all(root.join("theme")).unwrap();
    }),
    ("a .gitignore", |root| {
        fs::write(root.join(".gitignore"), "docs/\n").unwrap();
    }),
    ("no .gitignore", |root| {
        fs::remove_file(root.join(".gitignore")).unwrap();
    }),
];

const GIT: &[Edit] = &[
    ("a commit", |root| {
        change(root, "shop/app.yaml", "1.2.3", "1.2.4");
        git(root, &["commit", "--quiet", "--all", "--message", "edit"]);
    }),
    ("a branch with a hundred other files", |root| {
        git(root, &["checkout", "--quiet", "-b", "more"]);
        for nth in 0..100 {
            let page = format!("# Page {nth}\n\nText of page {nth}.\n");
            put(root, &format!("notes/{}/{nth}.md", nth % 7), &page);
        }
        fs::remove_file(root.join("docs/basics.md")).unwrap();
        git(root, &["add", "--all"]);
        git(root, &["commit", "--quiet", "--message", "more"]);
    }),
    ("a switch back", |root| {
        git(root, &["checkout", "--quiet", "main"])
    }),
    ("and forth", |root| {
        git(root, &["checkout", "--quiet", "more"])
    }),
    ("and back while it is busy, and a reset", |root| {
        git(root, &["checkout", "--quiet", "main"]);
        git(root, &["checkout", "--quiet", "more"]);
        git(root, &["checkout", "--quiet", "main"]);
        git(root, &["reset", "--quiet", "--hard", "HEAD~1"]);
    }),
];

#[test]
fn after_every_edit_of_manifests_the_served_site_is_the_built_one() {
    follow(fixture().path(), MANIFESTS);
}

#[test]
fn after_every_edit_of_prose_theme_and_configuration_the_served_site_is_the_built_one() {
    follow(fixture().path(), WRITING);
}

#[test]
fn after_everything_that_git_does_the_served_site_is_the_built_one() {
    let repo = fixture();
    git(
        repo.path(),
        &["init", "--quiet", "--initial-branch", "main"],
    );
    git(repo.path(), &["add", "--all"]);
    git(repo.path(), &["commit", "--quiet", "--message", "first"]);
    follow(repo.path(), GIT);
}

fn follow(root: &Path, edits: &[Edit]) {
    let mut server = Server::start(root);
    let mut site = assert_like_a_build(&mut server, root, &Files::new(), "nothing");
    for (words, edit) in edits {
        edit(root);
        site = assert_like_a_build(&mut server, root, &site, words);
    }
}

#[test]
fn a_site_that_another_build_writes_into_the_repo_is_no_news() {
    let repo = fixture();
    let root = repo.path();
    let mut server = Server::start(root);
    for image in ["1.2.4", "1.2.5", "1.2.6"] {
        let output = catalog(&["build", ".", "--out", "book", "--quiet"], root);
        assert_eq!(output.status.code(), Some(0));
        let text = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
        let (start, rest) = text.split_once("image: shop:").unwrap();
        let end = rest.split_once('\n').unwrap().1;
        put(
            root,
            "shop/app.yaml",
            &format!("{start}image: shop:{image}\n{end}"),
        );
        server.running.line(|line| line.contains("shop/app.yaml"));
    }
    let about_others = server.running.said.iter().skip(2);
    let about_others: Vec<&String> = about_others
        .filter(|line| !line.contains("shop/app.yaml: 1 file read"))
        .collect();
    assert!(about_others.is_empty(), "{about_others:#?}");
    assert_like_a_build(&mut server, root, &Files::new(), "builds beside it");
}
