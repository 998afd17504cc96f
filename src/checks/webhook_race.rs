//! `webhook-race`: custom resources that do not wait until their admission webhook is serving.

use std::collections::BTreeMap;

use super::order::{
    Certainty, Need, OrderingVerdict, ProviderIx, StartupOrder, WaitScope, Weak, What,
};
use super::ordering_fix::Gates;
use super::{Check, CheckContext, wording};
use crate::cluster::UnitIx;
use crate::sources::{self, Advice, Refusal};
use base::{Finding, Rule, Severity};

pub struct WebhookRace;

pub static RULE: Rule = Rule {
    name: "webhook-race",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "Custom resources do not wait until their admission webhook is serving.",
    about: r#"
## What it does

Checks for custom resources whose CRD certainly exists, but whose admission webhook may not be serving yet when they are
applied. If the CRD itself may be missing, `crd-deadlock`, `weak-gate` or `crd-unordered` reports that instead.

This is an error if the unit (Kustomization, HelmRelease or Application) with the resources waits for the unit with the
operator, and that unit reports ready too early: both then happen within the same few seconds. It is a warning if nothing
orders the two.

## Why is this bad?

A webhook is registered as soon as the chart is installed, but its pod starts serving a few seconds later. In between, the
API server rejects every object that the webhook covers:

```text
Internal error occurred: failed calling webhook "validate.externalsecret.external-secrets.io": failed to call webhook:
Post "https://external-secrets-webhook.external-secrets.svc:443/…": dial tcp 10.43.0.17:443: connect: connection refused
```

or `no endpoints available for service "external-secrets-webhook"`. The whole unit fails. It retries after its
`retryInterval` or, if that is not set, its full `interval`.

## Example

The CRDs come first, but the custom resources depend on the CRDs instead of the operator:

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: external-secrets-config
spec:
  dependsOn:
    - name: external-secrets-crds
  path: ./external-secrets/config
```

## Use instead

```yaml
spec:
  dependsOn:
    - name: external-secrets-operator   # has `wait: true`
```

In a Pulumi program, a dependency on a `helm.v3.Chart` is met as soon as the chart is submitted. Depend on the workload that
serves the webhook:

```ts
{ dependsOn: chart.ready }
{ dependsOn: [chart.getResource("apps/v1/Deployment", "external-secrets/external-secrets-webhook")] }
```

or install the chart with `helm.v3.Release`, which waits for its workloads.
"#,
};

impl Check for WebhookRace {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let orders = context.orders.iter();
        orders.flat_map(findings).collect()
    }
}

fn findings(order: &StartupOrder<'_>) -> Vec<Finding> {
    let webhooks = order.needs.iter().filter(|need| need.what == What::Webhook);
    let mut gates = Gates::from_order(order);
    let mut findings = Vec::new();
    let mut unordered: BTreeMap<ProviderIx, Vec<&Need<'_>>> = BTreeMap::new();
    for need in webhooks {
        match &need.verdict {
            OrderingVerdict::Weak(weak) => {
                findings.push(racing_finding(order, need, weak, &mut gates))
            }
            _ => unordered.entry(need.provider).or_default().push(need),
        }
    }
    findings.extend(
        unordered
            .into_values()
            .map(|needs| unordered_finding(order, &needs)),
    );
    findings
}

/// The custom resources wait for a unit that reports ready before the webhook is serving.
fn racing_finding(
    order: &StartupOrder<'_>,
    need: &Need<'_>,
    weak: &Weak,
    gates: &mut Gates<'_>,
) -> Finding {
    let provider = &order.providers[need.provider];
    let ungated = weak.ungated.first().copied().unwrap_or(provider.unit);
    let installer = wording::kind_and_name(order, provider.unit);
    let (unit, gate) = (order.name(need.unit), order.name(ungated));
    let severity = match weak.certainty {
        Certainty::Sure => Severity::Error,
        Certainty::Likely => Severity::Warning,
    };
    let id = &order.unit(ungated).unit.id;
    let advice = sources::advice(id, Advice::Gate)
        .unwrap_or_else(|| format!("make `{gate}` wait until the webhook is serving"));
    let why = if ungated == provider.unit {
        format!("{installer}, which does not wait for its workloads")
    } else {
        format!("`{gate}`, which does not wait for {installer}")
    };
    let finding = Finding::new(
        RULE.name,
        severity,
        weak.entry.place,
        match weak.entry.by {
            WaitScope::Unit => format!(
                "`{unit}` is applied while the admission webhook for its objects is still starting: it waits for {why}"
            ),
            WaitScope::Objects => format!(
                "{} is applied while its admission webhook is still starting: it waits for {why}",
                need.objects[0].statement.id
            ),
        },
    )
    .help(format!(
        "{advice}; until then, `{unit}` may fail with `failed calling webhook … connect: connection refused` and retry {}",
        wording::retry(order, need.unit, Refusal::Webhook)
    ))
    .about(need.objects[0].statement.id.to_string())
    .note(provider.place, format!("{installer} serves the webhook"));
    let finding = with_objects(finding, order, &[need]);
    let cause = wording::place_of(order, ungated);
    finding.cause(cause).fix(gates.remedy(&weak.ungated))
}

/// Nothing orders the custom resources and the webhook.
fn unordered_finding(order: &StartupOrder<'_>, needs: &[&Need<'_>]) -> Finding {
    let first = needs[0];
    let provider = &order.providers[first.provider];
    let release = order.name(provider.unit);
    let statement = &first.objects[0].statement;
    let installer = wording::kind_and_name(order, provider.unit);
    let units: Vec<UnitIx> = needs.iter().map(|need| need.unit).collect();
    let is_within = needs.iter().all(|need| need.unit == provider.unit);
    let advice = if is_within {
        Advice::Within
    } else {
        Advice::After(&release)
    };
    let after = sources::advice(&order.unit(first.unit).unit.id, advice).unwrap_or_else(|| {
        let depend = wording::depend_on(order, &units, wording::applied_by(order, provider));
        format!("{depend}, and make that wait until the webhook is serving")
    });
    let who = match units.as_slice() {
        [one] => format!("`{}` does", order.name(*one)),
        many => format!("{} {}s do", many.len(), wording::common_kind(order, many)),
    };
    let message = if is_within {
        format!(
            "{installer} applies {} together with the workload that serves its admission webhook",
            statement.id
        )
    } else {
        format!(
            "{who} not wait until {installer} serves the admission webhook for {}",
            statement.id
        )
    };
    let finding = Finding::warning(RULE.name, statement.place, message)
    .help(format!(
        "{after}; otherwise, the API server may reject the objects with `failed calling webhook … connect: connection refused`"
    ))
    .about(statement.id.to_string())
    .note(provider.place, format!("{installer} serves the webhook"));
    with_objects(finding, order, needs)
}

fn with_objects(mut finding: Finding, order: &StartupOrder<'_>, needs: &[&Need<'_>]) -> Finding {
    let objects: Vec<_> = needs
        .iter()
        .flat_map(|need| need.objects.iter().map(|object| (need.unit, *object)))
        .collect();
    for (unit, object) in wording::some(&objects) {
        let statement = &object.statement;
        let note = format!("{} in `{}`", statement.id, order.name(*unit));
        finding = finding.note(statement.place, note);
    }
    for (_, object) in &objects {
        finding = finding.covers(object.statement.place, &object.statement.id);
    }
    finding
}
