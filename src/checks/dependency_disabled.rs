//! `dependency-disabled`: a unit depends on one whose entry is commented out.

use super::dependency::{self, DependencyFate};
use super::{Check, CheckContext};
use base::{Finding, Rule, Severity};

pub struct DependencyDisabled;

pub static RULE: Rule = Rule {
    name: "dependency-disabled",
    severity: Severity::Error,
    skips_input: false,
    security: None,
    summary: "A Kustomization or HelmRelease depends on one that is commented out.",
    about: r#"
## What it does

Checks for dependencies on a unit (Kustomization, HelmRelease or Application) whose entry in a `kustomization.yaml` is
commented out.

## Why is this bad?

A unit that is commented out is not applied, and a new cluster never had it. The dependent unit never becomes ready:

```text
unable to get 'flux-system/redis' dependency: kustomizations.kustomize.toolkit.fluxcd.io "redis" not found
```

## Example

```yaml
# kustomization.yaml
resources:
  - n8n.yaml
  # - redis.yaml
---
# n8n.yaml
spec:
  dependsOn:
    - name: redis
```

## How to fix it

Uncomment the entry, or remove the dependency as well.
"#,
};

impl Check for DependencyDisabled {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let unmet = dependency::unmet(context).into_iter();
        let findings = unmet.filter_map(|unmet| {
            let DependencyFate::Disabled(place) = unmet.fate else {
                return None;
            };
            let (dependent, on) = (&unmet.dependent, &unmet.dependency.on);
            let finding = Finding::error(
                RULE.name,
                unmet.dependency.place,
                format!(
                    "`{dependent}` depends on `{}`, which is commented out{}: `{dependent}` never becomes ready",
                    on.name,
                    unmet.clusters()
                ),
            );
            Some(
                finding
                    .help(format!(
                        "uncomment the entry for `{}`, or remove the dependency",
                        on.name
                    ))
                    .note(place, format!("the entry for {on} is commented out")),
            )
        });
        findings.collect()
    }
}
