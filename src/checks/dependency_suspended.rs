//! `dependency-suspended`: a unit depends on one that is suspended.

use super::{Check, CheckContext};
use base::{Finding, Rule, Severity};

pub struct DependencySuspended;

pub static RULE: Rule = Rule {
    name: "dependency-suspended",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "A Kustomization or HelmRelease depends on one that is suspended.",
    about: r#"
## What it does

Checks for active units (Kustomizations, HelmReleases or Applications) that depend on a unit that is suspended in Git.

## Why is this bad?

A suspended unit is not reconciled. On a cluster where it ran before, it stays ready and nobody notices. On a new cluster it
never becomes ready, and neither does anything that depends on it:

```text
dependency 'flux-system/redis' is not ready
```

## Example

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: redis
spec:
  suspend: true
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: n8n
spec:
  dependsOn:
    - name: redis
```

## How to fix it

Resume the suspended unit, or suspend both. For a short suspension, run `flux suspend` on the cluster instead of changing
Git.
"#,
};

impl Check for DependencySuspended {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for order in &context.orders {
            for (index, here) in order.cluster.units.iter_enumerated() {
                for (nth, on) in order.depends_on(index) {
                    let other = &order.unit(*on).unit;
                    if !other.suspended || here.unit.suspended {
                        continue;
                    }
                    let message = format!(
                        "`{}` depends on `{}`, which is suspended: on a new cluster, neither starts",
                        order.name(index),
                        order.name(*on)
                    );
                    let finding = Finding::warning(RULE.name, order.entry(index, *nth), message)
                        .help(format!("resume `{}`, or suspend both", order.name(*on)))
                        .note(other.place, format!("{} is suspended", other.id));
                    findings.push(finding);
                }
            }
        }
        findings
    }
}
