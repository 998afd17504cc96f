//! Events that certainly precede a unit: its dependencies are ready, and so are theirs.

use super::StartupOrder;
use crate::cluster::UnitIx;
use base::index::IndexVec;

/// The units that have started, and those that are ready, before a unit is applied.
pub struct Before {
    started: IndexVec<UnitIx, bool>,
    /// For each unit that is ready, the dependency that ensures it.
    ready: IndexVec<UnitIx, Option<DependencyOfUnit>>,
}

/// A dependency of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DependencyOfUnit {
    pub unit: UnitIx,
    /// Position in the list of its dependencies.
    pub nth: usize,
}

impl Before {
    pub fn from_order(order: &StartupOrder<'_>, unit: UnitIx) -> Before {
        let count = order.cluster.units.len();
        let mut before = Before {
            started: IndexVec::from_elem(false, count),
            ready: IndexVec::from_elem(None, count),
        };
        before.started[unit] = true;
        // Units that are found are appended and visited later.
        let mut next: Vec<(UnitIx, Option<DependencyOfUnit>)> = vec![(unit, None)];
        let mut at = 0;
        while let Some((unit, entry)) = next.get(at).copied() {
            at += 1;
            for (nth, on) in order.depends_on(unit) {
                let entry = entry.unwrap_or(DependencyOfUnit { unit, nth: *nth });
                before.see_ready(order, *on, entry, &mut next);
            }
            // A unit exists only because its owner was applied.
            if let Some(owner) = order.creator(unit) {
                before.start(owner, entry, &mut next);
            }
        }
        before
    }

    /// Whether a unit was applied, even if that failed.
    pub fn has_started(&self, unit: UnitIx) -> bool {
        self.started[unit]
    }

    pub fn has_seen_ready(&self, unit: UnitIx) -> bool {
        self.ready[unit].is_some()
    }

    /// The dependency that ensures that a unit is ready.
    pub fn seen_ready_by(&self, unit: UnitIx) -> Option<DependencyOfUnit> {
        self.ready[unit]
    }

    fn start(
        &mut self,
        unit: UnitIx,
        entry: Option<DependencyOfUnit>,
        next: &mut Vec<(UnitIx, Option<DependencyOfUnit>)>,
    ) {
        if !self.started[unit] {
            self.started[unit] = true;
            next.push((unit, entry));
        }
    }

    /// Marks a unit as ready. It was applied before, and the units that its health gate covers are ready too.
    fn see_ready(
        &mut self,
        order: &StartupOrder<'_>,
        unit: UnitIx,
        entry: DependencyOfUnit,
        next: &mut Vec<(UnitIx, Option<DependencyOfUnit>)>,
    ) {
        let mut seen = vec![unit];
        while let Some(unit) = seen.pop() {
            if self.ready[unit].is_none() {
                self.ready[unit] = Some(entry);
                self.start(unit, Some(entry), next);
                seen.extend(order.gated(unit).iter().copied());
            }
        }
    }
}
