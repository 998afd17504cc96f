//! `weak-gate`: a unit depends on one that reports ready before its release is installed.

use std::collections::BTreeMap;

use super::order::{
    self, Certainty, Need, OrderingVerdict, Provider, ProviderIx, StartupOrder, Weak, What,
};
use super::ordering_fix::Gates;
use super::{Check, CheckContext, wording};
use crate::cluster::UnitIx;
use crate::facts::Gate;
use crate::sources::{self, Advice, Refusal};
use base::hash::HashSet;
use base::text::counted;
use base::{Finding, Place, Rule, Severity};

pub struct WeakGate;

pub static RULE: Rule = Rule {
    name: "weak-gate",
    severity: Severity::Error,
    skips_input: false,
    security: None,
    summary: "A dependency reports ready before its Helm release is installed.",
    about: r#"
## What it does

Checks for custom resources whose unit (Kustomization, HelmRelease or Application) depends on the unit that installs their
CRD, if that unit has no health gate (`wait: true` or `healthChecks`) that covers the installation.

## Why is this bad?

A dependency is met when the other unit reports *ready*. A Kustomization without `wait: true` or `healthChecks` is ready as
soon as its objects are applied. For a HelmRelease, that is when the installation begins. The dependent Kustomization is
applied a few seconds too early:

```text
ClusterSecretStore/vault dry-run failed: no matches for kind "ClusterSecretStore" in version "external-secrets.io/v1"
```

or, if the webhook is registered but its pod is not serving yet:

```text
Internal error occurred: failed calling webhook "validate.clustersecretstore.external-secrets.io": … connect: connection refused
```

It retries after its `retryInterval` or, if that is not set, its full `interval`. Everything that depends on it is delayed by
the same amount.

Argo CD sync waves have the same gap between Applications. Argo CD moves on to the next wave once an Application exists,
unless it is configured to assess the health of Applications. This is a warning, because that configuration may be outside
this repository.

## Example

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: external-secrets
spec:
  path: ./external-secrets      # contains the HelmRelease; neither `wait` nor `healthChecks`
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: external-secrets-store
spec:
  dependsOn:
    - name: external-secrets
  path: ./external-secrets-store
```

## How to fix it

Add `wait: true` to the Kustomization with the release, or list the release in its `healthChecks`. `catalog check --fix` adds
`wait: true`. A health check on a CRD that the release installs also works, unless a webhook of the operator checks the
objects (see `webhook-race`).

For Argo CD, set `resource.customizations.health.argoproj.io_Application` in the `argocd-cm` ConfigMap.
"#,
};

impl Check for WeakGate {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let orders = context.orders.iter();
        orders.flat_map(findings).collect()
    }
}

/// One finding per dependency that is met too early.
fn findings(order: &StartupOrder<'_>) -> Vec<Finding> {
    let mut by_entry: BTreeMap<(Place, ProviderIx), Vec<(&Need<'_>, &Weak)>> = BTreeMap::new();
    for need in &order.needs {
        if let (OrderingVerdict::Weak(weak), What::Definition) = (&need.verdict, need.what) {
            let key = (weak.entry.place, need.provider);
            by_entry.entry(key).or_default().push((need, weak));
        }
    }
    let failing = order.needs.iter().map(|need| (need.unit, need.provider));
    let failing: HashSet<(UnitIx, ProviderIx)> = failing.collect();
    let mut gates = Gates::from_order(order);
    let each = by_entry.into_values();
    each.map(|needs| finding(order, &needs, &failing, &mut gates))
        .collect()
}

fn finding(
    order: &StartupOrder<'_>,
    needs: &[(&Need<'_>, &Weak)],
    failing: &HashSet<(UnitIx, ProviderIx)>,
    gates: &mut Gates<'_>,
) -> Finding {
    let (first, weak) = needs[0];
    let provider = &order.providers[first.provider];
    let dependent = order.name(weak.entry.unit);
    let stated = &order.unit(weak.entry.on).unit.id.name;
    // If several units lack a gate, fix the one nearest to the release first.
    let ungated = weak.ungated.first().copied().unwrap_or(provider.unit);
    let gate = order.name(ungated);
    // Any unit of an earlier sync wave can stand for the wave.
    let is_sync_wave = order.unit(ungated).unit.gate == Gate::Unseen;
    let through = if is_sync_wave || *stated == order.unit(ungated).unit.id.name {
        String::new()
    } else {
        format!(" (through `{stated}`)")
    };
    let severity = match weak.certainty {
        Certainty::Sure => Severity::Error,
        Certainty::Likely => Severity::Warning,
    };
    let example = &first.objects[0].statement;
    let message = format!(
        "`{dependent}` waits for `{gate}`{through}, which reports ready before {}",
        installation(order, provider, ungated)
    );
    let id = &order.unit(ungated).unit.id;
    let remedy = gates.remedy(&weak.ungated);
    let advice = match (sources::advice(id, Advice::Gate), sources::gate(id)) {
        (Some(advice), _) => advice,
        (None, Some(line)) if gates.would_deadlock(&weak.ungated) => format!(
            "move the objects that need it out of `{dependent}` into a {} that depends on `{gate}`, remove this dependency, and \
             add `{line}` to `{gate}`, which would wait for itself now",
            order.unit(first.unit).unit.id.kind
        ),
        (None, Some(line)) => format!("add `{line}` to `{gate}`"),
        (None, None) => format!("make `{gate}` wait until its workloads are ready"),
    };
    let weakness =
        sources::advice(id, Advice::Weakness(&gate)).unwrap_or_else(|| weakness(order, ungated));
    let mut finding = Finding::new(RULE.name, severity, weak.entry.place, message)
        .help(match failing_first(first, weak, failing) {
            Some(other) => format!(
                "{advice}; until then, `{}` fails first on a new cluster, which delays everything that depends on it, and retries {}",
                order.name(other),
                wording::retry(order, other, Refusal::Kind)
            ),
            None => format!(
                "{advice}; until then, `{}` fails on a new cluster with {} and retries {}",
                order.name(first.unit),
                wording::no_matches(&example.id),
                wording::retry(order, first.unit, Refusal::Kind)
            ),
        })
        .note(order.unit(ungated).unit.place, weakness);
    let objects: Vec<_> = needs
        .iter()
        .flat_map(|(need, _)| need.objects.iter().map(|object| (need.unit, *object)))
        .collect();
    for (unit, object) in wording::some(&objects) {
        let statement = &object.statement;
        let note = format!("{} in `{}` needs its CRD", statement.id, order.name(*unit));
        finding = finding.note(statement.place, note);
    }
    finding.cause(wording::place_of(order, ungated)).fix(remedy)
}

/// The event that is still outstanding when `ungated` reports ready.
fn installation(order: &StartupOrder<'_>, provider: &Provider<'_>, ungated: UnitIx) -> String {
    let is_own = ungated == provider.unit;
    let installer = wording::kind_and_name(order, provider.unit);
    match (provider.is_release(), is_own) {
        (true, true) => "its chart is installed".to_owned(),
        (true, false) => format!("{installer} is installed"),
        (false, true) => "its CRDs are applied".to_owned(),
        (false, false) => format!("{installer} has applied its CRDs"),
    }
}

/// Why a unit reports ready too early.
fn weakness(order: &StartupOrder<'_>, unit: UnitIx) -> String {
    let (unit, name) = (&order.unit(unit).unit, order.name(unit));
    match (order::checks(&unit.gate), sources::gate(&unit.id)) {
        ([], Some(line)) => format!("`{name}` has neither `{line}` nor `healthChecks`"),
        ([], None) => format!("`{name}` does not wait until its workloads are ready"),
        ([one], _) => {
            format!("`{name}` only checks the health of {one}, which does not cover the release")
        }
        ([one, more @ ..], _) => format!(
            "`{name}` only checks the health of {one} and {}, which do not cover the release",
            counted(more.len(), "more object")
        ),
    }
}

/// The unit in between, if it has custom resources of the same provider: that is the one that fails.
fn failing_first(
    need: &Need<'_>,
    weak: &Weak,
    failing: &HashSet<(UnitIx, ProviderIx)>,
) -> Option<UnitIx> {
    let between = weak.entry.on;
    let fails = failing.contains(&(between, need.provider));
    fails.then_some(between)
}
