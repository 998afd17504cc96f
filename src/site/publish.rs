//! Puts a site on disk: written beside its place, then swapped in whole, so that a build which fails or is killed leaves
//! the last good site. Touches the output directory and its unfinished siblings, and no directory that it did not make.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;

use super::Site;
use crate::book::Book;
use crate::output::{self, OutputError, Spot, Trees};
use crate::progress::{self, Stage};
use crate::render::theme::ThemeError;
use crate::repo::{Repo, SITE_MARKER, is_unfinished_site};
use crate::system::{self, Directory, Kind, Way};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    pub pages: usize,
    pub files: usize,
    pub bytes: u64,
}

#[derive(Debug, Error)]
pub enum PublishError {
    #[error("`{}` is not a site of catalog's, so it is left alone; name another directory with --out, or empty it", .0.display())]
    Foreign(PathBuf),
    #[error("cannot write `{}`: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("`{}` stays where the site is, and cannot be kept: {why}; remove it", path.display())]
    Kept { path: PathBuf, why: String },
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Theme(#[from] ThemeError),
}

/// A file that keeps a directory in git is no larger.
const MAX_KEPT_BYTES: u64 = 64 * 1024;

/// Names that stay in the output directory: they keep it in git.
pub(super) const KEPT: [&str; 2] = [".gitkeep", ".gitignore"];

/// The file that keeps what git said, so that `--check` can ask the same of the files.
pub(super) const RECORD: &str = ".catalog-git.json";

/// Writes the whole site to `out`.
pub fn publish(site: &Site<'_>, out: &Path) -> Result<Summary, PublishError> {
    replace(site.book().repo, out, |root| write(site, root))
}

/// Puts what `write` writes into an empty directory in the place of `out`, whole or not at all.
pub fn replace<T>(
    repo: &Repo,
    out: &Path,
    write: impl FnOnce(&Path) -> Result<T, PublishError>,
) -> Result<T, PublishError> {
    let spot = Trees::around(Some(repo.root())).spot(out, Way::Made)?;
    let lock = output::lock(&spot)?;
    let state = state(&spot)?;
    let kept = kept(&spot)?;
    // Whoever has the lock is the only one who writes, so that all else which is unfinished was left behind.
    if lock.is_some() {
        remove_abandoned(&spot);
    }
    let staging = Staging::beside(&spot)?;
    put(
        &staging.path.join(SITE_MARKER),
        b"This directory is written by catalog, and replaced by every build.\n",
    )?;
    let summary = write(&staging.path)?;
    for (name, bytes) in kept {
        put(&staging.path.join(name), &bytes)?;
    }
    staging.swap_in(state)?;
    Ok(summary)
}

/// What stands where the site shall be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Nothing,
    /// An empty directory or an earlier site.
    Ours,
}

pub(super) fn state(spot: &Spot) -> Result<State, PublishError> {
    let foreign = || PublishError::Foreign(spot.path.clone());
    let unread = |error| failed(&spot.path, error);
    match spot.directory.kind(&spot.name).map_err(unread)? {
        None => return Ok(State::Nothing),
        Some(Kind::Directory) => {}
        Some(_) => return Err(foreign()),
    }
    let site = spot.directory.enter(&spot.name).map_err(unread)?;
    let marker = site.kind(OsStr::new(SITE_MARKER)).map_err(unread)?;
    if marker == Some(Kind::File) {
        return Ok(State::Ours);
    }
    let names = site.names().map_err(unread)?;
    let is_kept = |name: &OsStr| KEPT.iter().any(|kept| name == *kept);
    match names.iter().all(|name| is_kept(name)) {
        true => Ok(State::Ours),
        false => Err(foreign()),
    }
}

/// What stays in the output directory, with what it holds. Anybody who writes to the repo can put a link there, and what it
/// leads to would be published.
fn kept(spot: &Spot) -> Result<Vec<(&'static str, Vec<u8>)>, PublishError> {
    let Ok(site) = spot.directory.enter(&spot.name) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for name in KEPT {
        let refused = |why: io::Error| PublishError::Kept {
            path: spot.path.join(name),
            why: why.to_string(),
        };
        if site.kind(OsStr::new(name)).map_err(refused)?.is_some() {
            all.push((name, kept_file(&site, name).map_err(refused)?));
        }
    }
    Ok(all)
}

fn kept_file(site: &Directory, name: &str) -> io::Result<Vec<u8>> {
    let file = site.file(OsStr::new(name))?;
    let metadata = file.metadata()?;
    // What it holds may be a file of somebody else's under another name.
    if system::has_other_names(&metadata) && metadata.len() > 0 {
        return Err(io::Error::other(
            "it has hard links, and is not a regular file of its own",
        ));
    }
    system::read_at_most(file, MAX_KEPT_BYTES)
}

fn write(site: &Site<'_>, root: &Path) -> Result<Summary, PublishError> {
    for directory in directories(site) {
        let path = root.join(directory);
        fs::create_dir_all(&path).map_err(|error| failed(&path, error))?;
    }
    let document = || put_document(site.book(), root);
    let pages = || -> Result<u64, PublishError> {
        // In small parts, so that nobody is left alone with the last ones.
        progress::begin_parts(Stage::Rendering, site.pages().len());
        let pages = site.pages().par_iter().with_max_len(8);
        let pages = pages.map(|(route, subject)| {
            let page = site.render(route, subject)?;
            put(&root.join(route.as_str()), &page.html)?;
            put(
                &root.join(route.markdown().as_str()),
                page.markdown.as_bytes(),
            )?;
            progress::step();
            Ok((page.html.len() + page.markdown.len()) as u64)
        });
        pages.try_reduce(|| 0, |a, b| Ok(a + b))
    };
    let others = || -> Result<u64, PublishError> {
        let files = site.files().par_iter().map(|(route, bytes)| {
            put(&root.join(route.as_str()), bytes)?;
            Ok(bytes.len() as u64)
        });
        files.try_reduce(|| 0, |a, b| Ok(a + b))
    };
    let (document, (pages, others)) = rayon::join(document, || rayon::join(pages, others));
    let summary = Summary {
        pages: site.pages().len(),
        files: 2 * site.pages().len() + site.files().len() + 1,
        bytes: document? + pages? + others?,
    };
    // After the pages: by then it is known what they ask of git.
    if let Some(record) = site.book().repo.record().to_text() {
        put(&root.join(RECORD), record.as_bytes())?;
    }
    Ok(summary)
}

/// Every directory that some file is in.
fn directories<'a>(site: &'a Site<'_>) -> impl Iterator<Item = &'a str> {
    let routes = site
        .pages()
        .iter()
        .map(|(route, _)| route)
        .chain(site.files().keys());
    let mut all: Vec<&str> = routes
        .filter_map(|route| Some(route.as_str().rsplit_once('/')?.0))
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter()
}

/// Writes `service-catalog.json`, and says how long it is.
pub fn put_document(book: &Book<'_>, root: &Path) -> Result<u64, PublishError> {
    let path = root.join("service-catalog.json");
    let file = system::create_anew(&path).map_err(|error| failed(&path, error))?;
    let mut to = Counted(BufWriter::with_capacity(1 << 16, file), 0);
    book.write_document(&mut to)
        .and_then(|()| to.flush())
        .map_err(|error| failed(&path, error))?;
    Ok(to.1)
}

pub fn put(path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    system::create_anew(path)
        .and_then(|mut file| file.write_all(bytes))
        .map_err(|error| failed(path, error))
}

fn failed(path: &Path, error: io::Error) -> PublishError {
    PublishError::Write {
        path: path.to_path_buf(),
        error,
    }
}

/// A writer that knows how much it wrote.
struct Counted<W>(W, u64);

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1 += written as u64;
        Ok(written)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.1 += bytes.len() as u64;
        self.0.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A directory beside the output, gone when it is not swapped in.
struct Staging<'a> {
    spot: &'a Spot,
    path: PathBuf,
}

impl Staging<'_> {
    fn beside(spot: &Spot) -> Result<Staging<'_>, PublishError> {
        let made = output::with_free_name(&spot.name, |free| spot.directory.make(free));
        let (name, ()) = made.map_err(|error| failed(&spot.path, error))?;
        Ok(Staging {
            spot,
            path: spot.path.with_file_name(name),
        })
    }

    fn swap_in(self, state: State) -> Result<(), PublishError> {
        let Spot {
            directory,
            name,
            path,
        } = self.spot;
        let staging = self.path.file_name().unwrap_or_default();
        let exchange = || directory.exchange(staging, name, &output::unfinished(name));
        let swapped = match state {
            State::Nothing => match directory.rename(staging, name) {
                // Without a lock another build may have been first.
                Err(_) if matches!(self::state(self.spot), Ok(State::Ours)) => exchange(),
                renamed => renamed,
            },
            State::Ours => exchange(),
        };
        swapped.map_err(|error| failed(path, error))
        // What was replaced stands in the staging directory now, which is removed.
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next build.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes what builds left that were killed.
fn remove_abandoned(spot: &Spot) {
    let prefix = output::unfinished_prefix(&spot.name);
    for name in spot.directory.names().unwrap_or_default() {
        let is_beside = name.to_str().is_some_and(|name| name.starts_with(&prefix));
        if !is_beside || !is_unfinished_site(&name) {
            continue;
        }
        let Ok(left) = spot.directory.enter(&name) else {
            continue;
        };
        let path = spot.path.with_file_name(&name);
        let _ = match left.kind(OsStr::new(SITE_MARKER)) {
            Ok(Some(Kind::File)) => fs::remove_dir_all(path),
            // It was killed before it had written anything; what is not empty is not removed.
            _ => fs::remove_dir(path),
        };
    }
}
