//! Selectors: which objects a patch or replacement applies to.

use super::item::{BuildObject, effective_namespace};
use crate::{ResourceId, Selector};
use base::pattern::Regex;
use yaml::Node;

/// A selector with compiled expressions.
pub struct Matcher<'a> {
    selector: &'a Selector,
    group: SelectorPattern,
    version: SelectorPattern,
    kind: SelectorPattern,
    namespace: SelectorPattern,
    name: SelectorPattern,
}

enum SelectorPattern {
    Any,
    Text(String),
    Expression(Regex),
}

impl<'a> Matcher<'a> {
    pub fn new(selector: &'a Selector) -> Result<Matcher<'a>, String> {
        Ok(Matcher {
            selector,
            group: SelectorPattern::new(&selector.group)?,
            version: SelectorPattern::new(&selector.version)?,
            kind: SelectorPattern::new(&selector.kind)?,
            namespace: SelectorPattern::new(&selector.namespace)?,
            name: SelectorPattern::new(&selector.name)?,
        })
    }

    /// Whether it has regular expressions, which are slower than comparing names.
    pub fn has_expressions(&self) -> bool {
        let parts = [
            &self.group,
            &self.version,
            &self.kind,
            &self.namespace,
            &self.name,
        ];
        let mut parts = parts.into_iter();
        parts.any(|part| matches!(part, SelectorPattern::Expression(_)))
            || !self.selector.labels.is_empty()
            || !self.selector.annotations.is_empty()
    }

    /// Whether it selects an object. Name and namespace may each be the original or the current one.
    pub fn selects(&self, item: &BuildObject) -> bool {
        let (now, original) = (&item.id, item.original());
        let either = |pattern: &SelectorPattern, part: fn(&ResourceId) -> &str| {
            pattern.matches(part(original)) || pattern.matches(part(now))
        };
        self.group.matches(&now.group)
            && self.version.matches(&now.version)
            && self.kind.matches(&now.kind)
            && either(&self.name, |id| &id.name)
            && either(&self.namespace, effective_namespace)
            && has_labels(item, self.selector)
    }
}

/// Whether the source of a replacement means an object: any of its identities matches exactly.
pub fn is_source(item: &BuildObject, selector: &Selector) -> bool {
    is_identified(item, selector) && has_labels(item, selector)
}

/// Whether a selector rejects an object, by identity or by labels.
pub fn is_rejected(item: &BuildObject, rejects: &[Selector]) -> bool {
    rejects.iter().any(|reject| {
        let by_identity = [
            &reject.group,
            &reject.version,
            &reject.kind,
            &reject.name,
            &reject.namespace,
        ]
        .iter()
        .any(|part| !part.is_empty());
        let by_labels = !reject.labels.is_empty() || !reject.annotations.is_empty();
        by_identity && is_identified(item, reject) || by_labels && has_labels(item, reject)
    })
}

fn is_identified(item: &BuildObject, selector: &Selector) -> bool {
    let fits = |want: &str, is: &str| want.is_empty() || want == is;
    item.identities().any(|id| {
        fits(&selector.group, &id.group)
            && fits(&selector.version, &id.version)
            && fits(&selector.kind, &id.kind)
            && fits(&selector.name, &id.name)
            && fits(&selector.namespace, effective_namespace(id))
    })
}

fn has_labels(item: &BuildObject, selector: &Selector) -> bool {
    labels_match(&selector.labels, item.node.at(&["metadata", "labels"]))
        && labels_match(
            &selector.annotations,
            item.node.at(&["metadata", "annotations"]),
        )
}

impl SelectorPattern {
    fn new(expression: &str) -> Result<SelectorPattern, String> {
        if expression.is_empty() {
            return Ok(SelectorPattern::Any);
        }
        if expression
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        {
            return Ok(SelectorPattern::Text(expression.into()));
        }
        Regex::new(&format!("^(?:{expression})$"))
            .map(SelectorPattern::Expression)
            .map_err(|error| format!("`{expression}` is not a valid regular expression: {error}"))
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            SelectorPattern::Any => true,
            SelectorPattern::Text(expected) => expected == text,
            SelectorPattern::Expression(regex) => regex.is_match(text),
        }
    }
}

/// Whether a label selector such as `a=b,c!=d,e,!f,g in (h,i),j notin (k)` matches.
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
