//! Whole repositories against what a full render of them gives: `kubectl kustomize` plus the rules of
//! the reconciler. Ours are the cases in `tests/cases/units`; `CATALOG_CORPUS` names a directory of
//! more, each beside its `truth/NAME.json`, which may be anybody's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalog::checks::fix::Fixes;
use catalog::cluster::Builder;
use catalog::input::repo::{Repo, RepoPath};
use catalog::pipeline::{self, Request};
use catalog::site::context::SiteContext;
use catalog::sources::Facts;
use serde_json::Value;
use tempfile::TempDir;

use crate::case;
use crate::composition::compare;

struct Repository {
    name: String,
    path: PathBuf,
    /// What a full render gives for each of its clusters.
    clusters: Vec<Value>,
    _kept: Option<TempDir>,
}

fn repositories() -> Vec<Repository> {
    let own = case::all("units").into_iter().map(|case| {
        let directory = case.lay_out();
        Repository {
            name: case.name.clone(),
            path: directory.path().to_path_buf(),
            clusters: serde_json::from_str(&case.sections[0].block).unwrap(),
            _kept: Some(directory),
        }
    });
    let more = std::env::var_os("CATALOG_CORPUS").map(PathBuf::from);
    own.chain(more.iter().flat_map(|corpus| recorded(corpus)))
        .collect()
}

/// Repositories with their truth, other than what another reader is tested with.
fn recorded(corpus: &Path) -> Vec<Repository> {
    let files = fs::read_dir(corpus.join("truth"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut repositories: Vec<Repository> = files
        .filter_map(|file| {
            let name = file.file_stem()?.to_string_lossy().into_owned();
            let truth: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
            let clusters = truth["clusters"].as_array()?.clone();
            let path = corpus.join(&name);
            Some(Repository {
                name,
                path,
                clusters,
                _kept: None,
            })
        })
        .collect();
    repositories.sort_by(|a, b| a.name.cmp(&b.name));
    repositories
}

#[test]
fn units_are_those_of_a_full_render() {
    let mut wrong = Vec::new();
    let mut score = Score::default();
    for repository in repositories() {
        let name = &repository.name;
        let request = Request {
            repo: Some(repository.path.clone()),
            config: None,
            ..Request::default()
        };
        let reading = pipeline::read(&request).unwrap();
        let ours = document(&reading.context());
        let found = by_root(ours["clusters"].as_array().unwrap());
        for cluster in &repository.clusters {
            match found.iter().find(|found| found["root"] == cluster["root"]) {
                None => wrong.push(format!("{name}: the root {} is not found", cluster["root"])),
                Some(found) => score.compare(name, cluster, found, &mut wrong),
            }
        }
        if found.len() != repository.clusters.len() {
            let roots: Vec<&Value> = found.iter().map(|cluster| &cluster["root"]).collect();
            wrong.push(format!("{name}: {roots:?} are found"));
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

/// The clusters that one entry point leads to, as one.
fn by_root(clusters: &[Value]) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for cluster in clusters {
        match found.iter_mut().find(|one| one["root"] == cluster["root"]) {
            Some(known) => {
                let units = cluster["units"].as_array().unwrap();
                let all = known["units"].as_array_mut().unwrap();
                all.extend(units.iter().cloned());
            }
            None => found.push(cluster.clone()),
        }
    }
    found
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
            ("Application", "applications"),
            ("ApplicationSet", "applicationsets"),
        ] {
            // A truth of one tool says nothing about the units of another.
            let Some(truth) = truth[key].as_object() else {
                continue;
            };
            let truth: BTreeMap<&String, &Value> = truth.iter().collect();
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

/// `service-catalog.json` as other programs read it.
fn document(context: &SiteContext<'_>) -> Value {
    serde_json::from_slice(&context.document()).unwrap()
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
        "Application" | "ApplicationSet" => {
            for key in ["path", "resources", "chart", "version"] {
                check(key, expected[key].clone(), unit[key].clone());
            }
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
    for Repository { name, path, .. } in &repositories() {
        let repo = Repo::open(path, &[]).unwrap();
        let facts = Facts::read(&repo);
        let builder = Builder::new(&facts);
        for directory in kustomization_roots(&repo, &facts) {
            // What it refuses, and what it would have to fetch, cannot be compared.
            let output = Command::new("kubectl")
                .args(["kustomize", "--load-restrictor", "LoadRestrictionsNone"])
                .arg(path.join(directory.as_str()))
                .output()
                .unwrap();
            if !output.status.success() {
                refused += 1;
                continue;
            }
            compared += 1;
            let expected = String::from_utf8_lossy(&output.stdout);
            let built = builder.build(&directory, None);
            let built = built.items.into_iter().map(|item| item.into_resource());
            let differences = compare(&expected, built);
            wrong.extend(
                differences
                    .iter()
                    .map(|difference| format!("{name}/{directory}:{difference}")),
            );
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
            let component = assembly.kind == kustomize::AssemblyKind::Component;
            (!remote && !component).then(|| repo.path(file).parent())?
        })
        .collect();
    directories.into_iter().collect()
}

/// Applications and ApplicationSets as files write them, beside the units and components that they become.
#[test]
fn applications_of_the_corpus_are_units_and_components() {
    let Some(corpus) = std::env::var_os("CATALOG_CORPUS").map(PathBuf::from) else {
        return;
    };
    let truths = fs::read_dir(corpus.join("truth")).unwrap();
    let mut wrong = Vec::new();
    for file in truths.map(|entry| entry.unwrap().path()) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".argo.json") else {
            continue;
        };
        let truth: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        wrong.extend(
            written(&corpus.join(name), &truth)
                .into_iter()
                .map(|difference| format!("{name}: {difference}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn written(path: &Path, truth: &Value) -> Vec<String> {
    let repo = Repo::open(path, &[]).unwrap();
    let facts = Facts::read(&repo);
    let request = Request {
        repo: Some(path.to_path_buf()),
        config: None,
        ..Request::default()
    };
    let reading = pipeline::read(&request).unwrap();
    let document = document(&reading.context());
    let clusters = document["clusters"].as_array().unwrap();
    let units: Vec<&Value> = clusters
        .iter()
        .flat_map(|cluster| cluster["units"].as_array().unwrap())
        .collect();
    let components = document["components"].as_array().unwrap();
    let mut wrong = Vec::new();
    for (key, kind) in [
        ("applications", "Application"),
        ("applicationsets", "ApplicationSet"),
    ] {
        for expected in truth[key].as_array().unwrap() {
            let name = expected["name"].as_str().unwrap();
            let file = expected["file"].as_str().unwrap();
            // A name with a gap is a form to be filled in, which is read and makes nothing.
            if name.contains('<') {
                let id = repo.file(&RepoPath::new(file).unwrap()).unwrap();
                let mut resources = facts.file(id).resources.iter();
                if !resources.any(|one| one.id.kind == kind && one.id.name == name) {
                    wrong.push(format!("{file}: {kind} {name} is not read"));
                }
                continue;
            }
            let is_it = |unit: &&&Value| {
                unit["kind"] == kind && unit["name"] == name && unit["file"] == file
            };
            let Some(unit) = units.iter().find(is_it) else {
                wrong.push(format!("{file}: {kind} {name} is no unit"));
                continue;
            };
            if kind == "ApplicationSet" {
                continue;
            }
            let sources = expected["sources"].as_array().unwrap();
            let first = |key: &str| {
                let stated = sources.iter().map(|source| &source[key]);
                stated.into_iter().find(|value| value.is_string())
            };
            let chart = sources.iter().find(|source| source["chart"].is_string());
            let expectations = [
                ("namespace", Some(&expected["namespace"])),
                ("path", first("path")),
                ("chart", chart.map(|chart| &chart["chart"])),
                ("version", chart.map(|chart| &chart["targetRevision"])),
            ];
            for (field, want) in expectations {
                let want = want.unwrap_or(&Value::Null);
                if unit[field] != *want {
                    let got = &unit[field];
                    wrong.push(format!("{file}: {field} of {name} is {got}, not {want}"));
                }
            }
            let mut own = components.iter().filter(|one| one["kind"] == kind);
            let target = &expected["dest"]["namespace"];
            let is_own = |one: &Value| {
                let mut resources = one["resources"].as_array().unwrap().iter();
                resources.any(|it| it["kind"] == kind && it["name"] == name)
            };
            match own.find(|one| is_own(one)) {
                None => wrong.push(format!("{file}: {name} is no component")),
                Some(one) if one["namespace"] != *target => {
                    let got = &one["namespace"];
                    wrong.push(format!("{file}: {name} runs in {got}, not {target}"));
                }
                Some(_) => {}
            }
        }
    }
    wrong
}

/// Findings of checks on repositories that only `CATALOG_CORPUS` has: errors are few, certain, and known.
#[test]
fn errors_in_the_corpus_are_those_that_are_there() {
    let Some(corpus) = std::env::var_os("CATALOG_CORPUS").map(PathBuf::from) else {
        return;
    };
    // Repository, rule, and how many.
    let known: &[(&str, &[(&str, usize)])] = &[
        ("eso-gitops-snippet", &[]),
        ("fleet-infra", &[("weak-gate", 5)]),
        ("flux2-kustomize-helm-example", &[]),
        ("home-ops", &[]),
        ("kevin-ryan-platform", &[("weak-gate", 3)]),
        ("kevin-ryan-platform-before-0003a", &[("crd-deadlock", 1)]),
        ("omni-gitops", &[]),
    ];
    for repository in recorded(&corpus) {
        let reading = crate::check::read(&repository.path);
        let mut errors: BTreeMap<&str, usize> = BTreeMap::new();
        let findings = reading.findings.open.iter();
        for finding in findings.filter(|finding| crate::check::is_of_check(finding.rule)) {
            if finding.severity == base::Severity::Error {
                *errors.entry(finding.rule).or_default() += 1;
            }
        }
        let expected = known.iter().find(|(name, _)| *name == repository.name);
        if let Some((name, expected)) = expected {
            let expected: BTreeMap<&str, usize> = expected.iter().copied().collect();
            assert_eq!(errors, expected, "{name}");
        }
        // A full render finds neither in any of them.
        for never in ["dangling-dependency", "dependency-cycle"] {
            assert_eq!(errors.get(never), None, "{}", repository.name);
        }
    }
}

#[test]
fn the_deadlock_of_the_corpus_is_mended_by_its_fix() {
    let Some(corpus) = std::env::var_os("CATALOG_CORPUS").map(PathBuf::from) else {
        return;
    };
    let before = corpus.join("kevin-ryan-platform-before-0003a");
    if !before.is_dir() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    copy(&before, directory.path());
    for _ in 0..2 {
        let reading = crate::check::read(directory.path());
        let findings = &reading.findings.open;
        let fixes = Fixes::work_out(&reading.repo, findings);
        let fixes = findings.iter().filter_map(|one| fixes.get(one));
        let edits = fixes.flat_map(|fix| fix.edits.clone()).collect();
        crate::check::apply(directory.path(), &edits);
    }
    let reading = crate::check::read(directory.path());
    let left: Vec<&str> = reading
        .findings
        .open
        .iter()
        .map(|finding| finding.rule)
        .filter(|rule| ["crd-deadlock", "weak-gate", "webhook-race"].contains(rule))
        .collect();
    assert_eq!(left, [""; 0]);
    let request = Request {
        repo: Some(directory.path().to_path_buf()),
        config: None,
        ..Request::default()
    };
    let rehearsals = pipeline::rehearse(&request, None)
        .unwrap()
        .rehearsals
        .unwrap();
    assert!(rehearsals.iter().all(|rehearsal| rehearsal.completes()));
    let mut steps = rehearsals.iter().flat_map(|one| one.waves.iter().flatten());
    assert!(steps.all(|step| step.races.is_empty()));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            // A link that leads nowhere is nothing to copy.
            false => drop(fs::copy(entry.path(), target)),
        }
    }
}
