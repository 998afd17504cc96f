//! What clusters get of charts: each case in `tests/cases/render` is a small repository with the objects that `catalog
//! render` prints, the facts about its components, and its findings. Charts below `published/` are packed as if
//! `catalog fetch` had downloaded them; `asked.toml` beside each says what refers to it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::application::list;
use crate::archive::{digest, tar};
use crate::case::{self, Case};
use crate::cli::{catalog, export, stderr, stdout};
use crate::fact;

// One test, since all headings are in the same files.
#[test]
fn charts_yield_what_clusters_get() {
    case::compare("render", "Objects", |case| {
        let output = catalog(&["render", "--origin"], lay_out(case).path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    });
    case::compare("render", "Of each component", |case| {
        let repo = lay_out(case);
        let mut told = String::new();
        for component in list(&export(repo.path())["components"]) {
            let id = component["id"].as_str().unwrap();
            let output = catalog(&["render", id], repo.path());
            let printed = stdout(&output);
            let sources = printed.lines().filter(|line| line.starts_with("# Source"));
            writeln!(told, "{id}: {} objects", sources.count()).unwrap();
            let said = stderr(&output);
            for line in said.lines().filter(|line| line.starts_with("incomplete")) {
                writeln!(told, "  {line}").unwrap();
            }
        }
        told
    });
    case::compare("render", "Facts", |case| {
        let document = export(lay_out(case).path());
        let mut told = String::new();
        for component in list(&document["components"]) {
            fact::tell(component, &mut told);
            for workload in list(&component["workloads"]) {
                let (kind, name) = (&workload["kind"], &workload["name"]);
                writeln!(
                    told,
                    "  runs {} {}",
                    kind.as_str().unwrap(),
                    name.as_str().unwrap()
                )
                .unwrap();
            }
            for edge in list(&component["upstream"]) {
                let text = |key: &str| edge[key].as_str().unwrap().to_owned();
                let (id, kind, reason) = (text("id"), text("kind"), text("reason"));
                writeln!(told, "  {kind} {id}: {reason} at line {}", edge["line"]).unwrap();
            }
        }
        told
    });
    case::compare("render", "Findings", |case| {
        let output = catalog(
            &["check", "--format", "concise", "-q"],
            lay_out(case).path(),
        );
        stdout(&output)
    });
}

/// The repository of a case, with its published charts in a directory of archives that a lock file names.
fn lay_out(case: &Case) -> TempDir {
    let repo = case.lay_out();
    let published = repo.path().join("published");
    if !published.is_dir() {
        return repo;
    }
    let mut lock = "format = 1\nvendor = \"archives\"\n".to_owned();
    fs::create_dir(repo.path().join("archives")).unwrap();
    let mut names: Vec<_> = fs::read_dir(&published)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in names {
        let prefix = format!("published/{name}/");
        let files = case.files.iter().filter_map(|(path, content)| {
            let inner = path.strip_prefix(&prefix)?;
            (inner != "asked.toml").then(|| (format!("{name}/{inner}"), content.as_slice()))
        });
        let files: Vec<(String, &[u8])> = files.collect();
        let entries: Vec<(&str, u8, &[u8])> = files
            .iter()
            .map(|(path, content)| (path.as_str(), b'0', *content))
            .collect();
        let archive = tar(&entries);
        let digest = digest(&archive);
        fs::write(repo.path().join(format!("archives/{digest}.tgz")), archive).unwrap();
        let asked = fs::read_to_string(published.join(&name).join("asked.toml")).unwrap();
        let version = version(&published.join(&name));
        write!(
            lock,
            "\n[[chart]]\n{asked}version = \"{version}\"\ndigest = \"sha256:{digest}\"\n"
        )
        .unwrap();
    }
    fs::remove_dir_all(&published).unwrap();
    fs::write(repo.path().join("catalog.lock"), lock).unwrap();
    repo
}

fn version(chart: &Path) -> String {
    let metadata = fs::read_to_string(chart.join("Chart.yaml")).unwrap();
    let mut lines = metadata.lines();
    lines
        .find_map(|line| line.strip_prefix("version: "))
        .unwrap()
        .to_owned()
}
