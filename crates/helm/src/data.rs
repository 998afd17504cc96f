//! Values of a chart at rest: immutable, and shared between threads.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use yaml::{Entry, Node, Style};

use crate::engine::print::float_within;

/// A value, typed as Helm reads it. Numbers of YAML files are `Float`, as in Go's JSON; `--set` gives `Int`.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Data {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(SmolStr),
    List(Vec<Data>),
    Map(BTreeMap<SmolStr, Data>),
}

impl Data {
    /// Reads a node by the rules of YAML 1.1, as Helm's library does: `yes` is true. Keys are text as written.
    pub fn from_node(node: &Node) -> Data {
        Data::from_text(node, "")
    }

    /// Reads a node of a text. The text shows which keys are quoted: others may be numbers or truth values.
    pub fn from_text(node: &Node, text: &str) -> Data {
        match &node.value {
            yaml::Value::Scalar(scalar) if scalar.style == Style::Plain => {
                resolve(&scalar.text).unwrap_or_else(|| Data::Text(scalar.text.clone()))
            }
            yaml::Value::Scalar(scalar) => Data::Text(scalar.text.clone()),
            yaml::Value::Seq(items) => Data::List(
                items
                    .iter()
                    .map(|item| Data::from_text(item, text))
                    .collect(),
            ),
            yaml::Value::Map(map) => Data::Map(
                map.0
                    .iter()
                    .map(|entry| (key_text(entry, text), Data::from_text(&entry.value, text)))
                    .collect(),
            ),
        }
    }

    pub fn map() -> Data {
        Data::Map(BTreeMap::new())
    }

    /// Number of values in it.
    pub fn size(&self) -> usize {
        1 + match self {
            Data::List(items) => items.iter().map(Data::size).sum(),
            Data::Map(map) => map.values().map(Data::size).sum(),
            _ => 0,
        }
    }

    pub fn get(&self, key: &str) -> Option<&Data> {
        match self {
            Data::Map(map) => map.get(key),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Merges another value over this one, as Helm merges values files: maps are merged, everything else replaced.
    pub fn merge(&mut self, over: &Data) {
        if let (Data::Map(map), Data::Map(over)) = (&mut *self, over) {
            for (key, value) in over {
                match map.get_mut(key) {
                    Some(known) if matches!(known, Data::Map(_)) => known.merge(value),
                    Some(known) => *known = value.clone(),
                    None => drop(map.insert(key.clone(), value.clone())),
                }
            }
        } else {
            *self = over.clone();
        }
    }
}

fn float_text(number: f64) -> String {
    float_within(number, 21)
}

/// A key as text. Go resolves plain keys, too: `yes:` is `true`.
fn key_text(entry: &Entry, text: &str) -> SmolStr {
    let resolved = match resolve(&entry.key) {
        Some(Data::Bool(value)) => SmolStr::from(if value { "true" } else { "false" }),
        Some(Data::Float(number)) => float_text(number).into(),
        _ => return entry.key.clone(),
    };
    let place = entry.key_place;
    let line = text.lines().nth((place.line as usize).wrapping_sub(1));
    let column = (place.column as usize).saturating_sub(1);
    match line.and_then(|line| line.chars().nth(column)) {
        None | Some('"' | '\'' | '&' | '!' | '*' | '?') => entry.key.clone(),
        Some(_) => resolved,
    }
}

/// The value of a plain scalar that is not text.
pub fn resolve(text: &str) -> Option<Data> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(Data::Null),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Some(Data::Bool(true));
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Some(Data::Bool(false));
        }
        _ => {}
    }
    match text.as_bytes().first()? {
        b'.' => float(text).map(Data::Float),
        b'+' | b'-' | b'0'..=b'9' => number(text).map(Data::Float),
        _ => None,
    }
}

fn number(text: &str) -> Option<f64> {
    let plain = text.replace('_', "");
    integer(&plain).or_else(|| float(&plain))
}

/// Go's `ParseInt` with base 0.
fn integer(text: &str) -> Option<f64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    Some(sign * value as f64)
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`.
fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_mantissa = match mantissa.split_once('.') {
        Some(("", after)) => are_digits(after),
        Some((before, after)) => are_digits(before) && (after.is_empty() || are_digits(after)),
        None => are_digits(mantissa),
    };
    let is_exponent =
        exponent.is_none_or(|digits| are_digits(digits.strip_prefix(['-', '+']).unwrap_or(digits)));
    if !is_mantissa || !is_exponent {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_read_by_the_rules_of_yaml_1_1() {
        let number = |value: f64| Some(Data::Float(value));
        let cases = [
            ("yes", Some(Data::Bool(true))),
            ("off", Some(Data::Bool(false))),
            ("", Some(Data::Null)),
            ("0777", number(511.0)),
            ("0o17", number(15.0)),
            ("0x1F", number(31.0)),
            ("1_000", number(1000.0)),
            ("1e3", number(1000.0)),
            ("089", number(89.0)),
            ("1.", number(1.0)),
            (".5", number(0.5)),
            ("1.2.3", None),
            ("2001-01-01", None),
            ("12:30", None),
            ("-", None),
            ("1e", None),
        ];
        for (text, expected) in cases {
            assert_eq!(resolve(text), expected, "{text}");
        }
    }
}
