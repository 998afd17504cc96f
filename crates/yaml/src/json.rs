//! Converts trees to JSON, with the types that Kubernetes gives their scalars.

use serde_json::{Map, Number, Value as Json};

use super::{Node, ScalarKind, Value};

/// Converts a tree to JSON.
pub fn to_json(node: &Node) -> Json {
    match &node.value {
        Value::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Null => Json::Null,
            ScalarKind::Bool(value) => Json::Bool(value),
            ScalarKind::Int(value) => Json::Number(value.into()),
            ScalarKind::Float(value) => float(value, &scalar.text),
            ScalarKind::Str(text) => {
                Json::String(scalar.timestamp().unwrap_or_else(|| text.to_owned()))
            }
        },
        Value::Seq(items) => Json::Array(items.iter().map(to_json).collect()),
        Value::Map(map) => Json::Object(
            map.0
                .iter()
                .map(|entry| (entry.key.to_string(), to_json(&entry.value)))
                .collect::<Map<_, _>>(),
        ),
    }
}

/// Writes whole numbers without a fraction, and large integers in full.
fn float(value: f64, text: &str) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Ok(large) = text.parse::<u64>() {
        return Json::Number(large.into());
    }
    if value.fract() == 0.0 && value.abs() <= EXACT {
        return Json::Number((value as i64).into());
    }
    Number::from_f64(value).map_or_else(|| Json::String(text.to_owned()), Json::Number)
}
