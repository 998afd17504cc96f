//! `helm_release`: the chart that it installs, its values in the order in which they win, and whether it waits.

use std::sync::Arc;

use smol_str::SmolStr;

use super::make::{Making, PendingBlock};
use super::tree::{self, Spec, is_marked};
use crate::facts::values;
use crate::facts::{
    CrdsOnUpgrade, Gate, Located, MARKER, Release, SourceRef, Statement, UnitChart, UnitId,
};
use terraform::{Block, HERE, HclData, HclValue};
use yaml::{Map, Node};

pub const TYPE: &str = "helm_release";

pub fn make(
    making: &mut Making<'_, '_>,
    made: &PendingBlock<'_, '_>,
    id: &UnitId,
    mut spec: Spec,
) -> Node {
    let body = &made.block.body;
    let stated = |making: &mut Making<'_, '_>, key: &str| {
        let value = making.run.attribute(made.scope, made.bindings, body, key)?;
        (!value.is_secret).then_some(value)
    };
    for key in ["name", "repository", "namespace"] {
        let value = stated(making, key);
        let text = value.and_then(|value| Some((value.as_text()?, value.place)));
        match text.filter(|(text, _)| !text.contains(HERE)) {
            Some((text, place)) => spec.text(key, text, place),
            // The fallback applies only if the key is absent, so an unknown value is written as empty.
            None if body.get(key).is_some() => spec.text(key, "", made.place),
            None => {}
        }
    }
    chart(making, made, &mut spec);
    for (key, name) in [("create_namespace", "creates"), ("skip_crds", "skips")] {
        let is_on = stated(making, key).and_then(|value| value.as_bool()) == Some(true);
        spec.mark_if(name, is_on.then_some(()), made.place);
    }
    let waits = stated(making, "wait").and_then(|value| value.as_bool());
    let is_atomic = stated(making, "atomic").and_then(|value| value.as_bool()) == Some(true);
    // It waits unless it is told not to.
    let is_gated = waits != Some(false) || is_atomic;
    spec.mark_if("waits", is_gated.then_some(()), made.place);
    let home = making.run.module(made.scope).directory.as_ref();
    let home = home.map(|path| path.as_str().to_owned());
    spec.some("home", home.filter(|path| !path.is_empty()), made.place);
    let mut values = ReleaseValues::default();
    if let Some(given) = making
        .run
        .attribute(made.scope, made.bindings, body, "values")
    {
        match given.items() {
            Some(items) => items.iter().for_each(|item| values.add(making, item)),
            None => values.is_partial = true,
        }
    }
    values.sets(making, made);
    // The chart of a FluxInstance says where Flux starts, and a later document wins.
    let synced = values.documents.iter().rev();
    let synced = synced.filter_map(|values| values.text_at(&["instance", "sync", "path"]));
    making.starts_at(synced.into_iter().next());
    spec.mark_if("moreValues", values.is_partial.then_some(()), made.place);
    spec.nodes("values", values.documents, made.place);
    tree::object(TYPE, &id.qualified(), spec, made.place)
}

/// The chart and its version: those of a directory in the repo where it names one.
fn chart(making: &mut Making<'_, '_>, made: &PendingBlock<'_, '_>, spec: &mut Spec) {
    let body = &made.block.body;
    let mut stated = |key: &str| {
        let value = making.run.attribute(made.scope, made.bindings, body, key)?;
        (!value.is_secret && !value.is_null()).then_some(value)
    };
    let (chart, version) = (stated("chart"), stated("version"));
    let Some((name, value)) = chart.and_then(|value| Some((value.as_text()?, value))) else {
        return;
    };
    if name.starts_with([HERE, '.', '/']) {
        let directory = making.run.resolve(&value);
        let repo = making.context.facts.repo;
        let file = directory.and_then(|directory| repo.file_in(&directory, "Chart.yaml"));
        let Some(file) = file else {
            return;
        };
        making.read(file);
        let metadata = making.context.facts.file(file);
        for key in ["name", "version"] {
            let documents = metadata.other_documents.iter();
            let found = documents.filter_map(|document| document.get(key)).next();
            let to = match key {
                "name" => "chart",
                _ => "version",
            };
            if let Some(node) = found {
                spec.node(to, node.clone());
            }
        }
        return;
    }
    spec.text("chart", name, value.place);
    match version.map(|version| (version.as_text(), version.place)) {
        Some((Some(text), place)) => spec.text("version", text, place),
        // The value is unknown, but a version is stated.
        Some((None, place)) => {
            let written = body.written("version").map(|text| format!("${{{text}}}"));
            spec.some("version", written, place);
        }
        None => {}
    }
}

#[derive(Default)]
struct ReleaseValues {
    /// Later ones win.
    documents: Vec<Node>,
    is_partial: bool,
}

impl ReleaseValues {
    fn add(&mut self, making: &mut Making<'_, '_>, item: &HclValue) {
        if let Some(documents) = item.documents() {
            self.is_partial |= item.is_unknown();
            let maps = documents.into_iter().filter(|node| node.as_map().is_some());
            self.documents.extend(maps);
            return;
        }
        match &item.data {
            _ if item.is_secret => self.is_partial = true,
            HclData::Encoded(inner) => {
                let shown = inner.shown();
                self.is_partial |= shown.is_partial;
                self.documents.extend(shown.node);
            }
            HclData::File(file) => {
                making.read(*file);
                let documents = making.context.documents(*file).iter();
                self.documents
                    .extend(documents.map(|node| (**node).clone()));
            }
            HclData::Null => {}
            _ => self.is_partial = true,
        }
    }

    /// Single values, which win over documents: blocks, or lists of objects in newer versions.
    fn sets(&mut self, making: &mut Making<'_, '_>, made: &PendingBlock<'_, '_>) {
        let mut set = Node::map(made.place);
        for (kind, is_secret) in [("set", false), ("set_list", false), ("set_sensitive", true)] {
            let mut all: Vec<HclValue> = Vec::new();
            for block in made.block.body.blocks(kind) {
                let map = making
                    .run
                    .map_of(made.scope, made.bindings, &block.body, block.place);
                all.push(map);
            }
            let repeated = made.block.body.blocks("dynamic");
            let is_it = |block: &&Block| block.labels.first().is_some_and(|label| label == kind);
            for block in repeated.filter(is_it) {
                match making.run.dynamic(made.scope, made.bindings, block) {
                    Some(contents) => all.extend(contents.iter().map(|(bindings, content)| {
                        let body = &content.body;
                        making.run.map_of(made.scope, bindings, body, content.place)
                    })),
                    None => self.is_partial = true,
                }
            }
            let listed = making
                .run
                .attribute(made.scope, made.bindings, &made.block.body, kind);
            match listed.as_ref().map(|listed| (listed.items(), listed)) {
                Some((Some(items), _)) => all.extend(items.iter().cloned()),
                Some((None, _)) => self.is_partial = true,
                None => {}
            }
            for one in all {
                let Some(name) = one.get("name").and_then(HclValue::as_text) else {
                    self.is_partial = true;
                    continue;
                };
                let value = one.get("value").cloned();
                let value = value.unwrap_or_else(|| HclValue::unknown(one.place));
                let node = if is_secret || value.is_secret {
                    Some(Node::string(MARKER, value.place))
                } else {
                    value.shown().node
                };
                match node {
                    Some(node) => put(&mut set, &name, node),
                    None => self.is_partial = true,
                }
            }
        }
        if set.as_map().is_some_and(|map| !map.is_empty()) {
            secret::seal(&mut set);
            self.documents.push(set);
        }
    }
}

/// Sets a value at a path such as `a.b\.c.d`. An index such as `[0]` stays part of the key.
fn put(root: &mut Node, path: &str, value: Node) {
    let mut keys: Vec<String> = vec![String::new()];
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => keys.last_mut().expect("never empty").extend(chars.next()),
            '.' if keys.len() < 32 => keys.push(String::new()),
            _ => keys.last_mut().expect("never empty").push(c),
        }
    }
    let last = keys.pop().unwrap_or_default();
    let mut node = root;
    for key in keys {
        let place = value.place;
        if node.as_map().is_none() {
            *node = Node::map(place);
        }
        let Some(map) = node.as_map_mut() else {
            return;
        };
        node = map.get_or_insert(&key, || Node::map(place));
    }
    if node.as_map().is_none() {
        *node = tree::map(Map::default(), value.place);
    }
    if let Some(map) = node.as_map_mut() {
        map.set(&last, value);
    }
}

/// The release that an object declares.
pub fn release(spec: &Node, name: &str) -> Release {
    let text = |key: &str| spec.text_at(&[key]).map(SmolStr::from);
    // An empty text is one that is stated and not known.
    let or_else = |key: &str, fallback: &str| match spec.get(key) {
        Some(node) => SmolStr::from(node.text().unwrap_or_default()),
        None => fallback.into(),
    };
    let located = |key: &str| {
        let node = spec.get(key)?;
        Some(Located {
            value: SmolStr::from(node.text()?),
            place: node.place,
        })
    };
    let mut repository = text("repository");
    let mut chart = located("chart");
    // A chart may be named by its whole address, or by a path.
    if let Some(chart) = &mut chart
        && let Some((before, last)) = chart.value.clone().trim_end_matches('/').rsplit_once('/')
    {
        let is_address = before.contains("://");
        if is_address && repository.is_none() {
            repository = Some(before.into());
        }
        chart.value = last.into();
    }
    let place = spec.get("chart").map_or(spec.place, |node| node.place);
    Release {
        name: or_else("name", name),
        target_namespace: or_else("namespace", "default"),
        chart: chart.map(|chart| UnitChart {
            name: Some(chart),
            version: located("version"),
            source: SourceRef::default(),
            repository,
            parts: Vec::new(),
            main_part: None,
            file: None,
            place,
        }),
        creates_namespace: is_marked(spec, "creates"),
        skips_crds: is_marked(spec, "skips"),
        crds_on_upgrade: CrdsOnUpgrade::Replaced,
        has_more_values: is_marked(spec, "moreValues"),
        is_rendered: false,
        values: spec
            .items_at("values")
            .iter()
            .cloned()
            .map(Arc::new)
            .collect(),
        changes: Vec::new(),
    }
}

pub fn gate(spec: &Node) -> Gate {
    if is_marked(spec, "waits") {
        Gate::Wait
    } else {
        Gate::None
    }
}

pub fn describe(spec: &Node, statement: &mut Statement) {
    values::describe_over(spec.items_at("values"), statement);
    if is_marked(spec, "creates")
        && let Some(namespace) = spec.text_at(&["namespace"])
    {
        let made = crate::facts::Target::object("Namespace", "", namespace);
        statement.provides.push(made);
    }
}
