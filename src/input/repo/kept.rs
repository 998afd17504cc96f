//! Cached file contents, for a repo that is read repeatedly while it is edited.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::FileId;
use base::hash::HashMap;

/// Larger files are pictures: they are read anew rather than kept.
const MAX_BYTES: usize = 1024 * 1024;
/// Limit for all files together.
const MAX_TOTAL_BYTES: usize = 512 * 1024 * 1024;

#[derive(Debug, Default)]
pub struct Kept {
    contents: Mutex<Contents>,
    /// How many files were read from disk.
    reads: AtomicUsize,
}

#[derive(Debug, Default, Clone)]
struct Contents {
    by_file: HashMap<FileId, Arc<[u8]>>,
    bytes: usize,
}

impl Kept {
    pub fn get(&self, file: FileId) -> Option<Arc<[u8]>> {
        self.contents().by_file.get(&file).cloned()
    }

    pub fn put(&self, file: FileId, bytes: &[u8]) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let mut contents = self.contents();
        if bytes.len() <= MAX_BYTES && contents.bytes + bytes.len() <= MAX_TOTAL_BYTES {
            contents.bytes += bytes.len();
            contents.by_file.insert(file, bytes.into());
        }
    }

    /// How many files were read so far.
    pub fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }

    /// The same for files that are now called otherwise; what `rename` has no name for is forgotten.
    pub fn renamed(&self, rename: impl Fn(FileId) -> Option<FileId>) -> Kept {
        let old = self.contents();
        let mut new = Contents::default();
        for (file, bytes) in &old.by_file {
            if let Some(file) = rename(*file) {
                new.bytes += bytes.len();
                new.by_file.insert(file, bytes.clone());
            }
        }
        Kept {
            contents: Mutex::new(new),
            reads: AtomicUsize::new(0),
        }
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        // A map is whole between any two of its changes.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
