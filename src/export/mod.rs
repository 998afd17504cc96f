//! What other programs read. Formats that are made of the pages are in `site`.

/// This project itself: where it is published.
pub mod project;

/// `service-catalog.json`.
pub mod service_catalog;

/// Findings, as people and programs read them.
pub mod report;

/// What changed between two versions.
pub mod diff;
