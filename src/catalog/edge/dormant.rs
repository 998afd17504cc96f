//! Edges of disabled components. They affect no other component.

use super::super::environment::EnvironmentSet;
use super::{Add, ClusterMap, ComponentIx, Edge};
use crate::facts::UnitId;
use base::hash::HashMap;

impl ClusterMap<'_> {
    /// Adds the dependencies that disabled units declare.
    pub(super) fn switched_off(&self, add: &mut Add<'_>) {
        if self.cluster.disabled.is_empty() {
            return;
        }
        let dormant = self.dormant();
        let of = |unit: &UnitId| -> Option<ComponentIx> {
            let key = (
                unit.kind.as_str(),
                unit.namespace.as_str(),
                unit.name.as_str(),
            );
            dormant.get(&key).copied()
        };
        for off in &self.cluster.disabled {
            let Some(from) = of(&off.unit) else {
                continue;
            };
            for dependency in &off.depends_on {
                let to = match self.cluster.position(&dependency.on) {
                    Some(on) if self.cluster.units[on].unit.is_component() => {
                        self.own_components(on)
                    }
                    Some(on) => self.of_unit[on].clone(),
                    None => of(&dependency.on).into_iter().collect(),
                };
                for to in to {
                    add(Edge {
                        from,
                        to,
                        relation: dependency.relation,
                        place: dependency.place,
                        environments: EnvironmentSet::ALL,
                    });
                }
            }
        }
    }

    /// Disabled components, by the unit that each would be.
    fn dormant(&self) -> HashMap<KindAndName<'_>, ComponentIx> {
        let mut dormant = HashMap::default();
        for (at, named) in self.named.iter_enumerated() {
            let draft = &named.draft;
            if let Some(name) = draft.names.first().filter(|_| draft.parts.is_empty()) {
                let key = (draft.kind.as_str(), draft.scope.as_str(), name.as_str());
                dormant.entry(key).or_insert(at);
            }
        }
        dormant
    }
}

/// Kind, namespace and name.
type KindAndName<'a> = (&'a str, &'a str, &'a str);
