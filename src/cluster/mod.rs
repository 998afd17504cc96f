//! Composition: turns files into the objects that a cluster gets, by the rules of kustomize and of the units that
//! apply them. No external program is run.

mod build;
pub mod chart_request;
mod chart_sources;
mod charts;
mod composition;
mod elsewhere;
mod entry;
mod published;
mod source_index;
pub mod substitute;
mod unit;
mod values_from;

pub use crate::sources::address::address;
pub use build::{Builder, Trees};
pub use chart_sources::ChartSources;
pub use charts::{ChartMetadata, ChartObjects, Coverage, ObjectDigest, ReadChart, TemplateLine};
pub use composition::{Cluster, ClusterUnit, Destination, Off, Role, UnitIx, Unsure};
pub use entry::{ClusterIx, Clusters, ENVIRONMENTS, clusters};
pub use unit::{Applied, Object, ObjectIx, Objects};
