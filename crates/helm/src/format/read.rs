//! Reads YAML and JSON into values.

use ::yaml::{Node, Style};
use base::{FileId, Severity};
use smol_str::SmolStr;

use crate::data::Data;

/// Maximum number of values in a text: some times as many as the largest charts have.
const MAX_VALUES: usize = 250_000;

/// The first document of a YAML text, or why it cannot be read.
pub fn yaml(text: &str) -> Result<Data, String> {
    let parsed = ::yaml::parse(text, FileId(0));
    let broken = parsed
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Error);
    if let Some(finding) = broken
        && parsed.documents.is_empty()
    {
        return Err(format!(
            "error converting YAML to JSON: {}",
            problem(finding)
        ));
    }
    let mut documents = parsed.documents;
    if documents
        .first()
        .is_some_and(|first| first.root.size() > MAX_VALUES)
    {
        return Err(format!("it has more than {MAX_VALUES} values"));
    }
    if documents.len() == 1 && !text.ends_with('\n') {
        cut_last_break(&mut documents[0].root, text);
    }
    let first = documents.first();
    Ok(first.map_or(Data::Null, |document| Data::from_text(&document.root, text)))
}

/// A block at the end of a text that does not end with a line break has none either, for Helm's library.
fn cut_last_break(root: &mut Node, text: &str) {
    let mut node = root;
    loop {
        match &mut node.value {
            ::yaml::Value::Scalar(scalar) => {
                let last = text.lines().last().unwrap_or_default().trim();
                let own = scalar.text.strip_suffix('\n');
                let own =
                    own.filter(|own| own.lines().last().is_some_and(|own| own.trim() == last));
                if let Some(own) = own.filter(|_| scalar.style == Style::Block) {
                    scalar.text = own.into();
                }
                return;
            }
            ::yaml::Value::Seq(items) => match items.last_mut() {
                Some(item) => node = item,
                None => return,
            },
            ::yaml::Value::Map(map) => match map.0.last_mut() {
                Some(entry) => node = &mut entry.value,
                None => return,
            },
        }
    }
}

/// The error in a YAML text, worded as by Helm's library.
pub fn problem(finding: &base::Finding) -> String {
    let message = finding.message.trim_start_matches("not valid YAML: ");
    match finding.place.line {
        1 => format!("yaml: {message}"),
        line => format!("yaml: line {line}: {message}"),
    }
}

/// A JSON text; numbers are floats.
pub fn json(text: &str) -> Result<Data, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(from_json(value))
}

fn from_json(value: serde_json::Value) -> Data {
    match value {
        serde_json::Value::Null => Data::Null,
        serde_json::Value::Bool(value) => Data::Bool(value),
        serde_json::Value::Number(number) => Data::Float(number.as_f64().unwrap_or(0.0)),
        serde_json::Value::String(text) => Data::Text(text.into()),
        serde_json::Value::Array(items) => Data::List(items.into_iter().map(from_json).collect()),
        serde_json::Value::Object(map) => Data::Map(
            map.into_iter()
                .map(|(key, inner)| (SmolStr::from(key), from_json(inner)))
                .collect(),
        ),
    }
}
