//! Facts that a module states about itself: inputs and outputs, how it is run, and its values.

use smol_str::SmolStr;

use super::tree::{self, Spec};
use crate::facts::{Input, Interface, MARKER, Output};
use base::Place;
use terraform::{Block, HclValue, Module, ModuleRun, ScopeId};
use yaml::{Map, Node};

/// Inputs and outputs of a module.
pub fn interface(run: &mut ModuleRun<'_>, scope: ScopeId) -> Interface {
    let module = run.module(scope);
    let inputs = module.variables.iter().map(|(name, block)| {
        let is_secret = block.is_secret();
        let default = block.body.get("default");
        let written = default
            .filter(|_| !is_secret)
            .and_then(|default| run.eval(scope, &Vec::new(), default).written());
        Input {
            name: name.clone(),
            kind: block.body.written("type").cloned(),
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
        is_secret: block.is_secret(),
        place: block.place,
    });
    Interface {
        inputs,
        outputs: outputs.collect(),
    }
}

/// Adds how a root module is run, such as its backend.
pub fn about(module: &Module, spec: &mut Spec, place: Place) {
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
    }
    let providers: Vec<String> = module
        .provider_versions()
        .into_iter()
        .map(|(name, version)| {
            if version.is_empty() {
                name.to_string()
            } else {
                format!("{name} {version}")
            }
        })
        .collect();
    let providers = (!providers.is_empty()).then(|| providers.join(", "));
    spec.some("providers", providers, place);
}

/// Values as settings.
pub fn settings(given: Vec<(SmolStr, HclValue)>, place: Place) -> Node {
    let mut map = Map::default();
    for (name, value) in given {
        // A secret is told by its name, also where its value is not here.
        let node = if value.is_secret {
            Some(Node::string(MARKER, value.place))
        } else {
            value.shown().node.filter(|node| !node.is_null())
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
