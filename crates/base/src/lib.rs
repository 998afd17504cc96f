//! What every crate here shares: findings and the places they are about, hash maps, byte search and escaping.
//! Knows nothing about catalogues, Kubernetes or files.

pub mod bytes;
mod files;
mod finding;
pub mod glob;
pub mod hash;
pub mod markup;
pub mod path;
pub mod pattern;
pub mod replace;
pub mod shell;
pub mod text;
pub mod uri;

pub use files::{Files, missing, outside};
pub use path::RepoPath;

/// Stands wherever a secret stood.
pub const MARKER: &str = "<secret>";

pub use finding::{
    Edit, Few, FileId, Finding, Fix, MoveObjects, Place, Remedy, RemedyKind, Rule, Severity, few,
};
