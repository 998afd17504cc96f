//! Dependencies on units that do not exist, and why. Shared by the rules about them.

use std::collections::BTreeMap;

use super::CheckContext;
use super::order::StartupOrder;
use super::wording::listed;
use crate::cluster::{ClusterUnit, Destination, UnitIx};
use crate::facts::{Dependency, Listing, UnitId};
use crate::sources;
use base::hash::HashMap;
use base::text::has_gap;
use base::{Place, Severity};

/// A dependency on a unit that does not exist.
pub struct Unmet<'a> {
    pub dependent: String,
    pub dependency: &'a Dependency,
    pub fate: DependencyFate<'a>,
    /// The clusters without the unit, if other clusters have it.
    only_in: Vec<String>,
}

#[derive(Clone, PartialEq, Eq)]
pub enum DependencyFate<'a> {
    /// Not declared, though a unit of the same name may exist in another namespace.
    Missing { namesake: Option<&'a UnitId> },
    /// Declared with a different kind.
    OtherKind(&'a UnitId, Place),
    /// Its entry is commented out.
    Disabled(Place),
    /// It may come from files outside the repository.
    Unknown,
}

impl Unmet<'_> {
    /// ` in prod`, if other clusters have the unit.
    pub fn clusters(&self) -> String {
        if self.only_in.is_empty() {
            String::new()
        } else {
            format!(" in {}", listed(&self.only_in))
        }
    }
}

/// All unmet dependencies, each once for all clusters.
pub fn unmet<'a>(context: &'a CheckContext<'_>) -> Vec<Unmet<'a>> {
    let mut found: BTreeMap<(Place, &UnitId), Unmet<'a>> = BTreeMap::new();
    for order in &context.orders {
        for (index, dependency, fate) in unmet_in(order) {
            let key = (dependency.place, &dependency.on);
            let unmet = found.entry(key).or_insert_with(|| Unmet {
                dependent: order.name(index),
                dependency,
                fate,
                only_in: Vec::new(),
            });
            unmet.only_in.push(order.cluster.name.clone());
        }
    }
    for unmet in found.values_mut() {
        let on = &unmet.dependency.on;
        let mut others = context.clusters.iter();
        if !others.any(|cluster| cluster.position(on).is_some()) {
            unmet.only_in.clear();
        }
    }
    found.into_values().collect()
}

/// The unmet dependencies of one cluster.
pub fn unmet_in<'a>(
    order: &'a StartupOrder<'_>,
) -> Vec<(UnitIx, &'a Dependency, DependencyFate<'a>)> {
    let mut names: Option<UnitsByName<'a>> = None;
    let mut unmet = Vec::new();
    for (index, here) in order.cluster.units.iter_enumerated() {
        for dependency in &here.unit.depends_on {
            if order
                .cluster
                .position_in(here.declared_in, &dependency.on)
                .is_none()
            {
                let names = names.get_or_insert_with(|| UnitsByName::from_order(order));
                // Another cluster may contain objects from elsewhere.
                let fate = if here.declared_in == Destination::HERE {
                    names.fate(order, dependency)
                } else {
                    DependencyFate::Unknown
                };
                unmet.push((index, dependency, fate));
            }
        }
    }
    unmet
}

/// The units of a cluster by name.
struct UnitsByName<'a> {
    by_name: HashMap<(&'a str, &'a str), UnitIx>,
    anywhere: HashMap<(&'a str, &'a str), UnitIx>,
    is_open: bool,
}

impl<'a> UnitsByName<'a> {
    fn from_order(order: &'a StartupOrder<'_>) -> UnitsByName<'a> {
        let units = order.cluster.units.iter_enumerated();
        let (mut by_name, mut anywhere) = (HashMap::default(), HashMap::default());
        for (index, unit) in units {
            let id = &unit.unit.id;
            by_name.insert((id.namespace.as_str(), id.name.as_str()), index);
            anywhere.insert((id.kind.as_str(), id.name.as_str()), index);
        }
        UnitsByName {
            by_name,
            anywhere,
            is_open: is_open(order),
        }
    }

    fn fate(&self, order: &'a StartupOrder<'_>, dependency: &Dependency) -> DependencyFate<'a> {
        let on = &dependency.on;
        if has_gap(&on.name) || has_gap(&on.namespace) {
            return DependencyFate::Unknown;
        }
        if let Some(off) = order.cluster.disabled.iter().find(|off| off.unit == *on) {
            return DependencyFate::Disabled(off.place);
        }
        // The unit that applies the entry point from outside is not declared in any file.
        let is_outside = !order.cluster.is_self_applied() && sources::is_bootstrap(on);
        if self.is_open || is_outside {
            return DependencyFate::Unknown;
        }
        let same = self.by_name.get(&(on.namespace.as_str(), on.name.as_str()));
        if let Some(other) = same {
            let unit = &order.unit(*other).unit;
            return DependencyFate::OtherKind(&unit.id, unit.place);
        }
        let namesake = self.anywhere.get(&(on.kind.as_str(), on.name.as_str()));
        if namesake.is_none() && (order.may_be_applied(on) || order.is_created_by_script(on)) {
            return DependencyFate::Unknown;
        }
        DependencyFate::Missing {
            namesake: namesake.map(|other| &order.unit(*other).unit.id),
        }
    }
}

/// Whether the cluster may have units that are not in this repository.
fn is_open(order: &StartupOrder<'_>) -> bool {
    is_broken(order) || order.cluster.units.iter().any(is_elsewhere)
}

/// Whether some applied files could not be read completely.
pub fn is_broken(order: &StartupOrder<'_>) -> bool {
    let cluster = order.cluster;
    let applied = cluster
        .units
        .iter()
        .filter_map(|unit| unit.applied.as_ref());
    applied.chain([&cluster.loose]).any(|applied| {
        let mut findings = applied.findings.iter();
        applied.is_in_part() || findings.any(|finding| finding.severity == Severity::Error)
    })
}

/// Whether the files of a unit are outside this repository.
pub fn is_elsewhere(unit: &ClusterUnit) -> bool {
    let mut builds = unit.unit.builds();
    builds.any(|build| build.listing != Listing::Chart) && unit.applied.is_none()
}
