//! The functions that templates of manifests use: Go's own, and those of Helm and Argo CD that only compute.

use std::cmp::Ordering;
use std::sync::Arc;

use smol_str::SmolStr;

use super::run::Runner;
use super::{Fault, Value};
use crate::diagnostic::FileId;
use crate::yaml;

pub fn call(runner: &mut Runner, name: &str, arguments: Vec<Value>) -> Result<Value, Fault> {
    let name = without_must(name);
    let name = name.as_str();
    match (name, arguments.as_slice()) {
        ("include", [Value::Text(name), argument]) => {
            return runner.include(name, argument.clone()).map(Value::text);
        }
        ("tpl", [Value::Text(text), argument]) => {
            return runner.nested(text, argument.clone()).map(Value::text);
        }
        ("required", [message, value]) if !value.is_true() => {
            return Err(runner.fault(message.written()));
        }
        ("fail", [message]) => return Err(runner.fault(message.written())),
        _ => {}
    }
    let known = logic(name, &arguments)
        .or_else(|| lists(name, &arguments))
        .or_else(|| maps(name, &arguments))
        .or_else(|| numbers(name, &arguments))
        .or_else(|| texts(name, &arguments));
    let Some(value) = known else {
        return Err(runner.fault(format!("the function `{name}` is not followed here")));
    };
    // What is made, and thrown away again, is work as well.
    runner.written += match &value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        _ => 0,
    };
    Ok(value)
}

/// `mustToJson` fails where `toJson` gives nothing; apart from that they are the same.
fn without_must(name: &str) -> SmolStr {
    let rest = name.strip_prefix("must").unwrap_or_default();
    match rest.chars().next().filter(char::is_ascii_uppercase) {
        Some(first) => format!("{}{}", first.to_ascii_lowercase(), &rest[1..]).into(),
        None => name.into(),
    }
}

fn logic(name: &str, arguments: &[Value]) -> Option<Value> {
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
        ("default", [default, value]) => match value.is_true() {
            true => value.clone(),
            false => default.clone(),
        },
        ("default", [default]) => default.clone(),
        ("empty", [value]) => Value::Bool(!value.is_true()),
        ("coalesce", values) => values
            .iter()
            .find(|value| value.is_true())
            .cloned()
            .unwrap_or_default(),
        ("ternary", [yes, no, condition]) => match condition.is_true() {
            true => yes.clone(),
            false => no.clone(),
        },
        ("required", [_, value]) => value.clone(),
        ("kindIs", [Value::Text(kind), value]) => Value::Bool(kind == kind_of(value)),
        ("kindOf" | "typeOf", [value]) => Value::text(kind_of(value)),
        // What a cluster holds is not known.
        ("lookup", _) => Value::map(std::iter::empty()),
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

fn is_same(a: &Value, b: &Value) -> bool {
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

fn texts(name: &str, arguments: &[Value]) -> Option<Value> {
    let texts: Vec<String> = arguments.iter().map(Value::written).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let text = match (name, texts.as_slice()) {
        ("print" | "cat" | "toString", [one]) => (*one).to_owned(),
        ("print", many) => many.concat(),
        ("printf", [format, ..]) => printf(format, arguments.get(1..)?)?,
        ("quote", many) => {
            let quoted = many
                .iter()
                .map(|one| serde_json::Value::from(*one).to_string());
            quoted.collect::<Vec<_>>().join(" ")
        }
        ("squote", [one]) => format!("'{one}'"),
        ("upper", [one]) => one.to_uppercase(),
        ("lower", [one]) => one.to_lowercase(),
        ("title", [one]) => title(one),
        ("trim", [one]) => one.trim().to_owned(),
        ("trimAll", [set, one]) => one.trim_matches(|c| set.contains(c)).to_owned(),
        ("trimPrefix", [prefix, one]) => one.strip_prefix(prefix).unwrap_or(one).to_owned(),
        ("trimSuffix", [suffix, one]) => one.strip_suffix(suffix).unwrap_or(one).to_owned(),
        ("replace", [from, to, one]) => one.replace(from, to),
        ("trunc", [_, one]) => truncated(arguments.first()?, one)?,
        ("substr", [_, _, one]) => substring(arguments, one)?,
        ("nospace", [one]) => one.split_whitespace().collect(),
        ("indent", [_, one]) => indented(arguments.first()?, one)?,
        ("nindent", [_, one]) => format!("\n{}", indented(arguments.first()?, one)?),
        ("repeat", [_, one]) => match arguments.first()? {
            Value::Int(count @ 0..=1000) => one.repeat(*count as usize),
            _ => return None,
        },
        ("join", [separator, _]) => match arguments.get(1)? {
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Value::written).collect();
                items.join(separator)
            }
            other => other.written(),
        },
        ("kebabcase", [one]) => one.to_lowercase().replace([' ', '_'], "-"),
        ("snakecase", [one]) => one.to_lowercase().replace([' ', '-'], "_"),
        ("normalize", [one]) => normal(one),
        ("slugify", [one]) => normal(one),
        ("toYaml" | "toYamlPretty", [_]) => arguments.first()?.yaml(),
        ("toJson" | "toRawJson", [_]) => arguments.first()?.json().to_string(),
        ("contains", [part, one]) => return Some(Value::Bool(one.contains(part))),
        ("hasPrefix", [prefix, one]) => return Some(Value::Bool(one.starts_with(prefix))),
        ("hasSuffix", [suffix, one]) => return Some(Value::Bool(one.ends_with(suffix))),
        ("splitList", [separator, one]) if !separator.is_empty() => {
            return Some(Value::list(one.split(separator).map(Value::text)));
        }
        ("split", [separator, one]) if !separator.is_empty() => {
            let parts = one.split(separator).enumerate();
            let named = parts.map(|(at, part)| (format!("_{at}").into(), Value::text(part)));
            return Some(Value::map(named));
        }
        _ => return None,
    };
    Some(Value::text(text))
}

fn title(text: &str) -> String {
    let mut start = true;
    let letters = text.chars().flat_map(|c| {
        let first = std::mem::replace(&mut start, c.is_whitespace());
        let upper = first.then(|| c.to_uppercase());
        let same = (!first).then_some(c);
        upper.into_iter().flatten().chain(same)
    });
    letters.collect()
}

fn truncated(length: &Value, text: &str) -> Option<String> {
    let count = text.chars().count();
    match length {
        Value::Int(length @ 0..) => Some(text.chars().take(*length as usize).collect()),
        Value::Int(length) => {
            let kept = length.unsigned_abs() as usize;
            Some(text.chars().skip(count.saturating_sub(kept)).collect())
        }
        _ => None,
    }
}

fn substring(arguments: &[Value], text: &str) -> Option<String> {
    match arguments {
        [Value::Int(from), Value::Int(to), _] => {
            let from = (*from).max(0) as usize;
            let to = usize::try_from(*to).unwrap_or(text.chars().count());
            let kept = text.chars().skip(from).take(to.saturating_sub(from));
            Some(kept.collect())
        }
        _ => None,
    }
}

fn indented(count: &Value, text: &str) -> Option<String> {
    let Value::Int(count @ 0..=200) = count else {
        return None;
    };
    let pad = " ".repeat(*count as usize);
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| format!("{pad}{line}"))
        .collect();
    Some(lines.join("\n"))
}

/// A name that Kubernetes takes.
pub fn normal(text: &str) -> String {
    let mut name = String::new();
    for c in text.to_lowercase().chars() {
        name.push(match c.is_ascii_alphanumeric() || c == '-' || c == '.' {
            true => c,
            false => '-',
        });
    }
    let cut: String = name.chars().take(253).collect();
    cut.trim_matches(['-', '.']).to_owned()
}

/// `%s`, `%d`, `%v`, `%q`, `%%`, and numbers with leading zeros.
fn printf(format: &str, arguments: &[Value]) -> Option<String> {
    let mut text = String::new();
    let mut arguments = arguments.iter();
    let mut characters = format.chars().peekable();
    while let Some(c) = characters.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let mut width = String::new();
        while let Some(digit) = characters.next_if(char::is_ascii_digit) {
            width.push(digit);
        }
        match characters.next()? {
            '%' => text.push('%'),
            's' | 'v' if width.is_empty() => text.push_str(&arguments.next()?.written()),
            'q' if width.is_empty() => {
                let one = arguments.next()?.written();
                text.push_str(&serde_json::Value::from(one).to_string());
            }
            'd' => {
                let Value::Int(number) = arguments.next()? else {
                    return None;
                };
                let size: usize = width.parse().unwrap_or(0);
                text.push_str(&match (width.starts_with('0'), size) {
                    (_, 65..) => return None,
                    (true, size) => format!("{number:0size$}"),
                    (false, size) => format!("{number:size$}"),
                });
            }
            _ => return None,
        }
    }
    Some(text)
}

fn lists(name: &str, arguments: &[Value]) -> Option<Value> {
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

fn maps(name: &str, arguments: &[Value]) -> Option<Value> {
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
        ("hasKey", [map, Value::Text(key)]) => Value::Bool(map.get(key).is_some()),
        ("keys", [Value::Map(map)]) => Value::list(map.keys().cloned().map(Value::Text)),
        ("values", [Value::Map(map)]) => Value::list(map.values().cloned()),
        ("merge", [first, rest @ ..]) => {
            // The first of those that have a key wins.
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
        ("deepCopy", [value]) => value.clone(),
        ("fromYaml" | "fromJson" | "fromYamlArray", [Value::Text(text)]) => {
            let parsed = yaml::parse(text, FileId::NONE);
            let first = parsed.documents.first();
            first
                .map(|document| Value::of(&document.root))
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

fn numbers(name: &str, arguments: &[Value]) -> Option<Value> {
    const NAMES: &[&str] = &[
        "int", "int64", "toInt", "atoi", "add", "add1", "sub", "mul", "div", "mod", "max", "min",
    ];
    if !NAMES.contains(&name) {
        return None;
    }
    let integers: Option<Vec<i64>> = arguments.iter().map(integer).collect();
    let value = match (name, integers?.as_slice()) {
        ("int" | "int64" | "toInt", [one]) => *one,
        ("atoi", [one]) => *one,
        ("add", many) => many
            .iter()
            .try_fold(0i64, |sum, one| sum.checked_add(*one))?,
        ("add1", [one]) => one.checked_add(1)?,
        ("sub", [a, b]) => a.checked_sub(*b)?,
        ("mul", many) => many
            .iter()
            .try_fold(1i64, |sum, one| sum.checked_mul(*one))?,
        ("div", [a, b]) => a.checked_div(*b)?,
        ("mod", [a, b]) => a.checked_rem(*b)?,
        ("max", many) => *many.iter().max()?,
        ("min", many) => *many.iter().min()?,
        _ => return None,
    };
    Some(Value::Int(value))
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        Value::Float(value) => Some(*value as i64),
        Value::Text(text) => Some(text.parse().unwrap_or(0)),
        Value::Nil => Some(0),
        _ => None,
    }
}
