//! Parameters that generators produce and templates use, substituted into the scalars of a tree. Templates are Go
//! templates or plain names in braces.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use gotemplate::{Fault, Missing, Value};
use yaml::Node;

/// How a set writes its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamStyle {
    /// `{{ name }}`: a flat list of names.
    Names,
    /// `{{ .name }}`, with functions and conditions.
    Go(Missing),
}

impl ParamStyle {
    pub fn from_spec(spec: &Node) -> ParamStyle {
        if spec.get("goTemplate").and_then(Node::as_bool) != Some(true) {
            return ParamStyle::Names;
        }
        let options = spec.items_at("goTemplateOptions").iter();
        let mut options = options.filter_map(|option| option.text()?.strip_prefix("missingkey="));
        // The last one counts.
        ParamStyle::Go(match options.next_back() {
            Some("error") => Missing::Fault,
            Some("zero") => Missing::Zero,
            _ => Missing::NoValue,
        })
    }
}

/// Substitutes parameters in a text. An unknown name stays unchanged.
pub fn fill(text: &str, params: &Value, style: ParamStyle) -> Result<String, Fault> {
    match style {
        ParamStyle::Go(missing) => {
            let written = gotemplate::run(text, params, missing)?;
            Ok(written.text)
        }
        ParamStyle::Names => {
            let flat = flat(params);
            let mut filled = String::new();
            let mut rest = text;
            while let Some((before, after)) = rest.split_once("{{") {
                filled.push_str(before);
                let Some((name, after)) = after.split_once("}}") else {
                    filled.push_str("{{");
                    rest = after;
                    continue;
                };
                match flat.get(name.trim()) {
                    Some(value) => filled.push_str(value),
                    None => filled.push_str(&format!("{{{{{name}}}}}")),
                }
                rest = after;
            }
            filled.push_str(rest);
            Ok(filled)
        }
    }
}

/// A tree with its parameters put in, keys and values.
pub fn fill_tree(node: &mut Node, params: &Value, style: ParamStyle) -> Result<(), Fault> {
    let is_gap = |text: &str| text.contains("{{");
    let line = node.place.line;
    let located = |fault: Fault| Fault { line, ..fault };
    match &mut node.value {
        yaml::Value::Scalar(scalar) if is_gap(&scalar.text) => {
            scalar.text = fill(&scalar.text, params, style).map_err(located)?.into();
        }
        yaml::Value::Scalar(_) => {}
        yaml::Value::Seq(items) => {
            for item in items {
                fill_tree(item, params, style)?;
            }
        }
        yaml::Value::Map(map) => {
            for entry in &mut map.0 {
                if is_gap(&entry.key) {
                    entry.key = fill(&entry.key, params, style).map_err(located)?.into();
                }
                fill_tree(&mut entry.value, params, style)?;
            }
        }
    }
    Ok(())
}

/// Parameters by the path that leads to each: `a.b`, `a[0]`.
pub fn flat(params: &Value) -> BTreeMap<SmolStr, String> {
    let mut found = BTreeMap::new();
    flatten(params, String::new(), &mut found);
    found
}

fn flatten(value: &Value, path: String, found: &mut BTreeMap<SmolStr, String>) {
    match value {
        Value::Map(map) => {
            for (key, value) in map.iter() {
                let path = if path.is_empty() {
                    key.to_string()
                } else {
                    format!("{path}.{key}")
                };
                flatten(value, path, found);
            }
        }
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                flatten(item, format!("{path}[{at}]"), found);
            }
        }
        Value::Nil => {}
        other => drop(found.insert(path.into(), other.written())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_braces_are_filled_and_others_stay() {
        let mut params = Value::default();
        params.set(&["path"], Value::text("apps/web"));
        params.set(&["path.basename"], Value::text("web"));
        params.set(&["values", "env"], Value::text("dev"));
        let filled = |text: &str| fill(text, &params, ParamStyle::Names).unwrap();
        assert_eq!(filled("{{path.basename}}-{{ values.env }}"), "web-dev");
        assert_eq!(filled("{{ other }}/{{path}}"), "{{ other }}/apps/web");
        assert_eq!(filled("{{ open"), "{{ open");
    }
}
