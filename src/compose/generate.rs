//! ConfigMaps and Secrets made out of literals, env files and whole files.

use smol_str::SmolStr;

use super::item::{Generated, Item};
use crate::diagnostic::{FileId, Finding, Place};
use crate::fact::{
    Behavior, Entry, Generator, GeneratorOptions, Literal, Resource, Sealed, encode_base64,
};
use crate::repo::RepoPath;
use crate::source::{Facts, env, kustomize};
use crate::yaml::{Map, Node, Value};

/// Makes the object and adds it to what is there, or merges it into what it names.
pub fn generate(
    items: &mut Vec<Item>,
    generator: &Generator,
    defaults: &GeneratorOptions,
    from: &Origin<'_>,
    findings: &mut Vec<Finding>,
) {
    let data = collect(generator, from, findings);
    let Some(made) = object(generator, defaults, data) else {
        return;
    };
    let existing = items
        .iter()
        .position(|item| item.identities().any(|id| same(id, &made.id)));
    match (existing, generator.behavior) {
        (None, Behavior::Create) => items.push(made),
        (None, _) => {
            findings.push(
                Finding::error(
                    "generator-without-object",
                    generator.place,
                    format!("there is no {} to merge into or replace", made.id),
                )
                .help("include the object first, or use `behavior: create`"),
            );
        }
        (Some(_), Behavior::Create) => {
            findings.push(
                Finding::error(
                    "generator-exists",
                    generator.place,
                    format!("{} exists already", made.id),
                )
                .help("use `behavior: merge` or `behavior: replace`: kustomize refuses it"),
            );
        }
        (Some(index), behavior) => {
            let old = items[index].clone();
            items[index] = succeed(old, made, behavior);
        }
    }
}

/// Where a generator stands, to find its files, and who is told that they were read.
pub struct Origin<'a> {
    pub facts: &'a Facts<'a>,
    pub directory: &'a RepoPath,
}

fn same(a: &crate::fact::ResourceId, b: &crate::fact::ResourceId) -> bool {
    let namespace = |id: &crate::fact::ResourceId| match id.namespace.as_str() {
        "default" => SmolStr::default(),
        _ => id.namespace.clone(),
    };
    a.kind == b.kind && a.group == b.group && a.name == b.name && namespace(a) == namespace(b)
}

/// What was there keeps its name and its labels; values of the new one win.
fn succeed(old: Item, made: Item, behavior: Behavior) -> Item {
    let mut item = Item {
        id: old.id.clone(),
        previous: old.previous.clone(),
        prefixes: old.prefixes.clone(),
        suffixes: old.suffixes.clone(),
        heading: old.heading.clone(),
        ..made.clone()
    };
    let mut sealed = Vec::new();
    if behavior == Behavior::Merge {
        sealed.extend(
            old.generated
                .iter()
                .flat_map(|generated| generated.sealed.iter().cloned()),
        );
    }
    sealed.extend(
        made.generated
            .iter()
            .flat_map(|generated| generated.sealed.iter().cloned()),
    );
    let hashed = old
        .generated
        .as_ref()
        .is_some_and(|generated| generated.hashed)
        || made
            .generated
            .as_ref()
            .is_some_and(|generated| generated.hashed);
    item.generated = Some(Generated { hashed, sealed });
    let node = item.node_mut();
    let metadata = old.node.get("metadata");
    if let Some(metadata) = metadata {
        let merged = node.map_under("metadata");
        for key in ["name", "namespace"] {
            match metadata.get(key) {
                Some(value) => merged.set(key, value.clone()),
                None => drop(merged.remove(key)),
            }
        }
        for key in ["labels", "annotations"] {
            let Some(Value::Map(before)) = metadata.get(key).map(|node| &node.value) else {
                continue;
            };
            let mut map = before.clone();
            if let Some(now) = merged.get(key).and_then(Node::as_map) {
                overlay(&mut map, now);
            }
            let place = metadata.place;
            merged.set(
                key,
                Node {
                    value: Value::Map(map),
                    place,
                },
            );
        }
    }
    if behavior == Behavior::Merge {
        for key in ["data", "binaryData"] {
            let Some(Value::Map(before)) = old.node.get(key).map(|node| &node.value) else {
                continue;
            };
            let mut map = before.clone();
            if let Some(now) = node.get(key).and_then(Node::as_map) {
                overlay(&mut map, now);
            }
            let place = old.place;
            let root = node.as_map_mut().expect("an object is a mapping");
            root.set(
                key,
                Node {
                    value: Value::Map(map),
                    place,
                },
            );
        }
        if node.get("type").is_none()
            && let Some(secret_type) = old.node.get("type")
        {
            let root = node.as_map_mut().expect("an object is a mapping");
            root.set("type", secret_type.clone());
        }
    }
    item
}

fn overlay(map: &mut Map, over: &Map) {
    for entry in &over.0 {
        match map.0.iter_mut().find(|old| old.key == entry.key) {
            Some(old) => *old = entry.clone(),
            None => map.0.push(entry.clone()),
        }
    }
}

enum Data {
    Text(Literal),
    /// Not text: shown as base64 under a key of its own.
    Binary(SmolStr, String, Place),
}

fn collect(generator: &Generator, from: &Origin<'_>, findings: &mut Vec<Finding>) -> Vec<Data> {
    let mut data = Vec::new();
    for file in &generator.envs {
        let Some(id) = find(file, from, findings) else {
            continue;
        };
        match from.facts.repo.read_text(id) {
            Ok(text) => {
                let (variables, found) = env::read(&text, id);
                findings.extend(found);
                data.extend(variables.into_iter().map(|variable| {
                    let value = variable.value.as_bytes();
                    Data::Text(kustomize::literal(
                        &generator.kind,
                        &variable.name,
                        value,
                        variable.place,
                    ))
                }));
            }
            Err(finding) => findings.push(finding),
        }
    }
    for file in &generator.files {
        let Some(id) = find(file, from, findings) else {
            continue;
        };
        let key = match file.key.is_empty() {
            true => file.value.rsplit('/').next().unwrap_or_default(),
            false => &file.key,
        };
        let place = Place::start_of(id);
        match from.facts.repo.read(id) {
            Ok(bytes) if std::str::from_utf8(&bytes).is_ok() || generator.kind == "Secret" => {
                data.push(Data::Text(kustomize::literal(
                    &generator.kind,
                    key,
                    &bytes,
                    place,
                )));
            }
            Ok(bytes) => data.push(Data::Binary(key.into(), encode_base64(&bytes), place)),
            Err(finding) => findings.push(finding),
        }
    }
    data.extend(generator.literals.iter().cloned().map(Data::Text));
    data
}

fn find(file: &Entry, from: &Origin<'_>, findings: &mut Vec<Finding>) -> Option<FileId> {
    match from.facts.file_at(from.directory, &file.value, file.place) {
        Ok(id) => Some(id),
        Err(finding) => {
            findings.push(finding);
            None
        }
    }
}

fn object(generator: &Generator, defaults: &GeneratorOptions, mut data: Vec<Data>) -> Option<Item> {
    let place = generator.place;
    let text = |text: &str| Node::string(text, place);
    let mut metadata = Map::default();
    metadata.push("name", text(&generator.name));
    if !generator.namespace.is_empty() {
        metadata.push("namespace", text(&generator.namespace));
    }
    let own = &generator.options;
    for (key, default, own) in [
        ("labels", &defaults.labels, &own.labels),
        ("annotations", &defaults.annotations, &own.annotations),
    ] {
        let mut map = Map::default();
        for entry in default.iter().chain(own) {
            map.set(&entry.key, Node::string(entry.value.clone(), entry.place));
        }
        if !map.is_empty() {
            metadata.push(
                key,
                Node {
                    value: Value::Map(map),
                    place,
                },
            );
        }
    }
    let key_of = |data: &Data| match data {
        Data::Text(literal) => literal.key.clone(),
        Data::Binary(key, ..) => key.clone(),
    };
    data.sort_by_key(key_of);
    let (mut texts, mut binaries, mut sealed) = (
        Map::default(),
        Map::default(),
        Vec::<(SmolStr, Sealed)>::new(),
    );
    for entry in data {
        match entry {
            Data::Text(literal) => {
                texts.push(
                    literal.key.clone(),
                    Node::string(literal.value, literal.place),
                );
                sealed.extend(literal.sealed.map(|value| (literal.key, value)));
            }
            Data::Binary(key, value, place) => binaries.push(key, Node::string(value, place)),
        }
    }
    let mut root = Map::default();
    root.push("apiVersion", text("v1"));
    root.push("kind", text(&generator.kind));
    root.push(
        "metadata",
        Node {
            value: Value::Map(metadata),
            place,
        },
    );
    if !texts.is_empty() {
        root.push(
            "data",
            Node {
                value: Value::Map(texts),
                place,
            },
        );
    }
    if !binaries.is_empty() {
        root.push(
            "binaryData",
            Node {
                value: Value::Map(binaries),
                place,
            },
        );
    }
    if generator.kind == "Secret" {
        let secret_type = match generator.secret_type.is_empty() {
            true => "Opaque",
            false => &generator.secret_type,
        };
        root.push("type", text(secret_type));
    }
    if own.immutable.or(defaults.immutable) == Some(true) {
        root.push("immutable", Node::plain("true", place));
    }
    let mut item = Item::new(&Resource::new(Node {
        value: Value::Map(root),
        place,
    })?);
    item.generated = Some(Generated {
        hashed: own.disable_hash.or(defaults.disable_hash) != Some(true),
        sealed,
    });
    Some(item)
}
