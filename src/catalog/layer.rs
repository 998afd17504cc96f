//! Which layer a component belongs to: by configuration, by label, by the unit that creates it,
//! by the comment above its entry, by the directory that it stands in.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Component;
use super::component::{Named, Placement};
use super::gather::objects;
use super::merge_environments;
use super::title::title;
use crate::cluster::{ClusterIx, Clusters, UnitIx};
use crate::input::config::Config;
use base::index::IndexVec;

/// The layer of programs that run for no cluster.
pub const PROGRAMS: &str = "Programs";

/// Names by which the configuration can select a component.
pub fn candidates(component: &Component) -> Vec<&str> {
    let mut names = vec![component.id.0.as_str(), component.namespace.as_str()];
    names.extend(component.source.as_ref().map(|source| source.as_str()));
    names.retain(|name| !name.is_empty());
    names
}

pub fn assign(components: &mut [Component], named: &[Named], clusters: &Clusters, config: &Config) {
    let parents = parents(named, clusters);
    let mut totals = IndexVec::from_elem(0, clusters.len());
    for part in named.iter().flat_map(|named| &named.draft.parts) {
        totals[part.cluster] += 1;
    }
    let each = components.par_iter_mut().zip(named).with_max_len(64);
    each.for_each(|(component, named)| {
        let names = candidates(component);
        let configured = config.layers.iter().find(|layer| layer.matches(&names));
        let part = named.draft.parts.first();
        component.layer = configured
            .map(|layer| layer.name.clone())
            .or_else(|| component.is_program.then(|| PROGRAMS.to_owned()))
            .or_else(|| labelled(part?, clusters))
            .or_else(|| by_parent(part?, clusters, &parents, &totals))
            .or_else(|| heading(part, named, clusters))
            .or_else(|| by_directory(part?, component, clusters));
    });
}

fn labelled(part: &Placement, clusters: &Clusters) -> Option<String> {
    let mut layers =
        objects(part, clusters).filter_map(|object| object.statement.labels.layer.as_ref());
    Some(layers.next()?.value.to_string())
}

/// The parent of a component: the unit itself if it has several releases, else the unit that creates it. The unit
/// that applies an entry point is no layer.
fn parent(part: &Placement, clusters: &Clusters) -> Option<UnitIx> {
    let cluster = &clusters[part.cluster];
    let unit = part.unit?;
    let is_root = |unit: UnitIx| cluster.units[unit].owner == Some(unit);
    // A chart alone applies no files, and so holds none.
    let applied = cluster.units[unit].applied.as_ref();
    let holds_several = applied.is_some_and(|applied| {
        let releases = applied.objects.iter().filter(|object| {
            let unit = object.statement.unit.as_ref();
            unit.is_some_and(|unit| unit.release.is_some())
        });
        releases.count() > 1
    });
    let parent = if holds_several {
        unit
    } else {
        cluster.units[unit].owner?
    };
    (!is_root(parent)).then_some(parent)
}

/// Number of components below each unit.
fn parents(named: &[Named], clusters: &Clusters) -> BTreeMap<(ClusterIx, UnitIx), usize> {
    let mut count = BTreeMap::new();
    for named in named {
        for part in &named.draft.parts {
            if let Some(parent) = parent(part, clusters) {
                *count.entry((part.cluster, parent)).or_insert(0) += 1;
            }
        }
    }
    count
}

fn by_parent(
    part: &Placement,
    clusters: &Clusters,
    parents: &BTreeMap<(ClusterIx, UnitIx), usize>,
    totals: &IndexVec<ClusterIx, usize>,
) -> Option<String> {
    let parent = parent(part, clusters)?;
    let all = totals[part.cluster];
    // A unit above nearly all components is no useful layer.
    let own = parents.get(&(part.cluster, parent)).copied().unwrap_or(0);
    let tells = all < 4 || own * 10 < all * 7;
    let cluster = &clusters[part.cluster];
    let name = &cluster.units[parent].unit.id.name;
    // A component of several environments belongs to one layer, so the environment is cut from the name.
    let shared = match cluster.environments.len() {
        1 => String::new(),
        _ => merge_environments::without(name, part.environment(clusters)),
    };
    tells.then(|| {
        if shared.is_empty() {
            title(name)
        } else {
            title(&shared)
        }
    })
}

fn heading(part: Option<&Placement>, named: &Named, clusters: &Clusters) -> Option<String> {
    let heading = match part {
        Some(part) => part
            .unit
            .and_then(|unit| clusters[part.cluster].units[unit].heading.as_ref()),
        None => named.draft.heading.as_ref(),
    }?;
    Some(heading.to_string())
}

/// The directory between what the parent builds and where the component's unit is declared.
fn by_directory(part: &Placement, component: &Component, clusters: &Clusters) -> Option<String> {
    let cluster = &clusters[part.cluster];
    let unit = part.unit?;
    let owner = cluster.units[unit].owner?;
    let base = cluster.units[owner].directory.as_ref()?;
    let source = component.source.as_ref()?;
    let rest = source
        .as_str()
        .strip_prefix(base.as_str())?
        .trim_start_matches('/');
    let (first, below) = rest.split_once('/')?;
    (!below.is_empty() && owner != unit).then(|| title(first))
}
