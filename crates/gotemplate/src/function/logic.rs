//! Functions that compare values, choose between them or name their types.

use std::cmp::Ordering;

use super::super::Value;
use helm::version_meets;

pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let value = match (name, arguments) {
        ("not", [value]) => Value::Bool(!value.is_true()),
        ("eq", [first, rest @ ..]) if !rest.is_empty() => {
            Value::Bool(rest.iter().any(|other| is_same(first, other)))
        }
        ("ne", [a, b]) => Value::Bool(!is_same(a, b)),
        ("lt", [a, b]) => Value::Bool(compared(a, b)? == Ordering::Less),
        ("le", [a, b]) => Value::Bool(compared(a, b)? != Ordering::Greater),
        ("gt", [a, b]) => Value::Bool(compared(a, b)? == Ordering::Greater),
        ("ge", [a, b]) => Value::Bool(compared(a, b)? != Ordering::Less),
        ("default", [default, value]) => {
            if value.is_true() {
                value.clone()
            } else {
                default.clone()
            }
        }
        ("default", [default]) => default.clone(),
        ("empty", [value]) => Value::Bool(!value.is_true()),
        ("coalesce", values) => values
            .iter()
            .find(|value| value.is_true())
            .cloned()
            .unwrap_or_default(),
        ("ternary", [yes, no, condition]) => {
            if condition.is_true() {
                yes.clone()
            } else {
                no.clone()
            }
        }
        ("any", values) => Value::Bool(values.iter().any(Value::is_true)),
        ("all", values) => Value::Bool(values.iter().all(Value::is_true)),
        ("kindIs", [Value::Text(kind), value]) => Value::Bool(kind == kind_of(value)),
        ("kindOf", [value]) => Value::text(kind_of(value)),
        ("typeOf", [value]) => Value::text(type_of(value)?),
        ("typeIs", [Value::Text(name), value]) => Value::Bool(name == type_of(value)?),
        ("semverCompare", [Value::Text(asked), Value::Text(version)]) => {
            Value::Bool(version_meets(asked, version)?)
        }
        _ => return None,
    };
    Some(value)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Nil => "invalid",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "float64",
        Value::Text(_) => "string",
        Value::List(_) => "slice",
        Value::Map(_) => "map",
    }
}

/// Go's name for the type of a value. Integers in values are floats in Go, and integers in templates are not; the two
/// are not distinguished here.
fn type_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Nil => Some("<nil>"),
        Value::Int(_) => None,
        Value::List(_) => Some("[]interface {}"),
        Value::Map(_) => Some("map[string]interface {}"),
        Value::Bool(_) | Value::Float(_) | Value::Text(_) => Some(kind_of(value)),
    }
}

pub fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => *a as f64 == *b,
        (a, b) => a == b,
    }
}

fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (a, b) => number(a)?.partial_cmp(&number(b)?),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    }
}
