//! Fixes for ordering problems: a health gate for a unit, a separate unit for custom resources, a Namespace. None if
//! the layout leaves any doubt. `fix` works out the edits; no file is read here.

mod namespace;

use super::CheckContext;
use super::order::{Need, StartupOrder};
use crate::cluster::{ClusterUnit, UnitIx};
use crate::input::repo::{Repo, RepoPath};
use crate::sources;
use base::hash::HashMap;
use base::{FileId, MoveObjects, Remedy, RemedyKind};

pub use namespace::namespace;

/// Remedies that make units wait until their objects are ready. Cached, because many findings need the same one.
pub struct Gates<'s> {
    order: &'s StartupOrder<'s>,
    /// Whether a unit with a health gate would wait for itself.
    known: HashMap<UnitIx, bool>,
}

impl<'s> Gates<'s> {
    pub fn from_order(order: &'s StartupOrder<'s>) -> Gates<'s> {
        Gates {
            order,
            known: HashMap::default(),
        }
    }

    /// Whether one of these units would wait for itself: for one of its children, which waits for the unit.
    pub fn would_deadlock(&mut self, units: &[UnitIx]) -> bool {
        let order = self.order;
        let mut all = units.iter();
        all.any(|unit| {
            let known = self.known.entry(*unit);
            *known.or_insert_with(|| order.is_awaited_below(*unit))
        })
    }

    /// Adds a health gate to each of these units. None if one of them cannot have one.
    pub fn remedy(&mut self, units: &[UnitIx]) -> Option<Remedy> {
        if self.would_deadlock(units) {
            return None;
        }
        let order = self.order;
        let line = sources::gate(&order.unit(*units.first()?).unit.id)?;
        let names = units.iter().map(|unit| format!("`{}`", order.name(*unit)));
        let names: Vec<String> = names.collect();
        let places = units.iter().map(|unit| order.unit(*unit).unit.place);
        Some(Remedy {
            title: format!("add `{line}` to {}", names.join(" and ")),
            kind: RemedyKind::AddGates(places.collect()),
        })
    }
}

/// Moves custom resources out of the unit with the release that installs their CRD, into a new directory and a new unit
/// that depends on it.
pub fn split(
    context: &CheckContext<'_>,
    order: &StartupOrder<'_>,
    need: &Need<'_>,
) -> Option<Remedy> {
    let unit = order.unit(need.unit);
    let provider = &order.providers[need.provider];
    let directory = unit.directory.as_ref()?;
    let build = unit.unit.build.as_ref()?;
    let is_plain = unit.owner != Some(need.unit)
        && order.unit(provider.unit).owner == Some(need.unit)
        && RepoPath::new(&build.path).as_ref() == Some(directory);
    if !is_plain || directory.as_str().is_empty() {
        return None;
    }
    let name = format!("{}-config", unit.unit.id.name);
    let target = RepoPath::new(&format!("{directory}-config"))?;
    let is_taken = context.repo.is_dir(&target) || context.repo.file(&target).is_some();
    let mut units = context.clusters.iter().flat_map(|cluster| &cluster.units);
    let is_shared = is_applied_elsewhere(context, unit, need);
    if is_taken
        || is_shared
        || units.any(|unit| unit.unit.id.name == name)
        || is_swept(context, &target)
    {
        return None;
    }
    let needs_gate = !order.gated(need.unit).contains(&provider.unit);
    if needs_gate && order.is_awaited_below(need.unit) {
        return None;
    }
    let (what, them) = match need.objects.as_slice() {
        [one] => (one.statement.id.to_string(), "it"),
        many => (format!("{} objects", many.len()), "them"),
    };
    let objects = need.objects.iter().map(|object| object.statement.place);
    let own = &unit.unit.id.name;
    let warning = if unit.unit.reconcile.sync_policy.prunes {
        format!(
            "; a running cluster deletes {them} first and creates {them} again, because `{own}` prunes"
        )
    } else {
        String::new()
    };
    Some(Remedy {
        title: format!(
            "move {what} into a new {} `{name}` that depends on `{own}`{warning}",
            unit.unit.id.kind
        ),
        kind: RemedyKind::MoveObjects(Box::new(MoveObjects {
            objects: objects.collect(),
            from: directory.to_string(),
            to: target.to_string(),
            unit: unit.unit.place,
            unit_name: unit.unit.id.name.to_string(),
            new_name: name,
            needs_gate,
        })),
    })
}

/// Whether a unit that is declared elsewhere applies one of these objects, too.
fn is_applied_elsewhere(context: &CheckContext<'_>, own: &ClusterUnit, need: &Need<'_>) -> bool {
    let files: Vec<FileId> = need
        .objects
        .iter()
        .map(|object| object.statement.place.file)
        .collect();
    let mut units = context.clusters.iter().flat_map(|cluster| &cluster.units);
    units.any(|unit| {
        let applied = unit.applied.iter();
        let mut applied = applied.flat_map(|applied| &applied.files);
        unit.unit.place != own.unit.place && applied.any(|file| files.contains(file))
    })
}

/// Whether a unit that applies every file below its directory would pick up a new directory.
fn is_swept(context: &CheckContext<'_>, target: &RepoPath) -> bool {
    let roots = context.clusters.iter().map(|cluster| &cluster.root);
    let built = context.clusters.iter().flat_map(|cluster| {
        let units = cluster.units.iter();
        units.filter_map(|unit| unit.directory.as_ref())
    });
    let mut sweeping = roots.chain(built).filter(|directory| {
        target.is_below(directory) && listing(context.repo, directory).is_none()
    });
    sweeping.next().is_some()
}

/// The `kustomization.yaml` of a directory.
pub(super) fn listing(repo: &Repo, directory: &RepoPath) -> Option<FileId> {
    let mut names = kustomize::FILE_NAMES.iter();
    names.find_map(|name| repo.file_in(directory, name))
}
