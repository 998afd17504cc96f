//! Composition against what `kubectl kustomize` made of the same files.

use catalog::compose::Builder;
use catalog::diagnostic::{FileId, Severity};
use catalog::fact::{Resource, ResourceId};
use catalog::repo::{Repo, RepoPath};
use catalog::source::{self, Facts};
use catalog::yaml::to_json;

use crate::case;

#[test]
fn composition_equals_what_kustomize_builds() {
    let mut failures = Vec::new();
    for case in case::all("kustomize") {
        let directory = case.lay_out();
        let repo = Repo::open(directory.path(), &[]).unwrap();
        let facts = Facts::read(&repo);
        for section in &case.sections {
            let Some(target) = section.heading.strip_prefix("Build ") else {
                continue;
            };
            let (target, fails) = match target.strip_suffix(" fails") {
                Some(target) => (target, true),
                None => (target, false),
            };
            let builder = Builder::new(&facts);
            let built = builder.build(&RepoPath::new(target).unwrap(), None);
            let errors: Vec<_> = built
                .findings
                .iter()
                .filter(|finding| finding.severity != Severity::Info)
                .chain(facts.all().flat_map(|(_, file)| &file.findings))
                .collect();
            let name = format!("{} ({target})", case.name);
            if fails {
                if errors.is_empty() {
                    failures.push(format!(
                        "{name}: no finding, where kustomize says {}",
                        section.block
                    ));
                }
                continue;
            }
            let wrong = compare(
                &section.block,
                built.items.into_iter().map(|item| item.into_resource()),
            );
            if !wrong.is_empty() {
                failures.push(format!("{name}:\n{}  findings: {errors:?}", wrong.join("")));
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

/// What differs between recorded output and objects, resource by resource.
pub fn compare(expected: &str, built: impl Iterator<Item = Resource>) -> Vec<String> {
    let path = RepoPath::new("expected.yaml").unwrap();
    let expected = source::read_text(expected, FileId(0), &path);
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
