//! What every crate here shares: findings and the places they are about, hash maps, byte search and escaping.
//! Knows nothing about catalogues, Kubernetes or files.

pub mod bytes;
mod finding;
pub mod hash;
pub mod replace;
pub mod text;

pub use finding::{Edit, Few, FileId, Finding, Fix, Place, Rule, Severity, few};
