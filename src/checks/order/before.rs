//! Events that certainly precede a unit: its dependencies are ready, and so are theirs.

use super::StartupOrder;

/// The units that have started, and those that are ready, before a unit is applied.
pub struct Before {
    started: Vec<bool>,
    /// For each unit that is ready, the dependency that ensures it.
    ready: Vec<Option<DependencyOfUnit>>,
}

/// A unit, and which of its dependencies.
type DependencyOfUnit = (usize, usize);

impl Before {
    pub fn from_order(order: &StartupOrder<'_>, unit: usize) -> Before {
        let count = order.cluster.units.len();
        let mut before = Before {
            started: vec![false; count],
            ready: vec![None; count],
        };
        before.started[unit] = true;
        // Units that are found are appended and visited later.
        let mut next: Vec<(usize, Option<DependencyOfUnit>)> = vec![(unit, None)];
        let mut at = 0;
        while let Some((unit, entry)) = next.get(at).copied() {
            at += 1;
            for (nth, on) in order.depends_on(unit) {
                let entry = entry.unwrap_or((unit, *nth));
                before.see_ready(order, *on, entry, &mut next);
            }
            // A unit exists only because its owner was applied.
            let owner = order.unit(unit).owner.filter(|owner| *owner != unit);
            if let Some(owner) = owner {
                before.start(owner, entry, &mut next);
            }
        }
        before
    }

    /// Whether a unit was applied, even if that failed.
    pub fn has_started(&self, unit: usize) -> bool {
        self.started[unit]
    }

    pub fn has_seen_ready(&self, unit: usize) -> bool {
        self.ready[unit].is_some()
    }

    /// The dependency that ensures that a unit is ready.
    pub fn seen_ready_by(&self, unit: usize) -> Option<DependencyOfUnit> {
        self.ready[unit]
    }

    fn start(
        &mut self,
        unit: usize,
        entry: Option<DependencyOfUnit>,
        next: &mut Vec<(usize, Option<DependencyOfUnit>)>,
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
        unit: usize,
        entry: DependencyOfUnit,
        next: &mut Vec<(usize, Option<DependencyOfUnit>)>,
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
