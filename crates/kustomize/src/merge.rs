//! Strategic merge patches as kustomize applies them. Lists of built-in kinds merge by key; all other lists are
//! replaced. Changes the node it is given.

mod list;

use std::num::NonZeroU32;

use super::schema::{Merge, Schema, Type};
use base::hash::HashMap;
use yaml::{Entry, Map, Node, Scalar, Style, Value};

/// Merges `patch` into `target`. On an error, `target` is partly patched.
pub fn merge(target: &mut Node, patch: &Node) -> Result<Outcome, String> {
    let schema = Schema::for_object(target);
    match directive(patch)? {
        Some(Directive::Delete) => return Ok(Outcome::Deleted),
        // kustomize computes the replacement and then drops it.
        Some(Directive::Replace) => return Ok(Outcome::Merged),
        Some(Directive::Merge) | None => {}
    }
    let mut walk = Merger::default();
    if let (Value::Map(target), Value::Map(patch)) = (&mut target.value, &patch.value) {
        walk.fields(target, Some(patch), schema)?;
    }
    for (shared, scalar) in walk.changed {
        change_shared(target, shared, &scalar);
    }
    Ok(Outcome::Merged)
}

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Merged,
    Deleted,
}

/// Sets every scalar of a shared value to the same text.
pub fn change_shared(node: &mut Node, shared: NonZeroU32, to: &Scalar) {
    match &mut node.value {
        Value::Scalar(scalar) if scalar.shared == Some(shared) => {
            scalar.text = to.text.clone();
            scalar.style = to.style;
        }
        Value::Scalar(_) => {}
        Value::Seq(items) => items
            .iter_mut()
            .for_each(|item| change_shared(item, shared, to)),
        Value::Map(map) => map
            .0
            .iter_mut()
            .for_each(|entry| change_shared(&mut entry.value, shared, to)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    Delete,
    Replace,
    Merge,
}

const DIRECTIVE: &str = "$patch";

/// The `$patch` directive of a mapping.
fn directive(node: &Node) -> Result<Option<Directive>, String> {
    let Some(text) = node.get(DIRECTIVE).and_then(Node::as_scalar) else {
        return Ok(None);
    };
    match text.text.as_str() {
        "delete" => Ok(Some(Directive::Delete)),
        "replace" => Ok(Some(Directive::Replace)),
        "merge" => Ok(Some(Directive::Merge)),
        other => Err(format!(
            "`$patch: {other}` is not valid; use `delete`, `replace` or `merge`"
        )),
    }
}

/// Shared values that the patch changed.
#[derive(Default)]
struct Merger {
    changed: Vec<(NonZeroU32, Scalar)>,
}

impl Merger {
    /// Merges a value that the target, the patch or both have; `None` removes it.
    fn value(
        &mut self,
        target: Option<Node>,
        patch: Option<&Node>,
        known: Option<Type>,
    ) -> Result<Option<Node>, String> {
        let Some(target) = target else {
            return match patch {
                Some(patch) => self.added(patch, known),
                None => Ok(None),
            };
        };
        if target.is_null() {
            return match patch {
                Some(patch) => self.added(patch, known),
                // An explicit null stays; an absent value goes.
                None => {
                    let words = target.as_scalar().is_some_and(|null| !null.text.is_empty());
                    Ok(words.then_some(target))
                }
            };
        }
        if patch.is_some_and(Node::is_null) {
            return Ok(None);
        }
        match (target.value, patch) {
            (Value::Scalar(old), None) => Ok(Some(scalar(quoted_if_ambiguous(old), target.place))),
            (Value::Scalar(old), Some(patch)) => {
                let Value::Scalar(new) = &patch.value else {
                    return Err(unlike("a scalar", patch));
                };
                Ok(Some(scalar(self.scalar(old, new), patch.place)))
            }
            (Value::Map(mut map), patch) => {
                let schema = schema(known, &map, patch);
                let Some(patch) = patch else {
                    self.fields(&mut map, None, schema)?;
                    return Ok(Some(mapping(map, target.place)));
                };
                let Value::Map(new) = &patch.value else {
                    return Err(unlike("a mapping", patch));
                };
                match directive(patch)? {
                    Some(Directive::Delete) => Ok(None),
                    Some(Directive::Replace) => {
                        Ok(Some(mapping(self.cleaned(new, schema)?, patch.place)))
                    }
                    Some(Directive::Merge) | None => {
                        self.fields(&mut map, Some(new), schema)?;
                        Ok(Some(mapping(map, target.place)))
                    }
                }
            }
            (Value::Seq(old), patch) => {
                let new = match patch.map(|patch| (patch, patch.as_seq())) {
                    None => None,
                    Some((_, Some(new))) => Some(new),
                    Some((patch, None)) => return Err(unlike("a list", patch)),
                };
                let items = match (known, new) {
                    (Some(Type::List(merge, schema)), _) => {
                        match self.merged(old, new.unwrap_or_default(), merge, schema)? {
                            Some(items) => items,
                            None => return Ok(None),
                        }
                    }
                    (_, None) => old,
                    (_, Some(new)) => new.to_vec(),
                };
                Ok(Some(Node::seq(
                    items,
                    patch.map_or(target.place, |p| p.place),
                )))
            }
        }
    }

    /// Merges a list by key, or obeys the directive for the list as a whole.
    fn merged(
        &mut self,
        old: Vec<Node>,
        new: &[Node],
        merge: Merge,
        schema: &'static Schema,
    ) -> Result<Option<Vec<Node>>, String> {
        match list::directive(new)? {
            Some(Directive::Delete) => Ok(None),
            Some(Directive::Replace) => {
                let new = list::without_directives(new);
                self.list(new.clone(), &new, merge, schema).map(Some)
            }
            Some(Directive::Merge) => self
                .list(old, &list::without_directives(new), merge, schema)
                .map(Some),
            None => self.list(old, new, merge, schema).map(Some),
        }
    }

    /// A value that only the patch has. Directives and deletions within it apply to the patch itself.
    fn added(&mut self, patch: &Node, known: Option<Type>) -> Result<Option<Node>, String> {
        if patch.is_null() {
            return Ok(None);
        }
        match (&patch.value, known) {
            (Value::Scalar(_), _) => Ok(Some(patch.clone())),
            (Value::Map(map), _) => {
                if directive(patch)? == Some(Directive::Delete) {
                    return Ok(None);
                }
                let cleaned = self.cleaned(map, schema(known, map, None))?;
                Ok(Some(mapping(cleaned, patch.place)))
            }
            (Value::Seq(items), Some(Type::List(merge, schema))) => {
                let items = self.list(items.clone(), items, merge, schema)?;
                Ok(Some(Node::seq(items, patch.place)))
            }
            (Value::Seq(_), _) => Ok(Some(patch.clone())),
        }
    }

    /// A mapping of the patch, merged with itself.
    fn cleaned(&mut self, map: &Map, schema: Option<&'static Schema>) -> Result<Map, String> {
        let mut result = map.clone();
        result.remove(DIRECTIVE);
        self.fields(&mut result, Some(map), schema)?;
        Ok(result)
    }

    fn fields(
        &mut self,
        target: &mut Map,
        patch: Option<&Map>,
        schema: Option<&'static Schema>,
    ) -> Result<(), String> {
        let known = |key: &str| schema.and_then(|schema| schema.field(key));
        let find = Finder::new(patch);
        let present = Finder::new(Some(target));
        let patched = patch.map(|patch| patch.0.as_slice()).unwrap_or_default();
        let absent: Vec<&Entry> = patched
            .iter()
            .filter(|entry| entry.key != DIRECTIVE && present.get(&entry.key).is_none())
            .collect();
        let mut failure = None;
        let old = std::mem::take(&mut target.0);
        target.0.reserve(old.len());
        for mut entry in old {
            let place = entry.value.place;
            let value = std::mem::replace(&mut entry.value, Node::plain("", place));
            match self.value(Some(value), find.get(&entry.key), known(&entry.key)) {
                Ok(Some(value)) => {
                    entry.value = value;
                    target.0.push(entry);
                }
                Ok(None) => {}
                Err(message) => failure = failure.or(Some(message)),
            }
        }
        if let Some(message) = failure {
            return Err(message);
        }
        for entry in absent {
            if let Some(value) = self.added(&entry.value, known(&entry.key))? {
                target.0.push(Entry {
                    key: entry.key.clone(),
                    key_place: entry.key_place,
                    value,
                });
            }
        }
        Ok(())
    }

    /// A value that replaces a quoted string is a string.
    fn scalar(&mut self, old: Scalar, new: &Scalar) -> Scalar {
        let scalar = Scalar {
            text: new.text.clone(),
            style: match old.style {
                Style::Plain => new.style,
                style => style,
            },
            shared: old.shared,
        };
        if let Some(shared) = scalar.shared {
            self.changed.push((shared, scalar.clone()));
        }
        scalar
    }
}

/// Finds entries of a mapping by key; large mappings get an index.
enum Finder<'a> {
    Few(&'a [Entry]),
    Many(HashMap<&'a str, &'a Node>),
}

impl<'a> Finder<'a> {
    fn new(map: Option<&'a Map>) -> Finder<'a> {
        let entries = map.map(|map| map.0.as_slice()).unwrap_or_default();
        if entries.len() > 16 {
            Finder::Many(
                entries
                    .iter()
                    .map(|entry| (entry.key.as_str(), &entry.value))
                    .collect(),
            )
        } else {
            Finder::Few(entries)
        }
    }

    fn get(&self, key: &str) -> Option<&'a Node> {
        match self {
            Finder::Few(entries) => {
                let entry = entries.iter().find(|entry| entry.key == key)?;
                Some(&entry.value)
            }
            Finder::Many(entries) => entries.get(key).copied(),
        }
    }
}

/// The schema of a mapping, from its position or from its own kind.
fn schema(known: Option<Type>, map: &Map, patch: Option<&Node>) -> Option<&'static Schema> {
    match known {
        Some(Type::Map(schema)) => Some(schema),
        Some(Type::List(..)) => None,
        None if map.get("kind").is_some() => {
            // Read the two fields only, without copying the mapping.
            let states = |key| map.get(key).and_then(Node::text);
            Schema::of_kind(states("apiVersion")?, states("kind")?)
        }
        None => Schema::for_object(patch?),
    }
}

/// A scalar that the patch leaves alone is quoted if YAML 1.1 would read it as another type, so that a later patch
/// replaces it by a string.
fn quoted_if_ambiguous(mut scalar: Scalar) -> Scalar {
    if scalar.word().is_some() {
        scalar.style = Style::Quoted;
    }
    scalar
}

fn scalar(scalar: Scalar, place: base::Place) -> Node {
    Node {
        value: Value::Scalar(scalar),
        place,
    }
}

fn mapping(map: Map, place: base::Place) -> Node {
    Node {
        value: Value::Map(map),
        place,
    }
}

fn unlike(what: &str, patch: &Node) -> String {
    let other = match patch.value {
        Value::Scalar(_) => "a scalar",
        Value::Seq(_) => "a list",
        Value::Map(_) => "a mapping",
    };
    format!(
        "the object has {what} where the patch has {other} (line {})",
        patch.place.line
    )
}
