//! External resources, outside of all clusters, and the components that create them.

use super::super::component::NamedComponent;
use super::super::part_objects::objects;
use super::ComponentIx;
use crate::cluster::{Cluster, ClusterIx, Clusters};
use crate::facts::Target;
use base::hash::HashMap;
use base::index::IndexVec;

/// External resources by service and name. Each has the components that create it, as (cluster, component).
pub type Outside<'a> = HashMap<(&'a str, &'a str), Vec<(ClusterIx, ComponentIx)>>;

/// Collects external resources. Only programs that somebody runs create them.
pub fn outside<'a>(
    clusters: &'a Clusters,
    named: &'a IndexVec<ComponentIx, NamedComponent>,
) -> Outside<'a> {
    let mut outside = Outside::default();
    let has_runs = |cluster: &Cluster| cluster.units.iter().any(|unit| unit.unit.is_program());
    let runs: IndexVec<ClusterIx, bool> = clusters.iter().map(has_runs).collect();
    for (component, named) in named.iter_enumerated() {
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
