//! A repository that goes away as a whole, and comes back.

use std::fs;
use std::path::{Path, PathBuf};

use super::server::Server;
use super::{assert_like_a_build, change, fixture};
use crate::site::Files;

/// A repo that lies two directories deep.
fn nested() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("work/repo");
    copy(fixture().path(), &root);
    (outer, root)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target)
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn is_gone(server: &mut Server) {
    let line = server.running.line(|line| line.contains("does not exist"));
    assert!(line.starts_with("error"), "{line}");
}

/// It is followed as it was to begin with.
fn is_followed(server: &mut Server, root: &Path, nth: usize) {
    let (from, to) = (format!("1.2.{}", nth + 2), format!("1.2.{}", nth + 3));
    change(root, "shop/app.yaml", &from, &to);
    let built = assert_like_a_build(server, root, &Files::new(), "it came back");
    assert!(String::from_utf8_lossy(&built["components/shop.html"]).contains(&to));
}

#[test]
fn a_repository_that_is_deleted_and_made_again_is_followed() {
    let (outer, root) = nested();
    let aside = outer.path().join("aside");
    // Whoever is in the directory is left in one that is gone; whoever names it is not.
    for path in [".", root.to_str().unwrap()] {
        copy(&root, &aside);
        let mut server = Server::start_with(&["serve", path, "--port", "0"], &root);
        is_followed(&mut server, &root, 1);
        for nth in [1, 2] {
            fs::remove_dir_all(&root).unwrap();
            is_gone(&mut server);
            copy(&aside, &root);
            server.running.line(|line| !line.starts_with("error"));
            is_followed(&mut server, &root, 1);
            let text = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
            assert!(text.contains("1.2.4"), "{nth}");
        }
        fs::remove_dir_all(&root).unwrap();
        fs::rename(&aside, &root).unwrap();
    }
}

#[test]
fn a_repository_whose_parent_moves_away_and_back_is_followed() {
    let (outer, root) = nested();
    let (work, away) = (outer.path().join("work"), outer.path().join("away"));
    let mut server = Server::start_with(
        &["serve", root.to_str().unwrap(), "--port", "0"],
        outer.path(),
    );
    fs::rename(&work, &away).unwrap();
    is_gone(&mut server);
    assert_eq!(
        server.get("/components/shop.html").status,
        200,
        "the last good one"
    );
    fs::rename(&away, &work).unwrap();
    is_followed(&mut server, &root, 1);
    // Another one in its place, while the old one stays elsewhere.
    fs::rename(&work, &away).unwrap();
    copy(&away, &work);
    is_followed(&mut server, &root, 2);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_to_another_directory_is_followed() {
    let (outer, root) = nested();
    let other = outer.path().join("other");
    copy(&root, &other);
    let link = outer.path().join("link");
    std::os::unix::fs::symlink(&root, &link).unwrap();
    let mut server = Server::start_with(&["serve", "link", "--port", "0"], outer.path());
    let fresh = outer.path().join("fresh");
    std::os::unix::fs::symlink(&other, &fresh).unwrap();
    fs::rename(&fresh, &link).unwrap();
    is_followed(&mut server, &other, 1);
}
