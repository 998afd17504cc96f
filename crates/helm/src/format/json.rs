//! Writes JSON as Go's `encoding/json` does.

use crate::engine::print::float_within;
use crate::engine::{Fail, MapKind, Run, Val};

/// Maximum nesting of values.
const MAX_DEPTH: usize = 400;

/// How JSON is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonLayout {
    /// One line; `<`, `>` and `&` are escaped.
    Escaped,
    /// One line.
    Raw,
    /// Two spaces per level; escaped.
    Indented,
}

/// A value as JSON; empty if it has a number that JSON has not.
pub fn write(run: &mut Run, value: &Val, layout: JsonLayout) -> Result<String, Fail> {
    let mut out = String::new();
    let is_valid = node(run, value, layout, 0, &mut out)?;
    Ok(if is_valid { out } else { String::new() })
}

fn line(layout: JsonLayout, depth: usize, out: &mut String) {
    if layout == JsonLayout::Indented {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth * 2));
    }
}

fn node(
    run: &mut Run,
    value: &Val,
    layout: JsonLayout,
    depth: usize,
    out: &mut String,
) -> Result<bool, Fail> {
    run.spent.charge(2 + depth as u64 / 16)?;
    if depth > MAX_DEPTH {
        return Err(Fail::limit("a value is nested too deeply"));
    }
    let mut is_valid = true;
    match value {
        Val::Nil | Val::Null => out.push_str("null"),
        Val::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Val::Int(value) | Val::Int64(value) => out.push_str(&value.to_string()),
        Val::Float(value) if value.is_finite() => out.push_str(&number(*value)),
        Val::Float(_) => is_valid = false,
        Val::Text(text) => {
            run.spent.charge_text(text.len())?;
            quote(text, layout, out);
        }
        Val::Bytes(bytes) => quote(&super::base64(bytes), layout, out),
        Val::Time(time) => quote(&time.to_rfc3339(), layout, out),
        Val::Version(version) => quote(&version.to_string(), layout, out),
        Val::List(list) => {
            out.push('[');
            for (nth, item) in list.items.iter().enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                line(layout, depth + 1, out);
                is_valid &= node(run, item, layout, depth + 1, out)?;
            }
            if !list.items.is_empty() {
                line(layout, depth, out);
            }
            out.push(']');
        }
        Val::Map(map) => {
            let is_metadata = matches!(map.kind, MapKind::Struct(_));
            let entries = map.entries.borrow();
            out.push('{');
            let mut is_first = true;
            for (key, inner) in entries.iter() {
                if is_metadata && inner.is_empty() {
                    continue;
                }
                if !std::mem::take(&mut is_first) {
                    out.push(',');
                }
                line(layout, depth + 1, out);
                quote(key, layout, out);
                out.push(':');
                if layout == JsonLayout::Indented {
                    out.push(' ');
                }
                is_valid &= node(run, inner, layout, depth + 1, out)?;
            }
            if !is_first {
                line(layout, depth, out);
            }
            out.push('}');
        }
    }
    Ok(is_valid)
}

/// A float as JSON writes it: with an exponent only if it is very small or large.
fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = float_within(value, 6);
        // `1e-09` is written as `1e-9`.
        return match text.split_once("e-0") {
            Some((mantissa, exponent)) => format!("{mantissa}e-{exponent}"),
            None => text,
        };
    }
    format!("{value}")
}

fn quote(text: &str, layout: JsonLayout, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' if layout != JsonLayout::Raw => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}
