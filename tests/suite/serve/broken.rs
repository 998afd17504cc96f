//! A manifest that cannot be read while somebody edits it: its page stays as it last was, and says what is wrong.

use std::fs;

use super::server::Server;
use super::{assert_like_a_build, change, fixture, put, watching};
use crate::site::{Files, build, files};

const BROKEN: &str = "a: b: c\n";

#[test]
fn the_page_of_a_manifest_that_breaks_stays_as_it_last_was() {
    let repo = fixture();
    let root = repo.path();
    let good = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
    let mut server = Server::start(root);
    let page = "/components/shop.html";
    let mut events = server.events(page);
    events.next();
    put(root, "shop/app.yaml", BROKEN);
    let told = events.until(|told| !told["trouble"].is_null());
    assert_eq!(told["action"], "stay");
    assert_eq!(told["trouble"]["title"], "shop/app.yaml cannot be read");
    let text = told["trouble"]["text"].to_string();
    assert!(
        text.contains("a: b: c"),
        "its lines are those of the file: {text}"
    );
    server.running.line_about("shop/app.yaml");
    for answer in [server.browse(page), server.get(page)] {
        assert_eq!(answer.status, 200);
        assert!(answer.text().contains("1.2.3"), "as it was");
    }
    // A page that is opened now is told the same, and all else is followed.
    let mut opened = server.events(page);
    assert!(
        opened.next()["trouble"]["text"]
            .to_string()
            .contains("a: b: c")
    );
    put(root, "shop/README.md", "# Shop\n\nWhere they sell.\n");
    server.running.line_about("shop/README.md");
    let answer = server.get(page);
    assert!(answer.text().contains("they sell") && answer.text().contains("1.2.3"));
    put(root, "shop/app.yaml", &good.replace("1.2.3", "1.2.4"));
    events.until(|told| told["trouble"].is_null());
    assert_like_a_build(&mut server, root, &Files::new(), "mending it");
}

#[test]
fn a_build_that_watches_keeps_the_page_of_a_manifest_that_breaks() {
    let repo = fixture();
    let root = repo.path();
    let mut watching = watching(root, "book");
    let page = root.join("book/components/shop.html");
    let good = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
    put(root, "shop/app.yaml", BROKEN);
    let line = watching.line_about("shop/app.yaml");
    assert!(line.contains("1 error"), "{line}");
    assert!(fs::read_to_string(&page).unwrap().contains("1.2.3"));
    put(root, "shop/app.yaml", &good);
    watching.line_about("shop/app.yaml");
    change(root, "shop/app.yaml", "1.2.3", "1.2.4");
    watching.line_about("shop/app.yaml");
    assert!(files(&root.join("book")) == build(root));
}
