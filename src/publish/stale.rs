//! Compares a site on disk with what a build would write now: changed, missing and obsolete files. Reads the output
//! directory and writes nothing.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::{KEPT, OutputState, PublishError, RECORD, state};
use crate::input::repo::{Record, SITE_MARKER};
use crate::site::theme::ThemeError;
use crate::site::{Site, llms};
use system::output::{OutputError, Spot, Trees};
use system::{Directory, Way, read_at_most};

/// Differences between the site on disk and a build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stale {
    /// By path. A page is listed once, and its Markdown version is not.
    pub pages: Vec<(String, How)>,
    /// Number of pages that differ only in their frame: navigation, links, the catalogue's sha.
    pub around: usize,
    /// Files that are not pages, by path.
    pub files: Vec<(String, How)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    Differs,
    Missing,
    NoLongerMade,
}

impl How {
    pub fn words(self) -> &'static str {
        match self {
            How::Differs => "differs",
            How::Missing => "missing",
            How::NoLongerMade => "obsolete",
        }
    }
}

impl Stale {
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.around == 0 && self.files.is_empty()
    }
}

/// Size limit of a record. The file is not trusted: anyone with write access to the repo can change it.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A site that is on disk.
pub struct Published {
    spot: Spot,
    site: Directory,
}

/// The site at `out`, which must not be reached through links of the repository at `root`; none where there is nothing.
pub fn published(root: &Path, out: &Path) -> Result<Option<Published>, PublishError> {
    let trees = Trees::around(Some(root));
    // Nothing is made on the way to it.
    let spot = match trees.spot(out, Way::AsItIs) {
        Ok(spot) => spot,
        Err(OutputError::Write { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    if state(&spot)? == OutputState::Nothing {
        return Ok(None);
    }
    let site = spot.directory.enter(&spot.name);
    let site = site.map_err(|error| PublishError::Write {
        path: spot.path.clone(),
        error,
    })?;
    Ok(Some(Published { spot, site }))
}

impl Published {
    /// The git facts that were recorded at build time; empty if there is no record.
    pub fn recorded(&self) -> Record {
        let text = self.site.read(OsStr::new(RECORD), MOST_BYTES).ok();
        text.and_then(|text| Record::parse(&text))
            .unwrap_or_default()
    }
}

/// Compares a site with the published one.
pub fn stale(site: &Site<'_>, published: &Published) -> Result<Stale, PublishError> {
    let out = &published.site;
    let pages = site.pages().par_iter().with_max_len(8);
    let pages = pages.map(|(route, subject)| {
        let page = site.render(route, subject)?;
        let html = compared(out, route.as_str(), page.html.as_bytes());
        let markdown = page.markdown.as_bytes();
        let markdown_page = compared(out, route.markdown().as_str(), markdown);
        Ok((route.as_str().to_owned(), html, markdown_page))
    });
    let pages: Vec<_> = pages.collect::<Result<_, ThemeError>>()?;
    let mut stale = Stale::default();
    for (path, html, markdown_page) in pages {
        match (html, markdown_page) {
            (None, None) => {}
            (Some(How::Differs), None) => stale.around += 1,
            (html, markdown_page) => {
                let how = html.into_iter().chain(markdown_page).max();
                stale.pages.extend(how.map(|how| (path, how)));
            }
        }
    }
    let document = site.context().document();
    let others = site
        .files()
        .iter()
        .map(|(route, bytes)| (route.as_str(), bytes.as_bytes()));
    let llms = site.llms_full()?;
    let others = others.chain([
        (DOCUMENT, document.as_slice()),
        (llms::FULL, llms.as_bytes()),
    ]);
    stale.files = others
        .filter_map(|(path, bytes)| Some((path.to_owned(), compared(out, path, bytes)?)))
        .collect();
    for path in left(site, &published.spot.path) {
        let list = match path.strip_suffix(".html") {
            Some(_) => &mut stale.pages,
            None => &mut stale.files,
        };
        list.push((path, How::NoLongerMade));
    }
    stale.pages.sort();
    stale.files.sort();
    Ok(stale)
}

const DOCUMENT: &str = "service-catalog.json";

/// Counts as written only if it is a regular file, reached without a link.
fn compared(out: &Directory, path: &str, bytes: &[u8]) -> Option<How> {
    let opened = out
        .above(Path::new(path), Way::AsItIs)
        .and_then(|(directory, name)| directory.file(&name));
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(How::Missing),
        Err(_) => return Some(How::Differs),
    };
    let most = bytes.len() as u64;
    let is_same = file.metadata().is_ok_and(|found| found.len() == most)
        && read_at_most(file, most).is_ok_and(|read| read == bytes);
    (!is_same).then_some(How::Differs)
}

/// Files on disk that the site does not have.
fn left(site: &Site<'_>, out: &Path) -> Vec<String> {
    let pages = site.pages().iter().map(|(route, _)| route);
    let markdown_pages = pages.clone().map(|route| route.markdown());
    let made: BTreeSet<String> = pages
        .chain(site.files().keys())
        .cloned()
        .chain(markdown_pages)
        .map(|route| route.as_str().to_owned())
        .chain([DOCUMENT, SITE_MARKER, RECORD, llms::FULL].map(str::to_owned))
        .chain(KEPT.map(str::to_owned))
        .collect();
    let mut left = Vec::new();
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(out.join(&directory)).into_iter().flatten();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if directory.is_empty() {
                name
            } else {
                format!("{directory}/{name}")
            };
            let kind = entry.file_type().ok();
            let is_refused =
                KEPT.contains(&path.as_str()) && !kind.is_some_and(|kind| kind.is_file());
            // Links are not followed, so that this ends.
            match kind.is_some_and(|kind| kind.is_dir()) {
                true => directories.push(path),
                false if is_refused || !made.contains(&path) => left.push(path),
                false => {}
            }
        }
    }
    // The Markdown version of a page that is gone is not listed.
    let pages: BTreeSet<String> = left
        .iter()
        .filter_map(|path| Some(format!("{}.md", path.strip_suffix(".html")?)))
        .collect();
    left.retain(|path| !pages.contains(path));
    left
}
