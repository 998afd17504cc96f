//! The facts of a component as rows: alerts, generated runbooks, settings, versions, addresses, objects, files, findings.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::text::everywhere;
use crate::catalog::{Component, ComponentIx};
use crate::site::context::SiteContext;
use crate::site::section::settings::setting_anchor;
use crate::site::section::{alert_anchors, runbook_anchor};
use base::FileId;
use search::{Row, RowValue, RowWeight};

/// Objects of a component that are found by name.
const MOST_OBJECTS: usize = 300;
/// Files of a component that are found by path.
const MOST_FILES: usize = 60;
/// Findings of a component that are found by their message: as many as its page shows.
const MOST_FINDINGS: usize = 50;

pub fn rows<'a>(
    context: &'a SiteContext<'_>,
    at: ComponentIx,
    component: &'a Component,
) -> Vec<Row<'a>> {
    let mut rows = operations(context, at, component);
    rows.extend(versions(context, component));
    rows.extend(addresses(component));
    rows.extend(settings(context, component));
    rows.extend(interface(component));
    rows.extend(objects(component));
    rows.extend(files(context, component));
    rows.extend(findings(context, at));
    rows
}

fn row<'a>(kind: &'static str, title: &'a str, value: &'a str) -> Row<'a> {
    Row {
        kind,
        weight: RowWeight::Fact,
        title: Cow::Borrowed(title),
        values: match value {
            "" => Vec::new(),
            value => vec![everywhere(Cow::Borrowed(value))],
        },
        anchor: None,
    }
}

/// Alerts and generated runbooks. Authored ones are documents of their own.
fn operations<'a>(
    context: &'a SiteContext<'_>,
    at: ComponentIx,
    component: &'a Component,
) -> Vec<Row<'a>> {
    let alerts = component.alerts.iter().zip(alert_anchors(component));
    let alerts = alerts.map(|(alert, anchor)| Row {
        anchor: Some(Cow::Owned(anchor)),
        ..row(
            "alert",
            &alert.name,
            alert.summary.as_ref().unwrap_or(&alert.expression),
        )
    });
    let listed = context.runbooks.for_component(at).runbooks.iter();
    let standards = listed.filter_map(|listed| context.standards.get(listed.standard?));
    let generated = standards.map(|standard| Row {
        values: vec![everywhere(Cow::Owned(standard.symptom.replace('`', "")))],
        anchor: Some(Cow::Owned(runbook_anchor(&standard.name))),
        ..row("runbook", &standard.title, "")
    });
    alerts.chain(generated).collect()
}

/// The version in each environment, charts and images.
fn versions<'a>(context: &SiteContext<'_>, component: &'a Component) -> Vec<Row<'a>> {
    let version = |name: &str| {
        let mut environments = component.environments.iter();
        environments
            .find(|one| one.name == name)?
            .version
            .as_deref()
    };
    let values = by_environment(context, component, version);
    let version = (!values.is_empty()).then(|| Row {
        values,
        ..row("version", "Version", "")
    });
    let charts = component.chart.iter().chain(&component.more_charts);
    let charts = charts.map(|chart| {
        let about = [&chart.version, &chart.repository];
        let about = about.into_iter().flatten();
        let about = about.map(|text| everywhere(Cow::Borrowed(text.as_str())));
        Row {
            values: about.collect(),
            ..row("chart", &chart.name, "")
        }
    });
    let images = component.images.iter();
    let images = images.map(|image| row("image", image, ""));
    version.into_iter().chain(charts).chain(images).collect()
}

/// Who and where: its owner, namespace, addresses, ports and volumes.
fn addresses(component: &Component) -> impl Iterator<Item = Row<'_>> {
    let owners = component.owners.iter();
    let owners = owners.map(|owner| row("owner", owner, ""));
    let contact = component.contact.iter();
    let contact = contact.map(|contact| row("contact", contact, ""));
    let namespace =
        (!component.namespace.is_empty()).then(|| row("namespace", &component.namespace, ""));
    let urls = component.urls.iter();
    let urls = urls.map(|url| row("address", url, ""));
    let ports = component.ports.iter();
    let ports = ports.map(|port| row("port", port, ""));
    let volumes = component.volumes.iter().map(|volume| {
        let size = volume.size.as_ref().map(|size| size.to_string());
        let class = volume.class.as_ref();
        let class = class.map(|class| format!("storage class {class}"));
        let about = size.into_iter().chain(class);
        Row {
            values: about.map(|text| everywhere(Cow::Owned(text))).collect(),
            ..row("volume", &volume.name, "")
        }
    });
    let all = owners.chain(contact).chain(namespace).chain(urls);
    all.chain(ports).chain(volumes)
}

fn settings<'a>(
    context: &SiteContext<'_>,
    component: &'a Component,
) -> impl Iterator<Item = Row<'a>> {
    component.settings.iter().map(|setting| {
        let value = |name: &str| setting.values.get(name)?.value.as_deref();
        let values = if setting.secret {
            Vec::new()
        } else {
            by_environment(context, component, value)
        };
        Row {
            values,
            // The script works out the anchor of a plain name.
            anchor: Some(setting_anchor(&setting.name))
                .filter(|anchor| anchor.strip_prefix("setting-") != Some(&setting.name))
                .map(Cow::Owned),
            ..row("setting", &setting.name, "")
        }
    })
}

fn interface(component: &Component) -> Vec<Row<'_>> {
    let Some(interface) = &component.interface else {
        return Vec::new();
    };
    let inputs = interface.inputs.iter().map(|input| {
        let about = input.description.as_deref().unwrap_or_default();
        row("input", &input.name, about)
    });
    let outputs = interface.outputs.iter().map(|output| {
        let about = output.description.as_deref().unwrap_or_default();
        row("output", &output.name, about)
    });
    inputs.chain(outputs).collect()
}

/// Objects as people paste them: `Deployment/foo`.
fn objects(component: &Component) -> impl Iterator<Item = Row<'_>> {
    let workloads = component.workloads.iter();
    let workloads = workloads.map(|one| (&one.kind, &one.name, &one.namespace));
    let resources = component.resources.iter();
    let resources = resources.map(|one| (&one.id.kind, &one.id.name, &one.id.namespace));
    let objects: BTreeSet<_> = workloads.chain(resources).collect();
    let objects = objects.into_iter().take(MOST_OBJECTS);
    objects.map(|(kind, name, namespace)| Row {
        title: Cow::Owned(format!("{kind}/{name}")),
        ..row("object", "", namespace)
    })
}

/// The files that declare it and set its values.
fn files<'a>(context: &'a SiteContext<'_>, component: &Component) -> impl Iterator<Item = Row<'a>> {
    let resources = component.resources.iter();
    let resources = resources.map(|resource| resource.place.file);
    let settings = component.settings.iter();
    let settings = settings.flat_map(|setting| setting.values.iter());
    let settings = settings.map(|(_, value)| value.place.file);
    let own = [component.place.file].into_iter();
    let mut files: BTreeSet<FileId> = own.chain(resources).chain(settings).collect();
    files.remove(&FileId::NONE);
    let files = files.into_iter().take(MOST_FILES);
    files.map(|file| row("file", context.repo.path(file).as_str(), ""))
}

fn findings<'a>(context: &'a SiteContext<'_>, at: ComponentIx) -> impl Iterator<Item = Row<'a>> {
    let own = context.related[at].findings.iter().take(MOST_FINDINGS);
    own.map(|at| {
        let finding = &context.findings[*at];
        row("finding", finding.rule, &finding.message)
    })
}

/// Each value once, with the environments that have it; without them if all of the component have it.
fn by_environment<'a>(
    context: &SiteContext<'_>,
    component: &Component,
    value: impl Fn(&str) -> Option<&'a str>,
) -> Vec<RowValue<'a>> {
    let mut values: Vec<RowValue<'a>> = Vec::new();
    let mut stated = 0;
    for (position, at) in context.compared.iter().enumerate() {
        let Some(text) = value(&context.catalog.environments[*at].name) else {
            continue;
        };
        stated += 1;
        match values.iter_mut().find(|known| known.text == text) {
            Some(known) => known.environments.push(position),
            None => values.push(RowValue {
                text: Cow::Borrowed(text),
                environments: vec![position],
            }),
        }
    }
    if let [only] = &mut values[..]
        && stated == component.environments.len()
    {
        only.environments.clear();
    }
    values
}
