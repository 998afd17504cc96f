//! Values that a HelmRelease takes from ConfigMaps of its cluster, put together as its controller does it: in the order in
//! which they are named, what the release states itself over all. Secrets are not read.

use std::sync::Arc;

use super::super::values_from::{ConfigMapEntry, EntryLookup};
use crate::facts::values;
use crate::facts::{Resource, Statement, Variable};
use base::Severity;
use helm::set::{self as parameter, PathStep, Typing};
use kustomize::read_inline;
use yaml::Node;

/// Limit on `valuesFrom` entries. Further entries are not read.
const MAX_SOURCES: usize = 64;
/// The API server takes no ConfigMap that is larger.
const LONGEST: usize = 1 << 20;

/// Says what a release is given, now that the ConfigMaps of its cluster are known.
pub fn describe(resource: &Resource, lookup: &EntryLookup<'_>, statement: &mut Statement) {
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    let stated = spec
        .get("values")
        .filter(|values| values.as_map().is_some());
    let mut given = MergedValues {
        others: Node::map(spec.place),
        own: stated.cloned().unwrap_or_else(|| Node::map(spec.place)),
    };
    let sources = spec.items_at("valuesFrom");
    let mut is_partial = sources.len() > MAX_SOURCES;
    for source in sources.iter().take(MAX_SOURCES) {
        let taken = match entry(source, &resource.id.namespace, lookup) {
            ConfigMapEntry::Found(entry) => given.take(source, entry),
            ConfigMapEntry::Missing if is_optional(source) => Some(()),
            ConfigMapEntry::Missing | ConfigMapEntry::Unknown => None,
        };
        is_partial |= taken.is_none();
    }
    values::forget(statement);
    let whole = given.whole();
    values::describe(&whole, statement);
    statement.settings.shrink_to_fit();
    let unit = statement.unit.as_mut().map(Arc::make_mut);
    if let Some(release) = unit.and_then(|unit| unit.release.as_mut()) {
        release.has_more_values = is_partial;
        release.values = vec![Arc::new(whole)];
    }
}

fn entry<'l>(source: &Node, namespace: &str, lookup: &EntryLookup<'l>) -> ConfigMapEntry<'l> {
    let name = source.text_at(&["name"]);
    let key = source.text_at(&["valuesKey"]).unwrap_or_default();
    match (source.text_at(&["kind"]), name, key) {
        (Some("ConfigMap"), Some(name), "") => lookup(namespace, name, "values.yaml"),
        (Some("ConfigMap"), Some(name), key) => lookup(namespace, name, key),
        _ => ConfigMapEntry::Unknown,
    }
}

fn is_optional(source: &Node) -> bool {
    source.get("optional").and_then(Node::as_bool) == Some(true)
}

/// Values of a release while they are merged.
struct MergedValues {
    /// By objects, later ones over earlier ones.
    others: Node,
    /// By itself.
    own: Node,
}

impl MergedValues {
    /// Takes an entry at the path that is stated for it, or as a document; none where that cannot be told.
    fn take(&mut self, source: &Node, entry: &Variable) -> Option<()> {
        let text = entry.value.as_ref();
        let text = text.filter(|text| text.len() <= LONGEST)?;
        match source.text_at(&["targetPath"]).unwrap_or_default() {
            "" => helm::merge_values(&mut self.others, &document(text, entry)?),
            path => self.set(&parameter::path(path)?, &single(text, entry)?)?,
        }
        Some(())
    }

    /// The controller puts the release's own values over the others before it sets one, and does not copy what only the
    /// release has. So a value that it sets in there counts as the release's own; any other gives way to that.
    fn set(&mut self, path: &[PathStep], value: &Node) -> Option<()> {
        let is_own = is_set_in_own(path, &self.others, &self.own);
        helm::merge_values(&mut self.others, &self.own);
        if is_own {
            parameter::put(&mut self.own, path, value.clone())?;
        }
        parameter::put(&mut self.others, path, value.clone())
    }

    fn whole(self) -> Node {
        let mut whole = self.others;
        helm::merge_values(&mut whole, &self.own);
        // A value may have come under a name that says more than its key did.
        secret::seal(&mut whole);
        whole
    }
}

fn is_set_in_own(path: &[PathStep], others: &Node, own: &Node) -> bool {
    let keys = parameter::leading_keys(path);
    if let Some(PathStep::Index(at)) = path.get(keys.len()) {
        let list = own.at(&keys).and_then(Node::as_seq);
        if list.is_some_and(|list| *at < list.len()) {
            return true;
        }
    }
    let is_map = |node: &Node, keys: &[&str]| node.at(keys).is_some_and(|it| it.as_map().is_some());
    let above = keys.len().saturating_sub(1);
    let first = (1..=above).find(|count| !is_map(others, &keys[..*count]));
    first.is_some_and(|count| is_map(own, &keys[..count]))
}

/// The values that an entry holds.
fn document(text: &str, entry: &Variable) -> Option<Node> {
    let (documents, findings) = read_inline(&Node::string(text, entry.place));
    if findings
        .iter()
        .any(|finding| finding.severity == Severity::Error)
    {
        return None;
    }
    let mut document = match documents.into_iter().next() {
        Some(document) if !document.is_null() => document,
        _ => Node::map(entry.place),
    };
    if !entry.has_lines {
        document.stand_at(entry.place);
    }
    document.as_map().is_some().then_some(document)
}

/// The single value of an entry. A quoted value is text.
fn single(text: &str, entry: &Variable) -> Option<Node> {
    let is_in = |quote: char| text.starts_with(quote) && text.ends_with(quote);
    let (text, kind) = if is_in('"') || is_in('\'') {
        (text.trim_matches(['"', '\'']), Typing::Text)
    } else {
        (text, Typing::Any)
    };
    // A comma outside of a list begins another path.
    let is_list = text.starts_with('{');
    if !is_list && text.replace("\\,", "").contains(',') {
        None
    } else {
        parameter::read(text, kind, entry.place)
    }
}

#[cfg(test)]
mod tests {
    use base::hash::HashMap;

    use smol_str::SmolStr;

    use super::*;
    use crate::sources;
    use base::{FileId, Place};

    /// The settings of a release with these fields, and whether there may be more.
    fn settings(spec: &str, entries: &[(&str, &str)]) -> (Vec<String>, bool) {
        let text = format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a, namespace: b}}\nspec:\n{spec}"
        );
        let root = yaml::parse(&text, FileId(0)).documents.remove(0).root;
        let resource = Resource::new(root).unwrap();
        let entries: HashMap<SmolStr, Variable> = entries
            .iter()
            .map(|(name, value)| {
                let entry = Variable {
                    name: (*name).into(),
                    value: Some((*value).into()),
                    place: Place::start_of(FileId(1)),
                    has_lines: true,
                };
                (entry.name.clone(), entry)
            })
            .collect();
        let lookup = |namespace: &str, name: &str, key: &str| match (namespace, name) {
            ("b", "known") => entries
                .get(key)
                .map_or(ConfigMapEntry::Missing, ConfigMapEntry::Found),
            _ => ConfigMapEntry::Unknown,
        };
        let mut statement = sources::describe(&resource, &[]);
        describe(&resource, &lookup, &mut statement);
        let settings = statement.settings.iter().map(|setting| {
            let value = setting.value.as_deref().unwrap_or("(secret)");
            format!("{}={value}", setting.name)
        });
        let settings = settings.collect();
        let release = statement.unit.unwrap().release.clone();
        (settings, release.unwrap().has_more_values)
    }

    #[test]
    fn later_values_win_and_those_of_the_release_over_all() {
        let spec = "  valuesFrom:\n    - {kind: ConfigMap, name: known}\n    - {kind: ConfigMap, name: known, valuesKey: more}\n  values: {image: {tag: '3'}, gone: null}\n";
        let entries = [
            (
                "values.yaml",
                "image: {tag: '1', name: x}\nsize: 1\ngone: 1\n",
            ),
            ("more", "image: {tag: '2'}\nsize: 2\n"),
        ];
        let expected = ["image.tag=3", "image.name=x", "size=2"];
        assert_eq!(
            settings(spec, &entries),
            (expected.map(String::from).to_vec(), false)
        );
    }

    #[test]
    fn a_single_value_is_set_at_its_path() {
        let source = |key: &str, path: &str| {
            format!(
                "    - {{kind: ConfigMap, name: known, valuesKey: {key}, targetPath: '{path}'}}\n"
            )
        };
        let entries = [("n", "3"), ("t", "'3'"), ("l", "{x,y}"), ("c", "x,y=z")];
        let cases = [
            (source("n", "a.b"), "{}", vec!["a.b=3"], false),
            (source("t", "a.b"), "{c: 1}", vec!["c=1", "a.b=3"], false),
            (source("l", "a"), "{}", vec!["a=x, y"], false),
            (
                source("n", "admin.password"),
                "{}",
                vec!["admin.password=(secret)"],
                false,
            ),
            // A value that the controller would parse as two is skipped.
            (source("c", "a"), "{b: 1}", vec!["b=1"], true),
            // The release's own values win at the top, and give way inside of what only they have.
            (source("n", "a"), "{a: 1}", vec!["a=1"], false),
            (source("n", "a.b"), "{a: {b: 1}}", vec!["a.b=3"], false),
            (source("n", "a[0]"), "{a: [x, y]}", vec!["a=3, y"], false),
            (
                source("n", "a.b") + &source("l", "a.b"),
                "{a: {b: 1}}",
                vec!["a.b=3"],
                false,
            ),
        ];
        for (sources, own, expected, is_partial) in cases {
            let spec = format!("  valuesFrom:\n{sources}  values: {own}\n");
            let expected = expected.into_iter().map(String::from).collect();
            assert_eq!(settings(&spec, &entries), (expected, is_partial), "{spec}");
        }
    }

    #[test]
    fn what_is_not_there_leaves_it_open_what_a_release_is_given() {
        let cases = [
            ("{kind: ConfigMap, name: known}", false),
            ("{kind: ConfigMap, name: known, valuesKey: none}", true),
            (
                "{kind: ConfigMap, name: known, valuesKey: none, optional: true}",
                false,
            ),
            ("{kind: ConfigMap, name: known, valuesKey: broken}", true),
            ("{kind: ConfigMap, name: known, valuesKey: list}", true),
            ("{kind: ConfigMap, name: known, valuesKey: empty}", false),
            ("{kind: ConfigMap, name: other, optional: true}", true),
            ("{kind: Secret, name: known}", true),
        ];
        let entries = [
            ("values.yaml", "a: 1\n"),
            ("broken", "a: [\n"),
            ("list", "- a\n"),
            ("empty", "# nothing yet\n"),
        ];
        for (source, is_partial) in cases {
            let spec = format!("  valuesFrom: [{source}]\n  values: {{b: 2}}\n");
            let (found, open) = settings(&spec, &entries);
            assert_eq!(open, is_partial, "{source}");
            assert!(found.contains(&"b=2".to_owned()), "{source}");
        }
    }
}
