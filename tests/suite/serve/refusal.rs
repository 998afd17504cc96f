//! What the server does not do: leave the site, obey odd requests, answer to names of others.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;

use super::server::Server;
use super::{fixture, put};
use crate::html::tags;
use crate::site::build;

#[test]
fn no_address_leads_out_of_the_site() {
    let repo = fixture();
    let root = repo.path();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "# OUTSIDE\n").unwrap();
    fs::write(outside.path().join("secret.png"), "OUTSIDE").unwrap();
    symlink(outside.path(), root.join("docs/out")).unwrap();
    symlink(outside.path().join("secret.md"), root.join("docs/link.md")).unwrap();
    symlink("/", root.join("root")).unwrap();
    let prose = "# Shop\n\n![a](../docs/out/secret.png) ![b](/etc/hostname) [c](../docs/link.md)\n";
    put(root, "shop/README.md", prose);
    let server = Server::start(root);
    let secret = outside.path().join("secret.md");
    let secret = secret.to_str().unwrap();
    let up = "../".repeat(24);
    let quoted = "%2e%2e%2f".repeat(24);
    let targets = [
        format!("/{up}etc/hostname"),
        format!("/{quoted}etc/hostname"),
        format!("/{}etc/hostname", "%2e%2e/".repeat(24)),
        format!("/{}etc/hostname", "..%2f".repeat(24)),
        format!("/{}etc/hostname", "..%5c".repeat(24)),
        format!("/components/{up}{}", &secret[1..]),
        format!("/{secret}"),
        format!("//{secret}"),
        format!("/%2f{}", &secret[1..]),
        format!("/file://{secret}"),
        "/docs/out/secret.md".to_owned(),
        "/docs/link.md".to_owned(),
        "/root/etc/hostname".to_owned(),
        "/shop/app.yaml".to_owned(),
        "/catalog.toml".to_owned(),
        "/.git/config".to_owned(),
        "/index.html%00.md".to_owned(),
        "/%00".to_owned(),
        "/-/".to_owned(),
        "/-/../index.html".to_owned(),
        "/-/live.js/..".to_owned(),
        "/index.html/".to_owned(),
        "/components/".to_owned(),
        "/%252e%252e%252fetc/hostname".to_owned(),
    ];
    for target in &targets {
        for answer in [server.get(target), server.browse(target)] {
            assert_eq!(answer.status, 404, "{target}");
            assert!(!answer.text().contains("OUTSIDE"), "{target}");
            assert!(answer.text().starts_with("<!doctype html>"), "{target}");
        }
        // Nor does a page that is said to be open.
        let findings = server.get(&format!("/-/findings?page={target}"));
        assert_eq!((findings.status, findings.text()), (200, "[]"), "{target}");
    }
    for target in ["/%", "/%4", "/%zz", "/%ff", "/..%c0%af"] {
        assert_eq!(server.get(target).status, 400, "{target}");
    }
    for target in ["/..\\..\\etc\\hostname", "index.html", "*"] {
        let status = server.get(target).status;
        assert!([400, 404, 421].contains(&status), "{target}: {status}");
    }
    let site = build(root);
    for (path, answer) in server.get_all(site.keys().map(String::as_str)) {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains("OUTSIDE"), "{path}");
    }
}

#[test]
fn only_reading_is_answered() {
    let repo = fixture();
    let server = Server::start(repo.path());
    for method in [
        "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get",
    ] {
        let answer = server.ask(method, "/", "content-length: 0\r\n");
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(answer.headers["allow"], "GET, HEAD");
    }
    let connect = server.ask("CONNECT", "localhost:1", "");
    assert_eq!(connect.status, 405);
    let head = server.ask("HEAD", "/index.html", "");
    assert_eq!((head.status, head.body.len()), (200, 0));
    let get = server.get("/index.html");
    assert_eq!(head.headers["content-length"], get.body.len().to_string());
}

#[test]
fn names_of_others_are_refused() {
    let repo = fixture();
    let server = Server::start(repo.path());
    let port = server.address.port();
    let ask = |target: &str, hosts: &str| {
        let request = format!("GET {target} HTTP/1.1\r\n{hosts}connection: close\r\n\r\n");
        server.say(request.as_bytes()).unwrap().status
    };
    for host in [
        "localhost",
        "LOCALHOST",
        "127.0.0.1",
        "[::1]",
        "catalog.localhost",
    ] {
        assert_eq!(ask("/", &format!("host: {host}\r\n")), 200, "{host}");
        assert_eq!(ask("/", &format!("host: {host}:{port}\r\n")), 200, "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:4280",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost:80:80",
        "",
    ] {
        for target in [
            "/",
            "/service-catalog.json",
            "/-/events",
            "/-/findings?page=/",
            "/-/live.js",
        ] {
            let status = ask(target, &format!("host: {host}\r\n"));
            assert_eq!(status, 421, "{target} of {host}");
        }
    }
    assert_eq!(ask("/", ""), 400, "it must say whom it means");
    assert_eq!(ask("/", "host: localhost\r\nhost: evil.example\r\n"), 400);
    assert_eq!(ask("/", "host: evil.example\r\nhost: localhost\r\n"), 400);
    assert_eq!(ask("http://localhost/", "host: localhost\r\n"), 200);
    assert_eq!(ask("http://evil.example/", "host: localhost\r\n"), 421);
    assert_eq!(ask("http://localhost/", "host: evil.example\r\n"), 421);
    assert_eq!(
        ask("http://evil.example@localhost/", "host: localhost\r\n"),
        421
    );
}

#[test]
fn garbage_is_refused_and_the_server_lives_on() {
    let repo = fixture();
    let server = Server::start(repo.path());
    let long = "a".repeat(200_000);
    let many: String = (0..500).map(|nth| format!("x-{nth}: y\r\n")).collect();
    let requests: &[(String, &[u16])] = &[
        (
            format!("GET /{long} HTTP/1.1\r\nhost: localhost\r\n\r\n"),
            &[414, 431],
        ),
        (
            format!(
                "GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n",
                long.repeat(4)
            ),
            &[431],
        ),
        (
            format!("GET / HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"),
            &[431],
        ),
        ("\0\u{1}\u{2}\r\n\r\n".to_owned(), &[400]),
        ("GET\r\n\r\n".to_owned(), &[400]),
        (
            "GET / HTTP/9.9\r\nhost: localhost\r\n\r\n".to_owned(),
            &[400, 505],
        ),
        (
            "GET /\0 HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned(),
            &[400],
        ),
        (
            "GET / x HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned(),
            &[400],
        ),
        ("GET / HTTP/1.1\r\nhost: a\0b\r\n\r\n".to_owned(), &[400]),
        (
            "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n".to_owned(),
            &[400],
        ),
        ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n\r\n".to_owned(), &[400]),
    ];
    for (request, statuses) in requests {
        let start: String = request.chars().take(40).collect();
        let answer = server.say(request.as_bytes());
        let status = answer.map(|answer| answer.status);
        assert!(
            status.is_some_and(|status| statuses.contains(&status)),
            "{start:?}: {status:?}"
        );
    }
    // Those who say half of something, and those who go before they are answered.
    let mut half: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for stream in &mut half {
        stream
            .write_all(b"GET /service-catalog.json HTTP/1.1\r\nhost: loc")
            .unwrap();
    }
    for _ in 0..50 {
        let mut gone = server.connect();
        gone.write_all(b"GET /service-catalog.json HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .unwrap();
    }
    assert_eq!(server.get("/index.html").status, 200);
    half[0]
        .write_all(b"alhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    half[0].read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
}

#[test]
fn every_answer_comes_with_the_policy_that_the_site_allows() {
    let repo = fixture();
    let server = Server::start(repo.path());
    for path in ["/", "/components/shop.html", "/nowhere.html"] {
        let page = server.browse(path);
        let policy = &page.headers["content-security-policy"];
        let names_it = Some("Content-Security-Policy".to_owned());
        let meta = tags(page.text()).find(|tag| tag.attribute("http-equiv") == names_it);
        let stated = meta.unwrap().attribute("content").unwrap();
        assert_eq!(*policy, format!("{stated}; frame-ancestors 'none'"));
        assert_eq!(page.text().matches("/-/live.js").count(), 1);
        let built = server.get(path);
        assert!(!built.text().contains("/-/"), "only a browser follows");
        assert_eq!(built.headers["content-security-policy"], *policy);
    }
    for path in [
        "/service-catalog.json",
        "/-/live.js",
        "/-/live.css",
        "/-/findings?page=/",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200);
        let policy = &answer.headers["content-security-policy"];
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(
            answer.headers["cross-origin-resource-policy"],
            "same-origin"
        );
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
}
