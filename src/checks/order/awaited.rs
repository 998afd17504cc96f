//! Dependencies of single objects, in addition to those of their unit.

use super::after::After;
use super::provider::{Means, Provider};
use super::{DependencyEntry, OrderingVerdict, StartupOrder, Tried, WaitScope, Weak, What};
use crate::cluster::{ClusterUnit, Object, UnitIx};
use crate::facts::{Gate, Sees};
use base::Place;

/// A unit that a single object depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Awaited {
    pub on: UnitIx,
    pub sees: Sees,
    pub place: Place,
}

impl StartupOrder<'_> {
    /// Whether an object's own dependencies make it wait until what it needs exists.
    pub(super) fn is_awaited(
        &self,
        awaits: &[Awaited],
        what: What,
        provider: &Provider<'_>,
        after: &mut After,
    ) -> bool {
        let serves = self.unit(provider.unit).unit.gate == Gate::Wait;
        let needs_to_run = what == What::Webhook || provider.at_run_time;
        awaits.iter().any(|awaited| {
            let is_it = awaited.on == provider.unit;
            match provider.means {
                Means::Object => is_it || after.follows_applying(self, awaited.on, provider.unit),
                Means::Release => {
                    let is_ready = is_it || after.follows_ready(self, awaited.on, provider.unit);
                    let runs = is_it && awaited.sees == Sees::Running
                        || after.follows_running(self, awaited.on, provider.unit);
                    runs || is_ready && (serves || !needs_to_run)
                }
            }
        })
    }

    /// `Weak` if an object itself depends on the provider, but that reports ready too early.
    pub(super) fn weak_await(
        &self,
        tried: Tried<'_>,
        provider: &Provider<'_>,
        after: &mut After,
    ) -> Option<OrderingVerdict> {
        let mut awaits = tried.awaits.iter();
        let awaited = awaits.find(|awaited| {
            awaited.on == provider.unit || after.follows_ready(self, awaited.on, provider.unit)
        })?;
        Some(OrderingVerdict::Weak(Weak {
            entry: DependencyEntry {
                unit: tried.unit,
                on: awaited.on,
                place: awaited.place,
                by: WaitScope::Objects,
            },
            ungated: vec![provider.unit],
            certainty: provider.certainty,
        }))
    }

    /// The units that an object itself depends on.
    pub(super) fn awaited(&self, unit: &ClusterUnit, object: &Object) -> Vec<Awaited> {
        let awaits = object.statement.order.awaits.iter();
        let resolved = awaits.filter_map(|one| {
            Some(Awaited {
                on: self.cluster.position_in(unit.target, &one.on)?,
                sees: one.sees,
                place: one.place,
            })
        });
        resolved.collect()
    }
}
