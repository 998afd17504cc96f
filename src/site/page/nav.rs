//! The navigation of a page: the parts of the site, and the components by layer. What pages of a directory have alike is rendered
//! once for all of them.

use rayon::prelude::*;
use serde::Serialize;

use super::PageSubject;
use super::own_nav::{OwnGroup, own_pages};
use crate::catalog::{ComponentIx, EnvironmentIx};
use crate::knowledge::DocumentRef;
use crate::knowledge::route::Route;
use crate::site::context::LayerIx;
use crate::site::theme::{Theme, ThemeError, View};
use crate::site::view::{Here, More, count};
use base::index::IndexVec;
use markdown::Html;

/// Environments that have a link of their own in the head of every page.
pub const MOST_ENVIRONMENTS: usize = 4;
/// Components that the navigation of every page lists.
const MOST_LISTED: usize = 100;
/// In a large catalogue, components of a layer that are listed around the current one.
const MOST_AROUND: usize = 20;

/// Navigation that the pages of a directory share.
pub struct SharedNav {
    /// Layers as they are on pages that are not in them.
    layers: IndexVec<LayerIx, Html>,
    /// For pages of components.
    among_components: Option<AmongComponents>,
}

struct AmongComponents {
    /// Components as they are on each other's pages.
    entries: IndexVec<ComponentIx, Html>,
    /// The parts of the site are the same on all of these pages.
    top_html: Html,
    links_html: Html,
}

impl SharedNav {
    /// Builds the navigation relative to a page.
    pub fn new(
        here: &Here<'_>,
        theme: &Theme,
        site: &View,
        subject: &PageSubject,
    ) -> Result<SharedNav, ThemeError> {
        let mut shared = SharedNav {
            layers: IndexVec::new(),
            among_components: None,
        };
        if let PageSubject::Component(_) = subject {
            let entries = (0..here.context.catalog.components.len()).into_par_iter();
            let entries = entries
                .map(ComponentIx::from_usize)
                .map(|at| entry(here, theme, at, Current::No));
            let (top_html, links_html) = parts(here, theme, site, subject)?;
            shared.among_components = Some(AmongComponents {
                entries: entries.collect::<Result<Vec<_>, _>>()?.into(),
                top_html,
                links_html,
            });
        }
        let layers = here.context.layers.indices();
        let layers = layers.map(|at| elsewhere(here, theme, &shared, at));
        shared.layers = layers.collect::<Result<_, _>>()?;
        Ok(shared)
    }

    /// The navigation of one of the pages.
    pub fn for_page(
        &self,
        here: &Here<'_>,
        theme: &Theme,
        site: &View,
        subject: &PageSubject,
    ) -> Result<View, ThemeError> {
        let (top_html, links_html) = match (subject, &self.among_components) {
            (PageSubject::Component(_), Some(all)) => {
                (all.top_html.clone(), all.links_html.clone())
            }
            _ => parts(here, theme, site, subject)?,
        };
        let (label, layers_html) = match own_pages(here, subject) {
            Some(own) => (own.label, pages(theme, own.groups)?),
            None => ("Components by layer", layers(here, theme, self, subject)?),
        };
        Ok(View::serialize(&Nav {
            top_html,
            links_html,
            label,
            layers_html,
        }))
    }

    fn entry(&self, component: ComponentIx) -> Option<&Html> {
        self.among_components.as_ref()?.entries.get(component)
    }
}

/// The head of a page, and the links at its side.
fn parts(
    here: &Here<'_>,
    theme: &Theme,
    site: &View,
    subject: &PageSubject,
) -> Result<(Html, Html), ThemeError> {
    let parts = View::serialize(&SiteParts {
        home: HomeLink {
            title: here.context.title.clone(),
            href: here.to(&here.context.routes.index),
            current: *subject == PageSubject::Index,
        },
        links: links(here, subject),
    });
    let views = [("site", site), ("nav", &parts)];
    Ok((
        theme.render("nav/top.html", &views)?,
        theme.render("nav/links.html", &views)?,
    ))
}

#[derive(Serialize)]
struct Nav {
    top_html: Html,
    links_html: Html,
    /// What the navigation lists.
    label: &'static str,
    layers_html: Html,
}

/// The parts of the site, as the head of a page and its side lead to them.
#[derive(Serialize)]
struct SiteParts {
    home: HomeLink,
    links: Vec<NavLink>,
}

#[derive(Serialize)]
struct HomeLink {
    title: String,
    href: String,
    current: bool,
}

#[derive(Serialize)]
struct NavLink {
    title: String,
    href: String,
    current: bool,
    here: bool,
    count: Option<usize>,
    /// Whether it leads to another site.
    external: bool,
}

#[derive(Serialize)]
struct NavLayer {
    title: String,
    href: String,
    count: usize,
    open: bool,
    current: bool,
    more: Option<More>,
    components_html: Html,
}

#[derive(Serialize)]
struct NavComponent {
    title: String,
    href: String,
    status: &'static str,
    current: bool,
}

fn links(here: &Here<'_>, subject: &PageSubject) -> Vec<NavLink> {
    let context = here.context;
    let routes = &context.routes;
    let link = |title: &str, route: &Route, current: bool, count: Option<usize>| NavLink {
        title: title.to_owned(),
        href: here.to(route),
        here: here.route == route,
        current: current || here.route == route,
        count,
        external: false,
    };
    let is_component = matches!(
        subject,
        PageSubject::Index | PageSubject::Component(_) | PageSubject::ComponentSettings(_)
    );
    let mut links = vec![
        link("Components", &routes.index, is_component, None),
        link("Architecture", &routes.architecture, false, None),
    ];
    if routes.environments.len() > MOST_ENVIRONMENTS {
        let current = environment_of(subject).is_some();
        links.push(link(
            "Environments",
            &routes.all_environments,
            current,
            None,
        ));
    } else {
        for (at, parts) in routes.environments.iter_enumerated() {
            let name = match routes.environments.len() {
                1 => "Environment",
                _ => &context.catalog.environments[at].name,
            };
            let current = environment_of(subject) == Some(at);
            links.push(link(name, &parts.page, current, None));
        }
    }
    if !routes.api.is_empty() {
        let current = matches!(subject, PageSubject::ApiGroup(_));
        links.push(link("APIs", &routes.apis, current, None));
    }
    let is_of = |is_meant: fn(&DocumentRef) -> bool| match subject {
        PageSubject::Written(at) => {
            let document = context
                .knowledge
                .document(context.pages.documents[*at].file);
            document.as_ref().is_some_and(is_meant)
        }
        _ => false,
    };
    if let Some(first) = context.knowledge_pages.decisions.first() {
        let is_decision = is_of(|document| matches!(document, DocumentRef::Decision(_)));
        let current = is_decision || matches!(subject, PageSubject::Decisions(_));
        links.push(link("Decisions", &first.route, current, None));
    }
    if let Some(route) = &context.knowledge_pages.ledger {
        let is_spec =
            is_of(|document| matches!(document, DocumentRef::Spec(_) | DocumentRef::Record(_)));
        let current = is_spec || matches!(subject, PageSubject::Ledger);
        links.push(link("Ledger", route, current, None));
    }
    if context
        .pages
        .documents
        .iter()
        .any(|document| document.route().is_some())
    {
        let current = matches!(subject, PageSubject::Written(_)) && !is_of(|_| true);
        links.push(link("Docs", &routes.pages, current, None));
    }
    let guide = context.guide.and_then(|guide| {
        let first = guide.documents().get(guide.first())?;
        first.route()
    });
    if let Some(first) = guide {
        let current = matches!(subject, PageSubject::Guide(_));
        links.push(link("Guide", first, current, None));
    }
    if let Some(first) = context.finding_pages.first() {
        let current = matches!(subject, PageSubject::Findings { .. } | PageSubject::Rule(_));
        links.push(link(
            "Findings",
            &first.route,
            current,
            Some(context.findings.len()),
        ));
    }
    let extra = context.config.nav.iter();
    links.extend(extra.map(|extra| NavLink {
        title: extra.name.clone(),
        href: extra.url.clone(),
        current: false,
        here: false,
        count: None,
        external: true,
    }));
    links
}

fn environment_of(subject: &PageSubject) -> Option<EnvironmentIx> {
    match subject {
        PageSubject::Environment(environment)
        | PageSubject::EnvironmentSettings { environment, .. } => Some(*environment),
        _ => None,
    }
}

/// The list of layers, on a page.
fn layers(
    here: &Here<'_>,
    theme: &Theme,
    shared: &SharedNav,
    subject: &PageSubject,
) -> Result<Html, ThemeError> {
    let (current, current_layer) = match subject {
        PageSubject::Component(at) | PageSubject::ComponentSettings(at) => {
            (Some(*at), Some(here.related(*at).layer))
        }
        _ => (None, None),
    };
    let mut layers = Html::default();
    for (at, known) in shared.layers.iter_enumerated() {
        if current_layer == Some(at) {
            layers.html(&inside(here, theme, shared, at, current)?)
        } else {
            layers.html(known)
        };
    }
    Ok(layers)
}

/// Lists of pages, in the place of the layers.
fn pages(theme: &Theme, groups: Vec<OwnGroup>) -> Result<Html, ThemeError> {
    let mut html = Html::default();
    for group in groups {
        let view = View::serialize(&group);
        html.html(&theme.render("nav/pages.html", &[("group", &view)])?);
    }
    Ok(html)
}

/// A layer on a page that is not in it.
fn elsewhere(
    here: &Here<'_>,
    theme: &Theme,
    shared: &SharedNav,
    at: LayerIx,
) -> Result<Html, ThemeError> {
    let components = if is_short(here) {
        &here.context.layers[at].components[..]
    } else {
        &[]
    };
    let listed = ListedComponents {
        components,
        current: None,
    };
    let view = NavLayer {
        open: is_short(here),
        ..layer(here, theme, shared, at, listed)?
    };
    theme.render("nav/layer.html", &[("layer", &View::serialize(&view))])
}

/// A layer on a page of its own, or on that of one of its components.
fn inside(
    here: &Here<'_>,
    theme: &Theme,
    shared: &SharedNav,
    at: LayerIx,
    current: Option<ComponentIx>,
) -> Result<Html, ThemeError> {
    let all = &here.context.layers[at].components;
    let components = if is_short(here) {
        &all[..]
    } else {
        around(all, current)
    };
    let listed = ListedComponents {
        components,
        current,
    };
    let view = NavLayer {
        open: true,
        current: true,
        ..layer(here, theme, shared, at, listed)?
    };
    theme.render("nav/layer.html", &[("layer", &View::serialize(&view))])
}

/// Whether every page lists every component.
fn is_short(here: &Here<'_>) -> bool {
    here.context.catalog.components.len() <= MOST_LISTED
}

/// Components that a layer lists, one of which may be the page's own.
struct ListedComponents<'l> {
    components: &'l [ComponentIx],
    current: Option<ComponentIx>,
}

fn layer(
    here: &Here<'_>,
    theme: &Theme,
    shared: &SharedNav,
    at: LayerIx,
    listed: ListedComponents<'_>,
) -> Result<NavLayer, ThemeError> {
    let layer = &here.context.layers[at];
    let all = layer.components.len();
    let href = here.layer_href(at);
    let mut components_html = Html::default();
    for component in listed.components {
        match shared.entry(*component) {
            _ if listed.current == Some(*component) => {
                components_html.html(&entry(here, theme, *component, Current::Yes)?)
            }
            Some(known) => components_html.html(known),
            None => components_html.html(&entry(here, theme, *component, Current::No)?),
        };
    }
    Ok(NavLayer {
        title: layer.title.clone(),
        count: all,
        open: false,
        current: false,
        more: (all > listed.components.len()).then(|| More {
            title: format!("Show all {}", count(all)),
            href: href.clone(),
        }),
        href,
        components_html,
    })
}

/// Whether an entry of the navigation is the page that it is on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Current {
    Yes,
    No,
}

fn entry(
    here: &Here<'_>,
    theme: &Theme,
    component: ComponentIx,
    current: Current,
) -> Result<Html, ThemeError> {
    let listed = here.component(component);
    let view = NavComponent {
        title: listed.title.clone(),
        href: here.href(component),
        status: listed.status.name(),
        current: current == Current::Yes,
    };
    theme.render(
        "nav/component.html",
        &[("component", &View::serialize(&view))],
    )
}

/// The part of a long list that the current component is in the middle of.
fn around(all: &[ComponentIx], current: Option<ComponentIx>) -> &[ComponentIx] {
    let at = current.and_then(|current| all.iter().position(|one| *one == current));
    let start = at.unwrap_or(0).saturating_sub(MOST_AROUND / 2);
    let start = start.min(all.len().saturating_sub(MOST_AROUND));
    &all[start..(start + MOST_AROUND).min(all.len())]
}
