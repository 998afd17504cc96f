//! Input: the configuration, the files of the repo with their git facts, and the host of the repo.

/// `catalog.toml`.
pub mod config;

/// Charts that were downloaded.
pub mod chart_library;

/// The directory tree being read.
pub mod repo;

/// Pages that authors wrote.
pub mod page;

/// Links to where the repo is hosted.
pub mod repo_host;

/// Lines of files as they may be shown.
pub mod excerpt;

/// Pictures that a site publishes.
pub mod picture;
