//! API groups of custom resources: who brings their definitions, and who uses their kinds.

use std::collections::BTreeMap;

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
pub fn apis(catalog: &Catalog) -> BTreeMap<&str, Api> {
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
        for group in served(component) {
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

/// The groups that a component's chart serves a webhook for, unless its values switch that off.
fn served(component: &Component) -> &'static [&'static str] {
    let chart = component.chart.as_ref();
    let Some((groups, switch)) = chart.and_then(|chart| charts::webhook(&chart.name)) else {
        return &[];
    };
    let mut settings = component.settings.iter();
    let is_off = settings.any(|setting| {
        let mut values = setting.values.iter();
        Some(setting.name.as_str()) == switch
            && values.any(|(_, value)| value.value.as_deref() == Some("false"))
    });
    if is_off { &[] } else { groups }
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
