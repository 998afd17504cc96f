//! Which units certainly come after an event: `before.rs` seen from the other end. Few units are needed by others and many
//! need them, so the answer is computed once for each of the few.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::StartupOrder;
use crate::cluster::{Destination, UnitIx};
use base::hash::HashMap;
use base::index::IndexVec;

/// A flag for each unit.
type Flags = IndexVec<UnitIx, bool>;

/// Computed answers, by the event that they are about.
pub struct After {
    /// The units that depend on each unit.
    dependents: IndexVec<UnitIx, Vec<UnitIx>>,
    /// The units whose health gate covers each unit.
    gates: IndexVec<UnitIx, Vec<UnitIx>>,
    ready: HashMap<UnitIx, Flags>,
    running: HashMap<UnitIx, Flags>,
    applied: HashMap<UnitIx, Flags>,
    /// By the API group and kind that content which is not known may define.
    unknown: HashMap<(SmolStr, SmolStr), Flags>,
    /// The API groups of objects that nothing is said about, because what is not known may define them.
    pub assumed: BTreeSet<SmolStr>,
    /// By the cluster and the API group of the CRDs that health gates cover.
    defined: HashMap<(Destination, SmolStr), Flags>,
}

#[derive(Clone, Copy)]
enum Event {
    /// A unit was applied, even if that failed.
    Applied(UnitIx),
    Ready(UnitIx),
}

impl After {
    pub fn from_order(order: &StartupOrder<'_>) -> After {
        let count = order.cluster.units.len();
        let mut dependents = IndexVec::from_elem(Vec::new(), count);
        let mut gates = IndexVec::from_elem(Vec::new(), count);
        for unit in order.cluster.units.indices() {
            for (_, on) in order.depends_on(unit) {
                dependents[*on].push(unit);
            }
            for seen in order.gated(unit) {
                gates[*seen].push(unit);
            }
        }
        After {
            dependents,
            gates,
            ready: HashMap::default(),
            running: HashMap::default(),
            applied: HashMap::default(),
            unknown: HashMap::default(),
            assumed: BTreeSet::new(),
            defined: HashMap::default(),
        }
    }

    /// Whether a unit is applied only once another is ready.
    pub fn follows_ready(&mut self, order: &StartupOrder<'_>, unit: UnitIx, other: UnitIx) -> bool {
        if let Some(known) = self.ready.get(&other) {
            return known[unit];
        }
        let found = self.reached(order, vec![Event::Ready(other)]);
        self.ready.entry(other).or_insert(found)[unit]
    }

    /// Whether a dependency makes a unit wait until all workloads of another are ready, regardless of the other's
    /// gate.
    pub fn follows_running(
        &mut self,
        order: &StartupOrder<'_>,
        unit: UnitIx,
        other: UnitIx,
    ) -> bool {
        if let Some(known) = self.running.get(&other) {
            return known[unit];
        }
        let dependents = self.dependents[other].iter();
        let seeing = dependents.filter(|dependent| order.running(**dependent).contains(&other));
        let events = seeing.map(|dependent| Event::Applied(*dependent)).collect();
        let found = self.reached(order, events);
        self.running.entry(other).or_insert(found)[unit]
    }

    /// Whether a unit is applied only after another.
    pub fn follows_applying(
        &mut self,
        order: &StartupOrder<'_>,
        unit: UnitIx,
        other: UnitIx,
    ) -> bool {
        if let Some(known) = self.applied.get(&other) {
            return known[unit];
        }
        let found = self.reached(order, vec![Event::Applied(other)]);
        self.applied.entry(other).or_insert(found)[unit]
    }

    /// Whether a unit is applied only after one whose content is not known, and may define a type of an API group.
    pub fn follows_unknown(
        &mut self,
        order: &StartupOrder<'_>,
        unit: UnitIx,
        (group, kind): (&str, &str),
    ) -> bool {
        let key = (SmolStr::from(group), SmolStr::from(kind));
        if let Some(known) = self.unknown.get(&key) {
            return known[unit];
        }
        let unknown = order
            .unknown()
            .iter()
            .filter(|unit| order.may_define(**unit, group, kind));
        let events = unknown.map(|unit| Event::Applied(*unit));
        let found = self.reached(order, events.collect());
        self.unknown.entry(key).or_insert(found)[unit]
    }

    /// Whether a unit is applied only once a health gate has seen a CRD of an API group.
    pub fn follows_definition(
        &mut self,
        order: &StartupOrder<'_>,
        unit: UnitIx,
        target: Destination,
        group: &SmolStr,
    ) -> bool {
        let Some(gates) = order.defined.get(&(target, group.as_str())) else {
            return false;
        };
        let key = (target, group.clone());
        if let Some(known) = self.defined.get(&key) {
            return known[unit];
        }
        let events = gates.iter().map(|gate| Event::Ready(*gate));
        let found = self.reached(order, events.collect());
        self.defined.entry(key).or_insert(found)[unit]
    }

    /// The units that are applied after one of these events, as a flag for each unit.
    fn reached(&self, order: &StartupOrder<'_>, mut next: Vec<Event>) -> Flags {
        let count = self.dependents.len();
        let mut tried = Flags::from_elem(false, count);
        let mut ready = tried.clone();
        while let Some(event) = next.pop() {
            match event {
                Event::Applied(unit) if !tried[unit] => {
                    tried[unit] = true;
                    next.push(Event::Ready(unit));
                    // The units that it creates exist only from now on.
                    let children = order.children(unit).iter();
                    let children = children.filter(|child| order.creator(**child).is_some());
                    next.extend(children.map(|child| Event::Applied(*child)));
                }
                Event::Ready(unit) if !ready[unit] => {
                    ready[unit] = true;
                    let dependents = self.dependents[unit].iter();
                    next.extend(dependents.map(|other| Event::Applied(*other)));
                    let gates = self.gates[unit].iter();
                    next.extend(gates.map(|other| Event::Ready(*other)));
                }
                _ => {}
            }
        }
        tried
    }
}
