//! Names in the manifests, to check commands against: objects by kind, namespaces and pod labels. Also records where
//! charts and operators may add more than the manifests show.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{Catalog, Component, ComponentChart, UnitView};
use crate::cluster::Coverage;
use crate::facts::ResourceId;
use crate::knowledge::runbook::standard;
use crate::sources;
use base::Place;

pub struct Inventory<'a> {
    by_kind: BTreeMap<&'a str, BTreeSet<(&'a str, &'a str)>>,
    namespaces: BTreeSet<&'a str>,
    /// Namespaces in which things run that no manifest shows.
    opaque: BTreeSet<&'a str>,
    /// By namespace, the labels of the pods there.
    labels: BTreeMap<&'a str, BTreeSet<(&'a str, &'a str)>>,
    /// By kind, namespace and name, the objects that a unit applies.
    applied: BTreeMap<(&'a str, &'a str, &'a str), AppliedObject<'a>>,
    /// By name and namespace, the units that install Helm releases.
    releases: BTreeMap<(&'a str, &'a str), &'a UnitView>,
    view: InventoryScope,
}

/// An object, and the unit that applies it again and again.
#[derive(Clone, Copy)]
pub struct AppliedObject<'a> {
    pub place: Place,
    pub unit: &'a UnitView,
    /// Whether a chart yields it, so that only the next upgrade of the release restores it.
    pub is_of_chart: bool,
    workload: Option<&'a crate::facts::Workload>,
}

impl<'a> AppliedObject<'a> {
    /// The names of its containers, if it is a workload.
    pub fn containers(&self) -> &'a [smol_str::SmolStr] {
        self.workload
            .map_or(&[], |workload| workload.containers.as_slice())
    }

    /// Whether its manifest says how many replicas there are. Otherwise nothing restores their number.
    pub fn sets_replicas(&self) -> bool {
        self.workload
            .is_some_and(|workload| workload.replicas.is_some())
    }
}

/// Whether the repo contains everything that runs in the clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InventoryScope {
    Whole,
    /// Units come from elsewhere, or were not understood.
    Part,
}

/// Namespaces that exist in every cluster without a manifest.
const GIVEN: &[&str] = &["default", "kube-system", "kube-public", "kube-node-lease"];

/// Namespaces that network plugins and their command lines make before anything reconciles.
const MADE_BY_TOOLS: &[&str] = &[
    "calico-apiserver",
    "calico-system",
    "cilium-secrets",
    "cilium-test",
    "cilium-test-1",
    "kube-flannel",
    "local-path-storage",
    "tigera-operator",
];

/// Groups whose objects make no pods in their namespace.
const WITHOUT_PODS: &[&str] = &[
    "external-secrets.io",
    "bitnami.com",
    "cert-manager.io",
    "monitoring.coreos.com",
    "gateway.networking.k8s.io",
    "traefik.io",
    "cilium.io",
];

impl<'a> Inventory<'a> {
    pub fn from_catalog(catalog: &'a Catalog) -> Inventory<'a> {
        let mut inventory = Inventory {
            by_kind: BTreeMap::new(),
            namespaces: BTreeSet::new(),
            opaque: BTreeSet::new(),
            labels: BTreeMap::new(),
            applied: BTreeMap::new(),
            releases: BTreeMap::new(),
            view: InventoryScope::Whole,
        };
        // Units whose charts were read completely: what they install is among the objects of their components.
        let mut rendered: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
        for component in &catalog.components {
            inventory.namespaces.insert(&component.namespace);
            let mut charts = component
                .chart
                .iter()
                .chain(&component.more_charts)
                .peekable();
            let has_chart = charts.peek().is_some();
            if has_chart && charts.all(is_whole) {
                let own = component.resources.iter().map(|one| &one.id);
                rendered.extend(
                    own.map(|id| (id.kind.as_str(), id.namespace.as_str(), id.name.as_str())),
                );
                let units = component.environments.iter().map(|one| &one.unit.1);
                let units = units.chain(&component.unit);
                rendered.extend(
                    units.map(|id| (id.kind.as_str(), id.namespace.as_str(), id.name.as_str())),
                );
            } else if has_chart {
                let namespaces = component
                    .environments
                    .iter()
                    .map(|one| one.namespace.as_str());
                inventory
                    .opaque
                    .extend(namespaces.chain([component.namespace.as_str()]));
            }
            inventory.units_of(catalog, component);
            for resource in &component.resources {
                inventory.add(&resource.id);
            }
            for workload in &component.workloads {
                let labels = inventory.labels.entry(&workload.namespace).or_default();
                let own = workload.labels.iter();
                labels.extend(own.map(|(key, value)| (key.as_str(), value.as_str())));
            }
        }
        for id in catalog.others.iter() {
            inventory.add(id);
        }
        for cluster in catalog.clusters.iter() {
            for unit in &cluster.units {
                let names = inventory.by_kind.entry(&unit.id.kind).or_default();
                names.insert((&unit.id.namespace, &unit.id.name));
                inventory.namespaces.insert(&unit.id.namespace);
                let is_build = unit.path.is_some();
                if is_build && unit.resources.is_none() {
                    inventory.view = InventoryScope::Part;
                }
                let id = (
                    unit.id.kind.as_str(),
                    unit.id.namespace.as_str(),
                    unit.id.name.as_str(),
                );
                if !is_build && !rendered.contains(&id) {
                    inventory.opaque.insert(&unit.id.namespace);
                }
            }
        }
        if catalog.clusters.is_empty() {
            inventory.view = InventoryScope::Part;
        }
        inventory.namespaces.remove("");
        inventory
    }

    /// Notes which unit applies the objects of a component, where one does and puts them back.
    fn units_of(&mut self, catalog: &'a Catalog, component: &'a Component) {
        let Some(unit) = standard::unit(catalog, component) else {
            return;
        };
        for environment in &component.environments {
            let release = environment.release.as_deref();
            let installs = release.and_then(|_| installing(catalog, component, &environment.name));
            if let Some((release, own)) = release.zip(installs) {
                self.releases
                    .insert((release, environment.namespace.as_str()), own);
            }
        }
        if !unit.sync_policy.reverts || unit.suspended || component.by_command.is_some() {
            return;
        }
        for resource in &component.resources {
            let id = &resource.id;
            let mut workloads = component.workloads.iter();
            let workload = workloads.find(|workload| {
                (&workload.kind, &workload.namespace, &workload.name)
                    == (&id.kind, &id.namespace, &id.name)
            });
            let object = AppliedObject {
                place: resource.place,
                unit,
                is_of_chart: resource.template.is_some(),
                workload,
            };
            let key = (id.kind.as_str(), id.namespace.as_str(), id.name.as_str());
            self.applied.entry(key).or_insert(object);
        }
    }

    /// The object of this kind and name that a unit applies; in one namespace, or in the only one that has it.
    pub fn applied(
        &self,
        kind: &str,
        namespace: Option<&str>,
        name: &str,
    ) -> Option<AppliedObject<'a>> {
        if let Some(namespace) = namespace {
            return self.applied.get(&(kind, namespace, name)).copied();
        }
        let mut having = self
            .objects(kind)
            .filter(|(_, own)| *own == name)
            .map(|(namespace, _)| namespace);
        let namespace = having.next().filter(|_| having.next().is_none())?;
        self.applied.get(&(kind, namespace, name)).copied()
    }

    /// The unit that installs a Helm release; without a namespace, the only release of this name.
    pub fn release(&self, name: &str, namespace: Option<&str>) -> Option<&'a UnitView> {
        if let Some(namespace) = namespace {
            return self.releases.get(&(name, namespace)).copied();
        }
        let mut having = self.releases.iter().filter(|((own, _), _)| *own == name);
        let (_, unit) = having.next().filter(|_| having.next().is_none())?;
        Some(unit)
    }

    fn add(&mut self, id: &'a ResourceId) {
        let names = self.by_kind.entry(&id.kind).or_default();
        names.insert((&id.namespace, &id.name));
        self.namespaces.insert(&id.namespace);
        if id.kind == "Namespace" {
            self.namespaces.insert(&id.name);
        }
        let group = id.group.as_str();
        let is_extension = group.contains('.') && !group.ends_with(".k8s.io");
        let makes_no_pods = || WITHOUT_PODS.contains(&group) || sources::makes_no_pods(group);
        // Some controllers run the pods of a gateway beside it.
        let makes_no_pods = || makes_no_pods() && id.kind != "Gateway";
        if is_extension && !makes_no_pods() {
            self.opaque.insert(&id.namespace);
        }
        // Templates create units or objects whose names are not in the manifests.
        if sources::makes_unnamed(&id.kind) || id.kind == "ClusterExternalSecret" {
            self.view = InventoryScope::Part;
        }
    }

    pub fn view(&self) -> InventoryScope {
        self.view
    }

    pub fn kinds(&self) -> impl Iterator<Item = &'a str> {
        self.by_kind.keys().copied()
    }

    /// Namespaces and names of the objects of a kind.
    pub fn objects(&self, kind: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.by_kind.get(kind).into_iter().flatten().copied()
    }

    pub fn namespaces(&self) -> impl Iterator<Item = &'a str> {
        self.namespaces.iter().copied()
    }

    pub fn has_namespace(&self, name: &str) -> bool {
        self.namespaces.contains(name) || GIVEN.contains(&name) || MADE_BY_TOOLS.contains(&name)
    }

    /// Whether all that runs in a namespace is in its manifests.
    pub fn shows_all_of(&self, namespace: &str) -> bool {
        self.view == InventoryScope::Whole
            && self.namespaces.contains(namespace)
            && !self.opaque.contains(namespace)
            && !GIVEN.contains(&namespace)
    }

    /// The labels of pods in a namespace.
    pub fn labels(&self, namespace: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.labels.get(namespace).into_iter().flatten().copied()
    }
}

/// Whether everything that a chart installs is known.
fn is_whole(chart: &ComponentChart) -> bool {
    let read = chart.read.as_ref();
    read.is_some_and(|read| read.coverage == Coverage::Whole)
}

/// The unit that installs the release of a component, and upgrades it again after a change by hand.
fn installing<'a>(
    catalog: &'a Catalog,
    component: &Component,
    environment: &str,
) -> Option<&'a UnitView> {
    let mut known = catalog.environments.iter();
    let cluster = known.find(|known| known.name == environment)?.cluster;
    let units = catalog.clusters[cluster].units.iter();
    let mut releases = units.filter(|unit| {
        let mut own = component.resources.iter().map(|one| &one.id);
        let is_own = own.any(|id| {
            (&id.kind, &id.namespace, &id.name)
                == (&unit.id.kind, &unit.id.namespace, &unit.id.name)
        });
        let is_release = unit.path.is_none() && !sources::answers_for_release(&unit.id);
        is_own && is_release && unit.sync_policy.reverts && !unit.suspended
    });
    releases.next().filter(|_| releases.next().is_none())
}
