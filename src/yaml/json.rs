//! Trees as JSON, with the types that Kubernetes gives their scalars.

use serde_json::{Map, Number, Value as Json};

use super::{Node, ScalarKind, Value};

pub fn to_json(node: &Node) -> Json {
    match &node.value {
        Value::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Null => Json::Null,
            ScalarKind::Bool(value) => Json::Bool(value),
            ScalarKind::Int(value) => Json::Number(value.into()),
            ScalarKind::Float(value) => Number::from_f64(value)
                .map_or_else(|| Json::String(scalar.text.to_string()), Json::Number),
            ScalarKind::Str(text) => Json::String(text.to_owned()),
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
