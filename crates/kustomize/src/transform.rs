//! Changes to all objects of a kustomization: namespace, names, labels, annotations and replicas.

use std::fmt;
use std::num::NonZeroU32;

use smol_str::SmolStr;

use super::field::{Create, ObjectField, any, is_blocked, visit};
use super::item::BuildObject;
use crate::{KeyValue, Located, Replica, ResourceId, Subjects};
use base::Finding;
use base::hash::{HashMap, HashSet};
use yaml::{Map, Node, Scalar, Style, Value};

/// A namespace to set, and the subjects of bindings that get it.
pub struct Namespacing<'a> {
    pub namespace: &'a Located<SmolStr>,
    pub subjects: Subjects,
    /// Whether objects that have a namespace keep it.
    pub only_unset: bool,
}

pub fn namespace(
    items: &mut [BuildObject],
    to: &Namespacing<'_>,
    fields: &[&ObjectField],
    findings: &mut Vec<Finding>,
) {
    let text = &to.namespace.value;
    let place = to.namespace.place;
    let fills = |node: Option<&Node>| !to.only_unset || node.and_then(Node::text).is_none();
    for item in items.iter_mut() {
        item.remember();
        if !item.is_cluster_scoped()
            && item.id.namespace != *text
            && fills(item.node.at(&["metadata", "namespace"]))
        {
            item.set_namespace(text, place);
        }
        if matches!(item.id.kind.as_str(), "RoleBinding" | "ClusterRoleBinding") {
            set_subjects(item, to);
        }
        let id = item.id.clone();
        for field in fields.iter().filter(|field| field.applies_to(&id)) {
            if field.is(&["metadata", "namespace"]) || field.is(&["subjects", "namespace"]) {
                continue;
            }
            // A kind of that name in another group, such as `servicebus.azure.com`, keeps its name.
            if field.kind == "Namespace" && field.is(&["metadata", "name"]) && !id.group.is_empty()
            {
                continue;
            }
            set(item, field, &|node| {
                if fills(Some(node)) {
                    *node = Node::string(text.clone(), place);
                }
            });
            item.refresh();
        }
    }
    report_conflicts(items, format_args!("the namespace `{text}`"), findings);
}

/// Sets a namespace on objects that have none.
pub fn default_namespace(items: &mut [BuildObject], namespace: &Located<SmolStr>) {
    for item in items {
        let is_wide = item.is_cluster_scoped() || WIDE.contains(&item.id.kind.as_str());
        let is_wide = is_wide || item.id.kind.starts_with("Cluster");
        if item.id.namespace.is_empty() && !is_wide {
            item.set_namespace(&namespace.value, namespace.place);
        }
    }
}

/// Cluster-scoped kinds of extensions whose name does not say so.
const WIDE: &[&str] = &[
    "GatewayClass",
    "CiliumLoadBalancerIPPool",
    "CiliumL2AnnouncementPolicy",
    "CiliumClusterwideNetworkPolicy",
    "CiliumBGPClusterConfig",
    "CiliumBGPPeerConfig",
    "CiliumBGPAdvertisement",
    "NodePool",
    "EC2NodeClass",
    "ConstraintTemplate",
    "CompositeResourceDefinition",
    "Composition",
    "Provider",
    "VolumeSnapshotClass",
    "Tenant",
];

/// Whether all identities differ, for a few objects; false for more, without comparing them.
pub fn are_distinct(items: &[BuildObject]) -> bool {
    const FEW: usize = 12;
    let is_new = |(at, item): (usize, &BuildObject)| {
        let mut before = items[..at].iter();
        !before.any(|other| other.id.name == item.id.name && other.id.kind == item.id.kind)
    };
    items.len() <= FEW && items.iter().enumerate().all(is_new)
}

/// Reports objects that a change left with the same identity.
pub fn report_conflicts(
    items: &[BuildObject],
    cause: fmt::Arguments<'_>,
    findings: &mut Vec<Finding>,
) {
    if are_distinct(items) {
        return;
    }
    let mut seen: HashSet<&ResourceId> =
        HashSet::with_capacity_and_hasher(items.len(), Default::default());
    for item in items {
        if !seen.insert(&item.id) {
            findings.push(
                Finding::error(
                    "identity-conflict",
                    item.place,
                    format!(
                        "{cause} makes this the second {} of the build, so the kustomize build fails",
                        item.id
                    ),
                )
                .help("rename or remove one of the two"),
            );
        }
    }
}

/// Sets the namespace of subjects: an account called `default` is that of this namespace.
fn set_subjects(item: &mut BuildObject, to: &Namespacing<'_>) {
    let takes = |subject: &Node| match to.subjects {
        Subjects::Default => subject.text_at(&["name"]) == Some("default"),
        Subjects::ServiceAccounts => subject.text_at(&["kind"]) == Some("ServiceAccount"),
        Subjects::None => false,
    };
    if !item.node.items_at("subjects").iter().any(takes) {
        return;
    }
    let subjects = item
        .node_mut()
        .get_mut("subjects")
        .and_then(Node::as_seq_mut);
    for subject in subjects
        .into_iter()
        .flatten()
        .filter(|subject| takes(subject))
    {
        let unset = subject.text_at(&["namespace"]).is_none();
        if let Some(map) = subject.as_map_mut()
            && (unset || !to.only_unset)
        {
            let namespace = to.namespace;
            map.set(
                "namespace",
                Node::string(namespace.value.clone(), namespace.place),
            );
        }
    }
}

/// A prefix or suffix of names.
#[derive(Clone, Copy)]
pub enum Affix<'a> {
    Prefix(&'a SmolStr),
    Suffix(&'a SmolStr),
}

/// Adds a prefix or suffix, except to kinds whose names are fixed.
pub fn affix(items: &mut [BuildObject], affix: Affix<'_>, fields: &[&ObjectField]) {
    let fixed = |item: &BuildObject| {
        let id = item.original();
        matches!(id.kind.as_str(), "CustomResourceDefinition" | "Namespace")
            || id.is("apiregistration.k8s.io", "APIService")
    };
    let (Affix::Prefix(text) | Affix::Suffix(text)) = affix;
    if text.is_empty() {
        return;
    }
    for item in items.iter_mut().filter(|item| !fixed(item)) {
        let id = item.original().clone();
        for field in fields.iter().filter(|field| field.applies_to(&id)) {
            if field.is(&["metadata", "name"]) {
                item.remember();
                match affix {
                    Affix::Prefix(text) => item.prefixes.push(text.clone()),
                    Affix::Suffix(text) => item.suffixes.push(text.clone()),
                }
            }
            set(item, field, &|node| {
                let Some(old) = node.as_scalar().map(|scalar| scalar.text.as_str()) else {
                    return;
                };
                let new = match affix {
                    Affix::Prefix(text) => format!("{text}{old}"),
                    Affix::Suffix(text) => format!("{old}{text}"),
                };
                node.value = Value::Scalar(Scalar::string(new));
            });
            item.refresh();
        }
    }
}

/// Sets labels or annotations of the object itself only, as a Flux Kustomization does.
pub fn metadata(items: &mut [BuildObject], key: &str, pairs: &[KeyValue]) {
    if pairs.is_empty() {
        return;
    }
    let field = ObjectField::new("", &format!("metadata/{key}"), Create::Missing);
    pairs_in(items, &[&field], pairs);
}

/// Sets labels or annotations in fields. A value that is new in several fields of an object is one shared value, as in
/// kustomize: a later change of one changes all.
pub fn pairs_in(items: &mut [BuildObject], fields: &[&ObjectField], pairs: &[KeyValue]) {
    if pairs.is_empty() {
        return;
    }
    for item in items {
        let id = item.id.clone();
        let values: Vec<Scalar> = pairs.iter().map(|pair| item.share(&pair.value)).collect();
        let mut changed = HashMap::default();
        for field in fields.iter().filter(|field| field.applies_to(&id)) {
            if field.create == Create::Never && !exists(item, field) {
                continue;
            }
            visit(item.node_mut(), &field.path, field.create, &mut |node| {
                if node.is_null() {
                    node.value = Node::map(node.place).value;
                }
                if let Some(map) = node.as_map_mut() {
                    put_pairs(map, pairs, &values, &mut changed);
                }
            });
        }
        if !changed.is_empty() {
            change_all_shared(item.node_mut(), &changed);
        }
    }
}

/// Sets pairs in one mapping, and collects shared values that changed.
fn put_pairs<'v>(
    map: &mut Map,
    pairs: &[KeyValue],
    values: &'v [Scalar],
    changed: &mut HashMap<NonZeroU32, &'v Scalar>,
) {
    // Searching all keys for each of many pairs is quadratic.
    let mut known: Option<HashMap<SmolStr, usize>> = (pairs.len() > FEW_PAIRS).then(|| {
        let keys = map.0.iter().enumerate();
        keys.rev()
            .map(|(at, entry)| (entry.key.clone(), at))
            .collect()
    });
    for (pair, value) in pairs.iter().zip(values) {
        let at = match &known {
            Some(known) => known.get(&pair.key).copied(),
            None => map.0.iter().position(|entry| entry.key == pair.key),
        };
        let Some(at) = at else {
            if let Some(known) = &mut known {
                known.insert(pair.key.clone(), map.0.len());
            }
            let node = Node {
                value: Value::Scalar(value.clone()),
                place: pair.place,
            };
            map.push(pair.key.clone(), node);
            continue;
        };
        let old = &mut map.0[at].value;
        let (style, shared) = match old.as_scalar() {
            Some(old) if old.style != Style::Plain => (old.style, old.shared),
            Some(old) => (value.style, old.shared),
            None => (value.style, None),
        };
        if let Some(shared) = shared.filter(|old| Some(*old) != value.shared) {
            changed.insert(shared, value);
        }
        old.place = pair.place;
        old.value = Value::Scalar(Scalar {
            text: pair.value.clone(),
            style,
            shared,
        });
    }
}

/// Up to this many pairs, a linear search is faster than an index.
const FEW_PAIRS: usize = 16;

/// Changes all values that share their text with a changed one, in one walk.
fn change_all_shared(node: &mut Node, changed: &HashMap<NonZeroU32, &Scalar>) {
    match &mut node.value {
        Value::Scalar(scalar) => {
            let to = scalar.shared.and_then(|shared| changed.get(&shared));
            if let Some(to) = to {
                scalar.text = to.text.clone();
                scalar.style = to.style;
            }
        }
        Value::Seq(items) => items
            .iter_mut()
            .for_each(|item| change_all_shared(item, changed)),
        Value::Map(map) => map
            .0
            .iter_mut()
            .for_each(|entry| change_all_shared(&mut entry.value, changed)),
    }
}

fn exists(item: &BuildObject, field: &ObjectField) -> bool {
    any(&item.node, &field.path, &mut |_| true)
}

/// Reports fields whose path runs into a scalar.
pub fn report_blocked(items: &[BuildObject], fields: &[&ObjectField], findings: &mut Vec<Finding>) {
    for item in items {
        let fields = fields.iter().filter(|field| field.applies_to(&item.id));
        for field in fields.filter(|field| is_blocked(&item.node, &field.path)) {
            let keys: Vec<&str> = field
                .path
                .iter()
                .map(|segment| segment.key.as_str())
                .collect();
            findings.push(
                Finding::error(
                    "field-blocked",
                    item.place,
                    format!(
                        "the path `{}` of {} leads into a scalar, so the kustomize build fails",
                        keys.join("/"),
                        item.id
                    ),
                )
                .help("correct the object, or the configured path"),
            );
        }
    }
}

/// Changes a field, and copies the tree only if something changes.
pub fn set(item: &mut BuildObject, field: &ObjectField, change: &dyn Fn(&mut Node)) {
    if field.create == Create::Missing || exists(item, field) {
        visit(item.node_mut(), &field.path, field.create, &mut |node| {
            change(node)
        });
    }
}

pub fn replicas(
    items: &mut [BuildObject],
    replica: &Replica,
    fields: &[&ObjectField],
    findings: &mut Vec<Finding>,
) {
    let mut found = false;
    for item in items
        .iter_mut()
        .filter(|item| item.is_called(&replica.name))
    {
        let id = item.id.clone();
        for field in fields.iter().filter(|field| field.applies_to(&id)) {
            found = true;
            set(item, field, &|node| {
                *node = Node::plain(replica.count.clone(), replica.place);
            });
        }
    }
    if !found {
        findings.push(
            Finding::error(
                "replicas-without-object",
                replica.place,
                format!(
                    "`replicas` names `{}`, which this kustomization does not include, so the kustomize build fails",
                    replica.name
                ),
            )
            .help("correct the name, or remove the entry"),
        );
    }
}
