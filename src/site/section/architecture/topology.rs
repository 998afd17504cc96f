//! A diagram of what the manifests deploy: the unit, its chart, the workloads by namespace, and their connections.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{
    ComponentIx, ComponentResource, Edge, Entrance, EnvironmentSet, MOST_WIRED, is_link,
};
use crate::checks::wording::in_words;
use crate::facts::kubernetes::is_builtin;
use crate::facts::{ObjectRef, Relation, UnitId};
use crate::site::section::About;
use crate::site::view::{by_environment, count, counted};
use crate::sources::is_plumbing;
use diagram::{
    self, Diagram, DiagramBody, Direction, Flow, FlowAuthor, FlowNode, Group, Layout, NodeClass,
};

/// Objects of one kind that are drawn one by one.
const MOST_OF_A_KIND: usize = 3;
/// Other components that are drawn.
const MOST_OTHERS: usize = 8;
const MOST_URLS: usize = 3;
const MOST_GATEWAYS: usize = 2;
/// Most characters about replicas, as two lines of a node have room for.
const MOST_LETTERS: usize = 36;
/// Up to this many workloads have their own arrow to a target. Beyond it, the arrow stands for all of them.
const MOST_SPEAKERS: usize = 3;
/// Names of one unit, where environments call it differently.
const MOST_NAMES: usize = 3;

pub fn draw(about: &About<'_>) -> Option<Diagram> {
    let component = about.component;
    let unit = component.unit.as_ref()?;
    let mut plan = TopologyPicture::new();
    let root = plan.node(
        namespace_of(about, unit),
        format!("{}: {}", in_words(&unit.kind), names(about, unit)),
        NodeClass::Current,
        None,
    );
    let release = release(about).map(|release| {
        let id = &release.id;
        let label = format!("{}: {}", in_words(&id.kind), id.name);
        let node = plan.node(&id.namespace, label, NodeClass::Current, None);
        plan.edge(root, node, "creates");
        node
    });
    let deployer = release.unwrap_or(root);
    if let Some(chart) = &component.chart {
        let source = chart.repository.as_deref().unwrap_or("chart");
        let version = chart
            .version
            .as_deref()
            .map(|version| format!(" {version}"));
        let label = format!("{}{}", chart.name, version.unwrap_or_default());
        let chart = plan.node("", label, NodeClass::Source, Some(source.to_owned()));
        plan.edge(deployer, chart, "chart");
    }
    let mut running = Vec::new();
    let sizes = &component.per_environment.replicas;
    for (workload, replicas) in component.workloads.iter().zip(sizes) {
        let namespace = if workload.namespace.is_empty() {
            &component.namespace
        } else {
            &workload.namespace
        };
        let replicas = by_environment::told(component, replicas, |n| format!("× {n}"));
        // A number that is cut off would be read as another.
        let replicas = replicas.map(|told| {
            if told.chars().count() > MOST_LETTERS {
                "replicas differ".to_owned()
            } else {
                told
            }
        });
        let detail = replicas.map(|replicas| format!("{} {replicas}", workload.kind));
        let detail = detail.unwrap_or_else(|| workload.kind.to_string());
        running.push(plan.node(
            namespace,
            workload.name.to_string(),
            NodeClass::Workload,
            Some(detail),
        ));
    }
    running.truncate(MOST_WIRED);
    // What a chart yields, the release creates.
    for (node, workload) in running.iter().zip(&component.workloads) {
        let is_it = |resource: &&ComponentResource| {
            let id = &resource.id;
            (&id.kind, &id.name) == (&workload.kind, &workload.name)
        };
        let found = component.resources.iter().find(is_it);
        let from = if found.is_some_and(|one| one.template.is_some()) {
            deployer
        } else {
            root
        };
        plan.edge(from, *node, "deploys");
    }
    for (node, is_of_chart) in resources(about, &mut plan) {
        let from = if is_of_chart { deployer } else { root };
        plan.edge(from, node, "creates");
    }
    if running.is_empty() && release.is_some() && !component.namespace.is_empty() {
        let label = format!("{} workloads", component.title);
        running.push(plan.node(&component.namespace, label, NodeClass::Workload, None));
        plan.edge(deployer, running[0], "installs");
    }
    let crew = Crew { deployer, running };
    let gateways = addresses(about, &mut plan, &crew);
    others(about, &mut plan, &crew, &gateways);
    (plan.flow.nodes.len() > 2).then(|| plan.finish(&component.title))
}

/// The nodes that may be meant where something is served or needed.
struct Crew {
    deployer: usize,
    /// By the position of the workload.
    running: Vec<usize>,
}

impl Crew {
    /// Nodes of some workloads. If none or too many are known, returns the only workload, or else the deployer.
    fn for_workloads(&self, workloads: impl Iterator<Item = usize>) -> Vec<usize> {
        let known = workloads.filter_map(|at| self.running.get(at).copied());
        let known: Vec<usize> = known.collect();
        match (known.len(), self.running.as_slice()) {
            (1..=MOST_SPEAKERS, _) => known,
            (_, [only]) => vec![*only],
            _ => vec![self.deployer],
        }
    }
}

/// Draws the addresses, their gateways and the workloads behind them. Returns the components whose gateways are drawn.
fn addresses(about: &About<'_>, plan: &mut TopologyPicture, crew: &Crew) -> BTreeSet<ComponentIx> {
    let wiring = &about.component.wiring;
    let urls = about.component.urls.iter().take(MOST_URLS);
    let reached = urls.map(|url| {
        let entrance = wiring.entrance(url);
        let workloads = entrance.into_iter().flat_map(|one| &one.workloads);
        (url, entrance, crew.for_workloads(workloads.copied()))
    });
    let reached: Vec<(&String, Option<&Entrance>, Vec<usize>)> = reached.collect();
    // If addresses lead to different workloads, each arrow from a gateway names its address.
    let differ = reached.windows(2).any(|two| two[0].2 != two[1].2);
    let mut gateways: BTreeMap<&ObjectRef, usize> = BTreeMap::new();
    let mut led: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut owners = BTreeSet::new();
    for (url, entrance, answering) in &reached {
        let address = url.split("://").nth(1).unwrap_or(url);
        let label = address.trim_end_matches('/');
        let outside = plan.node("", label.to_owned(), NodeClass::External, None);
        if is_link(url) {
            plan.linked(outside, (*url).clone());
        }
        let mut is_direct = true;
        for gateway in entrance.iter().flat_map(|one| &one.through) {
            let known = gateways.get(gateway).copied();
            if known.is_none() && gateways.len() == MOST_GATEWAYS {
                continue;
            }
            let node = known.unwrap_or_else(|| {
                let (kind, name) = (gateway.kind.to_string(), gateway.name.to_string());
                let node = plan.node(&gateway.namespace, name, NodeClass::Component, Some(kind));
                if let Some(owner) = owner(about, gateway) {
                    plan.linked(node, about.here.href(owner));
                    owners.insert(owner);
                }
                node
            });
            gateways.insert(gateway, node);
            is_direct = false;
            plan.edge(outside, node, "routed through");
            for one in answering {
                match differ {
                    true => plan.edge(node, *one, label),
                    false if led.insert((node, *one)) => plan.edge(node, *one, "routes to"),
                    false => {}
                }
            }
        }
        if is_direct {
            for one in answering {
                plan.edge(outside, *one, "served by");
            }
        }
    }
    owners
}

/// The component that owns a gateway, among the dependencies of this one.
fn owner(about: &About<'_>, gateway: &ObjectRef) -> Option<ComponentIx> {
    let upstream = about.here.related(about.index).upstream.iter();
    let mut owners = upstream.filter(|edge| edge.relation == Relation::Gateway);
    let found = owners.find(|edge| {
        let mut resources = about.here.component(edge.to).resources.iter();
        resources.any(|resource| {
            let id = &resource.id;
            (&id.kind, &id.namespace, &id.name)
                == (&gateway.kind, &gateway.namespace, &gateway.name)
        })
    });
    found.map(|edge| edge.to)
}

/// The namespace of a unit; empty if a person runs the tool that creates it.
fn namespace_of<'a>(about: &About<'a>, unit: &'a UnitId) -> &'a str {
    let mut clusters = about.here.context.catalog.clusters.iter();
    match clusters.find_map(|cluster| cluster.find(unit)) {
        Some(view) if view.is_run => "",
        _ => &unit.namespace,
    }
}

/// The unit that makes the component, under whatever name it has in each environment.
fn units<'a>(about: &About<'a>) -> impl Iterator<Item = &'a UnitId> {
    let own = about.component.unit.as_ref();
    let environments = about.component.environments.iter();
    let others = environments.map(|environment| &environment.unit.1);
    let others = others.filter(move |unit| own.is_some_and(|own| own.kind == unit.kind));
    own.into_iter().chain(others)
}

/// All names of the unit, or one and a count if there are many.
fn names(about: &About<'_>, unit: &UnitId) -> String {
    let mut names: Vec<&str> = units(about).map(|unit| unit.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names.len() {
        0..=MOST_NAMES => names.join(", "),
        many => format!("{} and {} more", unit.name, count(many - 1)),
    }
}

/// The release that the component is made by, where its unit is another.
fn release<'a>(about: &About<'a>) -> Option<&'a ComponentResource> {
    let component = about.component;
    let is_unit = component
        .unit
        .as_ref()
        .is_some_and(|unit| unit.kind == component.kind);
    let mut resources = component.resources.iter();
    // A workload that a unit applies itself creates nothing: it is drawn as what it is.
    resources.find(|resource| {
        !is_unit && resource.id.kind == component.kind && !is_builtin(&resource.id.group)
    })
}

/// Objects of one kind in one namespace, and whether a chart yields them.
type ObjectGroup<'a> = (bool, &'a str, &'a str, &'a str);

/// Objects that a person looks for: stores, secrets, and custom resources. Few of a kind by name, many by number;
/// each with whether a chart yields them.
fn resources(about: &About<'_>, plan: &mut TopologyPicture) -> Vec<(usize, bool)> {
    let mut kinds: BTreeMap<ObjectGroup<'_>, Vec<&ComponentResource>> = BTreeMap::new();
    for resource in &about.component.resources {
        let id = &resource.id;
        let is_itself = units(about).any(|unit| {
            let is_of_kind = unit.kind == id.kind;
            is_of_kind && (unit.name == id.name || unit.qualified() == id.name)
        });
        if class(id.group.as_str(), id.kind.as_str()).is_some() && !is_itself {
            let is_of_chart = resource.template.is_some();
            let (group, kind) = (id.group.as_str(), id.kind.as_str());
            let key = (is_of_chart, id.namespace.as_str(), group, kind);
            let all = kinds.entry(key).or_default();
            if all.iter().all(|other| other.id.name != id.name) {
                all.push(resource);
            }
        }
    }
    let mut nodes = Vec::new();
    for ((is_of_chart, namespace, group, kind), all) in kinds.into_iter().take(8) {
        let class = class(group, kind).unwrap_or(NodeClass::Store);
        match all.len() {
            0..=MOST_OF_A_KIND => nodes.extend(all.iter().map(|resource| {
                let (name, kind) = (resource.id.name.to_string(), kind.to_owned());
                (plan.node(namespace, name, class, Some(kind)), is_of_chart)
            })),
            many => {
                let node = plan.node(namespace, counted(many, kind), class, None);
                nodes.push((node, is_of_chart));
            }
        }
    }
    nodes
}

/// The class of node for a kind; `None` if it is not worth a box.
fn class(group: &str, kind: &str) -> Option<NodeClass> {
    match kind {
        "Secret" | "ExternalSecret" | "SealedSecret" | "PushSecret" => Some(NodeClass::Secret),
        "PersistentVolumeClaim" => Some(NodeClass::Store),
        _ if kind.ends_with("Store") => Some(NodeClass::Store),
        "CustomResourceDefinition" => None,
        _ if is_plumbing(kind) => None,
        // Other groups are custom resources, or resources that a program creates elsewhere.
        _ if !is_builtin(group) && !group.ends_with("k8s.io") => Some(NodeClass::Component),
        _ => None,
    }
}

/// The components that it talks to, rather than waits for, each beside the workload that names it. Those whose gateways
/// are drawn need not be said to have some.
fn others(
    about: &About<'_>,
    plan: &mut TopologyPicture,
    crew: &Crew,
    gateways: &BTreeSet<ComponentIx>,
) {
    let upstream = &about.here.related(about.index).upstream;
    let talks = upstream.iter().filter(|edge| {
        let is_drawn = edge.relation == Relation::Gateway && gateways.contains(&edge.to);
        !edge.relation.is_order_only() && !is_drawn
    });
    let mut by_component: BTreeMap<ComponentIx, Vec<&Edge>> = BTreeMap::new();
    talks.for_each(|edge| by_component.entry(edge.to).or_default().push(edge));
    for (index, edges) in by_component.into_iter().take(MOST_OTHERS) {
        let other = about.here.component(index);
        let sets = edges.iter().map(|edge| edge.environments);
        let node = plan.node(
            &other.namespace,
            other.title.clone(),
            NodeClass::Component,
            about.here.only(EnvironmentSet::union(sets), about.index),
        );
        plan.linked(node, about.here.href(index));
        for edge in edges {
            for speaker in crew.for_workloads(about.component.wiring.speakers(edge.place)) {
                plan.edge(speaker, node, edge.relation.reason());
            }
        }
    }
}

/// A picture in the making: namespaces become frames.
struct TopologyPicture {
    flow: Flow,
    groups: BTreeMap<String, usize>,
}

impl TopologyPicture {
    fn new() -> TopologyPicture {
        TopologyPicture {
            flow: Flow {
                nodes: Vec::new(),
                groups: Vec::new(),
                edges: Vec::new(),
                layout: Layout::Layered(Direction::Down),
                origin: FlowAuthor::Generated,
            },
            groups: BTreeMap::new(),
        }
    }

    fn node(
        &mut self,
        namespace: &str,
        label: String,
        class: NodeClass,
        detail: Option<String>,
    ) -> usize {
        let group = (!namespace.is_empty()).then(|| {
            let next = self.groups.len();
            let at = *self.groups.entry(namespace.to_owned()).or_insert(next);
            if at == next {
                self.flow
                    .groups
                    .push(Group::new(format!("namespace {namespace}")));
            }
            at
        });
        self.flow.nodes.push(FlowNode {
            detail,
            group,
            ..FlowNode::new(label, class)
        });
        self.flow.nodes.len() - 1
    }

    fn linked(&mut self, node: usize, href: String) {
        self.flow.nodes[node].href = Some(href);
    }

    fn edge(&mut self, from: usize, to: usize, label: &str) {
        self.flow.edges.push(diagram::FlowEdge {
            label: Some(label.to_owned()),
            ..diagram::FlowEdge::new(from, to)
        });
    }

    fn finish(self, title: &str) -> Diagram {
        Diagram {
            title: format!("Deployment topology of {title}"),
            body: DiagramBody::Flow(self.flow),
        }
    }
}
