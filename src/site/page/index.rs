//! The home page: what the repository contains in numbers, and the version matrix of all components.

use serde::Serialize;

use super::frame::PageHead;
use super::matrix::{self, Matrix};
use super::{PageContent, view};
use crate::catalog::Status;
use crate::input::repo::RepoPath;
use crate::knowledge::pages::plain;
use crate::site::view::{Here, LinkView, Stat, Text, counted};
use base::text::noun;
use markdown::Html;
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct IndexPage {
    stats: Vec<Stat>,
    intro_html: Option<Html>,
    /// The day of the newest commit, with all recent ones behind it.
    last_change: Option<LinkView>,
    matrix: Matrix,
}

pub fn write(here: &Here<'_>) -> PageContent {
    let context = here.context;
    let mut page = PageHead::new(here, "index", context.title.clone());
    page.breadcrumbs.clear();
    page.description = Some(description(here));
    let matrix = matrix::matrix(here);
    let mut markdown = Text::default();
    markdown.paragraph(&escaped(&description(here)));
    as_markdown(&matrix, &mut markdown);
    let index = IndexPage {
        stats: stats(here),
        intro_html: intro(here),
        last_change: last_change(here),
        matrix,
    };
    PageContent {
        template: "pages/index.html",
        page,
        views: vec![view("index", &index)],
        markdown,
    }
}

/// The matrix as one table for each layer.
fn as_markdown(matrix: &Matrix, text: &mut Text) {
    let mut columns = vec!["Component"];
    columns.extend(matrix.column_titles());
    columns.extend(["Namespace", "Kind", "Depends on", "Dependents"]);
    for layer in &matrix.layers {
        text.heading(2, &layer.title);
        let rows = layer.components.iter().map(|row| {
            let mut cells = vec![link(&row.title, Some(&row.href))];
            for cell in &row.cells {
                cells.extend((0..cell.span()).map(|_| escaped(&cell.text())));
            }
            cells.push(escaped(row.namespace.as_deref().unwrap_or_default()));
            cells.push(escaped(&row.kind));
            let needs = row.needs.map(|needs| needs.to_string());
            cells.push(needs.unwrap_or_else(|| "unknown".to_owned()));
            cells.push(row.needed_by.to_string());
            cells
        });
        text.table(&columns, rows);
    }
}

fn last_change(here: &Here<'_>) -> Option<LinkView> {
    let newest = here.context.repo.recent().first()?;
    Some(LinkView {
        title: newest.time.get(..10)?.to_owned(),
        href: Some(here.to(&here.context.routes.changes)),
    })
}

fn description(here: &Here<'_>) -> String {
    let catalog = here.context.catalog;
    let environments = catalog.cluster_environments().iter();
    let names: Vec<&str> = environments.map(|e| e.name.as_str()).collect();
    let places = match names.len() {
        0 | 1 => String::new(),
        2..=4 => format!(" in {}", names.join(", ")),
        many => format!(" in {many} environments"),
    };
    let programs = match catalog.program_count() {
        0 => String::new(),
        many => format!(" and {}", counted(many, "program")),
    };
    format!(
        "{}{places}{programs}",
        counted(catalog.services(), "component")
    )
}

/// The text before the first heading of the repo's own README.
fn intro(here: &Here<'_>) -> Option<Html> {
    let context = here.context;
    let mut documents = context.pages.documents.iter();
    let root = documents.find(|document| {
        let path = context.repo.path(document.file);
        path.parent() == Some(RepoPath::root()) && path.as_str().eq_ignore_ascii_case("readme.md")
    })?;
    // Its links lead from its own page; on this one they would lead astray.
    let paragraphs = root.page.lead.as_str().split("</p>");
    let paragraphs = paragraphs.filter_map(|piece| Some(plain(piece.split_once("<p>")?.1)));
    // Fewer words are links and badges.
    let mut sentences = paragraphs.filter(|text| text.split_whitespace().nth(3).is_some());
    sentences.next().map(|text| {
        let href = root.route().map(|route| here.to(route)).unwrap_or_default();
        let (text, href) = (Html::escape(&text), Html::escape(&href));
        Html::trusted(format!(
            "<p>{} <a href=\"{}\">Read more</a></p>",
            text.as_str(),
            href.as_str()
        ))
    })
}

fn stats(here: &Here<'_>) -> Vec<Stat> {
    let context = here.context;
    let components = &context.catalog.components;
    let stat = |value: usize, label: &str, href: Option<String>| Stat {
        value,
        label: noun(value, label),
        href,
    };
    let running = components
        .iter()
        .filter(|c| c.status == Status::Enabled && !c.is_program)
        .count();
    let programs = context.catalog.program_count();
    let mut stats = vec![
        stat(context.catalog.services(), "component", None),
        Stat {
            value: running,
            label: "enabled".to_owned(),
            href: None,
        },
        stat(
            context.catalog.cluster_environments().len(),
            "environment",
            None,
        ),
        stat(
            context.layers.len(),
            "layer",
            Some(here.to(&context.routes.architecture)),
        ),
    ];
    if programs > 0 {
        stats.push(stat(programs, "program", None));
    }
    if let Some(first) = context.finding_pages.first() {
        stats.push(stat(
            context.findings.len(),
            "finding",
            Some(here.to(&first.route)),
        ));
    }
    stats
}
