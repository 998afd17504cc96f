//! `catalog fetch` against servers on loopback.

mod git;
mod hostile;
mod http;
mod oci;
mod registry;
mod server;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::cli::{repo, stderr, stdout};
use server::{Reply, Server, chart, digest};

/// A repository, with a home and a cache of its own.
struct Place {
    repo: TempDir,
    home: TempDir,
}

impl Place {
    fn with(files: &[(&str, &str)]) -> Place {
        Place {
            repo: repo(files),
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// A repository with a HelmRelease of `web` from an HTTP repository or registry.
    fn release(url: &str, version: &str) -> Place {
        Place::with(&[("apps/web.yaml", &release(url, version))])
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, &[])
    }

    fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
        command
            .args(arguments)
            .current_dir(self.repo.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.path())
            .env("CATALOG_CACHE_DIR", self.home.path().join("cache"))
            .envs(environment.iter().copied());
        command.output().unwrap()
    }

    /// Runs `fetch`, which must end with this code; gives what it printed.
    fn fetch(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(&[&["fetch"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{}", both(&output));
        both(&output)
    }

    fn lock(&self) -> String {
        fs::read_to_string(self.repo.path().join("catalog.lock")).unwrap_or_default()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.repo.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn archives(&self) -> Vec<String> {
        names(&self.home.path().join("cache/charts"))
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn both(output: &Output) -> String {
    format!("{}{}", stdout(output), stderr(output))
}

fn release(url: &str, version: &str) -> String {
    format!(
        "apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {{name: charts, namespace: apps}}
spec: {{url: '{url}'}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: web, namespace: apps}}
spec:
  chart:
    spec:
      chart: web
      version: '{version}'
      sourceRef: {{kind: HelmRepository, name: charts}}
"
    )
}

/// The index of a repository with these versions of `web`.
fn index(versions: &[&str]) -> String {
    let mut text = "apiVersion: v1\nentries:\n  web:\n".to_owned();
    for version in versions {
        let digest = digest(&chart("web", version));
        text.push_str(&format!(
            "  - name: web\n    version: {version}\n    digest: {digest}\n    urls:\n    - web-{version}.tgz\n"
        ));
    }
    text
}

/// A repository with these versions of `web`.
fn charts(versions: &'static [&'static str]) -> Server {
    Server::start(move |asked| match asked.path.as_str() {
        "/charts/index.yaml" => Reply::ok(index(versions)),
        path => {
            let version = path.strip_prefix("/charts/web-");
            let version = version.and_then(|rest| rest.strip_suffix(".tgz"));
            match version.filter(|version| versions.contains(version)) {
                Some(version) => Reply::ok(chart("web", version)),
                None => Reply::status(404),
            }
        }
    })
}
