//! The objects that a part of a component consists of.

use super::component::Placement;
use crate::cluster::{Clusters, Destination, Object};

/// The objects of a part that its units apply themselves.
pub fn objects<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
) -> impl Iterator<Item = &'a Object> {
    own_objects_in(part, clusters).map(|(_, object)| object)
}

/// The objects of a part, those of its chart included, each with the cluster that it is applied to.
pub fn objects_in<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
) -> impl Iterator<Item = (Destination, &'a Object)> {
    let cluster = &clusters[part.cluster];
    let release = part.release.map(|release| &cluster.units[release]);
    let yielded = release.into_iter().flat_map(|unit| {
        let objects = unit.chart_objects().into_iter();
        let objects = objects.flat_map(|applied| &applied.objects);
        let objects = objects.filter(|object| object.statement.unit.is_none());
        objects.map(|object| (unit.target, object))
    });
    own_objects_in(part, clusters).chain(yielded)
}

/// The objects of a part that its units apply themselves, each with the cluster that it is applied to.
fn own_objects_in<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
) -> impl Iterator<Item = (Destination, &'a Object)> {
    let cluster = &clusters[part.cluster];
    let applied = cluster.applied_by(part.unit);
    let declared = part.declared.and_then(|declared| {
        let applied = cluster.applied_by(declared.owner)?;
        let object = applied.objects.get(declared.object)?;
        Some((cluster.target_of(declared.owner), object))
    });
    let target = cluster.target_of(part.unit);
    let own = part
        .objects
        .iter()
        .filter_map(move |at| applied?.objects.get(*at));
    declared
        .into_iter()
        .chain(own.map(move |object| (target, object)))
}
