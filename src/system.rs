//! What only the system can do, and each does in its own way. Touches the paths that it is given, and this process.

use std::fs;
use std::io;
use std::path::Path;

/// Two directories change places: at once where the system can, else in steps.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // Some file systems cannot.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
            exchange_by_steps(one, other)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    exchange_by_steps(one, other)
}

fn exchange_by_steps(one: &Path, other: &Path) -> io::Result<()> {
    let aside = one.with_extension("old");
    fs::rename(other, &aside)?;
    if let Err(error) = fs::rename(one, other) {
        fs::rename(&aside, other)?;
        return Err(error);
    }
    fs::rename(aside, one)
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
