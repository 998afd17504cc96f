//! Checks values against `values.schema.json`.

use crate::data::Data;
use crate::values::dependencies::Instance;

/// What is wrong with the values of a chart and its subcharts, in Helm's form; empty if nothing is.
pub fn check(_chart: &Instance, _values: &Data) -> String {
    String::new()
}
