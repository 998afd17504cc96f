//! What an assembly changes in all its objects: namespace, names, labels, annotations, images and
//! replicas.

use smol_str::SmolStr;

use super::field::{Create, Field, exists, visit};
use super::item::Item;
use super::table::{self, Extra};
use crate::diagnostic::{Finding, Place};
use crate::fact::{Entry, Image, LabelReach, LabelSet, Located, Replica};
use crate::yaml::{Node, Value};

pub fn namespace(items: &mut [Item], namespace: &Located<SmolStr>, extra: &Extra) {
    let text = namespace.value.as_str();
    for item in items {
        if !item.is_cluster_scoped() {
            item.remember();
            item.set_namespace(text, namespace.place);
        }
        if matches!(item.id.kind.as_str(), "RoleBinding" | "ClusterRoleBinding") {
            set_default_subjects(item, namespace);
        }
        let fields = table::NAMESPACES.iter().chain(&extra.namespaces);
        for field in fields
            .filter(|field| field.applies_to(&item.id))
            .collect::<Vec<_>>()
        {
            if field.path == ["metadata", "namespace"] {
                continue;
            }
            item.remember();
            set(item, field, &|node| {
                node.value = Node::string(text, node.place).value;
            });
            item.refresh();
        }
    }
}

/// A binding to an account called `default` means the one of this namespace.
fn set_default_subjects(item: &mut Item, namespace: &Located<SmolStr>) {
    let is_default = |subject: &Node| subject.text_at(&["name"]) == Some("default");
    if !item.node.items_at("subjects").iter().any(is_default) {
        return;
    }
    let Some(subjects) = item
        .node_mut()
        .get_mut("subjects")
        .and_then(Node::as_seq_mut)
    else {
        return;
    };
    for subject in subjects.iter_mut().filter(|subject| is_default(subject)) {
        if let Some(map) = subject.as_map_mut() {
            map.set(
                "namespace",
                Node::string(namespace.value.clone(), namespace.place),
            );
        }
    }
}

/// Kinds whose names are not free to choose are left alone.
pub fn prefix_and_suffix(items: &mut [Item], prefix: &SmolStr, suffix: &SmolStr) {
    let fixed = |item: &Item| {
        matches!(
            item.id.kind.as_str(),
            "CustomResourceDefinition" | "Namespace"
        ) || item.id.is("apiregistration.k8s.io", "APIService")
    };
    for item in items.iter_mut().filter(|item| !fixed(item)) {
        if !prefix.is_empty() {
            item.prefixes.push(prefix.clone());
            item.set_name(&format!("{prefix}{}", item.id.name));
        }
        if !suffix.is_empty() {
            item.suffixes.push(suffix.clone());
            item.set_name(&format!("{}{suffix}", item.id.name));
        }
    }
}

pub fn labels(items: &mut [Item], set: &LabelSet, extra: &Extra) {
    let metadata = Field::new("", "metadata/labels", Create::Missing);
    let mut fields: Vec<&Field> = vec![&metadata];
    if set.reach != LabelReach::Metadata {
        fields.extend(table::TEMPLATE_LABELS.iter());
    }
    if set.reach == LabelReach::Selectors {
        fields.extend(table::SELECTORS.iter());
        fields.extend(&extra.labels);
    }
    let own: Vec<Field> = set
        .fields
        .iter()
        .map(|field| {
            Field::new(
                &field.kind,
                &field.path,
                if field.create {
                    Create::Missing
                } else {
                    Create::Never
                },
            )
        })
        .collect();
    fields.extend(&own);
    set_pairs(items, &fields, &set.pairs);
}

pub fn annotations(items: &mut [Item], pairs: &[Entry], extra: &Extra) {
    let metadata = Field::new("", "metadata/annotations", Create::Missing);
    let mut fields: Vec<&Field> = vec![&metadata];
    fields.extend(table::TEMPLATE_ANNOTATIONS.iter());
    fields.extend(&extra.annotations);
    set_pairs(items, &fields, pairs);
}

/// Sets labels or annotations on the object itself and nothing below it.
pub fn metadata(items: &mut [Item], key: &str, pairs: &[Entry]) {
    let field = Field::new("", &format!("metadata/{key}"), Create::Missing);
    set_pairs(items, &[&field], pairs);
}

fn set_pairs(items: &mut [Item], fields: &[&Field], pairs: &[Entry]) {
    if pairs.is_empty() {
        return;
    }
    for item in items {
        let id = item.id.clone();
        for field in fields.iter().filter(|field| field.applies_to(&id)) {
            set(item, field, &|node| {
                if node.as_map().is_none() {
                    node.value = Node::map(node.place).value;
                }
                let map = node.as_map_mut().expect("made a mapping just above");
                for pair in pairs {
                    map.set(&pair.key, Node::string(pair.value.clone(), pair.place));
                }
            });
        }
    }
}

/// Changes a field, and copies the tree only when there is something to change.
fn set(item: &mut Item, field: &Field, change: &dyn Fn(&mut Node)) {
    if field.create == Create::Missing || exists(&item.node, &field.path) {
        visit(item.node_mut(), &field.path, field.create, &mut |node| {
            change(node)
        });
    }
}

pub fn images(items: &mut [Item], images: &[Image], extra: &Extra) {
    if images.is_empty() {
        return;
    }
    for item in items
        .iter_mut()
        .filter(|item| item.id.kind != "CustomResourceDefinition")
    {
        if has_containers(&item.node) {
            for image in images {
                set_images(item.node_mut(), image);
            }
        }
        let id = item.id.clone();
        for field in extra.images.iter().filter(|field| field.applies_to(&id)) {
            for image in images {
                set(item, field, &|node| set_image(node, image));
            }
        }
    }
}

fn has_containers(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(_) => false,
        Value::Seq(items) => items.iter().any(has_containers),
        Value::Map(map) => map
            .0
            .iter()
            .any(|entry| is_container_list(&entry.key) || has_containers(&entry.value)),
    }
}

fn is_container_list(key: &str) -> bool {
    matches!(key, "containers" | "initContainers")
}

/// Every list of containers counts, wherever it stands, so that custom resources are covered.
fn set_images(node: &mut Node, image: &Image) {
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Seq(items) => items.iter_mut().for_each(|item| set_images(item, image)),
        Value::Map(map) => {
            for entry in &mut map.0 {
                if is_container_list(&entry.key)
                    && let Some(containers) = entry.value.as_seq_mut()
                {
                    for container in containers {
                        if let Some(node) = container.get_mut("image") {
                            set_image(node, image);
                        }
                    }
                } else {
                    set_images(&mut entry.value, image);
                }
            }
        }
    }
}

fn set_image(node: &mut Node, image: &Image) {
    let Some(old) = node.text() else {
        return;
    };
    let (name, tag, digest) = split_image(old);
    if name != image.name {
        return;
    }
    let name = match image.new_name.is_empty() {
        true => name,
        false => &image.new_name,
    };
    let new = match (image.new_tag.is_empty(), image.digest.is_empty()) {
        (_, false) if image.new_tag.is_empty() => format!("{name}@{}", image.digest),
        (_, false) => format!("{name}:{}@{}", image.new_tag, image.digest),
        (false, true) => format!("{name}:{}{}", image.new_tag, image.tag_suffix),
        (true, true) => {
            let tag = tag
                .map(|tag| format!(":{tag}{}", image.tag_suffix))
                .unwrap_or_default();
            let digest = digest
                .map(|digest| format!("@{digest}"))
                .unwrap_or_default();
            format!("{name}{tag}{digest}")
        }
    };
    let place = image.place;
    *node = Node::plain(new, place);
}

/// Name, tag and digest of an image; a port in the registry's name is no tag.
pub fn split_image(image: &str) -> (&str, Option<&str>, Option<&str>) {
    let (rest, digest) = match image.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (image, None),
    };
    match rest.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag), digest),
        _ => (rest, None, digest),
    }
}

pub fn replicas(items: &mut [Item], replica: &Replica, extra: &Extra, findings: &mut Vec<Finding>) {
    const SCALED: &[&str] = &[
        "Deployment",
        "ReplicationController",
        "ReplicaSet",
        "StatefulSet",
    ];
    let mut found = false;
    for item in items.iter_mut() {
        let named = item.identities().any(|id| id.name == replica.name);
        if !named {
            continue;
        }
        let mut fields: Vec<Field> = SCALED
            .iter()
            .map(|kind| Field::new(kind, "spec/replicas", Create::Missing))
            .collect();
        fields.extend(extra.replicas.iter().cloned());
        let id = item.id.clone();
        for field in fields.iter().filter(|field| field.applies_to(&id)) {
            found = true;
            set(item, field, &|node| {
                *node = Node::plain(replica.count.clone(), replica.place);
            });
        }
    }
    if !found {
        findings.push(missing_replica(replica, replica.place));
    }
}

fn missing_replica(replica: &Replica, place: Place) -> Finding {
    Finding::error(
        "replicas-without-object",
        place,
        format!(
            "`replicas` names `{}`, which is not among what is included here",
            replica.name
        ),
    )
    .help("correct the name or remove the entry: kustomize refuses it")
}
