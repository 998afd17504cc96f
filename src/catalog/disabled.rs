//! Disabled components: nothing applies them, but people still look for them.

use std::collections::BTreeMap;

use super::Status;
use super::component::{ComponentDraft, ComponentKey};
use super::name;
use crate::cluster::{Cluster, Clusters};

/// Adds a component for each commented-out entry. A unit that another cluster has is not disabled.
pub fn add(
    cluster: &Cluster,
    clusters: &Clusters,
    drafts: &mut BTreeMap<ComponentKey, ComponentDraft>,
) {
    let elsewhere = |unit| clusters.iter().any(|other| other.position(unit).is_some());
    for off in cluster.disabled.iter().filter(|off| !elsewhere(&off.unit)) {
        let key = ComponentKey::Unit {
            kind: off.unit.kind.clone(),
            namespace: off.unit.namespace.clone(),
            name: off.unit.name.clone(),
        };
        drafts.entry(key).or_insert_with(|| {
            let mut names = vec![off.unit.name.clone()];
            names.extend(name::directory_names(&off.directory));
            ComponentDraft {
                names,
                apart: None,
                scope: off.unit.namespace.clone(),
                kind: off.kind.clone(),
                parts: Vec::new(),
                status: Status::Disabled,
                source: Some(off.directory.clone()),
                place: off.place,
                namespace: off.namespace.clone(),
            }
        });
    }
}
