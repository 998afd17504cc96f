//! The same as `directory.rs` where the system has no directories that are held open: each name is looked at before it is used.
//! Somebody who changes it in between is not noticed.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::{FileKind, fault, not_regular, read_at_most};

#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    pub fn open(path: &Path) -> io::Result<Directory> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        if fs::symlink_metadata(path)?.is_dir() {
            Ok(Directory {
                path: path.to_path_buf(),
            })
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    pub fn enter(&self, name: &OsStr) -> io::Result<Directory> {
        Directory::open(&self.path.join(name))
    }

    pub fn enter_or_make(&self, name: &OsStr) -> io::Result<Directory> {
        match self.make(name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => self.enter(name),
        }
    }

    pub fn make(&self, name: &OsStr) -> io::Result<()> {
        fault::point("make")?;
        fs::create_dir(self.path.join(name))
    }

    pub(super) fn try_clone(&self) -> io::Result<Directory> {
        Ok(Directory {
            path: self.path.clone(),
        })
    }

    pub fn kind(&self, name: &OsStr) -> io::Result<Option<FileKind>> {
        match fs::symlink_metadata(self.path.join(name)) {
            Ok(found) if found.is_file() => Ok(Some(FileKind::File)),
            Ok(found) if found.is_dir() => Ok(Some(FileKind::Directory)),
            Ok(found) if found.is_symlink() => Ok(Some(FileKind::Link)),
            Ok(_) => Ok(Some(FileKind::Other)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        match self.kind(name)? {
            Some(FileKind::File) => File::open(self.path.join(name)),
            Some(_) => Err(not_regular()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    pub fn read(&self, name: &OsStr, most: u64) -> io::Result<Vec<u8>> {
        read_at_most(self.file(name)?, most)
    }

    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        fault::point("open")?;
        File::create_new(self.path.join(name))
    }

    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fault::point("rename")?;
        fs::rename(self.path.join(from), self.path.join(to))
    }

    pub fn exchange(&self, one: &OsStr, other: &OsStr, aside: &OsStr) -> io::Result<()> {
        fault::point("exchange")?;
        self.rename(other, aside)?;
        if let Err(error) = self.rename(one, other) {
            self.rename(aside, other)?;
            return Err(error);
        }
        self.rename(aside, one)
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fault::point("remove")?;
        fs::remove_file(self.path.join(name))
    }

    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let entries = fs::read_dir(&self.path)?;
        entries.map(|entry| Ok(entry?.file_name())).collect()
    }

    pub fn to_lock(&self) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

pub fn create_anew(path: &Path) -> io::Result<File> {
    fault::point("open")?;
    File::create(path)
}

pub fn has_other_names(_: &Metadata) -> bool {
    false
}
