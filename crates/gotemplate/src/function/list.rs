//! Functions over lists, and `index` and `len`, which take maps and texts too.

use std::sync::Arc;

use super::super::Value;
use super::logic::is_same;
use super::number::{RangeEnd, steps};

pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let items = |value: &Value| match value {
        Value::List(items) => Some(items.clone()),
        Value::Nil => Some(Arc::default()),
        _ => None,
    };
    let value = match (name, arguments) {
        ("list" | "tuple", items) => Value::list(items.iter().cloned()),
        ("index", [value, path @ ..]) => indexed(value, path)?,
        ("len", [value]) => Value::Int(match value {
            Value::List(items) => items.len(),
            Value::Map(map) => map.len(),
            Value::Text(text) => text.len(),
            _ => return None,
        } as i64),
        ("first", [list]) => items(list)?.first().cloned().unwrap_or_default(),
        ("last", [list]) => items(list)?.last().cloned().unwrap_or_default(),
        ("rest", [list]) => Value::list(items(list)?.iter().skip(1).cloned()),
        ("initial", [list]) => {
            let list = items(list)?;
            Value::list(list.iter().take(list.len().saturating_sub(1)).cloned())
        }
        ("slice", [list, Value::Int(from @ 0..), to @ ..]) => {
            let list = items(list)?;
            let to = match to {
                [] => list.len(),
                [Value::Int(to @ 0..)] => *to as usize,
                _ => return None,
            };
            let kept = list.iter().take(to).skip(*from as usize);
            Value::list(kept.cloned())
        }
        ("has", [item, list]) => Value::Bool(items(list)?.iter().any(|it| is_same(it, item))),
        ("append", [list, item]) => Value::list(items(list)?.iter().cloned().chain([item.clone()])),
        ("prepend", [list, item]) => {
            Value::list(std::iter::once(item.clone()).chain(items(list)?.iter().cloned()))
        }
        ("concat", lists) => {
            let lists: Option<Vec<_>> = lists.iter().map(items).collect();
            Value::list(lists?.iter().flat_map(|list| list.iter().cloned()))
        }
        ("compact", [list]) => {
            let list = items(list)?;
            Value::list(list.iter().filter(|item| item.is_true()).cloned())
        }
        ("uniq", [list]) => {
            let mut seen: Vec<Value> = Vec::new();
            for item in items(list)?.iter() {
                if !seen.contains(item) {
                    seen.push(item.clone());
                }
            }
            Value::list(seen.into_iter())
        }
        ("sortAlpha", [list]) => {
            let mut texts: Vec<String> = items(list)?.iter().map(Value::written).collect();
            texts.sort();
            Value::list(texts.into_iter().map(Value::text))
        }
        ("reverse", [list]) => Value::list(items(list)?.iter().rev().cloned()),
        ("without", [list, unwanted @ ..]) => {
            let list = items(list)?;
            let is_wanted = |item: &&Value| !unwanted.iter().any(|it| is_same(it, item));
            Value::list(list.iter().filter(is_wanted).cloned())
        }
        ("untilStep", [Value::Int(start), Value::Int(end), Value::Int(step)]) => {
            let numbers = steps(*start, *end, *step, RangeEnd::Exclusive)?;
            Value::list(numbers.into_iter().map(Value::Int))
        }
        ("until", [Value::Int(count @ 0..=100_000)]) => Value::list((0..*count).map(Value::Int)),
        _ => return None,
    };
    Some(value)
}

fn indexed(value: &Value, path: &[Value]) -> Option<Value> {
    let mut value = value.clone();
    for key in path {
        value = match (&value, key) {
            (Value::Map(map), Value::Text(key)) => map.get(key).cloned().unwrap_or_default(),
            (Value::List(items), Value::Int(at)) => items.get(usize::try_from(*at).ok()?)?.clone(),
            _ => return None,
        };
    }
    Some(value)
}
