//! `crd-unordered`: custom resources in a unit that does not wait for the unit that installs their CRD.

use std::collections::BTreeMap;

use super::order::{Need, OrderingVerdict, StartupOrder, What};
use super::{Check, CheckContext, wording};
use crate::cluster::UnitIx;
use crate::sources::{self, Advice, Refusal};
use base::{Finding, Rule, Severity};

pub struct CrdUnordered;

pub static RULE: Rule = Rule {
    name: "crd-unordered",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "Custom resources do not wait until their CRD is installed.",
    about: r#"
## What it does

Checks for custom resources whose unit (Kustomization, HelmRelease or Application) does not depend, directly or indirectly,
on the unit that installs their CRD. All units that need CRDs from the same installer are reported as one finding.

Nothing is reported if the CRD comes from elsewhere:

- its API group is listed under `external_crds` in `catalog.toml`;
- a helmfile in the repository installs the release before the reconciler runs;
- the chart installs the cluster's network plugin;
- the CRD belongs to the operator that installs the reconciler (a FluxInstance shows this);
- nothing in the repository installs it.

## Why is this bad?

On a new cluster, all units without dependencies are applied at the same time. Those that are too early fail:

```text
ServiceMonitor/web dry-run failed: no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"
```

Nothing in the unit is applied until it retries, after its `retryInterval` or, if that is not set, its full `interval`.

## Example

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: web               # contains a ServiceMonitor
spec:
  path: ./web
```

## Use instead

```yaml
spec:
  dependsOn:
    - name: monitoring    # installs the CRDs, with `wait: true`
  path: ./web
```

If many Kustomizations need the same CRDs, install those early in a Kustomization of their own, and make the parent of all
the others depend on it.
"#,
};

impl Check for CrdUnordered {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        context.orders.iter().flat_map(findings).collect()
    }
}

fn findings(order: &StartupOrder<'_>) -> Vec<Finding> {
    // A unit that applies CRDs as they are provides them one by one.
    let mut by_installer: BTreeMap<UnitIx, Vec<&Need<'_>>> = BTreeMap::new();
    for need in &order.needs {
        if need.verdict == OrderingVerdict::Unordered && need.what == What::Definition {
            let installer = order.providers[need.provider].unit;
            by_installer.entry(installer).or_default().push(need);
        }
    }
    let each = by_installer.into_values();
    each.map(|needs| finding(order, &needs)).collect()
}

fn finding(order: &StartupOrder<'_>, needs: &[&Need<'_>]) -> Finding {
    let first = needs[0];
    let provider = &order.providers[first.provider];
    let name = order.name(provider.unit);
    let installer = wording::kind_and_name(order, provider.unit);
    let statement = &first.objects[0].statement;
    let mut others: Vec<UnitIx> = needs[1..].iter().map(|need| need.unit).collect();
    others.sort();
    others.dedup();
    others.retain(|unit| *unit != first.unit);
    let message = if others.is_empty() {
        format!(
            "{} may be applied before its CRD exists: {} does not wait for {installer}, which installs it",
            statement.id,
            wording::kind_and_name(order, first.unit)
        )
    } else {
        format!(
            "{} may be applied before its CRD exists, and so may objects in {}: none of them waits for {installer}, which installs it",
            statement.id,
            wording::more_units(order, &others)
        )
    };
    let after = sources::advice(&order.unit(first.unit).unit.id, Advice::After(&name))
        .unwrap_or_else(|| {
            let units: Vec<UnitIx> = std::iter::once(first.unit).chain(others.clone()).collect();
            wording::depend_on(order, &units, wording::applied_by(order, provider))
        });
    let mut finding = Finding::warning(RULE.name, statement.place, message)
        .help(format!(
            "{after}, or list `{}` under `external_crds` in catalog.toml if the CRD is installed earlier; otherwise, a new cluster fails with {} and retries {}",
            statement.id.group,
            wording::no_matches(&statement.id),
            wording::retry(order, first.unit, Refusal::Kind)
        ))
        .about(statement.id.to_string())
        .note(provider.place, format!("{installer} installs the CRD"));
    for need in wording::some(&needs[1..]) {
        let statement = &need.objects[0].statement;
        let note = format!("{} in `{}`", statement.id, order.name(need.unit));
        finding = finding.note(statement.place, note);
    }
    for object in needs.iter().flat_map(|need| &need.objects) {
        finding = finding.covers(object.statement.place, &object.statement.id);
    }
    let installed = order.unit(provider.unit).unit.place;
    finding.cause(format_args!("{}:{}", installed.file.0, installed.line))
}
