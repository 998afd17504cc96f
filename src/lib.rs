//! `catalog` generates a service catalogue from a GitOps repository.
//!
//! Data flows one way, in the order of the folders below: a folder uses only those above it, and the engines in
//! `crates/`. A test checks that, so reading the list from top to bottom is reading the program.

/// What is read: `catalog.toml`, the files of the repo, git facts.
pub mod input;

/// What readers find, in tool-neutral terms, and what one object states: the narrow waist between readers and the rest.
pub mod facts;

/// The readers: turn files into facts.
pub mod sources;

/// Composition: turns facts into the objects that each cluster gets.
pub mod cluster;

/// The model: turns objects into components, environments, edges, settings.
pub mod catalog;

/// Decisions, specs, provenance records, runbooks and authored pages.
pub mod knowledge;

/// The checks, which findings count, fixes, and the simulated bootstrap.
pub mod checks;

/// The stages above in order, from files to findings.
pub mod pipeline;

/// What other programs read: `service-catalog.json`, reports of findings, differences.
pub mod export;

/// The site: pages, search, theme.
pub mod site;

/// Sites and Markdown on disk, and whether what is there is out of date.
pub mod publish;

/// The live preview.
pub mod preview;

/// The commands, one file each.
pub mod cli;
