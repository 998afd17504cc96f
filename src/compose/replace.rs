//! Replacements: a value copied from a field of one object into fields of others.

use smol_str::SmolStr;

use super::item::Item;
use super::select::Matcher;
use crate::diagnostic::Finding;
use crate::fact::{FieldOptions, Replacement, ReplacementTarget};
use crate::yaml::{Node, Scalar, Value};

pub fn replace(items: &mut [Item], replacement: &Replacement, findings: &mut Vec<Finding>) {
    let value = match source_value(items, replacement) {
        Ok(value) => value,
        Err(message) => {
            findings.push(Finding::error(
                "replacement-failed",
                replacement.place,
                message,
            ));
            return;
        }
    };
    for target in &replacement.targets {
        if let Err(message) = replace_in(items, target, &value) {
            findings.push(Finding::error("replacement-failed", target.place, message));
        }
    }
}

fn source_value(items: &[Item], replacement: &Replacement) -> Result<Node, String> {
    let source = replacement
        .source
        .as_ref()
        .ok_or("a replacement has no `source`")?;
    if let Some(value) = &source.value {
        return Ok(Node::string(value.clone(), replacement.place));
    }
    let matcher = Matcher::new(&source.selector)?;
    let mut found = items.iter().filter(|item| matcher.matches(item));
    let item = found
        .next()
        .ok_or("the source of a replacement is not among what is included here")?;
    if found.next().is_some() {
        return Err("the source of a replacement is not a single object".into());
    }
    let path = match source.field_path.is_empty() {
        true => "metadata.name",
        false => &source.field_path,
    };
    let segments = segments(path);
    let mut node = (*item.node).clone();
    let mut value = None;
    visit(&mut node, &segments, Missing::Skip, &mut |node| {
        value.get_or_insert_with(|| node.clone());
    });
    let mut value = value.ok_or_else(|| format!("{} has no field `{path}`", item.id))?;
    if !source.options.delimiter.is_empty() {
        let text = value
            .as_scalar()
            .map(|scalar| scalar.text.clone())
            .unwrap_or_default();
        let part = part(&text, &source.options).ok_or_else(|| {
            format!(
                "`{path}` of {} has no part {}",
                item.id, source.options.index
            )
        })?;
        value.value = Value::Scalar(Scalar::string(part));
    }
    Ok(value)
}

fn part(text: &str, options: &FieldOptions) -> Option<SmolStr> {
    let index = usize::try_from(options.index).ok()?;
    text.split(options.delimiter.as_str())
        .nth(index)
        .map(SmolStr::from)
}

fn replace_in(items: &mut [Item], target: &ReplacementTarget, value: &Node) -> Result<(), String> {
    let select = Matcher::new(&target.select)?;
    let rejects = target
        .reject
        .iter()
        .map(Matcher::new)
        .collect::<Result<Vec<_>, _>>()?;
    let default = [SmolStr::from("metadata.name")];
    let paths = match target.field_paths.is_empty() {
        true => &default[..],
        false => &target.field_paths,
    };
    for item in items.iter_mut() {
        if !select.matches(item) || rejects.iter().any(|reject| reject.matches(item)) {
            continue;
        }
        item.remember();
        for path in paths {
            let segments = segments(path);
            let missing = match target.options.create {
                true => Missing::Create,
                false => Missing::Skip,
            };
            let mut found = false;
            visit(item.node_mut(), &segments, missing, &mut |node| {
                found = true;
                put(node, value, &target.options);
            });
            let wild = segments.iter().any(|segment| segment == "*");
            if !found && !wild {
                return Err(format!("{} has no field `{path}`", item.id));
            }
        }
        item.refresh();
    }
    Ok(())
}

/// Sets a node, or the part of it that options name.
fn put(node: &mut Node, value: &Node, options: &FieldOptions) {
    if options.delimiter.is_empty() {
        match (&mut node.value, &value.value) {
            // The target keeps its style, so that a string stays one.
            (Value::Scalar(old), Value::Scalar(new)) => {
                old.text = new.text.clone();
                if new.style != crate::yaml::Style::Plain && old.style == crate::yaml::Style::Plain
                {
                    old.style = new.style;
                }
            }
            _ => node.value = value.value.clone(),
        }
        node.place = value.place;
        return;
    }
    let old = node
        .as_scalar()
        .map(|scalar| scalar.text.clone())
        .unwrap_or_default();
    let new = value
        .as_scalar()
        .map(|scalar| scalar.text.clone())
        .unwrap_or_default();
    let delimiter = options.delimiter.as_str();
    let mut parts: Vec<&str> = old.split(delimiter).collect();
    match usize::try_from(options.index) {
        Err(_) => parts.insert(0, &new),
        Ok(index) if index >= parts.len() => parts.push(&new),
        Ok(index) => parts[index] = &new,
    }
    node.value = Value::Scalar(Scalar::string(parts.join(delimiter)));
}

/// `spec.template.containers.[name=app].image`, with `\.` for a dot within a part.
fn segments(path: &str) -> Vec<String> {
    let mut segments = vec![String::new()];
    let mut in_brackets = false;
    let mut chars = path.chars().peekable();
    while let Some(c) = chars.next() {
        let last = segments.last_mut().expect("starts with one segment");
        match c {
            '\\' if chars.peek() == Some(&'.') => last.extend(chars.next()),
            '.' if !in_brackets => segments.push(String::new()),
            _ => {
                in_brackets = match c {
                    '[' => true,
                    ']' => false,
                    _ => in_brackets,
                };
                last.push(c);
            }
        }
    }
    segments
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Skip,
    Create,
}

fn visit(node: &mut Node, path: &[String], missing: Missing, f: &mut dyn FnMut(&mut Node)) {
    let Some((first, rest)) = path.split_first() else {
        return f(node);
    };
    let place = node.place;
    if missing == Missing::Create && node.is_null() {
        node.value = match first.starts_with('[') {
            true => Value::Seq(Vec::new()),
            false => Node::map(place).value,
        };
    }
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Map(map) if first == "*" => map
            .0
            .iter_mut()
            .for_each(|entry| visit(&mut entry.value, rest, missing, f)),
        Value::Map(map) => match missing {
            Missing::Create => {
                let child = map.get_or_insert(first, || Node::plain("", place));
                visit(child, rest, missing, f);
            }
            Missing::Skip => {
                if let Some(child) = map.get_mut(first) {
                    visit(child, rest, missing, f);
                }
            }
        },
        Value::Seq(items) => visit_list(items, first, rest, missing, f),
    }
}

fn visit_list(
    items: &mut Vec<Node>,
    first: &str,
    rest: &[String],
    missing: Missing,
    f: &mut dyn FnMut(&mut Node),
) {
    if first == "*" {
        return items
            .iter_mut()
            .for_each(|item| visit(item, rest, missing, f));
    }
    if let Ok(index) = first.parse::<usize>() {
        if let Some(item) = items.get_mut(index) {
            visit(item, rest, missing, f);
        }
        return;
    }
    let Some((key, value)) = first
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']')?.split_once('='))
    else {
        return;
    };
    for item in items.iter_mut() {
        let matches = match key.is_empty() {
            true => item.text() == Some(value),
            false => item.text_at(&[key]) == Some(value),
        };
        if matches {
            visit(item, rest, missing, f);
        }
    }
}
