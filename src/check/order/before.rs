//! What has certainly happened before a unit is tried: what it waits for was ready, and so was whatever that waited for.

use super::Order;

/// What a unit has seen by the time that it is tried.
pub struct Before {
    started: Vec<bool>,
    /// The dependency that led there first, for those that were ready.
    ready: Vec<Option<Entry>>,
}

/// A unit, and which of its dependencies.
type Entry = (usize, usize);

impl Before {
    pub fn of(order: &Order<'_>, unit: usize) -> Before {
        let count = order.cluster.units.len();
        let mut before = Before {
            started: vec![false; count],
            ready: vec![None; count],
        };
        before.started[unit] = true;
        // What is found is what is gone through next.
        let mut next: Vec<(usize, Option<Entry>)> = vec![(unit, None)];
        let mut at = 0;
        while let Some((unit, entry)) = next.get(at).copied() {
            at += 1;
            for (nth, on) in order.depends_on(unit) {
                let entry = entry.unwrap_or((unit, *nth));
                before.see_ready(order, *on, entry, &mut next);
            }
            // It exists because its owner was applied.
            let owner = order.unit(unit).owner.filter(|owner| *owner != unit);
            if let Some(owner) = owner {
                before.start(owner, entry, &mut next);
            }
        }
        before
    }

    /// Whether a unit was applied, or at least tried.
    pub fn has_started(&self, unit: usize) -> bool {
        self.started[unit]
    }

    pub fn has_seen_ready(&self, unit: usize) -> bool {
        self.ready[unit].is_some()
    }

    /// The dependency because of which a unit was ready.
    pub fn seen_ready_by(&self, unit: usize) -> Option<Entry> {
        self.ready[unit]
    }

    fn start(&mut self, unit: usize, entry: Option<Entry>, next: &mut Vec<(usize, Option<Entry>)>) {
        if !self.started[unit] {
            self.started[unit] = true;
            next.push((unit, entry));
        }
    }

    /// What is ready was applied, and what its gate looks at is ready, too.
    fn see_ready(
        &mut self,
        order: &Order<'_>,
        unit: usize,
        entry: Entry,
        next: &mut Vec<(usize, Option<Entry>)>,
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
