//! `catalog` turns a GitOps repository into a service catalogue.
//!
//! Data flows one way, in the order of the modules below: a module uses only those above it.
//! A test holds that order, so reading the list from top to bottom is reading the program.

/// Looking for single bytes.
mod bytes;

/// Maps and sets without an order.
pub mod hash;

/// This project itself: where it is published.
pub mod project;

/// Findings, and the places that they are about.
pub mod diagnostic;

/// Text as a terminal may get it.
mod terminal;

/// What only the system can do.
pub mod system;

/// `catalog.toml`.
pub mod config;

/// The directory tree being read.
pub mod repo;

/// Where commands write, and how.
pub mod output;

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

/// The hazards.
pub mod check;

/// Which findings count.
pub mod triage;

/// Fixes, as changes of files.
pub mod mend;

/// Text with something else in place of some bytes.
mod replace;

/// Code, Markdown, pictures and templates as markup.
pub mod render;

/// A start from nothing, simulated.
pub mod rehearse;

/// Decisions, specs and records, and whether what they say still holds.
pub mod knowledge;

/// What to do when something is wrong.
pub mod runbook;

/// `service-catalog.json`.
pub mod export;

/// Links to where the repo is hosted.
pub mod forge;

/// Where pages stand in the site.
pub mod route;

/// Findings, as people and programs read them.
pub mod report;

/// What people wrote, and where it is shown.
pub mod prose;

/// Everything that a page may show.
pub mod book;

/// The catalogue as entities of Backstage.
pub mod backstage;

/// The shapes that templates see, and the same as Markdown.
pub mod view;

/// The parts of a component's page.
pub mod section;

/// The pages.
pub mod page;

/// Where the work is, for those who wait for it.
pub mod progress;

/// The site: every address and its bytes.
pub mod site;

/// The pages as Markdown, for other generators of sites.
pub mod manuscript;

/// What changed between two versions.
pub mod diff;

/// What a repository starts with.
pub mod starter;

/// The stages, in order.
pub mod pipeline;

/// Which files change.
pub mod watch;

/// The live preview.
pub mod serve;

/// The commands.
pub mod cmd;
