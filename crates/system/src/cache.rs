//! The user's cache directory: where it is, and directories in it that nobody else reads.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The user's cache directory for this program; none if it is unknown or disabled.
pub fn user_directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| {
        let path = variable(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    if let Some(chosen) = variable("CATALOG_CACHE_DIR") {
        return if chosen.is_empty() {
            None
        } else {
            std::path::absolute(chosen).ok()
        };
    }
    let caches = if cfg!(windows) {
        path("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        path("HOME").map(|home| home.join("Library/Caches"))
    } else {
        path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache")))
    };
    Some(caches?.join("catalog"))
}

/// The path with links resolved. Its last components need not exist yet.
pub fn resolved(path: &Path) -> Option<PathBuf> {
    let (real, rest) = path.ancestors().find_map(|above| {
        let rest = path.strip_prefix(above).ok()?;
        Some((fs::canonicalize(above).ok()?, rest))
    })?;
    let is_plain = rest
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    is_plain.then(|| real.join(rest))
}

/// Creates a directory that only its owner can enter.
pub fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Makes a directory that only the user can enter; an error where anything has that name.
pub fn make_private_anew(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}
