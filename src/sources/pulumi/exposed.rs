//! Plain-text secrets in stacks and programs. Reads `Pulumi.yaml`, `Pulumi.<stack>.yaml` and, if this build has the
//! parser, the code below a project. The values go no further.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::project::{self, PulumiProject};
use crate::facts::PlainSecret;
use crate::sources::Facts;
use base::{FileId, Place};
use yaml::{Node, Value};

/// Findings, one per place.
type SecretsByPlace = BTreeMap<Place, PlainSecret>;

pub fn plain_secrets(facts: &Facts<'_>) -> Vec<PlainSecret> {
    let projects = project::projects(facts);
    let mut found = SecretsByPlace::new();
    for file in projects.iter().flat_map(files) {
        configured(facts, file, &mut found);
    }
    in_code(facts, &projects, &mut found);
    // Secrets that a file itself reveals are already reported.
    for file in projects.iter().flat_map(files) {
        for known in &facts.file(file).plain_secrets {
            found.remove(&known.place);
        }
    }
    found.into_values().collect()
}

fn files(project: &PulumiProject) -> impl Iterator<Item = FileId> {
    let stacks = project.stacks.iter().filter_map(|stack| stack.file);
    stacks.chain([project.file])
}

/// Plain values under password-like names, read from the file because facts no longer hold them.
fn configured(facts: &Facts<'_>, file: FileId, found: &mut SecretsByPlace) {
    let Ok(text) = facts.repo.read_text(file) else {
        return;
    };
    let documents = yaml::parse(&text, file).documents;
    let roots = documents.iter().map(|document| &document.root);
    for entry in roots.flat_map(|root| root.entries_at("config")) {
        // The name of the project comes first, and a default may be all that there is.
        let name = entry.key.rsplit(':').next().unwrap_or_default();
        let value = ["value", "default"]
            .iter()
            .find_map(|key| entry.value.get(key));
        passwords(name, value.unwrap_or(&entry.value), found);
    }
}

/// The parser limits how deep these are.
fn passwords(name: &str, node: &Node, found: &mut SecretsByPlace) {
    match &node.value {
        Value::Scalar(scalar) if secret::is_plain_password(name, &scalar.text) => {
            found.entry(node.place).or_insert_with(|| PlainSecret {
                is_guessable: secret::is_guessable(&scalar.text, &[name]),
                key: SmolStr::from(name),
                holder: None,
                place: node.place,
            });
        }
        Value::Scalar(_) => {}
        Value::Seq(items) => items.iter().for_each(|item| passwords(name, item, found)),
        // Pulumi has encrypted this value.
        Value::Map(map) if map.get("secure").is_some() => {}
        Value::Map(map) => {
            let entries = map.0.iter();
            entries.for_each(|entry| passwords(&entry.key, &entry.value, found));
        }
    }
}

#[cfg(feature = "pulumi")]
fn in_code(facts: &Facts<'_>, projects: &[PulumiProject], found: &mut SecretsByPlace) {
    let roots: Vec<_> = projects.iter().map(|project| &project.root).collect();
    let secrets = pulumi::plain_secrets(facts.repo, &roots);
    found.extend(secrets.into_iter().map(|one| (one.place, one)));
}

#[cfg(not(feature = "pulumi"))]
fn in_code(_facts: &Facts<'_>, _projects: &[PulumiProject], _found: &mut SecretsByPlace) {}
