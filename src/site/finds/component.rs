//! A component and its runbooks as search entries.

use std::borrow::Cow;

use super::{fact, text};
use crate::catalog::{Component, ComponentIx};
use crate::knowledge::pages::DocTopic;
use crate::site::context::SiteContext;
use search::{RowWeight, Searchable, TextField};

/// The last component of each generated runbook that has its aliases in a field, by position of the runbook.
pub struct Aliased(Vec<Option<ComponentIx>>);

impl Aliased {
    pub fn new(context: &SiteContext<'_>) -> Aliased {
        let mut met: Vec<(usize, Option<ComponentIx>)> =
            vec![(0, None); context.standards.iter().count()];
        for (at, _) in context.catalog.components.iter_enumerated() {
            let listed = context.runbooks.for_component(at).runbooks.iter();
            for standard in listed.filter_map(|listed| listed.standard) {
                let (count, last) = &mut met[standard];
                if *count < search::MOST_ALIASED {
                    *count += 1;
                    *last = Some(at);
                }
            }
        }
        Aliased(met.into_iter().map(|(_, last)| last).collect())
    }

    /// The phrases that a component is found by, for its generated runbooks.
    fn phrases<'a>(
        &self,
        context: &'a SiteContext<'_>,
        at: ComponentIx,
    ) -> impl Iterator<Item = (TextField, Cow<'a, str>)> {
        let listed = context.runbooks.for_component(at).runbooks.iter();
        let standards = listed.filter_map(|listed| listed.standard);
        let standards = standards.filter(move |standard| self.0[*standard] >= Some(at));
        let standards = standards.filter_map(|standard| context.standards.get(standard));
        let phrases = standards.flat_map(|standard| &standard.search);
        phrases.map(|phrase| {
            // The name of an alert is found by its parts, too.
            let field = match phrase.contains(' ') {
                true => TextField::Text,
                false => TextField::Value,
            };
            (field, Cow::Borrowed(phrase.as_str()))
        })
    }
}

/// A component, then its authored runbooks.
pub fn documents<'a>(
    context: &'a SiteContext<'_>,
    at: ComponentIx,
    aliased: &Aliased,
) -> Vec<Searchable<'a>> {
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
        fields: fields(component)
            .into_iter()
            .chain(aliased.phrases(context, at))
            .collect(),
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
