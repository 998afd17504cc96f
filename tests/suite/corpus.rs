//! Whole repositories against what a full render of them gives: `kubectl kustomize` plus the rules of
//! the reconciler, recorded as `truth/NAME.json` beside the repository `NAME`. Ours are in
//! `tests/corpus`; `CATALOG_CORPUS` names a directory of more, which may be anybody's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalog::compose::Builder;
use catalog::pipeline::{self, Request};
use catalog::repo::{Repo, RepoPath};
use catalog::source::Facts;
use serde_json::Value;

use crate::compose::compare;

fn corpora() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let more = std::env::var_os("CATALOG_CORPUS").map(PathBuf::from);
    [own].into_iter().chain(more).collect()
}

#[test]
fn units_are_those_of_a_full_render() {
    let mut wrong = Vec::new();
    let mut score = Score::default();
    for corpus in corpora() {
        for (name, truth) in truths(&corpus) {
            let request = Request {
                repo: Some(corpus.join(&name)),
                config: None,
            };
            let reading = pipeline::read(&request).unwrap();
            let ours = serde_json::to_value(reading.document()).unwrap();
            for cluster in truth["clusters"].as_array().unwrap() {
                let root = cluster["root"].as_str().unwrap();
                let clusters = ours["clusters"].as_array().unwrap();
                match clusters.iter().find(|cluster| cluster["root"] == root) {
                    None => wrong.push(format!("{name}: the root {root} is not found")),
                    Some(found) => score.compare(&name, cluster, found, &mut wrong),
                }
            }
        }
    }
    let (recall, precision) = score.figures();
    println!(
        "{} units: recall {recall:.4}, precision {precision:.4}",
        score.expected
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(score.expected > 0 && recall == 1.0 && precision == 1.0);
}

/// Truth by repository, other than what another reader is tested with.
fn truths(corpus: &Path) -> BTreeMap<String, Value> {
    let entries = fs::read_dir(corpus.join("truth"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    let truths = files.map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (
            name,
            serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap(),
        )
    });
    truths.filter(|(name, _)| !name.contains('.')).collect()
}

#[derive(Default)]
struct Score {
    expected: usize,
    found: usize,
    right: usize,
}

impl Score {
    fn figures(&self) -> (f64, f64) {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        (
            share(self.right, self.expected),
            share(self.right, self.found),
        )
    }

    fn compare(&mut self, repo: &str, truth: &Value, ours: &Value, wrong: &mut Vec<String>) {
        for (kind, key) in [
            ("Kustomization", "kustomizations"),
            ("HelmRelease", "helmreleases"),
        ] {
            let truth: BTreeMap<&String, &Value> = truth[key].as_object().unwrap().iter().collect();
            let units = ours["units"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|unit| unit["kind"] == kind);
            let ours: BTreeMap<String, &Value> =
                units.map(|unit| (qualified(unit), unit)).collect();
            self.expected += truth.len();
            self.found += ours.len();
            for (name, expected) in &truth {
                match ours.get(*name) {
                    None => wrong.push(format!("{repo}: {kind} {name} is missing")),
                    Some(unit) => {
                        let differences = differences(kind, expected, unit);
                        self.right += usize::from(differences.is_empty());
                        wrong.extend(
                            differences
                                .iter()
                                .map(|difference| format!("{repo}: {kind} {name}: {difference}")),
                        );
                    }
                }
            }
            let extra = ours.keys().filter(|name| !truth.contains_key(name));
            wrong.extend(extra.map(|name| format!("{repo}: {kind} {name} is not there")));
        }
    }
}

fn qualified(unit: &Value) -> String {
    format!(
        "{}/{}",
        unit["namespace"].as_str().unwrap(),
        unit["name"].as_str().unwrap()
    )
}

fn differences(kind: &str, expected: &Value, unit: &Value) -> Vec<String> {
    let names = |list: &Value| -> BTreeSet<String> {
        list.as_array().unwrap().iter().map(qualified).collect()
    };
    let mut differences = Vec::new();
    let mut check = |what: &str, want: Value, got: Value| {
        if want != got {
            differences.push(format!("{what} is {got}, not {want}"));
        }
    };
    check("owner", expected["owner"].clone(), unit["owner"].clone());
    check("file", expected["file"].clone(), unit["file"].clone());
    let wanted: Vec<String> = names(&expected["dependsOn"]).into_iter().collect();
    let found: Vec<String> = names(&unit["depends_on"]).into_iter().collect();
    check("dependsOn", wanted.into(), found.into());
    match kind {
        "Kustomization" => {
            check("path", expected["path"].clone(), unit["path"].clone());
            check(
                "resources",
                expected["resources"].clone(),
                unit["resources"].clone(),
            );
            let gate = match (
                expected["wait"].as_bool(),
                expected["healthChecks"].as_u64(),
            ) {
                (Some(true), _) => "wait",
                (_, Some(1..)) => "healthChecks",
                _ => "none",
            };
            check("gate", gate.into(), unit["gate"].clone());
        }
        _ => {
            check("chart", expected["chart"].clone(), unit["chart"].clone());
            check(
                "version",
                expected["version"].clone(),
                unit["version"].clone(),
            );
        }
    }
    differences
}

#[test]
fn every_root_composes_as_kubectl_does() {
    if Command::new("kubectl")
        .args(["version", "--client"])
        .output()
        .is_err()
    {
        println!("kubectl is not here; the cases in tests/cases/kustomize hold what it gave");
        return;
    }
    let mut wrong = Vec::new();
    let (mut compared, mut refused) = (0, 0);
    for corpus in corpora() {
        for name in truths(&corpus).keys() {
            let root = corpus.join(name);
            let repo = Repo::open(&root, &[]).unwrap();
            let facts = Facts::read(&repo);
            let builder = Builder::new(&facts);
            for directory in kustomization_roots(&repo, &facts) {
                // What it refuses, and what it would have to fetch, cannot be compared.
                let output = Command::new("kubectl")
                    .args(["kustomize", "--load-restrictor", "LoadRestrictionsNone"])
                    .arg(root.join(directory.as_str()))
                    .output()
                    .unwrap();
                if !output.status.success() {
                    refused += 1;
                    continue;
                }
                compared += 1;
                let expected = String::from_utf8_lossy(&output.stdout);
                let built = builder.build(&directory, None);
                let differences = compare(
                    &expected,
                    built.items.into_iter().map(|item| item.into_resource()),
                );
                wrong.extend(
                    differences
                        .iter()
                        .map(|difference| format!("{name}/{directory}:{difference}")),
                );
            }
        }
    }
    println!("{compared} roots compared, {refused} that kubectl does not build");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Directories with a kustomization that is not a part of another and fetches nothing.
fn kustomization_roots(repo: &Repo, facts: &Facts<'_>) -> Vec<RepoPath> {
    let directories: BTreeSet<RepoPath> = facts
        .all()
        .filter_map(|(file, found)| {
            let assembly = found.assembly.as_ref()?;
            let remote = assembly
                .resources
                .iter()
                .any(|listed| listed.path.contains("://"));
            let component = assembly.kind == catalog::fact::AssemblyKind::Component;
            (!remote && !component).then(|| repo.path(file).parent())?
        })
        .collect();
    directories.into_iter().collect()
}
