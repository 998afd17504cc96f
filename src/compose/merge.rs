//! Strategic merge: a partial object laid over a whole one, as kustomize does it. Lists of
//! Kubernetes' own kinds merge by key; all other lists are replaced.

use crate::fact::ResourceId;
use crate::yaml::{Map, Node, Value};

/// Lays `patch` over `target`. Returns `Outcome::Deleted` when the patch deletes the object.
pub fn merge(target: &mut Node, patch: &Node, id: &ResourceId) -> Outcome {
    let schema = Schema {
        kind: is_builtin(id).then_some(id.kind.as_str()),
        above: None,
        key: "",
    };
    match directive(patch) {
        Some(Directive::Delete) => Outcome::Deleted,
        _ => {
            merge_node(target, patch, &schema);
            Outcome::Merged
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Merged,
    Deleted,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    Delete,
    Replace,
    Merge,
}

/// Where in the object a merge stands; the kind is given where its lists are known.
struct Schema<'a> {
    kind: Option<&'a str>,
    above: Option<&'a Schema<'a>>,
    key: &'a str,
}

impl<'a> Schema<'a> {
    fn below(&'a self, key: &'a str) -> Schema<'a> {
        Schema {
            kind: self.kind,
            above: Some(self),
            key,
        }
    }

    fn keys(&self) -> ListMerge {
        let Some(kind) = self.kind else {
            return ListMerge::Replace;
        };
        let mut path = Vec::new();
        let mut schema = self;
        while let Some(above) = schema.above {
            path.push(schema.key);
            schema = above;
        }
        path.reverse();
        list_merge(kind, &path)
    }
}

fn merge_node(target: &mut Node, patch: &Node, schema: &Schema<'_>) {
    match (&mut target.value, &patch.value) {
        (Value::Map(target_map), Value::Map(patch_map)) => match directive(patch) {
            Some(Directive::Replace) => *target = without_directives(patch),
            _ => merge_maps(target_map, patch_map, schema),
        },
        (Value::Seq(target_items), Value::Seq(patch_items)) => {
            match (list_directive(patch_items), schema.keys()) {
                (Some(Directive::Delete), _) => target_items.clear(),
                (Some(Directive::Replace), _) | (_, ListMerge::Replace) => {
                    *target = without_directives(patch);
                }
                (_, ListMerge::Keys(keys)) => merge_lists(target_items, patch_items, keys, schema),
                (_, ListMerge::Set) => merge_sets(target_items, patch_items),
            }
        }
        _ => *target = without_directives(patch),
    }
}

fn merge_maps(target: &mut Map, patch: &Map, schema: &Schema<'_>) {
    for entry in &patch.0 {
        if entry.key.starts_with('$') {
            continue;
        }
        if entry.value.is_null() || directive(&entry.value) == Some(Directive::Delete) {
            target.remove(&entry.key);
            continue;
        }
        match target.get_mut(&entry.key) {
            Some(node) if !node.is_null() => {
                merge_node(node, &entry.value, &schema.below(&entry.key))
            }
            Some(node) => *node = without_directives(&entry.value),
            None => {
                let value = without_directives(&entry.value);
                target.0.push(crate::yaml::Entry {
                    key: entry.key.clone(),
                    key_place: entry.key_place,
                    value,
                });
            }
        }
    }
}

/// Elements of the patch come first, in its order; those that only the target has follow.
fn merge_lists(target: &mut Vec<Node>, patch: &[Node], keys: &[&str], schema: &Schema<'_>) {
    let mut rest: Vec<Option<Node>> = std::mem::take(target).into_iter().map(Some).collect();
    let mut deleted_by_patch = Vec::new();
    for element in patch {
        if is_list_directive(element) {
            continue;
        }
        let matching = rest.iter().position(|candidate| {
            candidate
                .as_ref()
                .is_some_and(|candidate| same_element(candidate, element, keys))
        });
        if directive(element) == Some(Directive::Delete) {
            deleted_by_patch.push(element);
            continue;
        }
        let existing = matching.and_then(|index| rest[index].take());
        target.push(match existing {
            Some(mut node) => {
                merge_node(&mut node, element, schema);
                node
            }
            None => without_directives(element),
        });
    }
    rest.retain(|candidate| {
        !candidate.as_ref().is_some_and(|candidate| {
            deleted_by_patch
                .iter()
                .any(|element| same_element(candidate, element, keys))
        })
    });
    target.extend(rest.into_iter().flatten());
}

fn merge_sets(target: &mut Vec<Node>, patch: &[Node]) {
    let old = std::mem::replace(target, patch.to_vec());
    for node in old {
        if !target.iter().any(|other| other.same(&node)) {
            target.push(node);
        }
    }
}

/// Elements are the same when they agree on every key that the patch states.
fn same_element(candidate: &Node, element: &Node, keys: &[&str]) -> bool {
    let stated = keys.iter().filter(|key| element.get(key).is_some());
    let mut any = false;
    let agree = stated.into_iter().all(|key| {
        any = true;
        match (candidate.get(key), element.get(key)) {
            (Some(a), Some(b)) => a.text() == b.text(),
            _ => false,
        }
    });
    any && agree
}

fn directive(node: &Node) -> Option<Directive> {
    match node.get("$patch")?.text()? {
        "delete" => Some(Directive::Delete),
        "replace" => Some(Directive::Replace),
        "merge" => Some(Directive::Merge),
        _ => None,
    }
}

/// An element that says something about the whole list: only a directive, and no key.
fn is_list_directive(node: &Node) -> bool {
    node.entries().len() == 1 && directive(node).is_some()
}

fn list_directive(items: &[Node]) -> Option<Directive> {
    items
        .iter()
        .find(|item| is_list_directive(item))
        .and_then(directive)
}

/// What a patch adds anew: directives and deletions in it have nothing to act on.
fn without_directives(node: &Node) -> Node {
    let value = match &node.value {
        Value::Scalar(_) => node.value.clone(),
        Value::Seq(items) => Value::Seq(
            items
                .iter()
                .filter(|item| {
                    !is_list_directive(item) && directive(item) != Some(Directive::Delete)
                })
                .map(without_directives)
                .collect(),
        ),
        Value::Map(map) => Value::Map(Map(map
            .0
            .iter()
            .filter(|entry| !entry.key.starts_with('$') && !entry.value.is_null())
            .map(|entry| crate::yaml::Entry {
                key: entry.key.clone(),
                key_place: entry.key_place,
                value: without_directives(&entry.value),
            })
            .collect())),
    };
    Node {
        value,
        place: node.place,
    }
}

enum ListMerge {
    Replace,
    Keys(&'static [&'static str]),
    Set,
}

/// How Kubernetes' own lists merge, by the last parts of their path.
fn list_merge(kind: &str, path: &[&str]) -> ListMerge {
    const POD_LISTS: &[(&str, &[&str])] = &[
        ("containers", &["name"]),
        ("initContainers", &["name"]),
        ("ephemeralContainers", &["name"]),
        ("volumes", &["name"]),
        ("imagePullSecrets", &["name"]),
        ("hostAliases", &["ip"]),
        (
            "topologySpreadConstraints",
            &["topologyKey", "whenUnsatisfiable"],
        ),
        ("schedulingGates", &["name"]),
        ("resourceClaims", &["name"]),
    ];
    const CONTAINER_LISTS: &[(&str, &[&str])] = &[
        ("env", &["name"]),
        ("ports", &["containerPort", "protocol"]),
        ("volumeMounts", &["mountPath"]),
        ("volumeDevices", &["devicePath"]),
    ];
    let find = |lists: &[(&str, &'static [&'static str])], name: &str| {
        lists
            .iter()
            .find(|(list, _)| *list == name)
            .map(|(_, keys)| ListMerge::Keys(keys))
    };
    let found = match path {
        ["metadata", "finalizers"] | [.., "metadata", "finalizers"] => Some(ListMerge::Set),
        ["metadata", "ownerReferences"] => Some(ListMerge::Keys(&["uid"])),
        ["imagePullSecrets" | "secrets"] if kind == "ServiceAccount" => {
            Some(ListMerge::Keys(&["name"]))
        }
        ["spec", "ports"] if kind == "Service" => Some(ListMerge::Keys(&["port", "protocol"])),
        ["webhooks"] => Some(ListMerge::Keys(&["name"])),
        ["status", "conditions"] => Some(ListMerge::Keys(&["type"])),
        [
            ..,
            "containers" | "initContainers" | "ephemeralContainers",
            list,
        ] => find(CONTAINER_LISTS, list),
        [.., "spec", list] => find(POD_LISTS, list),
        _ => None,
    };
    found.unwrap_or(ListMerge::Replace)
}

/// Whether the kind is one of Kubernetes' own, whose lists have known keys.
fn is_builtin(id: &ResourceId) -> bool {
    matches!(
        id.group.as_str(),
        "" | "apps" | "batch" | "policy" | "autoscaling" | "extensions"
    ) || id.group.ends_with(".k8s.io")
        && !id.group.contains(".x-k8s.io")
        && id.group != "gateway.networking.k8s.io"
}
