//! `unset-variable`: a variable that is never set and has no default.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::variable::unset;
use super::{Check, CheckContext, wording};
use base::{Finding, Rule, Severity};

pub struct UnsetVariable;

pub static RULE: Rule = Rule {
    name: "unset-variable",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "A manifest uses a variable that is never set.",
    about: r#"
## What it does

Checks for variables such as `${DOMAIN}` that have no default and that the Kustomization sets neither in `substitute` nor
through `substituteFrom`. Nothing is reported if one of its sources is not in the repository, because that may set any
variable.

## Why is this bad?

Flux replaces the variable with an empty string and applies an incomplete object: `host: shop.` instead of
`host: shop.example.com`. There is no warning. With strict substitution, the Kustomization fails instead:

```text
variable substitution failed: variable not set (strict mode): "DOMAIN"
```

## Example

```yaml
apiVersion: networking.k8s.io/v1
kind: Ingress
spec:
  rules:
    - host: shop.${DOMIAN}
```

## How to fix it

Set the variable in a source of the Kustomization, correct its name, or give it a default: `${DOMAIN:=example.com}`. If it is
meant for a shell instead of Flux, escape it with a second dollar sign: `$${HOME}`.
"#,
};

impl Check for UnsetVariable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let missing = unset(context).into_iter();
        let everywhere = missing.filter(|unset| unset.set_in.is_empty());
        let everywhere: Vec<_> = everywhere.collect();
        let mut lacking: BTreeMap<&SmolStr, usize> = BTreeMap::new();
        for unset in &everywhere {
            *lacking.entry(unset.name).or_default() += 1;
        }
        let findings = everywhere.iter().map(|unset| {
            let (place, object) = &unset.objects[0];
            let name = unset.name;
            let message = format!(
                "`{name}` is never set, so {} `{}` leaves it empty in {object} or, in strict mode, fails",
                unset.unit.kind, unset.unit.name
            );
            let mut finding = Finding::warning(RULE.name, *place, message).help(format!(
                "set it, or give it a default: `${{{name}:=…}}`; if it is meant for a shell, escape it: `$${{{name}}}`"
            ));
            // A variable that several units lack is one cause; so is a line with several variables.
            finding = if lacking.get(name).is_some_and(|units| *units > 1) {
                finding.cause(name)
            } else {
                finding.cause(format_args!("{}:{}", place.file.0, place.line))
            };
            for (place, object) in wording::some(&unset.objects[1..]) {
                finding = finding.note(*place, format!("{object} uses it too"));
            }
            for (place, object) in &unset.objects {
                finding = finding.covers(*place, format_args!("{name} in {object}"));
            }
            finding
        });
        findings.collect()
    }
}
