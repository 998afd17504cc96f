//! `catalog` turns a GitOps repository into a service catalogue.
//!
//! Data flows one way, in the order of the modules below: a module uses only those above it.
//! A test holds that order, so reading the list from top to bottom is reading the program.

/// Findings, and the places that they are about.
pub mod diagnostic;

/// `catalog.toml`.
pub mod config;

/// The directory tree being read.
pub mod repo;

/// Documents in which every node knows its place.
pub mod yaml;

/// What readers found: the narrow waist.
pub mod fact;

/// The readers.
pub mod source;

/// From files to the objects that a cluster gets.
pub mod compose;

/// The catalogue.
pub mod model;

/// Code, Markdown, pictures and templates as markup.
pub mod render;

/// Where pages stand in the site.
pub mod route;

/// `service-catalog.json`.
pub mod export;

/// The stages, in order.
pub mod pipeline;

/// The commands.
pub mod cmd;
