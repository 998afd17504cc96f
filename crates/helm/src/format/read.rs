//! Reads YAML and JSON into values.

use base::{FileId, Severity};
use smol_str::SmolStr;

use crate::data::Data;

/// The first document of a YAML text, or why it cannot be read.
pub fn yaml(text: &str) -> Result<Data, String> {
    let parsed = ::yaml::parse(text, FileId(0));
    let broken = parsed
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Error);
    if let Some(finding) = broken
        && parsed.documents.is_empty()
    {
        return Err(format!(
            "error converting YAML to JSON: yaml: line {}: {}",
            finding.place.line, finding.message
        ));
    }
    let first = parsed.documents.first();
    Ok(first.map_or(Data::Null, |document| Data::from_node(&document.root)))
}

/// A JSON text; numbers are floats.
pub fn json(text: &str) -> Result<Data, String> {
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(from_json(value))
}

fn from_json(value: serde_json::Value) -> Data {
    match value {
        serde_json::Value::Null => Data::Null,
        serde_json::Value::Bool(value) => Data::Bool(value),
        serde_json::Value::Number(number) => Data::Float(number.as_f64().unwrap_or(0.0)),
        serde_json::Value::String(text) => Data::Text(text.into()),
        serde_json::Value::Array(items) => Data::List(items.into_iter().map(from_json).collect()),
        serde_json::Value::Object(map) => Data::Map(
            map.into_iter()
                .map(|(key, inner)| (SmolStr::from(key), from_json(inner)))
                .collect(),
        ),
    }
}
