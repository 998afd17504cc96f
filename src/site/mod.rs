//! The site: every address and its bytes. Pages are rendered on request, so a build streams them to disk and a preview
//! renders only the pages that are viewed.

pub mod theme;

pub mod context;

pub mod view;

pub mod section;

pub mod page;

pub mod backstage;

mod asset;
mod feed;
mod finds;
pub mod llms;
mod sitemap;
pub mod standalone;

use secret::outgoing::Cleared;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use rayon::prelude::*;
use thiserror::Error;

use crate::input::repo::Repo;
use crate::knowledge::route::Route;
use crate::site::context::SiteContext;
use crate::site::page::{Assets, Frames, PageSubject, Rendered};
use crate::site::theme::{Theme, ThemeError};
use base::Finding;

pub struct Site<'a> {
    context: &'a SiteContext<'a>,
    theme: Theme,
    frames: Frames,
    assets: Assets,
    pages: Vec<(Route, PageSubject)>,
    /// Made when it is asked for, because it has most of the pages in it.
    llms: OnceLock<Cleared>,
    /// Files that are not pages: style, script, search, pictures.
    files: BTreeMap<Route, Cleared>,
}

#[derive(Debug, Error)]
pub enum SiteError {
    #[error(transparent)]
    Theme(#[from] ThemeError),
    #[error("{}", .0.message)]
    Unreadable(Box<Finding>),
    #[error(
        "the logo `{0}` is not a file of at most 512 KB in the repository, or it is an SVG that runs scripts; correct `logo` in catalog.toml, or remove it"
    )]
    Logo(String),
    #[error("cannot start threads to build the site")]
    Thread,
}

impl<'a> Site<'a> {
    pub fn new(context: &'a SiteContext<'a>) -> Result<Site<'a>, SiteError> {
        // Every page names the sha, and it takes about as long as the index of the search.
        let (index, (theme, _)) = rayon::join(
            || finds::index(context),
            || (own_theme(context.repo), context.sha()),
        );
        let theme = theme?;
        let mut files = BTreeMap::new();
        let search = index.map(|index| {
            let parts = index.files.into_iter();
            files.extend(parts.map(|(path, bytes)| (Route::new(path), bytes)));
            index.entry
        });
        let scripts = (search, context.focus_script());
        let assets = asset::add(context.config, context.repo, &theme, scripts, &mut files)?;
        let pictures: Vec<(Route, Vec<u8>)> = context
            .pages
            .images
            .par_iter()
            .filter_map(|(file, route)| Some((route.clone(), context.repo.read(*file).ok()?)))
            .collect();
        files.extend(pictures);
        if let Some(guide) = context.guide {
            let shown = guide.pages().images.iter();
            files.extend(shown.filter_map(|(file, route)| {
                let bytes = guide.repo.read(*file).ok()?;
                Some((route.clone(), bytes))
            }));
        }
        let pages = page::all(context);
        let sitemap = sitemap::write(context, &pages);
        files.extend(sitemap.map(|bytes| (Route::new("sitemap.xml"), bytes)));
        files.insert(Route::new(llms::SHORT), llms::short(context, &pages));
        files.extend(feed::write(context).map(|bytes| (Route::new("changes.atom"), bytes)));
        // A host that runs pages through Jekyll would leave out what begins with an underscore.
        files.insert(Route::new(".nojekyll"), Vec::new());
        let files = files.into_par_iter();
        let files = files.map(|(route, bytes)| (route, Cleared::new(bytes)));
        let files = files.collect();
        let frames = Frames::new(context, &theme, &assets, &pages)?;
        Ok(Site {
            context,
            theme,
            frames,
            assets,
            pages,
            files,
            llms: OnceLock::new(),
        })
    }

    pub fn context(&self) -> &'a SiteContext<'a> {
        self.context
    }

    pub fn pages(&self) -> &[(Route, PageSubject)] {
        &self.pages
    }

    pub fn files(&self) -> &BTreeMap<Route, Cleared> {
        &self.files
    }

    /// `llms-full.txt`.
    pub fn llms_full(&self) -> Result<&Cleared, ThemeError> {
        if let Some(known) = self.llms.get() {
            return Ok(known);
        }
        let text = llms::full(self.context, &self.theme, &self.pages)?;
        Ok(self.llms.get_or_init(|| Cleared::new(text)))
    }

    /// Addresses of the style, script and search files.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// A page and its Markdown version.
    pub fn render(&self, route: &Route, subject: &PageSubject) -> Result<Rendered, ThemeError> {
        self.render_of(self.context, route, subject)
    }

    /// The same from another context, in the frame of this site.
    pub fn render_of(
        &self,
        context: &SiteContext<'_>,
        route: &Route,
        subject: &PageSubject,
    ) -> Result<Rendered, ThemeError> {
        page::render(context, &self.theme, &self.frames, route, subject)
    }
}

/// The built-in theme with the files of the repo's own `theme/`.
pub fn own_theme(repo: &Repo) -> Result<Theme, SiteError> {
    let mut own = Vec::new();
    for file in repo.files() {
        let inside = repo.path(file).as_str().strip_prefix("theme/");
        let Some(name) = inside.filter(|name| Theme::takes(name)) else {
            continue;
        };
        let bytes = repo
            .read(file)
            .map_err(|finding| SiteError::Unreadable(Box::new(finding)))?;
        own.push((name.to_owned(), bytes));
    }
    Ok(Theme::new(own)?)
}
