//! What every page has around its content: the site, the navigation, and where the page stands in it.
//! Pages of one directory see most of it alike, so that is made once for all of them.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::Subject;
use crate::book::Book;
use crate::knowledge::Document;
use crate::render::Html;
use crate::render::theme::{Theme, ThemeError, View};
use crate::route::Route;
use crate::view::{Here, Link, More, count};

/// Files that every page asks for, by their hashed names.
#[derive(Debug, Clone)]
pub struct Assets {
    pub style: Route,
    pub theme: Route,
    pub script: Route,
    pub favicon: Route,
    /// The index of the search, from the root of the site.
    pub search: Option<String>,
}

/// Environments that have a link of their own in the head of every page.
pub const MOST_ENVIRONMENTS: usize = 4;
/// Components that the navigation of every page lists.
const MOST_LISTED: usize = 100;
/// Of a layer in a large catalogue: those around the current one.
const MOST_AROUND: usize = 20;

/// What pages share, by the directory that they are in.
pub struct Frames {
    directories: BTreeMap<String, Shared>,
}

/// As seen from a directory.
struct Shared {
    site: View,
    /// Layers as they are on pages that are not in them.
    layers: Vec<Html>,
    /// Components as they are on each other's pages; empty where few of them are listed.
    components: Vec<Html>,
}

/// What one page has around it.
pub struct Frame {
    pub site: View,
    pub nav: View,
}

#[derive(Serialize)]
struct Site {
    title: String,
    language: &'static str,
    base: String,
    repository: Option<Link>,
    commit: Option<String>,
    short_commit: Option<String>,
    commit_href: Option<String>,
    sha: String,
    catalog_href: String,
    assets: AssetLinks,
}

#[derive(Serialize)]
struct AssetLinks {
    style: String,
    theme: String,
    script: String,
    favicon: String,
    search: Option<String>,
}

#[derive(Serialize)]
struct Nav {
    home: Home,
    links: Vec<NavLink>,
    layers_html: Html,
}

#[derive(Serialize)]
struct Home {
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

/// A page's own head.
#[derive(Serialize, Default)]
pub struct Page {
    /// The template's name; it is a class of the body.
    pub kind: &'static str,
    pub title: String,
    pub description: Option<String>,
    pub breadcrumbs: Vec<Link>,
    pub toc: Vec<Toc>,
    pub previous: Option<Link>,
    pub next: Option<Link>,
    pub edit_href: Option<String>,
    pub source_href: Option<String>,
    pub markdown_href: Option<String>,
}

#[derive(Serialize)]
pub struct Toc {
    pub title: String,
    pub href: String,
    pub level: u8,
    pub count: Option<usize>,
}

impl Page {
    /// A page with a twin, below the index.
    pub fn new(here: &Here<'_>, kind: &'static str, title: impl Into<String>) -> Page {
        let title = title.into();
        Page {
            kind,
            breadcrumbs: vec![
                Link {
                    title: here.book.title.clone(),
                    href: Some(here.to(&here.book.routes.index)),
                },
                Link {
                    title: title.clone(),
                    href: None,
                },
            ],
            title,
            markdown_href: Some(here.to(&here.route.markdown())),
            ..Page::default()
        }
    }

    /// Stands below another page.
    pub fn below(mut self, title: &str, href: String) -> Page {
        let link = Link {
            title: title.to_owned(),
            href: Some(href),
        };
        self.breadcrumbs.insert(1, link);
        self
    }

    /// The pages before and after this one, of several that are one list.
    pub fn among(mut self, here: &Here<'_>, pages: &[&Route], at: usize) -> Page {
        let link = |at: usize| {
            Some(Link {
                title: format!("Page {} of {}", at + 1, pages.len()),
                href: Some(here.to(pages.get(at)?)),
            })
        };
        self.previous = at.checked_sub(1).and_then(link);
        self.next = link(at + 1);
        self
    }
}

impl Toc {
    pub fn new(level: u8, id: &str, title: &str) -> Toc {
        Toc {
            title: title.to_owned(),
            href: format!("#{id}"),
            level,
            count: None,
        }
    }
}

impl Frames {
    pub fn new(
        book: &Book<'_>,
        theme: &Theme,
        assets: &Assets,
        pages: &[(Route, Subject)],
    ) -> Result<Frames, ThemeError> {
        let mut directories = BTreeMap::new();
        for (route, subject) in pages {
            let here = Here { book, route };
            if directories.contains_key(standpoint(&here)) {
                continue;
            }
            let components: Result<Vec<Html>, ThemeError> = match subject {
                Subject::Component(_) => (0..book.catalog.components.len())
                    .into_par_iter()
                    .map(|at| entry(&here, theme, at, Current::No))
                    .collect(),
                _ => Ok(Vec::new()),
            };
            let mut shared = Shared {
                site: View::of(&site(&here, assets)),
                layers: Vec::new(),
                components: components?,
            };
            let layers = (0..book.layers.len()).map(|at| elsewhere(&here, theme, &shared, at));
            shared.layers = layers.collect::<Result<_, _>>()?;
            directories.insert(standpoint(&here).to_owned(), shared);
        }
        Ok(Frames { directories })
    }

    /// The frame of a page that is one of those the frames were made for.
    pub fn frame(
        &self,
        here: &Here<'_>,
        theme: &Theme,
        subject: &Subject,
    ) -> Result<Frame, ThemeError> {
        let shared = &self.directories[standpoint(here)];
        let nav = Nav {
            home: Home {
                title: here.book.title.clone(),
                href: here.to(&here.book.routes.index),
                current: *subject == Subject::Index,
            },
            links: links(here, subject),
            layers_html: layers(here, theme, shared, subject)?,
        };
        Ok(Frame {
            site: shared.site.clone(),
            nav: View::of(&nav),
        })
    }
}

/// What a page's links depend on: its directory, unless they are whole addresses.
fn standpoint<'h>(here: &'h Here<'_>) -> &'h str {
    here.site_address().unwrap_or(here.route.directory())
}

fn site(here: &Here<'_>, assets: &Assets) -> Site {
    let book = here.book;
    let forge = book.forge.as_ref();
    let commit = book.repo.git().map(|git| git.commit.clone());
    Site {
        title: book.title.clone(),
        language: "en",
        base: match here.site_address() {
            Some(address) => address.to_owned(),
            None => here.route.base(),
        },
        repository: forge.map(|forge| Link {
            title: forge.name().to_owned(),
            href: Some(forge.address().to_owned()),
        }),
        short_commit: commit.as_ref().and_then(|id| Some(id.get(..7)?.to_owned())),
        commit_href: forge.and_then(|forge| forge.commit()),
        commit,
        sha: book.sha().to_owned(),
        catalog_href: here.catalog_href(),
        assets: AssetLinks {
            style: here.to(&assets.style),
            theme: here.to(&assets.theme),
            script: here.to(&assets.script),
            favicon: here.to(&assets.favicon),
            search: assets.search.clone(),
        },
    }
}

fn links(here: &Here<'_>, subject: &Subject) -> Vec<NavLink> {
    let book = here.book;
    let routes = &book.routes;
    let link = |title: &str, route: &Route, current: bool, count: Option<usize>| NavLink {
        title: title.to_owned(),
        href: here.to(route),
        here: here.route == route,
        current: current || here.route == route,
        count,
    };
    let is_component = matches!(
        subject,
        Subject::Index | Subject::Component(_) | Subject::Layer { .. }
    );
    let mut links = vec![
        link("Components", &routes.index, is_component, None),
        link("Architecture", &routes.architecture, false, None),
    ];
    if routes.environments.len() > MOST_ENVIRONMENTS {
        let current = matches!(subject, Subject::Environment { .. });
        links.push(link(
            "Environments",
            &routes.all_environments,
            current,
            None,
        ));
    } else {
        for (at, parts) in routes.environments.iter().enumerate() {
            let name = &book.catalog.environments[at].name;
            let current =
                matches!(subject, Subject::Environment { environment, .. } if *environment == at);
            links.push(link(name, &parts[0].route, current, None));
        }
    }
    if !routes.api.is_empty() {
        let current = matches!(subject, Subject::ApiGroup(_));
        links.push(link("APIs", &routes.apis, current, None));
    }
    let is_of = |is_meant: fn(&Document) -> bool| match subject {
        Subject::Written(at) => {
            let document = book.knowledge.document(book.prose.documents[*at].file);
            document.as_ref().is_some_and(is_meant)
        }
        _ => false,
    };
    if let Some(first) = book.knowledge_pages.decisions.first() {
        let is_decision = is_of(|document| matches!(document, Document::Decision(_)));
        let current = is_decision || matches!(subject, Subject::Decisions(_));
        links.push(link("Decisions", &first.route, current, None));
    }
    if let Some(first) = book.knowledge_pages.ledger.first() {
        let is_spec = is_of(|document| matches!(document, Document::Spec(_) | Document::Record(_)));
        let current = is_spec || matches!(subject, Subject::Ledger(_) | Subject::Specs(_));
        links.push(link("Ledger", &first.route, current, None));
    }
    if book
        .prose
        .documents
        .iter()
        .any(|document| document.route().is_some())
    {
        let current = matches!(subject, Subject::Written(_)) && !is_of(|_| true);
        links.push(link("Pages", &routes.pages, current, None));
    }
    let guide = book.guide.and_then(|guide| {
        let first = guide.documents().get(guide.first())?;
        first.route()
    });
    if let Some(first) = guide {
        let current = matches!(subject, Subject::Guide(_));
        links.push(link("Guide", first, current, None));
    }
    if let Some(first) = book.finding_pages.first() {
        let current = matches!(subject, Subject::Findings { .. } | Subject::Rule(_));
        links.push(link(
            "Findings",
            &first.route,
            current,
            Some(book.findings.len()),
        ));
    }
    links
}

fn layers(
    here: &Here<'_>,
    theme: &Theme,
    shared: &Shared,
    subject: &Subject,
) -> Result<Html, ThemeError> {
    let (current, current_layer) = match subject {
        Subject::Component(at) => (Some(*at), Some(here.related(*at).layer)),
        Subject::Layer { layer, .. } => (None, Some(*layer)),
        _ => (None, None),
    };
    let mut layers = Html::default();
    for (at, known) in shared.layers.iter().enumerate() {
        match current_layer == Some(at) {
            true => layers.html(&inside(here, theme, shared, at, current)?),
            false => layers.html(known),
        };
    }
    Ok(layers)
}

/// A layer on a page that is not in it.
fn elsewhere(
    here: &Here<'_>,
    theme: &Theme,
    shared: &Shared,
    at: usize,
) -> Result<Html, ThemeError> {
    let components = match is_short(here) {
        true => &here.book.layers[at].components[..],
        false => &[],
    };
    let view = NavLayer {
        open: is_short(here),
        ..layer(
            here,
            theme,
            shared,
            at,
            Listed {
                components,
                current: None,
            },
        )?
    };
    theme.render("nav/layer.html", &[("layer", &View::of(&view))])
}

/// A layer on a page of its own, or on that of one of its components.
fn inside(
    here: &Here<'_>,
    theme: &Theme,
    shared: &Shared,
    at: usize,
    current: Option<usize>,
) -> Result<Html, ThemeError> {
    let all = &here.book.layers[at].components;
    let components = match is_short(here) {
        true => &all[..],
        false => around(all, current),
    };
    let view = NavLayer {
        open: true,
        current: true,
        ..layer(
            here,
            theme,
            shared,
            at,
            Listed {
                components,
                current,
            },
        )?
    };
    theme.render("nav/layer.html", &[("layer", &View::of(&view))])
}

/// Whether every page lists every component.
fn is_short(here: &Here<'_>) -> bool {
    here.book.catalog.components.len() <= MOST_LISTED
}

/// Components that a layer lists, one of which may be the page's own.
struct Listed<'l> {
    components: &'l [usize],
    current: Option<usize>,
}

fn layer(
    here: &Here<'_>,
    theme: &Theme,
    shared: &Shared,
    at: usize,
    listed: Listed<'_>,
) -> Result<NavLayer, ThemeError> {
    let layer = &here.book.layers[at];
    let all = layer.components.len();
    let href = here.layer_href(at);
    let mut components_html = Html::default();
    for component in listed.components {
        match shared.components.get(*component) {
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
            title: format!("all {}", count(all)),
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
    component: usize,
    current: Current,
) -> Result<Html, ThemeError> {
    let listed = here.component(component);
    let view = NavComponent {
        title: listed.title.clone(),
        href: here.href(component),
        status: listed.status.name(),
        current: current == Current::Yes,
    };
    theme.render("nav/component.html", &[("component", &View::of(&view))])
}

/// The part of a long list that the current component is in the middle of.
fn around(all: &[usize], current: Option<usize>) -> &[usize] {
    let at = current.and_then(|current| all.iter().position(|one| *one == current));
    let start = at.unwrap_or(0).saturating_sub(MOST_AROUND / 2);
    let start = start.min(all.len().saturating_sub(MOST_AROUND));
    &all[start..(start + MOST_AROUND).min(all.len())]
}
