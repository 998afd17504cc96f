//! Entities under construction: maps, lists and strings, in the order in which they are given.

use serde::{Serialize, Serializer};
use yaml::typed::to_string;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntityNode {
    Text(String),
    /// An empty one is left out.
    List(Vec<EntityNode>),
    /// A list that must be there, and is empty.
    EmptyList,
    /// Entries with nothing in them are left out.
    Map(Vec<(&'static str, EntityNode)>),
}

impl EntityNode {
    pub fn text(text: &str) -> EntityNode {
        EntityNode::Text(text.to_owned())
    }

    pub fn map<const N: usize>(entries: [(&'static str, EntityNode); N]) -> EntityNode {
        EntityNode::Map(entries.into_iter().collect())
    }

    fn is_empty(&self) -> bool {
        match self {
            EntityNode::Text(text) => text.is_empty(),
            EntityNode::List(list) => list.iter().all(EntityNode::is_empty),
            EntityNode::EmptyList => false,
            EntityNode::Map(map) => map.iter().all(|(_, node)| node.is_empty()),
        }
    }
}

impl Serialize for EntityNode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            EntityNode::Text(text) => serializer.serialize_str(text),
            EntityNode::List(list) => serializer.collect_seq(list),
            EntityNode::EmptyList => serializer.collect_seq([(); 0]),
            EntityNode::Map(map) => {
                let entries = map.iter().filter(|(_, node)| !node.is_empty());
                serializer.collect_map(entries.map(|(key, node)| (key, node)))
            }
        }
    }
}

/// Appends `node` as one document of a file.
pub fn document(node: &EntityNode, text: &mut String) {
    text.push_str("---\n");
    text.push_str(&to_string(node).expect("maps have only text as keys"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_stay_strings() {
        let node = EntityNode::map([
            ("a", EntityNode::text("yes")),
            ("b", EntityNode::text("x: \"y\"\n# z")),
            (
                "c",
                EntityNode::List(vec![EntityNode::map([
                    ("d", EntityNode::text("1.0")),
                    ("e", EntityNode::text("f")),
                ])]),
            ),
            ("g", EntityNode::EmptyList),
            ("h", EntityNode::List(Vec::new())),
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
