//! Puts a site on disk: written beside its place, then swapped in whole, so that a build which fails or is killed leaves
//! the last good site. Touches the output directory and one of its siblings, and no directory that it did not make.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;

use super::Site;
use crate::book::Book;
use crate::progress::{self, Stage};
use crate::render::theme::ThemeError;
use crate::repo::SITE_MARKER;
use crate::system;

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
    #[error(transparent)]
    Theme(#[from] ThemeError),
}

/// Names that stay in the output directory: they keep it in git.
pub(super) const KEPT: [&str; 2] = [".gitkeep", ".gitignore"];

/// The file that keeps what git said, so that `--check` can ask the same of the files.
pub(super) const RECORD: &str = ".catalog-git.json";

/// Writes the whole site to `out`.
pub fn publish(site: &Site<'_>, out: &Path) -> Result<Summary, PublishError> {
    replace(out, |root| write(site, root))
}

/// Puts what `write` writes into an empty directory in the place of `out`, whole or not at all.
pub fn replace<T>(
    out: &Path,
    write: impl FnOnce(&Path) -> Result<T, PublishError>,
) -> Result<T, PublishError> {
    // A link stays a link: what it leads to is replaced.
    let out = &fs::canonicalize(out).unwrap_or_else(|_| out.to_path_buf());
    let state = state(out)?;
    let staging = Staging::beside(out)?;
    put(
        &staging.path.join(SITE_MARKER),
        b"This directory is written by catalog, and replaced by every build.\n",
    )?;
    let summary = write(&staging.path)?;
    for name in KEPT {
        let kept = out.join(name);
        if kept.is_file() {
            let copy = staging.path.join(name);
            fs::copy(&kept, &copy).map_err(|error| failed(&copy, error))?;
        }
    }
    staging.swap_in(out, state)?;
    Ok(summary)
}

/// What stands where the site shall be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Nothing,
    /// An empty directory or an earlier site.
    Ours,
}

pub(super) fn state(out: &Path) -> Result<State, PublishError> {
    let entries = match fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Nothing),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(PublishError::Foreign(out.to_path_buf()));
        }
        Err(error) => return Err(failed(out, error)),
    };
    let mut is_empty = true;
    for entry in entries {
        let name = entry.map_err(|error| failed(out, error))?.file_name();
        if name == SITE_MARKER {
            return Ok(State::Ours);
        }
        is_empty &= KEPT.iter().any(|kept| name == *kept);
    }
    match is_empty {
        true => Ok(State::Ours),
        false => Err(PublishError::Foreign(out.to_path_buf())),
    }
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
    let file = File::create(&path).map_err(|error| failed(&path, error))?;
    let mut to = Counted(BufWriter::with_capacity(1 << 16, file), 0);
    book.write_document(&mut to)
        .and_then(|()| to.flush())
        .map_err(|error| failed(&path, error))?;
    Ok(to.1)
}

pub fn put(path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    fs::write(path, bytes).map_err(|error| failed(path, error))
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
struct Staging {
    path: PathBuf,
}

impl Staging {
    fn beside(out: &Path) -> Result<Staging, PublishError> {
        let parent = match out.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => return Err(PublishError::Foreign(out.to_path_buf())),
        };
        fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        remove_abandoned(parent, &name);
        let path = parent.join(format!(".{name}.catalog-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).map_err(|error| failed(&path, error))?;
        Ok(Staging { path })
    }

    fn swap_in(self, out: &Path, state: State) -> Result<(), PublishError> {
        let swapped = match state {
            State::Nothing => fs::rename(&self.path, out),
            State::Ours => system::exchange(&self.path, out),
        };
        swapped.map_err(|error| failed(out, error))
        // What was replaced stands in the staging directory now, which is removed.
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next build.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes what builds left that were killed: their process is gone.
fn remove_abandoned(parent: &Path, name: &str) {
    let prefix = format!(".{name}.catalog-");
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let id = found
            .to_str()
            .and_then(|found| found.strip_prefix(&prefix)?.parse::<u32>().ok());
        let is_gone = id.is_some_and(|id| {
            Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{id}")).exists()
        });
        if is_gone && entry.path().join(SITE_MARKER).is_file() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
