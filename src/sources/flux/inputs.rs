//! The inputs of a ResourceSet: its own, and those of static providers in the repo. Inputs that a provider fetches from
//! elsewhere are unknown here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::super::ReadContext;
use super::set::GROUP;
use crate::facts::Resource;
use base::{FileId, Place};
use gotemplate::Value;
use yaml::Node;

/// Limit on input combinations. More are hardly intended.
const MAX_SETS: usize = 1_000;
const PROVIDER: &str = "ResourceSetInputProvider";

/// The sets of inputs that templates are filled in with.
#[derive(Debug, Default)]
pub struct InputSets {
    pub sets: Vec<Value>,
    /// Inputs that are unknown, and why.
    pub unknown: BTreeMap<Place, String>,
    /// Files that declare providers.
    pub files: BTreeSet<FileId>,
}

/// Providers of inputs, as files declare them. They are read once, when the first ResourceSet asks.
#[derive(Default)]
struct Providers(OnceLock<Vec<Resource>>);

pub fn resource_set_inputs(set: &Resource, spec: &Node, context: &ReadContext<'_>) -> InputSets {
    let mut given = InputSets::default();
    let own = spec.items_at("inputs").iter();
    let own: Vec<Value> = own.map(|input| with_provider(input, set)).collect();
    let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let from = spec.items_at("inputsFrom");
    for reference in from {
        match provided(reference, set, context) {
            Ok(providers) => {
                for provider in providers {
                    given.files.insert(provider.place.file);
                    let values = provider.node.at(&["spec", "defaultValues"]);
                    let values = values.map(|values| with_provider(values, provider));
                    lists.insert(normal(&provider.id.name), values.into_iter().collect());
                }
            }
            Err(why) => drop(given.unknown.insert(reference.place, why.to_owned())),
        }
    }
    let permutes = spec.text_at(&["inputStrategy", "name"]) == Some("Permute");
    let lists = [(normal(&set.id.name), own)].into_iter().chain(lists);
    // One list that is not known leaves no combination that is.
    given.sets = match permutes {
        true if !given.unknown.is_empty() => Vec::new(),
        true => permuted(lists),
        false => lists.flat_map(|(_, sets)| sets).collect(),
    };
    if given.sets.len() > MAX_SETS {
        given.sets.truncate(MAX_SETS);
        let why = format!("only the first {MAX_SETS} sets of inputs are read");
        given.unknown.insert(set.place, why);
    }
    // Without any inputs, the templates are what they are.
    if from.is_empty() && given.sets.is_empty() {
        given.sets.push(Value::map(std::iter::empty()));
    }
    given
}

/// A set of inputs says who gives it.
fn with_provider(inputs: &Node, provider: &Resource) -> Value {
    let id = &provider.id;
    let mut value = Value::from_node(inputs);
    let version = format!("{}/{}", id.group, id.version);
    for (key, text) in [
        ("apiVersion", version.as_str()),
        ("kind", &id.kind),
        ("name", &id.name),
        ("namespace", &id.namespace),
    ] {
        value.set(&["provider", key], Value::text(text));
    }
    value
}

/// The static providers that a reference means.
fn provided<'a>(
    reference: &Node,
    set: &Resource,
    context: &'a ReadContext<'_>,
) -> Result<Vec<&'a Resource>, &'static str> {
    let Providers(providers) = context.memo();
    let providers = providers.get_or_init(|| read(context));
    let is_meant = |provider: &&Resource| {
        let id = &provider.id;
        let labels = reference.entries_at("selector");
        let has = |label: &yaml::Entry| {
            let stated = provider.node.at(&["metadata", "labels", &label.key]);
            stated.and_then(Node::text) == label.value.text()
        };
        let is_here = id.namespace.is_empty() || id.namespace == set.id.namespace;
        let is_named = match reference.text_at(&["name"]) {
            Some(name) => id.name == name,
            None => labels.iter().any(|entry| entry.key == "matchLabels"),
        };
        let chosen = reference.at(&["selector", "matchLabels"]);
        is_here && is_named && chosen.is_none_or(|labels| labels.entries().iter().all(has))
    };
    if reference.at(&["selector", "matchExpressions"]).is_some() {
        return Err(
            "its input providers are selected by `matchExpressions`, which only the cluster can \
                    evaluate",
        );
    }
    let meant: Vec<&Resource> = providers.iter().filter(is_meant).collect();
    if meant.is_empty() {
        return Err("its input provider is not declared here");
    }
    let names: BTreeSet<&str> = meant.iter().map(|one| one.id.name.as_str()).collect();
    // Providers with the same name belong to different clusters, or one overrides the other.
    if names.len() < meant.len() {
        return Err("its input provider is declared in several files");
    }
    let is_static = |provider: &&Resource| {
        provider.node.text_at(&["spec", "type"]) == Some("Static") && !has_variable(&provider.node)
    };
    if meant.iter().all(is_static) {
        Ok(meant)
    } else {
        Err("its input provider reads data from outside the repository")
    }
}

/// Whether a variable is still to be put in.
fn has_variable(node: &Node) -> bool {
    let mut found = false;
    node.for_each_scalar(&mut |_, scalar, _| found |= scalar.text.contains("${"));
    found
}

fn read(context: &ReadContext<'_>) -> Vec<Resource> {
    let resources = context.facts.all().flat_map(|(_, found)| &found.resources);
    let providers = resources.filter(|resource| resource.id.is(GROUP, PROVIDER));
    providers.cloned().collect()
}

/// Every combination of one set of each list, under the names of those who give them.
fn permuted(lists: impl Iterator<Item = (String, Vec<Value>)>) -> Vec<Value> {
    let mut sets: Vec<(Value, String)> = Vec::new();
    for (name, list) in lists.filter(|(_, list)| !list.is_empty()) {
        let before = if sets.is_empty() {
            vec![(Value::map(std::iter::empty()), String::new())]
        } else {
            std::mem::take(&mut sets)
        };
        let pairs = before
            .iter()
            .flat_map(|before| list.iter().enumerate().map(move |one| (before, one)));
        let each = pairs.map(|((set, path), (nth, one))| {
            let mut set = set.clone();
            set.set(&[&name], one.clone());
            let between = if path.is_empty() { "" } else { "/" };
            (set, format!("{path}{between}{name}={nth}"))
        });
        // One more than the limit, so that the excess is noticed and reported.
        sets = each.take(MAX_SETS + 1).collect();
    }
    let named = sets.into_iter().map(|(mut set, path)| {
        set.set(&["id"], Value::text(adler32(&path).to_string()));
        set
    });
    named.collect()
}

/// The name of a provider as templates know it.
fn normal(name: &str) -> String {
    let lower = name.to_lowercase().replace('-', "_");
    let kept: String = lower
        .chars()
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_')
        .collect();
    let words: Vec<&str> = kept.split('_').filter(|word| !word.is_empty()).collect();
    words.join("_")
}

/// The short id of a combination.
fn adler32(text: &str) -> u32 {
    const MODULUS: u32 = 65_521;
    let (low, high) = text.bytes().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(byte)) % MODULUS;
        (low, (high + low) % MODULUS)
    });
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_known_by_its_providers() {
        let list = |names: &[&str]| {
            let each = names.iter().map(|name| {
                let mut set = Value::default();
                set.set(&["name"], Value::text(*name));
                set
            });
            each.collect::<Vec<Value>>()
        };
        let lists = [
            ("apps".to_owned(), list(&["web", "api"])),
            ("none".to_owned(), Vec::new()),
            ("envs".to_owned(), list(&["dev", "prod"])),
        ];
        let sets = permuted(lists.into_iter());
        let name = |set: &Value, key: &str| set.get(key).and_then(|it| it.get("name")).cloned();
        assert_eq!(sets.len(), 4);
        assert_eq!(name(&sets[1], "apps"), Some(Value::text("web")));
        assert_eq!(name(&sets[1], "envs"), Some(Value::text("prod")));
        assert!(sets[0].get("id") != sets[1].get("id"));
    }

    #[test]
    fn names_and_ids_are_those_of_the_operator() {
        assert_eq!(normal("My-App--x.y"), "my_app_xy");
        assert_eq!(adler32("Wikipedia"), 300_286_872);
    }
}
