//! Charts, their values and their templates. `ChartTree` finds a chart with its subcharts, `subchart_values` computes
//! the values that each of them sees, and `run` runs a template. Reads files only through `ChartSource` and
//! `base::Files`.

mod capabilities;
mod chart_files;
mod data;
mod engine;
mod format;
mod functions;
mod glob;
mod manifest;
pub mod package;
mod render;
mod schema;
mod values;
mod chart_tree;
mod merge;
mod metadata;
pub mod set;
mod subchart_values;
mod template;

pub use chart_files::{ChartFiles, chart_files};
pub use chart_tree::{Chart, ChartSource, ChartTree};
pub use merge::merge_values;
pub use metadata::metadata;
pub use subchart_values::subchart_values;
pub use capabilities::Capabilities;
pub use data::Data;
pub use format::read::yaml as read_yaml;
pub use package::{Package, PackageFile};
pub use render::{ChartFault, FaultKind, Manifest, Release, Rendered, Role, render};
pub use values::coalesce::Flavour;
pub use template::{Fault, Library, Missing, Value, Written, capabilities, normal, run};
