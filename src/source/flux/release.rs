//! HelmReleases: the chart, where it comes from, and the values that it is given.

use smol_str::SmolStr;

use super::{dependencies, is_suspended, located_at, pace, remote, source_ref, unit_id};
use crate::fact::{
    Chart, Detail, Gate, MARKER, Reference, Relation, Release, Resource, SettingFact, Statement,
    Target, Unit,
};
use crate::yaml::{Node, Value};

/// A release with more values than this shows none of the rest: nobody reads a table so long.
const MAX_SETTINGS: usize = 400;

pub fn unit(resource: &Resource) -> Unit {
    let node = &*resource.node;
    let empty = Node::map(resource.place);
    let spec = node.get("spec").unwrap_or(&empty);
    let namespace = &resource.id.namespace;
    let target_namespace = spec.text_at(&["targetNamespace"]).unwrap_or(namespace);
    Unit {
        id: unit_id(resource),
        place: resource.place,
        depends_on: dependencies(spec, &resource.id),
        // A release is ready once its chart is installed and, by default, its workloads are.
        gate: match spec.at(&["install", "disableWait"]).and_then(Node::as_bool) {
            Some(true) => Gate::None,
            _ => Gate::Wait,
        },
        suspended: is_suspended(spec),
        pace: pace(spec),
        remote: remote(spec),
        build: None,
        release: Some(Release {
            name: spec
                .text_at(&["releaseName"])
                .unwrap_or(&resource.id.name)
                .into(),
            target_namespace: target_namespace.into(),
            chart: chart(spec, namespace),
            creates_namespace: spec
                .at(&["install", "createNamespace"])
                .and_then(Node::as_bool)
                .unwrap_or(false),
            skips_crds: spec.text_at(&["install", "crds"]) == Some("Skip")
                || spec.at(&["install", "skipCRDs"]).and_then(Node::as_bool) == Some(true),
            has_more_values: !spec.items_at("valuesFrom").is_empty(),
        }),
    }
}

fn chart(spec: &Node, namespace: &str) -> Option<Chart> {
    if let Some(chart) = spec.at(&["chart", "spec"]) {
        return Some(Chart {
            name: located_at(chart, &["chart"]),
            version: located_at(chart, &["version"]),
            source: source_ref(chart.get("sourceRef"), namespace),
            place: chart.place,
        });
    }
    let reference = spec.get("chartRef")?;
    Some(Chart {
        name: None,
        version: None,
        source: source_ref(Some(reference), namespace),
        place: reference.place,
    })
}

pub fn describe(resource: &Resource, statement: &mut Statement) {
    if !resource.id.is(super::HELM_GROUP, "HelmRelease") {
        return;
    }
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    let namespace = &resource.id.namespace;
    statement.details.extend(details(resource, spec));
    for from in spec.items_at("valuesFrom") {
        let (Some(kind), Some(name)) = (from.text_at(&["kind"]), from.text_at(&["name"])) else {
            continue;
        };
        let relation = match kind {
            "Secret" => Relation::Secret,
            _ => Relation::ConfigMap,
        };
        statement.references.push(Reference {
            relation,
            target: Target::object(kind, namespace, name),
            place: from.place,
        });
    }
    if let Some(values) = spec.get("values") {
        super::values::describe(values, statement);
        flatten(values, &mut String::new(), &mut statement.settings);
    }
}

/// What Helm knows the release by, and the namespace in which it keeps its records.
fn details(resource: &Resource, spec: &Node) -> [Detail; 2] {
    let own = &resource.id;
    let release = match (
        spec.text_at(&["releaseName"]),
        spec.text_at(&["targetNamespace"]),
    ) {
        (Some(name), _) => name.into(),
        (None, Some(target)) => SmolStr::from(format!("{target}-{}", own.name)),
        (None, None) => own.name.clone(),
    };
    let storage = spec.text_at(&["storageNamespace"]);
    [
        Detail {
            name: "release",
            value: release,
        },
        Detail {
            name: "storage",
            value: storage.map_or_else(|| own.namespace.clone(), SmolStr::from),
        },
    ]
}

/// Every leaf of the values under the path that leads to it; short lists count as one value.
fn flatten(node: &Node, path: &mut String, settings: &mut Vec<SettingFact>) {
    if settings.len() >= MAX_SETTINGS {
        return;
    }
    match &node.value {
        Value::Map(map) => {
            for entry in &map.0 {
                let length = path.len();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&entry.key);
                flatten(&entry.value, path, settings);
                path.truncate(length);
            }
        }
        Value::Seq(items) if items.iter().all(|item| item.as_scalar().is_some()) => {
            let texts: Vec<&str> = items.iter().filter_map(Node::text).collect();
            settings.push(setting(path, &texts.join(", ").into(), node));
        }
        Value::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                let length = path.len();
                match item.text_at(&["name"]) {
                    Some(name) => path.push_str(&format!("[{name}]")),
                    None => path.push_str(&format!("[{index}]")),
                }
                flatten_item(item, path, settings);
                path.truncate(length);
            }
        }
        Value::Scalar(scalar) if scalar.is_null() => {}
        Value::Scalar(scalar) => settings.push(setting(path, &scalar.text, node)),
    }
}

/// An element that is told by its name: `{name: LEVEL, value: info}` is the value of `[LEVEL]`.
fn flatten_item(item: &Node, path: &mut String, settings: &mut Vec<SettingFact>) {
    let entries = item.entries();
    let named = item.text_at(&["name"]).is_some();
    match entries {
        [_, _] if named && item.get("value").is_some() => {
            let value = item.get("value").expect("looked just above");
            flatten(value, path, settings);
        }
        _ if named => {
            let length = path.len();
            for entry in entries.iter().filter(|entry| entry.key != "name") {
                path.push('.');
                path.push_str(&entry.key);
                flatten(&entry.value, path, settings);
                path.truncate(length);
            }
        }
        _ => flatten(item, path, settings),
    }
}

fn setting(path: &str, text: &SmolStr, node: &Node) -> SettingFact {
    SettingFact {
        name: path.into(),
        value: (!text.contains(MARKER)).then(|| shown(text)),
        place: node.place,
    }
}

/// A text of several lines is told by its first and their number.
fn shown(text: &SmolStr) -> SmolStr {
    // Most are as they are, and then they need not be copied.
    if !text.contains('\n') && !text.ends_with(char::is_whitespace) {
        return text.clone();
    }
    let lines = text.trim_end().lines().count();
    match lines > 1 {
        true => {
            let first = text
                .lines()
                .find(|line| !line.trim().is_empty())
                .unwrap_or_default();
            format!("{} … ({lines} lines)", first.trim()).into()
        }
        false => text.trim_end().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::FileId;

    #[test]
    fn values_become_settings_under_their_paths() {
        let text = "replicas: 2\nenv: [{name: LEVEL, value: info}, {name: DB, valueFrom: {key: x}}]\nhosts: [a, b]\nlist: [{port: 80}]\nnone: ~\nscript: |\n  one\n  two\n";
        let root = crate::yaml::parse(text, FileId(0)).documents.remove(0).root;
        let mut settings = Vec::new();
        flatten(&root, &mut String::new(), &mut settings);
        let shown: Vec<(String, String)> = settings
            .into_iter()
            .map(|setting| (setting.name.to_string(), setting.value.unwrap().to_string()))
            .collect();
        let expected = [
            ("replicas", "2"),
            ("env[LEVEL]", "info"),
            ("env[DB].valueFrom.key", "x"),
            ("hosts", "a, b"),
            ("list[0].port", "80"),
            ("script", "one … (2 lines)"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(shown, expected);
    }
}
