//! Trees as YAML text that every parser reads back as the same values, in the layout of kubectl.

use super::{Map, Node, Scalar, Style, Value};

/// The document as text that ends with a line break.
pub fn write(root: &Node) -> String {
    let mut text = String::new();
    match &root.value {
        Value::Map(map) if !map.0.is_empty() => write_map(map, 0, &mut text),
        Value::Seq(items) if !items.is_empty() => write_items(items, 0, &mut text),
        value => {
            inline(value, 0, &mut text);
            text.push('\n');
        }
    }
    text
}

fn write_map(map: &Map, indent: usize, text: &mut String) {
    for (nth, entry) in map.0.iter().enumerate() {
        if nth > 0 {
            pad(indent, text);
        }
        text.push_str(&key(&entry.key));
        text.push(':');
        match &entry.value.value {
            Value::Map(inner) if !inner.0.is_empty() => {
                text.push('\n');
                pad(indent + 2, text);
                write_map(inner, indent + 2, text);
            }
            Value::Seq(items) if !items.is_empty() => {
                text.push('\n');
                pad(indent, text);
                write_items(items, indent, text);
            }
            value => {
                text.push(' ');
                inline(value, indent + 2, text);
                text.push('\n');
            }
        }
    }
}

fn write_items(items: &[Node], indent: usize, text: &mut String) {
    for (nth, item) in items.iter().enumerate() {
        if nth > 0 {
            pad(indent, text);
        }
        text.push_str("- ");
        match &item.value {
            Value::Map(map) if !map.0.is_empty() => write_map(map, indent + 2, text),
            Value::Seq(inner) if !inner.is_empty() => write_items(inner, indent + 2, text),
            value => {
                inline(value, indent + 2, text);
                text.push('\n');
            }
        }
    }
}

fn pad(indent: usize, text: &mut String) {
    text.extend(std::iter::repeat_n(' ', indent));
}

/// A value that is written on the line of its key; blocks go on below, without the last line break.
fn inline(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Map(_) => text.push_str("{}"),
        Value::Seq(_) => text.push_str("[]"),
        Value::Scalar(scalar) if scalar.is_null() => text.push_str("null"),
        Value::Scalar(scalar) if is_block(&scalar.text) => block(&scalar.text, indent, text),
        Value::Scalar(scalar) => text.push_str(&single(scalar)),
    }
}

/// Whether a text can be written as a literal block.
fn is_block(value: &str) -> bool {
    let is_printable = |c: char| c == '\n' || c == '\t' || !c.is_control() && c != '\u{feff}';
    value.contains('\n')
        && !value.starts_with([' ', '\t', '\n'])
        && value.chars().all(is_printable)
        && !value.contains(['\u{85}', '\u{2028}', '\u{2029}'])
}

fn block(value: &str, indent: usize, text: &mut String) {
    let body = value.trim_end_matches('\n');
    text.push_str(match value.len() - body.len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    });
    let lines = value.strip_suffix('\n').unwrap_or(value);
    for line in lines.split('\n') {
        text.push('\n');
        if !line.is_empty() {
            pad(indent, text);
            text.push_str(line);
        }
    }
}

fn key(key: &str) -> String {
    single(&Scalar::written(key))
}

/// A scalar on one line: plain where it is read back as it is, else in quotes.
fn single(scalar: &Scalar) -> String {
    let value = scalar.text.as_str();
    let written = match scalar.style {
        Style::Plain => scalar.clone(),
        Style::Quoted | Style::Block => Scalar::written(value),
    };
    if written.style == Style::Plain && is_plain(value) {
        return value.to_owned();
    }
    let is_simple = !value.chars().any(|c| c.is_control() || c == '\u{feff}')
        && !value.contains(['\u{85}', '\u{2028}', '\u{2029}']);
    if is_simple {
        return format!("'{}'", value.replace('\'', "''"));
    }
    let mut quoted = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{85}' | '\u{2028}' | '\u{2029}') => {
                quoted.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a text on one line can stand without quotes.
fn is_plain(value: &str) -> bool {
    let Some(first) = value.chars().next() else {
        return false;
    };
    let is_indicator = matches!(
        first,
        '!' | '&'
            | '*'
            | '%'
            | '@'
            | '`'
            | '#'
            | '|'
            | '>'
            | '['
            | ']'
            | '{'
            | '}'
            | ','
            | '"'
            | '\''
            | '='
    );
    let mut rest = value.chars().skip(1);
    let is_marker = matches!(first, '-' | '?' | ':') && rest.next().is_none_or(|next| next == ' ');
    !is_indicator
        && !is_marker
        && value.trim() == value
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.ends_with(':')
        && !value.starts_with("...")
        && !value.starts_with("---")
        && !value
            .chars()
            .any(|c| c.is_control() || matches!(c, '\u{feff}' | '\u{85}' | '\u{2028}' | '\u{2029}'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Entry, parse};
    use base::{FileId, Place};

    fn again(text: &str) -> Node {
        let parsed = parse(text, FileId(0));
        assert!(parsed.findings.is_empty(), "{text}\n{:?}", parsed.findings);
        parsed.documents.into_iter().next().unwrap().root
    }

    fn json(node: &Node) -> String {
        crate::to_json(node).to_string()
    }

    #[test]
    fn a_document_is_laid_out_as_by_kubectl() {
        let text = "\
kind: ConfigMap
metadata:
  labels: {}
  name: a
data:
  count: '3'
  empty: ''
  word: 'yes'
  script: |
    if a; then
      b
    fi
  open: |-
    a
    b
  kept: |+
    a

list:
- a: 1
  b: []
- - x
  - 'y: z'
- null
";
        assert_eq!(write(&again(text)), text);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(texts in proptest::collection::vec(".{0,12}", 1..6)) {
            let place = Place::default();
            let mut map = Map::default();
            for (nth, text) in texts.iter().enumerate() {
                map.0.push(Entry {
                    key: format!("k{nth}{}", text.replace(char::is_control, "")).into(),
                    key_place: place,
                    value: Node::string(text.as_str(), place),
                });
            }
            let node = Node { value: Value::Map(map), place };
            prop_assert_eq!(json(&again(&write(&node))), json(&node));
        }
    }
}
