//! `owner-unused`: an owner in `catalog.toml` that owns nothing.

use super::{Check, CheckContext};
use crate::catalog::candidates;
use crate::input::config::Globs;
use base::{Finding, Place, Rule, Severity};

pub struct OwnerUnused;

pub static RULE: Rule = Rule {
    name: "owner-unused",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "An `[[owner]]` in `catalog.toml` owns no component.",
    about: r#"
## What it does

Checks for `[[owner]]` entries in `catalog.toml` whose `match` matches no component, or only components that an earlier entry
owns. A component belongs to the first entry that matches its id, its namespace or its path.

## Why is this bad?

The components that were meant have no owner, or the wrong one, and nobody knows whom to call. Usually a name is misspelt, or
the component was renamed or moved.

## Example

```toml
[[owner]]
name = "Platform team"
match = ["infrastucture/"]   # the directory is infrastructure/
```

## Use instead

```toml
[[owner]]
name = "Platform team"
match = ["infrastructure/"]
```
"#,
};

impl Check for OwnerUnused {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let entries: Vec<ConfigGlobs<'_>> = context
            .config
            .owners
            .iter()
            .map(|owner| ConfigGlobs {
                name: &owner.name,
                globs: &owner.globs,
                place: owner.place,
            })
            .collect();
        unused(context, &entries, RULE.name, "owner")
    }
}

/// An entry of `catalog.toml` that claims components.
pub struct ConfigGlobs<'a> {
    pub name: &'a str,
    pub globs: &'a Globs,
    pub place: Place,
}

/// The entries that get no component. `key` is the name of their table.
pub fn unused(
    context: &CheckContext<'_>,
    entries: &[ConfigGlobs<'_>],
    rule: &'static str,
    key: &str,
) -> Vec<Finding> {
    let names: Vec<Vec<&str>> = context
        .catalog
        .components
        .iter()
        .map(|component| candidates(component))
        .collect();
    // Without components, the catalogue has a larger problem.
    if entries.is_empty() || names.is_empty() {
        return Vec::new();
    }
    let first = |names: &Vec<&str>| {
        entries
            .iter()
            .position(|entry| entry.globs.any_match(names))
    };
    let claimed: Vec<Option<usize>> = names.iter().map(first).collect();
    let mut unused = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if claimed.contains(&Some(at)) {
            continue;
        }
        let is_matched = names.iter().any(|names| entry.globs.any_match(names));
        let name = entry.name;
        let (what, help) = if is_matched {
            (
                format!(
                    "{key} `{name}` gets no component: earlier entries match all of its components"
                ),
                format!("move this `[[{key}]]` before them, or remove it"),
            )
        } else {
            (
                format!("{key} `{name}` matches no component"),
                meant(entry, &names),
            )
        };
        let finding = Finding::warning(rule, entry.place, what).help(help);
        unused.push(context.repo.place_in_config(context.config, finding));
    }
    unused
}

/// Suggested correction for an entry that matches nothing.
fn meant(entry: &ConfigGlobs<'_>, names: &[Vec<&str>]) -> String {
    let known: Vec<&str> = names.iter().flatten().copied().collect();
    let typed = entry.globs.patterns().iter();
    let mut near = typed.filter_map(|pattern| {
        let plain = pattern.trim_end_matches("**").trim_end_matches('/');
        let is_comparable = plain.len() <= 200;
        is_comparable.then(|| base::text::nearest(plain, &known))?
    });
    match near.next() {
        Some(near) => format!("did you mean `{near}`?"),
        None => "correct `match`, or remove the entry".to_owned(),
    }
}
