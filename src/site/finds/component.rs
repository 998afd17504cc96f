//! A component and its runbooks as search entries.

use std::borrow::Cow;

use super::{fact, text};
use crate::catalog::{Component, ComponentIx};
use crate::knowledge::pages::DocTopic;
use crate::site::context::SiteContext;
use search::{RowWeight, Searchable, TextField};

/// A component, then its authored runbooks.
pub fn documents<'a>(context: &'a SiteContext<'_>, at: ComponentIx) -> Vec<Searchable<'a>> {
    let component = &*context.catalog.components[at];
    let route = &context.routes.components[at];
    let docs = context.pages.component_docs(at);
    let layer = &context.layers[context.related[at].layer].title;
    let mut prose = text::Rows::default();
    if let Some(description) = context.pages.description(at, component) {
        prose.add("", None, markdown::Html::escape(&description.text).as_str());
    }
    if let Some(summary) = &docs.summary {
        prose.add("", None, summary.as_str());
    }
    let mut runbooks = Vec::new();
    for part in &docs.parts {
        let Some(section) = part.section else {
            prose.add(part.title, None, part.html.as_str());
            continue;
        };
        prose.add(part.title, Some(&section.id), section.lead.as_str());
        for sub in &section.subsections {
            if part.topic != Some(DocTopic::Operations) {
                prose.add(&sub.title, Some(&sub.id), sub.html.as_str());
                continue;
            }
            let mut steps = text::Rows::default();
            steps.add("", None, sub.html.as_str());
            runbooks.push(Searchable {
                title: Cow::Owned(sub.title.clone()),
                weight: RowWeight::Fact,
                href: Cow::Owned(format!("{route}#{}", sub.id)),
                kind: "runbook",
                context: Cow::Borrowed(&component.title),
                fields: vec![
                    (TextField::Name, Cow::Borrowed(&component.title)),
                    (TextField::Name, Cow::Borrowed(component.id.0.as_str())),
                    (TextField::Name, Cow::Owned(steps.beginning())),
                ],
                rows: steps.into_rows(),
            });
        }
    }
    let facts = [
        layer.as_str(),
        component.namespace.as_str(),
        component.kind.as_str(),
    ];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let mut rows = fact::rows(context, at, component);
    rows.extend(prose.into_rows());
    let mut documents = vec![Searchable {
        title: Cow::Borrowed(&component.title),
        weight: RowWeight::Fact,
        href: Cow::Borrowed(route.as_str()),
        kind: "component",
        context: Cow::Owned(facts.join(" · ")),
        fields: fields(component),
        rows,
    }];
    documents.append(&mut runbooks);
    documents
}

/// What a component is called and what it has; all else is in its rows.
fn fields(component: &Component) -> Vec<(TextField, Cow<'_, str>)> {
    let mut fields: Vec<(TextField, Cow<'_, str>)> = Vec::new();
    let mut add = |field, text| fields.push((field, Cow::Borrowed(text)));
    add(TextField::Name, component.id.0.as_str());
    add(TextField::Name, component.namespace.as_str());
    let charts = component.chart.iter().chain(&component.more_charts);
    charts.for_each(|chart| add(TextField::Name, chart.name.as_str()));
    let workloads = component.workloads.iter();
    workloads.for_each(|workload| add(TextField::Name, workload.name.as_str()));
    add(TextField::Kind, component.kind.as_str());
    let mut last = "";
    for resource in &component.resources {
        if resource.id.kind != last {
            last = &resource.id.kind;
            add(TextField::Kind, last);
        }
    }
    fields
}
