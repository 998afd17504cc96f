//! Front matter: YAML between `---` lines at the top of a page.

use std::collections::BTreeMap;

use base::{FileId, Finding, Place};
use yaml::typed::{Mapping, Value, from_str};

/// Maximum size: the reader takes quadratic time for nested input.
const MAX_BYTES: usize = 16 * 1024;

/// The front matter of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    pub title: Option<String>,
    /// The components the page is about: `component:` or `components:`, one or a list.
    pub component: Vec<String>,
    /// Every other field that is a text, or a list of texts (joined by a comma), as written.
    pub fields: BTreeMap<String, String>,
}

/// The front matter of `text`, the offset of the page after it, and a finding if it is invalid.
pub fn split(text: &str, file: FileId) -> (FrontMatter, usize, Option<Finding>) {
    let nothing = |start| (FrontMatter::default(), start, None);
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let first = text[start..].split('\n').next().unwrap_or_default();
    let fence = first.trim_end();
    if fence != "---" && fence != "+++" {
        return nothing(start);
    }
    let head = start + (first.len() + 1).min(text.len() - start);
    let Some((block, end)) = fenced(text, head, fence) else {
        return nothing(start);
    };
    if fence == "+++" {
        return nothing(end);
    }
    let broken = |line: u32, column: u32, why: String| {
        let place = Place {
            file,
            line,
            column,
            len: 1,
        };
        let message =
            format!("the front matter cannot be parsed: {why}; the page is shown without it");
        let help = "write `name: value` lines between the `---` lines, and quote a value that contains `: \
                    ` or `#`";
        let finding = Finding::warning("front-matter-broken", place, message).help(help);
        (FrontMatter::default(), end, Some(finding))
    };
    if block.len() > MAX_BYTES {
        let why = format!(
            "it is {} bytes long, and the limit is {MAX_BYTES}",
            block.len()
        );
        return broken(1, 1, why);
    }
    match from_str::<Value>(block) {
        Ok(Value::Mapping(fields)) => (front_matter(block, &fields), end, None),
        Ok(Value::Null) => nothing(end),
        // Two rules with prose between them, not front matter.
        Ok(_) => nothing(start),
        Err(error) => {
            let (line, column) = error
                .location()
                .map_or((1, 1), |at| (at.line() as u32 + 1, at.column() as u32));
            let text = error.to_string();
            // The reader counts lines from inside the fence; the place counts those of the file.
            let why = text.split(" at line ").next().unwrap_or(&text);
            broken(line.max(1), column.max(1), why.to_owned())
        }
    }
}

/// The text between `start` and the closing fence, and the offset after that.
fn fenced<'t>(text: &'t str, start: usize, fence: &str) -> Option<(&'t str, usize)> {
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let marker = line.trim_end();
        if marker == fence || (fence == "---" && marker == "...") {
            return Some((&text[start..at], at + line.len()));
        }
        at += line.len();
    }
    None
}

fn front_matter(block: &str, mapping: &Mapping) -> FrontMatter {
    let mut front = FrontMatter::default();
    for (key, value) in mapping {
        let Some(key) = key.as_str() else { continue };
        let texts = match value {
            Value::Sequence(items) => items.iter().filter_map(text).collect(),
            // The author of `1.10` means a version, not the number 1.1.
            Value::Number(_) => as_written(block, key)
                .or_else(|| text(value))
                .into_iter()
                .collect(),
            value => Vec::from_iter(text(value)),
        };
        match key {
            "component" | "components" => front.component.extend(texts),
            "title" => front.title = texts.into_iter().next().filter(|title| !title.is_empty()),
            _ if texts.is_empty() => {}
            _ => {
                front.fields.insert(key.to_owned(), texts.join(", "));
            }
        }
    }
    front
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Tagged(tagged) => text(&tagged.value),
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => None,
    }
}

fn as_written(block: &str, key: &str) -> Option<String> {
    let value = block
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let value = value.split(" #").next().unwrap_or(value).trim();
    (!value.is_empty()).then(|| value.to_owned())
}
