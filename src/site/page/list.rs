//! Lists that lead to pages: environments, API groups, what people wrote.

use std::collections::BTreeMap;

use serde::Serialize;

use super::api_group::origin;
use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::catalog::ComponentIx;
use crate::knowledge::pages::{AuthoredPage, plain};
use crate::knowledge::route::Anchors;
use crate::site::view::{Here, Text, counted};
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct List {
    /// The plural noun for the rows, used by the filter.
    noun: &'static str,
    columns: Vec<&'static str>,
    groups: Vec<ListGroup>,
}

impl List {
    /// Rows without headings between them.
    fn plain(
        noun: &'static str,
        columns: &[&'static str],
        rows: impl Iterator<Item = ListRow>,
    ) -> List {
        List {
            noun,
            columns: columns.to_vec(),
            groups: vec![ListGroup {
                id: None,
                title: None,
                rows: rows.collect(),
            }],
        }
    }
}

#[derive(Serialize)]
struct ListGroup {
    id: Option<String>,
    title: Option<String>,
    rows: Vec<ListRow>,
}

#[derive(Serialize)]
struct ListRow {
    title: String,
    href: Option<String>,
    summary: Option<String>,
    cells: Vec<Cell>,
}

#[derive(Serialize)]
struct Cell {
    parts: Vec<CellText>,
}

#[derive(Serialize)]
struct CellText {
    text: String,
    href: Option<String>,
}

const MOST_NAMED: usize = 8;

pub fn environments(here: &Here<'_>) -> PageContent {
    let context = here.context;
    let rows = context.routes.environments.iter_enumerated();
    let rows = rows.map(|(at, routes)| {
        let environment = &context.catalog.environments[at];
        let root = context.catalog.clusters[environment.cluster].root.as_str();
        ListRow {
            title: environment.name.clone(),
            href: Some(here.to(&routes.page)),
            summary: None,
            cells: vec![
                words(if root.is_empty() { "." } else { root }),
                words(&context.running[at].components.len().to_string()),
                words(&environment.units.to_string()),
            ],
        }
    });
    content(
        here,
        "Environments",
        "Environments deployed from this repository. A unit is a Kustomization, HelmRelease or Application.",
        List::plain(
            "environments",
            &["Environment", "Path", "Components", "Units"],
            rows,
        ),
    )
}

pub fn api_groups(here: &Here<'_>) -> PageContent {
    let rows = here.context.apis.iter().map(|(group, api)| ListRow {
        title: (*group).to_owned(),
        href: Some(here.to(&here.context.routes.api[*group])),
        summary: None,
        cells: vec![
            if api.installed_by.is_empty() {
                words(origin(api.elsewhere))
            } else {
                components(here, &api.installed_by)
            },
            components(here, &api.used_by),
        ],
    });
    content(
        here,
        "APIs",
        "API groups of custom resources, the components that install their CRDs and the components that use them.",
        List::plain(
            "API groups",
            &["API group", "Installed by", "Used by"],
            rows,
        ),
    )
}

/// List of authored pages, by directory.
pub fn written(here: &Here<'_>) -> PageContent {
    let context = here.context;
    let mut groups: BTreeMap<String, Vec<ListRow>> = BTreeMap::new();
    for document in &context.pages.documents {
        let Some(route) = document.route() else {
            continue;
        };
        let path = context.repo.path(document.file);
        let directory = path
            .parent()
            .map(|parent| parent.to_string())
            .unwrap_or_default();
        let about: Vec<ComponentIx> = document.about.clone();
        groups.entry(directory).or_default().push(ListRow {
            title: document.title(context.repo),
            href: Some(here.to(route)),
            summary: summary(document),
            cells: vec![components(here, &about), words(path.as_str())],
        });
    }
    let mut anchors = Anchors::default();
    let groups = groups.into_iter().map(|(directory, rows)| ListGroup {
        id: Some(anchors.id("in", &directory)),
        title: Some(if directory.is_empty() {
            "Repository root".to_owned()
        } else {
            directory
        }),
        rows,
    });
    let mut list = List {
        noun: "pages",
        columns: vec!["Page", "Components", "File"],
        groups: groups.collect(),
    };
    let about_none = context
        .pages
        .documents
        .iter()
        .all(|document| document.route().is_none() || document.about.is_empty());
    if about_none {
        list.columns.remove(1);
        let rows = list.groups.iter_mut().flat_map(|group| &mut group.rows);
        rows.for_each(|row| drop(row.cells.remove(0)));
    }
    content(here, "Docs", "Documentation in this repository.", list)
}

fn summary(document: &AuthoredPage) -> Option<String> {
    let text = plain(document.page.lead.as_str());
    let short: String = text.chars().take(120).collect();
    match text.is_empty() {
        true => None,
        false if short.len() < text.len() => Some(format!("{}…", short.trim_end())),
        false => Some(short),
    }
}

fn content(here: &Here<'_>, title: &str, description: &str, list: List) -> PageContent {
    let mut page = PageHead::new(here, "list", title);
    page.description = Some(description.to_owned());
    let titled = list.groups.iter();
    page.toc = titled
        .filter_map(|group| {
            Some(Toc {
                count: Some(group.rows.len()),
                ..Toc::new(2, group.id.as_ref()?, group.title.as_ref()?)
            })
        })
        .collect();
    let mut markdown = Text::default();
    markdown.paragraph(description);
    for group in &list.groups {
        if let Some(title) = &group.title {
            markdown.heading(2, title);
        }
        markdown.table(
            &list.columns,
            group.rows.iter().map(|row| {
                let mut cells = vec![link(&row.title, row.href.as_deref())];
                cells.extend(row.cells.iter().map(|cell| {
                    let parts = cell.parts.iter().map(|part| escaped(&part.text));
                    parts.collect::<Vec<_>>().join(", ")
                }));
                cells
            }),
        );
    }
    PageContent {
        template: "pages/list.html",
        page,
        views: vec![view("list", &list)],
        markdown,
    }
}

fn words(text: &str) -> Cell {
    Cell {
        parts: vec![CellText {
            text: text.to_owned(),
            href: None,
        }],
    }
}

fn components(here: &Here<'_>, all: &[ComponentIx]) -> Cell {
    let shown = if all.len() > MOST_NAMED + 1 {
        MOST_NAMED
    } else {
        all.len()
    };
    let mut parts: Vec<CellText> = all[..shown]
        .iter()
        .map(|at| CellText {
            text: here.component(*at).title.clone(),
            href: Some(here.href(*at)),
        })
        .collect();
    if all.len() > shown {
        parts.push(CellText {
            text: format!("and {}", counted(all.len() - shown, "other")),
            href: None,
        });
    }
    Cell { parts }
}
