//! Whether a site on disk is what a build would write there now: what differs, what is missing, what is no longer made.
//! Reads the output directory and writes nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::Site;
use super::publish::{KEPT, PublishError, RECORD, State, state};
use crate::render::theme::ThemeError;
use crate::repo::{Record, SITE_MARKER};

/// What is not as a build would have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stale {
    /// By path. A page is named once: its twin is not.
    pub pages: Vec<(String, How)>,
    /// How many pages have the same words, and differ in what is around them: navigation, links, the catalogue's sha.
    pub around: usize,
    /// What is no page, by path.
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
            How::NoLongerMade => "no longer made",
        }
    }
}

impl Stale {
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.around == 0 && self.files.is_empty()
    }
}

/// No record is larger.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// What git said when the site at `out` was built. An empty record where nothing is known.
pub fn recorded(out: &Path) -> Result<Record, PublishError> {
    if state(out)? == State::Nothing {
        return Ok(Record::default());
    }
    let path = out.join(RECORD);
    let is_small =
        fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= MOST_BYTES);
    let text = is_small.then(|| fs::read(&path).ok()).flatten();
    Ok(text
        .and_then(|text| Record::parse(&text))
        .unwrap_or_default())
}

/// Compares a site with what is on disk.
pub fn stale(site: &Site<'_>, out: &Path) -> Result<Stale, PublishError> {
    let pages = site.pages().par_iter().with_max_len(8);
    let pages = pages.map(|(route, subject)| {
        let page = site.render(route, subject)?;
        let html = compared(&out.join(route.as_str()), &page.html);
        let twin = compared(
            &out.join(route.markdown().as_str()),
            page.markdown.as_bytes(),
        );
        Ok((route.as_str().to_owned(), html, twin))
    });
    let pages: Vec<_> = pages.collect::<Result<_, ThemeError>>()?;
    let mut stale = Stale::default();
    for (path, html, twin) in pages {
        match (html, twin) {
            (None, None) => {}
            (Some(How::Differs), None) => stale.around += 1,
            (html, twin) => {
                let how = html.into_iter().chain(twin).max();
                stale.pages.extend(how.map(|how| (path, how)));
            }
        }
    }
    let mut document = Vec::new();
    // Memory takes whatever is written to it.
    let _ = site.book().write_document(&mut document);
    let others = site
        .files()
        .iter()
        .map(|(route, bytes)| (route.as_str(), bytes.as_slice()));
    let others = others.chain([(DOCUMENT, document.as_slice())]);
    stale.files = others
        .filter_map(|(path, bytes)| Some((path.to_owned(), compared(&out.join(path), bytes)?)))
        .collect();
    for path in left(site, out) {
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

fn compared(path: &Path, bytes: &[u8]) -> Option<How> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(How::Missing),
        Err(_) => return Some(How::Differs),
    };
    // Looked at before it is opened: a large file or a pipe is not what was written.
    let is_same = found.is_file()
        && found.len() == bytes.len() as u64
        && fs::read(path).is_ok_and(|read| read == bytes);
    (!is_same).then_some(How::Differs)
}

/// Files on disk that the site does not have.
fn left(site: &Site<'_>, out: &Path) -> Vec<String> {
    let pages = site.pages().iter().map(|(route, _)| route);
    let twins = pages.clone().map(|route| route.markdown());
    let made: BTreeSet<String> = pages
        .chain(site.files().keys())
        .cloned()
        .chain(twins)
        .map(|route| route.as_str().to_owned())
        .chain([DOCUMENT, SITE_MARKER, RECORD].map(str::to_owned))
        .chain(KEPT.map(str::to_owned))
        .collect();
    let mut left = Vec::new();
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(out.join(&directory)).into_iter().flatten();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = match directory.is_empty() {
                true => name,
                false => format!("{directory}/{name}"),
            };
            // Links are not followed, so that this ends.
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => directories.push(path),
                false if !made.contains(&path) => left.push(path),
                false => {}
            }
        }
    }
    // Without its page, a twin goes unsaid.
    let pages: BTreeSet<String> = left
        .iter()
        .filter_map(|path| Some(format!("{}.md", path.strip_suffix(".html")?)))
        .collect();
    left.retain(|path| !pages.contains(path));
    left
}
