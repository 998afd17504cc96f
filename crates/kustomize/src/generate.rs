//! Generates ConfigMaps and Secrets from literals, env files and whole files, which it reads through `Manifests`.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::index::ObjectIndex;
use super::item::{BuildObject, Generated};
use crate::build::fault::remote_contents;
use crate::manifests::Manifests;
use crate::{Behavior, Generator, GeneratorOptions, KeyValue, Literal, Resource, Sealed};
use crate::{env, read};
use base::RepoPath;
use base::hash::HashMap;
use base::{FileId, Finding, Place};
use yaml::{Map, Node, Scalar, Value, encode_base64};

/// Generates the object, and adds it or merges it into the existing one.
pub fn generate(
    items: &mut Vec<BuildObject>,
    index: &mut ObjectIndex,
    generator: &Generator,
    defaults: &GeneratorOptions,
    from: &mut GeneratorFiles<'_>,
    findings: &mut Vec<Finding>,
) {
    let fault = |rule, message: String, help: &'static str| {
        Finding::error(rule, generator.place, message).help(help)
    };
    if generator.name.is_empty() {
        let message = format!(
            "this {} generator has no name, so kustomize rejects it",
            generator.kind
        );
        findings.push(fault("generator-without-name", message, "add a `name`"));
        return;
    }
    let (data, completeness) = collect(generator, from, findings);
    let Some(mut made) = object(generator, defaults, data) else {
        return;
    };
    if let (Some(generated), Completeness::Partial) = (&mut made.generated, completeness) {
        generated.is_partial = true;
        // The hash covers every value, so nobody knows it before all of them are.
        generated.hashed = false;
    }
    let existing = index.find(items, &made.id);
    match (existing.as_slice(), generator.behavior) {
        ([], Behavior::Create) => {
            index.add(items.len(), &made);
            items.push(made);
        }
        ([], _) => findings.push(fault(
            "generator-without-object",
            format!("there is no {} to merge into or replace, so the kustomize build fails", made.id),
            "include the object, or use `behavior: create`",
        )),
        (_, Behavior::Create) => findings.push(fault(
            "generator-exists",
            format!("{} already exists, so the kustomize build fails", made.id),
            "use `behavior: merge` or `behavior: replace`",
        )),
        ([position], behavior) => {
            let old = items[*position].clone();
            items[*position] = merge_generated(old, made, behavior);
        }
        _ => findings.push(fault(
            "generator-ambiguous",
            format!("{} matches several objects (by current or previous name), so the kustomize build fails", made.id),
            "rename one of them",
        )),
    }
}

/// The directory of a generator's files, and the list of files that were read.
pub struct GeneratorFiles<'a> {
    pub manifests: &'a dyn Manifests,
    pub directory: &'a RepoPath,
    pub files: &'a mut BTreeSet<FileId>,
}

/// Merges a generated object into an existing one, which keeps its name and labels; new values win.
fn merge_generated(old: BuildObject, made: BuildObject, behavior: Behavior) -> BuildObject {
    let mut item = BuildObject {
        id: old.id.clone(),
        previous: old.previous.clone(),
        prefixes: old.prefixes.clone(),
        suffixes: old.suffixes.clone(),
        heading: old.heading.clone(),
        vars: old.vars.clone(),
        // Its labels come from the old object, and so do the numbers of shared values.
        shared: old.shared,
        ..made.clone()
    };
    let mut sealed = HashMap::default();
    let mut hashed = false;
    if let (Some(old), Some(made)) = (&old.generated, &made.generated) {
        hashed = old.hashed && made.hashed;
    }
    let mut is_partial = false;
    let generated = [
        old.generated.filter(|_| behavior == Behavior::Merge),
        made.generated,
    ];
    for generated in generated.into_iter().flatten() {
        sealed.extend(generated.sealed);
        is_partial |= generated.is_partial;
    }
    item.generated = Some(Generated {
        hashed,
        sealed,
        is_partial,
    });
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
            let mut map = texts(before);
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
    }
    item
}

/// Converts values to strings, whatever their type.
fn texts(map: &Map) -> Map {
    let mut map = map.clone();
    for entry in &mut map.0 {
        if let Value::Scalar(scalar) = &entry.value.value {
            let text = if scalar.is_null() {
                Scalar::string("")
            } else {
                Scalar::written(scalar.text.clone())
            };
            entry.value.value = Value::Scalar(text);
        }
    }
    map
}

fn overlay(map: &mut Map, over: &Map) {
    let mut places: HashMap<SmolStr, usize> = HashMap::default();
    for (index, entry) in map.0.iter().enumerate() {
        places.insert(entry.key.clone(), index);
    }
    for entry in &over.0 {
        match places.get(&entry.key) {
            Some(&index) => map.0[index] = entry.clone(),
            None => map.0.push(entry.clone()),
        }
    }
}

enum GeneratedData {
    Text(Literal),
    /// Not UTF-8: base64 under a key of its own.
    Binary(SmolStr, String, Place),
}

impl GeneratedData {
    fn key(&self) -> SmolStr {
        match self {
            GeneratedData::Text(literal) => literal.key.clone(),
            GeneratedData::Binary(key, ..) => key.clone(),
        }
    }

    fn place(&self) -> Place {
        match self {
            GeneratedData::Text(literal) => literal.place,
            GeneratedData::Binary(.., place) => *place,
        }
    }
}

/// Whether all of a generator's files were read.
#[derive(Clone, Copy)]
enum Completeness {
    Whole,
    Partial,
}

fn collect(
    generator: &Generator,
    from: &mut GeneratorFiles<'_>,
    findings: &mut Vec<Finding>,
) -> (Vec<GeneratedData>, Completeness) {
    let mut data = Vec::new();
    let mut completeness = Completeness::Whole;
    for file in &generator.envs {
        let Some(id) = find(&file.value, file.place, from, findings) else {
            completeness = Completeness::Partial;
            continue;
        };
        let read = match generator.kind.as_str() {
            "Secret" => env::read_secret,
            _ => env::read,
        };
        match from.manifests.read_secret_text(id) {
            Ok(text) => {
                let (variables, found) = read(&text, id);
                findings.extend(found);
                data.extend(variables.into_iter().map(|variable| {
                    let value = variable.value.as_bytes();
                    let name = &variable.name;
                    GeneratedData::Text(read::literal(&generator.kind, name, value, variable.place))
                }));
            }
            Err(finding) => {
                completeness = Completeness::Partial;
                findings.push(finding);
            }
        }
    }
    data.extend(generator.literals.iter().cloned().map(GeneratedData::Text));
    for file in &generator.files {
        match whole_file(generator, file, from, findings) {
            Some(read) => data.push(read),
            None => completeness = Completeness::Partial,
        }
    }
    data.sort_by_key(GeneratedData::key);
    data.dedup_by(|second, first| {
        let repeated = second.key() == first.key();
        if repeated {
            findings.push(
                Finding::error(
                    "generator-repeats-key",
                    second.place(),
                    format!(
                        "the key `{}` of {} is set twice, so the kustomize build fails",
                        second.key(),
                        generator.name
                    ),
                )
                .help("remove one of the two"),
            );
        }
        repeated
    });
    (data, completeness)
}

/// Reads a file as a value, under its own name or the key before the equals sign.
fn whole_file(
    generator: &Generator,
    file: &KeyValue,
    from: &mut GeneratorFiles<'_>,
    findings: &mut Vec<Finding>,
) -> Option<GeneratedData> {
    let path = file.value.as_str();
    let key = match file.key.as_str() {
        "" => path.rsplit('/').next().unwrap_or_default(),
        key => key,
    };
    let id = find(path, file.place, from, findings)?;
    let place = Place::start_of(id);
    match from.manifests.files().read(id) {
        Ok(bytes) if std::str::from_utf8(&bytes).is_ok() || generator.kind == "Secret" => {
            let literal = read::literal(&generator.kind, key, &bytes, place);
            Some(GeneratedData::Text(literal))
        }
        Ok(bytes) => Some(GeneratedData::Binary(
            key.into(),
            encode_base64(&bytes),
            place,
        )),
        Err(finding) => {
            findings.push(finding);
            None
        }
    }
}

fn find(
    path: &str,
    place: Place,
    from: &mut GeneratorFiles<'_>,
    findings: &mut Vec<Finding>,
) -> Option<FileId> {
    if read::is_address(path) {
        findings.push(remote_contents(path, place));
        return None;
    }
    match from.manifests.files().file_at(from.directory, path, place) {
        Ok(id) => {
            from.files.insert(id);
            Some(id)
        }
        Err(finding) => {
            findings.push(finding);
            None
        }
    }
}

fn written(text: SmolStr, place: Place) -> Node {
    Node {
        value: Value::Scalar(Scalar::written(text)),
        place,
    }
}

fn object(
    generator: &Generator,
    defaults: &GeneratorOptions,
    data: Vec<GeneratedData>,
) -> Option<BuildObject> {
    let place = generator.place;
    let text = |text: &str| Node::string(text, place);
    let map = |map: Map| Node {
        value: Value::Map(map),
        place,
    };
    let (mut texts, mut binaries) = (Map::default(), Map::default());
    let mut sealed: HashMap<SmolStr, Sealed> = HashMap::default();
    for entry in data {
        match entry {
            GeneratedData::Text(literal) => {
                texts.push(literal.key.clone(), written(literal.value, literal.place));
                sealed.extend(literal.sealed.map(|value| (literal.key, value)));
            }
            GeneratedData::Binary(key, value, place) => {
                binaries.push(key, Node::string(value, place))
            }
        }
    }
    let mut root = Map::default();
    root.push("apiVersion", text("v1"));
    root.push("kind", text(&generator.kind));
    root.push("metadata", map(metadata(generator, defaults)));
    if !texts.is_empty() || generator.kind == "Secret" {
        root.push("data", map(texts));
    }
    if !binaries.is_empty() {
        root.push("binaryData", map(binaries));
    }
    if generator.kind == "Secret" {
        let secret_type = if generator.secret_type.is_empty() {
            "Opaque"
        } else {
            &generator.secret_type
        };
        root.push("type", text(secret_type));
    }
    let asked = |flag: fn(&GeneratorOptions) -> Option<bool>| {
        [&generator.options, defaults]
            .into_iter()
            .any(|options| flag(options) == Some(true))
    };
    if asked(|options| options.immutable) {
        root.push("immutable", Node::plain("true", place));
    }
    let mut item = BuildObject::new(&Resource::new(map(root))?);
    item.generated = Some(Generated {
        // The hash covers every value, so nobody knows it before all of them are.
        hashed: !asked(|options| options.disable_hash) && !names_an_address(generator),
        sealed,
        is_partial: false,
    });
    Some(item)
}

/// Whether some of the data is not in this repo.
fn names_an_address(generator: &Generator) -> bool {
    let files = generator.files.iter().map(|file| &file.value);
    let envs = generator.envs.iter().map(|file| &file.value);
    files.chain(envs).any(|path| read::is_address(path))
}

/// The name and namespace of a generated object, with the labels and annotations of `generatorOptions` and its own.
fn metadata(generator: &Generator, defaults: &GeneratorOptions) -> Map {
    let place = generator.place;
    let mut metadata = Map::default();
    metadata.push("name", Node::string(generator.name.as_str(), place));
    if !generator.namespace.is_empty() {
        let namespace = Node::string(generator.namespace.as_str(), place);
        metadata.push("namespace", namespace);
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
            let value = Value::Map(map);
            metadata.push(key, Node { value, place });
        }
    }
    metadata
}
