//! What is outside of all clusters, and who makes it.

use super::super::component::Named;
use super::super::gather::objects;
use crate::cluster::Cluster;
use crate::facts::Target;
use base::hash::HashMap;

/// What is outside of all clusters, by service and name, with the components that create it and the cluster that each is
/// in.
pub type Outside<'a> = HashMap<(&'a str, &'a str), Vec<(usize, usize)>>;

/// Only what somebody runs makes something outside.
pub fn outside<'a>(clusters: &'a [Cluster], named: &'a [Named]) -> Outside<'a> {
    let mut outside = Outside::default();
    let has_runs = |cluster: &Cluster| cluster.units.iter().any(|unit| unit.unit.is_program);
    let runs: Vec<bool> = clusters.iter().map(has_runs).collect();
    for (component, named) in named.iter().enumerate() {
        for part in named.draft.parts.iter().filter(|part| runs[part.cluster]) {
            let provided = objects(part, clusters).flat_map(|object| &object.statement.provides);
            for target in provided {
                if let Target::Outside { service, name } = target {
                    let makers = outside.entry((service, name)).or_default();
                    makers.push((part.cluster, component));
                }
            }
        }
    }
    outside
}
