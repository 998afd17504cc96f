//! Units that only wait for a release: other units depend on them, because a unit cannot depend on a release of another
//! kind.

use super::Cluster;
use crate::cluster::UnitIx;
use crate::facts::{Gate, UnitId};

impl Cluster {
    /// The release that a unit stands for: it applies nothing, and its only health check names the release.
    pub fn wrapped_release(&self, unit: UnitIx) -> Option<UnitIx> {
        let here = &self.units[unit];
        let Gate::HealthChecks(checks) = &here.unit.gate else {
            return None;
        };
        let [checked] = checks.as_slice() else {
            return None;
        };
        let applied = here.applied.as_ref()?;
        if applied.is_partial || !applied.objects.is_empty() {
            return None;
        }
        let id = UnitId {
            kind: checked.kind.clone(),
            namespace: checked.namespace.clone(),
            name: checked.name.clone(),
        };
        let release = self.position_in(here.target, &id)?;
        self.units[release]
            .unit
            .release
            .is_some()
            .then_some(release)
    }
}
