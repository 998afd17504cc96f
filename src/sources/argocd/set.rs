//! ApplicationSets: a template, filled in once for each set of parameters that generators give.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{Expanded, Fetched, ReadContext};
use super::destination;
use super::generator::{self, GeneratorContext};
use super::inferred;
use super::params::{self, ParamStyle};
use super::progressive_sync;
use crate::facts::{Origin, Resource, SyncPolicy};
use base::glob;
use base::hash::HashSet;
use base::{Finding, Place};
use gotemplate::{Fault, Value as Params};
use helm::merge_values;
use yaml::{Node, Value};

/// Its controller puts back what others change in the Applications that it made, unless it is told to let it be.
pub fn sync_policy(set: &Node) -> SyncPolicy {
    let policy = set.text_at(&["spec", "syncPolicy", "applicationsSync"]);
    let spec = set.get("spec");
    let left = spec.map_or(&[][..], |spec| {
        spec.items_at("ignoreApplicationDifferences")
    });
    let is_left = left.iter().any(|rule| {
        let pointers = rule.items_at("jsonPointers").iter();
        let paths = rule.items_at("jqPathExpressions").iter();
        let pointers = pointers.filter_map(Node::text);
        let paths = paths.filter_map(Node::text);
        rule.get("name").is_none()
            && (pointers
                .clone()
                .any(|it| it == "/spec" || it.starts_with("/spec/syncPolicy"))
                || paths.clone().any(|it| it.starts_with(".spec.syncPolicy")))
    });
    SyncPolicy {
        applies: true,
        reverts: !is_left && !matches!(policy, Some("create-only" | "create-delete")),
        ..SyncPolicy::default()
    }
}

pub fn expand(set: &Resource, context: &ReadContext<'_>) -> Expanded {
    let empty = Node::map(set.place);
    let spec = set.node.get("spec").unwrap_or(&empty);
    let style = ParamStyle::from_spec(spec);
    let context = GeneratorContext {
        context,
        style,
        template: spec.get("template"),
    };
    let given = generator::all(spec, &context);
    let mut expanded = Expanded {
        findings: generator::findings(&given, &set.id.name, set.place),
        is_partial: given.is_cut || !given.unknown.is_empty(),
        files: given.files,
        ..Expanded::default()
    };
    let Some(template) = spec.get("template") else {
        return expanded;
    };
    let mut names = HashSet::default();
    let mut faults: BTreeMap<Place, String> = BTreeMap::new();
    for (params, over) in &given.sets {
        let mut template = template.clone();
        if let Some(over) = over {
            prefer(&mut template, over);
        }
        let made = application(set, template, spec.get("templatePatch"), params, style);
        match made {
            Ok(mut made) => {
                if let Some(Params::Text(name)) = params.get("name")
                    && given.inferred.contains(name)
                {
                    inferred::send(Arc::make_mut(&mut made.node), name);
                }
                if let Some((place, gap)) = unfilled(&made.node) {
                    faults.insert(
                        place,
                        format!("`{gap}` is not set, so what it leads to is unknown"),
                    );
                } else if names.insert(made.id.name.clone()) {
                    expanded.called.push(destination::called(params, &made));
                    expanded.resources.push(made);
                }
            }
            Err((place, fault)) => {
                let is_endless = fault.is_endless();
                faults.insert(place, fault.message);
                // A template that exceeds the limits once would do so for thousands of other parameter sets.
                if is_endless {
                    break;
                }
            }
        }
    }
    expanded.sync_waves = progressive_sync::sync_waves(&set.node, &expanded.resources);
    expanded.is_partial |= !faults.is_empty();
    let name = &set.id.name;
    expanded
        .findings
        .extend(faults.into_iter().map(|(place, why)| {
            Finding::info(
                "template-unfollowed",
                place,
                format!("an Application of `{name}` is missing from the catalogue: {why}"),
            )
            .help("no action needed if Argo CD creates it; otherwise correct the template or its parameters")
        }));
    expanded
}

/// Place and text of an unresolved parameter in the name, a source or the destination of an Application.
fn unfilled(application: &Node) -> Option<(Place, &str)> {
    let spec = application.get("spec");
    let sources = super::application::sources(application).into_iter();
    let of_source = sources.flat_map(|source| {
        let keys = ["repoURL", "path", "chart"].into_iter();
        keys.filter_map(|key| source.get(key))
    });
    let destination = spec.and_then(|spec| spec.get("destination"));
    let of_destination = destination.into_iter().flat_map(|destination| {
        let keys = ["namespace", "name", "server"].into_iter();
        keys.filter_map(|key| destination.get(key))
    });
    let name = application.at(&["metadata", "name"]).into_iter();
    let mut all = name.chain(of_source).chain(of_destination);
    all.find_map(|node| {
        let text = node.text()?;
        (text.contains("{{") || text.contains("<no value>")).then_some((node.place, text))
    })
}

fn application(
    set: &Resource,
    mut template: Node,
    patch: Option<&Node>,
    params: &Params,
    style: ParamStyle,
) -> Result<Resource, (Place, Fault)> {
    let place = template.place;
    let at_line = |fault: Fault| {
        let line = fault.line.max(place.line);
        (Place { line, ..place }, fault)
    };
    params::fill_tree(&mut template, params, style).map_err(at_line)?;
    if let (Some(patch), ParamStyle::Go(_)) = (patch, style) {
        let text = patch.text().unwrap_or_default();
        let filled = params::fill(text, params, style).map_err(|fault| (patch.place, fault))?;
        let parsed = yaml::parse(&filled, patch.place.file);
        for document in parsed.documents {
            let mut over = document.root;
            secret::seal(&mut over);
            over.stand_at(patch.place);
            merge_values(&mut template, &over);
        }
    }
    let metadata = template.map_under("metadata");
    // All of a set live where the set does.
    if !set.id.namespace.is_empty() {
        metadata.set("namespace", Node::string(set.id.namespace.clone(), place));
    }
    let mut whole = Node::map(place);
    if let Some(map) = whole.as_map_mut() {
        map.push("apiVersion", Node::string("argoproj.io/v1alpha1", place));
        map.push("kind", Node::string("Application", place));
        for key in ["metadata", "spec"] {
            if let Some(part) = template.get(key) {
                map.push(key, part.clone());
            }
        }
    }
    Resource::new(whole).ok_or_else(|| {
        let message = "it has no kind".to_owned();
        let line = place.line;
        (place, Fault { message, line })
    })
}

/// Applies the template override of a generator. Empty fields in it do not override those of the ApplicationSet.
fn prefer(template: &mut Node, over: &Node) {
    match (&mut template.value, &over.value) {
        (_, _) if is_empty(over) => {}
        (Value::Map(map), Value::Map(over)) => {
            for entry in over.0.iter().filter(|entry| !is_empty(&entry.value)) {
                match map.get_mut(&entry.key) {
                    Some(inner) => prefer(inner, &entry.value),
                    None => map.push(entry.key.clone(), entry.value.clone()),
                }
            }
        }
        _ => *template = over.clone(),
    }
}

/// Whether Go treats this as the zero value.
fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(scalar) => {
            scalar.text.is_empty() || node.is_null() || node.as_bool() == Some(false)
        }
        Value::Seq(items) => items.is_empty(),
        Value::Map(map) => map.0.iter().all(|entry| is_empty(&entry.value)),
    }
}

/// Directories that the generators read and the template builds, if they are literal.
pub fn fetched(set: &Resource) -> Vec<Fetched> {
    let mut found = Vec::new();
    if let Some(generators) = set.node.at(&["spec", "generators"]) {
        looked_at(generators, &mut found, 0);
    }
    if let Some(template) = set.node.at(&["spec", "template"]) {
        for source in super::application::sources(template) {
            let (Some(url), Some(path)) = (source.text_at(&["repoURL"]), source.text_at(&["path"]))
            else {
                continue;
            };
            add(url, path, &mut found);
        }
    }
    found
}

fn looked_at(node: &Node, found: &mut Vec<Fetched>, depth: usize) {
    if depth > 8 {
        return;
    }
    for generator in node.items() {
        for entry in generator.entries() {
            let body = &entry.value;
            if let Some(inner) = body.get("generators") {
                looked_at(inner, found, depth + 1);
            }
            let Some(url) = body.text_at(&["repoURL"]) else {
                continue;
            };
            let listed = body
                .items_at("directories")
                .iter()
                .chain(body.items_at("files"));
            for path in listed.filter_map(|item| item.text_at(&["path"])) {
                add(url, glob::fixed(path), found);
            }
        }
    }
}

/// Only what has no gaps; a path up to its first gap is a path as well.
fn add(url: &str, path: &str, found: &mut Vec<Fetched>) {
    let fixed = match path.find("{{") {
        Some(at) => path[..at].rsplit_once('/').map_or("", |(before, _)| before),
        None => path,
    };
    if !url.contains("{{") {
        found.push(Fetched {
            origin: Origin {
                url: url.into(),
                revision: None,
            },
            path: fixed.into(),
        });
    }
}
