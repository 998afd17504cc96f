//! The live preview as people meet it: a real server, a real watcher, files that change on disk.

mod broken;
mod edits;
mod load;
mod refusal;
mod root;
pub mod server;
mod watch;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::{catalog, platform, stderr};
use crate::site::{Files, build};
pub use server::Server;
use server::{PATIENCE, Running};

/// The small platform, with an env file and prose.
fn fixture() -> TempDir {
    let repo = platform();
    let root = repo.path();
    put(
        root,
        "shop/kustomization.yaml",
        "resources: [app.yaml]\nconfigMapGenerator:\n  - name: shop\n    namespace: shop\n    envs: [shop.env]\n",
    );
    put(root, "shop/shop.env", "LEVEL=info\n");
    put(root, "shop/README.md", "# Shop\n\nWhere people buy.\n");
    put(root, "docs/basics.md", "# Basics\n\nHow we work.\n");
    repo
}

/// Writes a file in one step, so that nobody sees it half written.
fn put(root: &Path, path: &str, text: &str) {
    let aside = tempfile::tempdir().unwrap();
    let made = aside.path().join("made");
    fs::write(&made, text).unwrap();
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // Over a boundary of file systems, a file cannot be renamed.
    if fs::rename(&made, &path).is_err() {
        fs::write(&path, text).unwrap();
    }
}

fn change(root: &Path, path: &str, from: &str, to: &str) {
    let text = fs::read_to_string(root.join(path)).unwrap();
    assert!(text.contains(from), "{path} has no {from}");
    put(root, path, &text.replace(from, to));
}

/// Waits until the server serves just what a build writes, and no longer what an earlier build wrote.
fn assert_like_a_build(server: &mut Server, repo: &Path, before: &Files, after: &str) -> Files {
    let mut built = build(repo);
    // What a build keeps for itself has no address.
    built.retain(|path, _| !path.starts_with('.'));
    let end = Instant::now() + PATIENCE;
    loop {
        let all = built.keys().chain(before.keys()).map(String::as_str);
        let served = server.get_all(all);
        let wrong = served.iter().find(|(path, response)| {
            let bytes = built.get(*path);
            response.status != if bytes.is_some() { 200 } else { 404 }
                || bytes.is_some_and(|bytes| *bytes != response.body)
        });
        let Some((path, response)) = wrong else {
            return built;
        };
        assert!(
            Instant::now() < end,
            "after {after}, `{path}` is not as a build writes it: {}\n{:#?}",
            response.status,
            server.running.said
        );
        // It is as it was before the change, or between two changes: there is news to come.
        server.running.any_line(Duration::from_secs(5));
    }
}

#[test]
fn the_terminal_says_what_changed_and_what_was_done() {
    let repo = fixture();
    let mut server = Server::start(repo.path());
    let first = server.running.said[0].clone();
    assert!(first.starts_with("3 components on "), "{first}");
    assert!(first.contains(" pages, "), "{first}");
    change(repo.path(), "shop/app.yaml", "1.2.3", "1.2.4");
    let line = server.running.line_about("shop/app.yaml");
    let start = "shop/app.yaml: 1 file read, 0 open pages rendered, ";
    assert!(line.starts_with(start), "nobody looks: {line}");
    assert!(line.ends_with(" ms") && line.contains("finding"), "{line}");
    let mut shop = server.events("/components/shop.html");
    assert_eq!(
        shop.next()["action"],
        "reload",
        "it does not know its build"
    );
    let mut store = server.events("components/store.html");
    store.next();
    change(repo.path(), "shop/app.yaml", "1.2.4", "1.2.5");
    let line = server.running.line_about("shop/app.yaml");
    let start = "shop/app.yaml: 1 file read, 2 open pages rendered, ";
    assert!(line.starts_with(start), "two pages are open: {line}");
    assert_eq!(shop.next()["action"], "reload");
    assert_eq!(store.next()["action"], "stay", "it says what it said");
    drop(store);
    // The server notices that somebody is gone when it has something to say.
    put(repo.path(), "shop/README.md", "# Shop\n\nWhere they buy.\n");
    server.running.line_about("shop/README.md");
    shop.next();
    put(repo.path(), "clusters/dev/broken.yaml", "a: 'open\n");
    server.running.line_about("clusters/dev/broken.yaml");
    put(repo.path(), "shop/shop.env", "LEVEL=debug\n");
    let line = server.running.line_about("shop/shop.env");
    assert!(
        line.contains("1 file read, 1 open page rendered, ") && line.contains("1 error"),
        "{line}"
    );
}

#[test]
fn a_page_that_is_open_is_told_what_to_do() {
    let repo = fixture();
    let root = repo.path();
    let server = Server::start(root);
    let mut events = server.events("/components/shop.html");
    events.next();
    let is_bad = |told: &Value| !told["trouble"].is_null();
    let is_good = |told: &Value| told["trouble"].is_null();
    put(root, "theme/static/style.css", "body { color: teal }\n");
    let told = events.until(|told| told["action"]["style"].is_string());
    let build = &told["build"];
    let style = told["action"]["style"].as_str().unwrap();
    assert_eq!(server.get(&format!("/{style}")).status, 200);
    put(root, "shop/broken.yaml", "a: b: c\n");
    let told = events.until(is_bad);
    assert_eq!(told["action"], "stay", "the last good page stays");
    assert_eq!(told["build"], *build);
    assert_eq!(told["trouble"]["title"], "shop/broken.yaml cannot be read");
    let text = told["trouble"]["text"].as_str().unwrap();
    assert!(
        text.contains("shop/broken.yaml:1") && text.contains("a: b: c"),
        "{text}"
    );
    fs::remove_file(root.join("shop/broken.yaml")).unwrap();
    assert_eq!(events.until(is_good)["action"], "reload");
    put(root, "catalog.toml", "# ours\ntilte = 'x'\n");
    let text = events.until(is_bad)["trouble"]["text"].to_string();
    assert!(
        text.contains("catalog.toml:2:1") && text.contains("tilte = 'x'"),
        "{text}"
    );
    put(root, "catalog.toml", "# ours\ntitle = 'x'\n");
    assert_eq!(events.until(is_good)["action"], "reload");
    put(root, "theme/sections/overview.html", "{% if %}");
    let text = events.until(is_bad)["trouble"]["text"].to_string();
    assert!(text.contains("sections/overview.html"), "{text}");
    fs::remove_file(root.join("theme/sections/overview.html")).unwrap();
    events.until(is_good);
}

#[test]
fn an_open_page_shows_an_edit_before_all_has_been_read_again() {
    let repo = fixture();
    let root = repo.path();
    let mut server = Server::start(root);
    let page = "/components/shop.html";
    let mut events = server.events(page);
    events.next();
    for (path, from, to) in [
        ("shop/app.yaml", "1.2.3", "1.2.4"),
        ("shop/app.yaml", "1.2.4", "1.2.5"),
        ("shop/shop.env", "info", "debug"),
    ] {
        change(root, path, from, to);
        let line = server.running.any_line(PATIENCE).unwrap();
        assert!(line.starts_with("shown on 1 open page; "), "{line}");
        events.until(|told| told["action"] == "reload");
        assert!(server.browse(page).text().contains(to), "{path}: {to}");
        // A program gets what a build writes, and waits for that.
        let answer = server.get("/service-catalog.json");
        assert!(answer.text().contains(to), "{path}: {to}");
        server.running.line_about(path);
    }
    assert_like_a_build(&mut server, root, &Files::new(), "edits that were shown");
}

#[test]
fn a_template_that_fails_on_one_page_leaves_the_last_good_one_open() {
    let repo = fixture();
    let server = Server::start(repo.path());
    let mut events = server.events("/components/shop.html");
    events.next();
    put(
        repo.path(),
        "theme/sections/overview.html",
        "{{ section.nothing.at.all }}",
    );
    let told = events.until(|told| !told["trouble"].is_null());
    assert_eq!(told["action"], "stay", "the last good page stays");
    assert_eq!(told["trouble"]["title"], "This page cannot be rendered");
    let apology = server.browse("/components/shop.html");
    assert_eq!(apology.status, 500);
    assert!(apology.text().contains("sections/overview.html"));
    assert!(
        apology.text().contains("/-/live.js"),
        "it mends itself, too"
    );
    fs::remove_dir_all(repo.path().join("theme")).unwrap();
    let told = events.until(|told| told["trouble"].is_null());
    assert_eq!(told["action"], "reload");
}

#[test]
fn a_port_that_is_taken_is_passed_by_unless_it_was_asked_for() {
    let repo = fixture();
    // Somebody else may have it, which does as well.
    let _taken = TcpListener::bind(("127.0.0.1", 4280));
    let server = Server::start_with(&["serve", "."], repo.path());
    assert_ne!(server.address.port(), 4280);
    assert_eq!(server.get("/").status, 200);
    let port = server.address.port().to_string();
    let refused = catalog(&["serve", ".", "--port", &port], repo.path());
    assert_eq!(refused.status.code(), Some(2));
    let error = stderr(&refused);
    assert!(
        error.contains(&format!("cannot use port {port}:"))
            && error.contains("pass another with --port"),
        "{error}"
    );
}

#[test]
fn an_address_that_others_can_reach_comes_with_a_warning() {
    let repo = fixture();
    let arguments = ["serve", ".", "--host", "0.0.0.0", "--port", "0"];
    let server = Server::start_with(&arguments, repo.path());
    let first = &server.running.said[0];
    assert!(
        first.starts_with("warning: everyone who can reach"),
        "{first}"
    );
    let loopback = Server::start(repo.path());
    assert_eq!(loopback.running.count("warning"), 0);
    for (host, words) in [("nowhere", "--host"), ("192.0.2.7", "--host")] {
        let refused = catalog(&["serve", ".", "--host", host], repo.path());
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(words), "{}", stderr(&refused));
    }
}

#[test]
fn ctrl_c_ends_it_at_once() {
    let repo = fixture();
    let mut server = Server::start(repo.path());
    let mut events = server.events("/");
    events.next();
    let start = Instant::now();
    let pid = Pid::from_child(&server.running.child);
    // What a shell starts in the background never hears of Ctrl-C, and neither does what that starts.
    let signal = if ignores_ctrl_c() {
        Signal::TERM
    } else {
        Signal::INT
    };
    kill_process(pid, signal).unwrap();
    while server.running.child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(1));
        sleep(Duration::from_millis(10));
    }
}

/// Whether this process was started so that Ctrl-C does nothing; only Linux says.
fn ignores_ctrl_c() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & (1 << (Signal::INT.as_raw() - 1)) != 0)
}

#[test]
fn a_repo_that_is_not_there_is_not_waited_for() {
    let repo = fixture();
    for arguments in [
        ["serve", "nowhere", "--port", "0"],
        ["build", "nowhere", "--watch", "--quiet"],
    ] {
        let output = catalog(&arguments, repo.path());
        assert_eq!(output.status.code(), Some(2));
        let error = stderr(&output);
        assert!(error.contains("`nowhere` does not exist"), "{error}");
    }
}

#[test]
fn a_configuration_that_is_broken_from_the_start_is_shown_until_it_is_mended() {
    let repo = fixture();
    put(repo.path(), "catalog.toml", "tilte = 'x'\n");
    let mut server = Server::start(repo.path());
    let page = server.browse("/components/shop.html");
    assert_eq!(page.status, 503);
    assert!(page.text().contains("did you mean `title`?"));
    let mut events = server.events("/components/shop.html");
    assert_ne!(events.next()["trouble"], json!(null));
    put(repo.path(), "catalog.toml", "title = 'x'\n");
    assert_eq!(events.next()["action"], "reload");
    assert_like_a_build(&mut server, repo.path(), &Files::new(), "mending it");
}

#[test]
fn a_name_on_disk_does_not_command_the_terminal() {
    let repo = fixture();
    let mut server = Server::start(repo.path());
    put(repo.path(), "docs/\u{1b}[2Jgone.md", "# Gone\n");
    let line = server.running.line(|line| line.contains("gone.md"));
    assert!(!line.contains('\u{1b}'), "{line:?}");
}

fn git(root: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
        .args(["-c", "commit.gpgsign=false", "-c", "gc.auto=0"])
        .args(arguments)
        .current_dir(root);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

/// A build that watches, once it has written for the first time.
fn watching(repo: &Path, out: &str) -> Running {
    let mut running = Running::start(&["build", ".", "--out", out, "--watch"], repo);
    running.line_about("the repository");
    running
}
