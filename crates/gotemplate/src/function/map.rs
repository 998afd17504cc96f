//! Functions over maps. They return new maps; `run.rs` emulates those that change a map in place.

use smol_str::SmolStr;

use super::super::Value;
use base::FileId;

pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let value = match (name, arguments) {
        ("dict", entries) if entries.len().is_multiple_of(2) => {
            let pairs = entries.chunks(2);
            Value::map(pairs.map(|pair| (SmolStr::from(pair[0].written()), pair[1].clone())))
        }
        ("get", [map, Value::Text(key)]) => {
            let found = map.get(key).cloned();
            found.unwrap_or_else(|| Value::text(""))
        }
        ("dig", [path @ .., default, map]) => {
            let mut value = map.clone();
            for key in path {
                value = match value.get(&key.written()) {
                    Some(inner) => inner.clone(),
                    None => return Some(default.clone()),
                };
            }
            value
        }
        ("pluck", [Value::Text(key), maps @ ..]) => {
            Value::list(maps.iter().filter_map(|map| map.get(key)).cloned())
        }
        ("hasKey", [map, Value::Text(key)]) => Value::Bool(map.get(key).is_some()),
        ("keys", [Value::Map(map)]) => Value::list(map.keys().cloned().map(Value::Text)),
        ("values", [Value::Map(map)]) => Value::list(map.values().cloned()),
        ("merge", [first, rest @ ..]) => {
            // The first map that has a key wins.
            let mut merged = Value::map(std::iter::empty());
            for one in rest.iter().rev().chain([first]) {
                merged.merge(one);
            }
            merged
        }
        ("mergeOverwrite", [first, rest @ ..]) => {
            let mut merged = first.clone();
            for one in rest {
                merged.merge(one);
            }
            merged
        }
        ("deepCopy", [value]) => value.copied(),
        ("set", [Value::Map(map), Value::Text(key), value]) => {
            let others = map.iter().map(|(key, value)| (key.clone(), value.clone()));
            Value::map(others.chain([(key.clone(), value.clone())]))
        }
        ("unset", [Value::Map(map), Value::Text(key)]) => {
            let others = map.iter().filter(|(other, _)| *other != key);
            Value::map(others.map(|(key, value)| (key.clone(), value.clone())))
        }
        ("fromYaml" | "fromJson" | "fromYamlArray", [Value::Text(text)]) => {
            let parsed = yaml::parse(text, FileId::NONE);
            let first = parsed.documents.first();
            first
                .map(|document| Value::from_node(&document.root))
                .unwrap_or_default()
        }
        ("pick", [map, names @ ..]) | ("omit", [map, names @ ..]) => {
            let Value::Map(map) = map else {
                return None;
            };
            let named = |key: &SmolStr| names.iter().any(|it| it.written() == key.as_str());
            let kept = map.iter().filter(|(key, _)| named(key) == (name == "pick"));
            Value::map(kept.map(|(key, value)| (key.clone(), value.clone())))
        }
        _ => return None,
    };
    Some(value)
}
