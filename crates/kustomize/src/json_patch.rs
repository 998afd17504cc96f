//! JSON patches (RFC 6902): a list of operations on paths, all of which must succeed. Changes the node it is given.

use super::effort::{Effort, fits};
use yaml::{Node, Scalar, ScalarKind, Value};

/// Applies the operations in order; an error says which one fails.
pub fn apply(target: &mut Node, operations: &[Node], effort: &mut Effort) -> Result<(), String> {
    operations
        .iter()
        .try_for_each(|operation| apply_one(target, operation, effort))?;
    round_numbers(target);
    for key in ["labels", "annotations"] {
        let metadata = target.get_mut("metadata");
        let pairs = metadata.and_then(|metadata| metadata.get_mut(key)?.as_map_mut());
        for entry in pairs.into_iter().flat_map(|map| &mut map.0) {
            if let Value::Scalar(scalar) = &mut entry.value.value {
                format_as_json(scalar);
            }
        }
    }
    Ok(())
}

/// Formats a number as it comes out of JSON, where all numbers are floats.
fn format_as_json(scalar: &mut Scalar) {
    let text = match scalar.kind() {
        ScalarKind::Str(_) => match scalar.timestamp() {
            Some(text) => return *scalar = Scalar::string(text),
            None => return,
        },
        ScalarKind::Null => "null".to_owned(),
        ScalarKind::Bool(flag) => flag.to_string(),
        ScalarKind::Int(number) => float_text(number as f64),
        ScalarKind::Float(number) => float_text(number),
    };
    *scalar = Scalar::plain(text);
}

/// A float as Go writes it in its shortest form: `100000.5`, `1e+06`.
fn float_text(number: f64) -> String {
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => match exponent.parse::<i32>() {
            Ok(exponent) if !(-4..6).contains(&exponent) => format!("{digits}e{exponent:+03}"),
            _ => number.to_string(),
        },
        None => text,
    }
}

/// Rounds numbers as JSON does: large integers lose their last digits. Absent values become `null`.
fn round_numbers(node: &mut Node) {
    const EXACT: u64 = 1 << 53;
    match &mut node.value {
        Value::Scalar(scalar) => {
            let large = match scalar.kind() {
                ScalarKind::Int(number) if number.unsigned_abs() > EXACT => number as f64,
                ScalarKind::Float(number) if scalar.text.parse::<u64>().is_ok() => number,
                ScalarKind::Null if scalar.text.is_empty() => {
                    return *scalar = Scalar::plain("null");
                }
                _ => return,
            };
            *scalar = Scalar::plain(large.to_string());
        }
        Value::Seq(items) => items.iter_mut().for_each(round_numbers),
        Value::Map(map) => map
            .0
            .iter_mut()
            .for_each(|entry| round_numbers(&mut entry.value)),
    }
}

/// Values of operations follow YAML 1.1: some words are booleans, and dates are strings.
fn resolve_yaml_1_1(mut node: Node) -> Node {
    match &mut node.value {
        Value::Scalar(scalar) => {
            if let Some(word) = scalar.word() {
                *scalar = Scalar::plain(if word { "true" } else { "false" });
            } else if scalar.timestamp().is_some() {
                *scalar = Scalar::string(scalar.text.clone());
            }
        }
        Value::Seq(items) => {
            for item in items {
                let place = item.place;
                *item = resolve_yaml_1_1(std::mem::replace(item, Node::plain("", place)));
            }
        }
        Value::Map(map) => {
            for entry in &mut map.0 {
                let place = entry.value.place;
                let value = std::mem::replace(&mut entry.value, Node::plain("", place));
                entry.value = resolve_yaml_1_1(value);
            }
        }
    }
    node
}

fn apply_one(target: &mut Node, operation: &Node, effort: &mut Effort) -> Result<(), String> {
    let field = |key: &str| {
        let scalar = operation.get(key).and_then(Node::as_scalar);
        scalar.map(|scalar| scalar.text.as_str())
    };
    let op = field("op").unwrap_or_default();
    let path = field("path").ok_or("an operation has no `path`")?;
    let pointer = pointer(path)?;
    let value = || match operation.get("value") {
        Some(value) => resolve_yaml_1_1(value.clone()),
        None => Node::plain("null", operation.place),
    };
    let from = || {
        let from = field("from").ok_or_else(|| format!("`{op}` of `{path}` has no `from`"))?;
        self::pointer(from)
    };
    match op {
        "add" | "replace" => {
            let node = value();
            fits(&node, pointer.len())?;
            effort.write(node.size())?;
            match op {
                "add" => add(target, &pointer, node, path),
                _ => replace(target, &pointer, node, path),
            }
        }
        "remove" => remove(target, &pointer, path).map(drop),
        "move" => {
            let node = remove(target, &from()?, path)?;
            fits(&node, pointer.len())?;
            add(target, &pointer, node, path)
        }
        "copy" => {
            let node = find(target, &from()?).ok_or_else(|| missing(path))?;
            // Copying a value into itself doubles it.
            effort.write(node.size())?;
            fits(node, pointer.len())?;
            let node = node.clone();
            add(target, &pointer, node, path)
        }
        "test" => match find(target, &pointer) {
            Some(node) if node.same(&value()) => Ok(()),
            None if value().is_null() => Ok(()),
            _ => Err(format!("the test of `{path}` fails")),
        },
        other => Err(format!("`{other}` is not a JSON patch operation")),
    }
}

/// The segments of a path. Text before the first slash is dropped, as kustomize does.
fn pointer(path: &str) -> Result<Vec<String>, String> {
    let segments = path
        .split('/')
        .skip(1)
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"));
    let pointer: Vec<String> = segments.collect();
    if pointer.is_empty() && !path.is_empty() {
        Err(format!("the path `{path}` contains no `/`"))
    } else {
        Ok(pointer)
    }
}

fn find<'a>(node: &'a mut Node, pointer: &[String]) -> Option<&'a mut Node> {
    pointer
        .iter()
        .try_fold(node, |node, segment| match &mut node.value {
            Value::Map(map) => map.get_mut(segment),
            Value::Seq(items) => {
                let index = index(segment, items.len())?;
                items.get_mut(index)
            }
            Value::Scalar(_) => None,
        })
}

/// A position in a list. Negative ones count from the end, as in kustomize.
fn index(segment: &str, len: usize) -> Option<usize> {
    let index: i64 = segment.parse().ok()?;
    if index < 0 {
        len.checked_sub(usize::try_from(-index).ok()?)
    } else {
        usize::try_from(index).ok()
    }
}

fn add(target: &mut Node, pointer: &[String], value: Node, path: &str) -> Result<(), String> {
    let Some((last, parents)) = pointer.split_last() else {
        *target = value;
        return Ok(());
    };
    let parent = find(target, parents).ok_or_else(|| missing(path))?;
    match &mut parent.value {
        Value::Map(map) => map.set(last, value),
        Value::Seq(items) if last == "-" => items.push(value),
        Value::Seq(items) => {
            // There is one more position than elements: `-1` is after the last.
            let at = index(last, items.len() + 1).filter(|at| *at <= items.len());
            items.insert(at.ok_or_else(|| missing(path))?, value);
        }
        Value::Scalar(_) => return Err(missing(path)),
    }
    Ok(())
}

/// Replaces a value. A missing key of a mapping is added.
fn replace(target: &mut Node, pointer: &[String], value: Node, path: &str) -> Result<(), String> {
    let Some((last, parents)) = pointer.split_last() else {
        *target = value;
        return Ok(());
    };
    let parent = find(target, parents).ok_or_else(|| missing(path))?;
    match &mut parent.value {
        Value::Map(map) => map.set(last, value),
        Value::Seq(items) => {
            let at = index(last, items.len());
            let item = at.and_then(|at| items.get_mut(at));
            *item.ok_or_else(|| missing(path))? = value;
        }
        Value::Scalar(_) => return Err(missing(path)),
    }
    Ok(())
}

fn remove(target: &mut Node, pointer: &[String], path: &str) -> Result<Node, String> {
    let (last, parents) = pointer
        .split_last()
        .ok_or("a patch cannot remove the whole object")?;
    let parent = find(target, parents).ok_or_else(|| missing(path))?;
    let removed = match &mut parent.value {
        Value::Map(map) => map.remove(last),
        Value::Seq(items) => index(last, items.len())
            .filter(|at| *at < items.len())
            .map(|at| items.remove(at)),
        Value::Scalar(_) => None,
    };
    removed.ok_or_else(|| missing(path))
}

fn missing(path: &str) -> String {
    format!("the path `{path}` does not exist")
}
