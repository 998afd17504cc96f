//! `dependency-disabled`: a unit waits for one whose entry is commented out.

use super::dependency::{self, Fate};
use super::{Check, Scene};
use crate::diagnostic::{Finding, Rule, Severity};

pub struct DependencyDisabled;

pub static RULE: Rule = Rule {
    name: "dependency-disabled",
    severity: Severity::Error,
    summary: "A unit depends on one that is switched off.",
    about: r#"
## What it does

Looks for dependencies on units whose entry in a `kustomization.yaml` is commented out.

## Why is this bad

What is commented out is not applied, and on a new cluster it never was. The unit waits for ever:

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

## Fix

Switch the other unit on again, or remove the dependency with it.
"#,
};

impl Check for DependencyDisabled {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let unmet = dependency::unmet(scene).into_iter();
        let findings = unmet.filter_map(|unmet| {
            let Fate::Disabled(place) = unmet.fate else {
                return None;
            };
            let on = &unmet.dependency.on;
            let finding = Finding::error(
                RULE.name,
                unmet.dependency.place,
                format!(
                    "`{}` depends on `{}`, which is switched off{}: it waits for ever",
                    unmet.dependent,
                    on.name,
                    unmet.clusters()
                ),
            );
            Some(
                finding
                    .help("switch it on again, or remove the dependency")
                    .note(place, format!("the entry of {on} is commented out")),
            )
        });
        findings.collect()
    }
}
