//! `environment-drift`: a variable that is set in one environment and missing in another that uses it.

use super::variable::unset;
use super::{Check, Scene, wording};
use crate::diagnostic::{Finding, Rule, Severity};

pub struct EnvironmentDrift;

pub static RULE: Rule = Rule {
    name: "environment-drift",
    severity: Severity::Warning,
    summary: "A variable is set in one environment and missing in another that uses it.",
    about: r#"
## What it does

Looks for variables that a unit uses in several clusters, while only some of them set it and the others have no default.
A variable that no cluster sets is `unset-variable`. One with a default is meant to be set in some places only, and is not
reported.

## Why is this bad

Somebody added it where they worked and forgot the other environment. There, it is replaced by nothing, at the next
deployment to production for example.

## Example

```text
# clusters/dev/vars.env
DOMAIN=dev.example.com

# clusters/prod/vars.env
(nothing)
```

## Fix

Set it in the other environment as well, or give it a default where it is used: `${DOMAIN:=example.com}`.
"#,
};

impl Check for EnvironmentDrift {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let drifted = unset(scene).into_iter();
        let drifted = drifted.filter(|unset| !unset.set_in.is_empty());
        let findings = drifted.map(|unset| {
            let names = |clusters: &mut dyn Iterator<Item = &str>| {
                let names: Vec<String> = clusters.map(str::to_owned).collect();
                wording::listed(&names)
            };
            let has = names(&mut unset.set_in.iter().map(|(cluster, _)| *cluster));
            let lacks = names(&mut unset.clusters.iter().copied());
            let (place, object) = &unset.objects[0];
            let name = unset.name;
            let message = format!(
                "`{name}` is set in {has} and not in {lacks}: {object} gets nothing in its place there"
            );
            let (_, set) = unset.set_in[0];
            Finding::warning(RULE.name, *place, message)
                .help(format!(
                    "set it in {lacks} as well, or give it a default: `${{{name}:=…}}`"
                ))
                .note(set, format!("{has} sets it here"))
        });
        findings.collect()
    }
}
