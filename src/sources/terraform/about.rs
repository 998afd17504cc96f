//! What a module says about itself: what it can be given and what it gives, how it is run, and which values it has.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::evaluate::{self, Run, ScopeId};
use super::module::Module;
use super::syntax::{Block, Expr, Kind};
use super::tree::{self, Spec};
use super::value::Value;
use crate::facts::{Input, Interface, MARKER, Output};
use base::Place;
use yaml::{Map, Node};

/// What a module can be given, and what it gives.
pub fn interface(run: &mut Run<'_>, scope: ScopeId) -> Interface {
    let module = run.module(scope);
    let inputs = module.variables.iter().map(|(name, block)| {
        let is_secret = evaluate::is_secret(name, &block.body);
        let default = block.body.get("default");
        let written = default
            .filter(|_| !is_secret)
            .and_then(|default| run.eval(scope, &Vec::new(), default).written());
        let kind = block.body.attributes.iter().find(|one| one.name == "type");
        Input {
            name: name.clone(),
            kind: kind.and_then(|kind| kind.written.clone()),
            description: description(block),
            default: written,
            is_required: default.is_none(),
            is_secret,
            place: block.place,
        }
    });
    let inputs = inputs.collect();
    let outputs = module.outputs.iter().map(|(name, block)| Output {
        name: name.clone(),
        description: description(block),
        is_secret: evaluate::is_secret(name, &block.body),
        place: block.place,
    });
    Interface {
        inputs,
        outputs: outputs.collect(),
    }
}

/// What a root module says about how it is run.
pub fn about(module: &Module, spec: &mut Spec, place: Place) {
    let mut providers: BTreeMap<SmolStr, SmolStr> = BTreeMap::new();
    for block in &module.terraform {
        let backend = block.body.blocks("backend").next();
        let backend = backend.and_then(|backend| backend.labels.first().cloned());
        let cloud = block.body.blocks("cloud").next().map(|_| "cloud".into());
        if let Some(backend) = backend.or(cloud) {
            spec.text("backend", backend, block.place);
        }
        if let Some(version) = block.body.text("required_version") {
            spec.text("requires", version.clone(), block.place);
        }
        for required in block.body.blocks("required_providers") {
            for provider in &required.body.attributes {
                providers.insert(provider.name.clone(), version_of(&provider.value));
            }
        }
    }
    let providers: Vec<String> = providers
        .into_iter()
        .map(|(name, version)| match version.is_empty() {
            true => name.to_string(),
            false => format!("{name} {version}"),
        })
        .collect();
    let providers = (!providers.is_empty()).then(|| providers.join(", "));
    spec.some("providers", providers, place);
}

/// Values as settings.
pub fn settings(given: Vec<(SmolStr, Value)>, place: Place) -> Node {
    let mut map = Map::default();
    for (name, value) in given {
        // A secret is told by its name, also where its value is not here.
        let node = match value.is_secret {
            true => Some(Node::string(MARKER, value.place)),
            false => value.shown().node.filter(|node| !node.is_null()),
        };
        if let Some(node) = node {
            map.push(name, node);
        }
    }
    tree::map(map, place)
}

fn description(block: &Block) -> Option<SmolStr> {
    let text = block.body.text("description")?;
    let text: Vec<&str> = text.split_whitespace().collect();
    (!text.is_empty()).then(|| text.join(" ").into())
}

/// The version that a provider must have, in either of the forms that state it.
fn version_of(value: &Expr) -> SmolStr {
    match &value.kind {
        Kind::Text(version) => version.clone(),
        Kind::Object(entries) => {
            let stated = entries
                .iter()
                .find_map(|(key, value)| match (&key.kind, &value.kind) {
                    (Kind::Text(key), Kind::Text(version)) if key == "version" => Some(version),
                    _ => None,
                });
            stated.cloned().unwrap_or_default()
        }
        _ => SmolStr::default(),
    }
}
