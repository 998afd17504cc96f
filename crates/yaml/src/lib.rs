//! YAML documents as trees in which every node knows its line and column. The only importer of the YAML parser. Input
//! never makes it fail: a broken document costs one finding, and the rest is kept.

mod alias_key;
mod binary;
mod block;
mod doubt;
mod folded;
mod json;
mod load;
mod mapping;
mod quoted;
mod scalar;
mod tagged;
mod template;
#[cfg(test)]
mod tests;
mod timestamp;
pub mod typed;
mod write;

use smol_str::SmolStr;

use base::Place;

pub use binary::{decode_base64, encode_base64};
pub use json::to_json;
pub use load::{Parsed, parse, parse_within};
pub use scalar::{Scalar, ScalarKind, Style};
pub use write::write;

/// One document of a file, with its comments.
#[derive(Debug, Clone)]
pub struct Document {
    pub root: Node,
    pub comments: Vec<Comment>,
}

/// A comment and its place.
#[derive(Debug, Clone)]
pub struct Comment {
    /// The text after the `#`, untrimmed.
    pub text: SmolStr,
    pub place: Place,
    pub position: CommentPosition,
}

/// Whether a comment has a line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentPosition {
    OwnLine,
    AfterValue,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub value: Value,
    pub place: Place,
}

/// A scalar, a sequence or a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Scalar(Scalar),
    Seq(Vec<Node>),
    Map(Map),
}

/// A mapping in file order. Keys are strings, as in Kubernetes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map(pub Vec<Entry>);

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: SmolStr,
    pub key_place: Place,
    pub value: Node,
}

impl Node {
    /// Number of values in the tree.
    pub fn size(&self) -> usize {
        1 + match &self.value {
            Value::Scalar(_) => 0,
            Value::Seq(items) => items.iter().map(Node::size).sum(),
            Value::Map(map) => map.0.iter().map(|entry| entry.value.size()).sum(),
        }
    }

    /// A string that was computed rather than read.
    pub fn string(text: impl Into<SmolStr>, place: Place) -> Node {
        Node {
            value: Value::Scalar(Scalar::string(text)),
            place,
        }
    }

    pub fn plain(text: impl Into<SmolStr>, place: Place) -> Node {
        Node {
            value: Value::Scalar(Scalar::plain(text)),
            place,
        }
    }

    pub fn map(place: Place) -> Node {
        Node {
            value: Value::Map(Map::default()),
            place,
        }
    }

    pub fn seq(items: Vec<Node>, place: Place) -> Node {
        Node {
            value: Value::Seq(items),
            place,
        }
    }

    /// Sets the place of every node, for a tree that was computed or parsed out of a scalar.
    pub fn stand_at(&mut self, place: Place) {
        self.move_places(&|_| place);
    }

    /// Maps the place of every node.
    pub fn move_places(&mut self, to: &dyn Fn(Place) -> Place) {
        self.place = to(self.place);
        match &mut self.value {
            Value::Scalar(_) => {}
            Value::Seq(items) => items.iter_mut().for_each(|item| item.move_places(to)),
            Value::Map(map) => {
                for entry in &mut map.0 {
                    entry.key_place = to(entry.key_place);
                    entry.value.move_places(to);
                }
            }
        }
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.as_map_mut()?.get_mut(key)
    }

    /// The node at the end of a path of mapping keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The text of a scalar that is neither null nor empty.
    pub fn text(&self) -> Option<&str> {
        let scalar = self.as_scalar()?;
        (!scalar.is_null() && !scalar.text.is_empty()).then_some(scalar.text.as_str())
    }

    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.text()
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.as_scalar()?.kind() {
            ScalarKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_scalar_mut(&mut self) -> Option<&mut Scalar> {
        match &mut self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match &mut self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    pub fn as_seq(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Seq(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_seq_mut(&mut self) -> Option<&mut Vec<Node>> {
        match &mut self.value {
            Value::Seq(items) => Some(items),
            _ => None,
        }
    }

    /// The items of a sequence; empty for any other node.
    pub fn items(&self) -> &[Node] {
        self.as_seq().unwrap_or_default()
    }

    /// The items of the sequence under `key`; empty if there is none.
    pub fn items_at(&self, key: &str) -> &[Node] {
        self.get(key).map(Node::items).unwrap_or_default()
    }

    /// Reads each item of the sequence under `key`. The result has no spare capacity, because many such lists are kept.
    pub fn read_at<T>(&self, key: &str, read: impl FnMut(&Node) -> Option<T>) -> Vec<T> {
        let items = self.items_at(key);
        let mut all = Vec::with_capacity(items.len());
        all.extend(items.iter().filter_map(read));
        all
    }

    /// The entries of a mapping; empty for any other node.
    pub fn entries(&self) -> &[Entry] {
        self.as_map()
            .map(|map| map.0.as_slice())
            .unwrap_or_default()
    }

    /// The entries of the mapping under `key`; empty if there is none.
    pub fn entries_at(&self, key: &str) -> &[Entry] {
        self.get(key).map(Node::entries).unwrap_or_default()
    }

    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(Scalar::is_null)
    }

    /// Whether two trees are equal as data, whatever their places, styles and order of keys.
    pub fn same(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::Scalar(a), Value::Scalar(b)) => a.same(b),
            (Value::Seq(a), Value::Seq(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Value::Map(a), Value::Map(b)) => {
                a.0.len() == b.0.len()
                    && a.0
                        .iter()
                        .all(|entry| b.get(&entry.key).is_some_and(|node| entry.value.same(node)))
            }
            _ => false,
        }
    }

    /// The mapping under `key`, inserted if there is none.
    pub fn map_under(&mut self, key: &str) -> &mut Map {
        let place = self.place;
        if self.as_map().is_none() {
            self.value = Value::Map(Map::default());
        }
        let map = self.as_map_mut().expect("made a mapping just above");
        let node = map.get_or_insert(key, || Node::map(place));
        if node.as_map().is_none() {
            node.value = Value::Map(Map::default());
        }
        node.as_map_mut().expect("made a mapping just above")
    }

    /// Calls `f` on every scalar below this node, with its key.
    pub fn for_each_scalar<'a>(&'a self, f: &mut dyn FnMut(Option<&'a str>, &'a Scalar, Place)) {
        fn walk<'a>(
            node: &'a Node,
            key: Option<&'a str>,
            f: &mut dyn FnMut(Option<&'a str>, &'a Scalar, Place),
        ) {
            match &node.value {
                Value::Scalar(scalar) => f(key, scalar, node.place),
                Value::Seq(items) => items.iter().for_each(|item| walk(item, key, f)),
                Value::Map(map) => map
                    .0
                    .iter()
                    .for_each(|entry| walk(&entry.value, Some(&entry.key), f)),
            }
        }
        walk(self, None, f);
    }
}

impl Map {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0
            .iter_mut()
            .find(|entry| entry.key == key)
            .map(|entry| &mut entry.value)
    }

    /// Sets a key: in place if it exists, otherwise at the end.
    pub fn set(&mut self, key: &str, value: Node) {
        match self.get_mut(key) {
            Some(node) => *node = value,
            None => self.push(key, value),
        }
    }

    pub fn push(&mut self, key: impl Into<SmolStr>, value: Node) {
        self.0.push(Entry {
            key: key.into(),
            key_place: value.place,
            value,
        });
    }

    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let index = self.0.iter().position(|entry| entry.key == key)?;
        Some(self.0.remove(index).value)
    }

    pub fn get_or_insert(&mut self, key: &str, make: impl FnOnce() -> Node) -> &mut Node {
        let index = match self.0.iter().position(|entry| entry.key == key) {
            Some(index) => index,
            None => {
                self.push(key, make());
                self.0.len() - 1
            }
        };
        &mut self.0[index].value
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
