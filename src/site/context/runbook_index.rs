//! Which runbooks each component has, and where its alerts send people.

use crate::input::page::read_page;
use std::collections::BTreeMap;

use rayon::prelude::*;

use super::api::served;
use crate::catalog::{Catalog, Component, ComponentIx};
use crate::facts::{Relation, UnitId};
use crate::input::config::Config;
use crate::input::repo::Repo;
use crate::knowledge::pages::{AlertPage, DocTopic, RenderedPages};
use crate::knowledge::runbook::alert_subject::AlertSubjects;
use crate::knowledge::runbook::standard::{self, Case, Standards};
use crate::knowledge::runbook::{ListedRunbook, Own, RunbookIndex};
use crate::site::theme;
use base::hash::HashMap;

/// The default runbooks, including those of the repo's own theme.
pub fn standards(repo: &Repo) -> Standards {
    let own = repo.files().filter_map(|file| {
        let path = repo.path(file).as_str().strip_prefix("theme/")?;
        Some((
            theme::runbook(path)?.to_owned(),
            read_page(repo, file).ok()?,
        ))
    });
    Standards::new(theme::runbooks().chain(own))
}

/// What default runbooks ask for: the providers of what components need, with the group of each, by component; and how
/// many components each unit applies.
#[derive(Default)]
pub struct RunbookContext<'a> {
    needs: BTreeMap<ComponentIx, Vec<(ComponentIx, &'a str)>>,
    /// Components by the unit that applies them.
    applied: HashMap<&'a UnitId, usize>,
}

impl<'a> RunbookContext<'a> {
    pub fn from_catalog(catalog: &'a Catalog) -> RunbookContext<'a> {
        let mut around = RunbookContext::default();
        let edges = catalog.edges.iter();
        for edge in edges.filter(|edge| edge.relation == Relation::CustomResource) {
            let mut resources = catalog.components[edge.from].resources.iter();
            let used = resources.find(|resource| resource.place == edge.place);
            if let Some(used) = used {
                let needs = around.needs.entry(edge.from).or_default();
                let need = (edge.to, used.id.group.as_str());
                if !needs.contains(&need) {
                    needs.push(need);
                }
            }
        }
        let units = catalog.components.iter();
        for unit in units.filter_map(|component| component.unit.as_ref()) {
            *around.applied.entry(unit).or_default() += 1;
        }
        around
    }

    pub fn case(&self, config: &'a Config, catalog: &'a Catalog, at: ComponentIx) -> Case<'a> {
        let component = &catalog.components[at];
        let needs = self.needs.get(&at).into_iter().flatten();
        let unit = standard::unit(catalog, component);
        Case {
            component,
            unit,
            paths: unit.map_or_else(Vec::new, |unit| standard::paths(catalog, unit)),
            serves: served(config, component),
            needs: needs
                .map(|(provider, group)| (&*catalog.components[*provider], *group))
                .collect(),
            beside: component
                .unit
                .as_ref()
                .and_then(|unit| self.applied.get(unit))
                .map_or(0, |applied| applied - 1),
        }
    }
}

pub fn runbook_index(
    config: &Config,
    repo: &Repo,
    catalog: &Catalog,
    pages: &RenderedPages,
    standards: &Standards,
    around: &RunbookContext<'_>,
) -> RunbookIndex {
    let by_subject = AlertSubjects::from_catalog(catalog).by_subject(catalog.components.len());
    let components = catalog.components.par_iter().enumerate();
    let own = components.map(|(at, component)| {
        let at = ComponentIx::from_usize(at);
        let case = around.case(config, catalog, at);
        Own {
            runbooks: runbooks(repo, pages, at, standards, &case),
            answers: answers(repo, pages, component),
            foreign_alerts: by_subject[at].clone(),
        }
    });
    let own: Vec<Own> = own.collect();
    RunbookIndex::new(own.into())
}

fn runbooks(
    repo: &Repo,
    pages: &RenderedPages,
    at: ComponentIx,
    standards: &Standards,
    case: &Case<'_>,
) -> Vec<ListedRunbook> {
    let mut runbooks = Vec::new();
    for part in pages.component_docs(at).about(DocTopic::Operations) {
        let below = part.section.iter().flat_map(|section| &section.subsections);
        let below =
            below.filter(|sub| names_runbooks(part.title) || is_procedure(sub.html.as_str()));
        runbooks.extend(below.map(|sub| ListedRunbook {
            title: sub.title.clone(),
            written: Some((part.place.file, sub.line)),
            standard: None,
        }));
    }
    let mut replaces = Vec::new();
    for document in pages.runbooks(at) {
        runbooks.push(ListedRunbook {
            title: document.title(repo),
            written: Some((document.file, 1)),
            standard: None,
        });
        let named = document
            .runbook
            .iter()
            .flat_map(|runbook| &runbook.replaces);
        replaces.extend(named.cloned());
    }
    let titles: Vec<&str> = runbooks.iter().map(|one| one.title.as_str()).collect();
    let standard = standards.applicable(case, &titles, &replaces);
    runbooks.extend(standard.into_iter().filter_map(|at| {
        Some(ListedRunbook {
            title: standards.get(at)?.title.clone(),
            written: None,
            standard: Some(at),
        })
    }));
    runbooks
}

/// Whether every part below a heading is a runbook. Operational notes hold sizes, plans and open questions as well.
fn names_runbooks(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["runbook", "troubleshooting"]
        .iter()
        .any(|word| heading.contains(word))
}

/// Whether a text tells what to do: steps, or commands.
fn is_procedure(html: &str) -> bool {
    let marks = [
        "<pre",
        "<ol",
        "<code>kubectl",
        "<code>flux",
        "<code>helm",
        "<code>argocd",
    ];
    marks.iter().any(|mark| html.contains(mark))
}

/// For each alert, the file or the address that says what to do.
fn answers(repo: &Repo, pages: &RenderedPages, component: &Component) -> Vec<Option<String>> {
    let answers = component.alerts.iter().map(|alert| {
        pages.answer(alert).map(|answer| match answer {
            AlertPage::Document(at, _) => repo.path(pages.documents[at].file).to_string(),
            AlertPage::Elsewhere(address) => address.to_owned(),
        })
    });
    answers.collect()
}
