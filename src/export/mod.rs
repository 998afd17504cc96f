//! Formats for other programs. Formats that are made from the pages are in `site`.

/// Address at which this project is published.
pub mod project;

/// `service-catalog.json`.
pub mod service_catalog;

/// Findings, as people and programs read them.
pub mod report;

/// Changes between two versions.
pub mod diff;
pub mod entity_name;
