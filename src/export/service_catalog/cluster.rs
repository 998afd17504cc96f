//! Clusters and the units that are applied to them, in service-catalog.json.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::Whole;
use crate::catalog::UnitView;
use crate::facts::{Gate, UnitId};

/// A cluster: the directory that it, or the cluster that manages it, is bootstrapped from, and the units
/// (Kustomizations, HelmReleases, Applications …) reached from there that apply objects to it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClusterDoc<'a> {
    pub name: &'a str,
    pub root: &'a str,
    pub units: Vec<UnitDoc<'a>>,
}

/// A unit: what a reconciler applies in one go, such as a Flux Kustomization, a HelmRelease or an Argo CD
/// Application.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnitDoc<'a> {
    pub kind: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
    pub file: &'a str,
    pub line: u32,
    /// The directory it builds, relative to its source. Null for a HelmRelease.
    pub path: Option<&'a str>,
    /// The unit that creates it, as `namespace/name`, or `(root)` if the cluster's entry point declares it.
    pub owner: Cow<'a, str>,
    /// The environment it applies its objects to. Omitted if that is the cluster itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<&'a str>,
    /// The condition under which it reports ready: `none` (as soon as it is applied), `wait` or `healthChecks`.
    pub gate: &'a str,
    pub suspended: bool,
    /// The number of objects it applies. Null for a HelmRelease, or if it is not known.
    pub resources: Option<usize>,
    pub chart: Option<&'a str>,
    pub version: Option<&'a str>,
    pub depends_on: Vec<UnitRefDoc<'a>>,
}

#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitRefDoc<'a> {
    pub kind: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
}

impl<'a> Whole<'a> {
    pub(super) fn unit(&self, unit: &'a UnitView) -> UnitDoc<'a> {
        UnitDoc {
            kind: unit.id.kind.as_str(),
            namespace: unit.id.namespace.as_str(),
            name: unit.id.name.as_str(),
            file: self.file(unit.place),
            line: unit.place.line,
            path: unit.path.as_deref().map(shown_path),
            owner: unit
                .owner
                .as_ref()
                .map_or(Cow::Borrowed("(root)"), |owner| owner.qualified().into()),
            environment: unit.environment.as_deref(),
            gate: match unit.gate {
                Gate::None | Gate::Unseen => "none",
                Gate::Wait => "wait",
                Gate::HealthChecks(_) => "healthChecks",
            },
            suspended: unit.suspended,
            resources: unit.resources,
            chart: unit.chart.as_ref().map(|chart| chart.name.as_str()),
            version: unit
                .chart
                .as_ref()
                .and_then(|chart| Some(chart.version.as_ref()?.as_str())),
            depends_on: unit.depends_on.iter().map(unit_ref).collect(),
        }
    }

    /// The cluster of each entry point, then those that it leads to. Several entry points may lead to one.
    pub(super) fn clusters(&self) -> Vec<ClusterDoc<'a>> {
        let mut found: Vec<ClusterDoc<'a>> = Vec::new();
        for cluster in self.catalog.kubernetes() {
            let others = cluster.others.iter();
            for name in std::iter::once(&cluster.name).chain(others) {
                let is_there = |unit: &&UnitView| {
                    let other = unit.environment.as_ref();
                    let other = other.filter(|one| cluster.others.contains(one));
                    other.unwrap_or(&cluster.name) == name
                };
                let units = cluster.units.iter().filter(is_there);
                let mut units: Vec<UnitDoc<'a>> = units.map(|unit| self.unit(unit)).collect();
                match found.iter_mut().find(|known| known.name == name) {
                    Some(known) => known.units.append(&mut units),
                    None => found.push(ClusterDoc {
                        name: name.as_str(),
                        root: shown_path(cluster.root.as_str()),
                        units,
                    }),
                }
            }
        }
        found
    }
}

/// The root of a repo is `.`, as people write it.
pub(super) fn shown_path(path: &str) -> &str {
    match path {
        "" => ".",
        path => path,
    }
}

fn unit_ref(id: &UnitId) -> UnitRefDoc<'_> {
    UnitRefDoc {
        kind: id.kind.as_str(),
        namespace: id.namespace.as_str(),
        name: id.name.as_str(),
    }
}
