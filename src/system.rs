//! What only the system can do, and each does in its own way. Touches the two paths that it is given, and this process.

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
