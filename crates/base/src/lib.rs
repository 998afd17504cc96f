//! Shared by every engine: findings and their places, file access, paths, hash maps, typed positions, byte search and
//! escaping. Knows nothing about catalogues or Kubernetes, and reads no files itself.

pub mod budget;
pub mod bytes;
pub mod colour;
mod files;
mod finding;
pub mod glob;
pub mod hash;
pub mod index;
pub mod markup;
pub mod path;
pub mod pattern;
pub mod replace;
pub mod slash;
pub mod steps;
pub mod text;
pub mod uri;

pub use files::{Files, missing, missing_in, outside};
pub use path::RepoPath;

/// Replaces the value of a secret.
pub const MARKER: &str = "<secret>";

pub use finding::{
    Edit, Effect, Few, FileId, Finding, Fix, MoveObjects, Place, Remedy, RemedyKind, Rule,
    Security, Severity, few,
};
