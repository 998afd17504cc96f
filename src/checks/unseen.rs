//! What could not be seen: charts, remote bases and API types that the repo names and does not contain. Printed beside
//! results, so that nobody takes silence for certainty.

use std::collections::BTreeSet;

use serde::Serialize;
use smol_str::SmolStr;

use super::CheckContext;
use crate::cluster::ChartObjects;
use crate::facts::Relation;
use crate::sources::charts;
use base::text::counted;
use base::{Effect, Place};

/// Numbers of things that were not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Unseen {
    /// Charts that are neither in the repo nor known.
    pub charts: usize,
    pub remote_bases: usize,
    /// API groups of custom resources that nothing here is known to install.
    pub api_groups: usize,
    /// API groups whose order is not judged, because something that was not read may define them.
    pub assumed_groups: usize,
}

impl Unseen {
    pub fn count(context: &CheckContext<'_>) -> Unseen {
        let mut charts: BTreeSet<(&str, Option<&str>)> = BTreeSet::new();
        let units = context.clusters.iter().zip(context.catalog.clusters.iter());
        let units = units.flat_map(|(cluster, views)| {
            let unread = cluster.units.iter().filter(|unit| {
                let charts = unit.charts.as_ref();
                !charts.is_some_and(ChartObjects::is_whole)
            });
            unread.filter_map(|unit| views.find_in(unit.declared_in, &unit.unit.id))
        });
        for view in units {
            let Some(chart) = &view.chart else {
                continue;
            };
            let repository = chart.repository.as_deref();
            let is_here = context
                .inventory
                .chart_at(context.repo, &chart.name)
                .is_some();
            let mut known = charts::find(context.config, &chart.name, repository);
            if !is_here && known.next().is_none() {
                charts.insert((&chart.name, repository));
            }
        }
        let mut remote: BTreeSet<Place> = BTreeSet::new();
        for cluster in context.clusters {
            let units = cluster
                .units
                .iter()
                .filter_map(|unit| unit.applied.as_ref());
            for applied in units.chain([&cluster.loose]) {
                let findings = applied.findings.iter();
                let findings = findings.filter(|one| one.effect == Effect::Remote);
                remote.extend(findings.map(|finding| finding.place));
            }
        }
        let orders = context.orders.iter();
        let assumed: BTreeSet<&SmolStr> = orders.flat_map(|order| &order.assumed).collect();
        Unseen {
            charts: charts.len(),
            remote_bases: remote.len(),
            api_groups: groups(context).len(),
            assumed_groups: assumed.len(),
        }
    }

    /// A sentence, if anything was not seen: "Not seen: 12 charts, 3 remote bases".
    pub fn sentence(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.charts > 0 {
            parts.push(format!("{} not read", counted(self.charts, "chart")));
        }
        if self.remote_bases > 0 {
            let bases = counted(self.remote_bases, "remote base");
            parts.push(format!("{bases} not read"));
        }
        if self.api_groups > 0 {
            let groups = counted(self.api_groups, "API group");
            parts.push(format!("{groups} without a known provider"));
        }
        if self.assumed_groups > 0 {
            let groups = counted(self.assumed_groups, "API group");
            parts.push(format!(
                "{groups} that these may define, so their order is not judged"
            ));
        }
        (!parts.is_empty()).then(|| format!("not seen: {}", parts.join(", ")))
    }
}

/// API groups of custom resources that no unit of the cluster is known to install.
fn groups<'a>(context: &'a CheckContext<'_>) -> BTreeSet<&'a str> {
    let mut unknown = BTreeSet::new();
    for order in &context.orders {
        let provided: BTreeSet<&str> = order
            .providers
            .iter()
            .flat_map(|provider| &provider.apis)
            .map(|(group, _)| group.as_str())
            .collect();
        for (_, object) in order.cluster.objects() {
            let statement = &object.statement;
            let group = statement.id.group.as_str();
            let mut references = statement.references.iter();
            let is_custom = references.any(|one| one.relation == Relation::CustomResource);
            if is_custom
                && !provided.contains(group)
                && !context.config.has_external_crds(group)
                && !context.inventory.first_groups.contains(group)
            {
                unknown.insert(group);
            }
        }
    }
    unknown
}
