//! The start-up order of a cluster: which unit provides which API types and webhooks, what is certainly ready before a
//! unit is applied, and whether each custom resource comes after what it needs. Computed once for all checks.

mod after;
mod awaited;
mod before;
mod gate;
mod namespace;
mod need;
mod provider;

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::catalog::ClusterUnits;
use crate::cluster::{Applied, Cluster, ClusterUnit, Object, UnitIx};
use crate::facts::{Gate, Relation, UnitId};
use crate::input::config::Config;
use crate::input::repo::Repo;
use crate::sources::inventory::Inventory;
use base::hash::HashMap;
use base::index::IndexVec;
use base::{Finding, Place};

use after::After;
use awaited::Awaited;
pub use before::Before;
use before::DependencyOfUnit;
use gate::Defined;
pub use gate::checks;
use namespace::Namespaces;
pub use namespace::{Trapped, is_namespaced};
use need::Tried;
use provider::Means;
pub use provider::{Certainty, Provider, ProviderIx};

pub struct StartupOrder<'a> {
    repo: &'a Repo,
    pub cluster: &'a Cluster,
    inventory: &'a Inventory,
    pub providers: IndexVec<ProviderIx, Provider<'a>>,
    pub namespaces: Namespaces<'a>,
    /// Custom resources that may be applied before what they need, by unit.
    pub needs: Vec<Need<'a>>,
    /// API groups whose order is not judged, because what is not known may define them.
    pub assumed: BTreeSet<SmolStr>,
    /// The units that each unit creates.
    children: IndexVec<UnitIx, Vec<UnitIx>>,
    /// The units that each unit depends on, with the index of the entry in its list.
    depends_on: IndexVec<UnitIx, Vec<(usize, UnitIx)>>,
    /// Dependencies that are met as soon as the other unit exists.
    unseen: IndexVec<UnitIx, Vec<(usize, UnitIx)>>,
    /// The units whose workloads are running before it is applied, regardless of their gate.
    running: IndexVec<UnitIx, Vec<UnitIx>>,
    /// The units that each unit's health gate covers.
    gated: IndexVec<UnitIx, Vec<UnitIx>>,
    /// The units whose health gate covers a CRD.
    defined: Defined<'a>,
    /// The units that install the CRDs of custom resources in each unit's chart.
    charts_need: IndexVec<UnitIx, Vec<UnitIx>>,
    /// For each unit, the program that somebody runs to create it, if any.
    run: IndexVec<UnitIx, Option<UnitIx>>,
    /// Units whose content is not known, or only in part.
    unknown: Vec<UnitIx>,
    names: HashMap<&'a str, usize>,
}

/// Custom resources of one unit that need the same provider, and why they may come too early.
pub struct Need<'a> {
    pub unit: UnitIx,
    pub objects: Vec<&'a Object>,
    pub provider: ProviderIx,
    /// The kind of thing that they need from it.
    pub what: What,
    pub verdict: OrderingVerdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// The CRD of their kind.
    Definition,
    /// Their admission webhook, which is registered before it is serving.
    Webhook,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderingVerdict {
    /// The provider cannot start until they have been applied.
    Deadlock(Certainty),
    /// They wait for the provider, but it reports ready too early.
    Weak(Weak),
    /// Nothing orders the two.
    Unordered,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weak {
    /// The dependency that orders the two.
    pub entry: DependencyEntry,
    /// The units that report ready too early, from the one that creates the provider upwards.
    pub ungated: Vec<UnitIx>,
    pub certainty: Certainty,
}

/// A dependency: the unit that declares it (or whose object does), the unit it waits for, and the place of the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DependencyEntry {
    pub unit: UnitIx,
    pub on: UnitIx,
    pub place: Place,
    pub by: WaitScope,
}

/// Whether a whole unit waits or only some of its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitScope {
    Unit,
    /// Single objects of the unit.
    Objects,
}

/// A need, its provider, and why the provider may come too late.
type Verdict = (What, ProviderIx, OrderingVerdict);

impl<'a> StartupOrder<'a> {
    pub fn compute(
        repo: &'a Repo,
        config: &'a Config,
        cluster: &'a Cluster,
        units: &'a ClusterUnits,
        inventory: &'a Inventory,
    ) -> StartupOrder<'a> {
        let mut order = StartupOrder {
            repo,
            cluster,
            inventory,
            providers: provider::providers(repo, config, cluster, units, inventory),
            namespaces: Namespaces::from_cluster(cluster, inventory),
            needs: Vec::new(),
            assumed: BTreeSet::new(),
            children: IndexVec::from_elem(Vec::new(), cluster.units.len()),
            depends_on: IndexVec::new(),
            unseen: IndexVec::new(),
            running: IndexVec::new(),
            gated: IndexVec::new(),
            defined: Defined::default(),
            charts_need: IndexVec::from_elem(Vec::new(), cluster.units.len()),
            run: IndexVec::new(),
            unknown: provider::unknown(config, cluster, units),
            names: HashMap::default(),
        };
        for (index, unit) in cluster.units.iter_enumerated() {
            if let Some(owner) = unit.owner.filter(|owner| *owner != index) {
                order.children[owner].push(index);
            }
            let depends_on = unit.unit.depends_on.iter().enumerate();
            let resolved = depends_on.filter_map(|(nth, dependency)| {
                Some((nth, cluster.position_in(unit.declared_in, &dependency.on)?))
            });
            // That a unit exists says nothing about whether its objects do.
            let (unseen, seen) =
                resolved.partition(|(_, on)| cluster.units[*on].unit.gate == Gate::Unseen);
            order.depends_on.push(seen);
            order.unseen.push(unseen);
            let running = unit.unit.apply.observed_healthy.iter();
            let running = running
                .filter_map(|on| cluster.position_in(unit.declared_in, on))
                .collect();
            order.running.push(running);
            order.run.push(order.run_of(index));
            *order.names.entry(&unit.unit.id.name).or_default() += 1;
        }
        let indices = cluster.units.indices();
        let installs = order.installs();
        order.gated = indices
            .map(|unit| order.looked_at(unit, &installs))
            .collect();
        order.defined = order.defined();
        order.charts_need = provider::charts_need(&order, config, units);
        (order.needs, order.assumed) = order.find_needs(config);
        order
    }

    pub fn unit(&self, index: UnitIx) -> &'a ClusterUnit {
        &self.cluster.units[index]
    }

    /// A unit's name, with its namespace if several others share the name.
    pub fn name(&self, index: UnitIx) -> String {
        let id = &self.unit(index).unit.id;
        // A release and the unit that creates it usually share a name.
        match self.names.get(id.name.as_str()) {
            Some(3..) => id.qualified(),
            _ => id.name.to_string(),
        }
    }

    pub fn children(&self, index: UnitIx) -> &[UnitIx] {
        &self.children[index]
    }

    /// The unit without which another does not exist. None for what people apply by hand first.
    pub fn creator(&self, index: UnitIx) -> Option<UnitIx> {
        let unit = self.unit(index);
        let is_first = self
            .inventory
            .exists_first
            .files
            .contains(&unit.unit.place.file);
        unit.owner.filter(|owner| *owner != index && !is_first)
    }

    /// Whether a script creates a unit of this kind and name: from a template, or from its own text.
    pub fn is_created_by_script(&self, id: &UnitId) -> bool {
        let declared = (id.kind.clone(), id.name.clone());
        self.inventory.created_by_scripts.contains(&declared)
    }

    /// Why a unit's objects, or those of the entry point that creates it, cannot be built.
    pub fn build_fault(&self, index: UnitIx) -> Option<&'a Finding> {
        let unit = self.unit(index);
        let is_in_directory = unit.owner.is_none() && self.cluster.is_reconciled_directory();
        let entry_point = is_in_directory.then_some(&self.cluster.loose);
        let mut builds = unit.applied.iter().chain(entry_point);
        builds.find_map(Applied::build_fault)
    }

    /// Whether a file that this cluster does not apply declares a unit of this kind and name. Where nothing in the cluster
    /// applies the entry point, another directory may be the entry point.
    pub fn may_be_applied(&self, id: &UnitId) -> bool {
        let declared = (id.kind.clone(), id.name.clone());
        !self.cluster.is_self_applied() && self.inventory.units.contains(&declared)
    }

    /// The units that a unit depends on, each with the index of its entry.
    pub fn depends_on(&self, index: UnitIx) -> &[(usize, UnitIx)] {
        &self.depends_on[index]
    }

    /// Whether something that a unit creates, or that a chart in it needs, is applied only once the unit is ready.
    pub fn is_awaited_below(&self, unit: UnitIx) -> bool {
        let mut after = After::from_order(self);
        let children = self.children[unit].iter();
        let needed = children.clone().flat_map(|child| &self.charts_need[*child]);
        let mut below = children.chain(needed);
        below.any(|other| after.follows_ready(self, *other, unit))
    }

    /// The units that install what a unit's chart cannot be installed without. None if units that are not known may.
    pub fn charts_need(&self, index: UnitIx) -> &[UnitIx] {
        if self.unknown.is_empty() {
            &self.charts_need[index]
        } else {
            &[]
        }
    }

    /// Units that have certainly started or become ready before a unit is applied.
    pub fn before(&self, unit: UnitIx) -> Before {
        Before::from_order(self, unit)
    }

    /// The place of a dependency's entry.
    pub fn entry(&self, unit: UnitIx, nth: usize) -> Place {
        self.unit(unit).unit.depends_on[nth].place
    }

    /// The units whose workloads are running before a unit is applied, regardless of their gate.
    pub fn running(&self, index: UnitIx) -> &[UnitIx] {
        &self.running[index]
    }

    fn stated(&self, entry: DependencyOfUnit) -> DependencyEntry {
        let DependencyOfUnit { unit, nth } = entry;
        let dependency = &self.unit(unit).unit.depends_on[nth];
        let on = self
            .cluster
            .position_in(self.unit(unit).declared_in, &dependency.on);
        DependencyEntry {
            unit,
            // It was resolved before, so it is always found.
            on: on.unwrap_or(unit),
            place: dependency.place,
            by: WaitScope::Unit,
        }
    }

    /// Units whose content is not known, or only in part.
    pub fn unknown(&self) -> &[UnitIx] {
        &self.unknown
    }

    /// The units that are ready when a unit is ready: those that its health gate covers.
    pub fn gated(&self, index: UnitIx) -> &[UnitIx] {
        &self.gated[index]
    }

    fn run_of(&self, index: UnitIx) -> Option<UnitIx> {
        let unit = self.unit(index);
        let inherited = unit.owner.filter(|owner| *owner < index);
        if unit.unit.is_program() || unit.unit.is_applied_by_command() {
            Some(index)
        } else {
            inherited.and_then(|at| self.run[at])
        }
    }
}
