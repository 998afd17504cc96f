//! What only the system can do, and each does in its own way. Touches the paths that it is given, and this process.

pub mod cache;

pub mod fault;

pub mod terminal;

pub mod snippet;

pub mod output;

pub mod progress;

#[cfg(not(unix))]
mod by_path;
#[cfg(unix)]
mod directory;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path};

#[cfg(not(unix))]
pub use by_path::{Directory, create_anew, has_other_names};
#[cfg(unix)]
pub use directory::{Directory, create_anew, has_other_names};

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    File,
    Directory,
    Link,
    /// A pipe, a device, a socket.
    Other,
}

/// Whether directories on the way are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    AsItIs,
    Made,
}

impl Directory {
    /// The directory that holds `relative`, and the last of its names.
    pub fn above(&self, relative: &Path, way: Way) -> io::Result<(Directory, OsString)> {
        let mut names = Vec::new();
        for part in relative.components() {
            match part {
                Component::Normal(name) => names.push(name),
                Component::CurDir => {}
                _ => return Err(io::Error::other("it points outside its directory")),
            }
        }
        let last = names
            .pop()
            .ok_or_else(|| io::Error::other("it has no name"))?;
        let mut here = self.try_clone()?;
        for name in names {
            here = match way {
                Way::AsItIs => here.enter(name)?,
                Way::Made => here.enter_or_make(name)?,
            };
        }
        Ok((here, last.to_owned()))
    }
}

/// What a file holds, unless that is more than `most` bytes.
pub fn read_at_most(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        Err(io::Error::other(format!("it is larger than {most} bytes")))
    } else {
        Ok(bytes)
    }
}

fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file")
}

/// What tells a directory from another of the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectoryId(u64, u64);

/// Which directory is at a path; none where there is no directory.
pub fn directory_id(path: &Path) -> Option<DirectoryId> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_dir)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(DirectoryId(found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        // Directories that were made at other times are others.
        let made = found.created().ok()?;
        let since = made.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(DirectoryId(since.as_secs(), since.subsec_nanos().into()))
    }
}

/// Lets this process have as many files and connections open as the system allows it.
pub fn allow_many_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // With fewer it works as well.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
