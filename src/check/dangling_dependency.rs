//! `dangling-dependency`: a unit waits for one that does not exist.

use super::dependency::{self, Fate};
use super::{Check, Scene};
use crate::diagnostic::{Finding, Rule, Severity};

pub struct DanglingDependency;

pub static RULE: Rule = Rule {
    name: "dangling-dependency",
    severity: Severity::Error,
    summary: "A unit depends on one that nothing declares.",
    about: r#"
## What it does

Looks for dependencies on units that no cluster which has the dependent unit gets. Units are looked up as they are built:
with the namespace, the prefix and the variables that the units above give them.

Where a cluster applies something that is not in this repository, a unit may come from there, and nothing is reported.

## Why is this bad

The unit waits for ever:

```text
dependencies do not meet ready condition: unable to get 'flux-system/postgres' dependency:
kustomizations.kustomize.toolkit.fluxcd.io "postgres" not found
```

## Example

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: n8n
  namespace: flux-system
spec:
  dependsOn:
    - name: postgres      # it is called postgresql, or lives in another namespace
```

## Fix

Correct the name, add the `namespace` of the other unit, or remove the entry.
"#,
};

impl Check for DanglingDependency {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let missing = dependency::unmet(scene).into_iter();
        let findings = missing.filter_map(|unmet| {
            let Fate::Missing { namesake } = &unmet.fate else {
                return None;
            };
            let on = &unmet.dependency.on;
            let help = match namesake {
                Some(other) => format!(
                    "there is one of that name in the namespace `{}`: say so in the entry",
                    other.namespace
                ),
                None => "correct the name, or remove the entry".to_owned(),
            };
            let finding = Finding::error(
                RULE.name,
                unmet.dependency.place,
                format!(
                    "`{}` depends on {on}, which nothing declares{}: it waits for ever",
                    unmet.dependent,
                    unmet.clusters()
                ),
            );
            Some(finding.help(help))
        });
        findings.collect()
    }
}
