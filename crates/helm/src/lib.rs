//! Charts, their values and their templates. `Package` is a chart, and `render` makes its manifests. `ChartTree` finds
//! the subcharts of a chart that is in the repository; it reads files only through `ChartSource`.

mod capabilities;
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
mod values;

pub use capabilities::{AskedVersions, Capabilities};
pub use chart_tree::{Chart, ChartSource, ChartTree};
pub use data::Data;
pub use format::read::yaml as read_yaml;
pub use functions::version::meets as version_meets;
pub use known::UnknownValue;
pub use merge::merge_values;
pub use metadata::metadata;
pub use origin::{ScalarOrigin, ValuePath};
pub use package::{Package, PackageFile};
pub use render::{ChartFault, ChartRelease, FaultKind, Rendered, RenderedManifest, Role, render};
pub use values::coalesce::Flavour;
