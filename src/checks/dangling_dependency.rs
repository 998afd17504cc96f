//! `dangling-dependency`: a unit depends on one that is not declared.

use super::dependency::{self, DependencyFate};
use super::{Check, CheckContext};
use base::{Finding, Rule, Severity};

pub struct DanglingDependency;

pub static RULE: Rule = Rule {
    name: "dangling-dependency",
    severity: Severity::Error,
    skips_input: false,
    security: None,
    summary: "A Kustomization or HelmRelease depends on one that is not declared.",
    about: r#"
## What it does

Checks for dependencies on a unit (Kustomization, HelmRelease or Application) that the same cluster does not contain. Units
are looked up as built, with the namespace, the name prefix and the variables that their parents set.

Nothing is reported if the cluster also applies something that is not in this repository, because the unit may come from
there.

## Why is this bad?

The dependent unit never becomes ready:

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
    - name: postgres      # its name is postgresql, or it is in another namespace
```

## How to fix it

Correct the name, add the `namespace` of the other unit, or remove the entry.
"#,
};

impl Check for DanglingDependency {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let missing = dependency::unmet(context).into_iter();
        let findings = missing.filter_map(|unmet| {
            let DependencyFate::Missing { namesake } = &unmet.fate else {
                return None;
            };
            let (dependent, on) = (&unmet.dependent, &unmet.dependency.on);
            let help = match namesake {
                Some(other) => format!(
                    "{} `{}` exists in namespace `{}`; add that namespace to the entry",
                    other.kind, other.name, other.namespace
                ),
                None => format!(
                    "correct the name, declare the {}, or remove the entry",
                    on.kind
                ),
            };
            let finding = Finding::error(
                RULE.name,
                unmet.dependency.place,
                format!(
                    "`{dependent}` depends on {on}, which is not declared{}: `{dependent}` never becomes ready",
                    unmet.clusters()
                ),
            );
            Some(finding.help(help))
        });
        findings.collect()
    }
}
