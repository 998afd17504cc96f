//! Coverage of a unit's health gate: other units that are ready by then, and CRDs that exist by then.

use super::StartupOrder;
use crate::cluster::{Destination, UnitIx};
use crate::facts::{Gate, ResourceId, UnitId};
use base::hash::HashMap;

/// Releases by cluster, target namespace and name.
pub type Installs<'a> = HashMap<(Destination, &'a str, &'a str), UnitIx>;

/// Units whose health gate covers a CRD, by cluster and API group.
pub type Defined<'a> = HashMap<(Destination, &'a str), Vec<UnitIx>>;

impl<'a> StartupOrder<'a> {
    pub(super) fn installs(&self) -> Installs<'a> {
        let all = self.cluster.units.iter_enumerated();
        let releases = all.filter_map(|(index, here)| {
            let release = here.unit.release.as_ref()?;
            let (space, name) = (&release.target_namespace, &release.name);
            Some(((here.target, space.as_str(), name.as_str()), index))
        });
        releases.collect()
    }

    pub(super) fn defined(&self) -> Defined<'a> {
        let mut defined = Defined::default();
        for (index, here) in self.cluster.units.iter_enumerated() {
            for group in checks(&here.unit.gate).iter().filter_map(group_defined) {
                defined.entry((here.target, group)).or_default().push(index);
            }
        }
        defined
    }

    /// The units that are ready when a unit's health gate passes.
    pub(super) fn looked_at(&self, index: UnitIx, installs: &Installs<'a>) -> Vec<UnitIx> {
        let unit = &self.unit(index).unit;
        if unit.build.is_none() && unit.template.is_none() {
            return Vec::new();
        }
        if unit.gate == Gate::Wait {
            return self.children(index).to_vec();
        }
        let mut seen = Vec::new();
        for check in checks(&unit.gate) {
            let id = UnitId {
                kind: check.kind.clone(),
                namespace: check.namespace.clone(),
                name: check.name.clone(),
            };
            seen.extend(self.cluster.position_in(self.unit(index).target, &id));
            if matches!(check.group.as_str(), "apps" | "batch") {
                seen.extend(self.installers(index, check, installs));
            }
        }
        seen.sort_unstable();
        seen.dedup();
        // A reconciler does not wait for itself.
        seen.retain(|at| *at != index);
        seen
    }

    /// The releases that may have installed a workload: the one that it is named after and, unless the unit creates that one,
    /// every release that the unit installs into the namespace. An operator usually has a namespace to itself.
    fn installers(
        &self,
        index: UnitIx,
        check: &ResourceId,
        installs: &Installs<'a>,
    ) -> Vec<UnitIx> {
        let (target, space) = (self.unit(index).target, check.namespace.as_str());
        let find = |name: &str| {
            let mut beginnings = beginnings(name);
            beginnings.find_map(|name| installs.get(&(target, space, name)).copied())
        };
        // A release with a target namespace has that as a prefix of its name.
        let inner = check.name.strip_prefix(space);
        let inner = inner.and_then(|rest| rest.strip_prefix('-'));
        let named = find(&check.name).or_else(|| inner.and_then(find));
        let is_own = |at: UnitIx| self.unit(at).owner == Some(index);
        if let Some(named) = named.filter(|at| is_own(*at)) {
            return vec![named];
        }
        // The release may be in a base that was not read, so another one of a similar name proves nothing.
        let named = named.filter(|_| !self.unknown.contains(&index));
        let children = self.children(index).iter().copied();
        let beside = children.filter(|child| {
            let release = self.unit(*child).unit.release.as_ref();
            release.is_some_and(|release| release.target_namespace == space)
        });
        named.into_iter().chain(beside).collect()
    }
}

/// A name and its prefixes at hyphens: `a-b-c`, `a-b`, `a`.
fn beginnings(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| Some(name.rsplit_once('-')?.0))
}

/// The objects that a health gate names.
pub fn checks(gate: &Gate) -> &[ResourceId] {
    match gate {
        Gate::HealthChecks(checks) => checks,
        Gate::None | Gate::Unseen | Gate::Wait => &[],
    }
}

/// The API group of a CRD, which is named `plural.group`.
fn group_defined(id: &ResourceId) -> Option<&str> {
    let is_definition = id.is("apiextensions.k8s.io", "CustomResourceDefinition");
    let (_, group) = id.name.split_once('.').filter(|_| is_definition)?;
    Some(group)
}
