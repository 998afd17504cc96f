//! Writes TOML.

use smol_str::SmolStr;

use crate::engine::print::{float, quoted};
use crate::engine::{Fail, Run, Val};

/// Maximum nesting of tables.
const MAX_DEPTH: usize = 100;

/// A map as TOML: plain keys first, then tables, each sorted.
pub fn write(run: &mut Run, value: &Val) -> Result<String, Fail> {
    let mut out = String::new();
    if value.as_map().is_none() {
        return Ok("toml: top-level values must be Go maps or structs".to_owned());
    }
    table(run, value, &mut Vec::new(), &mut out)?;
    Ok(out)
}

fn is_table(value: &Val) -> bool {
    matches!(value, Val::Map(_))
}

fn is_table_list(value: &Val) -> bool {
    let Val::List(list) = value else {
        return false;
    };
    !list.items.is_empty() && list.items.iter().all(is_table)
}

fn table(
    run: &mut Run,
    value: &Val,
    path: &mut Vec<SmolStr>,
    out: &mut String,
) -> Result<(), Fail> {
    let Val::Map(map) = value else { return Ok(()) };
    if path.len() > MAX_DEPTH {
        return Err(Fail::limit("a value is nested too deeply"));
    }
    let entries: Vec<(SmolStr, Val)> = {
        let entries = map.entries.borrow();
        run.spent.charge(entries.len() as u64)?;
        entries
            .iter()
            .map(|(key, inner)| (key.clone(), inner.clone()))
            .collect()
    };
    let indent = "  ".repeat(path.len().saturating_sub(1));
    let inner_indent = if path.is_empty() {
        String::new()
    } else {
        format!("{indent}  ")
    };
    let (tables, plain): (Vec<_>, Vec<_>) = entries
        .into_iter()
        .filter(|(_, inner)| !inner.is_null())
        .partition(|(_, inner)| is_table(inner) || is_table_list(inner));
    for (key, inner) in plain {
        out.push_str(&format!("{inner_indent}{} = ", key_text(&key)));
        scalar(run, &inner, 0, out)?;
        out.push('\n');
    }
    for (key, inner) in tables {
        path.push(key);
        let indent = "  ".repeat(path.len() - 1);
        let name: Vec<String> = path.iter().map(|key| key_text(key)).collect();
        let name = name.join(".");
        let items = match &inner {
            Val::List(list) => list.items.clone(),
            other => vec![other.clone()],
        };
        let is_list = matches!(inner, Val::List(_));
        for item in items {
            if path.len() == 1 && !out.is_empty() || is_list && !out.is_empty() {
                out.push('\n');
            }
            let (open, close) = if is_list { ("[[", "]]") } else { ("[", "]") };
            out.push_str(&format!("{indent}{open}{name}{close}\n"));
            table(run, &item, path, out)?;
        }
        path.pop();
    }
    Ok(())
}

fn key_text(key: &str) -> String {
    let is_bare = !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if is_bare { key.to_owned() } else { quoted(key) }
}

fn scalar(run: &mut Run, value: &Val, depth: usize, out: &mut String) -> Result<(), Fail> {
    run.spent.charge(1)?;
    if depth > MAX_DEPTH {
        return Err(Fail::limit("a value is nested too deeply"));
    }
    match value {
        Val::Nil | Val::Null => {}
        Val::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Val::Int(value) | Val::Int64(value) => out.push_str(&value.to_string()),
        Val::Float(value) => {
            let text = match value {
                value if value.is_finite() => format!("{value}"),
                value => float(*value).to_lowercase(),
            };
            let is_whole = value.is_finite() && !text.contains('.');
            out.push_str(&text);
            if is_whole {
                out.push_str(".0");
            }
        }
        Val::Text(text) => {
            run.spent.charge_text(text.len())?;
            out.push_str(&quoted(text));
        }
        Val::Bytes(bytes) => out.push_str(&quoted(&super::base64(bytes))),
        Val::Time(time) => out.push_str(&time.to_rfc3339()),
        Val::Version(version) => out.push_str(&quoted(&version.to_string())),
        Val::List(list) => {
            out.push('[');
            for (nth, item) in list.items.iter().enumerate() {
                if nth > 0 {
                    out.push_str(", ");
                }
                scalar(run, item, depth + 1, out)?;
            }
            out.push(']');
        }
        Val::Map(map) => {
            out.push('{');
            for (nth, (key, inner)) in map.entries.borrow().iter().enumerate() {
                if nth > 0 {
                    out.push_str(", ");
                }
                out.push_str(&format!("{} = ", key_text(key)));
                scalar(run, inner, depth + 1, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}
