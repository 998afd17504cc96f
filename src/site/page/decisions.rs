//! All decisions, with what became of each and the components that each names.

use std::collections::BTreeMap;

use serde::Serialize;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::knowledge::Decision;
use crate::knowledge::route::{Route, slug};
use crate::site::view::knowledge::{named, status, status_class};
use crate::site::view::{Here, LinkView, Mention, More, Stat, Text};
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct DecisionsPage {
    stats: Vec<Stat>,
    groups: Vec<DecisionGroup>,
    has_specs: bool,
}

#[derive(Serialize)]
struct DecisionGroup {
    id: Option<String>,
    title: Option<String>,
    rows: Vec<DecisionRow>,
}

#[derive(Serialize)]
struct DecisionRow {
    id: String,
    title: String,
    href: Option<String>,
    status: String,
    class: &'static str,
    superseded_by: Option<LinkView>,
    date: Option<String>,
    components: Vec<Mention>,
    more: Option<More>,
    specs: Vec<LinkView>,
}

const MOST_NAMED: usize = 6;

pub fn write(here: &Here<'_>, at: usize) -> PageContent {
    let knowledge = here.context.knowledge;
    let mut by_directory: BTreeMap<String, Vec<DecisionRow>> = BTreeMap::new();
    let sheets = &here.context.knowledge_pages.decisions;
    for at in sheets[at].range.clone() {
        let decision = &knowledge.decisions[at];
        let path = here.context.repo.path(decision.file);
        let directory = path.parent().map(|parent| parent.to_string());
        let rows = by_directory
            .entry(directory.unwrap_or_default())
            .or_default();
        rows.push(row(here, at, decision));
    }
    // One place needs no heading.
    let is_one = by_directory.len() == 1;
    let groups = by_directory
        .into_iter()
        .map(|(directory, rows)| DecisionGroup {
            id: (!is_one).then(|| format!("in-{}", slug(&directory.replace('/', "-")))),
            title: (!is_one).then(|| {
                if directory.is_empty() {
                    "Repository root".to_owned()
                } else {
                    directory
                }
            }),
            rows,
        });
    let decisions = DecisionsPage {
        stats: stats(&knowledge.decisions),
        groups: groups.collect(),
        has_specs: knowledge
            .ledger
            .specs_of
            .iter()
            .any(|specs| !specs.is_empty()),
    };
    let routes: Vec<&Route> = sheets.iter().map(|sheet| &sheet.route).collect();
    let mut page = PageHead::new(here, "decisions", "Decisions").among(here, &routes, at);
    page.description = Some("Architecture decisions and their status.".to_owned());
    page.toc = decisions
        .groups
        .iter()
        .filter_map(|group| {
            Some(Toc {
                count: Some(group.rows.len()),
                ..Toc::new(2, group.id.as_ref()?, group.title.as_ref()?)
            })
        })
        .collect();
    PageContent {
        template: "pages/decisions.html",
        markdown: markdown(&decisions),
        views: vec![view("decisions", &decisions)],
        page,
    }
}

fn row(here: &Here<'_>, at: usize, decision: &Decision) -> DecisionRow {
    let (components, more) = here.mentions(&decision.components(), MOST_NAMED);
    let by = decision.successor();
    let specs = here.context.knowledge.ledger.specs_of(at);
    let href = here.page_of(decision.file);
    DecisionRow {
        id: decision.id.clone(),
        title: decision.title.clone(),
        status: decision.status.name().to_owned(),
        class: status_class(decision),
        superseded_by: by.map(|by| here.decision_link(by)),
        date: decision.date.clone(),
        components,
        // All of them are on its own page.
        more: more.map(|more| More {
            href: href
                .clone()
                .map_or(more.href, |href| format!("{href}#components")),
            title: more.title,
        }),
        specs: specs.iter().map(|spec| here.spec_link(*spec)).collect(),
        href,
    }
}

fn stats(decisions: &[Decision]) -> Vec<Stat> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for decision in decisions {
        let name = decision.status.name();
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let each = counts.into_iter();
    each.map(|(label, value)| Stat {
        value,
        label: label.to_owned(),
        href: None,
    })
    .collect()
}

fn markdown(decisions: &DecisionsPage) -> Text {
    let mut markdown = Text::default();
    for group in &decisions.groups {
        if let Some(title) = &group.title {
            markdown.heading(2, title);
        }
        let rows = group.rows.iter().map(|row| {
            let components = row.components.iter();
            let components = components.map(|one| link(&one.title, one.href.as_deref()));
            vec![
                named(&row.id, row.href.as_deref(), &row.title),
                status(&row.status, row.superseded_by.as_ref()),
                escaped(row.date.as_deref().unwrap_or_default()),
                components.collect::<Vec<_>>().join(", "),
            ]
        });
        markdown.table(&["Decision", "Status", "Date", "Components"], rows);
    }
    markdown
}
