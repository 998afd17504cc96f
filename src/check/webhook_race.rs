//! `webhook-race`: objects that a webhook must admit, while nothing waits for the webhook to answer.

use std::collections::BTreeMap;

use super::fix::Gates;
use super::order::{By, Certainty, Need, Order, Standing, Weak, What};
use super::{Check, Scene, wording};
use crate::diagnostic::{Finding, Rule, Severity};
use crate::source::{self, Advice, Refusal};

pub struct WebhookRace;

pub static RULE: Rule = Rule {
    name: "webhook-race",
    severity: Severity::Warning,
    summary: "Custom resources are admitted by a webhook that nothing waits for.",
    about: r#"
## What it does

Looks for custom resources whose definitions are certainly there, but whose admission webhook is served by a release that
need not be up when they are applied. Where the definition itself may be missing, `crd-deadlock`, `weak-gate` and
`crd-unordered` say so instead.

It is an error where the unit with the resources waits for the unit with the release, and that one counts as ready too
early: then both happen within the same seconds. It is a warning where nothing orders the two at all.

## Why is this bad

A webhook is registered as soon as the chart is installed, and its pod answers some seconds later. In between, the API
server refuses every object that the webhook should admit:

```text
Internal error occurred: failed calling webhook "validate.externalsecret.external-secrets.io": failed to call webhook:
Post "https://external-secrets-webhook.external-secrets.svc:443/…": dial tcp 10.43.0.17:443: connect: connection refused
```

or `no endpoints available for service "external-secrets-webhook"`. The unit fails as a whole and is tried again after its
`retryInterval`, or after its whole `interval`.

## Example

The definitions come first, but the custom resources depend on them rather than on the operator:

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
    - name: external-secrets-operator   # which has `wait: true`
```

In a Pulumi program, a `helm.v3.Chart` in `dependsOn` is met when the chart has been submitted. Depend on what serves:

```ts
{ dependsOn: chart.ready }
{ dependsOn: [chart.getResource("apps/v1/Deployment", "external-secrets/external-secrets-webhook")] }
```

or install the chart with `helm.v3.Release`, which waits for what it runs.
"#,
};

impl Check for WebhookRace {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let orders = scene.orders.iter();
        orders.flat_map(|order| findings(scene, order)).collect()
    }
}

fn findings(scene: &Scene<'_>, order: &Order<'_>) -> Vec<Finding> {
    let webhooks = order.needs.iter().filter(|need| need.what == What::Webhook);
    let mut gates = Gates::of(scene, order);
    let mut findings = Vec::new();
    let mut unordered: BTreeMap<usize, Vec<&Need<'_>>> = BTreeMap::new();
    for need in webhooks {
        match &need.standing {
            Standing::Weak(weak) => findings.push(racing(order, need, weak, &mut gates)),
            _ => unordered.entry(need.provider).or_default().push(need),
        }
    }
    findings.extend(
        unordered
            .into_values()
            .map(|needs| beside_each_other(order, &needs)),
    );
    findings
}

fn racing(order: &Order<'_>, need: &Need<'_>, weak: &Weak, gates: &mut Gates<'_, '_>) -> Finding {
    let provider = &order.providers[need.provider];
    let release = order.name(provider.unit);
    let ungated = weak.ungated.first().copied().unwrap_or(provider.unit);
    let (unit, gate) = (order.name(need.unit), order.name(ungated));
    let severity = match weak.certainty {
        Certainty::Sure => Severity::Error,
        Certainty::Likely => Severity::Warning,
    };
    let id = &order.unit(ungated).unit.id;
    let advice = source::advice(id, Advice::Gate)
        .unwrap_or_else(|| format!("have `{gate}` wait until the webhook answers"));
    let why = match ungated == provider.unit {
        true => format!("the release `{release}`, which does not wait for what it runs"),
        false => format!("`{gate}`, which does not wait for its release `{release}`"),
    };
    let finding = Finding::new(
        RULE.name,
        severity,
        weak.entry.place,
        match weak.entry.by {
            By::Unit => format!(
                "`{unit}` is tried while the webhook that admits its objects starts: it waits for {why}"
            ),
            By::Objects => format!(
                "{} is applied while the webhook that admits it starts: it waits for {why}",
                need.objects[0].statement.id
            ),
        },
    )
    .help(format!(
        "{advice}; until then, the API server may answer `failed calling webhook … connect: connection refused`, and `{unit}` is tried again {}",
        wording::again(order, need.unit, Refusal::Webhook)
    ))
    .about(need.objects[0].statement.id.to_string())
    .note(provider.place, format!("`{release}` serves the webhook"));
    let finding = with_objects(finding, order, &[need]);
    match gates.fix(&weak.ungated) {
        Some(fix) => finding.fix(fix),
        None => finding,
    }
}

fn beside_each_other(order: &Order<'_>, needs: &[&Need<'_>]) -> Finding {
    let first = needs[0];
    let provider = &order.providers[first.provider];
    let release = order.name(provider.unit);
    let statement = &first.objects[0].statement;
    let after = source::advice(&order.unit(first.unit).unit.id, Advice::After(&release))
        .unwrap_or_else(|| {
            format!(
                "make the unit depend on the one that installs `{release}`, and have that one wait"
            )
        });
    let who = match needs.len() {
        1 => format!("`{}`", order.name(first.unit)),
        count => format!("{count} units"),
    };
    let finding = Finding::warning(
        RULE.name,
        statement.place,
        format!(
            "the webhook of `{release}` admits {}, and nothing has {who} wait until it answers",
            statement.id
        ),
    )
    .help(format!(
        "{after}; else the API server may answer `failed calling webhook … connect: connection refused`"
    ))
    .about(statement.id.to_string())
    .note(provider.place, format!("`{release}` serves the webhook"));
    with_objects(finding, order, needs)
}

fn with_objects(mut finding: Finding, order: &Order<'_>, needs: &[&Need<'_>]) -> Finding {
    let objects: Vec<_> = needs
        .iter()
        .flat_map(|need| need.objects.iter().map(|object| (need.unit, *object)))
        .collect();
    for (unit, object) in wording::some(&objects) {
        let statement = &object.statement;
        let note = format!("{} in `{}`", statement.id, order.name(*unit));
        finding = finding.note(statement.place, note);
    }
    finding
}
