//! Git repositories, by way of a mirror on this machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Place;

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(directory: &Path, version: &str) -> String {
    let chart = directory.join("charts/web");
    fs::create_dir_all(chart.join("templates")).unwrap();
    fs::write(
        chart.join("Chart.yaml"),
        format!("name: web\nversion: {version}\n"),
    )
    .unwrap();
    fs::write(chart.join("templates/a.yaml"), "a: 1\n").unwrap();
    git(directory, &["add", "-A"]);
    git(directory, &["commit", "-qm", version]);
    git(directory, &["tag", &format!("v{version}")]);
    git(directory, &["rev-parse", "HEAD"])
}

fn manifests(reference: &str) -> String {
    format!(
        "apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {{name: charts, namespace: apps}}
spec: {{url: 'https://git.example.com/acme/charts', ref: {{{reference}}}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: web, namespace: apps}}
spec:
  chart:
    spec:
      chart: ./charts/web
      sourceRef: {{kind: GitRepository, name: charts}}
"
    )
}

#[test]
fn a_directory_of_a_git_repository_is_fetched() {
    let upstream = tempfile::tempdir().unwrap();
    git(upstream.path(), &["init", "-qb", "main"]);
    let first = commit(upstream.path(), "1.2.0");
    let second = commit(upstream.path(), "1.3.0");
    // Commits that no branch leads to can be fetched from most hosts.
    git(
        upstream.path(),
        &["config", "uploadpack.allowAnySHA1InWant", "true"],
    );
    let mirror = format!(
        "[[fetch.mirror]]\nfrom = \"https://git.example.com/acme/charts\"\nto = \"file://{}\"\n",
        upstream.path().display()
    );
    for (reference, version, commit) in [
        ("branch: main", "1.3.0", &second),
        ("tag: v1.2.0", "1.2.0", &first),
        ("semver: <1.3", "1.2.0", &first),
        (&format!("branch: main, commit: {first}"), "1.2.0", &first),
        ("name: refs/heads/main", "1.3.0", &second),
    ] {
        let place = Place::with(&[
            ("apps/web.yaml", &manifests(reference)),
            ("catalog.toml", &mirror),
        ]);
        place.fetch(&[], 0);
        let lock = place.lock();
        assert!(
            lock.contains("repository = \"git+https://git.example.com/acme/charts\""),
            "{lock}"
        );
        assert!(
            lock.contains(&format!("version = \"{version}\"")),
            "{reference}\n{lock}"
        );
        assert!(
            lock.contains(&format!("revision = \"{commit}\"")),
            "{reference}\n{lock}"
        );
        // The same commit gives the same archive.
        let archives = place.archives();
        fs::remove_dir_all(place.home.path().join("cache")).unwrap();
        place.fetch(&["--locked"], 0);
        assert_eq!((place.archives(), place.lock()), (archives, lock));
    }
}

#[test]
fn other_ways_to_reach_a_git_repository_are_refused() {
    let upstream = tempfile::tempdir().unwrap();
    git(upstream.path(), &["init", "-qb", "main"]);
    commit(upstream.path(), "1.2.0");
    let url = format!("file://{}", upstream.path().display());
    let text = manifests("branch: main").replace("https://git.example.com/acme/charts", &url);
    let place = Place::with(&[("apps/web.yaml", &text)]);
    let text = place.fetch(&[], 0);
    assert!(text.contains("cannot be fetched: ./charts/web"), "{text}");
    assert!(place.lock().is_empty());
}
