//! `dependency-wrong-kind`: a unit depends on one of a different kind, which its entry cannot name.

use super::dependency::{self, DependencyFate};
use super::{Check, CheckContext};
use base::{Finding, Rule, Severity};

pub struct DependencyWrongKind;

pub static RULE: Rule = Rule {
    name: "dependency-wrong-kind",
    severity: Severity::Error,
    skips_input: false,
    security: None,
    summary: "A HelmRelease depends on a Kustomization, or a Kustomization on a HelmRelease.",
    about: r#"
## What it does

Checks for dependencies on an object that exists, but is of a different kind from the one that depends on it: a
Kustomization that names a HelmRelease, or the reverse.

## Why is this bad?

A `dependsOn` entry always means an object of the *same* kind. Flux does not find the other one, so the dependent object never
becomes ready:

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

## How to fix it

Add the dependency to the Kustomization that applies the HelmRelease, or name the HelmRelease that you need:

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

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let unmet = dependency::unmet(context).into_iter();
        let findings = unmet.filter_map(|unmet| {
            let DependencyFate::OtherKind(other, place) = &unmet.fate else {
                return None;
            };
            let (dependent, on) = (&unmet.dependent, &unmet.dependency.on);
            let finding = Finding::error(
                RULE.name,
                unmet.dependency.place,
                format!(
                    "`{dependent}` depends on {on}, but `{}` is a {}: `{dependent}` never becomes ready",
                    on.name, other.kind
                ),
            );
            Some(
                finding
                    .help(format!(
                        "a {kind} can only depend on another {kind}; name the {kind} that belongs to `{}`",
                        on.name,
                        kind = on.kind
                    ))
                    .note(*place, format!("{other} is declared here")),
            )
        });
        findings.collect()
    }
}
