//! Edges: one component needs another, for a reason that some line states.

mod answer;
mod api;
mod dormant;
mod fill;
mod find;
mod outside;
mod relate;
mod way;

use rayon::prelude::*;
use smol_str::SmolStr;

use super::ComponentIx;
use super::component::{NamedComponent, Placement};
use super::environment::{EnvironmentSet, EnvironmentView};
use super::part_objects::objects_in;
use crate::cluster::{
    ChartObjects, ChartSources, Cluster, ClusterIx, Clusters, Destination, UnitIx,
};
use crate::facts::values::ChartValues;
use crate::facts::{Relation, Release, Statement, Target};
use crate::input::config::{Config, Crds, Requests};
use crate::sources::charts::{self, Brings};
pub use answer::AddressEdge;
use api::Apis;
use base::Place;
use base::hash::{HashMap, HashSet};
use base::index::IndexVec;
use outside::{Outside, outside};

/// From a component to one that it needs, by index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: ComponentIx,
    pub to: ComponentIx,
    pub relation: Relation,
    pub place: Place,
    /// Environments in which the dependent needs it.
    pub environments: EnvironmentSet,
}

/// One unit with several components waits for another: all of its components for all of the other's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupEdge {
    /// Name of the unit that waits, and of the one that it waits for.
    pub from: SmolStr,
    pub to: SmolStr,
    pub members: Vec<ComponentIx>,
    pub awaited: Vec<ComponentIx>,
    pub relation: Relation,
    pub place: Place,
    pub environments: EnvironmentSet,
}

impl GroupEdge {
    /// The same as edges between components, for what depends on order alone.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        let each = |from: ComponentIx| self.awaited.iter().map(move |to| (from, *to));
        let pairs = self.members.iter().flat_map(move |from| each(*from));
        pairs.map(|(from, to)| Edge {
            from,
            to,
            relation: self.relation,
            place: self.place,
            environments: self.environments,
        })
    }
}

/// A dependency between units that leads to more pairs of components than this is one between groups.
const MOST_PAIRS: usize = 3;

/// Dependencies between components.
pub struct Edges {
    pub all: Vec<Edge>,
    pub groups: Vec<GroupEdge>,
    /// Dependencies that disabled components declare. They affect no other component.
    pub dormant: Vec<Edge>,
    pub answers: Vec<AddressEdge>,
}

pub fn edges(
    config: &Config,
    clusters: &Clusters,
    environments: &[EnvironmentView],
    named: &IndexVec<ComponentIx, NamedComponent>,
    sources: &IndexVec<ClusterIx, ChartSources<'_>>,
) -> Edges {
    let outside = outside(clusters, named);
    let of_clusters = sources.par_iter().enumerate().map(|(index, sources)| {
        let index = ClusterIx::from_usize(index);
        let mut map = ClusterMap::new(config, index, clusters, named, sources, &outside);
        let names = clusters[index].environments.iter();
        map.sets = names
            .map(|name| EnvironmentSet::named(environments, name))
            .collect();
        let mut edges = Vec::new();
        let mut groups = Vec::new();
        map.stated(&mut groups, &mut adding(&mut edges));
        map.awaited(&mut adding(&mut edges));
        let waits = edges.iter().map(|edge| (edge.from, edge.to));
        let in_groups = groups.iter().flat_map(GroupEdge::edges);
        let waits = waits.chain(in_groups.map(|edge| (edge.from, edge.to)));
        let waits = waits.collect();
        map.referred(&waits, &mut adding(&mut edges));
        let mut dormant = Vec::new();
        map.switched_off(&mut adding(&mut dormant));
        ((edges, map.answers()), (dormant, groups))
    });
    type Lists<A, B> = (Vec<A>, Vec<B>);
    let ((all, answers), (dormant, groups)): (Lists<_, _>, Lists<_, _>) = of_clusters.unzip();
    Edges {
        all: once(all.concat(), environments),
        groups: groups_once(groups.concat()),
        dormant: once(dormant.concat(), environments),
        answers: answers.concat(),
    }
}

/// Each once, with all environments that it holds in. Of several places that say the same the first is kept.
fn once(mut edges: Vec<Edge>, environments: &[EnvironmentView]) -> Vec<Edge> {
    let key = |edge: &Edge| (edge.from, edge.to, edge.relation);
    edges.sort_by_key(key);
    edges.dedup_by(|again, first| {
        let is_same = key(again) == key(first);
        if is_same {
            first.environments = first.environments.or(again.environments);
        }
        is_same
    });
    let each = environments.iter();
    let each = each.map(|one| EnvironmentSet::named(environments, &one.name));
    let everywhere = EnvironmentSet::union(each);
    for edge in &mut edges {
        if edge.environments == everywhere {
            edge.environments = EnvironmentSet::ALL;
        }
    }
    edges
}

/// Each once, with the components and environments of all clusters.
fn groups_once(mut groups: Vec<GroupEdge>) -> Vec<GroupEdge> {
    groups.sort_by(|a, b| (&a.from, &a.to, a.relation).cmp(&(&b.from, &b.to, b.relation)));
    groups.dedup_by(|again, first| {
        let is_same =
            (&again.from, &again.to, again.relation) == (&first.from, &first.to, first.relation);
        if is_same {
            first.environments = first.environments.or(again.environments);
            first.members.append(&mut again.members);
            first.awaited.append(&mut again.awaited);
        }
        is_same
    });
    for group in &mut groups {
        for list in [&mut group.members, &mut group.awaited] {
            list.sort_unstable();
            list.dedup();
        }
    }
    groups
}

/// Adds edges, except those from a component to itself.
fn adding(edges: &mut Vec<Edge>) -> impl FnMut(Edge) + '_ {
    |edge| {
        if edge.from != edge.to {
            edges.push(edge);
        }
    }
}

type Add<'a> = dyn FnMut(Edge) + 'a;

#[derive(PartialEq, Eq)]
enum Noted {
    Now,
    Before,
}

/// What makes the services that are named after a release.
struct ReleaseServices {
    component: ComponentIx,
    services: Services,
}

/// A chart that a release installs, and what is known of it.
struct InstalledChart<'a> {
    release: &'a Release,
    services: Services,
    /// All that it yields is known.
    is_whole: bool,
}

/// Whether all services of a chart are among the objects that its unit applies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Services {
    Known,
    Unknown,
}

/// Which component of one cluster has what.
struct ClusterMap<'a> {
    config: &'a Config,
    cluster: &'a Cluster,
    clusters: &'a Clusters,
    named: &'a IndexVec<ComponentIx, NamedComponent>,
    sources: &'a ChartSources<'a>,
    index: ClusterIx,
    /// Components of each unit, including units that are only structure.
    of_unit: IndexVec<UnitIx, Vec<ComponentIx>>,
    /// Components by cluster, kind, namespace and name of their objects.
    objects: HashMap<(Destination, &'a str, &'a str, &'a str), ComponentIx>,
    apis: Apis<'a>,
    /// Controllers by cluster and the class that they serve.
    classes: HashMap<(Destination, &'a str), Vec<ComponentIx>>,
    /// The component behind each public host.
    addresses: HashMap<(Destination, &'a str), ComponentIx>,
    /// Releases by cluster, namespace and name, for services whose chart makes them.
    releases: HashMap<(Destination, &'a str, &'a str), ReleaseServices>,
    /// The service that a store reads from, by cluster, kind, namespace and name.
    stores: HashMap<(Destination, &'a str, &'a str, &'a str), &'static str>,
    /// Services that only name another one.
    aliases: HashMap<(Destination, &'a str, &'a str, &'a str), &'a Target>,
    /// Objects that belong to no component, by cluster, kind, namespace and name.
    ownerless: HashMap<(Destination, &'a str, &'a str, &'a str), &'a Statement>,
    /// Secrets by which others sign in to what a component runs: by cluster, namespace and name.
    credentials: HashSet<(Destination, &'a str, &'a str)>,
    /// Components that run something, as opposed to those that only declare it.
    running: HashSet<ComponentIx>,
    /// Components that only let requests in to others.
    proxies: HashSet<ComponentIx>,
    outside: &'a Outside<'a>,
    /// The environments that the cluster leads to, by rank.
    sets: Vec<EnvironmentSet>,
}

impl<'a> ClusterMap<'a> {
    fn new(
        config: &'a Config,
        index: ClusterIx,
        clusters: &'a Clusters,
        named: &'a IndexVec<ComponentIx, NamedComponent>,
        sources: &'a ChartSources<'a>,
        outside: &'a Outside<'a>,
    ) -> Self {
        let cluster = &clusters[index];
        let mut map = ClusterMap {
            config,
            cluster,
            clusters,
            named,
            sources,
            index,
            of_unit: IndexVec::from_elem(Vec::new(), cluster.units.len()),
            objects: HashMap::with_capacity_and_hasher(
                cluster.objects().count(),
                Default::default(),
            ),
            apis: Apis::default(),
            classes: HashMap::default(),
            addresses: HashMap::default(),
            releases: HashMap::default(),
            stores: HashMap::default(),
            aliases: HashMap::default(),
            ownerless: HashMap::default(),
            credentials: HashSet::default(),
            running: HashSet::default(),
            proxies: HashSet::default(),
            outside,
            sets: Vec::new(),
        };
        map.fill();
        map.fill_ownerless();
        map.fill_addresses();
        map
    }

    fn parts(&self) -> impl Iterator<Item = (ComponentIx, &'a Placement)> + use<'a> {
        let index = self.index;
        let all = self.named.iter_enumerated();
        all.flat_map(move |(at, named)| {
            let parts = named
                .draft
                .parts
                .iter()
                .filter(move |part| part.cluster == index);
            parts.map(move |part| (at, part))
        })
    }

    /// Adds a component to its unit and to all units above it.
    fn of_unit_add(&mut self, unit: Option<UnitIx>, component: ComponentIx) {
        let mut unit = unit;
        for _ in 0..64 {
            let Some(at) = unit else {
                return;
            };
            if self.note(at, component) == Noted::Before {
                return;
            }
            // The unit that applies the entry point stands for all components, so it carries no information.
            unit = self.cluster.units[at]
                .owner
                .filter(|owner| *owner != at && !self.is_root(*owner));
        }
    }

    /// Components come in order, so that one that a unit has already is its last.
    fn note(&mut self, unit: UnitIx, component: ComponentIx) -> Noted {
        let components = &mut self.of_unit[unit];
        if components.last() == Some(&component) {
            return Noted::Before;
        }
        components.push(component);
        Noted::Now
    }

    fn is_root(&self, unit: UnitIx) -> bool {
        self.cluster.units[unit].owner == Some(unit)
    }

    fn add_release(
        &mut self,
        release: UnitIx,
        declared: Option<&'a Statement>,
        component: ComponentIx,
    ) {
        let cluster = self.cluster;
        let unit = &cluster.units[release];
        let applied = unit.applied.as_ref();
        let runs = applied.is_some_and(|applied| {
            let mut objects = applied.objects.iter();
            objects.any(|one| one.statement.runs.workload.is_some())
        });
        let is_whole = unit.charts.as_ref().is_some_and(ChartObjects::is_whole);
        for (release, prefix) in unit.unit.releases() {
            let values = declared.map(|statement| ChartValues { statement, prefix });
            let chart = release.chart.as_ref();
            let is_here = chart.is_some_and(|chart| {
                let repository = chart.repository.as_ref();
                let is_own = repository.is_none_or(|url| cluster.is_own(url));
                let is_directory = unit.directory.is_some() && is_own;
                chart.parts.is_empty() && (chart.file.is_some() || is_directory)
            });
            let services = if is_whole || runs && is_here {
                Services::Known
            } else {
                Services::Unknown
            };
            let known = InstalledChart {
                release,
                services,
                is_whole,
            };
            self.add_chart(unit.target, known, values, component);
        }
    }

    fn add_chart(
        &mut self,
        at: Destination,
        installed: InstalledChart<'a>,
        values: Option<ChartValues<'a>>,
        component: ComponentIx,
    ) {
        let InstalledChart {
            release, services, ..
        } = installed;
        let (namespace, name) = (&release.target_namespace, &release.name);
        // Charts name what they install after the release, unless values say otherwise.
        let parts = release.chart.iter().flat_map(|chart| &chart.parts);
        let keys = parts.map(|part| format!("{}.fullnameOverride", part.values));
        let stated: Vec<&str> = std::iter::once("fullnameOverride".to_owned())
            .chain(keys)
            .filter_map(|key| values?.setting(&key))
            .collect();
        for name in std::iter::once(name.as_str()).chain(stated) {
            let key = (at, namespace.as_str(), name);
            let services = ReleaseServices {
                component,
                services,
            };
            self.releases.insert(key, services);
        }
        let chart = release
            .chart
            .as_ref()
            .and_then(|chart| self.sources.chart(chart));
        let Some(chart) = chart else {
            return;
        };
        self.add_subcharts(at, release, component);
        for chart in charts::find(self.config, &chart.name, chart.repository.as_deref()) {
            if chart.requests == Requests::Pass {
                self.proxies.insert(component);
            }
            for service in &chart.services {
                let key = (at, "Service", namespace.as_str(), service.as_str());
                self.objects.entry(key).or_insert(component);
            }
            for class in &chart.classes {
                let servers = self.classes.entry((at, class)).or_default();
                if servers.last() != Some(&component) {
                    servers.push(component);
                }
            }
            let brings = values.map(|values| charts::brings(chart, release, values));
            let brings = brings.unwrap_or(Brings::Perhaps);
            // The types that a chart defines itself are among its objects.
            let brings = if installed.is_whole && chart.crds != Crds::RunTime {
                Brings::Not
            } else {
                brings
            };
            for entry in &chart.groups {
                let (group, kind) = charts::group_and_kind(entry);
                let key = (at, group, kind.unwrap_or_default());
                self.apis.add(key, brings, component);
            }
        }
    }

    /// Notes what the charts inside a chart bring.
    fn add_subcharts(&mut self, at: Destination, release: &'a Release, component: ComponentIx) {
        for part in release.chart.iter().flat_map(|chart| &chart.parts) {
            let known = charts::find(self.config, &part.name, part.repository.as_deref());
            for entry in known.flat_map(|chart| &chart.groups) {
                let (group, kind) = charts::group_and_kind(entry);
                let key = (at, group, kind.unwrap_or_default());
                self.apis.add(key, Brings::Perhaps, component);
            }
        }
    }

    fn add_object(&mut self, at: Destination, target: &'a Target, component: ComponentIx) {
        match target {
            Target::Object {
                kind,
                namespace,
                name,
            } => {
                let key = (at, kind.as_str(), namespace.as_str(), name.as_str());
                self.objects.entry(key).or_insert(component);
            }
            Target::Api { group, kind } => {
                let key = (at, group.as_str(), kind.as_str());
                self.apis.add(key, Brings::Surely, component);
            }
            Target::Host { .. }
            | Target::Address { .. }
            | Target::Outside { .. }
            | Target::Behind { .. } => {}
        }
    }
}
