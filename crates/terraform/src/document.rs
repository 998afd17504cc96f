//! YAML documents in expressions: those of files, which the caller keeps, and those inside texts.

use std::sync::Arc;

use base::{FileId, Files};
use yaml::{Entry, Map, Node, Value};

use crate::value::{HERE, HOLE, HclData, HclValue};

/// A tree of files and their YAML documents, with secrets redacted. The caller implements it.
pub trait Documents {
    /// The files themselves.
    fn files(&self) -> &dyn Files;

    /// The documents of a file, in any order. A Kubernetes `List` counts as its items.
    fn documents(&self, file: FileId) -> Vec<Arc<Node>>;

    /// The Kubernetes objects in a file, in file order.
    fn objects(&self, file: FileId) -> Vec<Arc<Node>>;
}

impl HclValue {
    /// The YAML documents in a text, without secrets and unknown parts; `None` if the value is not a text or names a
    /// path.
    pub fn documents(&self) -> Option<Vec<Node>> {
        match &self.data {
            HclData::Holed(text) => {
                let documents = parse(&Node::string(text.clone(), self.place));
                Some(documents.into_iter().filter_map(without_holes).collect())
            }
            HclData::Text(text) if !text.contains(HERE) => {
                Some(parse(&Node::string(text.clone(), self.place)))
            }
            _ => None,
        }
    }
}

fn parse(scalar: &Node) -> Vec<Node> {
    let parsed = yaml::parse_within(scalar);
    let roots = parsed.documents.into_iter().map(|document| {
        let mut root = document.root;
        secret::seal(&mut root);
        root
    });
    roots.collect()
}

/// A tree without the nodes that contain a hole.
fn without_holes(node: Node) -> Option<Node> {
    let place = node.place;
    let value = match node.value {
        Value::Scalar(scalar) if scalar.text.contains(HOLE) => return None,
        Value::Scalar(scalar) => Value::Scalar(scalar),
        Value::Seq(items) => Value::Seq(items.into_iter().filter_map(without_holes).collect()),
        Value::Map(map) => {
            let entries = map.0.into_iter().filter_map(|entry| {
                let value = without_holes(entry.value).filter(|_| !entry.key.contains(HOLE))?;
                Some(Entry {
                    key: entry.key,
                    key_place: entry.key_place,
                    value,
                })
            });
            Value::Map(Map(entries.collect()))
        }
    };
    Some(Node { value, place })
}
