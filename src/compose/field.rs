//! Fields by path: `spec/template/spec/containers/image` means that field in every container.

use crate::yaml::{Node, Value};

/// A field of the objects of some kind. Empty parts match anything.
#[derive(Debug, Clone)]
pub struct Field {
    pub group: String,
    pub version: String,
    pub kind: String,
    pub path: Vec<String>,
    pub create: Create,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Create {
    Missing,
    Never,
}

impl Field {
    pub fn new(kind: &str, path: &str, create: Create) -> Field {
        Field {
            group: String::new(),
            version: String::new(),
            kind: kind.into(),
            path: split_path(path),
            create,
        }
    }

    pub fn applies_to(&self, id: &crate::fact::ResourceId) -> bool {
        let fits = |want: &str, is: &str| want.is_empty() || want == is;
        fits(&self.kind, &id.kind)
            && fits(&self.group, &id.group)
            && fits(&self.version, &id.version)
    }
}

/// Path segments; `\/` stands for a slash within one.
pub fn split_path(path: &str) -> Vec<String> {
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
    segments.retain(|segment| !segment.is_empty());
    for segment in &mut segments {
        if let Some(plain) = segment.strip_suffix("[]") {
            *segment = plain.to_owned();
        }
    }
    segments
}

/// Whether the path leads to anything: a look before a tree is copied in order to change it.
pub fn exists(node: &Node, path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return true;
    };
    match &node.value {
        Value::Seq(items) => items.iter().any(|item| exists(item, path)),
        Value::Map(map) => map.get(first).is_some_and(|child| exists(child, rest)),
        Value::Scalar(_) => false,
    }
}

/// Calls `f` on every node that the path leads to, making what is missing when told to.
pub fn visit(node: &mut Node, path: &[String], create: Create, f: &mut dyn FnMut(&mut Node)) {
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
            Create::Missing => {
                let child = map.get_or_insert(first, || Node::plain("", place));
                visit(child, rest, create, f);
            }
            Create::Never => {
                if let Some(child) = map.get_mut(first) {
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
        assert_eq!(
            split_path(r"metadata/annotations/a.b\/c"),
            ["metadata", "annotations", "a.b/c"]
        );
        assert_eq!(
            split_path("spec/claims[]/labels"),
            ["spec", "claims", "labels"]
        );
    }
}
