//! API groups of custom resources: who brings their definitions, and who uses their kinds.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, Component, ComponentIx, ComponentResource};
use crate::checks::Origins;
use crate::input::config::{Config, WhenDown};
use crate::sources::charts;
use base::Place;
use base::hash::HashMap;

/// An API group, by component.
#[derive(Default)]
pub struct Api<'a> {
    pub installed_by: Vec<ComponentIx>,
    pub used_by: Vec<ComponentIx>,
    /// Whose webhook must answer before an object of the group is accepted.
    pub served_by: Vec<ComponentIx>,
    /// Origin of definitions that no component in `installed_by` is known to install.
    pub elsewhere: Elsewhere,
    /// Components whose chart installs the definition of a kind. An empty kind stands for all kinds.
    charts: Vec<(&'a str, ComponentIx)>,
}

/// Origin of definitions that no component is known to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Elsewhere {
    /// The configuration says that they come from outside.
    Configured,
    /// People install them by hand, as this place says.
    Bootstrapped(Place),
    #[default]
    Unknown,
}

impl Api<'_> {
    /// The component whose chart installs the definition of `kind`.
    pub fn installer(&self, kind: &str) -> Option<ComponentIx> {
        let of = |wanted: &str| self.charts.iter().find(|(kind, _)| *kind == wanted);
        let (_, component) = of(kind).or_else(|| of(""))?;
        Some(*component)
    }
}

/// Groups of custom resources: those with a domain other than Kubernetes' own.
pub fn apis<'a>(
    config: &'a Config,
    catalog: &'a Catalog,
    origins: &'a Origins,
) -> BTreeMap<&'a str, Api<'a>> {
    let mut apis: BTreeMap<&str, Api<'_>> = BTreeMap::new();
    for (index, component) in catalog.components.iter_enumerated() {
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
    for installer in &origins.installers {
        if let Some(api) = apis.get_mut(installer.group.as_str()) {
            api.charts.push((&installer.kind, installer.component));
        }
    }
    let mut named = None;
    for (group, api) in &mut apis {
        if api.installed_by.is_empty() && api.charts.is_empty() {
            let named = named.get_or_insert_with(|| unheard_of(config, catalog));
            let own = names(group).filter_map(|name| named.get(name));
            api.charts.extend(own.map(|component| ("", *component)));
        }
        let charts = api.charts.iter().map(|(_, component)| *component);
        api.installed_by.extend(charts);
        api.installed_by.sort_unstable();
        api.installed_by.dedup();
        api.elsewhere = elsewhere(config, origins, group);
    }
    for (index, component) in catalog.components.iter_enumerated() {
        for group in served(config, component) {
            if let Some(api) = apis.get_mut(group) {
                api.served_by.push(index);
            }
        }
    }
    apis
}

fn elsewhere(config: &Config, origins: &Origins, group: &str) -> Elsewhere {
    if config.has_external_crds(group) {
        return Elsewhere::Configured;
    }
    let mut by_hand = origins.bootstrapped.iter();
    let named =
        by_hand.find(|release| names(group).any(|name| name == without_role(&release.name)));
    named.map_or(Elsewhere::Unknown, |release| {
        Elsewhere::Bootstrapped(release.place)
    })
}

/// Components with a chart that nothing is known of and whose values ask for definitions, by the name of the chart.
fn unheard_of<'a>(config: &Config, catalog: &'a Catalog) -> HashMap<&'a str, ComponentIx> {
    let mut named = HashMap::default();
    for (index, component) in catalog.components.iter_enumerated() {
        let Some(chart) = &component.chart else {
            continue;
        };
        let mut settings = component.settings.iter();
        let asks = settings.any(|setting| {
            let mut values = setting.values.iter();
            SWITCHES.contains(&setting.name.as_str())
                && values.any(|(_, value)| value.value.as_deref() == Some("true"))
        });
        let mut known = charts::find(config, &chart.name, chart.repository.as_deref());
        if asks && known.next().is_none() {
            let name = base::text::last_part(&chart.name);
            named.entry(without_role(name)).or_insert(index);
        }
    }
    named
}

/// The values that most charts have for their definitions.
const SWITCHES: [&str; 4] = ["crds.install", "crds.enabled", "crds.create", "installCRDs"];

/// Possible project names in a group: `inference.llmkube.dev` gives `llmkube`.
fn names(group: &str) -> impl Iterator<Item = &str> {
    let labels = group.rsplit('.').skip(1).map(without_role);
    labels.filter(|_| !group.ends_with(".k8s.io"))
}

fn without_role(name: &str) -> &str {
    name.strip_suffix("-operator").unwrap_or(name)
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

fn add(list: &mut Vec<ComponentIx>, index: ComponentIx) {
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
    let own = group.ends_with(".k8s.io")
        && !group.contains(".x-")
        && !group.starts_with("gateway.")
        && !group.starts_with("snapshot.");
    group.contains('.') && !own
}
