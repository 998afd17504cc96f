//! The law of the live preview: after any series of edits, what was made of the changed files alone is what a clean build
//! makes, byte for byte, and no file was read that did not change. A manifest that can no longer be read counts as it last
//! was, with what a clean build finds wrong with it, until it can.

mod desk;
mod fast_path;
mod series;

use std::fs;

use catalog::input::repo::Changed;
use catalog::pipeline;

use crate::diff::git;
use desk::{Desk, START};

#[test]
fn every_edit_gives_what_a_clean_build_gives_and_reads_what_changed() {
    let mut desk = Desk::new();
    desk.compare();
    let web = START[4].1;
    assert_eq!(
        desk.edit("apps/web/deployment.yaml", &web.replace("web:1", "web:2")),
        1
    );
    assert!(
        desk.page("components/web.html")
            .contains("example.com/web:2")
    );
    // The name of what is generated follows its content.
    let before = desk.page("service-catalog.json");
    assert_eq!(desk.edit("apps/web/settings.env", "LEVEL=debug\n"), 1);
    assert_ne!(desk.page("service-catalog.json"), before);
    assert_eq!(
        desk.edit(
            "clusters/dev/facts.yaml",
            &START[1].1.replace("web.example", "shop.example")
        ),
        1
    );
    assert!(
        desk.page("components/web.html")
            .contains("shop.example.com")
    );
    assert_eq!(
        desk.edit("apps/web/README.md", "# Web\n\nShows other things.\n"),
        1
    );
    assert_eq!(
        desk.edit(
            "docs/adr/0001-keep.md",
            "# 1. Keep less\n\nStatus: superseded\n"
        ),
        1
    );
    // The configuration is read before the repo is.
    assert_eq!(desk.edit("catalog.toml", "title = \"Bench\"\n"), 0);
    assert!(desk.page("index.html").contains("Bench"));
    desk.edit("theme/static/extra.css", "body { color: red }\n");
    desk.edit("theme/sections/overview.html", "<p>Ours.</p>\n");
    assert!(desk.page("components/web.html").contains("<p>Ours.</p>"));
}

#[test]
fn what_changed_while_nothing_could_be_read_is_not_lost() {
    let mut desk = Desk::new();
    desk.put("catalog.toml", "a: [");
    desk.put("apps/kustomization.yaml", "resources:\n  - web\n");
    desk.rebuild(&["catalog.toml", "apps/kustomization.yaml"]);
    desk.compare();
    desk.edit("catalog.toml", "title = \"Desk\"\n");
    assert!(!desk.page("index.html").contains("components/store.html"));
}

#[test]
fn what_breaks_is_mended_again() {
    let mut desk = Desk::new();
    let good = desk.page("components/web.html");
    for (path, broken) in [
        ("apps/web/deployment.yaml", "kind: ["),
        (
            "apps/web/kustomization.yaml",
            "resources:\n  - missing.yaml\n",
        ),
        ("clusters/dev/apps.yaml", "\u{1}"),
        ("theme/sections/overview.html", "{% if %}"),
        ("catalog.toml", "titel = 1\n"),
    ] {
        desk.edit(path, broken);
        match START.iter().find(|(name, _)| *name == path) {
            Some((_, text)) => drop(desk.edit(path, text)),
            None => {
                fs::remove_file(desk.path(path)).unwrap();
                desk.rebuild(&[path]);
                desk.compare();
            }
        }
        assert_eq!(
            desk.page("components/web.html"),
            good,
            "after {path} was mended"
        );
    }
}

#[test]
fn a_manifest_that_breaks_counts_as_it_last_was_until_it_is_repaired_or_gone() {
    let mut desk = Desk::new();
    let (path, web) = ("apps/web/deployment.yaml", START[4].1);
    desk.edit(path, &web.replace("web:1", "web:2"));
    let document = desk.page("service-catalog.json");
    assert!(!document.contains("yaml-syntax"));
    desk.edit(path, &web.replace("kind: Deployment", "kind: 'Deployment"));
    let page = desk.page("components/web.html");
    assert!(page.contains("example.com/web:2"), "it says what it said");
    assert!(page.contains("store.html"), "and leads where it led");
    assert!(desk.page("service-catalog.json").contains("yaml-syntax"));
    // While it is broken, all else is followed, and files that come before it in order do not matter.
    desk.edit("apps/web/README.md", "# Web\n\nShows other things.\n");
    desk.put("apps/a.yaml", "a: 1\n");
    desk.rebuild(&["apps/a.yaml"]);
    desk.compare();
    desk.edit(path, "kind: [");
    let page = desk.page("components/web.html");
    assert!(page.contains("example.com/web:2") && page.contains("other things"));
    desk.edit(path, &web.replace("web:1", "web:3"));
    assert!(desk.page("components/web.html").contains("web:3"));
    assert!(!desk.page("service-catalog.json").contains("yaml-syntax"));
    // Whatever else is chosen to be read, it is not forgotten.
    desk.put("catalog.toml", "title = \"Desk\"\nignore = [\"docs/\"]\n");
    desk.put(path, "kind: [");
    desk.rebuild(&["catalog.toml", path]);
    desk.compare();
    assert!(desk.page("components/web.html").contains("web:3"));
    desk.edit(path, &web.replace("web:1", "web:3"));
    // What is deleted is gone, and comes back as it is.
    desk.edit(path, "kind: [");
    fs::remove_file(desk.path(path)).unwrap();
    desk.rebuild(&[path]);
    desk.compare();
    assert!(
        !desk
            .page("service-catalog.json")
            .contains("example.com/web")
    );
    desk.edit(path, "kind: [");
    assert!(
        !desk
            .page("service-catalog.json")
            .contains("example.com/web")
    );
}

#[test]
fn files_and_directories_come_move_and_go() {
    let mut desk = Desk::new();
    desk.edit(
        "apps/kustomization.yaml",
        "resources:\n  - web\n  - store\n  - more\n",
    );
    desk.put(
        "apps/more/kustomization.yaml",
        "namespace: more\nresources: [deployment.yaml]\n",
    );
    desk.put(
        "apps/more/deployment.yaml",
        &START[8].1.replace("store", "more"),
    );
    // A directory that came is one event, whatever is in it.
    desk.rebuild(&["apps/more"]);
    desk.compare();
    assert!(
        desk.site
            .as_ref()
            .unwrap()
            .contains_key("components/more.html")
    );
    fs::rename(desk.path("apps/more"), desk.path("apps/less")).unwrap();
    desk.rebuild(&["apps/more", "apps/less"]);
    desk.compare();
    desk.edit(
        "apps/kustomization.yaml",
        "resources:\n  - web\n  - store\n  - less\n",
    );
    // Another directory takes its name before anybody looks.
    fs::remove_dir_all(desk.path("apps/less")).unwrap();
    desk.put(
        "apps/less/kustomization.yaml",
        "namespace: less\nresources: [deployment.yaml]\n",
    );
    desk.put(
        "apps/less/deployment.yaml",
        &START[8].1.replace("store", "less"),
    );
    desk.rebuild(&["apps/less"]);
    desk.compare();
    // An editor writes beside the file, and renames.
    desk.put(
        "apps/web/.deployment.yaml.swp",
        &START[4].1.replace("web:1", "web:3"),
    );
    fs::rename(
        desk.path("apps/web/.deployment.yaml.swp"),
        desk.path("apps/web/deployment.yaml"),
    )
    .unwrap();
    desk.rebuild(&["apps/web/.deployment.yaml.swp", "apps/web/deployment.yaml"]);
    assert_eq!(desk.reads, 1);
    desk.compare();
    assert!(
        desk.page("components/web.html")
            .contains("example.com/web:3")
    );
    desk.edit(".gitignore", "less/\n");
    fs::remove_file(desk.path(".gitignore")).unwrap();
    desk.rebuild(&[".gitignore"]);
    desk.compare();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("store/README.md", desk.path("apps/linked.md")).unwrap();
        desk.rebuild(&["apps/linked.md"]);
        desk.compare();
        fs::remove_file(desk.path("apps/store/README.md")).unwrap();
        desk.rebuild(&["apps/store/README.md"]);
        desk.compare();
        fs::remove_file(desk.path("apps/linked.md")).unwrap();
        desk.rebuild(&["apps/linked.md"]);
        desk.compare();
    }
}

#[test]
fn a_file_that_nobody_refers_to_any_more_is_forgotten() {
    let mut desk = Desk::new();
    desk.put("apps/store", "resources: [\n");
    desk.rebuild(&["apps/store"]);
    desk.compare();
    desk.edit("clusters/dev/apps.yaml", "");
}

#[test]
fn a_commit_and_a_switch_of_branches_are_changes() {
    let mut desk = Desk::new();
    let root = desk.dir.path().to_path_buf();
    let git = |arguments: &[&str]| git(&root, arguments);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    desk.rebuild(&[".git/HEAD", ".git/refs/heads/main"]);
    desk.compare();
    git(&["switch", "-qc", "other"]);
    desk.put("apps/web/README.md", "# Web\n\nOn another branch.\n");
    git(&["commit", "-qam", "two"]);
    desk.rebuild(&[".git/HEAD", ".git/refs/heads", "apps/web/README.md"]);
    desk.compare();
    git(&["switch", "-q", "main"]);
    desk.rebuild(&[".git/HEAD", "apps/web/README.md"]);
    desk.compare();
    assert!(desk.page("components/web.html").contains("Shows things"));
}

#[test]
fn what_makes_no_difference_makes_no_site() {
    let desk = Desk::new();
    let request = desk.request();
    let paths = ["apps/.web.swp", "nothing/at/all"];
    let changed = Changed {
        paths: paths.iter().map(|path| desk.path(path)).collect(),
        is_unknown: false,
    };
    let again = pipeline::read_incrementally(&request, &desk.memory, &changed, |_| Vec::new());
    assert!(again.unwrap().is_none());
    desk.compare();
}
