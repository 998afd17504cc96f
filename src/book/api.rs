//! API groups of custom resources: who brings their definitions, and who uses their kinds.

use std::collections::BTreeMap;

use crate::config::{Config, WhenDown};
use crate::fact::Relation;
use crate::model::{Catalog, Component, ComponentResource};
use crate::source::charts;

/// An API group, by component.
#[derive(Default)]
pub struct Api {
    pub installed_by: Vec<usize>,
    pub used_by: Vec<usize>,
    /// Whose webhook must answer before an object of the group is accepted.
    pub served_by: Vec<usize>,
}

/// Groups of custom resources: those whose name has a domain that is not Kubernetes' own.
pub fn apis<'a>(config: &'a Config, catalog: &'a Catalog) -> BTreeMap<&'a str, Api> {
    let mut apis: BTreeMap<&str, Api> = BTreeMap::new();
    for (index, component) in catalog.components.iter().enumerate() {
        for resource in &component.resources {
            let group = resource.id.group.as_str();
            if is_custom(group) {
                add(&mut apis.entry(group).or_default().used_by, index);
            }
            if let Some(defined) = defined_group(resource) {
                add(&mut apis.entry(defined).or_default().installed_by, index);
            }
        }
    }
    // Definitions that come with a chart are in no file; that somebody needs them says who has them.
    let needs = catalog.edges.iter();
    for edge in needs.filter(|edge| edge.reason == Relation::CustomResource.reason()) {
        let mut resources = catalog.components[edge.from].resources.iter();
        let resource = resources.find(|resource| resource.place == edge.place);
        let api = resource.and_then(|resource| apis.get_mut(resource.id.group.as_str()));
        if let Some(api) = api {
            api.installed_by.push(edge.to);
        }
    }
    for (index, component) in catalog.components.iter().enumerate() {
        for group in served(config, component) {
            if let Some(api) = apis.get_mut(group) {
                api.served_by.push(index);
            }
        }
    }
    for api in apis.values_mut() {
        api.installed_by.sort_unstable();
        api.installed_by.dedup();
    }
    apis
}

/// The groups whose objects are refused while the webhook of a component's chart does not answer, unless its values
/// switch that off.
pub fn served<'a>(config: &'a Config, component: &Component) -> Vec<&'a str> {
    let Some(chart) = &component.chart else {
        return Vec::new();
    };
    let charts = charts::find(config, &chart.name, chart.repository.as_deref());
    let is_off = |switch: &str| {
        let mut settings = component.settings.iter();
        settings.any(|setting| {
            let mut values = setting.values.iter();
            setting.name == switch
                && values.any(|(_, value)| value.value.as_deref() == Some("false"))
        })
    };
    let refusing = charts.filter(|chart| chart.webhook_down == WhenDown::Refuse);
    let serving = refusing.filter(|chart| !chart.webhook_value.as_deref().is_some_and(is_off));
    serving
        .flat_map(|chart| chart.webhook.iter().map(String::as_str))
        .collect()
}

fn add(list: &mut Vec<usize>, index: usize) {
    if list.last() != Some(&index) {
        list.push(index);
    }
}

/// The group that a resource defines a kind of: a definition is called `plural.group`.
pub fn defined_group(resource: &ComponentResource) -> Option<&str> {
    let id = &resource.id;
    let defines = id.is("apiextensions.k8s.io", "CustomResourceDefinition");
    let (_, group) = id.name.split_once('.').filter(|_| defines)?;
    Some(group)
}

fn is_custom(group: &str) -> bool {
    const OF_EVERY_CLUSTER: [&str; 3] = [
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "kustomize.config.k8s.io",
    ];
    let own = group.ends_with(".k8s.io")
        && !group.contains(".x-")
        && !group.starts_with("gateway.")
        && !group.starts_with("snapshot.");
    group.contains('.') && !own && !OF_EVERY_CLUSTER.contains(&group)
}
