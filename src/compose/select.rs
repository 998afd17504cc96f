//! Which objects a patch or replacement is for.

use regex_lite::Regex;

use super::item::Item;
use crate::fact::{ResourceId, Selector};
use crate::yaml::Node;

/// A selector with its expressions compiled.
pub struct Matcher<'a> {
    selector: &'a Selector,
    group: Pattern,
    version: Pattern,
    kind: Pattern,
    namespace: Pattern,
    name: Pattern,
}

enum Pattern {
    Any,
    Text(String),
    Expression(Regex),
}

impl<'a> Matcher<'a> {
    pub fn new(selector: &'a Selector) -> Result<Matcher<'a>, String> {
        Ok(Matcher {
            selector,
            group: Pattern::new(&selector.group)?,
            version: Pattern::new(&selector.version)?,
            kind: Pattern::new(&selector.kind)?,
            namespace: Pattern::new(&selector.namespace)?,
            name: Pattern::new(&selector.name)?,
        })
    }

    /// Names and namespaces may be those that the object has now or had before.
    pub fn matches(&self, item: &Item) -> bool {
        let identity = |id: &ResourceId| {
            self.group.matches(&id.group)
                && self.version.matches(&id.version)
                && self.kind.matches(&id.kind)
                && self.namespace.matches(&id.namespace)
                && self.name.matches(&id.name)
        };
        item.identities().any(identity)
            && labels_match(&self.selector.labels, item.node.at(&["metadata", "labels"]))
            && labels_match(
                &self.selector.annotations,
                item.node.at(&["metadata", "annotations"]),
            )
    }
}

impl Pattern {
    fn new(expression: &str) -> Result<Pattern, String> {
        if expression.is_empty() {
            return Ok(Pattern::Any);
        }
        if expression
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        {
            return Ok(Pattern::Text(expression.into()));
        }
        Regex::new(&format!("^(?:{expression})$"))
            .map(Pattern::Expression)
            .map_err(|error| format!("`{expression}` is not an expression: {error}"))
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Any => true,
            Pattern::Text(expected) => expected == text,
            Pattern::Expression(regex) => regex.is_match(text),
        }
    }
}

/// `a=b,c!=d,e,!f,g in (h,i),j notin (k)` against labels or annotations.
fn labels_match(selector: &str, labels: Option<&Node>) -> bool {
    if selector.is_empty() {
        return true;
    }
    let value = |key: &str| {
        labels
            .and_then(|labels| labels.get(key.trim())?.as_scalar())
            .map(|scalar| scalar.text.as_str())
    };
    requirements(selector).into_iter().all(|requirement| {
        let requirement = requirement.trim();
        let set = |text: &str| -> Vec<String> {
            let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
            inner
                .split(',')
                .map(|item| item.trim().to_owned())
                .collect()
        };
        if let Some((key, values)) = requirement.split_once(" notin ") {
            return value(key).is_none_or(|value| !set(values).iter().any(|v| v == value));
        }
        if let Some((key, values)) = requirement.split_once(" in ") {
            return value(key).is_some_and(|value| set(values).iter().any(|v| v == value));
        }
        if let Some((key, expected)) = requirement.split_once("!=") {
            return value(key) != Some(expected.trim());
        }
        if let Some((key, expected)) = requirement.split_once('=') {
            return value(key) == Some(expected.trim_start_matches('=').trim());
        }
        match requirement.strip_prefix('!') {
            Some(key) => value(key).is_none(),
            None => value(requirement).is_some(),
        }
    })
}

/// Splits at commas outside parentheses.
fn requirements(selector: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, c) in selector.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&selector[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&selector[start..]);
    parts
}
