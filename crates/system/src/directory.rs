//! A directory that is held open, and what is done in it by name: no link is followed, and nothing that blocks is opened.
//! Whatever takes the place of its path meanwhile, it stays the directory that was opened.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};

use super::{FileKind, fault, not_regular, read_at_most};

#[derive(Debug)]
pub struct Directory {
    handle: OwnedFd,
}

impl Directory {
    /// The directory at `path`, whose last name must not be a link.
    pub fn open(path: &Path) -> io::Result<Directory> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let handle = rustix::fs::openat(CWD, path, directory_flags(), Mode::empty())?;
        Ok(Directory { handle })
    }

    /// The directory of this name in it.
    pub fn enter(&self, name: &OsStr) -> io::Result<Directory> {
        let handle = rustix::fs::openat(&self.handle, name, directory_flags(), Mode::empty())?;
        Ok(Directory { handle })
    }

    /// The same, made where there is nothing.
    pub fn enter_or_make(&self, name: &OsStr) -> io::Result<Directory> {
        match self.make(name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => self.enter(name),
        }
    }

    /// Makes a directory; an error where anything has that name.
    pub fn make(&self, name: &OsStr) -> io::Result<()> {
        fault::point("make")?;
        Ok(rustix::fs::mkdirat(
            &self.handle,
            name,
            Mode::from_raw_mode(0o777),
        )?)
    }

    pub(super) fn try_clone(&self) -> io::Result<Directory> {
        Ok(Directory {
            handle: self.handle.try_clone()?,
        })
    }

    /// None where there is nothing.
    pub fn kind(&self, name: &OsStr) -> io::Result<Option<FileKind>> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(match FileType::from_raw_mode(found.st_mode) {
                FileType::RegularFile => FileKind::File,
                FileType::Directory => FileKind::Directory,
                FileType::Symlink => FileKind::Link,
                _ => FileKind::Other,
            })),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A regular file, opened to be read.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        // Without waiting: a pipe that nobody writes to would be waited for until it is known to be one.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let handle = rustix::fs::openat(&self.handle, name, flags | OFlags::CLOEXEC, Mode::empty());
        let handle = handle.map_err(|error| match error {
            rustix::io::Errno::LOOP | rustix::io::Errno::NXIO => not_regular(),
            error => error.into(),
        })?;
        let file = File::from(handle);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(not_regular())
        }
    }

    /// What a regular file holds, unless that is more than `most` bytes.
    pub fn read(&self, name: &OsStr, most: u64) -> io::Result<Vec<u8>> {
        read_at_most(self.file(name)?, most)
    }

    /// A file that was not there before, to be written.
    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        fault::point("open")?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let handle = rustix::fs::openat(
            &self.handle,
            name,
            flags | OFlags::CLOEXEC,
            Mode::from_raw_mode(0o666),
        )?;
        Ok(File::from(handle))
    }

    /// Gives something another name in the same directory; what had that name is gone.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fault::point("rename")?;
        Ok(rustix::fs::renameat(&self.handle, from, &self.handle, to)?)
    }

    /// Two of its entries change places: at once where the system can, else in steps, by way of `aside`.
    pub fn exchange(&self, one: &OsStr, other: &OsStr, aside: &OsStr) -> io::Result<()> {
        fault::point("exchange")?;
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        match rustix::fs::renameat_with(
            &self.handle,
            one,
            &self.handle,
            other,
            rustix::fs::RenameFlags::EXCHANGE,
        ) {
            // Some file systems cannot.
            Err(
                rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP,
            ) => {}
            outcome => return Ok(outcome?),
        }
        self.rename(other, aside)?;
        if let Err(error) = self.rename(one, other) {
            self.rename(aside, other)?;
            return Err(error);
        }
        self.rename(aside, one)
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fault::point("remove")?;
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// The names in it, in no order.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        use std::os::unix::ffi::OsStrExt;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    /// A handle that locks it for other processes: for as long as it lives, or the process does.
    pub fn to_lock(&self) -> io::Result<File> {
        // Opened anew, as a lock belongs to what was opened once.
        let handle = rustix::fs::openat(&self.handle, ".", directory_flags(), Mode::empty())?;
        Ok(File::from(handle))
    }
}

/// A file to be written in a directory that is ours alone; a link in its place is not followed.
pub fn create_anew(path: &Path) -> io::Result<File> {
    fault::point("open")?;
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .custom_flags(OFlags::NOFOLLOW.bits() as i32)
        .open(path)
}

fn directory_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// Whether a file has other names, under which it may be somebody else's.
pub fn has_other_names(file: &Metadata) -> bool {
    file.nlink() > 1
}
