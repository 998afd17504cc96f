//! Gathers the facts about a component from all clusters that have it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::by_command::{by_command, labelled};
use super::chart::{charted, more_charts};
use super::claims::Claims;
use super::component::{ComponentDraft, NamedComponent, Placement};
use super::edge::AddressEdge;
use super::elsewhere;
use super::environment::{component_environments, is_production, status};
use super::gateway::Gateways;
use super::part_objects::{objects, objects_in};
use super::setting;
use super::title::title;
use super::version::{self, versions};
use super::{Component, ComponentIx, ComponentResource, EnvironmentValue};
use crate::cluster::{
    ChartObjects, ChartSources, ClusterIx, Clusters, ObjectDigest, Role, TemplateLine,
};
use crate::facts::{
    Alert, Claim, Detail, Interface, MARKER, ResourceId, Routing, Statement, Unit, Volume,
};
use crate::input::config::Config;
use base::Place;
use base::hash::HashMap;
use base::index::IndexVec;

/// Identity, place, details, template and digest of an object.
type ResourceParts<'a> = (
    &'a ResourceId,
    Place,
    &'a [Detail],
    Option<&'a Arc<TemplateLine>>,
    Option<ObjectDigest>,
);

/// Builds a component from the facts of all clusters that have it.
pub fn finish(
    config: &Config,
    named: &NamedComponent,
    clusters: &Clusters,
    sources: &IndexVec<ClusterIx, ChartSources<'_>>,
    gateways: &IndexVec<ClusterIx, Gateways<'_>>,
    claims: &IndexVec<ClusterIx, Claims<'_>>,
) -> Component {
    let draft = &named.draft;
    let first = draft.parts.first();
    let mut component = Component {
        id: named.id.clone(),
        title: title(&named.id.0),
        kind: draft.kind.clone(),
        is_program: is_program(draft, clusters),
        namespace: main_part(draft, clusters)
            .into_iter()
            .chain(&draft.parts)
            .map(|part| namespace(part, clusters))
            .find(|namespace| !namespace.is_empty())
            .unwrap_or_else(|| draft.namespace.clone()),
        layer: None,
        status: status(draft, clusters),
        source: draft.source.clone(),
        place: first.map_or(draft.place, |part| place(part, clusters)),
        unit: first.map(|part| clusters[part.cluster].units[part.subject].unit.id.clone()),
        about: Default::default(),
        owner: None,
        owners: Vec::new(),
        owner_place: None,
        contact: labelled(draft, clusters, |labels| {
            labels.more.as_ref()?.contact.as_ref()
        }),
        source_code: labelled(draft, clusters, |labels| {
            labels.more.as_ref()?.source_code.as_ref()
        }),
        by_command: by_command(draft, clusters),
        chart: None,
        more_charts: Vec::new(),
        environments: Vec::new(),
        workloads: Vec::new(),
        images: Vec::new(),
        urls: Vec::new(),
        answered: Vec::new(),
        ports: Vec::new(),
        volumes: Vec::new(),
        per_environment: Default::default(),
        wiring: Default::default(),
        settings: setting::settings(&draft.parts, clusters),
        interface: interface(&draft.parts, clusters),
        alerts: Vec::new(),
        resources: Vec::new(),
    };
    let mut resources: Vec<ResourceParts<'_>> = Vec::new();
    let mut alerting: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    let mut declared: Vec<Option<&Statement>> = Vec::with_capacity(draft.parts.len());
    let mut stated: Vec<Vec<&Statement>> = Vec::with_capacity(draft.parts.len());
    for part in &draft.parts {
        if component.chart.is_none() {
            component.chart = charted(part, clusters, sources);
        }
        for chart in more_charts(part, clusters, sources) {
            let mut known = component.more_charts.iter();
            if !known.any(|known| known.name == chart.name && known.repository == chart.repository)
            {
                component.more_charts.push(chart);
            }
        }
        component
            .images
            .extend_from_slice(elsewhere::images(part, clusters));
        let release = part
            .release
            .map(|at| &clusters[part.cluster].units[at].unit);
        let charts = part.release.and_then(|at| {
            let unit = &clusters[part.cluster].units[at];
            unit.charts.as_ref().filter(|charts| charts.is_rendered())
        });
        let environment = part.environment(clusters);
        let mut declaration = None;
        let mut statements: Vec<&Statement> = Vec::with_capacity(part.objects.len() + 1);
        for (at, object) in objects_in(part, clusters) {
            let statement = &object.statement;
            let is_release = release.is_some_and(|unit| unit.place == statement.place);
            if is_release && statement.unit.is_some() {
                declaration = Some(statement);
            }
            for alert in &statement.alerts {
                let own = alerting
                    .entry((&alert.name, &alert.expression))
                    .or_default();
                own.insert(environment);
            }
            // Rendered objects of a chart are more certain than what its values suggest.
            let is_guess = is_release && charts.is_some();
            if is_guess {
                component.alerts.extend(statement.alerts.iter().cloned());
            } else {
                take(
                    &mut component,
                    statement,
                    environment,
                    &claims[part.cluster],
                );
            }
            let is_guess = is_guess && charts.is_some_and(ChartObjects::is_whole);
            let gateways = &gateways[part.cluster];
            let urls = statement.reached.urls.iter().filter(|_| !is_guess);
            let urls = urls.map(|url| gateways.address(at, statement, &url.url));
            component.urls.extend(urls);
            let template = object.template.as_ref();
            let id = &statement.id;
            let details = &statement.details;
            resources.push((id, statement.place, details, template, object.digest));
            statements.push(statement);
        }
        stated.push(statements);
        declared.push(declaration);
    }
    // Which workloads there are, all environments say together.
    for statements in &stated {
        component.wiring.add(&component.workloads, statements);
    }
    let known = version::PartStatements {
        declared: &declared,
        all: &stated,
    };
    let versions = versions(config, named, known, clusters, sources);
    component.environments = component_environments(draft, clusters, sources, versions, &stated);
    resources.sort_by_key(|(id, place, ..)| (*id, *place));
    resources.dedup_by(|again, first| {
        let is_same = (again.0, again.1) == (first.0, first.1);
        if is_same {
            first.4 = first.4.zip(again.4).map(|(one, other)| one.and(other));
        }
        is_same
    });
    component.resources = resources
        .into_iter()
        .map(|(id, place, details, template, digest)| ComponentResource {
            id: id.clone(),
            place,
            details: details.into(),
            template: template.cloned(),
            digest,
        })
        .collect();
    let place = |alert: &Alert| alert.place;
    component
        .alerts
        .sort_by(|a, b| (&a.name, place(a)).cmp(&(&b.name, place(b))));
    component
        .alerts
        .dedup_by(|a, b| a.name == b.name && a.place == b.place);
    let alerts = component.alerts.iter();
    let alerts = alerts.map(|alert| {
        let own = alerting.get(&(alert.name.as_str(), alert.expression.as_str()));
        own.into_iter()
            .flatten()
            .map(|name| SmolStr::from(*name))
            .collect()
    });
    component.per_environment.alerts = alerts.collect();
    component.images.sort();
    component.images.dedup();
    component.urls = addresses(component.urls);
    let statements: Vec<&Statement> = stated.into_iter().flatten().collect();
    certified(&mut component.urls, &statements);
    component
}

/// Adds the hosts of certificates that no address has. A gateway has certificates for what others serve, and what serves
/// nothing has them for others, too.
fn certified(urls: &mut Vec<String>, statements: &[&Statement]) {
    let mut serves = false;
    for statement in statements {
        serves |= match statement.reached.routing.as_deref() {
            Some(Routing::Gateway(_)) => return,
            Some(_) => true,
            None => {
                let id = &statement.id;
                let is_own = id.is("", "Namespace") || id.kind == "Ingress";
                is_own || statement.runs.workload.is_some()
            }
        };
    }
    if !serves {
        return;
    }
    let hosts = statements.iter().flat_map(|it| &it.reached.certified);
    let hosts: BTreeSet<&SmolStr> = hosts.collect();
    let known: BTreeSet<&str> = urls.iter().map(|url| host_of(url)).collect();
    let new = hosts
        .into_iter()
        .filter(|host| !known.contains(host.as_str()));
    let new: Vec<String> = new.map(SmolStr::to_string).collect();
    urls.extend(new);
}

fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', ':']).next().unwrap_or(rest)
}

/// The part that people mean if they name no environment: that in production, else the first.
pub fn main_part<'d>(draft: &'d ComponentDraft, clusters: &Clusters) -> Option<&'d Placement> {
    let in_production = |part: &&Placement| is_production(part.environment(clusters));
    let mut parts = draft.parts.iter();
    parts.find(in_production).or(draft.parts.first())
}

/// Adds the addresses that components answer at and others declare, as those state them.
pub fn add_answers(components: &mut [Component], answers: &[AddressEdge]) {
    let rest = |url: &str| url.split_once("://").map(|(_, rest)| rest.to_owned());
    let mut declared: HashMap<ComponentIx, HashMap<String, String>> = HashMap::default();
    for answer in answers {
        let component_environments = declared.entry(answer.from).or_insert_with(|| {
            let urls = components[answer.from.index()].urls.iter();
            urls.filter_map(|url| Some((rest(url)?, url.clone())))
                .collect()
        });
        let stated = rest(&answer.url).and_then(|rest| component_environments.get(&rest));
        let answered = &mut components[answer.to.index()].answered;
        answered.extend(stated.cloned());
    }
    for component in components {
        component.answered.sort();
        component.answered.dedup();
        component.add_answered();
    }
}

/// Each address once. What is reached both ways is reached encrypted: the other mostly leads there.
pub fn addresses(mut urls: Vec<String>) -> Vec<String> {
    urls.sort();
    urls.dedup();
    let is_second = |url: &String| {
        let encrypted = url
            .strip_prefix("http://")
            .map(|rest| format!("https://{rest}"));
        encrypted.is_some_and(|url| urls.binary_search(&url).is_ok())
    };
    let seconds: Vec<bool> = urls.iter().map(is_second).collect();
    let both = urls.into_iter().zip(seconds);
    both.filter_map(|(url, is_second)| (!is_second).then_some(url))
        .collect()
}

fn take(component: &mut Component, statement: &Statement, environment: &str, claims: &Claims<'_>) {
    if let Some(workload) = &statement.runs.workload {
        component
            .images
            .extend(workload.images.iter().map(|image| image.value.clone()));
        let position = component
            .workloads
            .iter()
            .position(|other| other.kind == workload.kind && other.name == workload.name);
        let at = position.unwrap_or(component.workloads.len());
        let stated = &mut component.per_environment.replicas;
        state(stated, at, environment, workload.replicas.as_ref());
        match component.workloads.get_mut(at) {
            // Elsewhere it may be allowed more, or go by other labels.
            Some(known) => {
                let limits = workload.limits.iter();
                for one in limits {
                    if !known.limits.contains(one) {
                        known.limits.push(one.clone());
                    }
                }
                for one in &workload.probes {
                    if !known.probes.contains(one) {
                        known.probes.push(one.clone());
                    }
                }
                for one in &workload.labels {
                    if !known.labels.contains(one) {
                        known.labels.push(one.clone());
                    }
                }
            }
            None => component.workloads.push((**workload).clone()),
        }
    }
    component.images.extend(
        statement
            .runs
            .images
            .iter()
            .map(|image| image.value.clone()),
    );
    for alert in &statement.alerts {
        // The values that a chart makes it from state it first.
        let mut known = component.alerts.iter();
        if !known.any(|known| known.name == alert.name && known.expression == alert.expression) {
            component.alerts.push(alert.clone());
        }
    }
    for port in &statement.reached.ports {
        if !component.ports.contains(port) {
            component.ports.push(port.clone());
        }
    }
    for volume in &statement.runs.volumes {
        let stated = claims.stated(volume);
        let mut volumes = component.volumes.iter();
        let position = volumes.position(|other| is_same(other, volume));
        let at = position.unwrap_or(component.volumes.len());
        let all = &mut component.per_environment;
        state(&mut all.sizes, at, environment, stated.size.as_ref());
        state(&mut all.classes, at, environment, stated.class.as_ref());
        let resolved = || Volume {
            claim: volume.claim.clone(),
            ..stated.clone()
        };
        match position {
            None => component.volumes.push(resolved()),
            Some(at) if component.volumes[at].claim == Claim::Existing => {
                component.volumes[at] = resolved();
            }
            Some(_) => {}
        }
    }
}

/// Whether two volumes are one: a claim, and what mounts it.
fn is_same(one: &Volume, other: &Volume) -> bool {
    let is_by_name = |volume: &Volume| matches!(volume.claim, Claim::Itself | Claim::Existing);
    one.name == other.name && (one.claim == other.claim || is_by_name(one) && is_by_name(other))
}

/// Records the value of an environment for the workload or volume at a position. The first value wins.
fn state(
    all: &mut Vec<Vec<EnvironmentValue>>,
    at: usize,
    environment: &str,
    value: Option<&SmolStr>,
) {
    if all.len() <= at {
        all.resize_with(at + 1, Vec::new);
    }
    if all[at].iter().all(|known| known.environment != environment) {
        all[at].push(EnvironmentValue {
            environment: environment.into(),
            value: value.cloned(),
        });
    }
}

/// Inputs and outputs that a component's unit declares. If clusters disagree, the first one wins.
fn interface(parts: &[Placement], clusters: &Clusters) -> Option<Arc<Interface>> {
    parts.iter().find_map(|part| {
        // If a unit has several releases, its declaration is about none of them.
        let unit = &clusters[part.cluster].units[part.unit.map(|_| part.subject)?].unit;
        unit.appearance.interface.clone()
    })
}

/// Whether a component is a program that runs for no cluster.
fn is_program(draft: &ComponentDraft, clusters: &Clusters) -> bool {
    let mut parts = draft.parts.iter();
    !draft.parts.is_empty()
        && parts.all(|part| {
            let cluster = &clusters[part.cluster];
            let subject = &cluster.units[part.subject].unit;
            cluster.role == Role::Programs && part.release.is_none() && subject.is_program()
        })
}

/// The namespace of a component: that of its release, else of its workloads, else of its objects.
pub fn namespace(part: &Placement, clusters: &Clusters) -> SmolStr {
    let cluster = &clusters[part.cluster];
    let release = part
        .release
        .and_then(|release| cluster.units[release].unit.release.as_ref());
    if let Some(release) = release {
        return release.target_namespace.clone();
    }
    let unit = part.unit.map(|unit| &*cluster.units[unit].unit);
    let target = unit.and_then(|unit| {
        let build = unit.build.as_ref()?;
        build
            .target_namespace
            .as_ref()
            .or(build.default_namespace.as_ref())
    });
    let workload = objects(part, clusters).find_map(|object| {
        let workload = object.statement.runs.workload.as_ref()?;
        (!workload.namespace.is_empty()).then(|| workload.namespace.clone())
    });
    if unit.is_some_and(|unit| unit.is_program()) {
        return only_namespace(part, clusters);
    }
    workload
        .or_else(|| target.map(|target| target.value.clone()))
        .or_else(|| stated_namespace(part, unit, clusters))
        .unwrap_or_default()
}

/// The namespace that most objects state, as long as these are not few of many. Who applies a directory may name another one
/// for each environment: then it is that of production, if any.
fn stated_namespace(part: &Placement, unit: Option<&Unit>, clusters: &Clusters) -> Option<SmolStr> {
    let all = objects(part, clusters).map(|object| &object.statement.id.namespace);
    let all = all.filter(|namespace| !namespace.is_empty() && *namespace != MARKER);
    if !unit.is_some_and(Unit::is_applied_by_command) {
        let mut counts: BTreeMap<&SmolStr, usize> = BTreeMap::new();
        all.for_each(|namespace| *counts.entry(namespace).or_default() += 1);
        let total: usize = counts.values().sum();
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let most = most.filter(|(_, count)| count * MOST_PARTS > total);
        return most.map(|(namespace, _)| namespace.clone());
    }
    let all: BTreeSet<&SmolStr> = all.collect();
    let only = all.first().filter(|_| all.len() == 1);
    only.or_else(|| all.iter().find(|name| is_production(name)))
        .map(|name| (*name).clone())
}

/// A namespace is that of all if more than one in so many objects are in it.
const MOST_PARTS: usize = 2;

/// The namespace of all objects that a run creates itself; none if there are several, or if nothing of it runs in the
/// cluster.
fn only_namespace(part: &Placement, clusters: &Clusters) -> SmolStr {
    let mut running = objects(part, clusters);
    if !running.any(|object| object.statement.runs.workload.is_some()) {
        return SmolStr::default();
    }
    let all = objects(part, clusters).map(|object| &object.statement.id.namespace);
    let mut all = all.filter(|namespace| !namespace.is_empty());
    match all.next() {
        Some(first) if all.all(|other| other == first) => first.clone(),
        _ => SmolStr::default(),
    }
}

fn place(part: &Placement, clusters: &Clusters) -> Place {
    let cluster = &clusters[part.cluster];
    let unit = part.unit.or(part.release);
    // A program's run contains everything that the program creates, so its place says nothing about a release.
    let is_run = unit.is_some_and(|unit| cluster.units[unit].unit.is_program());
    let unit = if is_run { Some(part.subject) } else { unit };
    let first = objects(part, clusters).next();
    unit.map(|unit| cluster.units[unit].unit.place)
        .or_else(|| first.map(|object| object.statement.place))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_reached_both_ways_is_shown_encrypted() {
        let urls = ["http://b.io/", "https://a.io/", "http://a.io/"].map(str::to_owned);
        assert_eq!(addresses(urls.into()), ["http://b.io/", "https://a.io/"]);
    }
}
