//! Components that somebody switched off: nothing brings them, and people look for them all the same.

use std::collections::BTreeMap;

use super::Status;
use super::component::{Draft, Key};
use super::name;
use crate::cluster::Cluster;

/// Entries that are commented out stand for components that somebody switched off.
/// What another cluster has is not off: that cluster alone goes without.
pub fn add(cluster: &Cluster, clusters: &[Cluster], drafts: &mut BTreeMap<Key, Draft>) {
    let elsewhere = |unit| clusters.iter().any(|other| other.position(unit).is_some());
    for off in cluster.disabled.iter().filter(|off| !elsewhere(&off.unit)) {
        let key = Key::Unit {
            kind: off.unit.kind.clone(),
            namespace: off.unit.namespace.clone(),
            name: off.unit.name.clone(),
        };
        drafts.entry(key).or_insert_with(|| {
            let mut names = vec![off.unit.name.clone()];
            names.extend(name::directory_names(&off.directory));
            Draft {
                names,
                apart: None,
                scope: off.unit.namespace.clone(),
                kind: off.kind.clone(),
                parts: Vec::new(),
                status: Status::Disabled,
                source: Some(off.directory.clone()),
                place: off.place,
                heading: off.heading.clone(),
                namespace: off.namespace.clone(),
            }
        });
    }
}
