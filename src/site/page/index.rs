//! The index: all components by layer, with counts and filters. A long one has pages for its layers.

use std::collections::BTreeSet;

use serde::Serialize;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::catalog::{Component, ComponentIx, Status};
use crate::checks::wording::in_words;
use crate::input::repo::RepoPath;
use crate::knowledge::pages::plain;
use crate::knowledge::route::Route;
use crate::site::context::{LONGEST_LIST, Layer, LayerIx};
use crate::site::view::{Filter, Here, Stat, Text, count, counted, severity};
use base::Severity;
use base::text::noun;
use markdown::Html;
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct IndexPage {
    stats: Vec<Stat>,
    intro_html: Option<Html>,
    filters: Vec<Filter>,
    /// Whether any component has an owner.
    has_owners: bool,
    layers: Vec<LayerView>,
    /// The pages of the layers, where this one has no room for components.
    pages: Vec<LayerPage>,
}

#[derive(Serialize)]
struct LayerPage {
    title: String,
    href: String,
    count: usize,
    enabled: usize,
    findings: usize,
}

#[derive(Serialize)]
struct LayerView {
    id: String,
    title: String,
    count: usize,
    description: Option<String>,
    components: Vec<ComponentRow>,
}

#[derive(Serialize)]
struct ComponentRow {
    title: String,
    href: String,
    status: &'static str,
    summary: Option<String>,
    namespace: Option<String>,
    kind: String,
    owner: Option<String>,
    needs: usize,
    needed_by: usize,
    environments: Vec<Runs>,
    environments_note: Option<String>,
    findings: Option<Badge>,
}

#[derive(Serialize)]
struct Runs {
    names: Vec<String>,
    status: &'static str,
    version: Option<String>,
}

#[derive(Serialize)]
struct Badge {
    count: usize,
    severity: &'static str,
    title: String,
    href: String,
}

/// Environments that a row names.
const MOST_ENVIRONMENTS: usize = 6;
const LONGEST_SUMMARY: usize = 140;

pub fn write(here: &Here<'_>) -> PageContent {
    let context = here.context;
    let all: Vec<ComponentIx> = context.order.clone();
    let is_long = all.len() > LONGEST_LIST;
    let mut page = PageHead::new(here, "index", context.title.clone());
    page.breadcrumbs.clear();
    page.description = Some(description(here));
    let layers: Vec<LayerView> = if is_long {
        Vec::new()
    } else {
        context
            .layers
            .iter()
            .map(|layer| layer_view(here, layer, &layer.components))
            .collect()
    };
    let pages: Vec<LayerPage> = if is_long {
        context
            .layers
            .iter_enumerated()
            .map(|(at, layer)| layer_page(here, at, layer))
            .collect()
    } else {
        Vec::new()
    };
    page.toc = if is_long {
        Vec::new()
    } else {
        layers
            .iter()
            .map(|layer| Toc {
                count: Some(layer.count),
                ..Toc::new(2, &layer.id, &layer.title)
            })
            .collect()
    };
    let mut markdown = Text::default();
    markdown.paragraph(&escaped(&description(here)));
    for layer in &layers {
        layer.markdown(&mut markdown);
    }
    for layer in &pages {
        markdown.item(&format!(
            "{}: {}",
            link(&layer.title, Some(&layer.href)),
            count(layer.count)
        ));
    }
    let index = IndexPage {
        stats: stats(here),
        intro_html: intro(here),
        filters: if is_long {
            Vec::new()
        } else {
            filters(here, &all)
        },
        has_owners: has_owners(&layers),
        layers,
        pages,
    };
    PageContent {
        template: "pages/index.html",
        page,
        views: vec![view("index", &index)],
        markdown,
    }
}

/// One page of a layer in a long catalogue.
pub fn layer(here: &Here<'_>, layer: LayerIx, at: usize) -> PageContent {
    let context = here.context;
    let (shown, routes) = (&context.layers[layer], &context.routes.layers[layer]);
    let pages: Vec<&Route> = routes.iter().collect();
    let start = at * LONGEST_LIST;
    let components = &shown.components[start..(start + LONGEST_LIST).min(shown.components.len())];
    let mut page = PageHead::new(here, "index", shown.title.clone()).among(here, &pages, at);
    page.description = Some(match pages.len() {
        1 => counted(shown.components.len(), "component"),
        many => format!(
            "{}, page {} of {many}",
            counted(shown.components.len(), "component"),
            at + 1
        ),
    });
    let view_of = layer_view(here, shown, components);
    let mut markdown = Text::default();
    view_of.markdown(&mut markdown);
    let index = IndexPage {
        stats: Vec::new(),
        intro_html: None,
        filters: filters(here, components),
        has_owners: has_owners(std::slice::from_ref(&view_of)),
        layers: vec![view_of],
        pages: Vec::new(),
    };
    PageContent {
        template: "pages/index.html",
        page,
        views: vec![view("index", &index)],
        markdown,
    }
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

fn has_owners(layers: &[LayerView]) -> bool {
    let mut rows = layers.iter().flat_map(|layer| &layer.components);
    rows.any(|row| row.owner.is_some())
}

fn filters(here: &Here<'_>, components: &[ComponentIx]) -> Vec<Filter> {
    let each = || components.iter().map(|at| here.component(*at));
    let layers = components.iter().map(|at| here.related(*at).layer);
    let layers = layers.map(|layer| here.context.layers[layer].title.clone());
    let namespaces = each().map(|one| one.namespace.to_string());
    let clusters = here.context.catalog.cluster_environments();
    let is_cluster = |name: &str| clusters.iter().any(|one| one.name == name);
    let environments = each().flat_map(|one| &one.environments);
    let environments = environments.filter(|one| is_cluster(&one.name));
    let statuses = each().map(|one| one.status.name().to_owned());
    let filters = [
        Filter::count("layer", "Layer", layers),
        Filter::count(
            "namespace",
            "Namespace",
            namespaces.filter(|name| !name.is_empty()),
        ),
        Filter::count(
            "environment",
            "Environment",
            environments.map(|one| one.name.clone()),
        ),
        Filter::count("status", "Status", statuses),
        Filter::count("owner", "Owner", each().filter_map(|one| one.owner.clone())),
        Filter::count(
            "kind",
            "Kind",
            each().map(|one| in_words(&one.kind).to_owned()),
        ),
    ];
    filters.into_iter().flatten().collect()
}

fn layer_view(here: &Here<'_>, layer: &Layer, components: &[ComponentIx]) -> LayerView {
    LayerView {
        id: layer.id.clone(),
        title: layer.title.clone(),
        count: layer.components.len(),
        description: None,
        components: components.iter().map(|at| row(here, *at)).collect(),
    }
}

fn layer_page(here: &Here<'_>, at: LayerIx, layer: &Layer) -> LayerPage {
    let components = layer.components.iter();
    let enabled = components
        .clone()
        .filter(|at| here.component(**at).status == Status::Enabled);
    // One that concerns several is one.
    let own = components
        .clone()
        .flat_map(|at| &here.related(*at).findings);
    let findings: BTreeSet<usize> = own.copied().collect();
    LayerPage {
        title: layer.title.clone(),
        href: here.context.routes.layers[at]
            .first()
            .map(|route| here.to(route))
            .unwrap_or_default(),
        count: layer.components.len(),
        enabled: enabled.count(),
        findings: findings.len(),
    }
}

fn row(here: &Here<'_>, at: ComponentIx) -> ComponentRow {
    let component = here.component(at);
    let graph = &here.context.graph;
    let pages = &here.context.pages;
    let written = pages.component_docs(at).summary;
    let written = written.map(|html| plain(html.as_str()));
    let described = || Some(pages.description(at, component)?.text.clone());
    let environments = &component.environments;
    let is_many = environments.len() > MOST_ENVIRONMENTS;
    ComponentRow {
        title: component.title.clone(),
        href: here.href(at),
        status: component.status.name(),
        summary: written.or_else(described).map(|text| shortened(&text)),
        namespace: Some(component.namespace.to_string()).filter(|n| !n.is_empty()),
        kind: in_words(&component.kind).to_owned(),
        owner: component.owner.clone(),
        needs: here.related(at).needs().len(),
        needed_by: graph.needed_by(at).len(),
        environments: if is_many { Vec::new() } else { runs(component) },
        environments_note: is_many.then(|| format!("{} environments", environments.len())),
        findings: badge(here, at),
    }
}

/// Environments grouped by status and version.
fn runs(component: &Component) -> Vec<Runs> {
    let mut runs: Vec<Runs> = Vec::new();
    for environment in &component.environments {
        let status = environment.status.name();
        let version = environment
            .version
            .as_ref()
            .map(|version| version.to_string());
        match runs
            .iter_mut()
            .find(|run| run.status == status && run.version == version)
        {
            Some(run) => run.names.push(environment.name.clone()),
            None => runs.push(Runs {
                names: vec![environment.name.clone()],
                status,
                version,
            }),
        }
    }
    runs
}

fn badge(here: &Here<'_>, at: ComponentIx) -> Option<Badge> {
    let own = here.related(at).findings.iter();
    let severities = own.map(|at| here.context.findings[*at].severity);
    let grave: Vec<Severity> = severities.filter(|one| *one != Severity::Info).collect();
    let worst = grave.iter().min()?;
    Some(Badge {
        count: grave.len(),
        severity: severity(*worst),
        title: counted(grave.len(), "finding"),
        href: format!("{}#findings", here.href(at)),
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SUMMARY) {
        Some((end, _)) => {
            let end = text[..end].rfind(' ').unwrap_or(end);
            format!("{}…", text[..end].trim_end_matches([',', '.', ';', ':']))
        }
        None => text.to_owned(),
    }
}

impl LayerView {
    fn markdown(&self, text: &mut Text) {
        text.heading(2, &self.title);
        text.table(
            &[
                "Component",
                "Status",
                "Namespace",
                "Kind",
                "Depends on",
                "Dependents",
            ],
            self.components.iter().map(|row| {
                [
                    link(&row.title, Some(&row.href)),
                    row.status.to_owned(),
                    escaped(row.namespace.as_deref().unwrap_or_default()),
                    escaped(&row.kind),
                    row.needs.to_string(),
                    row.needed_by.to_string(),
                ]
            }),
        );
    }
}
