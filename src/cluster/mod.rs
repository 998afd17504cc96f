//! Composition: from what stands in files to the objects that a cluster gets, by kustomize's rules
//! and those of the units that apply them. No external program takes part.

mod build;
mod composition;
mod effort;
mod entry;
mod field;
mod finish;
mod generate;
mod image;
mod index;
mod item;
mod json_patch;
mod known;
mod lend;
mod merge;
mod patch;
mod rename;
mod replace;
mod schema;
mod select;
pub mod substitute;
mod table;
mod transform;
mod unit;
mod variable;

pub use crate::sources::around::address;
pub use build::{Builder, Built};
pub use composition::{Cluster, ClusterUnit, Destination, Off, Unsure};
pub use entry::clusters;
pub use item::Item;
pub use unit::{Applied, Object};
