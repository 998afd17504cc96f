//! The functions that templates of manifests use: Go's own, and those of Helm and Argo CD that only compute.

mod cost;
mod format;
mod name;
mod pattern;
mod version;

use std::cmp::Ordering;
use std::sync::Arc;

use format::printf;
pub use name::normal;
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use super::run::Runner;
use super::{Fault, MAX_NESTED, MAX_TEXT, Value};
use base::FileId;
use base::MARKER;

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
            runner.look(message.size().weight)?;
            return Err(runner.fault(message.written()));
        }
        ("fail", [message]) => {
            runner.look(message.size().weight)?;
            return Err(runner.fault(message.written()));
        }
        _ => {}
    }
    if let Some(value) = pattern::call(runner, name, &arguments)? {
        return counted(runner, value);
    }
    runner.look(cost::walked(name, &arguments))?;
    if cost::made(name, &arguments) > MAX_TEXT as u64 {
        return Err(runner.too_much());
    }
    let known = logic(name, &arguments)
        .or_else(|| lists(name, &arguments))
        .or_else(|| maps(name, &arguments))
        .or_else(|| numbers(name, &arguments));
    let known = match known {
        Some(value) => Some(value),
        None => {
            // These make texts of all that they are given.
            runner.look(cost::weight(&arguments))?;
            texts(name, &arguments)
        }
    };
    let Some(value) = known else {
        return Err(runner.fault(format!("the function `{name}` is not supported")));
    };
    if matches!(name, "deepCopy" | "fromYaml" | "fromJson" | "fromYamlArray") {
        // Nothing of these is shared.
        runner.look(value.size().weight)?;
    }
    counted(runner, value)
}

/// What is made, and thrown away again, is work as well.
fn counted(runner: &mut Runner, value: Value) -> Result<Value, Fault> {
    runner.written += match &value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        _ => 0,
    };
    if runner.written > MAX_TEXT || value.size().depth > MAX_NESTED {
        Err(runner.too_much())
    } else {
        Ok(value)
    }
}

/// Whether a function changes the map that it is given first, and gives that.
pub fn changes_in_place(name: &str) -> bool {
    let name = without_must(name);
    matches!(name.as_str(), "set" | "unset" | "merge" | "mergeOverwrite")
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
        ("required", [_, value]) => value.clone(),
        ("kindIs", [Value::Text(kind), value]) => Value::Bool(kind == kind_of(value)),
        ("kindOf", [value]) => Value::text(kind_of(value)),
        ("typeOf", [value]) => Value::text(type_of(value)?),
        ("typeIs", [Value::Text(name), value]) => Value::Bool(name == type_of(value)?),
        ("semverCompare", [Value::Text(asked), Value::Text(version)]) => {
            Value::Bool(version::meets(asked, version)?)
        }
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

/// What Go calls the type of a value. Numbers of values are of another than numbers of templates, which nobody tells apart
/// here.
fn type_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Nil => Some("<nil>"),
        Value::Int(_) => None,
        Value::List(_) => Some("[]interface {}"),
        Value::Map(_) => Some("map[string]interface {}"),
        Value::Bool(_) | Value::Float(_) | Value::Text(_) => Some(kind_of(value)),
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
        ("print" | "toString", [one]) => (*one).to_owned(),
        ("cat", _) => {
            let stated = arguments.iter().filter(|one| **one != Value::Nil);
            stated.map(Value::written).collect::<Vec<_>>().join(" ")
        }
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
        ("camelcase", [one]) => name::camel(one)?,
        ("normalize", [one]) => normal(one),
        ("slugify", _) => name::slug(arguments)?,
        ("slugifyLabel", [one]) => name::label(one)?,
        ("base", [one]) => name::base(one).to_owned(),
        ("dir", [one]) => name::directory(one),
        ("clean", [one]) => name::clean(one),
        // Nothing is made of a secret that would no longer look like one.
        ("b64enc" | "sha256sum", [one]) if one.contains(MARKER) => MARKER.to_owned(),
        ("b64enc", [one]) => yaml::encode_base64(one.as_bytes()).replace('\n', ""),
        ("sha256sum", [one]) => format!("{:x}", Sha256::digest(one.as_bytes())),
        ("seq", _) => {
            let numbers = sequence(arguments)?.into_iter();
            numbers
                .map(|it| it.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        }
        ("toPrettyJson", [_]) => serde_json::to_string_pretty(&arguments.first()?.json()).ok()?,
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
        ("splitn", [separator, _, one]) if !separator.is_empty() => {
            let Value::Int(most @ 1..) = arguments.get(1)? else {
                return None;
            };
            let parts = one.splitn(*most as usize, separator).enumerate();
            let named = parts.map(|(at, part)| (format!("_{at}").into(), Value::text(part)));
            return Some(Value::map(named));
        }
        _ => return None,
    };
    Some(Value::text(text))
}

/// `seq 3`, `seq 2 5` and `seq 1 2 9`, as the program of that name counts.
fn sequence(arguments: &[Value]) -> Option<Vec<i64>> {
    match arguments {
        [Value::Int(end)] => steps(1, *end, if *end < 1 { -1 } else { 1 }, Last::In),
        [Value::Int(start), Value::Int(end)] => {
            steps(*start, *end, if end < start { -1 } else { 1 }, Last::In)
        }
        [Value::Int(start), Value::Int(step), Value::Int(end)] => {
            steps(*start, *end, *step, Last::In)
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    In,
    Out,
}

fn steps(start: i64, end: i64, step: i64, last: Last) -> Option<Vec<i64>> {
    const MAX: usize = 100_000;
    let mut numbers = Vec::new();
    let mut at = start;
    while step != 0 && ((at < end) == (step > 0) && at != end || at == end && last == Last::In) {
        if numbers.len() >= MAX {
            return None;
        }
        numbers.push(at);
        at = at.checked_add(step)?;
    }
    Some(numbers)
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
        ("reverse", [list]) => Value::list(items(list)?.iter().rev().cloned()),
        ("without", [list, unwanted @ ..]) => {
            let list = items(list)?;
            let is_wanted = |item: &&Value| !unwanted.iter().any(|it| is_same(it, item));
            Value::list(list.iter().filter(is_wanted).cloned())
        }
        ("untilStep", [Value::Int(start), Value::Int(end), Value::Int(step)]) => {
            let numbers = steps(*start, *end, *step, Last::Out)?;
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
        ("pluck", [Value::Text(key), maps @ ..]) => {
            Value::list(maps.iter().filter_map(|map| map.get(key)).cloned())
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
