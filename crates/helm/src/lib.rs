//! Charts, their values and their templates. `ChartTree` finds a chart with its subcharts, `subchart_values` computes
//! the values that each of them sees, and `run` runs a template. Reads files only through `ChartSource` and
//! `base::Files`.

mod capabilities;
mod chart_files;
mod chart_tree;
mod data;
mod document;
mod engine;
mod format;
mod functions;
mod glob;
mod known;
mod manifest;
mod merge;
mod metadata;
mod origin;
pub mod package;
mod render;
mod schema;
mod scope;
pub mod set;
mod subchart_values;
mod template;
mod values;

pub use capabilities::Capabilities;
pub use chart_files::{ChartFiles, chart_files};
pub use chart_tree::{Chart, ChartSource, ChartTree};
pub use data::Data;
pub use format::read::yaml as read_yaml;
pub use known::UnknownValue;
pub use merge::merge_values;
pub use metadata::metadata;
pub use origin::{Origin, ValuePath};
pub use package::{Package, PackageFile};
pub use render::{ChartFault, ChartRelease, FaultKind, Rendered, RenderedManifest, Role, render};
pub use subchart_values::subchart_values;
pub use template::{Fault, Library, Missing, Value, Written, capabilities, normal, run};
pub use values::coalesce::Flavour;
