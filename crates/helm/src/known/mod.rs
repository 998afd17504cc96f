//! The values that a chart knows: those in its defaults and its schema, and those that its templates read. In doubt a value
//! is known.

mod keys;
mod reads;
mod words;

use std::collections::BTreeMap;

use base::hash::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::data::Data;
use crate::origin::ValuePath;
use crate::package::{Import, Package, TemplateFile};
use keys::KnownKeys;
pub use reads::FileReads;
use reads::file_reads;

/// Maximum number of unknown values that are listed.
const MAX_UNKNOWN: usize = 100;
const MAX_DEPTH: usize = 60;

/// A value that nothing in a chart reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownValue {
    pub path: ValuePath,
    /// The path that was probably meant.
    pub nearest: Option<ValuePath>,
}

/// The keys that a chart knows.
#[derive(Debug, Default)]
pub struct ChartKeys {
    keys: KnownKeys,
    /// Words in comments of `values.yaml` and in texts of templates.
    words: HashSet<SmolStr>,
    subcharts: BTreeMap<SmolStr, ChartKeys>,
}

impl TemplateFile {
    /// The values that the templates of the file read; nothing if it cannot be parsed.
    fn reads(&self) -> Option<&FileReads> {
        let read = || self.parsed().as_ref().ok().map(|parsed| file_reads(parsed));
        self.reads.get_or_init(read).as_ref()
    }
}

impl Package {
    /// The values that nothing in the chart or its subcharts reads, with those that were probably meant. Values are
    /// those of a release, without defaults.
    pub fn unknown_values(&self, values: &Data) -> Vec<UnknownValue> {
        let known = self.known.get_or_init(|| chart_keys(self, self));
        let mut given = KnownKeys::default();
        reads::add_texts(&mut given, values);
        let mut search = Search {
            given,
            mentioned: HashSet::default(),
            unknown: Vec::new(),
        };
        mention(values, &mut search.mentioned, 0);
        search.chart(known, values, &mut Vec::new());
        search.unknown
    }
}

/// The keys of a chart in a package; templates of other charts count where it includes them.
fn chart_keys(top: &Package, chart: &Package) -> ChartKeys {
    let mut known = ChartKeys::default();
    known.keys.add_defaults(&chart.values, 0);
    known.keys.is_unset = false;
    reads::add_texts(&mut known.keys, &chart.values);
    if let Some(Ok(schema)) = &chart.schema {
        known.keys.add_schema(schema, schema, 0);
    }
    let mut defined = HashMap::default();
    definitions(top, &mut defined, 0);
    add_templates(&mut known, chart, &defined);
    for file in &chart.files {
        if let Ok(text) = std::str::from_utf8(&file.data) {
            reads::add_text(&mut known.keys, text);
        }
    }
    if let Some(text) = chart.values_text() {
        words::add_comments(&text, &mut known.words);
    }
    known.keys.add(&["global".into()]).is_open = true;
    known.keys.add(&["tags".into()]).is_open = true;
    for listed in &chart.metadata.dependencies {
        let conditions = listed.condition.split(',').filter(|one| !one.is_empty());
        for condition in conditions {
            let path: Vec<SmolStr> = condition.trim().split('.').map(SmolStr::new).collect();
            known.keys.add(&path);
        }
        for import in &listed.imports {
            match import {
                Import::Path { parent, .. } if parent != "." => {
                    let path: Vec<SmolStr> = parent.split('.').map(SmolStr::new).collect();
                    known.keys.add(&path).is_open = true;
                }
                // What a subchart exports becomes keys of this chart.
                _ => known.keys.is_open = true,
            }
        }
        let name = if listed.alias.is_empty() {
            &listed.name
        } else {
            &listed.alias
        };
        match chart.subchart(name) {
            Some(sub) => drop(known.subcharts.insert(name.clone(), chart_keys(top, sub))),
            None => known.keys.add(std::slice::from_ref(name)).is_open = true,
        }
    }
    for sub in &chart.subcharts {
        let name = &sub.metadata.name;
        let is_listed = chart
            .metadata
            .dependencies
            .iter()
            .any(|one| one.name == *name);
        if !is_listed {
            known.subcharts.insert(name.clone(), chart_keys(top, sub));
        }
    }
    known
}

/// The files that define each template, in all charts of a package.
fn definitions<'p>(
    chart: &'p Package,
    defined: &mut HashMap<SmolStr, Vec<&'p TemplateFile>>,
    depth: usize,
) {
    for file in &chart.templates {
        if let Ok(parsed) = file.parsed() {
            for name in parsed.defined.keys() {
                defined.entry(name.clone()).or_default().push(file);
            }
        }
    }
    if depth < MAX_DEPTH {
        for sub in &chart.subcharts {
            definitions(sub, defined, depth + 1);
        }
    }
}

/// Adds what the templates of a chart read, and those that they include.
fn add_templates<'p>(
    known: &mut ChartKeys,
    chart: &'p Package,
    defined: &HashMap<SmolStr, Vec<&'p TemplateFile>>,
) {
    let mut open: Vec<&TemplateFile> = chart.templates.iter().collect();
    let mut seen: HashSet<*const TemplateFile> = HashSet::default();
    while let Some(file) = open.pop() {
        if !seen.insert(std::ptr::from_ref(file)) {
            continue;
        }
        let Some(reads) = file.reads() else {
            known.keys.is_open = true;
            return;
        };
        known.keys.merge(&reads.keys);
        known.words.extend(reads.words.iter().cloned());
        if reads.includes_any {
            open.extend(defined.values().flatten());
        }
        for name in &reads.includes {
            open.extend(defined.get(name).into_iter().flatten());
        }
    }
}

/// All keys and texts of values, which may be the keys that templates compute.
fn mention(values: &Data, words: &mut HashSet<SmolStr>, depth: usize) {
    match values {
        Data::Text(text) => drop(words.insert(text.clone())),
        Data::List(items) if depth < MAX_DEPTH => {
            items
                .iter()
                .for_each(|item| mention(item, words, depth + 1));
        }
        Data::Map(map) if depth < MAX_DEPTH => {
            for inner in map.values() {
                if let Data::Map(below) = inner {
                    words.extend(below.keys().cloned());
                }
                mention(inner, words, depth + 1);
            }
        }
        _ => {}
    }
}

struct Search {
    /// The values that templates in the given values read.
    given: KnownKeys,
    /// Texts of the given values, and keys that are not at the top.
    mentioned: HashSet<SmolStr>,
    unknown: Vec<UnknownValue>,
}

impl Search {
    fn chart(&mut self, known: &ChartKeys, values: &Data, path: &mut Vec<SmolStr>) {
        let Data::Map(map) = values else { return };
        if known.keys.is_open {
            return;
        }
        for (key, inner) in map {
            path.push(key.clone());
            match known.subcharts.get(key) {
                Some(sub) => {
                    // What the parent reads of its subchart is known, too.
                    let own = known.keys.children.get(key);
                    if !own.is_some_and(|own| own.is_open) {
                        self.subchart(sub, own, inner, path);
                    }
                }
                None => self.key(&known.keys, known, key, inner, path),
            }
            path.pop();
        }
    }

    fn subchart(
        &mut self,
        sub: &ChartKeys,
        own: Option<&KnownKeys>,
        values: &Data,
        path: &mut Vec<SmolStr>,
    ) {
        let Data::Map(map) = values else { return };
        let rest = map.iter().filter(|(key, _)| {
            // Charts that wrap others often switch them with a key that only their documentation knows.
            let is_switch = key.as_str() == "enabled";
            !is_switch && own.is_none_or(|own| !own.children.contains_key(*key))
        });
        let rest = rest.map(|(key, inner)| (key.clone(), inner.clone()));
        self.chart(sub, &Data::Map(rest.collect()), path);
    }

    fn key(
        &mut self,
        node: &KnownKeys,
        chart: &ChartKeys,
        key: &SmolStr,
        value: &Data,
        path: &mut Vec<SmolStr>,
    ) {
        match node.children.get(key) {
            Some(below) => {
                if let (Data::Map(map), false) = (value, below.takes_all()) {
                    for (key, inner) in map {
                        path.push(key.clone());
                        self.key(below, chart, key, inner, path);
                        path.pop();
                    }
                }
            }
            None if self.is_doubtful(node, chart, key, value, path) => {}
            None => {
                if self.unknown.len() < MAX_UNKNOWN {
                    self.unknown.push(UnknownValue {
                        path: path.as_slice().into(),
                        nearest: nearest(node, chart, path),
                    });
                }
            }
        }
    }

    /// Whether a key that nothing names may have a use all the same.
    fn is_doubtful(
        &self,
        node: &KnownKeys,
        chart: &ChartKeys,
        key: &SmolStr,
        value: &Data,
        path: &[SmolStr],
    ) -> bool {
        let holds_anchors = key.starts_with("x-") || key.starts_with(['.', '_']);
        let is_removed = *value == Data::Null;
        let is_computed = node.is_computed && self.mentioned.contains(key);
        // A text in the values may be a template that reads others.
        let mut given = Some(&self.given);
        let is_below_open = path.iter().any(|step| {
            given = given.and_then(|node| node.children.get(step));
            given.is_some_and(|node| node.is_open)
        });
        let is_used_in_values = is_below_open || given.is_some();
        holds_anchors
            || is_removed
            || is_computed
            || is_used_in_values
            || self.given.is_open
            || chart.words.contains(key)
    }
}

/// The path that a key was probably meant to be: a sibling with a similar name.
fn nearest(node: &KnownKeys, chart: &ChartKeys, path: &[SmolStr]) -> Option<ValuePath> {
    let (key, parents) = path.split_last()?;
    let is_top = std::ptr::eq(node, &chart.keys);
    let subcharts = chart.subcharts.keys().filter(|_| is_top);
    let names: Vec<&str> = node
        .children
        .keys()
        .chain(subcharts)
        .map(SmolStr::as_str)
        .collect();
    let similar = SmolStr::from(base::text::nearest(key, &names)?);
    Some(parents.iter().cloned().chain([similar]).collect())
}
