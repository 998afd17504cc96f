//! Repositories with an index.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::server::{Reply, Server, chart, digest};
use super::{Place, both, charts, index, names, release};
use crate::cli::stdout;

fn url(server: &Server) -> String {
    format!("http://{}/charts", server.host())
}

#[test]
fn a_chart_is_fetched_once_and_pinned() {
    let server = charts(&["1.2.0", "1.3.0", "2.0.0"]);
    let place = Place::release(&url(&server), "1.x");
    let first = place.fetch(&[], 0);
    assert!(
        first.contains("added: web from http://127.0.0.1") && first.contains(", 1.3.0\n"),
        "{first}"
    );
    assert!(
        first.contains("1 chart: 1 downloaded, 0 already there, wrote catalog.lock"),
        "{first}"
    );
    let lock = place.lock();
    let archive = digest(&chart("web", "1.3.0"));
    for line in [
        &format!("repository = \"{}\"", url(&server)),
        "name = \"web\"",
        "asked = \"1.x\"",
        "version = \"1.3.0\"",
        &format!("digest = \"sha256:{archive}\""),
    ] {
        assert!(lock.contains(line), "{line}\n{lock}");
    }
    assert_eq!(place.archives(), [format!("{archive}.tgz")]);
    assert_eq!(
        server.paths(),
        ["/charts/index.yaml", "/charts/web-1.3.0.tgz"]
    );

    let again = place.fetch(&[], 0);
    assert_eq!(again, "1 chart: nothing to download\n");
    assert_eq!(place.fetch(&["--locked"], 0), again);
    assert_eq!(place.lock(), lock);
    assert!(server.paths().is_empty());

    // The archive is gone; what comes back is the same.
    fs::remove_dir_all(place.home.path().join("cache")).unwrap();
    let restored = place.fetch(&["--locked"], 0);
    assert!(restored.contains("downloaded: web"), "{restored}");
    assert_eq!((place.lock(), place.archives().len()), (lock, 1));
}

#[test]
fn ranges_are_resolved_again_only_on_request() {
    static VERSIONS: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    *VERSIONS.lock().unwrap() = vec!["1.2.0"];
    let server = Server::start(|asked| {
        if asked.path.ends_with("index.yaml") {
            return Reply::ok(index(&VERSIONS.lock().unwrap()));
        }
        let version = asked
            .path
            .rsplit('-')
            .next()
            .unwrap()
            .trim_end_matches(".tgz");
        Reply::ok(chart("web", version))
    });
    let place = Place::release(&url(&server), "1.x");
    place.fetch(&[], 0);
    VERSIONS.lock().unwrap().push("1.9.0");
    place.fetch(&[], 0);
    assert!(place.lock().contains("version = \"1.2.0\""));
    let misspelt = place.fetch(&["--update=wep"], 2);
    assert!(misspelt.contains("did you mean `web`?"), "{misspelt}");
    let updated = place.fetch(&["--update=web"], 0);
    assert!(
        updated.contains("changed: web") && updated.contains("1.2.0 to 1.9.0"),
        "{updated}"
    );
    assert!(place.lock().contains("version = \"1.9.0\""));
    let same = place.fetch(&["--update"], 0);
    assert!(
        same.contains("nothing to download") && !same.contains("wrote"),
        "{same}"
    );
}

#[test]
fn a_lock_file_that_would_change_is_an_error_where_that_is_asked_for() {
    let server = charts(&["1.2.0", "2.0.0"]);
    let place = Place::release(&url(&server), "1.x");
    let none = place.fetch(&["--locked"], 1);
    assert!(
        none.contains("not in the lock file: web from") && none.contains("out of date"),
        "{none}"
    );
    assert!(place.lock().is_empty() && server.paths().is_empty());
    place.fetch(&[], 0);
    place.write("apps/web.yaml", &release(&url(&server), "2.x"));
    let other = place.fetch(&["--locked"], 1);
    assert!(
        other.contains("not in the lock file: ") && other.contains("no longer referred to: "),
        "{other}"
    );
    place.fetch(&[], 0);
    let lock = place.lock();
    assert!(lock.contains("2.0.0") && !lock.contains("1.2.0"), "{lock}");
    place.write(
        "catalog.lock",
        &lock.replace("[[chart]]", "<<<<<<< HEAD\n[[chart]]"),
    );
    let conflict = place.fetch(&[], 2);
    assert!(
        conflict.contains("cannot read catalog.lock: line 4"),
        "{conflict}"
    );
}

#[test]
fn archives_can_be_kept_in_the_repository() {
    let server = charts(&["1.2.0", "2.0.0"]);
    let place = Place::release(&url(&server), "1.x");
    place.fetch(&["--vendor", "vendor/charts"], 0);
    let vendored = place.repo.path().join("vendor/charts");
    let first = names(&vendored);
    assert_eq!(first, [format!("{}.tgz", digest(&chart("web", "1.2.0")))]);
    assert!(place.archives().is_empty());
    // The next run knows, and leaves nothing behind that is no longer needed.
    place.write("apps/web.yaml", &release(&url(&server), "2.x"));
    place.fetch(&[], 0);
    assert_eq!(
        names(&vendored),
        [format!("{}.tgz", digest(&chart("web", "2.0.0")))]
    );
    let outside = place.fetch(&["--vendor", "../elsewhere"], 2);
    assert!(
        outside.contains("not a directory inside the repository"),
        "{outside}"
    );
}

#[test]
fn an_archive_that_is_not_the_expected_one_is_refused() {
    // The index has another digest than the archive.
    let server = Server::start(|asked| match asked.path.as_str() {
        "/charts/index.yaml" => Reply::ok(index(&["1.2.0"])),
        _ => Reply::ok(chart("web", "6.6.6")),
    });
    let place = Place::release(&url(&server), "1.x");
    let wrong = place.fetch(&[], 1);
    assert!(
        wrong.contains("failed: web") && wrong.contains("the digest does not match"),
        "{wrong}"
    );
    assert!(wrong.contains(" at apps/web.yaml:13"), "{wrong}");
    assert!(place.lock().is_empty() && place.archives().is_empty());

    // The same version was published again.
    static CONTENTS: Mutex<&str> = Mutex::new("1.2.0");
    let server = Server::start(|asked| match asked.path.as_str() {
        "/charts/index.yaml" => {
            let entry = "entries:\n  web:\n  - version: 1.2.0\n    urls: [web.tgz]\n";
            Reply::ok(entry)
        }
        _ => Reply::ok(chart("web", &CONTENTS.lock().unwrap())),
    });
    let place = Place::release(&url(&server), "1.2.0");
    place.fetch(&[], 0);
    let lock = place.lock();
    *CONTENTS.lock().unwrap() = "1.2.0+other";
    fs::remove_dir_all(place.home.path().join("cache")).unwrap();
    let replaced = place.fetch(&[], 1);
    assert!(
        replaced.contains("serves another archive of 1.2.0"),
        "{replaced}"
    );
    assert!(place.lock() == lock && place.archives().is_empty());
    let accepted = place.fetch(&["--update"], 0);
    assert!(accepted.contains("changed: web"), "{accepted}");

    // Another chart under that name.
    let server = Server::start(|asked| match asked.path.as_str() {
        "/charts/index.yaml" => {
            Reply::ok("entries:\n  web:\n  - version: 1.2.0\n    urls: [web.tgz]\n")
        }
        _ => Reply::ok(chart("api", "1.2.0")),
    });
    let other = Place::release(&url(&server), "1.2.0").fetch(&[], 1);
    assert!(other.contains("is the chart `api`, not `web`"), "{other}");
}

#[test]
fn a_download_is_resumed_after_the_connection_was_lost() {
    static ATTEMPTS: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start(|asked| {
        let archive = chart("web", "1.2.0");
        if asked.path.ends_with("index.yaml") {
            return Reply::ok(index(&["1.2.0"]));
        }
        match ATTEMPTS.fetch_add(1, Ordering::Relaxed) {
            0 => Reply {
                cut: Some(700),
                ..Reply::ok(archive).with("etag", "\"a\"")
            },
            1 => Reply::status(503).with("retry-after", "0"),
            _ => {
                assert_eq!(asked.header("range"), "bytes=700-");
                assert_eq!(asked.header("if-range"), "\"a\"");
                let range = format!("bytes 700-{}/{}", archive.len() - 1, archive.len());
                let mut rest = Reply::ok(&archive[700..]).with("content-range", &range);
                rest.status = 206;
                rest
            }
        }
    });
    let place = Place::release(&url(&server), "1.x");
    place.fetch(&[], 0);
    assert_eq!(place.archives().len(), 1);
    assert_eq!(server.paths().len(), 4);
}

#[test]
fn one_chart_that_fails_costs_one_line() {
    let server = charts(&["1.2.0"]);
    let place = Place::release(&url(&server), "1.x");
    let gone = release("http://127.0.0.1:1/charts", "1.x").replace("charts,", "gone,");
    place.write(
        "apps/gone.yaml",
        &gone
            .replace("name: charts", "name: gone")
            .replace("name: web", "name: gone"),
    );
    let open = release("https://${HOST}/charts", "1.x").replace("name: charts", "name: open");
    place.write("apps/open.yaml", &open.replace("name: web", "name: open"));
    let text = place.fetch(&[], 1);
    let failed: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("failed: "))
        .collect();
    assert_eq!(failed.len(), 1, "{text}");
    assert!(
        failed[0].contains("127.0.0.1:1 cannot be reached"),
        "{text}"
    );
    assert!(text.contains("added: web"), "{text}");
    assert!(
        text.contains("cannot be fetched: web at apps/open.yaml:13: its URL contains a variable"),
        "{text}"
    );
    assert!(place.lock().contains("1.2.0"));
}

#[test]
fn logins_stay_with_their_server() {
    let elsewhere = Server::start(|_| Reply::ok(chart("web", "1.2.0")));
    let target = format!("http://{}/web.tgz", elsewhere.host());
    let server = Server::start(move |asked| match asked.path.as_str() {
        // `me:hunter2`
        _ if asked.header("authorization") != "Basic bWU6aHVudGVyMg==" => Reply::status(401),
        "/charts/index.yaml" => Reply::ok(index(&["1.2.0"])),
        _ => Reply::status(302).with("location", &target),
    });
    let place = Place::release(&url(&server), "1.x");
    let refused = place.fetch(&[], 1);
    assert!(
        refused.contains("answered 401: a valid login is needed"),
        "{refused}"
    );
    let login = format!("http://me:hunter2@{}/charts", server.host());
    let environment = [("CATALOG_FETCH_CREDENTIALS", login.as_str())];
    let output = place.run_with(&["fetch", "--verbose"], &environment);
    assert_eq!(output.status.code(), Some(0), "{}", both(&output));
    let asked = elsewhere.asked();
    assert!(
        asked.len() == 1 && asked[0].header("authorization").is_empty(),
        "{asked:?}"
    );
    for text in [both(&output), place.lock()] {
        assert!(
            !text.contains("hunter2") && !text.contains("aHVudGVyMg"),
            "{text}"
        );
    }

    // From Helm's own configuration, and from a helper of Docker's.
    let place = Place::release(&url(&server), "1.x");
    let helm = format!(
        "repositories:\n- name: a\n  url: {}\n  username: me\n  password: hunter2\n",
        url(&server)
    );
    fs::create_dir_all(place.home.path().join(".config/helm")).unwrap();
    fs::write(
        place.home.path().join(".config/helm/repositories.yaml"),
        helm,
    )
    .unwrap();
    place.fetch(&[], 0);
}

#[cfg(unix)]
#[test]
fn a_credential_helper_is_asked_for_a_login() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start(|asked| match asked.path.as_str() {
        _ if asked.header("authorization") != "Basic bWU6aHVudGVyMg==" => Reply::status(401),
        "/charts/index.yaml" => Reply::ok(index(&["1.2.0"])),
        _ => Reply::ok(chart("web", "1.2.0")),
    });
    let place = Place::release(&url(&server), "1.x");
    let home = place.home.path();
    fs::create_dir_all(home.join(".docker")).unwrap();
    fs::write(
        home.join(".docker/config.json"),
        "{\"credsStore\": \"test\"}",
    )
    .unwrap();
    let helper = home.join("docker-credential-test");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = get ] && [ \"$(cat)\" = {} ] && echo '{{\"Username\": \"me\", \"Secret\": \"hunter2\"}}'\n",
        server.host()
    );
    fs::write(&helper, script).unwrap();
    fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", home.display(), std::env::var("PATH").unwrap());
    let output = place.run_with(&["fetch"], &[("PATH", &path)]);
    assert_eq!(output.status.code(), Some(0), "{}", both(&output));
    assert!(!both(&output).contains("hunter2"));
}

#[test]
fn a_mirror_is_asked_instead_and_the_lock_keeps_the_address() {
    let server = charts(&["1.2.0"]);
    let place = Place::release("https://charts.example.com/stable", "1.x");
    let mirror = format!(
        "[[fetch.mirror]]\nfrom = \"https://charts.example.com/stable\"\nto = \"{}\"\n",
        url(&server)
    );
    place.write("catalog.toml", &mirror);
    place.fetch(&[], 0);
    let lock = place.lock();
    assert!(
        lock.contains("repository = \"https://charts.example.com/stable\""),
        "{lock}"
    );
    assert!(!lock.contains("127.0.0.1"), "{lock}");
}

#[test]
fn every_way_to_name_a_chart_is_followed() {
    let server = charts(&["1.2.0"]);
    let url = url(&server);
    let application = format!(
        "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: web, namespace: argocd}}
spec:
  destination: {{server: 'https://kubernetes.default.svc', namespace: web}}
  source: {{repoURL: '{url}', chart: web, targetRevision: 1.2.0}}
"
    );
    let place = Place::with(&[
        ("apps/application.yaml", &application),
        (
            "kustomize/kustomization.yaml",
            &format!("helmCharts:\n- name: web\n  repo: {url}\n  version: 1.2.x\n"),
        ),
        (
            "helmfile.yaml",
            &format!(
                "repositories:\n- {{name: acme, url: '{url}'}}\nreleases:\n- {{name: web, chart: acme/web, version: '>=1'}}\n- {{name: own, chart: ./own}}\n"
            ),
        ),
        (
            "terraform/main.tf",
            &format!(
                "resource \"helm_release\" \"web\" {{\n  name = \"web\"\n  repository = \"{url}\"\n  chart = \"web\"\n  version = \"~1.2\"\n}}\n"
            ),
        ),
        (
            "umbrella/Chart.yaml",
            &format!(
                "apiVersion: v2\nname: umbrella\nversion: 0.1.0\ndependencies:\n- {{name: web, version: ^1, repository: '{url}'}}\n"
            ),
        ),
        ("apps/umbrella.yaml", UMBRELLA),
    ]);
    place.fetch(&[], 0);
    let lock = place.lock();
    for asked in ["1.2.0", "1.2.x", ">=1", "~1.2", "^1"] {
        assert!(
            lock.contains(&format!("asked = \"{asked}\"")),
            "{asked}\n{lock}"
        );
    }
    assert_eq!(lock.matches("[[chart]]").count(), 5, "{lock}");
    assert_eq!(place.archives().len(), 1);
    // One index for all of them.
    let paths = server.paths();
    let indexes = paths.iter().filter(|path| path.ends_with("index.yaml"));
    assert_eq!(indexes.count(), 1, "{paths:?}");
}

const UMBRELLA: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: umbrella, namespace: apps}
spec:
  chart:
    spec:
      chart: ./umbrella
      sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}
";

#[test]
fn where_there_is_nothing_to_fetch_nothing_is_written() {
    let place = Place::with(&[(
        "apps/a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    )]);
    let output = place.run(&["fetch"]);
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "")
    );
    assert!(
        both(&output).contains("no chart from outside"),
        "{}",
        both(&output)
    );
    assert!(place.lock().is_empty());
    let place = Place::with(&[]);
    assert!(both(&place.run(&["fetch"])).contains("no manifests were found"));
}

#[test]
fn a_repository_that_fails_is_asked_once_for_all_of_its_charts() {
    let server = Server::start(|_| Reply::status(404));
    let place = Place::release(&url(&server), "1.x");
    for version in ["2.x", "3.x"] {
        let more =
            release(&url(&server), version).replace("name: web,", &format!("name: web-{version},"));
        place.write(&format!("apps/{version}.yaml"), &more);
    }
    let text = place.fetch(&[], 1);
    assert_eq!(
        text.matches("answered 404 (not found)").count(),
        3,
        "{text}"
    );
    assert_eq!(server.paths(), ["/charts/index.yaml"]);
}
