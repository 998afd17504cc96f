//! Fields by path: `spec/template/spec/containers/image` is that field of every container. Finds and changes nodes of
//! the tree it is given.

use smol_str::SmolStr;

use super::effort::MAX_PATH;
use crate::{FieldSpec, ResourceId};
use yaml::{Node, Value};

/// A field of the objects of some kind. Empty parts match anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectField {
    pub group: SmolStr,
    pub version: SmolStr,
    pub kind: SmolStr,
    pub path: Vec<Segment>,
    pub create: Create,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Create {
    Missing,
    Never,
}

/// A segment of a path. `containers[]` is a list, which is never created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub key: SmolStr,
    pub is_list: bool,
}

impl ObjectField {
    pub fn new(kind: &str, path: &str, create: Create) -> ObjectField {
        ObjectField {
            group: SmolStr::default(),
            version: SmolStr::default(),
            kind: kind.into(),
            path: split_path(path),
            create,
        }
    }

    /// Reads a field specification.
    pub fn read(node: &Node) -> ObjectField {
        let text = |key: &str| SmolStr::from(node.text_at(&[key]).unwrap_or_default());
        ObjectField {
            group: text("group"),
            version: text("version"),
            kind: text("kind"),
            path: split_path(&text("path")),
            create: match node.get("create").and_then(Node::as_bool) {
                Some(true) => Create::Missing,
                _ => Create::Never,
            },
        }
    }

    pub fn from_spec(spec: &FieldSpec) -> ObjectField {
        let create = if spec.create {
            Create::Missing
        } else {
            Create::Never
        };
        ObjectField::new(&spec.kind, &spec.path, create).in_group(&spec.group, &spec.version)
    }

    pub fn in_group(mut self, group: &str, version: &str) -> ObjectField {
        self.group = group.into();
        self.version = version.into();
        self
    }

    pub fn applies_to(&self, id: &ResourceId) -> bool {
        let fits = |want: &str, is: &str| want.is_empty() || want == is;
        fits(&self.kind, &id.kind)
            && fits(&self.group, &id.group)
            && fits(&self.version, &id.version)
    }

    /// Whether two specifications denote the same field.
    pub fn is_at(&self, other: &ObjectField) -> bool {
        self.kind == other.kind
            && self.group == other.group
            && self.version == other.version
            && self.path == other.path
    }

    pub fn is(&self, path: &[&str]) -> bool {
        self.path.len() == path.len() && self.path.iter().zip(path).all(|(a, b)| a.key == *b)
    }
}

/// Splits a path into segments; `\/` is a slash within one.
pub fn split_path(path: &str) -> Vec<Segment> {
    let mut segments = vec![String::new()];
    let mut chars = path.chars().peekable();
    while let Some(c) = chars.next() {
        let last = segments.last_mut().expect("starts with one segment");
        match c {
            '\\' if chars.peek() == Some(&'/') => last.extend(chars.next()),
            '/' => segments.push(String::new()),
            _ => last.push(c),
        }
    }
    let segments = segments.into_iter().filter(|segment| !segment.is_empty());
    segments
        .take(MAX_PATH)
        .map(|segment| match segment.strip_suffix("[]") {
            Some(key) => Segment {
                key: key.into(),
                is_list: true,
            },
            None => Segment {
                key: segment.into(),
                is_list: false,
            },
        })
        .collect()
}

/// Whether a node at the path passes the test: avoids copying a tree that would not change.
pub fn any(node: &Node, path: &[Segment], passes: &mut dyn FnMut(&Node) -> bool) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return passes(node);
    };
    match &node.value {
        Value::Seq(items) => items.iter().any(|item| any(item, path, passes)),
        Value::Map(map) => {
            let child = map.get(&first.key);
            child.is_some_and(|child| any(child, rest, passes))
        }
        Value::Scalar(_) => false,
    }
}

/// Whether the path runs into a scalar before its end, which kustomize rejects.
pub fn is_blocked(node: &Node, path: &[Segment]) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return false;
    };
    match &node.value {
        Value::Scalar(scalar) => !scalar.is_null(),
        Value::Seq(items) => items.iter().any(|item| is_blocked(item, path)),
        Value::Map(map) => map
            .get(&first.key)
            .is_some_and(|child| is_blocked(child, rest)),
    }
}

/// Calls `f` on every node at the path, creating missing ones if `create` says so.
pub fn visit(node: &mut Node, path: &[Segment], create: Create, f: &mut dyn FnMut(&mut Node)) {
    let Some((first, rest)) = path.split_first() else {
        return f(node);
    };
    let place = node.place;
    if node.is_null() && create == Create::Missing {
        node.value = Node::map(place).value;
    }
    match &mut node.value {
        Value::Seq(items) => items
            .iter_mut()
            .for_each(|item| visit(item, path, create, f)),
        Value::Map(map) => match create {
            Create::Missing if !first.is_list => {
                let child = map.get_or_insert(&first.key, || Node::plain("", place));
                visit(child, rest, create, f);
            }
            _ => {
                if let Some(child) = map.get_mut(&first.key) {
                    visit(child, rest, create, f);
                }
            }
        },
        Value::Scalar(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_slash_belongs_to_the_segment() {
        let keys = |path: &str| -> Vec<SmolStr> {
            split_path(path)
                .into_iter()
                .map(|segment| segment.key)
                .collect()
        };
        assert_eq!(
            keys(r"metadata/annotations/a.b\/c"),
            ["metadata", "annotations", "a.b/c"]
        );
        assert_eq!(keys("spec/claims[]/labels"), ["spec", "claims", "labels"]);
    }
}
