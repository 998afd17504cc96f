//! References follow names: once a build has given its objects their last names, every field that
//! names another object of the build is brought up to date.

use super::field::{Create, exists, visit};
use super::item::{Item, is_cluster_scoped};
use super::table::{Extra, REFERENCES, Referral};
use crate::fact::{Content, ResourceId, name_hash};
use crate::yaml::{Node, Value};

/// Gives generated objects the suffix that stands for their content.
pub fn add_hashes(items: &mut [Item]) {
    for item in items {
        let Some(generated) = item.generated.as_ref().filter(|generated| generated.hashed) else {
            continue;
        };
        let pairs = |key: &str| {
            let entries = item.node.entries_at(key).iter();
            entries
                .filter_map(|entry| {
                    Some((entry.key.as_str(), entry.value.as_scalar()?.text.as_str()))
                })
                .collect::<Vec<_>>()
        };
        let hash = name_hash(&Content {
            kind: &item.id.kind,
            name: &item.id.name,
            secret_type: item.node.text_at(&["type"]),
            data: pairs("data"),
            binary_data: pairs("binaryData"),
            sealed: &generated.sealed,
        });
        item.set_name(&format!("{}-{hash}", item.id.name));
    }
}

pub fn follow(items: &mut [Item], extra: &Extra) {
    // Only an object whose name or namespace changed can make a reference wrong.
    if !items.iter().any(has_moved) {
        return;
    }
    let targets: Vec<Item> = items
        .iter()
        .filter(|item| !item.previous.is_empty())
        .cloned()
        .collect();
    for item in items {
        let id = item.id.clone();
        for referral in REFERENCES.iter().chain(&extra.references) {
            for field in referral.fields.iter().filter(|field| field.applies_to(&id)) {
                if !exists(&item.node, &field.path) {
                    continue;
                }
                let names_a_role = field.path.ends_with(&["roleRef".into(), "name".into()]);
                let referrer = Referrer::new(item, names_a_role);
                visit(item.node_mut(), &field.path, Create::Never, &mut |node| {
                    update(node, &referrer, referral, &targets);
                });
            }
        }
    }
}

fn has_moved(item: &Item) -> bool {
    let by_namespace = matches!(item.id.kind.as_str(), "ServiceAccount" | "Service");
    item.previous
        .iter()
        .any(|id| id.name != item.id.name || by_namespace && id.namespace != item.id.namespace)
}

struct Referrer {
    id: ResourceId,
    prefixes: Vec<smol_str::SmolStr>,
    suffixes: Vec<smol_str::SmolStr>,
    /// The kind that a role reference names.
    role: Option<(String, String)>,
}

impl Referrer {
    fn new(item: &Item, names_a_role: bool) -> Referrer {
        let role = names_a_role.then(|| {
            let text = |key: &str| {
                item.node
                    .text_at(&["roleRef", key])
                    .unwrap_or_default()
                    .to_owned()
            };
            (text("apiGroup"), text("kind"))
        });
        Referrer {
            id: item.id.clone(),
            prefixes: item.prefixes.clone(),
            suffixes: item.suffixes.clone(),
            role: role.filter(|(_, kind)| !kind.is_empty()),
        }
    }
}

/// Brings one reference up to date, in whichever form it is written.
fn update(node: &mut Node, referrer: &Referrer, referral: &Referral, targets: &[Item]) {
    let place = node.place;
    match &mut node.value {
        Value::Seq(items) => items
            .iter_mut()
            .for_each(|item| update(item, referrer, referral, targets)),
        Value::Scalar(scalar) => {
            let candidates = targets.iter().collect();
            if let Some(item) = find(&scalar.text, candidates, referrer, referral) {
                scalar.text = item.id.name.clone();
            }
        }
        Value::Map(map) => {
            let Some(name) = map.get("name").and_then(Node::text) else {
                return;
            };
            let candidates = in_namespace(targets, map.get("namespace").and_then(Node::text));
            if let Some(item) = find(name, candidates, referrer, referral) {
                map.set("name", Node::string(item.id.name.clone(), place));
                if !item.id.namespace.is_empty() {
                    map.set("namespace", Node::string(item.id.namespace.clone(), place));
                }
            }
        }
    }
}

/// A stated namespace is the one that the objects had at first, else the one they have now.
fn in_namespace<'a>(targets: &'a [Item], namespace: Option<&str>) -> Vec<&'a Item> {
    let Some(namespace) = namespace else {
        return targets.iter().collect();
    };
    let within = |id: &ResourceId| !is_cluster_scoped(id) && effective(id) == namespace;
    let original: Vec<&Item> = targets
        .iter()
        .filter(|item| within(item.original()))
        .collect();
    match original.is_empty() {
        true => targets.iter().filter(|item| within(&item.id)).collect(),
        false => original,
    }
}

fn effective(id: &ResourceId) -> &str {
    match id.namespace.as_str() {
        "" => "default",
        namespace => namespace,
    }
}

fn find<'a>(
    name: &str,
    mut candidates: Vec<&'a Item>,
    referrer: &Referrer,
    referral: &Referral,
) -> Option<&'a Item> {
    candidates.retain(|item| {
        item.previous.iter().any(|id| id.name == name)
            && item.previous.iter().any(|id| referral.is_to(id))
            && referrer.role.as_ref().is_none_or(|(group, kind)| {
                item.previous
                    .iter()
                    .any(|id| id.group == *group && id.kind == *kind)
            })
            && reachable(&referrer.id, item)
    });
    if candidates.len() > 1 {
        candidates.retain(|item| {
            item.prefixes == referrer.prefixes && item.suffixes == referrer.suffixes
        });
    }
    candidates.first().copied()
}

/// Objects refer to others in their own namespace, and to those in none.
fn reachable(referrer: &ResourceId, item: &Item) -> bool {
    is_cluster_scoped(referrer)
        || item.is_cluster_scoped()
        || item.id.kind == "ServiceAccount"
        || effective(referrer) == effective(&item.id)
}
