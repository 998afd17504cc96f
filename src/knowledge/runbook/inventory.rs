//! Names in the manifests, to check commands against: objects by kind, namespaces and pod labels. Also records where
//! charts and operators may add more than the manifests show.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::Catalog;
use crate::facts::ResourceId;
use crate::sources;

pub struct Inventory<'a> {
    by_kind: BTreeMap<&'a str, BTreeSet<(&'a str, &'a str)>>,
    namespaces: BTreeSet<&'a str>,
    /// Namespaces in which things run that no manifest shows.
    opaque: BTreeSet<&'a str>,
    /// By namespace, the labels of the pods there.
    labels: BTreeMap<&'a str, BTreeSet<(&'a str, &'a str)>>,
    view: InventoryScope,
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
            view: InventoryScope::Whole,
        };
        for component in &catalog.components {
            inventory.namespaces.insert(&component.namespace);
            if component.chart.is_some() {
                inventory.opaque.insert(&component.namespace);
            }
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
                if !is_build {
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
        self.namespaces.contains(name) || GIVEN.contains(&name)
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
