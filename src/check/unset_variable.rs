//! `unset-variable`: a variable that nothing sets, and that has no default.

use super::variable::unset;
use super::{Check, Scene, wording};
use crate::diagnostic::{Finding, Rule, Severity};

pub struct UnsetVariable;

pub static RULE: Rule = Rule {
    name: "unset-variable",
    severity: Severity::Warning,
    summary: "A manifest names a variable that nothing sets.",
    about: r#"
## What it does

Looks for variables such as `${DOMAIN}` in objects of a unit that substitutes variables, where no source of the unit sets
them and no default is given. Where a source is not in the repository, it may set anything, and nothing is reported.

## Why is this bad

The variable is replaced by nothing, and the object is applied with a hole in it: `host: shop.` instead of
`host: shop.example.com`. Nothing warns of it, unless substitution is strict, in which case the unit fails:

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

## Fix

Set the variable in a source of the unit, correct its name, or give it a default: `${DOMAIN:=example.com}`. What is meant
for a shell and not for the reconciler is written with two dollar signs: `$${HOME}`.
"#,
};

impl Check for UnsetVariable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let missing = unset(scene).into_iter();
        let everywhere = missing.filter(|unset| unset.set_in.is_empty());
        let findings = everywhere.map(|unset| {
            let (place, object) = &unset.objects[0];
            let name = unset.name;
            let message = format!(
                "nothing sets `{name}`, which {object} names: `{}` puts nothing in its place",
                unset.unit.name
            );
            let mut finding = Finding::warning(RULE.name, *place, message).help(format!(
                "set it, or give it a default: `${{{name}:=…}}`; write `$${{{name}}}` if it is meant for a shell"
            ));
            for (place, object) in wording::some(&unset.objects[1..]) {
                finding = finding.note(*place, format!("{object} names it, too"));
            }
            finding
        });
        findings.collect()
    }
}
