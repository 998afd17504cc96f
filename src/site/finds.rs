//! Search entries: components, their runbooks, pages, rules, API groups, environments and recent commits. Each has its
//! search words, and rows for the parts that can be a result of their own.

mod component;
mod fact;
mod text;

use std::borrow::Cow;

use rayon::prelude::*;

use crate::catalog::ComponentIx;
use crate::checks;
use crate::knowledge::DocumentRef as Known;
use crate::knowledge::pages::AuthoredPage;
use crate::site::context::SiteContext;
use crate::site::view::{change, counted, rule_route};
use search::{Alias, Row, RowWeight, SearchIndex, Searchable, TextField};
use secret::outgoing;

pub fn index(context: &SiteContext<'_>) -> Option<SearchIndex> {
    let aliased = component::Aliased::new(context);
    let components: Vec<Vec<Searchable<'_>>> = (0..context.catalog.components.len())
        .into_par_iter()
        .map(|at| component::documents(context, ComponentIx::from_usize(at), &aliased))
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
    documents.extend(rules(context));
    documents.extend(groups(context));
    documents.extend(environments(context));
    documents.extend(commits(context));
    let environments = context.compared.iter();
    let environments: Vec<&str> = environments
        .map(|at| context.catalog.environments[*at].name.as_str())
        .collect();
    documents.par_iter_mut().for_each(mask);
    let aliases = context.standards.iter();
    let aliases: Vec<Alias<'_>> = aliases
        .filter(|standard| !standard.search.is_empty())
        .map(|standard| Alias {
            title: &standard.title,
            phrases: &standard.search,
        })
        .collect();
    search::index(&documents, &environments, &aliases)
}

/// The index has words in lower case and pieces of them, in which the last look at an output would find no token.
fn mask(document: &mut Searchable<'_>) {
    let rows = document.rows.iter_mut().flat_map(|row| {
        let values = row.values.iter_mut().map(|value| &mut value.text);
        values.chain([&mut row.title])
    });
    let fields = document.fields.iter_mut().map(|(_, text)| text);
    for text in rows
        .chain(fields)
        .chain([&mut document.title, &mut document.context])
    {
        let masked = match outgoing::text(text) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => continue,
        };
        *text = Cow::Owned(masked);
    }
}

fn pages<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    context.pages.documents.iter().filter_map(|document| {
        let knowledge = context.knowledge;
        let (kind, id) = match knowledge.document(document.file) {
            Some(Known::Decision(at)) => ("decision", Some(&knowledge.decisions[at].id)),
            Some(Known::Spec(at)) => ("spec", Some(&knowledge.specs[at].id)),
            Some(Known::Record(_)) => ("record", None),
            None if document.runbook.is_some() => ("runbook", None),
            None => ("page", None),
        };
        let runbook = document.runbook.iter();
        let alerts = runbook.flat_map(|subjects| &subjects.alerts);
        let alerts = alerts.map(|alert| (TextField::Subject, Cow::Borrowed(alert.as_str())));
        let rows = of_page(document);
        let symptoms = document.runbook.iter();
        let symptoms = symptoms.map(|_| (TextField::Name, Cow::Owned(rows.beginning())));
        let ids = id.map(|id| (TextField::Name, Cow::Borrowed(id.as_str())));
        let path = context.repo.path(document.file).as_str();
        let file = (TextField::Value, Cow::Borrowed(path));
        Some(Searchable {
            title: Cow::Owned(document.title(context.repo)),
            weight: RowWeight::Fact,
            href: Cow::Borrowed(document.route()?.as_str()),
            kind,
            context: Cow::Borrowed(path),
            fields: ids
                .into_iter()
                .chain(alerts)
                .chain(symptoms)
                .chain([file])
                .collect(),
            rows: rows.into_rows(),
        })
    })
}

fn of_page(document: &AuthoredPage) -> text::Rows<'_> {
    let page = &document.page;
    let mut rows = text::Rows::default();
    rows.add("", None, page.lead.as_str());
    for section in &page.sections {
        rows.add(&section.title, Some(&section.id), section.lead.as_str());
        for sub in &section.subsections {
            rows.add(&sub.title, Some(&sub.id), sub.html.as_str());
        }
    }
    rows
}

fn guide<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    context.guide.into_iter().flat_map(|guide| {
        guide.documents().iter().filter_map(|document| {
            Some(Searchable {
                title: Cow::Owned(document.title(&guide.repo)),
                weight: RowWeight::Fact,
                href: Cow::Borrowed(document.route()?.as_str()),
                kind: "page",
                context: Cow::Borrowed("Guide"),
                fields: Vec::new(),
                rows: of_page(document).into_rows(),
            })
        })
    })
}

/// The rules that found something.
fn rules<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    context.rules.iter().map(|rule| {
        let found = context.findings.iter().filter(|one| one.rule == *rule);
        let summary = checks::rule(rule).map(|rule| Row {
            kind: "text",
            weight: RowWeight::Prose,
            title: Cow::Borrowed(""),
            values: vec![text::everywhere(Cow::Owned(rule.summary.replace('`', "")))],
            anchor: None,
        });
        Searchable {
            title: Cow::Borrowed(*rule),
            weight: RowWeight::Fact,
            href: Cow::Owned(rule_route(rule).as_str().to_owned()),
            kind: "rule",
            context: Cow::Owned(counted(found.count(), "finding")),
            fields: Vec::new(),
            rows: summary.into_iter().collect(),
        }
    })
}

fn groups<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    context.apis.keys().map(|group| Searchable {
        title: Cow::Borrowed(*group),
        weight: RowWeight::Fact,
        href: Cow::Borrowed(context.routes.api[*group].as_str()),
        kind: "API group",
        context: Cow::Borrowed("CRDs and the components that use them"),
        fields: Vec::new(),
        rows: Vec::new(),
    })
}

fn environments<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    let environments = context.routes.environments.iter_enumerated();
    environments.map(|(at, routes)| {
        let environment = &context.catalog.environments[at];
        Searchable {
            title: Cow::Borrowed(&environment.name),
            weight: RowWeight::Fact,
            href: Cow::Borrowed(routes.page.as_str()),
            kind: "environment",
            context: Cow::Borrowed(context.catalog.clusters[environment.cluster].root.as_str()),
            fields: Vec::new(),
            rows: Vec::new(),
        }
    })
}

/// Recent commits, by their subjects and ids.
fn commits<'a>(context: &'a SiteContext<'_>) -> impl Iterator<Item = Searchable<'a>> {
    let recent = context.repo.recent().iter();
    recent.map(|commit| {
        let day = commit.time.get(..10).unwrap_or_default();
        let id = change::short_id(&commit.commit);
        let about = [day, &commit.author, id];
        let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
        Searchable {
            title: Cow::Borrowed(change::title(commit)),
            weight: RowWeight::Prose,
            href: Cow::Owned(format!(
                "{}#{}",
                context.routes.changes,
                change::anchor(commit)
            )),
            kind: "commit",
            context: Cow::Owned(about.join(" · ")),
            fields: vec![(TextField::Heading, Cow::Borrowed(commit.commit.as_str()))],
            rows: Vec::new(),
        }
    })
}
