//! `layer-unused`: a layer in `catalog.toml` that has no components.

use super::owner_unused::{ConfigGlobs, unused};
use super::{Check, CheckContext};
use base::{Finding, Rule, Severity};

pub struct LayerUnused;

pub static RULE: Rule = Rule {
    name: "layer-unused",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "A `[[layer]]` in `catalog.toml` has no components.",
    about: r#"
## What it does

Checks for `[[layer]]` entries in `catalog.toml` whose `match` matches no component, or only components that an earlier entry
takes. A layer is a group of components, such as networking or storage. A component belongs to the first entry that matches
its id, its namespace or its path.

## Why is this bad?

The layer is missing from the navigation, and its components are listed somewhere else. Usually a name is misspelt, or the
component was renamed or moved.

## Example

```toml
[[layer]]
name = "Network"
match = ["treafik"]   # the component is traefik
```

## Use instead

```toml
[[layer]]
name = "Network"
match = ["traefik"]
```
"#,
};

impl Check for LayerUnused {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let entries: Vec<ConfigGlobs<'_>> = context
            .config
            .layers
            .iter()
            .map(|layer| ConfigGlobs {
                name: &layer.name,
                globs: &layer.globs,
                place: layer.place,
            })
            .collect();
        unused(context, &entries, RULE.name, "layer")
    }
}
