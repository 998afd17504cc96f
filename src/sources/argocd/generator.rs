//! Generators: the parameters that each gives an ApplicationSet, if files of the repo determine them. Parameters that
//! only a running Argo CD knows are reported once per generator.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::super::ReadContext;
use super::destination;
use super::git;
use super::inferred;
use super::params::{self, ParamStyle};
use super::registered::{self, Registered};
use base::{FileId, Finding, Place};
use gotemplate::Value;
use yaml::{Entry, Node};

/// More Applications of one set than this are left out.
pub const MAX_PARAMS: usize = 2000;
/// Generators within generators.
const MAX_DEPTH: usize = 4;

/// Output of generators.
#[derive(Debug, Default)]
pub struct ParameterSets {
    /// For each Application to be made: its parameters, and what its generator changes in the template.
    pub sets: Vec<(Value, Option<Node>)>,
    pub files: BTreeSet<FileId>,
    /// Places where the output cannot be determined, and why.
    pub unknown: BTreeMap<Place, String>,
    pub is_cut: bool,
    /// Clusters that only directories named after them tell of.
    pub inferred: BTreeSet<SmolStr>,
}

pub struct GeneratorContext<'a> {
    pub context: &'a ReadContext<'a>,
    pub style: ParamStyle,
    /// The template that is filled in.
    pub template: Option<&'a Node>,
}

/// Output of all generators of an ApplicationSet.
pub fn all(spec: &Node, context: &GeneratorContext<'_>) -> ParameterSets {
    let mut given = ParameterSets::default();
    for generator in spec.items_at("generators") {
        let found = one(generator, context, &mut given, 0);
        push(&mut given, found);
    }
    given
}

type Sets = Vec<(Value, Option<Node>)>;

fn push(given: &mut ParameterSets, found: Sets) {
    let room = MAX_PARAMS - given.sets.len().min(MAX_PARAMS);
    given.is_cut |= found.len() > room;
    given.sets.extend(found.into_iter().take(room));
}

/// Parameter sets of one generator; empty if they are unknown.
fn one(
    generator: &Node,
    context: &GeneratorContext<'_>,
    given: &mut ParameterSets,
    depth: usize,
) -> Sets {
    let mut kinds = generator.entries().iter();
    let Some(kind) = kinds.find(|entry| entry.key != "selector") else {
        return Vec::new();
    };
    if depth > MAX_DEPTH {
        given.unknown.insert(
            kind.key_place,
            "the generators are nested too deeply".into(),
        );
        return Vec::new();
    }
    let body = &kind.value;
    let found: Vec<Value> = match kind.key.as_str() {
        "list" => list(body, context, given),
        "git" => git::sets(body, kind.key_place, context, given),
        "clusters" => clusters(kind, context, given),
        "matrix" => matrix(body, context, given, depth),
        "merge" => merge(body, context, given, depth),
        other => {
            given.unknown.insert(kind.key_place, unknown(other).into());
            Vec::new()
        }
    };
    let template = body.get("template").filter(|it| !it.entries().is_empty());
    let selector = generator.get("selector");
    let chosen = found.into_iter().filter(|set| is_selected(selector, set));
    chosen
        .map(|mut set| {
            add_values(body, &mut set, context.style);
            (set, template.cloned())
        })
        .collect()
}

fn unknown(kind: &str) -> &'static str {
    match kind {
        "scmProvider" => "the SCM provider's repositories are not known here",
        "pullRequest" => "open pull requests are not known here",
        "clusterDecisionResource" => "it depends on an object in the cluster",
        "plugin" => "the plugin's output is not known here",
        _ => "this kind of generator is not supported",
    }
}

fn list(body: &Node, context: &GeneratorContext<'_>, given: &mut ParameterSets) -> Vec<Value> {
    let mut sets: Vec<Value> = Vec::new();
    let elements = body.items_at("elements");
    given.is_cut |= elements.len() > MAX_PARAMS;
    sets.extend(elements.iter().take(MAX_PARAMS).map(Value::from_node));
    let written = body
        .get("elementsYaml")
        .and_then(|node| Some((node, node.text()?)));
    if let Some((node, text)) = written {
        let params = Value::map(std::iter::empty());
        match params::fill(text, &params, context.style) {
            Ok(text) => {
                for mut document in yaml::parse(&text, node.place.file).documents {
                    secret::seal(&mut document.root);
                    let items = document.root.items().iter();
                    sets.extend(items.take(MAX_PARAMS).map(Value::from_node));
                }
            }
            Err(fault) => drop(given.unknown.insert(node.place, fault.message)),
        }
    }
    sets
}

/// The clusters that files here register, and the one that Argo CD runs in: that is there without anybody registering it,
/// and has no labels to be chosen by then.
fn clusters(kind: &Entry, context: &GeneratorContext<'_>, given: &mut ParameterSets) -> Vec<Value> {
    let known = registered::registered_clusters(context.context);
    let selector = kind.value.get("selector");
    let selector = selector.filter(|selector| !selector.entries().is_empty());
    let flat = kind.value.get("flatList").and_then(Node::as_bool) == Some(true);
    let registered: BTreeSet<&str> = known.iter().map(Registered::name).collect();
    let template = context.template.filter(|_| !flat);
    let mut inferred = template
        .map(|template| inferred::clusters(template, context.context))
        .unwrap_or_default();
    inferred.retain(|name| !registered.contains(name.as_str()) && !destination::is_here(name));
    let why = match (flat, selector, known) {
        _ if !inferred.is_empty() => {
            "only Argo CD knows which clusters are registered, so directories named after clusters stand for \
             those that no Secret in this repository registers"
        }
        (true, _, _) | (_, Some(_), []) => {
            "only Argo CD knows which clusters are registered, and their labels"
        }
        (_, None, []) => "the only cluster known here is the one that Argo CD runs in",
        _ => "the only clusters known here are those registered by Secrets in this repository",
    };
    given.unknown.insert(kind.key_place, why.into());
    if flat {
        return Vec::new();
    }
    let mut sets = Vec::new();
    if selector.is_none() && !known.iter().any(Registered::is_here) && inferred.is_empty() {
        sets.push(own());
    }
    sets.extend(inferred.iter().map(inferred::parameters));
    given.inferred.append(&mut inferred);
    let chosen = known
        .iter()
        .filter(|one| is_selected(selector, &one.labels));
    for one in chosen.take(MAX_PARAMS) {
        given.files.insert(one.file);
        sets.push(one.parameters());
    }
    sets
}

fn own() -> Value {
    let mut set = Value::default();
    for (key, value) in [
        ("name", "in-cluster"),
        ("nameNormalized", "in-cluster"),
        ("server", "https://kubernetes.default.svc"),
    ] {
        set.set(&[key], Value::text(value));
    }
    for key in ["labels", "annotations"] {
        set.set(&["metadata", key], Value::map(std::iter::empty()));
    }
    set
}

/// Every set of the first with every set of the second, which may use the parameters of the first. What both give is as
/// the first has it; without Go templates, Argo CD wants them to agree.
fn matrix(
    body: &Node,
    context: &GeneratorContext<'_>,
    given: &mut ParameterSets,
    depth: usize,
) -> Vec<Value> {
    let [first, second] = body.items_at("generators") else {
        let why = "a matrix must have exactly two generators".to_owned();
        given.unknown.insert(body.place, why);
        return Vec::new();
    };
    let mut sets = Vec::new();
    for (outer, _) in one(first, context, given, depth + 1) {
        let mut second = second.clone();
        if let Err(fault) = params::fill_tree(&mut second, &outer, context.style) {
            given.unknown.insert(second.place, fault.message);
            return sets;
        }
        let names = match context.style {
            ParamStyle::Names => params::flat(&outer),
            ParamStyle::Go(_) => BTreeMap::new(),
        };
        for (inner, _) in one(&second, context, given, depth + 1) {
            if sets.len() >= MAX_PARAMS {
                given.is_cut = true;
                return sets;
            }
            if let Some(name) = disputed(&names, &inner) {
                let why =
                    format!("both generators of the matrix set `{name}`, to different values");
                given.unknown.insert(second.place, why);
                return Vec::new();
            }
            let mut set = inner;
            set.merge(&outer);
            sets.push(set);
        }
    }
    sets
}

/// A name that two sets give differently.
fn disputed(names: &BTreeMap<SmolStr, String>, other: &Value) -> Option<SmolStr> {
    if names.is_empty() {
        return None;
    }
    let others = params::flat(other).into_iter();
    let mut disputed = others.filter(|(name, value)| names.get(name).is_some_and(|it| it != value));
    disputed.next().map(|(name, _)| name)
}

/// The sets of the first, with what those of the others that have the same keys say instead.
fn merge(
    body: &Node,
    context: &GeneratorContext<'_>,
    given: &mut ParameterSets,
    depth: usize,
) -> Vec<Value> {
    let keys: Vec<&str> = body
        .items_at("mergeKeys")
        .iter()
        .filter_map(Node::text)
        .collect();
    let key_of = |set: &Value| -> Vec<Option<String>> {
        let flat = params::flat(set);
        keys.iter().map(|key| flat.get(*key).cloned()).collect()
    };
    let mut generators = body.items_at("generators").iter();
    let Some(first) = generators.next() else {
        return Vec::new();
    };
    let base = one(first, context, given, depth + 1);
    let mut sets: Vec<Value> = base.into_iter().map(|(set, _)| set).collect();
    let mut more: Vec<BTreeMap<Vec<Option<String>>, Value>> = Vec::new();
    for generator in generators {
        let found = one(generator, context, given, depth + 1).into_iter();
        more.push(found.map(|(set, _)| (key_of(&set), set)).collect());
    }
    let is_known: BTreeSet<Vec<Option<String>>> = sets.iter().map(key_of).collect();
    let named = more.iter().flat_map(BTreeMap::keys);
    let unknown = named.filter(|key| !is_known.contains(*key));
    let unknown: BTreeSet<Vec<Option<String>>> = unknown.cloned().collect();
    let mut inferred = named_clusters(first, &keys, unknown, context.style);
    for set in sets.iter_mut().chain(&mut inferred) {
        let key = key_of(set);
        for over in more.iter().filter_map(|more| more.get(&key)) {
            override_with(set, over, context.style);
        }
    }
    if let Some(template) = context.template {
        inferred.retain(|set| inferred::exists(template, set, context));
        for set in inferred {
            if let Some(Value::Text(name)) = set.get("name") {
                given.inferred.insert(name.clone());
            }
            sets.push(set);
        }
    }
    sets
}

/// Clusters that nothing here registers, but that the other generators name: what the first would say of them.
fn named_clusters(
    first: &Node,
    keys: &[&str],
    unknown: BTreeSet<Vec<Option<String>>>,
    style: ParamStyle,
) -> Vec<Value> {
    let Some(body) = first.get("clusters") else {
        return Vec::new();
    };
    let named = |key: Vec<Option<String>>| {
        let mut parts = keys.iter().zip(key);
        let (_, name) = parts.find(|(key, _)| matches!(**key, "name" | "nameNormalized"))?;
        let name = name.filter(|name| !destination::is_here(name))?;
        let mut set = inferred::parameters(&name.into());
        add_values(body, &mut set, style);
        Some(set)
    };
    unknown.into_iter().filter_map(named).collect()
}

/// What a later generator says instead. Without Go templates, `values.path` is the name of one parameter.
fn override_with(set: &mut Value, over: &Value, style: ParamStyle) {
    let Value::Map(map) = over else {
        return;
    };
    for (key, value) in map.iter() {
        match style {
            ParamStyle::Names if key.contains('.') => {
                let path: Vec<&str> = key.split('.').collect();
                set.set(&path, value.clone());
            }
            _ => set.merge(&Value::map([(key.clone(), value.clone())].into_iter())),
        }
    }
}

/// `values` of a generator are parameters as well, which may be made of others.
fn add_values(body: &Node, set: &mut Value, style: ParamStyle) {
    for entry in body.entries_at("values") {
        let Some(text) = entry.value.text() else {
            continue;
        };
        if let Ok(text) = params::fill(text, set, style) {
            set.set(&["values", &entry.key], Value::text(text));
        }
    }
}

fn is_selected(selector: Option<&Node>, set: &Value) -> bool {
    let Some(selector) = selector else {
        return true;
    };
    let flat = params::flat(set);
    let value = |key: &str| flat.get(key).map(String::as_str);
    let labels = selector.entries_at("matchLabels").iter();
    let mut labels = labels.map(|entry| value(&entry.key) == entry.value.text());
    let expressions = selector.items_at("matchExpressions").iter();
    let mut expressions = expressions.map(|expression| {
        let found = value(expression.text_at(&["key"]).unwrap_or_default());
        let listed = expression.items_at("values").iter().filter_map(Node::text);
        let is_listed = found.is_some_and(|found| listed.into_iter().any(|one| one == found));
        match expression.text_at(&["operator"]) {
            Some("In") => is_listed,
            Some("NotIn") => !is_listed,
            Some("Exists") => found.is_some(),
            Some("DoesNotExist") => found.is_none(),
            _ => false,
        }
    });
    labels.all(|holds| holds) && expressions.all(|holds| holds)
}

/// Findings for the parts of the output that are unknown.
pub fn findings(given: &ParameterSets, set: &SmolStr, place: Place) -> Vec<Finding> {
    let unknown = given.unknown.iter().map(|(place, why)| {
        let info = |message: String| {
            Finding::info("generator-unknown", *place, message)
                .help("no action needed: Argo CD still creates them")
        };
        if given.inferred.is_empty() {
            // One gap in the catalogue, however many sets it concerns.
            info(format!(
                "some Applications of `{set}` are missing from the catalogue: {why}"
            ))
            .cause(why)
        } else {
            let names: Vec<&str> = given.inferred.iter().map(SmolStr::as_str).collect();
            let names = names.join(", ");
            info(format!(
                "some Applications of `{set}` are inferred ({names}): {why}"
            ))
        }
    });
    let mut findings: Vec<Finding> = unknown.collect();
    if given.is_cut {
        findings.push(Finding::warning(
            "generator-too-large",
            place,
            format!("`{set}` generates more than {MAX_PARAMS} Applications; the rest is skipped"),
        ));
    }
    findings
}
