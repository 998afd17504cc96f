//! The values that templates compute with. Shared and immutable.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::weight::{Size, WithSize};
use yaml::{Node, ScalarKind};

/// A value of a template.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    #[default]
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(SmolStr),
    List(Arc<WithSize<Vec<Value>>>),
    /// Sorted by key, as Go iterates maps.
    Map(Arc<WithSize<BTreeMap<SmolStr, Value>>>),
}

impl Value {
    pub fn from_node(node: &Node) -> Value {
        match &node.value {
            yaml::Value::Scalar(scalar) => match scalar.kind() {
                ScalarKind::Null => Value::Nil,
                ScalarKind::Bool(value) => Value::Bool(value),
                ScalarKind::Int(number) => Value::Int(number),
                ScalarKind::Float(number) => Value::Float(number),
                ScalarKind::Str(text) => Value::Text(text.into()),
            },
            yaml::Value::Seq(items) => Value::list(items.iter().map(Value::from_node)),
            yaml::Value::Map(map) => Value::map(
                map.0
                    .iter()
                    .map(|entry| (entry.key.clone(), Value::from_node(&entry.value))),
            ),
        }
    }

    pub fn text(text: impl Into<SmolStr>) -> Value {
        Value::Text(text.into())
    }

    pub fn list(items: impl Iterator<Item = Value>) -> Value {
        Value::List(Arc::new(items.collect::<Vec<Value>>().into()))
    }

    pub fn map(entries: impl Iterator<Item = (SmolStr, Value)>) -> Value {
        Value::Map(Arc::new(entries.collect::<BTreeMap<_, _>>().into()))
    }

    /// The size of the value, with shared parts counted each time.
    pub fn size(&self) -> Size {
        Size::measure(self)
    }

    /// A deep copy, so that in-place changes of the original do not affect it.
    pub fn copied(&self) -> Value {
        match self {
            Value::List(items) => Value::list(items.iter().map(Value::copied)),
            Value::Map(map) => {
                Value::map(map.iter().map(|(key, inner)| (key.clone(), inner.copied())))
            }
            other => other.clone(),
        }
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(map) => map.get(key),
            _ => None,
        }
    }

    /// Sets the value at a path of keys.
    pub fn set(&mut self, path: &[&str], value: Value) {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if !matches!(self, Value::Map(_)) {
            *self = Value::map(std::iter::empty());
        }
        if let Value::Map(map) = self {
            let map = Arc::make_mut(map);
            map.change(&(*first).into(), |inner| inner.set(rest, value));
        }
    }

    /// Merges another value over this one: maps are merged, everything else is replaced.
    pub fn merge(&mut self, over: &Value) {
        match (&mut *self, over) {
            (Value::Map(map), Value::Map(over)) => {
                let map = Arc::make_mut(map);
                for (key, value) in over.iter() {
                    map.change(key, |inner| inner.merge(value));
                }
            }
            _ => *self = over.clone(),
        }
    }

    /// Whether Go treats the value as true: null, zero and empty values are false.
    pub fn is_true(&self) -> bool {
        match self {
            Value::Nil => false,
            Value::Bool(value) => *value,
            Value::Int(value) => *value != 0,
            Value::Float(value) => *value != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(items) => !items.is_empty(),
            Value::Map(map) => !map.is_empty(),
        }
    }

    /// The text that an action prints.
    pub fn written(&self) -> String {
        match self {
            Value::Nil => String::new(),
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Text(text) => text.to_string(),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Value::written).collect();
                format!("[{}]", items.join(" "))
            }
            Value::Map(map) => {
                let entries: Vec<String> = map
                    .iter()
                    .map(|(key, value)| format!("{key}:{}", value.written()))
                    .collect();
                format!("map[{}]", entries.join(" "))
            }
        }
    }

    /// The value as YAML, without a final newline.
    pub fn yaml(&self) -> String {
        let mut text = String::new();
        write(self, 0, &mut text);
        text.trim_end_matches('\n')
            .trim_start_matches('\n')
            .to_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        match self {
            Value::Nil => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Value::json).collect(),
            Value::Map(map) => {
                let entries = map
                    .iter()
                    .map(|(key, value)| (key.to_string(), value.json()));
                serde_json::Value::Object(entries.collect())
            }
        }
    }
}

fn write(value: &Value, indent: usize, text: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Map(map) if !map.is_empty() => {
            text.push('\n');
            for (key, value) in map.iter() {
                text.push_str(&format!("{pad}{}:", scalar(key)));
                write(value, indent + 2, text);
            }
        }
        Value::List(items) if !items.is_empty() => {
            text.push('\n');
            for item in items.iter() {
                let mut inner = String::new();
                write(item, indent + 2, &mut inner);
                // The first line of an item follows its dash.
                text.push_str(&format!("{pad}- {}", inner.trim_start()));
            }
        }
        Value::Map(_) => text.push_str(" {}\n"),
        Value::List(_) => text.push_str(" []\n"),
        Value::Nil => text.push_str(" null\n"),
        Value::Text(one) => text.push_str(&format!(" {}\n", scalar(one))),
        other => text.push_str(&format!(" {}\n", other.written())),
    }
}

/// A string in YAML: quoted if it would be read as another type.
fn scalar(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_word)
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    if is_plain {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
    }
}
