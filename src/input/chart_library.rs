//! Charts that others publish, as `catalog fetch` downloaded them. Reads the lock file of the repo and the archives that
//! it names; never uses the network.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use charts::{ChartLock, ChartRequest, ChartStore, LOCK_FILE, LockError, NotStored};
use helm::{Package, PackageFile};
use system::cache::user_directory;
use thiserror::Error;

use base::hash::HashMap;

/// The charts of a repo that were downloaded. Each is unpacked once, when somebody asks for it.
pub struct ChartLibrary {
    store: ChartStore,
    packages: Mutex<HashMap<ChartRequest, SharedPackage>>,
}

type SharedPackage = Arc<OnceLock<Result<Arc<Package>, UnreadChart>>>;

/// Why a chart is not known.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnreadChart {
    #[error(transparent)]
    NotStored(#[from] NotStored),
    #[error("the chart is invalid: {0}")]
    Invalid(String),
}

impl ChartLibrary {
    /// The charts that a lock file names, where its text could be read.
    pub fn open(root: &Path, lock: Option<Result<String, String>>) -> ChartLibrary {
        let unreadable = |problem: String| LockError { line: 0, problem };
        let lock = lock.map(|text| {
            text.map_err(unreadable)
                .and_then(|it| ChartLock::parse(&it))
        });
        let caches = user_directory(|name| std::env::var_os(name));
        ChartLibrary {
            store: ChartStore::with_lock(lock.transpose(), root, caches.as_deref()),
            packages: Mutex::default(),
        }
    }

    /// Whether charts were ever fetched for the repo.
    pub fn is_in_use(&self) -> bool {
        self.store.is_locked()
    }

    /// The chart that a request led to.
    pub fn package(&self, request: &ChartRequest) -> Result<Arc<Package>, UnreadChart> {
        let slot = {
            // Nothing is left half done in it when a thread panics.
            let mut packages = self.packages.lock().unwrap_or_else(PoisonError::into_inner);
            packages.entry(request.clone()).or_default().clone()
        };
        slot.get_or_init(|| self.read(request)).clone()
    }

    fn read(&self, request: &ChartRequest) -> Result<Arc<Package>, UnreadChart> {
        let archived = self.store.files(request)?;
        let files = archived.files.into_iter();
        let files = files.map(|(path, data)| PackageFile::new(path, data));
        let package = Package::from_directory(files.collect());
        package.map(Arc::new).map_err(UnreadChart::Invalid)
    }
}

impl fmt::Debug for ChartLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChartLibrary").finish_non_exhaustive()
    }
}

/// The name of the lock file.
pub const CHART_LOCK: &str = LOCK_FILE;
