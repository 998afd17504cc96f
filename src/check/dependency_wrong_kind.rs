//! `dependency-wrong-kind`: a unit waits for one of its own kind, and there is one of another.

use super::dependency::{self, Fate};
use super::{Check, Scene};
use crate::diagnostic::{Finding, Rule, Severity};

pub struct DependencyWrongKind;

pub static RULE: Rule = Rule {
    name: "dependency-wrong-kind",
    severity: Severity::Error,
    summary: "A unit depends on one of another kind, which its entry cannot name.",
    about: r#"
## What it does

Looks for dependencies on a unit that exists, but is of another kind than the unit that depends on it: a Kustomization that
names a HelmRelease, or the reverse.

## Why is this bad

An entry of `dependsOn` names a unit of the *same* kind. The other one is not found, and the unit waits for ever:

```text
unable to get 'database/postgres' dependency: helmreleases.helm.toolkit.fluxcd.io "postgres" not found
```

## Example

```yaml
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: n8n
spec:
  dependsOn:
    - name: databases     # a Kustomization
```

## Fix

Let the unit that creates the release depend on the other unit, or name the release that is meant:

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: n8n
spec:
  dependsOn:
    - name: databases
```
"#,
};

impl Check for DependencyWrongKind {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let unmet = dependency::unmet(scene).into_iter();
        let findings = unmet.filter_map(|unmet| {
            let Fate::OtherKind(other, place) = &unmet.fate else {
                return None;
            };
            let on = &unmet.dependency.on;
            let finding = Finding::error(
                RULE.name,
                unmet.dependency.place,
                format!(
                    "`{}` depends on {on}, but `{}` is a {}: it waits for ever",
                    unmet.dependent, on.name, other.kind
                ),
            );
            Some(
                finding
                    .help(format!(
                        "an entry names a {}; state the dependency on the unit of that kind that belongs to `{}`",
                        on.kind, on.name
                    ))
                    .note(*place, format!("{other} is declared here")),
            )
        });
        findings.collect()
    }
}
