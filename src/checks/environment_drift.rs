//! `environment-drift`: a variable that is set in one environment but missing in another that uses it.

use super::variable::unset;
use super::{Check, CheckContext, wording};
use base::{Finding, Rule, Severity};

pub struct EnvironmentDrift;

pub static RULE: Rule = Rule {
    name: "environment-drift",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "A variable is set in one environment but missing in another that uses it.",
    about: r#"
## What it does

Checks for variables that a Kustomization uses in several clusters, if only some of the clusters set them and they have no
default. A variable that no cluster sets is reported as `unset-variable`. A variable with a default is meant to be set in some
places only, and is not reported.

## Why is this bad?

Somebody added the variable to the environment that they were working on and forgot the others. There, Flux replaces it with
an empty string or, in strict mode, fails the build. That may only show at the next deployment to production.

## Example

```text
# clusters/dev/vars.env
DOMAIN=dev.example.com

# clusters/prod/vars.env
(nothing)
```

## How to fix it

Set the variable in the other environment as well, or give it a default where it is used: `${DOMAIN:=example.com}`.
"#,
};

impl Check for EnvironmentDrift {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let unset = unset(context).into_iter();
        let drifted = unset.filter(|unset| !unset.set_in.is_empty());
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
                "`{name}` is set in {has} but not in {lacks}, where {object} uses it"
            );
            let (cluster, set) = unset.set_in[0];
            Finding::warning(RULE.name, *place, message)
                .help(format!(
                    "set it in {lacks} as well, or give it a default: `${{{name}:=…}}`; otherwise, it becomes an empty string or, in strict mode, fails the build"
                ))
                .note(set, format!("set here for `{cluster}`"))
                // A file of settings that one environment has and another lacks is one slip.
                .cause(format_args!("{} {lacks}", set.file.0))
        });
        findings.collect()
    }
}
