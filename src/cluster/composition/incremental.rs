//! A cluster once more, after somebody edited files of it, and only as far as somebody asks: the units that are asked
//! for, those above them, and what the edited files say to them. All others stay as they were.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::build::Builder;
use super::super::unit::{self, Applied, Variables};
use super::super::values_from::resolve_values_from;
use super::{Cluster, UnitIx, build};
use crate::facts::{self, ResourceId, Statement};
use crate::sources::Facts;
use base::FileId;

/// Maximum number of units that are built only for the variables and sources that they provide.
const MOST_PROVIDERS: usize = 16;

/// The edit may change more than the statements of known objects.
#[derive(Debug, PartialEq, Eq)]
pub struct Unsure;

impl Cluster {
    /// Rebuilds the units at these positions from the edited files, in place. On `Unsure`, the cluster is left half
    /// updated.
    pub fn rebuild_units(
        &mut self,
        facts: &Facts<'_>,
        edited: &BTreeSet<FileId>,
        asked: &BTreeSet<UnitIx>,
    ) -> Result<(), Unsure> {
        let builder = &Builder::once(facts).with_own(self.known.own().clone());
        let mut declared = BTreeSet::new();
        if !self.loose.files.is_disjoint(edited) {
            if !self.is_directory {
                return Err(Unsure);
            }
            let loose = unit::apply(builder, &self.root, None, &Variables::default());
            let before = std::mem::take(&mut self.loose);
            declared.extend(self.learn(None, &before, &loose)?);
            self.loose = loose;
        }
        let edited: BTreeSet<UnitIx> = self.units_of(edited).collect();
        // What such a unit is, its files say, and not an object that declares it.
        let mut changed = edited.iter().map(|at| &self.units[*at].unit);
        if changed.any(|unit| unit.is_applied_by_command()) {
            return Err(Unsure);
        }
        let asked: BTreeSet<UnitIx> = asked.iter().flat_map(|at| self.above(Some(*at))).collect();
        let providers = edited.difference(&asked).filter(|at| self.provides(**at));
        let providers: Vec<UnitIx> = providers.copied().collect();
        if providers.len() > MOST_PROVIDERS {
            return Err(Unsure);
        }
        // A unit's creator has a lower index, so it is visited first.
        let affected: BTreeSet<UnitIx> = asked.into_iter().chain(providers).collect();
        for &index in &affected {
            let is_other = edited.contains(&index) || declared.contains(&index);
            if is_other || self.knows_otherwise(index) {
                declared.extend(self.rebuild_unit(builder, index)?);
            }
        }
        let units = self.units.iter_mut_enumerated();
        let units = units.filter(|(index, _)| affected.contains(index));
        let applied = units.filter_map(|(_, unit)| unit.applied.as_mut());
        resolve_values_from(applied.chain([&mut self.loose]), &self.known);
        let stale = affected.iter().filter(|at| {
            let has_charts = self.units[**at].charts.is_some();
            has_charts && (edited.contains(at) || declared.contains(at))
        });
        let stale: Vec<UnitIx> = stale.copied().collect();
        self.render_charts_again(builder, &stale)?;
        self.hide_values_again()
    }

    /// The units that files take part in, by position.
    pub fn units_of(&self, files: &BTreeSet<FileId>) -> impl Iterator<Item = UnitIx> {
        let units = self.units.iter_enumerated();
        units.filter_map(|(index, unit)| {
            let mut applied = unit.applied.iter().chain(unit.chart_objects());
            let is_part = applied.any(|applied| !applied.files.is_disjoint(files));
            is_part.then_some(index)
        })
    }

    /// Whether a unit applies what others take variables or files from.
    fn provides(&self, index: UnitIx) -> bool {
        let applied = self.units[index].applied.iter();
        let mut objects = applied.flat_map(|applied| &applied.objects);
        objects.any(|object| {
            let statement = &object.statement;
            !statement.supplies.variables.is_empty() || statement.supplies.source.is_some()
        })
    }

    /// Whether the variables of a unit are others than those that it was built with.
    fn knows_otherwise(&self, index: UnitIx) -> bool {
        let unit = &self.units[index];
        let now = self.known.variables_of(&unit.unit).sources;
        let before = &unit.variables.sources;
        let mut pairs = now.iter().zip(before);
        now.len() != before.len() || pairs.any(|(now, before)| !Arc::ptr_eq(now, before))
    }

    /// Builds a unit. The positions of units that it declares otherwise than before.
    fn rebuild_unit(
        &mut self,
        builder: &Builder<'_>,
        index: UnitIx,
    ) -> Result<Vec<UnitIx>, Unsure> {
        let own = &self.units[index].unit;
        if own.template.is_some() {
            return Err(Unsure);
        }
        let outcome = build(builder, own, &self.known);
        let unit = &mut self.units[index];
        unit.directory = outcome.directory;
        unit.variables = outcome.variables;
        let declared = match (unit.applied.take(), &outcome.applied) {
            (None, None) => Vec::new(),
            (Some(before), Some(after)) => self.learn(Some(index), &before, after)?,
            _ => return Err(Unsure),
        };
        self.units[index].applied = outcome.applied;
        Ok(declared)
    }

    /// Takes note of what objects state otherwise than before, which others go by.
    fn learn(
        &mut self,
        owner: Option<UnitIx>,
        before: &Applied,
        after: &Applied,
    ) -> Result<Vec<UnitIx>, Unsure> {
        if before.objects.len() != after.objects.len()
            || before.is_partial != after.is_partial
            || before.bases_elsewhere != after.bases_elsewhere
            || before.images_elsewhere != after.images_elsewhere
        {
            return Err(Unsure);
        }
        let mut declared = Vec::new();
        for (before, after) in before.objects.iter().zip(&after.objects) {
            let (before, after) = (&before.statement, &after.statement);
            if !is_same(&before.id, &after.id)
                || before.supplies.artifacts != after.supplies.artifacts
            {
                return Err(Unsure);
            }
            if before.supplies.variables != after.supplies.variables
                || before.supplies.source != after.supplies.source
            {
                self.known.update(after);
            }
            declared.extend(self.declare(owner, before, after)?);
        }
        Ok(declared)
    }

    /// Updates the declaration of a unit. Returns its position if the declaration changed.
    fn declare(
        &mut self,
        owner: Option<UnitIx>,
        before: &Statement,
        after: &Statement,
    ) -> Result<Option<UnitIx>, Unsure> {
        let (before, after) = match (&before.unit, &after.unit) {
            (None, None) => return Ok(None),
            (Some(before), Some(after)) if before.id == after.id => (before, after),
            _ => return Err(Unsure),
        };
        if before == after {
            return Ok(None);
        }
        if before.remote != after.remote {
            return Err(Unsure);
        }
        let declared_in = self.target_of(owner);
        let at = self.position_in(declared_in, &after.id).ok_or(Unsure)?;
        let unit = &mut self.units[at];
        // A unit in a sync wave waits for units that its declaration does not name.
        if unit.unit.apply.sync_wave.is_some() || unit.unit.template.is_some() {
            return Err(Unsure);
        }
        // If two units declare it, the first one wins.
        if unit.owner != owner && unit.owner != Some(at) {
            return Ok(None);
        }
        unit.unit = after.clone();
        Ok(Some(at))
    }
}

/// Whether two ids belong to the same object. Generated objects have a content hash in their names.
fn is_same(before: &ResourceId, after: &ResourceId) -> bool {
    let name = |id: &ResourceId| facts::without_hash(&id.name).to_owned();
    let scope = |id: &ResourceId| (id.group.clone(), id.kind.clone(), id.namespace.clone());
    before == after || scope(before) == scope(after) && name(before) == name(after)
}
