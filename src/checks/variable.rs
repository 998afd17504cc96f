//! Variables that objects use but nothing sets. Shared by `unset-variable` and `environment-drift`.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::CheckContext;
use crate::catalog::ClusterUnits;
use crate::cluster::Cluster;
use crate::facts::UnitId;
use crate::input::config::VariablesFrom;
use crate::sources::charts;
use base::Place;

/// A variable that a unit's objects use, but that some clusters do not set.
pub struct Unset<'a> {
    pub name: &'a SmolStr,
    pub unit: &'a UnitId,
    /// The clusters that do not set it.
    pub clusters: Vec<&'a str>,
    /// The objects that use it, with the place of each; no place occurs twice.
    pub objects: Vec<(Place, String)>,
    /// The clusters that set it for the same unit, and where.
    pub set_in: Vec<(&'a str, Place)>,
}

/// Whether a webhook in the cluster adds variables that no manifest names.
fn takes_more(context: &CheckContext<'_>, cluster: &Cluster, views: &ClusterUnits) -> bool {
    cluster.units.iter().any(|unit| {
        let view = views.find_in(unit.declared_in, &unit.unit.id);
        view.and_then(|view| view.chart.as_ref())
            .is_some_and(|chart| {
                let repository = chart.repository.as_deref();
                let mut known = charts::find(context.config, &chart.name, repository);
                known.any(|known| known.variables_from == VariablesFrom::Webhook)
            })
    })
}

pub fn unset<'a>(context: &'a CheckContext<'_>) -> Vec<Unset<'a>> {
    let mut found: BTreeMap<(&UnitId, &SmolStr), Unset<'a>> = BTreeMap::new();
    for (cluster, views) in context.clusters.iter().zip(context.catalog.clusters.iter()) {
        if takes_more(context, cluster, views) {
            continue;
        }
        for here in &cluster.units {
            for object in here.applied.iter().flat_map(|applied| &applied.objects) {
                for name in &object.unset {
                    let unit = &here.unit.id;
                    let unset = found.entry((unit, name)).or_insert_with(|| Unset {
                        name,
                        unit,
                        clusters: Vec::new(),
                        objects: Vec::new(),
                        set_in: Vec::new(),
                    });
                    if unset.clusters.last() != Some(&cluster.name.as_str()) {
                        unset.clusters.push(&cluster.name);
                    }
                    let statement = &object.statement;
                    let place = context.inventory.variable_at(statement.place, name);
                    if !unset.objects.iter().any(|(other, _)| *other == place) {
                        unset.objects.push((place, statement.id.to_string()));
                    }
                }
            }
        }
    }
    for unset in found.values_mut() {
        for cluster in context.clusters {
            let here = cluster.position(unset.unit).map(|at| &cluster.units[at]);
            let set = here.and_then(|unit| unit.variables.get(unset.name));
            if let Some(variable) = set {
                unset.set_in.push((&cluster.name, variable.place));
            }
        }
    }
    found.into_values().collect()
}
