//! YAML without places: read into Rust types, and written from them. The only importer of the crate that does it.

pub use serde_yaml::{Mapping, Value, from_str, to_string};
