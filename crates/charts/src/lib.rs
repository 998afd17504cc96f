//! Helm charts that others publish: requests into archives in a content-addressed store, and a lock file that says which
//! archive each request led to. Knows nothing about catalogues.
//!
//! [`ChartStore`] reads what was downloaded and never uses the network. [`fetch`] downloads (feature `network`).

#![cfg_attr(
    not(feature = "network"),
    allow(dead_code, reason = "some of it is for downloads only")
)]

mod address;
mod archive;
mod digest;
#[cfg(feature = "network")]
pub mod fetch;
#[cfg(feature = "network")]
mod index;
mod lock;
mod range;
mod request;
mod store;

pub use address::AddressError;
pub use archive::{ArchiveError, ArchivedChart, unpack};
pub use digest::ContentDigest;
pub use lock::{ChartLock, LOCK_FILE, LockError, LockedChart};
pub use request::{AskedVersion, ChartRepository, ChartRequest, RequestError};
pub use store::{ArchiveDirectory, ChartStore, NotStored, StoredChart, read_lock, save_lock};
