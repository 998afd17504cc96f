//! The store: archives named by their digest, in the user's cache directory or in the repository. Never uses the network.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::archive::{ArchiveError, ArchivedChart, MAX_ARCHIVE_BYTES, unpack};
use crate::digest::ContentDigest;
use crate::lock::{ChartLock, LOCK_FILE, LockError, MAX_LOCK_BYTES};
use crate::request::ChartRequest;
use system::cache::{make_private, user_directory};
use system::output::{self, OutputError, Trees};
use system::{Directory, Way};

/// The charts of a repository that were downloaded.
#[derive(Debug)]
pub struct ChartStore {
    /// None if there is no lock file.
    lock: Result<Option<ChartLock>, LockError>,
    archives: Option<ArchiveDirectory>,
}

/// A chart in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChart {
    pub version: String,
    pub digest: ContentDigest,
    /// The archive.
    pub path: PathBuf,
}

/// Why a chart cannot be read from the store.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotStored {
    #[error("charts were not fetched; run `catalog fetch`")]
    NoLock,
    #[error("{LOCK_FILE} cannot be read: {0}; fix it, or delete it and run `catalog fetch`")]
    Lock(LockError),
    #[error("the chart is not in {LOCK_FILE}; run `catalog fetch`")]
    NotLocked,
    #[error("the archive of the chart is not on this machine; run `catalog fetch`")]
    Missing,
    #[error("the archive of the chart is not the one that {LOCK_FILE} names; run `catalog fetch`")]
    Damaged,
    #[error("the archive of the chart cannot be used: {0}")]
    Archive(#[from] ArchiveError),
}

impl ChartStore {
    /// The store of the repository at `root`, with the user's cache directory.
    pub fn open(root: &Path) -> ChartStore {
        let caches = user_directory(|name| std::env::var_os(name));
        ChartStore::open_with(root, caches.as_deref())
    }

    /// The same for a given cache directory.
    pub fn open_with(root: &Path, caches: Option<&Path>) -> ChartStore {
        ChartStore::with_lock(read_lock(root), root, caches)
    }

    /// The same with a lock file that was read already: that of a commit, for example.
    pub fn with_lock(
        lock: Result<Option<ChartLock>, LockError>,
        root: &Path,
        caches: Option<&Path>,
    ) -> ChartStore {
        let vendor = lock.as_ref().ok().and_then(Option::as_ref);
        let vendor = vendor.and_then(|lock| lock.vendor.as_deref());
        let archives = match vendor {
            Some(directory) => Some(ArchiveDirectory::vendored(root, directory)),
            None => caches.map(ArchiveDirectory::cached),
        };
        ChartStore { lock, archives }
    }

    /// Whether there is a lock file.
    pub fn is_locked(&self) -> bool {
        !matches!(self.lock, Ok(None))
    }

    /// The archive that a request led to when it was fetched.
    pub fn find(&self, request: &ChartRequest) -> Result<StoredChart, NotStored> {
        let lock = self
            .lock
            .as_ref()
            .map_err(|error| NotStored::Lock(error.clone()))?;
        let lock = lock.as_ref().ok_or(NotStored::NoLock)?;
        let locked = lock.charts.get(request).ok_or(NotStored::NotLocked)?;
        let archives = self.archives.as_ref().ok_or(NotStored::Missing)?;
        if !archives.has(&locked.digest) {
            return Err(NotStored::Missing);
        }
        Ok(StoredChart {
            version: locked.version.clone(),
            digest: locked.digest.clone(),
            path: archives.path.join(file_name(&locked.digest)),
        })
    }

    /// The same as bytes, which are those that the lock file names.
    pub fn bytes(&self, request: &ChartRequest) -> Result<Vec<u8>, NotStored> {
        let found = self.find(request)?;
        let archives = self.archives.as_ref().ok_or(NotStored::Missing)?;
        archives.read(&found.digest)
    }

    /// The same as files.
    pub fn files(&self, request: &ChartRequest) -> Result<ArchivedChart, NotStored> {
        Ok(unpack(&self.bytes(request)?)?)
    }
}

/// The lock file of the repository at `root`. None if there is none.
pub fn read_lock(root: &Path) -> Result<Option<ChartLock>, LockError> {
    let unreadable = |problem: String| LockError { line: 0, problem };
    let directory = match Directory::open(root) {
        Ok(directory) => directory,
        Err(error) => return Err(unreadable(error.to_string())),
    };
    match directory.kind(LOCK_FILE.as_ref()) {
        Ok(None) => return Ok(None),
        Ok(Some(_)) => {}
        Err(error) => return Err(unreadable(error.to_string())),
    }
    let bytes = directory.read(LOCK_FILE.as_ref(), MAX_LOCK_BYTES);
    let bytes = bytes.map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
    ChartLock::parse(&text).map(Some)
}

/// Writes the lock file of the repository at `root`: whole or not at all.
pub fn save_lock(root: &Path, lock: &ChartLock) -> Result<(), OutputError> {
    let path = root.join(LOCK_FILE);
    let trees = Trees::around(Some(root));
    // Another run may be writing to the same directory.
    let _held = output::lock(&trees.spot(&path, Way::AsItIs)?)?;
    trees.write(&path, |to| to.write_all(lock.text().as_bytes()))
}

/// A directory of archives.
#[derive(Debug, Clone)]
pub struct ArchiveDirectory {
    pub path: PathBuf,
    /// The repository that the directory is in: no link in it is followed.
    root: Option<PathBuf>,
}

impl ArchiveDirectory {
    pub fn cached(caches: &Path) -> ArchiveDirectory {
        ArchiveDirectory {
            path: caches.join("charts"),
            root: None,
        }
    }

    pub fn vendored(root: &Path, directory: &str) -> ArchiveDirectory {
        ArchiveDirectory {
            path: root.join(directory),
            root: Some(root.to_path_buf()),
        }
    }

    fn open(&self) -> Option<Directory> {
        let Some(root) = &self.root else {
            return Directory::open(&self.path).ok();
        };
        // The lock file names it, so it may lead anywhere.
        let inside = self.path.strip_prefix(root).ok()?.join("archive");
        let (directory, _) = Directory::open(root)
            .ok()?
            .above(&inside, Way::AsItIs)
            .ok()?;
        Some(directory)
    }

    pub fn has(&self, digest: &ContentDigest) -> bool {
        let name = file_name(digest);
        self.open()
            .is_some_and(|directory| directory.file(&name).is_ok())
    }

    pub fn read(&self, digest: &ContentDigest) -> Result<Vec<u8>, NotStored> {
        let directory = self.open().ok_or(NotStored::Missing)?;
        let bytes = directory.read(&file_name(digest), MAX_ARCHIVE_BYTES);
        let bytes = bytes.map_err(|_| NotStored::Missing)?;
        if ContentDigest::of(&bytes) == *digest {
            Ok(bytes)
        } else {
            Err(NotStored::Damaged)
        }
    }

    /// Removes all other archives from a directory in a repository. The user's cache belongs to other repositories, too.
    pub fn keep_only(&self, digests: &BTreeSet<&ContentDigest>) -> std::io::Result<()> {
        let Some(directory) = self.open().filter(|_| self.root.is_some()) else {
            return Ok(());
        };
        for name in directory.names()? {
            let text = name.to_string_lossy();
            let digest = text.strip_suffix(".tgz").and_then(ContentDigest::from_hex);
            if digest.is_some_and(|digest| !digests.contains(&digest)) {
                directory.remove_file(&name)?;
            }
        }
        Ok(())
    }

    /// Puts an archive into the directory: whole or not at all.
    pub fn save(&self, bytes: &[u8]) -> std::io::Result<ContentDigest> {
        let digest = ContentDigest::of(bytes);
        let name = file_name(&digest);
        let directory = match &self.root {
            Some(root) => {
                let spot = Trees::around(Some(root)).spot(&self.path.join(&name), Way::Made);
                spot.map_err(std::io::Error::other)?.directory
            }
            None => {
                make_private(&self.path)?;
                Directory::open(&self.path)?
            }
        };
        output::place(&directory, &name, |to| to.write_all(bytes))?;
        Ok(digest)
    }
}

fn file_name(digest: &ContentDigest) -> OsString {
    format!("{}.tgz", digest.hex()).into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::archive::tests::chart;
    use crate::lock::LockedChart;
    use crate::request::AskedVersion;

    fn request(name: &str) -> ChartRequest {
        let asked = AskedVersion::Version("1.x".to_owned());
        ChartRequest::published("https://charts.example.com", name, asked).unwrap()
    }

    fn locked(root: &Path, archives: &ArchiveDirectory, vendor: Option<&str>) -> ContentDigest {
        let digest = archives.save(&chart("web", "1.2.0")).unwrap();
        let mut lock = ChartLock {
            vendor: vendor.map(str::to_owned),
            ..ChartLock::default()
        };
        let entry = LockedChart {
            version: "1.2.0".to_owned(),
            digest: digest.clone(),
            revision: None,
        };
        lock.charts.insert(request("web"), entry);
        fs::write(root.join(LOCK_FILE), lock.text()).unwrap();
        digest
    }

    #[test]
    fn a_fetched_chart_is_found_and_anything_else_says_why_not() {
        let directory = tempfile::tempdir().unwrap();
        let (root, caches) = (
            directory.path().join("repo"),
            directory.path().join("caches"),
        );
        fs::create_dir(&root).unwrap();
        let store = || ChartStore::open_with(&root, Some(&caches));
        assert_eq!(store().find(&request("web")), Err(NotStored::NoLock));
        let archives = ArchiveDirectory::cached(&caches);
        let digest = locked(&root, &archives, None);
        let found = store().find(&request("web")).unwrap();
        assert_eq!((found.version.as_str(), &found.digest), ("1.2.0", &digest));
        assert_eq!(store().files(&request("web")).unwrap().files.len(), 2);
        assert_eq!(store().find(&request("api")), Err(NotStored::NotLocked));
        fs::write(&found.path, b"other").unwrap();
        assert_eq!(store().bytes(&request("web")), Err(NotStored::Damaged));
        fs::remove_file(&found.path).unwrap();
        assert_eq!(store().find(&request("web")), Err(NotStored::Missing));
        let without = ChartStore::open_with(&root, None);
        assert_eq!(without.find(&request("web")), Err(NotStored::Missing));
        fs::write(root.join(LOCK_FILE), "<<<<<<< HEAD\n").unwrap();
        assert!(matches!(
            store().find(&request("web")),
            Err(NotStored::Lock(_))
        ));
    }

    #[test]
    fn vendored_charts_are_found_in_the_repository() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let archives = ArchiveDirectory::vendored(root, "vendor/charts");
        locked(root, &archives, Some("vendor/charts"));
        let store = ChartStore::open_with(root, None);
        assert_eq!(store.files(&request("web")).unwrap().files.len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_leads_nowhere_outside_the_repository() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let (root, outside) = (
            directory.path().join("repo"),
            directory.path().join("outside"),
        );
        fs::create_dir(&root).unwrap();
        let elsewhere = ArchiveDirectory::cached(&outside);
        for vendor in ["../outside/charts", "link", "/etc"] {
            locked(&root, &elsewhere, Some(vendor));
            let _ = symlink(outside.join("charts"), root.join("link"));
            let store = ChartStore::open_with(&root, None);
            assert_eq!(
                store.find(&request("web")),
                Err(NotStored::Missing),
                "{vendor}"
            );
        }
        let through = ArchiveDirectory::vendored(&root, "link");
        assert!(through.save(b"x").is_err());
        fs::remove_file(root.join(LOCK_FILE)).unwrap();
        symlink("/etc/passwd", root.join(LOCK_FILE)).unwrap();
        let store = ChartStore::open_with(&root, None);
        assert!(matches!(
            store.find(&request("web")),
            Err(NotStored::Lock(_))
        ));
    }
}
