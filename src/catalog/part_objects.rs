//! The objects that a part of a component consists of.

use super::component::Placement;
use crate::cluster::{Applied, Clusters, Destination, Object};

/// The objects of a part that its units apply themselves.
pub fn objects<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
) -> impl Iterator<Item = &'a Object> {
    own_objects_in(part, clusters, |_| true).map(|(_, object)| object)
}

/// The objects of a part, those of its chart included, each with the cluster that it is applied to.
pub fn objects_in<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
) -> impl Iterator<Item = (Destination, &'a Object)> {
    own_objects_in(part, clusters, |_| true).chain(yielded_in(part, clusters, |_| true))
}

/// The objects of a part that reach their cluster: a unit that cannot be built applies none.
pub fn applied_objects_in<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
) -> impl Iterator<Item = (Destination, &'a Object)> {
    let is_built = |applied: &Applied| applied.build_fault().is_none();
    own_objects_in(part, clusters, is_built).chain(yielded_in(part, clusters, is_built))
}

/// The objects of a part that its chart yields, each with the cluster that it is applied to.
fn yielded_in<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
    is_wanted: fn(&Applied) -> bool,
) -> impl Iterator<Item = (Destination, &'a Object)> {
    let release = part.release.map(|at| &clusters[part.cluster].units[at]);
    release.into_iter().flat_map(move |unit| {
        let yielded = unit.chart_objects().filter(|applied| is_wanted(applied));
        let objects = yielded.into_iter().flat_map(|applied| &applied.objects);
        let objects = objects.filter(|object| object.statement.unit.is_none());
        objects.map(|object| (unit.target, object))
    })
}

/// The objects of a part that its units apply themselves, each with the cluster that it is applied to.
fn own_objects_in<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
    is_wanted: fn(&Applied) -> bool,
) -> impl Iterator<Item = (Destination, &'a Object)> {
    let cluster = &clusters[part.cluster];
    let applied_by = move |unit| {
        cluster
            .applied_by(unit)
            .filter(|applied| is_wanted(applied))
    };
    let applied = applied_by(part.unit);
    let declared = part.declared.and_then(|declared| {
        let applied = applied_by(declared.owner)?;
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
