//! The text of `docs/configuration.md`: every key of `catalog.toml`, taken from the types. Text in, text out.

use std::fmt::Write;

use schemars::schema_for;
use serde_json::Value;

use super::{Config, application, chart, check, fetch, kind, link, look, read};

/// The page about `catalog.toml`.
pub fn guide() -> String {
    let schema = schema_for!(Config).to_value();
    let guide = Guide {
        types: &schema["$defs"],
    };
    let mut text = INTRODUCTION.to_owned();
    for (key, property) in in_order(&schema, read::KEYS) {
        let _ = write!(text, "\n## {key}\n\n");
        guide.describe(key, property, &mut text);
    }
    text
}

const INTRODUCTION: &str = "# Configuration

<!-- Generated from the types in src/input/config.rs; run the tests with UPDATE_GOLDEN=1 to update it. -->

`catalog.toml` holds what the manifests do not say, such as owners. It lives at the root of the repository; use `--config FILE` for another file. The file and
every key in it are optional. Unknown keys and invalid values are errors: all of them are reported at once with their lines, and the command exits 2.

`catalog init` writes a `catalog.toml` with every key explained and commented out. Editors can use the JSON Schema,
[catalog.schema.json](catalog.schema.json), to complete and validate the file.
";

/// The order in which the keys of a type are told: that in which they are read.
fn keys_of(name: &str) -> &'static [&'static str] {
    match name {
        "Cluster" => read::CLUSTER_KEYS,
        "Layer" => read::LAYER_KEYS,
        "Owner" => read::OWNER_KEYS,
        "Accepted" => read::ACCEPTED_KEYS,
        "Chart" => chart::CHART_KEYS,
        "Kind" => kind::KIND_KEYS,
        "Application" => application::APPLICATION_KEYS,
        "ExtraLink" => look::NAV_KEYS,
        "Link" => link::LINK_KEYS,
        "Check" => check::KEYS,
        "Allow" => check::ALLOW_KEYS,
        "Fetch" => fetch::FETCH_KEYS,
        "Mirror" => fetch::MIRROR_KEYS,
        _ => &[],
    }
}

struct Guide<'s> {
    types: &'s Value,
}

impl Guide<'_> {
    /// Describes a key, with its own keys if it is a table, and an example.
    fn describe(&self, path: &str, property: &Value, text: &mut String) {
        let _ = writeln!(text, "{}\n", description(property));
        let table = self.table(property);
        let Some((name, table, is_list)) = table else {
            let _ = writeln!(text, "Type: {}.", self.kind(property));
            if let Some(example) = example(property) {
                // A key may mean something only beside another.
                let with = property["with"].as_str().map(|line| format!("{line}\n"));
                let with = with.unwrap_or_default();
                let _ = write!(text, "\n```toml\n{with}{}```\n", toml_line(path, example));
            }
            return;
        };
        let keys = in_order(table, keys_of(name));
        let (plain, below): (Vec<_>, Vec<_>) =
            keys.into_iter().partition(|(_, key)| !self.is_table(key));
        if !plain.is_empty() {
            text.push_str("| key | type | default | description |\n|---|---|---|---|\n");
        }
        for (key, property) in &plain {
            let default = if is_required(table, key) {
                "required".to_owned()
            } else {
                default(property)
            };
            let (kind, says) = (self.kind(property), cell(&description(property)));
            let _ = writeln!(text, "| `{key}` | {kind} | {default} | {says} |");
        }
        let head = if is_list {
            format!("[[{path}]]")
        } else {
            format!("[{path}]")
        };
        let examples = plain.iter().filter_map(|(key, property)| {
            let example = example(property)?;
            Some(toml_line(key, example))
        });
        let examples: String = examples.collect();
        if !examples.is_empty() {
            let _ = write!(text, "\n```toml\n{head}\n{examples}```\n");
        }
        for (key, property) in below {
            // Nothing but the description is above it.
            let gap = if text.ends_with("\n\n") { "" } else { "\n" };
            let _ = write!(text, "{gap}### {path}.{key}\n\n");
            self.describe(&format!("{path}.{key}"), property, text);
        }
    }

    /// The table that a key takes, or takes a list of: its name, its schema, and whether it is a list.
    fn table<'v>(&'v self, property: &'v Value) -> Option<(&'v str, &'v Value, bool)> {
        let (referred, is_list) = match property["items"].get("$ref") {
            Some(referred) => (Some(referred), true),
            None => (reference(property), false),
        };
        let name = referred?.as_str()?.rsplit('/').next()?;
        let table = self.types.get(name)?;
        table.get("properties").map(|_| (name, table, is_list))
    }

    /// Whether a key is told under a heading of its own.
    fn is_table(&self, property: &Value) -> bool {
        self.table(property).is_some() || property.get("additionalProperties").is_some()
    }

    /// Type of a key, in words.
    fn kind(&self, property: &Value) -> String {
        if let Some(words) = self.words(property) {
            return format!("one of {}", words.join(", "));
        }
        let kind = &property["type"];
        let is = |name: &str| match kind {
            Value::Array(kinds) => kinds.iter().any(|kind| kind == name),
            kind => kind == name,
        };
        let kind = if is("array") {
            "list of strings"
        } else if is("object") {
            "table of strings"
        } else if is("integer") {
            "number"
        } else {
            "string"
        };
        kind.to_owned()
    }

    /// The words that a key may have.
    fn words(&self, property: &Value) -> Option<Vec<String>> {
        let name = reference(property)?.as_str()?.rsplit('/').next()?;
        let words = self.types.get(name)?.get("enum")?.as_array()?.iter();
        let words = words.filter_map(|word| Some(format!("`{}`", word.as_str()?)));
        Some(words.collect())
    }
}

/// The type that a property refers to, be it with a description of its own or without.
fn reference(property: &Value) -> Option<&Value> {
    let beside = || property["allOf"].get(0)?.get("$ref");
    property.get("$ref").or_else(beside)
}

/// The properties of a type in this order, and what it does not name behind.
fn in_order<'v>(schema: &'v Value, order: &[&str]) -> Vec<(&'v str, &'v Value)> {
    let properties = schema["properties"].as_object();
    let place = |key: &str| order.iter().position(|one| *one == key);
    let mut keys: Vec<(&str, &Value)> = properties
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value))
        .collect();
    keys.sort_by_key(|(key, _)| (place(key).unwrap_or(order.len()), *key));
    keys
}

fn is_required(table: &Value, key: &str) -> bool {
    let required = table["required"].as_array();
    required.is_some_and(|keys| keys.iter().any(|one| one == key))
}

/// The description of a field, without line breaks.
fn description(property: &Value) -> String {
    let text = property["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The value that applies if a key is not set, or that it is optional.
fn default(property: &Value) -> String {
    match &property["default"] {
        Value::String(word) => format!("`{word}`"),
        _ => "optional".to_owned(),
    }
}

fn example(property: &Value) -> Option<&Value> {
    property["examples"].get(0)
}

/// A key with its value; a table under its own heading.
fn toml_line(key: &str, value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let lines = entries.iter().map(|(name, value)| {
                let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                if name.chars().all(is_bare) {
                    format!("{name} = {value}\n")
                } else {
                    format!("\"{name}\" = {value}\n")
                }
            });
            format!("[{key}]\n{}", lines.collect::<String>())
        }
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            format!("{key} = [{}]\n", values.join(", "))
        }
        // Strings and numbers are written alike in JSON and TOML.
        value => format!("{key} = {value}\n"),
    }
}

/// Text in a table must not end its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
