//! Edges: one component needs another, for a reason that some line states.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use smol_str::SmolStr;

use super::component::{Named, objects};
use super::unit::Sources;
use crate::compose::Cluster;
use crate::diagnostic::Place;
use crate::fact::{Reference, Relation, Statement, Target};
use crate::source::charts;

/// From a component to one that it needs, by index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub reason: String,
    pub place: Place,
}

pub fn edges(clusters: &[Cluster], named: &[Named], sources: &[Sources<'_>]) -> Vec<Edge> {
    let mut edges: BTreeMap<(usize, usize, String), Place> = BTreeMap::new();
    for (index, sources) in sources.iter().enumerate() {
        let map = ClusterMap::new(index, clusters, named, sources);
        let mut add = |from: usize, to: usize, reason: String, place: Place| {
            if from != to {
                edges.entry((from, to, reason)).or_insert(place);
            }
        };
        map.stated(&mut add);
        map.referred(&mut add);
    }
    let edges = edges.into_iter().map(|((from, to, reason), place)| Edge {
        from,
        to,
        reason,
        place,
    });
    edges.collect()
}

type Add<'a> = dyn FnMut(usize, usize, String, Place) + 'a;

/// Which component of one cluster has what.
struct ClusterMap<'a> {
    cluster: &'a Cluster,
    clusters: &'a [Cluster],
    named: &'a [Named],
    sources: &'a Sources<'a>,
    index: usize,
    /// The components of each unit, also of those that are only structure.
    of_unit: Vec<BTreeSet<usize>>,
    objects: HashMap<(SmolStr, SmolStr, SmolStr), usize>,
    apis: HashMap<(SmolStr, SmolStr), usize>,
    api_groups: HashMap<SmolStr, usize>,
    /// Controllers by the class that they serve.
    classes: HashMap<SmolStr, usize>,
    /// Releases by namespace, for services whose chart makes them.
    releases: HashMap<SmolStr, Vec<(SmolStr, usize)>>,
}

impl<'a> ClusterMap<'a> {
    fn new(
        index: usize,
        clusters: &'a [Cluster],
        named: &'a [Named],
        sources: &'a Sources<'a>,
    ) -> Self {
        let cluster = &clusters[index];
        let mut map = ClusterMap {
            cluster,
            clusters,
            named,
            sources,
            index,
            of_unit: vec![BTreeSet::new(); cluster.units.len()],
            objects: HashMap::new(),
            apis: HashMap::new(),
            api_groups: HashMap::new(),
            classes: HashMap::new(),
            releases: HashMap::new(),
        };
        map.fill();
        map
    }

    fn parts(&self) -> impl Iterator<Item = (usize, &'a super::component::Part)> + use<'a> {
        let index = self.index;
        let all = self.named.iter().enumerate();
        all.flat_map(move |(at, named)| {
            let parts = named
                .draft
                .parts
                .iter()
                .filter(move |part| part.cluster == index);
            parts.map(move |part| (at, part))
        })
    }

    fn fill(&mut self) {
        let parts: Vec<_> = self.parts().collect();
        for (component, part) in parts {
            self.of_unit_add(part.unit, component);
            if let Some(release) = part.release {
                self.of_unit[release].insert(component);
                self.add_release(release, component);
            }
            for object in objects(part, self.clusters) {
                let statement = &object.statement;
                self.add_object(&target_of(statement), component);
                for target in &statement.provides {
                    self.add_object(target, component);
                }
            }
        }
    }

    /// A unit stands for its components, and so do all units above it.
    fn of_unit_add(&mut self, unit: Option<usize>, component: usize) {
        let mut unit = unit;
        for _ in 0..64 {
            let Some(at) = unit else {
                return;
            };
            if !self.of_unit[at].insert(component) {
                return;
            }
            // What applies the entry point stands for all, which says nothing.
            unit = self.cluster.units[at]
                .owner
                .filter(|owner| *owner != at && !self.is_root(*owner));
        }
    }

    fn is_root(&self, unit: usize) -> bool {
        self.cluster.units[unit].owner == Some(unit)
    }

    fn add_release(&mut self, release: usize, component: usize) {
        let Some(release) = &self.cluster.units[release].unit.release else {
            return;
        };
        let releases = self
            .releases
            .entry(release.target_namespace.clone())
            .or_default();
        releases.push((release.name.clone(), component));
        let chart = release
            .chart
            .as_ref()
            .and_then(|chart| self.sources.chart(chart));
        let name = chart.map(|chart| chart.name).unwrap_or_default();
        for class in charts::classes(&name) {
            self.classes.entry((*class).into()).or_insert(component);
        }
        for group in charts::api_groups(&name) {
            self.api_groups.entry((*group).into()).or_insert(component);
        }
    }

    fn add_object(&mut self, target: &Target, component: usize) {
        match target {
            Target::Object {
                kind,
                namespace,
                name,
            } => {
                let key = (kind.clone(), namespace.clone(), name.clone());
                self.objects.entry(key).or_insert(component);
            }
            Target::Api { group, kind } => {
                self.apis
                    .entry((group.clone(), kind.clone()))
                    .or_insert(component);
            }
            Target::Host { .. } => {}
        }
    }

    /// Dependencies that units state.
    fn stated(&self, add: &mut Add<'_>) {
        for (index, unit) in self.cluster.units.iter().enumerate() {
            let from = self.own_components(index);
            for dependency in &unit.unit.depends_on {
                let Some(on) = self.cluster.position(&dependency.on) else {
                    continue;
                };
                for from in &from {
                    for to in &self.of_unit[on] {
                        add(*from, *to, dependency.reason.to_owned(), dependency.place);
                    }
                }
            }
        }
    }

    /// The components that a unit makes itself: not those of the units that it creates.
    fn own_components(&self, unit: usize) -> Vec<usize> {
        let parts = self.of_unit[unit].iter().copied();
        parts
            .filter(|component| {
                let parts = self.named[*component].draft.parts.iter();
                parts
                    .filter(|part| part.cluster == self.index)
                    .any(|part| part.unit == Some(unit) || part.release == Some(unit))
            })
            .collect()
    }

    /// What objects refer to.
    fn referred(&self, add: &mut Add<'_>) {
        for (component, part) in self.parts() {
            for object in objects(part, self.clusters) {
                for reference in &object.statement.references {
                    if let Some(to) = self.find(reference) {
                        add(
                            component,
                            to,
                            reference.relation.reason().to_owned(),
                            reference.place,
                        );
                    }
                }
            }
            let chart = part.release.and_then(|release| {
                let release = self.cluster.units[release].unit.release.as_ref()?;
                release.chart.as_ref()
            });
            if let Some(chart) = chart {
                let source = &chart.source;
                let key = (
                    source.kind.clone(),
                    source.namespace.clone(),
                    source.name.clone(),
                );
                if let Some(to) = self.objects.get(&key) {
                    add(
                        component,
                        *to,
                        Relation::ChartSource.reason().to_owned(),
                        chart.place,
                    );
                }
            }
        }
    }

    fn find(&self, reference: &Reference) -> Option<usize> {
        match &reference.target {
            Target::Object {
                kind,
                namespace,
                name,
            } => {
                let key = (kind.clone(), namespace.clone(), name.clone());
                let cluster_wide = (kind.clone(), SmolStr::default(), name.clone());
                let found = self
                    .objects
                    .get(&key)
                    .or_else(|| self.objects.get(&cluster_wide));
                found.copied().or_else(|| match kind.as_str() {
                    "Service" => self.by_release(namespace, name),
                    "IngressClass" | "GatewayClass" => self.classes.get(name).copied(),
                    _ => None,
                })
            }
            Target::Api { group, kind } => {
                let exact = self.apis.get(&(group.clone(), kind.clone()));
                exact.or_else(|| self.api_groups.get(group)).copied()
            }
            Target::Host { service, namespace } => {
                let key = ("Service".into(), namespace.clone(), service.clone());
                let found = self.objects.get(&key).copied();
                found.or_else(|| self.by_release(namespace, service))
            }
        }
    }

    /// Charts name their services after the release: the longest name that fits is meant.
    fn by_release(&self, namespace: &SmolStr, service: &str) -> Option<usize> {
        let releases = self.releases.get(namespace)?.iter();
        releases
            .filter(|(name, _)| {
                service == name.as_str()
                    || service
                        .strip_prefix(name.as_str())
                        .is_some_and(|rest| rest.starts_with('-'))
            })
            .max_by_key(|(name, _)| name.len())
            .map(|(_, component)| *component)
    }
}

fn target_of(statement: &Statement) -> Target {
    let id = &statement.id;
    Target::object(&id.kind, &id.namespace, &id.name)
}
