//! Objects that configure a built-in generator or transformer: each acts like a field of a kustomization. Plugins that
//! bring a program are not supported.

use std::sync::Arc;

use smol_str::SmolStr;

use super::chart::chart;
use super::generator::generator;
use super::patch::{image, patch, replica, selector};
use super::replacement::replacement;
use super::{entries, field_spec, located, text};
use crate::{FieldSpec, Listed, Patch, PatchBody, PatchList, PluginStep, Resource, Subjects};
use base::Finding;
use yaml::Node;

/// The actions that an object configures; empty if only a program could perform them.
pub fn steps(object: &Resource, findings: &mut Vec<Finding>) -> Vec<PluginStep> {
    let node = &*object.node;
    if object.id.is("viaduct.ai", "ksops") {
        return encrypted(node).into_iter().collect();
    }
    if object.id.version != "builtin" {
        return Vec::new();
    }
    match object.id.kind.as_str() {
        // Prefix and suffix used to be one plugin.
        "PrefixSuffixTransformer" => {
            let affixes = ["PrefixTransformer", "SuffixTransformer"].into_iter();
            affixes
                .filter_map(|kind| builtin(kind, node, findings))
                .collect()
        }
        kind => builtin(kind, node, findings).into_iter().collect(),
    }
}

fn builtin(kind: &str, node: &Node, findings: &mut Vec<Finding>) -> Option<PluginStep> {
    let fields = || -> Vec<FieldSpec> {
        let specs = node.items_at("fieldSpecs").iter();
        specs.map(field_spec).collect()
    };
    Some(match kind {
        "ConfigMapGenerator" => {
            PluginStep::Generate(Box::new(generated(node, "ConfigMap", findings)))
        }
        "SecretGenerator" => PluginStep::Generate(Box::new(generated(node, "Secret", findings))),
        "NamespaceTransformer" => PluginStep::Namespace {
            namespace: node.at(&["metadata", "namespace"]).and_then(located)?,
            subjects: match node.text_at(&["setRoleBindingSubjects"]) {
                Some("allServiceAccounts") => Subjects::ServiceAccounts,
                Some("none") => Subjects::None,
                _ => Subjects::Default,
            },
            only_unset: node.get("unsetOnly").and_then(Node::as_bool) == Some(true),
            fields: fields(),
        },
        "PrefixTransformer" => PluginStep::Prefix(text(node, "prefix"), fields()),
        "SuffixTransformer" => PluginStep::Suffix(text(node, "suffix"), fields()),
        "LabelTransformer" => PluginStep::Pairs(entries(node, "labels"), fields()),
        "AnnotationsTransformer" => PluginStep::Pairs(entries(node, "annotations"), fields()),
        "PatchTransformer" => PluginStep::Patches(patch(node).into_iter().collect()),
        "PatchStrategicMergeTransformer" => PluginStep::Patches(strategic(node)),
        "PatchJson6902Transformer" => PluginStep::Patches(json(node).into_iter().collect()),
        "ImageTagTransformer" => PluginStep::Image(image(node.get("imageTag")?), fields()),
        "ReplicaCountTransformer" => PluginStep::Replica(replica(node.get("replica")?)?, fields()),
        "ReplacementTransformer" => {
            let replacements = node.items_at("replacements").iter();
            PluginStep::Replacements(replacements.map(replacement).collect())
        }
        "HelmChartInflationGenerator" => PluginStep::Inflate(Box::new(chart(node)?)),
        _ => return None,
    })
}

/// The files that KSOPS decrypts: what is encrypted in them are values, and the objects stand there as they are. None if it
/// makes Secrets of other files besides.
fn encrypted(node: &Node) -> Option<PluginStep> {
    let files = node.items_at("files").iter();
    let files = files.map(|file| {
        Some(Listed {
            path: file.text()?.into(),
            place: file.place,
            heading: None,
        })
    });
    let files: Vec<Listed> = files.collect::<Option<_>>()?;
    let is_all = node.items_at("secretFrom").is_empty() && !files.is_empty();
    is_all.then_some(PluginStep::Include(files))
}

/// The object's name is the generator's; the other fields are at its top level.
fn generated(node: &Node, kind: &str, findings: &mut Vec<Finding>) -> crate::Generator {
    let mut generator = generator(node, kind, findings);
    if let Some(metadata) = node.get("metadata") {
        generator.name = text(metadata, "name");
        generator.namespace = text(metadata, "namespace");
    }
    generator
}

/// Patches in files, and others in one text.
fn strategic(node: &Node) -> Vec<Patch> {
    let paths = node.items_at("paths").iter().filter_map(patch);
    let inline = node.get("patches").map(|patches| Patch {
        body: PatchBody::Inline(Arc::new(patches.clone())),
        list: PatchList::StrategicMerge,
        target: None,
        place: patches.place,
        allow_name_change: false,
        allow_kind_change: false,
    });
    paths.chain(inline).collect()
}

fn json(node: &Node) -> Option<Patch> {
    let body = match (node.text_at(&["path"]), node.get("jsonOp")) {
        (Some(path), _) => PatchBody::File(SmolStr::from(path)),
        (None, operations) => PatchBody::Inline(Arc::new(operations?.clone())),
    };
    Some(Patch {
        body,
        list: PatchList::Patches,
        target: node.get("target").map(selector),
        place: node.place,
        allow_name_change: false,
        allow_kind_change: false,
    })
}
