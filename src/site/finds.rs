//! Search entries: components, their runbooks, pages, API groups and environments, each with its search words.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::catalog::ComponentIx;
use crate::knowledge::DocumentRef as Known;
use crate::knowledge::pages::{DocTopic, plain};
use crate::site::context::SiteContext;
use search::{SearchIndex, Searchable, TextField};

/// A page of more words than this is found by its first ones.
const MOST_TEXT: usize = 4_000;

pub fn index(context: &SiteContext<'_>) -> Option<SearchIndex> {
    let components: Vec<Vec<Searchable<'_>>> = (0..context.catalog.components.len())
        .into_par_iter()
        .map(|at| component(context, ComponentIx::from_usize(at)))
        .collect();
    let mut documents: Vec<Searchable<'_>> = Vec::new();
    let mut runbooks = Vec::new();
    for mut of_component in components {
        runbooks.extend(of_component.drain(1..));
        documents.append(&mut of_component);
    }
    documents.extend(runbooks);
    documents.extend(pages(context));
    documents.extend(guide(context));
    documents.extend(groups(context));
    documents.extend(environments(context));
    search::index(&documents)
}

/// A component, then its runbooks.
fn component<'a>(context: &'a SiteContext<'_>, at: ComponentIx) -> Vec<Searchable<'a>> {
    let component = &context.catalog.components[at];
    let route = &context.routes.components[at];
    let docs = context.pages.component_docs(at);
    let layer = &context.layers[context.related[at].layer].title;
    let mut fields: Vec<(TextField, Cow<'a, str>)> = Vec::new();
    let mut add = |field: TextField, text: &'a str| fields.push((field, Cow::Borrowed(text)));
    add(TextField::Name, component.id.0.as_str());
    add(TextField::Name, &component.namespace);
    component
        .chart
        .iter()
        .chain(&component.more_charts)
        .for_each(|chart| add(TextField::Name, &chart.name));
    component
        .owners
        .iter()
        .for_each(|owner| add(TextField::Name, owner));
    component
        .workloads
        .iter()
        .for_each(|workload| add(TextField::Name, &workload.name));
    add(TextField::Kind, &component.kind);
    let mut last = "";
    for resource in &component.resources {
        if resource.id.kind != last {
            last = &resource.id.kind;
            add(TextField::Kind, last);
        }
    }
    component
        .settings
        .iter()
        .for_each(|setting| add(TextField::Setting, &setting.name));
    if let Some(interface) = &component.interface {
        for input in &interface.inputs {
            add(TextField::Setting, &input.name);
            input
                .description
                .iter()
                .for_each(|text| add(TextField::Text, text));
        }
        for output in &interface.outputs {
            add(TextField::Setting, &output.name);
            output
                .description
                .iter()
                .for_each(|text| add(TextField::Text, text));
        }
    }
    let description = context.pages.description(at, component);
    description
        .iter()
        .for_each(|one| add(TextField::Text, &one.text));
    component
        .urls
        .iter()
        .for_each(|url| add(TextField::Text, url));
    component
        .images
        .iter()
        .for_each(|image| add(TextField::Text, image));
    let mut runbooks = Vec::new();
    for part in &docs.parts {
        fields.push((TextField::Heading, Cow::Owned(part.title.to_owned())));
        fields.push((TextField::Text, Cow::Owned(cut(&plain(part.html.as_str())))));
        let subsections = part.section.iter().flat_map(|section| &section.subsections);
        for sub in subsections {
            fields.push((TextField::Heading, Cow::Owned(sub.title.clone())));
            if part.topic == Some(DocTopic::Operations) {
                runbooks.push(Searchable {
                    title: Cow::Owned(sub.title.clone()),
                    href: Cow::Owned(format!("{route}#{}", sub.id)),
                    kind: "runbook",
                    context: Cow::Borrowed(&component.title),
                    fields: vec![
                        (TextField::Name, Cow::Borrowed(&component.title)),
                        (TextField::Text, Cow::Owned(cut(&plain(sub.html.as_str())))),
                    ],
                });
            }
        }
    }
    if let Some(summary) = &docs.summary {
        fields.push((TextField::Text, Cow::Owned(plain(summary.as_str()))));
    }
    let facts = [
        layer.as_str(),
        component.namespace.as_str(),
        component.kind.as_str(),
    ];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let mut documents = vec![Searchable {
        title: Cow::Borrowed(&component.title),
        href: Cow::Borrowed(route.as_str()),
        kind: "component",
        context: Cow::Owned(facts.join(" · ")),
        fields,
    }];
    documents.append(&mut runbooks);
    documents
}

fn pages<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    context.pages.documents.iter().filter_map(|document| {
        let page = &document.page;
        let headings = page.sections.iter();
        let mut fields: Vec<(TextField, Cow<'_, str>)> = headings
            .map(|section| (TextField::Heading, Cow::Borrowed(section.title.as_str())))
            .collect();
        fields.push((TextField::Text, Cow::Owned(cut(&page.text))));
        let knowledge = context.knowledge;
        let (kind, id) = match knowledge.document(document.file) {
            Some(Known::Decision(at)) => ("decision", Some(&knowledge.decisions[at].id)),
            Some(Known::Spec(at)) => ("spec", Some(&knowledge.specs[at].id)),
            Some(Known::Record(_)) => ("record", None),
            None => ("page", None),
        };
        fields.extend(id.map(|id| (TextField::Name, Cow::Borrowed(id.as_str()))));
        Some(Searchable {
            title: Cow::Owned(document.title(context.repo)),
            href: Cow::Borrowed(document.route()?.as_str()),
            kind,
            context: Cow::Borrowed(context.repo.path(document.file).as_str()),
            fields,
        })
    })
}

fn guide<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    context.guide.into_iter().flat_map(|guide| {
        guide.documents().iter().filter_map(|document| {
            let headings = document.page.sections.iter();
            let mut fields: Vec<(TextField, Cow<'_, str>)> = headings
                .map(|section| (TextField::Heading, Cow::Borrowed(section.title.as_str())))
                .collect();
            fields.push((TextField::Text, Cow::Owned(cut(&document.page.text))));
            Some(Searchable {
                title: Cow::Owned(document.title(&guide.repo)),
                href: Cow::Borrowed(document.route()?.as_str()),
                kind: "page",
                context: Cow::Borrowed("Guide"),
                fields,
            })
        })
    })
}

fn groups<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    context.apis.keys().map(|group| Searchable {
        title: Cow::Borrowed(*group),
        href: Cow::Borrowed(context.routes.api[*group].as_str()),
        kind: "API group",
        context: Cow::Borrowed("CRDs and the components that use them"),
        fields: Vec::new(),
    })
}

fn environments<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    let environments = context.routes.environments.iter_enumerated();
    environments.map(|(at, routes)| {
        let environment = &context.catalog.environments[at];
        Searchable {
            title: Cow::Borrowed(&environment.name),
            href: Cow::Borrowed(routes.page.as_str()),
            kind: "environment",
            context: Cow::Borrowed(context.catalog.clusters[environment.cluster].root.as_str()),
            fields: Vec::new(),
        }
    })
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_TEXT).collect()
}
