//! The catalogue: clusters with their units, components with what people ask about them, and the
//! edges between components. Made from facts; knows no tool by name.

mod attribution;
mod by_command;
mod chart;
mod claims;
mod component;
mod description;
mod disabled;
mod edge;
mod elsewhere;
mod environment;
mod gateway;
mod gather;
mod graph;
mod layer;
mod link;
mod lookup;
mod merge_environments;
mod name;
mod owner;
mod part_objects;
mod program;
mod running;
mod setting;
mod shared_objects;
mod title;
mod unit;
mod version;
mod version_place;
mod wiring;

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::cluster::{
    ChartSources, ClusterIx, Clusters, Coverage, Destination, Object, ObjectDigest, ObjectIx,
    ReadChart, TemplateLine, UnitIx,
};
use crate::facts::{Alert, Detail, EdgeKind, Interface, ResourceId, UnitId, Volume, Workload};
use crate::input::config::Config;
use crate::input::repo::{Repo, RepoPath};
use base::hash::HashMap;
use base::index::IndexVec;
use base::{Finding, Place, index_type};

pub use attribution::blame;
pub use by_command::ByCommand;
use claims::Claims;
use description::Applications;
pub use description::{About, DescribedBy, Description};
pub use edge::{Edge, GroupEdge};
pub use environment::{EnvironmentIx, EnvironmentSet, EnvironmentView, is_production};
use gateway::Gateways;
pub use graph::{EdgeDirection, Graph, Reach, cycles};
pub use layer::{PROGRAMS, candidates};
pub use link::ComponentLink;
pub use lookup::{UnknownEnvironment, UnknownName};
pub use program::ProgramView;
pub use setting::{ByEnvironment, Setting, SettingValue};
pub use title::title;
pub use unit::{ClusterUnits, UnitView};
pub use wiring::{Entrance, MOST_WIRED, Wiring};

/// A component's identity: unique in the catalogue, the same in every build of the same repo.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(pub SmolStr);

index_type! {
    /// Position of a component in the catalogue.
    pub struct ComponentIx;
}

/// Whether an address can be followed in a browser: not if it has a variable that no file resolves.
pub fn is_link(url: &str) -> bool {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    is_web && !url.contains("${")
}

/// Everything that is known about a repo.
#[derive(Debug, Default, Clone)]
pub struct Catalog {
    pub clusters: Arc<IndexVec<ClusterIx, ClusterUnits>>,
    /// Environments in which something runs, each once.
    pub environments: Arc<IndexVec<EnvironmentIx, EnvironmentView>>,
    /// By id. Shared, so that a catalogue can replace one component and keep the others.
    pub components: IndexVec<ComponentIx, Arc<Component>>,
    /// Dependencies between components, by index.
    pub edges: Arc<[Edge]>,
    /// Dependencies between units of several components each.
    pub groups: Arc<[GroupEdge]>,
    /// Dependencies that disabled components declare. They count neither for the blast radius nor for the startup
    /// order.
    pub dormant: Arc<[Edge]>,
    /// Applied objects that belong to no component.
    pub others: Arc<[ResourceId]>,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    Enabled,
    Suspended,
    /// Present in the repo but disabled: its entry is commented out.
    Disabled,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Status::Enabled => "enabled",
            Status::Suspended => "suspended",
            Status::Disabled => "disabled",
        }
    }
}

/// A service that a person owns and looks up.
#[derive(Debug, Clone)]
pub struct Component {
    pub id: ComponentId,
    pub title: String,
    /// Kind of the object that creates it, such as a HelmRelease, a Kustomization or a workload.
    pub kind: SmolStr,
    /// Whether it is a program (such as a Terraform root module) that runs for no Kubernetes cluster.
    pub is_program: bool,
    pub namespace: SmolStr,
    pub layer: Option<String>,
    pub status: Status,
    /// The directory of its manifests.
    pub source: Option<RepoPath>,
    pub place: Place,
    /// The unit to suspend before manual changes.
    pub unit: Option<UnitId>,
    pub about: About,
    pub owner: Option<String>,
    /// All owners, if there are several.
    pub owners: Vec<String>,
    /// The line that names the owner, if it is in the repo.
    pub owner_place: Option<Place>,
    /// Where people ask about it, and where its code is, as labels and annotations state.
    pub contact: Option<String>,
    pub source_code: Option<String>,
    /// How somebody applies it, if no reconciler does.
    pub by_command: Option<ByCommand>,
    pub chart: Option<ComponentChart>,
    /// Further charts: the wrapper of its main chart, subcharts, and other installed charts.
    pub more_charts: Vec<ComponentChart>,
    /// The environments that have it, in order.
    pub environments: Vec<Environment>,
    /// As the first environment has each, with the limits and labels of all.
    pub workloads: Vec<Workload>,
    pub images: Vec<SmolStr>,
    pub urls: Vec<String>,
    /// Addresses among them that another component declares.
    pub answered: Vec<String>,
    pub ports: Vec<SmolStr>,
    /// As the first environment has each.
    pub volumes: Vec<Volume>,
    pub per_environment: PerEnvironment,
    pub wiring: Wiring,
    pub settings: Vec<Setting>,
    /// Declared inputs and outputs.
    pub interface: Option<Arc<Interface>>,
    /// By name.
    pub alerts: Vec<Alert>,
    pub resources: Vec<ComponentResource>,
}

impl Component {
    /// Puts the addresses that others declare among its own.
    fn add_answered(&mut self) {
        if self.answered.is_empty() {
            return;
        }
        let mut urls = std::mem::take(&mut self.urls);
        urls.extend(self.answered.iter().cloned());
        self.urls = gather::addresses(urls);
    }

    /// The version that people mean, in the first environment that has one.
    pub fn version(&self) -> Option<&str> {
        let mut environments = self.environments.iter();
        environments.find_map(|environment| environment.version.as_deref())
    }
}

/// A component in one environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    pub name: String,
    pub status: Status,
    /// The version to show: that of the application that it runs if that is known, or else of its chart.
    pub version: Option<SmolStr>,
    pub chart_version: Option<SmolStr>,
    /// The line that sets the version, if it is known.
    pub version_place: Option<Place>,
    /// Empty if it has none there.
    pub namespace: SmolStr,
    /// The name of its Helm release, if it is one.
    pub release: Option<SmolStr>,
    /// The unit that applies it there, and the cluster that declares this unit.
    pub unit: (Destination, UnitId),
}

/// How large environments have what a component runs: by the position of the workload or volume, what each environment
/// states that has it.
#[derive(Debug, Clone, Default)]
pub struct PerEnvironment {
    pub replicas: Vec<Vec<EnvironmentValue>>,
    pub sizes: Vec<Vec<EnvironmentValue>>,
    pub classes: Vec<Vec<EnvironmentValue>>,
    /// By the position of the alert, the environments that declare it.
    pub alerts: Vec<Vec<SmolStr>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentValue {
    pub environment: SmolStr,
    /// None where it has it and does not say.
    pub value: Option<SmolStr>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentChart {
    pub name: SmolStr,
    pub version: Option<SmolStr>,
    pub repository: Option<SmolStr>,
    /// What was read of it; none if nothing tried to.
    pub read: Option<ReadChart>,
}

impl ComponentChart {
    /// Whether it may install more than what is known.
    pub fn is_unread(&self) -> bool {
        match &self.read {
            Some(read) => read.coverage != Coverage::Whole,
            None => self.repository.is_some(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentResource {
    pub id: ResourceId,
    pub place: Place,
    pub details: Box<[Detail]>,
    /// The line of a chart's template that wrote it, if a chart yields it.
    pub template: Option<Arc<TemplateLine>>,
    /// What it holds in all environments, if a chart yields it.
    pub digest: Option<ObjectDigest>,
}

impl ComponentResource {
    /// The detail `name`, independent of the kind of object.
    pub fn detail(&self, name: &str) -> Option<&str> {
        let mut details = self.details.iter();
        details.find_map(|detail| (detail.name == name).then_some(detail.value.as_str()))
    }
}

impl Catalog {
    /// The environments of a component.
    pub fn environments_of(&self, component: &Component) -> EnvironmentSet {
        let own = component.environments.iter();
        EnvironmentSet::union(own.map(|one| EnvironmentSet::named(&self.environments, &one.name)))
    }

    /// What each component needs while it runs: without it, the component breaks.
    pub fn outage_graph(&self) -> Graph {
        let edges = self.edges.iter();
        let needed = edges.filter(|edge| edge.relation.kind() == EdgeKind::Runs);
        Graph::new(self.components.len(), needed)
    }

    /// Everything that says which component comes first, dependencies between groups included.
    pub fn order_graph(&self) -> Graph {
        let edges = self.edges.iter().cloned();
        let groups = self.groups.iter().flat_map(GroupEdge::edges);
        Graph::new(self.components.len(), edges.chain(groups))
    }

    /// The names of the environments that some have, unless a component is nowhere else.
    pub fn only_in(&self, some: EnvironmentSet, component: &Component) -> Option<Vec<&str>> {
        let elsewhere = self.environments_of(component).without(some);
        let names = || some.select(&self.environments).map(|one| one.name.as_str());
        (!elsewhere.is_empty()).then(|| names().collect())
    }
}

/// The environments that a catalogue is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvironmentScope<'a> {
    All,
    Environment(&'a str),
}

/// Makes the catalogue out of composed clusters, and says which of their parts each component is.
pub fn model(
    repo: &Repo,
    config: &Config,
    clusters: &Clusters,
    scope: EnvironmentScope<'_>,
) -> (Catalog, ComponentParts) {
    let mut named = name::named(component::drafts(repo, clusters));
    if let EnvironmentScope::Environment(name) = scope {
        named = environment::only_in(named, name, clusters);
    }
    let sources: Vec<ChartSources<'_>> = clusters
        .par_iter()
        .map(ChartSources::from_cluster)
        .collect();
    let sources: IndexVec<ClusterIx, ChartSources<'_>> = sources.into();
    let gateways: Vec<Gateways<'_>> = clusters.par_iter().map(Gateways::from_cluster).collect();
    let gateways: IndexVec<ClusterIx, Gateways<'_>> = gateways.into();
    let claims: Vec<Claims<'_>> = clusters.par_iter().map(Claims::from_cluster).collect();
    let claims: IndexVec<ClusterIx, Claims<'_>> = claims.into();
    let units = || {
        let each = clusters.par_iter().zip(sources.as_slice());
        let units = each.map(|(cluster, sources)| unit::units(cluster, sources));
        units.collect::<Vec<_>>().into()
    };
    let components = || {
        let each = named.par_iter().with_max_len(64);
        each.map(|named| gather::finish(config, named, clusters, &sources, &gateways, &claims))
            .collect()
    };
    let environments = environment::environments(clusters, &named);
    let edges = || edge::edges(config, clusters, &environments, &named, &sources);
    let (components, (edges, units)) = rayon::join(components, || rayon::join(edges, units));
    let mut components: Vec<Component> = components;
    gather::add_answers(&mut components, &edges.answers);
    let assign = || {
        layer::assign(&mut components, &named, clusters, repo, config);
        owner::assign(&mut components, &named, clusters, repo, config);
        description::assign(&mut components, &named, clusters, config);
        let each = components.par_iter_mut().with_max_len(64);
        each.for_each(|component| version_place::confirm(component, repo));
    };
    let (others, ()) = rayon::join(|| others(&named, clusters), assign);
    let mut catalog = Catalog {
        clusters: Arc::new(units),
        environments: Arc::new(environments.into()),
        components: components.into_iter().map(Arc::new).collect(),
        edges: edges.all.into(),
        groups: edges.groups.into(),
        dormant: edges.dormant.into(),
        others: others.into(),
        findings: Vec::new(),
    };
    for cluster in clusters {
        let units = cluster.units.iter();
        let applied = units.flat_map(|unit| unit.applied.iter().chain(unit.chart_objects()));
        for applied in applied.chain([&cluster.loose]) {
            catalog.findings.extend(applied.findings.iter().cloned());
        }
        catalog.findings.extend(cluster.findings.iter().cloned());
    }
    drop(sources);
    (catalog, ComponentParts(named))
}

/// Which parts of the clusters each component is, by position.
pub struct ComponentParts(IndexVec<ComponentIx, component::NamedComponent>);

impl ComponentParts {
    /// The units that a component is made of, with the cluster of each.
    pub fn units(&self, component: ComponentIx) -> impl Iterator<Item = (ClusterIx, UnitIx)> {
        let named = self.0.get(component).into_iter();
        let parts = named.flat_map(|named| &named.draft.parts);
        parts.flat_map(|part| {
            let owner = part.declared.and_then(|declared| declared.owner);
            let units = [part.unit, part.release, owner, Some(part.subject)];
            units.into_iter().flatten().map(|unit| (part.cluster, unit))
        })
    }

    /// The objects of a component that reach a cluster, those of its charts included, each with the cluster that leads to
    /// it and the one that it is applied to.
    pub fn applied_objects<'a>(
        &'a self,
        component: ComponentIx,
        clusters: &'a Clusters,
    ) -> impl Iterator<Item = (ClusterIx, Destination, &'a Object)> {
        let named = self.0.get(component).into_iter();
        let parts = named.flat_map(|named| &named.draft.parts);
        parts.flat_map(|part| {
            let objects = part_objects::applied_objects_in(part, clusters);
            objects.map(|(target, object)| (part.cluster, target, object))
        })
    }

    /// The component of each unit that installs something, by cluster and unit.
    pub fn releases(&self) -> HashMap<(ClusterIx, UnitIx), ComponentIx> {
        let mut releases = HashMap::default();
        for (component, named) in self.0.iter_enumerated() {
            for part in &named.draft.parts {
                if let Some(release) = part.release {
                    releases.insert((part.cluster, release), component);
                }
            }
        }
        releases
    }

    /// Components once more, where the same units state something else about the same objects. Their layers and owners
    /// are those that they had.
    pub fn with_parts(
        &self,
        repo: &Repo,
        config: &Config,
        before: &IndexVec<ComponentIx, Arc<Component>>,
        asked: &BTreeSet<ComponentIx>,
        clusters: &Clusters,
    ) -> Vec<(ComponentIx, Component)> {
        let sources = clusters.iter().map(ChartSources::from_cluster).collect();
        let gateways = clusters.iter().map(Gateways::from_cluster).collect();
        let claims = clusters.iter().map(Claims::from_cluster).collect();
        let both = |at: &ComponentIx| Some((*at, self.0.get(*at)?, before.get(*at)?));
        let applications = Applications::new(config);
        let again = asked.iter().filter_map(both).map(|(at, named, before)| {
            let mut component = Component {
                layer: before.layer.clone(),
                owner: before.owner.clone(),
                owners: before.owners.clone(),
                owner_place: before.owner_place,
                answered: before.answered.clone(),
                ..gather::finish(config, named, clusters, &sources, &gateways, &claims)
            };
            component.add_answered();
            component.about = applications.about(&component, named, clusters);
            version_place::confirm(&mut component, repo);
            (at, component)
        });
        again.collect()
    }
}

/// Objects that belong to no component, such as namespaces and sources of units that only create other units.
fn others(named: &[component::NamedComponent], clusters: &Clusters) -> Vec<ResourceId> {
    let units = clusters.iter().map(|cluster| cluster.units.len()).sum();
    let mut taken: HashMap<(ClusterIx, Option<UnitIx>), Vec<ObjectIx>> =
        HashMap::with_capacity_and_hasher(units, Default::default());
    for part in named.iter().flat_map(|named| &named.draft.parts) {
        let own = taken.entry((part.cluster, part.unit)).or_default();
        own.extend(&part.objects);
    }
    let mut others = Vec::new();
    for (at, cluster) in clusters.iter_enumerated() {
        let units = cluster.units.iter_enumerated();
        let units = units.filter_map(|(unit, own)| Some((Some(unit), own.applied.as_ref()?)));
        for (unit, applied) in units.chain([(None, &cluster.loose)]) {
            let mut is_taken: IndexVec<ObjectIx, bool> =
                IndexVec::from_elem(false, applied.objects.len());
            for object in taken.get(&(at, unit)).into_iter().flatten() {
                if let Some(taken) = is_taken.get_mut(*object) {
                    *taken = true;
                }
            }
            let free = applied
                .objects
                .iter()
                .zip(is_taken)
                .filter(|(_, taken)| !taken);
            others.extend(free.map(|(object, _)| object.statement.id.clone()));
        }
    }
    others.sort_unstable();
    others.dedup();
    others
}
