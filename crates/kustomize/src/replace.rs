//! Replacements: copies a value from a field of one object into fields of others.

use smol_str::SmolStr;

use super::effort::{Effort, fits};
use super::item::BuildObject;
use super::merge::change_shared;
use super::select::{is_rejected, is_source};
use crate::{FieldOptions, Replacement, ReplacementTarget};
use base::Finding;
use base::pattern::Regex;
use yaml::{Map, Node, Scalar, ScalarKind, Value};

pub fn replace(
    items: &mut [BuildObject],
    replacement: &Replacement,
    effort: &mut Effort,
    findings: &mut Vec<Finding>,
) {
    let fault = |place, message: String| {
        let message = format!("kustomize cannot make this replacement: {message}");
        Finding::error("replacement-failed", place, message).help("correct the entry, or remove it")
    };
    let value = match source_value(items, replacement) {
        Ok(value) => value,
        Err(message) => return findings.push(fault(replacement.place, message)),
    };
    if replacement.targets.is_empty() {
        findings.push(fault(replacement.place, "it has no `targets`".into()));
    }
    for target in &replacement.targets {
        if let Err(message) = replace_in(items, target, &value, effort) {
            if effort.is_exceeded() {
                findings.extend(effort.take_finding(target.place))
            } else {
                findings.push(fault(target.place, message))
            }
        }
    }
}

fn source_value(items: &[BuildObject], replacement: &Replacement) -> Result<Node, String> {
    let source = replacement.source.as_ref();
    let source = source.ok_or("it has no `source`")?;
    if let Some(value) = &source.value {
        return Ok(Node::string(value.clone(), replacement.place));
    }
    let mut found = items
        .iter()
        .filter(|item| is_source(item, &source.selector));
    let item = found
        .next()
        .ok_or("its source is not included by this kustomization")?;
    if found.next().is_some() {
        return Err("its source matches several objects".into());
    }
    let path = if source.field_path.is_empty() {
        "metadata.name"
    } else {
        &source.field_path
    };
    let missing = || format!("{} has no field `{path}`", item.id);
    let mut value = lookup(&item.node, &segments(path))
        .ok_or_else(missing)?
        .clone();
    if value.is_null() || value.as_seq().is_some_and(<[Node]>::is_empty) {
        return Err(missing());
    }
    if !source.options.delimiter.is_empty() {
        let text = value
            .as_scalar()
            .ok_or("a `delimiter` can only split a string")?;
        let part = part(&text.text, &source.options).ok_or_else(|| {
            format!(
                "`{path}` of {} has no part {}",
                item.id, source.options.index
            )
        })?;
        value.value = Value::Scalar(Scalar {
            text: part,
            ..text.clone()
        });
    }
    Ok(value)
}

/// The node at a path. List elements are selected by index or by the value of a field.
fn lookup<'a>(node: &'a Node, path: &[String]) -> Option<&'a Node> {
    path.iter()
        .try_fold(node, |node, segment| match &node.value {
            Value::Map(map) => map.get(segment),
            Value::Scalar(_) => None,
            Value::Seq(items) => match condition(segment) {
                Some((key, value)) => items
                    .iter()
                    .find(|item| field_text(item, key) == Some(value)),
                None if segment == "-" => items.last(),
                None => items.get(segment.parse::<usize>().ok()?),
            },
        })
}

fn part(text: &str, options: &FieldOptions) -> Option<SmolStr> {
    let index = usize::try_from(options.index).ok()?;
    text.split(options.delimiter.as_str())
        .nth(index)
        .map(SmolStr::from)
}

fn replace_in(
    items: &mut [BuildObject],
    target: &ReplacementTarget,
    value: &Node,
    effort: &mut Effort,
) -> Result<(), String> {
    let select = target.select.as_ref();
    let select = select.ok_or("a target has no `select`")?;
    let default = [SmolStr::from("metadata.name")];
    let paths = if target.field_paths.is_empty() {
        &default[..]
    } else {
        &target.field_paths
    };
    let values = value.size();
    for item in items.iter_mut() {
        if !is_source(item, select) || is_rejected(item, &target.reject) {
            continue;
        }
        for path in paths {
            let path_segments = segments(path);
            fits(value, path_segments.len())?;
            let walk = PathWalker {
                missing: if target.options.create {
                    Missing::Create
                } else {
                    Missing::Skip
                },
            };
            let mut outcome = None;
            let mut changed = Vec::new();
            let visited = walk.visit(item.node_mut(), &path_segments, &mut |node| {
                let shared = node.as_scalar().and_then(|old| old.shared);
                let put = effort
                    .write(values)
                    .and_then(|()| effort.write_text(joined(node, value, &target.options)))
                    .and_then(|()| put(node, value, &target.options));
                outcome = Some(outcome.take().unwrap_or(Ok(())).and(put));
                changed.extend(shared.zip(node.as_scalar().cloned()));
            });
            for (shared, value) in changed {
                change_shared(item.node_mut(), shared, &value);
            }
            // A value that was not secret at its source may be secret at its target.
            secret::seal(item.node_mut());
            visited?;
            match outcome {
                Some(Ok(())) => {}
                Some(Err(message)) => return Err(format!("`{path}` of {}: {message}", item.id)),
                None => return Err(format!("{} has no field `{path}`", item.id)),
            }
        }
        item.refresh();
    }
    Ok(())
}

/// Length of the resulting text if options select a part of it.
fn joined(node: &Node, value: &Node, options: &FieldOptions) -> usize {
    let length = |node: &Node| node.as_scalar().map_or(0, |scalar| scalar.text.len());
    if options.delimiter.is_empty() {
        0
    } else {
        length(node) + length(value)
    }
}

/// Sets a node, or the part of it that options select. A scalar keeps its type.
fn put(node: &mut Node, value: &Node, options: &FieldOptions) -> Result<(), String> {
    let text = value.as_scalar().map(|scalar| scalar.text.clone());
    let Value::Scalar(old) = &mut node.value else {
        if !options.delimiter.is_empty() {
            return Err("a `delimiter` can only split a string".into());
        }
        *node = value.clone();
        return Ok(());
    };
    // A created node takes the value without its quotes, so that `"1.10"` becomes a number.
    let made = options.create && old.is_null() && old.text.is_empty();
    if made && options.delimiter.is_empty() && text.is_none() {
        *node = value.clone();
        return Ok(());
    }
    let text = text.unwrap_or_default();
    let text = match options.delimiter.as_str() {
        "" => text,
        delimiter => {
            let mut parts: Vec<&str> = old.text.split(delimiter).collect();
            match usize::try_from(options.index) {
                Err(_) => parts.insert(0, &text),
                Ok(index) if index >= parts.len() => parts.push(&text),
                Ok(index) => parts[index] = &text,
            }
            parts.join(delimiter).into()
        }
    };
    let new = match old.kind() {
        _ if made => Scalar::plain(text),
        ScalarKind::Str(_) | ScalarKind::Null => Scalar::string(text),
        kind => {
            let new = Scalar::plain(text);
            let fits = match (kind, new.kind()) {
                (ScalarKind::Float(_), ScalarKind::Int(_)) => true,
                (a, b) => std::mem::discriminant(&a) == std::mem::discriminant(&b),
            };
            if !fits {
                return Err(format!(
                    "`{}` has a different type from the value it replaces",
                    new.text
                ));
            }
            new
        }
    };
    *old = Scalar {
        shared: old.shared,
        ..new
    };
    node.place = value.place;
    Ok(())
}

/// Splits `spec.template.containers.[name=app].image`. `\.` is a dot within a segment; so is one in `[a.b/c]`, whose
/// brackets are removed.
pub fn segments(path: &str) -> Vec<String> {
    let mut segments = vec![String::new()];
    let (mut in_brackets, mut has_dots) = (false, false);
    let mut chars = path.chars().peekable();
    while let Some(c) = chars.next() {
        let last = segments.last_mut().expect("starts with one segment");
        match c {
            '\\' if chars.peek() == Some(&'.') => last.extend(chars.next()),
            '.' if !in_brackets => segments.push(String::new()),
            ']' if has_dots && last.starts_with('[') && !last.contains('=') => {
                last.remove(0);
                (in_brackets, has_dots) = (false, false);
            }
            _ => {
                match c {
                    '[' => in_brackets = true,
                    ']' => (in_brackets, has_dots) = (false, false),
                    '.' => has_dots = true,
                    _ => {}
                }
                last.push(c);
            }
        }
    }
    segments.retain(|segment| !segment.is_empty());
    segments
}

/// Parses `[name=app]`, or `[=app]` for elements that are scalars.
fn condition(segment: &str) -> Option<(&str, &str)> {
    segment
        .strip_prefix('[')?
        .strip_suffix(']')?
        .split_once('=')
}

fn field_text<'a>(item: &'a Node, key: &str) -> Option<&'a str> {
    let node = if key.is_empty() {
        Some(item)
    } else {
        item.get(key)
    };
    node?.as_scalar().map(|scalar| scalar.text.as_str())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Skip,
    Create,
}

struct PathWalker {
    missing: Missing,
}

impl PathWalker {
    fn visit(
        &self,
        node: &mut Node,
        path: &[String],
        f: &mut dyn FnMut(&mut Node),
    ) -> Result<(), String> {
        let Some((first, rest)) = path.split_first() else {
            f(node);
            return Ok(());
        };
        if first.starts_with('[') && first.ends_with(']') && condition(first).is_none() {
            return Err(format!("`{first}` is not a condition such as `[name=app]`"));
        }
        let place = node.place;
        let is_index = condition(first).is_some() || first.parse::<usize>().is_ok();
        if self.missing == Missing::Create && node.is_null() {
            node.value = if is_index {
                Value::Seq(Vec::new())
            } else {
                Node::map(place).value
            };
        }
        match &mut node.value {
            Value::Scalar(_) => Ok(()),
            Value::Map(_) if first == "*" => {
                Err("`*` matches the elements of a list, but this is a mapping".into())
            }
            Value::Map(map) => match self.missing {
                Missing::Create => {
                    let child = map.get_or_insert(first, || Node::plain("", place));
                    self.visit(child, rest, f)
                }
                Missing::Skip => match map.get_mut(first) {
                    Some(child) => self.visit(child, rest, f),
                    None => Ok(()),
                },
            },
            Value::Seq(items) if first == "*" => {
                let mut items = items.iter_mut();
                items.try_for_each(|item| self.visit(item, rest, f))
            }
            Value::Seq(items) => match condition(first) {
                Some((key, expression)) => self.matching(items, (key, expression), rest, f),
                None => {
                    let Ok(index) = first.parse::<usize>() else {
                        return Ok(());
                    };
                    if index == items.len() && self.missing == Missing::Create {
                        items.push(Node::plain("", place));
                    }
                    match items.get_mut(index) {
                        Some(item) => self.visit(item, rest, f),
                        None => Ok(()),
                    }
                }
            },
        }
    }

    /// Positions of elements with a field in which an expression matches anywhere.
    fn matching(
        &self,
        items: &mut Vec<Node>,
        (key, expression): (&str, &str),
        rest: &[String],
        f: &mut dyn FnMut(&mut Node),
    ) -> Result<(), String> {
        let regex = Regex::new(expression).map_err(|error| {
            format!("`{expression}` is not a valid regular expression: {error}")
        })?;
        let fits = |item: &Node| field_text(item, key).is_some_and(|text| regex.is_match(text));
        let place = items.first().map(|item| item.place).unwrap_or_default();
        if self.missing == Missing::Create && !items.iter().any(fits) {
            let value = Node::string(expression, place);
            items.push(if key.is_empty() {
                value
            } else {
                let mut map = Map::default();
                map.push(key, value);
                Node {
                    value: Value::Map(map),
                    place,
                }
            });
        }
        let mut found = items.iter_mut().filter(|item| fits(item));
        found.try_for_each(|item| self.visit(item, rest, f))
    }
}
