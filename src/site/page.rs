//! The pages of the site: which there are, and each as HTML and as Markdown. One file for each kind.
//! A page is a function of the site context and the theme: nothing is read and nothing is kept.

mod api_group;
mod architecture;
mod changes;
mod component;
mod component_settings;
mod decisions;
mod document;
mod environment;
mod findings;
mod frame;
mod index;
mod ledger;
mod list;
mod matrix;
mod nav;
mod not_found;
mod own_nav;
mod rule;
mod written;

use secret::outgoing::Cleared;
use std::ops::Range;

use serde::Serialize;

use crate::catalog::{ComponentIx, EnvironmentIx};
use crate::knowledge::route::Route;
use crate::site::context::SiteContext;
use crate::site::theme::{ComponentWriter, Theme, ThemeError, View};
use crate::site::view::{Here, Text, rule_route};
use frame::PageHead;
pub use frame::{Assets, Frames};

/// The subject of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageSubject {
    Index,
    Architecture,
    Component(ComponentIx),
    /// All settings of a component.
    ComponentSettings(ComponentIx),
    /// All that runs in an environment.
    Environment(EnvironmentIx),
    /// Settings of an environment that differ elsewhere, or a part of them.
    EnvironmentSettings {
        environment: EnvironmentIx,
        page: usize,
    },
    Environments,
    /// Recent commits.
    Changes,
    ApiGroup(String),
    ApiGroups,
    /// A Markdown file, by position.
    Written(usize),
    AllWritten,
    /// A page of the guide, by position.
    Guide(usize),
    /// A part of the decisions.
    Decisions(usize),
    /// A part of the specs, with what became of each.
    Ledger,
    /// A part of the findings.
    Findings {
        page: usize,
        range: Range<usize>,
    },
    /// The description of a rule, by its name.
    Rule(&'static str),
    NotFound,
}

/// A page in full.
pub struct Rendered {
    /// As the bytes that are written or sent.
    pub html: Cleared,
    pub markdown: Cleared,
}

/// A page as Markdown, with what its head says of it.
pub struct MarkdownPage {
    pub title: String,
    pub description: Option<String>,
    /// With the title as its first heading.
    pub markdown: String,
}

/// The content of one kind of page, without its frame.
struct PageContent {
    template: &'static str,
    page: PageHead,
    views: Vec<(&'static str, View)>,
    markdown: Text,
}

/// All pages, in the order in which people come to them.
pub fn all(context: &SiteContext<'_>) -> Vec<(Route, PageSubject)> {
    let routes = &context.routes;
    let mut all = vec![
        (routes.index.clone(), PageSubject::Index),
        (routes.architecture.clone(), PageSubject::Architecture),
    ];
    if !context.repo.recent().is_empty() {
        all.push((routes.changes.clone(), PageSubject::Changes));
    }
    let components = routes.components.iter_enumerated();
    all.extend(components.map(|(at, route)| (route.clone(), PageSubject::Component(at))));
    let settings = routes.settings.iter();
    all.extend(settings.map(|(at, route)| (route.clone(), PageSubject::ComponentSettings(*at))));
    for (environment, own) in routes.environments.iter_enumerated() {
        all.push((own.page.clone(), PageSubject::Environment(environment)));
        let sheets = own.settings.iter().enumerate();
        all.extend(sheets.map(|(page, sheet)| {
            let subject = PageSubject::EnvironmentSettings { environment, page };
            (sheet.route.clone(), subject)
        }));
    }
    if routes.environments.len() > nav::MOST_ENVIRONMENTS {
        all.push((routes.all_environments.clone(), PageSubject::Environments));
    }
    if !routes.api.is_empty() {
        all.push((routes.apis.clone(), PageSubject::ApiGroups));
    }
    let groups = routes.api.iter();
    all.extend(groups.map(|(group, route)| (route.clone(), PageSubject::ApiGroup(group.clone()))));
    let documents = context.pages.documents.iter().enumerate();
    let written: Vec<(Route, PageSubject)> = documents
        .filter_map(|(at, document)| Some((document.route()?.clone(), PageSubject::Written(at))))
        .collect();
    if !written.is_empty() {
        all.push((routes.pages.clone(), PageSubject::AllWritten));
    }
    all.extend(written);
    let guide = context.guide.iter().flat_map(|guide| guide.documents());
    let guide = guide.enumerate();
    all.extend(
        guide
            .filter_map(|(at, document)| Some((document.route()?.clone(), PageSubject::Guide(at)))),
    );
    let pages = &context.knowledge_pages;
    let sheets = pages.decisions.iter().enumerate();
    all.extend(sheets.map(|(page, sheet)| (sheet.route.clone(), PageSubject::Decisions(page))));
    all.extend(
        pages
            .ledger
            .iter()
            .map(|route| (route.clone(), PageSubject::Ledger)),
    );
    let parts = context.finding_pages.iter().enumerate();
    all.extend(parts.map(|(page, part)| {
        let range = part.range.clone();
        (part.route.clone(), PageSubject::Findings { page, range })
    }));
    let rules = context.rules.iter();
    all.extend(rules.map(|rule| (rule_route(rule), PageSubject::Rule(rule))));
    all.push((routes.not_found.clone(), PageSubject::NotFound));
    all
}

/// Renders one page.
pub fn render(
    context: &SiteContext<'_>,
    theme: &Theme,
    frames: &Frames,
    route: &Route,
    subject: &PageSubject,
) -> Result<Rendered, ThemeError> {
    let components = ComponentWriter::new(theme);
    let here = Here {
        context,
        route,
        components: &components,
    };
    let mut content = content(&here, theme, subject)?;
    let frame = frames.frame(&here, theme, subject)?;
    components.finish()?;
    let page = content.page.view();
    let mut views = vec![("site", &frame.site), ("nav", &frame.nav), ("page", &page)];
    views.extend(content.views.iter().map(|(name, view)| (*name, view)));
    let html = theme.page(content.template, &views)?;
    Ok(Rendered {
        html: Cleared::new(html),
        markdown: Cleared::new(to_markdown_page(content).markdown),
    })
}

/// The Markdown of one page, without its HTML.
pub fn markdown_page(
    context: &SiteContext<'_>,
    theme: &Theme,
    route: &Route,
    subject: &PageSubject,
) -> Result<MarkdownPage, ThemeError> {
    let components = ComponentWriter::new(theme);
    let here = Here {
        context,
        route,
        components: &components,
    };
    let content = content(&here, theme, subject)?;
    components.finish()?;
    Ok(to_markdown_page(content))
}

fn to_markdown_page(content: PageContent) -> MarkdownPage {
    MarkdownPage {
        markdown: content.markdown.titled(&content.page.title).into_string(),
        title: content.page.title,
        description: content.page.description,
    }
}

fn content(
    here: &Here<'_>,
    theme: &Theme,
    subject: &PageSubject,
) -> Result<PageContent, ThemeError> {
    Ok(match subject {
        PageSubject::Index => index::write(here),
        PageSubject::Architecture => architecture::write(here),
        PageSubject::Component(at) => component::write(here, theme, *at)?,
        PageSubject::ComponentSettings(at) => component_settings::write(here, *at),
        PageSubject::Environment(environment) => environment::write(here, *environment),
        PageSubject::EnvironmentSettings { environment, page } => {
            environment::settings(here, *environment, *page)
        }
        PageSubject::Changes => changes::write(here),
        PageSubject::Environments => list::environments(here),
        PageSubject::ApiGroup(group) => api_group::write(here, group),
        PageSubject::ApiGroups => list::api_groups(here),
        PageSubject::Written(at) => written::write(here, *at),
        PageSubject::AllWritten => list::written(here),
        PageSubject::Guide(at) => written::guide(here, *at),
        PageSubject::Decisions(page) => decisions::write(here, *page),
        PageSubject::Ledger => ledger::write(here),
        PageSubject::Findings { page, range } => findings::write(here, *page, range.clone()),
        PageSubject::Rule(name) => rule::write(here, name),
        PageSubject::NotFound => not_found::write(here),
    })
}

/// A named view.
fn view(name: &'static str, value: &impl Serialize) -> (&'static str, View) {
    (name, View::serialize(value))
}
