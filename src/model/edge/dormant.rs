//! What components state that are switched off: edges that nobody is affected by.

use super::super::environment::EnvironmentSet;
use super::{Add, ClusterMap, Edge};
use crate::fact::UnitId;

impl ClusterMap<'_> {
    /// Dependencies that units state which are switched off.
    pub(super) fn switched_off(&self, add: &mut Add<'_>) {
        for off in &self.cluster.disabled {
            let Some(from) = self.dormant(&off.unit) else {
                continue;
            };
            for dependency in &off.depends_on {
                let to = match self.cluster.position(&dependency.on) {
                    Some(on) if self.cluster.units[on].unit.is_whole => self.own_components(on),
                    Some(on) => self.of_unit[on].clone(),
                    None => self.dormant(&dependency.on).into_iter().collect(),
                };
                for to in to {
                    add(Edge {
                        from,
                        to,
                        reason: dependency.reason,
                        place: dependency.place,
                        environments: EnvironmentSet::ALL,
                    });
                }
            }
        }
    }

    /// The component that a unit would be which is switched off.
    fn dormant(&self, unit: &UnitId) -> Option<usize> {
        self.named.iter().position(|named| {
            let draft = &named.draft;
            draft.parts.is_empty()
                && draft.kind == unit.kind
                && draft.scope == unit.namespace
                && draft.names.first() == Some(&unit.name)
        })
    }
}
