//! Compares the objects of a component. A name that ends with another content hash means that the content changed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Change;
use crate::catalog::ComponentResource;
use crate::cluster::ObjectDigest;
use crate::facts::ResourceId;

/// An object that was added, removed or changed.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObjectChange {
    pub kind: String,
    pub namespace: Option<String>,
    /// Without the hash suffix, if only that changed.
    pub name: String,
    pub change: Change,
    /// The version of its API, if that changed.
    pub before: Option<String>,
    pub after: Option<String>,
    /// A field changed that the API server lets nobody change: the object has to be deleted and created again. Only known
    /// for objects of charts.
    #[serde(skip_serializing_if = "is_false")]
    pub immutable: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl ObjectChange {
    /// The order in which people want to know: what goes away or cannot be changed, then CRDs, then what runs.
    pub fn rank(&self) -> usize {
        match (self.change, self.kind.as_str()) {
            (Change::Removed, _) => 0,
            _ if self.immutable => 1,
            (_, "CustomResourceDefinition") => 2,
            (_, "Deployment" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob") => 3,
            _ => 4,
        }
    }
}

/// Identifies an object in a cluster, regardless of its API version.
type ObjectKey<'a> = (&'a str, &'a str, &'a str, &'a str);

pub fn changes(then: &[ComponentResource], now: &[ComponentResource]) -> Vec<ObjectChange> {
    let mut changes = of_charts(then, now);
    let (then, now) = (keyed(then), keyed(now));
    let gone: Vec<&ResourceId> = only(&then, &now);
    let new: Vec<&ResourceId> = only(&now, &then);
    let mut by_stem: BTreeMap<ObjectKey<'_>, (Vec<&ResourceId>, Vec<&ResourceId>)> =
        BTreeMap::new();
    for id in gone {
        by_stem.entry(stem(id)).or_default().0.push(id);
    }
    for id in new {
        by_stem.entry(stem(id)).or_default().1.push(id);
    }
    for (key, (gone, new)) in by_stem {
        if let ([_], [id]) = (&*gone, &*new) {
            changes.push(ObjectChange {
                name: key.3.to_owned(),
                ..change(id, Change::Changed)
            });
            continue;
        }
        changes.extend(gone.iter().map(|id| change(id, Change::Removed)));
        changes.extend(new.iter().map(|id| change(id, Change::Added)));
    }
    for (key, id) in &now {
        if let Some(was) = then.get(key).filter(|was| was.version != id.version) {
            changes.push(ObjectChange {
                before: Some(was.version.to_string()),
                after: Some(id.version.to_string()),
                ..change(id, Change::Changed)
            });
        }
    }
    changes.sort_by(|a, b| {
        let key = |one: &ObjectChange| {
            let namespace = one.namespace.clone();
            (one.kind.clone(), namespace, one.name.clone(), one.change)
        };
        key(a).cmp(&key(b))
    });
    changes
}

/// Objects of charts that hold something else, and go by the same version of their API.
fn of_charts(then: &[ComponentResource], now: &[ComponentResource]) -> Vec<ObjectChange> {
    let digests = |resources: &[ComponentResource]| -> BTreeMap<ResourceId, ObjectDigest> {
        let known = resources.iter();
        let known = known.filter_map(|one| Some((one.id.clone(), one.digest?)));
        known.collect()
    };
    let (then, now) = (digests(then), digests(now));
    let changed = now.iter().filter_map(|(id, digest)| {
        let before = then.get(id).filter(|before| *before != digest)?;
        Some(ObjectChange {
            immutable: before.fixed != digest.fixed,
            ..change(id, Change::Changed)
        })
    });
    changed.collect()
}

fn keyed(resources: &[ComponentResource]) -> BTreeMap<ObjectKey<'_>, &ResourceId> {
    let all = resources.iter().map(|resource| &resource.id);
    all.map(|id| ((&*id.group, &*id.kind, &*id.namespace, &*id.name), id))
        .collect()
}

fn only<'a>(
    these: &BTreeMap<ObjectKey<'a>, &'a ResourceId>,
    others: &BTreeMap<ObjectKey<'a>, &'a ResourceId>,
) -> Vec<&'a ResourceId> {
    let only = these.iter().filter(|(key, _)| !others.contains_key(*key));
    only.map(|(_, id)| *id).collect()
}

/// The object without the kustomize hash (ten characters) that its name may end with.
fn stem(id: &ResourceId) -> ObjectKey<'_> {
    const LETTERS: &[u8] = b"2456789bcdfghkmt";
    let is_hash = |hash: &str| hash.len() == 10 && hash.bytes().all(|b| LETTERS.contains(&b));
    let name = match id.name.rsplit_once('-') {
        Some((stem, hash)) if matches!(&*id.kind, "ConfigMap" | "Secret") && is_hash(hash) => stem,
        _ => &id.name,
    };
    (&id.group, &id.kind, &id.namespace, name)
}

fn change(id: &ResourceId, change: Change) -> ObjectChange {
    ObjectChange {
        kind: id.kind.to_string(),
        namespace: (!id.namespace.is_empty()).then(|| id.namespace.to_string()),
        name: id.name.to_string(),
        change,
        before: None,
        after: None,
        immutable: false,
    }
}
