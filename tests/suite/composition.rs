//! Composition against what `kubectl kustomize` made of the same files.

use base::{FileId, Severity};
use catalog::cluster::Builder;
use catalog::facts::{Resource, ResourceId};
use catalog::input::repo::{Repo, RepoPath};
use catalog::sources::{self, Facts};
use yaml::to_json;

use crate::case;

/// Cases whose builds differ on purpose; a finding must say so.
const NOT_FOLLOWED: &[(&str, &str)] = &[
    (
        "build-metadata",
        "notes about the tool and its steps tell nothing about the objects",
    ),
    (
        "openapi-schema",
        "nobody was found to bring a schema of their own",
    ),
];

#[test]
fn composition_equals_what_kustomize_builds() {
    let mut failures = Vec::new();
    for case in case::all("kustomize") {
        let followed = !NOT_FOLLOWED.iter().any(|(name, _)| *name == case.name);
        let directory = case.lay_out();
        let repo = Repo::open(directory.path(), &[]).unwrap();
        let facts = Facts::read(&repo);
        for section in &case.sections {
            let Some(target) = section.heading.strip_prefix("Build ") else {
                continue;
            };
            let (target, outcome) = expected(target);
            let builder = Builder::new(&facts);
            let built = builder.build(&RepoPath::new(target).unwrap(), None);
            let read = facts.all().filter(|(file, _)| built.files.contains(file));
            let faults: Vec<_> = built
                .findings
                .iter()
                .chain(read.flat_map(|(_, file)| &file.findings))
                .filter(|finding| finding.severity != Severity::Info)
                .collect();
            let name = format!("{} ({target})", case.name);
            match outcome {
                Outcome::Refused if faults.is_empty() => failures.push(format!(
                    "{name}: no finding, where kustomize says {}",
                    section.block
                )),
                Outcome::RefusedByKubectlOnly if !faults.is_empty() => {
                    failures.push(format!("{name}: {faults:?}, which Flux accepts"));
                }
                _ => {}
            }
            if outcome != Outcome::Built {
                continue;
            }
            if !followed {
                // However loudly: an annotation that is missing is less than a chart.
                let told = built
                    .findings
                    .iter()
                    .any(|finding| finding.rule == "kustomize-unsupported");
                if !told {
                    failures.push(format!("{name}: nothing says that it is not followed"));
                }
                continue;
            }
            let wrong = compare(
                &section.block,
                built.items.into_iter().map(|item| item.into_resource()),
            );
            if !wrong.is_empty() {
                failures.push(format!("{name}:\n{}  findings: {faults:?}", wrong.join("")));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} differ\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[derive(PartialEq)]
enum Outcome {
    Built,
    Refused,
    /// kubectl keeps a kustomization to its own directory; Flux does not.
    RefusedByKubectlOnly,
}

/// The directory that a heading names, and what became of its build.
fn expected(heading: &str) -> (&str, Outcome) {
    let outcomes = [
        (" fails in kubectl only", Outcome::RefusedByKubectlOnly),
        (" fails", Outcome::Refused),
    ];
    outcomes
        .into_iter()
        .find_map(|(ending, outcome)| Some((heading.strip_suffix(ending)?, outcome)))
        .unwrap_or((heading, Outcome::Built))
}

/// What differs between recorded output and objects, resource by resource.
pub fn compare(expected: &str, built: impl Iterator<Item = Resource>) -> Vec<String> {
    let path = RepoPath::new("expected.yaml").unwrap();
    let expected = sources::read_text(expected, FileId(0), &path);
    let mut built: Vec<Resource> = built.collect();
    let mut wrong = Vec::new();
    for want in &expected.resources {
        let Some(index) = built.iter().position(|resource| resource.id == want.id) else {
            wrong.push(format!("  missing {:?}\n", show(&want.id)));
            continue;
        };
        let got = built.remove(index);
        if !got.node.same(&want.node) {
            let difference = difference(&to_json(&want.node), &to_json(&got.node), String::new());
            wrong.push(format!("  {}: {difference}\n", want.id));
        }
    }
    wrong.extend(
        built
            .iter()
            .map(|extra| format!("  not expected {:?}\n", show(&extra.id))),
    );
    wrong
}

fn show(id: &ResourceId) -> String {
    format!("{}/{} {id}", id.group, id.version)
}

/// The first path at which two values differ.
fn difference(want: &serde_json::Value, got: &serde_json::Value, path: String) -> String {
    use serde_json::Value;
    match (want, got) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let (x, y) = (a.get(key), b.get(key));
                if x != y {
                    return match (x, y) {
                        (Some(x), Some(y)) => difference(x, y, format!("{path}/{key}")),
                        _ => format!("{path}/{key}: want {x:?}, got {y:?}"),
                    };
                }
            }
            path
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(0);
            difference(&a[at], &b[at], format!("{path}/{at}"))
        }
        _ => format!("{path}: want {want}, got {got}"),
    }
}
