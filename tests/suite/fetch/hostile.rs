//! Servers that mean harm cost one line each.

use std::time::{Duration, Instant};

use super::Place;
use super::server::{Reply, Server, digest, tar};

const METADATA: &[u8] = b"name: web\nversion: 1.2.0\n";

/// A repository whose only archive is this one.
fn serving(archive: Vec<u8>) -> Server {
    let index = format!(
        "entries:\n  web:\n  - version: 1.2.0\n    digest: {}\n    urls: [web.tgz]\n",
        digest(&archive)
    );
    Server::start(move |asked| match asked.path.as_str() {
        "/index.yaml" => Reply::ok(index.clone()),
        _ => Reply::ok(archive.clone()),
    })
}

fn refused(server: &Server) -> String {
    let place = Place::release(&format!("http://{}", server.host()), "1.2.0");
    let start = Instant::now();
    let text = place.fetch(&[], 1);
    assert!(start.elapsed() < Duration::from_secs(20), "{text}");
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("failed: "))
            .count(),
        1,
        "{text}"
    );
    assert!(
        place.archives().is_empty() && place.lock().is_empty(),
        "{text}"
    );
    text
}

#[test]
fn archives_that_are_not_plain_charts_are_refused() {
    let chart = ("web/Chart.yaml", b'0', METADATA);
    for (entry, expected) in [
        (("../x", b'0', &b""[..]), "points outside its directory"),
        (("/etc/x", b'0', b""), "points outside its directory"),
        (("web/../../x", b'0', b""), "points outside its directory"),
        (("web/link", b'2', b""), "is a link"),
        (("web/hard", b'1', b""), "is a link"),
        (("web/device", b'3', b""), "neither a file nor a directory"),
        (("web/pipe", b'6', b""), "neither a file nor a directory"),
        (("other/x", b'0', b""), "not in the directory of the chart"),
    ] {
        let text = refused(&serving(tar(&[chart, entry])));
        assert!(text.contains(expected), "{entry:?}: {text}");
    }
    for archive in [
        tar(&[("web/values.yaml", b'0', b"a: 1\n")]),
        b"<html>".to_vec(),
    ] {
        refused(&serving(archive));
    }
}

#[test]
fn answers_without_end_are_cut_off() {
    let large = Server::start(|_| Reply {
        length: Some(65 * 1024 * 1024),
        ..Reply::ok("entries: {}\n")
    });
    assert!(refused(&large).contains("larger than 64 MiB"));
    let archive = Server::start(|asked| match asked.path.as_str() {
        "/index.yaml" => Reply::ok("entries:\n  web:\n  - version: 1.2.0\n    urls: [web.tgz]\n"),
        _ => Reply::ok(vec![0; 33 * 1024 * 1024]),
    });
    assert!(refused(&archive).contains("larger than 32 MiB"));
    let circle = Server::start(|asked| Reply::status(302).with("location", &asked.path));
    assert!(refused(&circle).contains("redirects more than"));
    for location in [
        "file:///etc/passwd",
        "https://me:word@example.com/",
        "gopher://x",
    ] {
        let away = Server::start(move |_| Reply::status(302).with("location", location));
        let text = refused(&away);
        assert!(
            text.contains("redirects to an address that cannot be used"),
            "{text}"
        );
        assert!(!text.contains("word"), "{text}");
    }
}

#[test]
fn pages_of_tags_without_end_are_refused() {
    let server = Server::start(|_| {
        Reply::ok("{\"tags\": [\"0.1.0\"]}")
            .with("link", "</v2/acme/web/tags/list?n=1>; rel=\"next\"")
    });
    let place = Place::release(&format!("oci://{}/acme", server.host()), "1.x");
    let text = place.fetch(&[], 1);
    assert!(text.contains("its list of tags has no end"), "{text}");
    assert!(server.paths().len() < 300);
}

#[test]
fn text_from_servers_is_safe_to_print() {
    let server = Server::start(|_| {
        Reply::ok(
            "entries:\n  web:\n  - version: \"9.9.9-\\e[31m\"\n    urls: [a]\n  - version: 9.9.9\n    urls: [\"http://\\e]0;x\\a/a\"]\n",
        )
    });
    let place = Place::release(&format!("http://{}", server.host()), "9.x");
    let text = place.fetch(&[], 1);
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{7}'),
        "{text:?}"
    );
}
