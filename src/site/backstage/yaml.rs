//! YAML as it is written: maps, lists and strings, in the order in which they are given. Every string that a reader
//! could take for something else is quoted.

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

/// Appends `node` as one document of a file.
pub fn document(node: &Node, text: &mut String) {
    text.push_str("---\n");
    write(node, 0, text);
}

fn write(node: &Node, indent: usize, text: &mut String) {
    let margin = " ".repeat(indent);
    match node {
        Node::Map(map) => {
            for (key, node) in map.iter().filter(|(_, node)| !node.is_empty()) {
                text.push_str(&format!("{margin}{key}:"));
                value(node, indent + 2, text);
            }
        }
        Node::List(list) => {
            for node in list {
                let mut entry = String::new();
                write(node, indent + 2, &mut entry);
                text.push_str(&format!("{margin}- {}", entry.trim_start()));
            }
        }
        Node::Text(_) | Node::EmptyList => {
            text.push_str(&margin);
            text.push_str(&scalar(node));
            text.push('\n');
        }
    }
}

fn value(node: &Node, indent: usize, text: &mut String) {
    match node {
        Node::Map(_) | Node::List(_) => {
            text.push('\n');
            write(node, indent, text);
        }
        scalar_node => {
            text.push(' ');
            text.push_str(&scalar(scalar_node));
            text.push('\n');
        }
    }
}

fn scalar(node: &Node) -> String {
    match node {
        Node::Text(text) if is_plain(text) => text.clone(),
        Node::Text(text) => quoted(text),
        _ => "[]".to_owned(),
    }
}

/// Whether every reader takes this for a string without quotes.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let is_inner = |c: char| is_word(c) || c == ':';
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_inner)
        && !text.ends_with(':')
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
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
        assert_eq!(
            text,
            "---\na: \"yes\"\nb: \"x: \\\"y\\\"\\n# z\"\nc:\n  - d: \"1.0\"\n    e: f\ng: []\n"
        );
    }
}
