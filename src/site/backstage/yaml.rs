//! Entities under construction: maps, lists and strings, in the order in which they are given.

use serde::{Serialize, Serializer};
use yaml::typed::to_string;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    Text(String),
    /// An empty one is left out.
    List(Vec<Node>),
    /// A list that must be there, and is empty.
    EmptyList,
    /// Entries with nothing in them are left out.
    Map(Vec<(&'static str, Node)>),
}

impl Node {
    pub fn text(text: &str) -> Node {
        Node::Text(text.to_owned())
    }

    pub fn map<const N: usize>(entries: [(&'static str, Node); N]) -> Node {
        Node::Map(entries.into_iter().collect())
    }

    fn is_empty(&self) -> bool {
        match self {
            Node::Text(text) => text.is_empty(),
            Node::List(list) => list.iter().all(Node::is_empty),
            Node::EmptyList => false,
            Node::Map(map) => map.iter().all(|(_, node)| node.is_empty()),
        }
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Text(text) => serializer.serialize_str(text),
            Node::List(list) => serializer.collect_seq(list),
            Node::EmptyList => serializer.collect_seq([(); 0]),
            Node::Map(map) => {
                let entries = map.iter().filter(|(_, node)| !node.is_empty());
                serializer.collect_map(entries.map(|(key, node)| (key, node)))
            }
        }
    }
}

/// Appends `node` as one document of a file.
pub fn document(node: &Node, text: &mut String) {
    text.push_str("---\n");
    text.push_str(&to_string(node).expect("maps have only text as keys"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_stay_strings() {
        let node = Node::map([
            ("a", Node::text("yes")),
            ("b", Node::text("x: \"y\"\n# z")),
            (
                "c",
                Node::List(vec![Node::map([
                    ("d", Node::text("1.0")),
                    ("e", Node::text("f")),
                ])]),
            ),
            ("g", Node::EmptyList),
            ("h", Node::List(Vec::new())),
        ]);
        let mut text = String::new();
        document(&node, &mut text);
        let read: serde_json::Value = yaml::typed::from_str(&text).unwrap();
        let expected = serde_json::json!({
            "a": "yes", "b": "x: \"y\"\n# z", "c": [{"d": "1.0", "e": "f"}], "g": [],
        });
        assert_eq!(read, expected, "{text}");
    }
}
