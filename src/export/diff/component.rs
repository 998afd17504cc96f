//! Compares a component that both versions have.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::image::{self, ImageChange};
use super::object::{self, ObjectChange};
use super::setting::{self, SettingChange};
use crate::catalog::{Catalog, Component, Environment, Status};
use crate::facts::{Gate, UnitId};

/// A component that changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Changed {
    pub id: String,
    pub title: String,
    /// Its previous id, if it was renamed.
    pub was: Option<String>,
    pub fields: Vec<FieldChange>,
    /// Sorted by name.
    pub images: Vec<ImageChange>,
    /// Sorted by name, then by environment. Only environments that have the component in both versions.
    pub settings: Vec<SettingChange>,
    /// Sorted by object.
    pub objects: Vec<ObjectChange>,
    /// Further objects, in texts that leave some out.
    #[serde(skip)]
    pub more_objects: usize,
}

impl Changed {
    /// Keeps the objects that people want to know about first, and counts the others.
    pub fn summarise(&mut self) {
        self.objects.sort_by_key(ObjectChange::rank);
        self.more_objects = self.objects.len().saturating_sub(MOST_OBJECTS);
        self.objects.truncate(MOST_OBJECTS);
    }
}

/// Objects of a component that a summary lists.
const MOST_OBJECTS: usize = 15;

/// A fact about a component, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FieldChange {
    /// `title`, `kind`, `namespace`, `layer`, `owner`, `source`, `status`, `environment` (whether it runs there),
    /// `chart`, `repository`, `version`, `chart version` (if it differs from `version`), `gate` (the condition under
    /// which it reports ready), `replicas`, `address`, `port` or `chart contents` (whether it is known what the chart
    /// installs).
    #[schemars(with = "&'static str")]
    pub field: ComponentField,
    /// The environment, if it applies to a single one.
    pub environment: Option<String>,
    /// The part of the component that changed, such as a workload.
    pub subject: Option<String>,
    /// Null if there was none.
    #[schemars(with = "Option<String>")]
    pub before: Option<FieldValue>,
    #[schemars(with = "Option<String>")]
    pub after: Option<FieldValue>,
}

/// A fact that components have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComponentField {
    Id,
    Title,
    Kind,
    Namespace,
    Layer,
    Owner,
    Source,
    Status,
    /// Whether it runs in an environment; the value is its status there.
    Environment,
    Chart,
    Repository,
    Version,
    ChartVersion,
    Gate,
    Replicas,
    Address,
    Port,
    /// Whether it is known what its chart installs.
    ChartContents,
}

impl ComponentField {
    pub fn name(self) -> &'static str {
        match self {
            ComponentField::Id => "id",
            ComponentField::Title => "title",
            ComponentField::Kind => "kind",
            ComponentField::Namespace => "namespace",
            ComponentField::Layer => "layer",
            ComponentField::Owner => "owner",
            ComponentField::Source => "source",
            ComponentField::Status => "status",
            ComponentField::Environment => "environment",
            ComponentField::Chart => "chart",
            ComponentField::Repository => "repository",
            ComponentField::Version => "version",
            ComponentField::ChartVersion => "chart version",
            ComponentField::Gate => "gate",
            ComponentField::Replicas => "replicas",
            ComponentField::Address => "address",
            ComponentField::Port => "port",
            ComponentField::ChartContents => "chart contents",
        }
    }
}

impl Serialize for ComponentField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    Status(Status),
    Text(String),
}

impl FieldValue {
    pub fn text(&self) -> &str {
        match self {
            FieldValue::Status(status) => status.name(),
            FieldValue::Text(text) => text,
        }
    }
}

impl Serialize for FieldValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

/// The gates (conditions for reporting ready), by environment and unit.
pub type Gates<'a> = BTreeMap<(&'a str, &'a UnitId), &'a Gate>;

pub fn gates(catalog: &Catalog) -> Gates<'_> {
    let clusters = catalog.clusters.iter();
    let units = clusters.flat_map(|cluster| {
        let units = cluster.units.iter();
        units.map(|unit| {
            let environment = unit.environment.as_ref().unwrap_or(&cluster.name);
            ((environment.as_str(), &unit.id), &unit.gate)
        })
    });
    units.collect()
}

/// None if nothing changed. `gates` are those of both versions.
pub fn changed(then: &Component, now: &Component, gates: &[Gates<'_>; 2]) -> Option<Changed> {
    let was = (then.id != now.id).then(|| then.id.0.to_string());
    // Where only one side knows what the chart installs, that is no difference between them.
    let contents = [then, now].map(contents);
    let is_comparable = contents[0] == contents[1];
    let [before, after] = [then, now].map(|one| {
        let own = one.resources.iter();
        let own = own.filter(|one| is_comparable || one.template.is_none());
        own.cloned().collect::<Vec<_>>()
    });
    let images = if is_comparable {
        image::changes(&then.images, &now.images)
    } else {
        Vec::new()
    };
    let mut fields = fields(then, now, gates);
    if !is_comparable {
        fields.retain(|change| !is_of_contents(change.field));
        let [before, after] = contents;
        fields.extend(change(
            ComponentField::ChartContents,
            Some(before),
            Some(after),
        ));
    }
    let changed = Changed {
        id: now.id.0.to_string(),
        title: now.title.clone(),
        fields,
        images,
        settings: setting::changes(then, now),
        objects: object::changes(&before, &after),
        more_objects: 0,
        was,
    };
    let is_same = changed.was.is_none()
        && changed.fields.is_empty()
        && changed.images.is_empty()
        && changed.settings.is_empty()
        && changed.objects.is_empty();
    (!is_same).then_some(changed)
}

/// Whether it is known what the chart of a component installs.
fn contents(component: &Component) -> &'static str {
    let chart = component.chart.as_ref();
    match chart.and_then(|chart| chart.read.as_ref()) {
        Some(read) if read.metadata.is_none() => "not known",
        _ => "known",
    }
}

/// Whether a field follows from what a chart installs.
fn is_of_contents(field: ComponentField) -> bool {
    matches!(
        field,
        ComponentField::Replicas | ComponentField::Address | ComponentField::Port
    )
}

fn fields(then: &Component, now: &Component, gates: &[Gates<'_>; 2]) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    let mut note = |field: ComponentField, before: Option<&str>, after: Option<&str>| {
        changes.extend(change(field, before, after));
    };
    note(ComponentField::Title, Some(&then.title), Some(&now.title));
    note(ComponentField::Kind, Some(&then.kind), Some(&now.kind));
    note(
        ComponentField::Namespace,
        Some(&then.namespace),
        Some(&now.namespace),
    );
    note(
        ComponentField::Layer,
        then.layer.as_deref(),
        now.layer.as_deref(),
    );
    note(
        ComponentField::Owner,
        then.owner.as_deref(),
        now.owner.as_deref(),
    );
    let source = |one: &Component| one.source.as_ref().map(|path| path.to_string());
    note(
        ComponentField::Source,
        source(then).as_deref(),
        source(now).as_deref(),
    );
    changes.extend(status_change(
        ComponentField::Status,
        Some(then.status),
        Some(now.status),
    ));
    let mut note = |field: ComponentField, before: Option<&str>, after: Option<&str>| {
        changes.extend(change(field, before, after));
    };
    let chart = |one: &Component| one.chart.as_ref().map(|chart| chart.name.to_string());
    note(
        ComponentField::Chart,
        chart(then).as_deref(),
        chart(now).as_deref(),
    );
    let repository = |one: &Component| Some(one.chart.as_ref()?.repository.as_ref()?.to_string());
    note(
        ComponentField::Repository,
        repository(then).as_deref(),
        repository(now).as_deref(),
    );
    if then.environments.is_empty() && now.environments.is_empty() {
        let version = |one: &Component| Some(one.chart.as_ref()?.version.as_ref()?.to_string());
        note(
            ComponentField::Version,
            version(then).as_deref(),
            version(now).as_deref(),
        );
    }
    environments(then, now, gates, &mut changes);
    changes.extend(replicas(then, now));
    changes.extend(came_and_went(
        ComponentField::Address,
        then.urls.iter().cloned(),
        now.urls.iter().cloned(),
    ));
    changes.extend(came_and_went(
        ComponentField::Port,
        then.ports.iter().map(|port| port.to_string()),
        now.ports.iter().map(|port| port.to_string()),
    ));
    changes
}

fn change(field: ComponentField, before: Option<&str>, after: Option<&str>) -> Option<FieldChange> {
    // A missing value and an empty one look the same.
    let said = |value: Option<&str>| {
        let value = value.filter(|value| !value.is_empty())?;
        Some(FieldValue::Text(value.to_owned()))
    };
    value_change(field, said(before), said(after))
}

fn status_change(
    field: ComponentField,
    before: Option<Status>,
    after: Option<Status>,
) -> Option<FieldChange> {
    let (before, after) = (
        before.map(FieldValue::Status),
        after.map(FieldValue::Status),
    );
    value_change(field, before, after)
}

fn value_change(
    field: ComponentField,
    before: Option<FieldValue>,
    after: Option<FieldValue>,
) -> Option<FieldChange> {
    (before != after).then_some(FieldChange {
        field,
        environment: None,
        subject: None,
        before,
        after,
    })
}

/// Differences per environment: presence, status, version and gate.
fn environments(
    then: &Component,
    now: &Component,
    gates: &[Gates<'_>; 2],
    changes: &mut Vec<FieldChange>,
) {
    let by_name = |component: &'_ Component| -> BTreeMap<String, Environment> {
        let environments = component.environments.iter();
        environments
            .map(|environment| (environment.name.clone(), environment.clone()))
            .collect()
    };
    let (before, after) = (by_name(then), by_name(now));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let mut note = |change: Option<FieldChange>| {
            changes.extend(change.map(|change| FieldChange {
                environment: Some(name.clone()),
                ..change
            }));
        };
        let (Some(was), Some(is)) = (before.get(name), after.get(name)) else {
            let status = |one: Option<&Environment>| one.map(|one| one.status);
            let (was, is) = (status(before.get(name)), status(after.get(name)));
            note(status_change(ComponentField::Environment, was, is));
            continue;
        };
        // A change that equals the one of the whole component is already noted.
        let is_said = (was.status, is.status) == (then.status, now.status);
        if !is_said {
            note(status_change(
                ComponentField::Status,
                Some(was.status),
                Some(is.status),
            ));
        }
        note(change(
            ComponentField::Version,
            was.version.as_deref(),
            is.version.as_deref(),
        ));
        // If the version is that of an image, the chart has its own.
        let is_another = |one: &Environment| one.version != one.chart_version;
        if is_another(was) || is_another(is) {
            note(change(
                ComponentField::ChartVersion,
                was.chart_version.as_deref(),
                is.chart_version.as_deref(),
            ));
        }
        let gate = |environment: &Environment, gates: &Gates<'_>| {
            let (_, unit) = &environment.unit;
            let gate = gates.get(&(name.as_str(), unit));
            gate.map(|gate| gate_name(gate))
        };
        let (was, is) = (gate(was, &gates[0]), gate(is, &gates[1]));
        if was.is_some() && is.is_some() {
            note(change(ComponentField::Gate, was.as_deref(), is.as_deref()));
        }
    }
}

fn gate_name(gate: &Gate) -> String {
    match gate {
        Gate::None | Gate::Unseen => "none".to_owned(),
        Gate::Wait => "wait".to_owned(),
        Gate::HealthChecks(of) => {
            let objects: Vec<String> = of.iter().map(|object| object.to_string()).collect();
            format!("health checks of {}", objects.join(", "))
        }
    }
}

fn replicas(then: &Component, now: &Component) -> Vec<FieldChange> {
    let by_name = |component: &Component| -> BTreeMap<String, Option<String>> {
        let workloads = component.workloads.iter();
        workloads
            .map(|one| {
                let name = if one.namespace.is_empty() {
                    format!("{} {}", one.kind, one.name)
                } else {
                    format!("{} {}/{}", one.kind, one.namespace, one.name)
                };
                (name, one.replicas.as_ref().map(|it| it.to_string()))
            })
            .collect()
    };
    let (before, after) = (by_name(then), by_name(now));
    let both = after.into_iter().filter_map(|(name, now)| {
        let then = before.get(&name)?;
        let change = change(ComponentField::Replicas, then.as_deref(), now.as_deref())?;
        Some(FieldChange {
            subject: Some(name),
            ..change
        })
    });
    both.collect()
}

/// Members added to and removed from a set. One added and one removed member count as a replacement.
fn came_and_went(
    field: ComponentField,
    then: impl Iterator<Item = String>,
    now: impl Iterator<Item = String>,
) -> Vec<FieldChange> {
    let (then, now): (BTreeSet<String>, BTreeSet<String>) = (then.collect(), now.collect());
    let gone: Vec<&String> = then.difference(&now).collect();
    let new: Vec<&String> = now.difference(&then).collect();
    if let ([gone], [new]) = (&*gone, &*new) {
        return change(field, Some(gone), Some(new)).into_iter().collect();
    }
    let gone = gone.into_iter().map(|one| change(field, Some(one), None));
    let new = new.into_iter().map(|one| change(field, None, Some(one)));
    gone.chain(new).flatten().collect()
}
