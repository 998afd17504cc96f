//! `crd-unordered`: custom resources in a unit that does not wait for what installs their definition.

use std::collections::BTreeMap;

use super::order::{Need, Order, Standing, What};
use super::{Check, Scene, wording};
use crate::diagnostic::{Finding, Rule, Severity};
use crate::source::{self, Advice, Refusal};

pub struct CrdUnordered;

pub static RULE: Rule = Rule {
    name: "crd-unordered",
    severity: Severity::Warning,
    summary: "Custom resources do not wait for the unit that installs their definition.",
    about: r#"
## What it does

Looks for custom resources in units that have no path of dependencies to what installs their definition (CRD). All units
that use the definitions of one provider are one finding.

It is quiet where the definition comes from outside: the API group is among the `external_crds` of `catalog.toml`, a
helmfile in the repository installs the release before the reconciler runs, the chart is the cluster's network, the
definition belongs to the operator that installs the reconciler (a FluxInstance says so), or nothing in the repository brings
the definition.

## Why is this bad

On a new cluster, all units without dependencies are tried at the same time. Those that come too early fail:

```text
ServiceMonitor/web dry-run failed: no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"
```

Nothing of the unit is applied until it is tried again, after its `retryInterval` or its whole `interval`.

## Example

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: web               # has a ServiceMonitor
spec:
  path: ./web
```

## Use instead

```yaml
spec:
  dependsOn:
    - name: monitoring    # installs the definitions, with `wait: true`
  path: ./web
```

Where many units use the same definitions, install those with a unit of their own, early, and let a whole layer depend on
it.
"#,
};

impl Check for CrdUnordered {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene.orders.iter().flat_map(findings).collect()
    }
}

fn findings(order: &Order<'_>) -> Vec<Finding> {
    let mut by_provider: BTreeMap<usize, Vec<&Need<'_>>> = BTreeMap::new();
    for need in &order.needs {
        if need.standing == Standing::Unordered && need.what == What::Definition {
            by_provider.entry(need.provider).or_default().push(need);
        }
    }
    let each = by_provider.into_values();
    each.map(|needs| finding(order, &needs)).collect()
}

fn finding(order: &Order<'_>, needs: &[&Need<'_>]) -> Finding {
    let first = needs[0];
    let provider = &order.providers[first.provider];
    let name = order.name(provider.unit);
    let statement = &first.objects[0].statement;
    let message = match needs.len() {
        1 => format!(
            "{} may come before its CRD: `{}` does not wait for `{name}`, which installs it",
            statement.id,
            order.name(first.unit)
        ),
        count => format!(
            "{} may come before its CRD, and so may objects of {} more: none of these units waits for `{name}`, which installs it",
            statement.id,
            wording::counted(count - 1, "unit")
        ),
    };
    let after = source::advice(&order.unit(first.unit).unit.id, Advice::After(&name))
        .unwrap_or_else(|| format!("make the unit depend on the one that has `{name}`"));
    let mut finding = Finding::warning(RULE.name, statement.place, message)
        .help(format!(
            "{after}, or name `{}` in `external_crds` of catalog.toml if the CRD is there before; else a new cluster answers {}, and tries again {}",
            statement.id.group,
            wording::no_matches(&statement.id),
            wording::again(order, first.unit, Refusal::Kind)
        ))
        .about(statement.id.to_string())
        .note(provider.place, format!("`{name}` installs the CRD"));
    for need in wording::some(&needs[1..]) {
        let statement = &need.objects[0].statement;
        let note = format!("{} in `{}`", statement.id, order.name(need.unit));
        finding = finding.note(statement.place, note);
    }
    finding
}
