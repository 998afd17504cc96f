//! Whether Argo CD checks the health of an Application. By default it does not: that takes a custom health check.

use super::super::ReadContext;
use super::memo::Memo;
use yaml::{Node, Value};

const KEYS: &[&str] = &[
    "resource.customizations.health.argoproj.io_Application",
    "argoproj.io/Application",
];

/// Whether a file of the repo gives the rule: the ConfigMap, values of the chart that makes it, or a patch of either.
pub fn is_assessed(context: &ReadContext<'_>) -> bool {
    *Memo::get(context).assesses_health.get_or_init(|| {
        let mut files = context.facts.all();
        files.any(|(_, found)| {
            let objects = found.resources.iter().map(|resource| &resource.node);
            objects
                .chain(&found.other_documents)
                .any(|node| states(node))
        })
    })
}

fn states(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(_) => false,
        Value::Seq(items) => items.iter().any(states),
        Value::Map(map) => map.0.iter().any(|entry| {
            let inline = || {
                let text = entry.value.text();
                entry.key == "resource.customizations"
                    && text.is_some_and(|text| text.contains("argoproj.io/Application:"))
            };
            KEYS.contains(&entry.key.as_str()) || inline() || states(&entry.value)
        }),
    }
}
