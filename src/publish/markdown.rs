//! The pages as Markdown for other site generators: MkDocs, Starlight and mdBook take the directory as it is.
//! Writes only what `publish` replaces as a whole. Nothing of a repository becomes markup or a directive there.

mod address;
mod contents;
mod front;

use secret::outgoing::Cleared;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rayon::prelude::*;
use thiserror::Error;

use super::{BuildSummary, PublishError, put, put_document, replace};
use crate::knowledge::route::Route;
use crate::site::context::SiteContext;
use crate::site::page::{self, PageSubject};
use crate::site::theme::Theme;
use crate::site::{SiteError, own_theme};
use address::Addresses;
use markdown::portable::{self, Anchors};

/// How pages name each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageNaming {
    /// By their files, `../components/redis.md`: MkDocs, mdBook and forges follow these.
    Files,
    /// By their addresses, `../../components/redis/`: Starlight leaves links as they are.
    Addresses,
}

#[derive(Debug, Error)]
pub enum MarkdownExportError {
    #[error(transparent)]
    Site(#[from] SiteError),
    #[error(transparent)]
    Publish(#[from] PublishError),
}

/// A page, but for its text.
struct ExportedPage<'p> {
    route: &'p Route,
    subject: &'p PageSubject,
    title: String,
    description: Option<String>,
    anchors: Anchors,
}

/// Writes all pages, their pictures and `service-catalog.json` to `out`.
pub fn publish(
    context: &SiteContext<'_>,
    links: PageNaming,
    out: &Path,
) -> Result<BuildSummary, MarkdownExportError> {
    let theme = own_theme(context.repo)?;
    let pages: Vec<(Route, PageSubject)> = page::all(context)
        .into_iter()
        // Every generator has its own "not found" page.
        .filter(|(_, subject)| *subject != PageSubject::NotFound)
        .collect();
    Ok(replace(context.repo, out, |root| {
        write(context, &theme, &pages, links, root)
    })?)
}

fn write(
    context: &SiteContext<'_>,
    theme: &Theme,
    pages: &[(Route, PageSubject)],
    links: PageNaming,
    root: &Path,
) -> Result<BuildSummary, PublishError> {
    let entries: Vec<ExportedPage<'_>> = pages
        .par_iter()
        .map(|(route, subject)| {
            let markdown_page = page::markdown_page(context, theme, route, subject)?;
            Ok(ExportedPage {
                route,
                subject,
                anchors: portable::anchors(&markdown_page.markdown, &markdown_page.title),
                title: markdown_page.title,
                description: markdown_page.description,
            })
        })
        .collect::<Result<_, PublishError>>()?;
    let pictures: Vec<&Route> = context.pages.images.values().collect();
    let addresses = Addresses::new(&entries, &pictures);
    make_directories(root, addresses.files().chain(pictures.iter().copied()))?;

    let written = entries.par_iter().with_max_len(8).map(|entry| {
        // Made a second time rather than kept: a large catalogue has more text than some machines have memory.
        let markdown_page = page::markdown_page(context, theme, entry.route, entry.subject)?;
        let follow = |href: &str| addresses.follow(entry.route, href, links);
        let body = portable::portable(&markdown_page.markdown, &entry.title, &follow);
        let head = front::matter(
            &entry.title,
            entry.description.as_deref(),
            addresses.slug(entry.route),
            front::Visibility::Shown,
        );
        let text = format!("{head}\n{body}");
        let text = Cleared::new(text);
        put(&root.join(addresses.file(entry.route)), &text)?;
        Ok(text.len() as u64)
    });
    let pages_bytes = written.try_reduce(|| 0, |a, b| Ok::<u64, PublishError>(a + b))?;
    let images = context.pages.images.par_iter().map(|(file, route)| {
        // An unreadable picture has a finding already. An empty file keeps the other generator's build from failing.
        let bytes = Cleared::new(context.repo.read(*file).unwrap_or_default());
        put(&root.join(route.as_str()), &bytes)?;
        Ok(bytes.len() as u64)
    });
    let image_bytes = images.try_reduce(|| 0, |a, b| Ok::<u64, PublishError>(a + b))?;
    // Only mdBook asks for it, and it follows links by files.
    let contents = (links == PageNaming::Files)
        .then(|| Cleared::new(contents::write(context, &entries, &addresses)));
    if let Some(contents) = &contents {
        put(&root.join("SUMMARY.md"), contents)?;
    }
    let document = put_document(context, root)?;
    let contents_bytes = contents
        .as_ref()
        .map_or(0, |contents| contents.len() as u64);
    Ok(BuildSummary {
        pages: entries.len(),
        files: entries.len() + pictures.len() + 1 + usize::from(contents.is_some()),
        bytes: pages_bytes + image_bytes + contents_bytes + document,
    })
}

fn make_directories<'r>(
    root: &Path,
    files: impl Iterator<Item = &'r Route>,
) -> Result<(), PublishError> {
    let mut all: BTreeMap<&str, ()> = BTreeMap::new();
    all.extend(files.map(|file| (file.directory(), ())));
    for directory in all.keys() {
        let path = root.join(directory);
        fs::create_dir_all(&path).map_err(|error| PublishError::Write { path, error })?;
    }
    Ok(())
}
