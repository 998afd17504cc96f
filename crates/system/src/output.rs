//! What commands write: where it really is, whole or not at all, and never by way of a link that stands in a repository.
//! Touches the paths that it is given, and entries beside them that nobody else has a name for.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::{Directory, FileKind, Way, fault, read_at_most};

/// So long a run waits for another that writes to the same directory, and
const PATIENCE: Duration = Duration::from_secs(120);
/// so long without saying so.
const UNSAID: Duration = Duration::from_millis(500);
const BETWEEN: Duration = Duration::from_millis(20);
/// A chain of more links has no end.
const MAX_LINKS: usize = 40;
/// A name may have 255 bytes, and what is written beside it has a longer one.
const MAX_NAME: usize = 200;

#[derive(Debug, Error)]
pub enum OutputError {
    #[error("`{}` is a symbolic link inside the repository, which is not followed; pass its target \
             instead, or replace the link", .0.display())]
    Link(PathBuf),
    #[error("`{}` passes through too many symbolic links", .0.display())]
    Links(PathBuf),
    #[error("`{}` has no file name; pass a file or a directory", .0.display())]
    Nameless(PathBuf),
    #[error("another catalog process has been writing to `{}` for {seconds} seconds; wait for it or stop \
             it, then run this again", path.display())]
    Busy { path: PathBuf, seconds: u64 },
    #[error("cannot read `{}`: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write `{}`: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
}

/// Directories that hold what others wrote: a link in them may lead anywhere. Any other link is the operator's own.
#[derive(Debug, Clone)]
pub struct Trees(Vec<PathBuf>);

/// A place to write to: the directory, held open, and the name in it.
#[derive(Debug)]
pub struct Spot {
    pub directory: Directory,
    pub name: OsString,
    /// The whole path, without links.
    pub path: PathBuf,
}

impl Trees {
    /// The repository that is read, the git repository that it is in, and the one that the command runs in.
    pub fn around(root: Option<&Path>) -> Trees {
        let root = root.and_then(|root| fs::canonicalize(root).ok());
        let here = fs::canonicalize(".").ok();
        let tops: Vec<PathBuf> = [&root, &here]
            .into_iter()
            .flatten()
            .filter_map(|directory| top_of(directory))
            .collect();
        Trees(root.into_iter().chain(tops).collect())
    }

    fn hold(&self, directory: &Path) -> bool {
        self.0.iter().any(|tree| directory.starts_with(tree))
    }

    /// The path without links. What does not exist stays as it is written.
    fn resolve(&self, path: &Path) -> Result<PathBuf, OutputError> {
        let mut pending = Vec::new();
        let mut real = if path.is_absolute() {
            root_of(path)
        } else {
            fs::canonicalize(".").map_err(|error| unwritten(path, error))?
        };
        push_names(&mut pending, path);
        let mut links = 0;
        while let Some(name) = pending.pop() {
            if name == ".." {
                real.pop();
                continue;
            }
            let next = real.join(&name);
            let Ok(target) = fs::read_link(&next) else {
                real = next;
                continue;
            };
            if self.hold(&real) {
                return Err(OutputError::Link(next));
            }
            links += 1;
            if links > MAX_LINKS {
                return Err(OutputError::Links(path.to_path_buf()));
            }
            if target.is_absolute() {
                real = root_of(&target);
            }
            push_names(&mut pending, &target);
        }
        Ok(real)
    }

    /// Where to write `path`, with the directories above it, which are made if that is asked for.
    pub fn spot(&self, path: &Path, way: Way) -> Result<Spot, OutputError> {
        let real = self.resolve(path)?;
        let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(OutputError::Nameless(path.to_path_buf()));
        };
        let there = parent.ancestors().find(|above| above.is_dir());
        let there = there.unwrap_or(parent);
        let below = real.strip_prefix(there).unwrap_or(&real);
        let directory = Directory::open(there).and_then(|above| above.above(below, way));
        let (directory, _) = directory.map_err(|error| unwritten(path, error))?;
        Ok(Spot {
            directory,
            name: name.to_owned(),
            path: real,
        })
    }

    /// Reads a file that was named on the command line, unless it has more than `most` bytes.
    pub fn read(&self, path: &Path, most: u64) -> Result<Vec<u8>, OutputError> {
        let failed = |error| OutputError::Read {
            path: path.to_path_buf(),
            error,
        };
        let real = self.resolve(path)?;
        // The operator may name a pipe, and may wait for it.
        if !self.hold(&real) {
            return File::open(path)
                .and_then(|file| read_at_most(file, most))
                .map_err(failed);
        }
        let spot = self.spot(path, Way::AsItIs)?;
        spot.directory.read(&spot.name, most).map_err(failed)
    }

    /// Writes a file that was named on the command line.
    pub fn write(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let real = self.resolve(path)?;
        let is_special = || fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir());
        // A pipe or a device of the operator's own, such as `/dev/stdout`, cannot be replaced.
        let outcome = if !self.hold(&real) && is_special() {
            let file = OpenOptions::new().write(true).open(path);
            file.and_then(|file| {
                let mut to = BufWriter::new(file);
                write(&mut to)?;
                to.flush()
            })
        } else {
            let spot = self.spot(path, Way::AsItIs)?;
            place(&spot.directory, &spot.name, write)
        };
        outcome.map_err(|error| unwritten(path, error))
    }
}

/// Puts a file in the place of another or of nothing: beside it first, so that nobody ever sees half of it.
pub fn place(
    directory: &Directory,
    name: &OsStr,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if !matches!(directory.kind(name)?, None | Some(FileKind::File)) {
        return Err(io::Error::other("the existing file is not a regular file"));
    }
    let (temporary, file) = with_free_name(name, |free| directory.create(free))?;
    let mut to = BufWriter::new(file);
    let written = write(&mut to).and_then(|()| fault::point("write"));
    let written = written.and_then(|()| to.flush());
    let outcome = written.and_then(|()| {
        let file = to.get_ref();
        if let Ok(there) = directory.file(name) {
            file.set_permissions(there.metadata()?.permissions())?;
        }
        fault::point("sync")?;
        file.sync_all()?;
        directory.rename(&temporary, name)
    });
    if outcome.is_err() {
        let _ = directory.remove_file(&temporary);
    }
    outcome
}

/// Makes something under a name that nothing has yet, beside what shall be called `name`.
pub fn with_free_name<T>(
    name: &OsStr,
    make: impl Fn(&OsStr) -> io::Result<T>,
) -> io::Result<(OsString, T)> {
    for _ in 0..100 {
        let free = unfinished(name);
        match make(&free) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            outcome => return Ok((free, outcome?)),
        }
    }
    Err(io::Error::other("no free name for a temporary file"))
}

/// A name for what is not finished: `.book.catalog-` and a number that nobody can foresee.
/// [`is_unfinished`] recognises it.
pub fn unfinished(name: &OsStr) -> OsString {
    // Every such state has keys of its own, which come from the system.
    let number = RandomState::new().build_hasher().finish();
    format!("{}{number}", unfinished_prefix(name)).into()
}

/// Whether a file or directory of this name is unfinished output, such as `.book.catalog-4711`.
pub fn is_unfinished(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let is_suffix = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.rsplit_once(".catalog-");
    parts.is_some_and(|(site, suffix)| site.starts_with('.') && is_suffix(suffix))
}

/// The prefix of every unfinished file and directory for the output `name`.
pub fn unfinished_prefix(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let name = &name[..name.floor_char_boundary(MAX_NAME)];
    format!(".{name}.catalog-")
}

/// Keeps other runs from writing to the directory of a spot: for as long as it is kept, or the process lives. The directory
/// itself is locked, so that there is no file to clean up. None where the file system has no locks.
pub fn lock(spot: &Spot) -> Result<Option<File>, OutputError> {
    lock_within(spot, PATIENCE)
}

fn lock_within(spot: &Spot, patience: Duration) -> Result<Option<File>, OutputError> {
    let Ok(lock) = spot.directory.to_lock() else {
        return Ok(None);
    };
    let start = Instant::now();
    let mut is_said = false;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                return Err(OutputError::Busy {
                    path: spot.path.clone(),
                    seconds: patience.as_secs(),
                });
            }
            Err(TryLockError::WouldBlock) => {
                if !is_said && start.elapsed() >= UNSAID {
                    let path = crate::terminal::plain(&spot.path.to_string_lossy());
                    crate::print_stderr!(
                        "waiting for another catalog process that is writing to the directory of `{path}`"
                    );
                    is_said = true;
                }
                std::thread::sleep(BETWEEN);
            }
        }
    }
}

/// Whether a link in the git repository that the command runs in leads out of it, on the way to `path`.
pub fn leads_out(path: &Path) -> bool {
    let top = fs::canonicalize(".").ok().and_then(|here| top_of(&here));
    let (Some(top), Ok(real)) = (top, fs::canonicalize(path)) else {
        return false;
    };
    !real.starts_with(&top) && Trees(vec![top]).resolve(path).is_err()
}

/// The root of the git work tree around the current directory, relative to it: the nearest directory above that has a
/// `.git`, as git itself looks for it.
pub fn work_tree_above() -> Option<PathBuf> {
    let here = fs::canonicalize(".").ok()?;
    let top = top_of(&here)?;
    let levels = here.strip_prefix(&top).ok()?.components().count();
    if levels == 0 {
        return Some(PathBuf::from("."));
    }
    Some((0..levels).map(|_| "..").collect())
}

/// The root of an absolute path, with its prefix on Windows.
fn root_of(path: &Path) -> PathBuf {
    let is_root = |part: &Component<'_>| matches!(part, Component::Prefix(_) | Component::RootDir);
    path.components().take_while(is_root).collect()
}

/// Puts the names of a path on a stack, the first on top.
fn push_names(pending: &mut Vec<OsString>, path: &Path) {
    let names = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    });
    pending.extend(names);
}

/// The top of the git repository that a directory is in.
fn top_of(directory: &Path) -> Option<PathBuf> {
    let mut above = directory.ancestors();
    let top = above.find(|above| above.join(".git").symlink_metadata().is_ok());
    top.map(Path::to_path_buf)
}

fn unwritten(path: &Path, error: io::Error) -> OutputError {
    OutputError::Write {
        path: path.to_path_buf(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn names_of_what_is_unfinished_are_known_and_none_comes_twice() {
        for name in ["book", "catalog.json", "é", &"x".repeat(255)] {
            let (one, other) = (unfinished(name.as_ref()), unfinished(name.as_ref()));
            assert!(one != other && one.len() <= 255, "{one:?}");
            assert!(is_unfinished(&one), "{one:?}");
        }
    }

    #[test]
    fn whoever_waits_too_long_is_told_what_to_do() {
        let directory = tempfile::tempdir().unwrap();
        let trees = Trees(Vec::new());
        let spot = || {
            trees
                .spot(&directory.path().join("book"), Way::Made)
                .unwrap()
        };
        let first = lock(&spot()).unwrap();
        assert!(first.is_some());
        let error = lock_within(&spot(), Duration::from_millis(60)).unwrap_err();
        assert!(error.to_string().contains("run this again"), "{error}");
        drop(first);
        // Another test may be starting a process, which has it for a moment.
        assert!(lock(&spot()).unwrap().is_some());
    }

    #[test]
    fn links_are_followed_outside_of_trees_only() {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir_all(top.join("tree/real")).unwrap();
        fs::create_dir(top.join("out")).unwrap();
        symlink("../out", top.join("tree/link")).unwrap();
        symlink("tree/real", top.join("into")).unwrap();
        symlink("tree/link", top.join("through")).unwrap();
        symlink("round", top.join("round")).unwrap();
        let trees = Trees(vec![top.join("tree")]);
        let resolve = |path: &str| trees.resolve(&top.join(path));
        assert_eq!(resolve("into/a/../b").unwrap(), top.join("tree/real/b"));
        assert_eq!(resolve("tree/../out").unwrap(), top.join("out"));
        for path in ["tree/link", "tree/link/a", "through", "into/../link/x"] {
            assert!(matches!(resolve(path), Err(OutputError::Link(_))), "{path}");
        }
        assert!(matches!(resolve("round"), Err(OutputError::Links(_))));
    }
}
