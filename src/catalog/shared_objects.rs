//! Assigns objects next to several releases to the release that they serve.

use super::running::is_related;
use crate::cluster::{Cluster, ObjectIx, Objects, UnitIx};
use crate::facts::{Statement, Target};
use crate::input::repo::Repo;

/// Whether an object belongs to the release if that is the only one in its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    Belongs,
    Nothing,
}

/// So many directories above an object may be that of its release.
const MAX_ABOVE: usize = 3;

/// A unit that installs something, and the object that declares it.
#[derive(Debug, Clone, Copy)]
pub struct Release {
    pub object: ObjectIx,
    pub unit: UnitIx,
}

/// For each release, its own object and related ones. Related objects refer to it, are referred to by it, or share a
/// directory with it alone.
pub fn serve(
    repo: &Repo,
    cluster: &Cluster,
    objects: &Objects,
    releases: &[Release],
    beside: Beside,
) -> Vec<Vec<ObjectIx>> {
    let own = releases.iter().map(|release| vec![release.object]);
    let mut served: Vec<Vec<ObjectIx>> = own.collect();
    let names: Vec<&str> = releases
        .iter()
        .map(|release| cluster.units[release.unit].unit.id.name.as_str())
        .collect();
    for (at, object) in objects.iter_enumerated() {
        if releases.iter().any(|release| release.object == at) || object.statement.unit.is_some() {
            continue;
        }
        let statement = &object.statement;
        let referring: Vec<usize> = (0..releases.len())
            .filter(|nth| {
                let release = &objects[releases[*nth].object].statement;
                let mut references = release.references.iter();
                references.any(|reference| is_about(&reference.target, statement))
                    || chart_source_is(release, statement)
            })
            .collect();
        // An object that several releases use belongs to none of them.
        if referring.len() > 1 {
            continue;
        }
        let by_reference = referring.first().copied();
        // What is called like a release, in its namespace, is its own, even if requests pass through another one.
        let by_name = || {
            let mut all = releases.iter();
            all.position(|release| {
                let unit = &cluster.units[release.unit].unit;
                let of_release = unit.release.as_ref();
                unit.id.name == statement.id.name
                    && of_release.is_some_and(|it| it.target_namespace == statement.id.namespace)
            })
        };
        let by_directory = || {
            if beside == Beside::Nothing {
                return None;
            }
            let directory = |at: ObjectIx| repo.path(objects[at].statement.place.file).parent();
            let mut here = directory(at)?;
            for above in 0..MAX_ABOVE {
                let is_here =
                    |nth: &usize| directory(releases[*nth].object).as_ref() == Some(&here);
                let mut beside = (0..releases.len()).filter(is_here);
                if let Some(first) = beside.next() {
                    // The directory of a release has parts of it below.
                    let is_its = above == 0 || is_related(here.file_name(), names[first]);
                    return Some(first).filter(|_| is_its && beside.next().is_none());
                }
                here = here.parent()?;
            }
            None
        };
        let by_target = || {
            let mut best: Option<(usize, usize)> = None;
            let targets = statement
                .references
                .iter()
                .map(|reference| &reference.target);
            let services = targets.filter_map(|target| match target {
                Target::Object { kind, name, .. } if kind == "Service" => Some(name.as_str()),
                _ => None,
            });
            for service in services.chain([statement.id.name.as_str()]) {
                for (nth, name) in names.iter().enumerate() {
                    let fits = service == *name || service.starts_with(&format!("{name}-"));
                    if fits && best.is_none_or(|(_, length)| name.len() > length) {
                        best = Some((nth, name.len()));
                    }
                }
            }
            best.map(|(nth, _)| nth)
        };
        if let Some(nth) = by_reference
            .or_else(by_name)
            .or_else(by_target)
            .or_else(by_directory)
        {
            served[nth].push(at);
        }
    }
    for list in &mut served {
        list.sort_unstable();
    }
    served
}

fn is_about(target: &Target, statement: &Statement) -> bool {
    let is = |target: &Target| match target {
        Target::Object {
            kind,
            namespace,
            name,
        } => {
            let id = &statement.id;
            id.kind == *kind && id.namespace == *namespace && id.name == *name
        }
        _ => false,
    };
    is(target) || statement.provides.contains(target)
}

fn chart_source_is(release: &Statement, statement: &Statement) -> bool {
    let chart = release
        .unit
        .as_ref()
        .and_then(|unit| unit.release.as_ref()?.chart.as_ref());
    chart.is_some_and(|chart| {
        let id = &statement.id;
        chart.source.kind == id.kind
            && chart.source.namespace == id.namespace
            && chart.source.name == id.name
    })
}
