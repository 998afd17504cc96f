//! The frame of every page: the site, the navigation, and the page's position in it. Pages of one directory share most
//! of it, so that part is built once.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{PageSubject, nav};
use crate::knowledge::route::Route;
use crate::site::context::SiteContext;
use crate::site::theme::{ComponentWriter, Theme, ThemeError, View};
use crate::site::view::{Here, LinkView};
use markdown::Html;

/// Files that every page asks for, by their hashed names.
#[derive(Debug, Clone)]
pub struct Assets {
    pub style: Route,
    pub theme: Route,
    pub script: Route,
    pub finder: Route,
    /// The script of the focus graph.
    pub graph: Route,
    pub favicon: Route,
    pub logo: Option<Route>,
    /// The index of the search, from the root of the site.
    pub search: Option<String>,
    /// The data of the focus graph, if the site has one.
    pub graph_data: Option<Route>,
}

/// The shared parts of frames, by directory.
pub struct Frames {
    directories: BTreeMap<String, SharedFrame>,
}

/// The shared parts of frames in one directory.
struct SharedFrame {
    site: View,
    nav: nav::SharedNav,
}

/// The frame of one page.
pub struct PageFrame {
    pub site: View,
    pub nav: View,
}

#[derive(Serialize)]
struct Site {
    title: String,
    language: &'static str,
    base: String,
    repository: Option<LinkView>,
    commit: Option<String>,
    short_commit: Option<String>,
    commit_href: Option<String>,
    sha: String,
    catalog_href: String,
    footer: Option<String>,
    assets: AssetLinks,
}

#[derive(Serialize)]
struct AssetLinks {
    style: String,
    theme: String,
    script: String,
    finder: String,
    graph: String,
    graph_data: Option<String>,
    favicon: String,
    logo: Option<String>,
    search: Option<String>,
}

/// A page's own head.
#[derive(Serialize, Default)]
pub struct PageHead {
    /// The template's name; it is a class of the body.
    pub kind: &'static str,
    pub title: String,
    pub description: Option<String>,
    pub breadcrumbs: Vec<LinkView>,
    #[serde(skip)]
    pub toc: Vec<Toc>,
    /// The same as the entries of a list: every page has a dozen, and a template takes its time over each.
    toc_html: Html,
    pub previous: Option<LinkView>,
    pub next: Option<LinkView>,
    pub edit_href: Option<String>,
    pub source_href: Option<String>,
    pub markdown_href: Option<String>,
    /// The whole address of the page, if that of the site is known.
    pub url: Option<String>,
    /// When its text was last changed.
    pub changed: Option<LinkView>,
}

pub struct Toc {
    pub title: String,
    pub href: String,
    pub level: u8,
    pub count: Option<usize>,
}

impl PageHead {
    /// A page with a Markdown version, below the index.
    pub fn new(here: &Here<'_>, kind: &'static str, title: impl Into<String>) -> PageHead {
        let title = title.into();
        PageHead {
            kind,
            breadcrumbs: vec![
                LinkView {
                    title: here.context.title.clone(),
                    href: Some(here.to(&here.context.routes.index)),
                },
                LinkView {
                    title: title.clone(),
                    href: None,
                },
            ],
            title,
            markdown_href: Some(here.to(&here.route.markdown())),
            url: here
                .context
                .config
                .url
                .as_ref()
                .map(|site| format!("{site}{}", here.route)),
            ..PageHead::default()
        }
    }

    /// The page as templates see it. Call it when the page is complete.
    pub fn view(&mut self) -> View {
        self.toc_html = Html::default();
        for entry in &self.toc {
            entry.write(&mut self.toc_html);
        }
        View::serialize(self)
    }

    /// Stands below another page.
    pub fn below(mut self, title: &str, href: String) -> PageHead {
        let link = LinkView {
            title: title.to_owned(),
            href: Some(href),
        };
        self.breadcrumbs.insert(1, link);
        self
    }

    /// The pages before and after this one, of several that are one list.
    pub fn among(mut self, here: &Here<'_>, pages: &[&Route], at: usize) -> PageHead {
        let link = |at: usize| {
            Some(LinkView {
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

    fn write(&self, to: &mut Html) {
        to.markup(if self.level == 2 {
            "<li class=\"l2\">"
        } else {
            "<li class=\"l3\">"
        });
        to.markup("<a href=\"").text(&self.href).markup("\">");
        to.text(&self.title);
        if let Some(count) = self.count.filter(|count| *count > 0) {
            to.markup(" <span class=\"count\">")
                .text(&count.to_string());
            to.markup("</span>");
        }
        to.markup("</a></li>");
    }
}

impl Frames {
    pub fn new(
        context: &SiteContext<'_>,
        theme: &Theme,
        assets: &Assets,
        pages: &[(Route, PageSubject)],
    ) -> Result<Frames, ThemeError> {
        let components = ComponentWriter::new(theme);
        let mut directories = BTreeMap::new();
        for (route, subject) in pages {
            let here = Here {
                context,
                route,
                components: &components,
            };
            if directories.contains_key(standpoint(&here)) {
                continue;
            }
            let site = View::serialize(&site(&here, assets));
            let nav = nav::SharedNav::new(&here, theme, &site, subject)?;
            let shared = SharedFrame { site, nav };
            directories.insert(standpoint(&here).to_owned(), shared);
        }
        components.finish()?;
        Ok(Frames { directories })
    }

    /// The frame of a page that is one of those the frames were made for.
    pub fn frame(
        &self,
        here: &Here<'_>,
        theme: &Theme,
        subject: &PageSubject,
    ) -> Result<PageFrame, ThemeError> {
        let SharedFrame { site, nav } = &self.directories[standpoint(here)];
        Ok(PageFrame {
            site: site.clone(),
            nav: nav.for_page(here, theme, site, subject)?,
        })
    }
}

/// The base of a page's links: its directory, or the site address if links are absolute.
fn standpoint<'h>(here: &'h Here<'_>) -> &'h str {
    here.site_address().unwrap_or(here.route.directory())
}

fn site(here: &Here<'_>, assets: &Assets) -> Site {
    let context = here.context;
    let repo_host = context.repo_host.as_ref();
    let commit = context.repo.git().map(|git| git.commit.clone());
    Site {
        title: context.title.clone(),
        language: "en",
        base: match here.site_address() {
            Some(address) => address.to_owned(),
            None => here.route.base(),
        },
        repository: repo_host.map(|repo_host| LinkView {
            title: repo_host.name().to_owned(),
            href: Some(repo_host.address().to_owned()),
        }),
        short_commit: commit.as_ref().and_then(|id| Some(id.get(..7)?.to_owned())),
        commit_href: repo_host.and_then(|repo_host| repo_host.commit()),
        commit,
        sha: context.sha().to_owned(),
        catalog_href: here.catalog_href(),
        footer: context.config.footer.clone(),
        assets: AssetLinks {
            style: here.to(&assets.style),
            theme: here.to(&assets.theme),
            script: here.to(&assets.script),
            finder: here.to(&assets.finder),
            graph: here.to(&assets.graph),
            graph_data: assets.graph_data.as_ref().map(|data| here.to(data)),
            favicon: here.to(&assets.favicon),
            logo: assets.logo.as_ref().map(|logo| here.to(logo)),
            search: assets.search.clone(),
        },
    }
}
