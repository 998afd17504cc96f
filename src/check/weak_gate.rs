//! `weak-gate`: a unit waits for one that counts as ready before its release has installed anything.

use std::collections::BTreeMap;

use super::fix::Gates;
use super::order::{self, Certainty, Need, Order, Standing, Weak, What};
use super::{Check, Scene, wording};
use crate::diagnostic::{Finding, Place, Rule, Severity};
use crate::fact::Gate;
use crate::hash::HashSet;
use crate::source::{self, Advice, Refusal};

pub struct WeakGate;

pub static RULE: Rule = Rule {
    name: "weak-gate",
    severity: Severity::Error,
    summary: "A unit depends on one that is ready before its release has installed anything.",
    about: r#"
## What it does

Looks for units with custom resources that depend on the unit with the release that installs the definitions, or the
webhook, while that unit neither waits for what it applies nor checks its health.

## Why is this bad

A dependency is met when the other unit is *ready*. A unit without `wait: true` and without `healthChecks` is ready as
soon as its objects are applied. For a release that is the moment at which its installation begins. The dependent unit is
tried some seconds too early:

```text
ClusterSecretStore/vault dry-run failed: no matches for kind "ClusterSecretStore" in version "external-secrets.io/v1"
```

or, once the webhook is registered and before its pod answers:

```text
Internal error occurred: failed calling webhook "validate.clustersecretstore.external-secrets.io": … connect: connection refused
```

It is tried again after its `retryInterval`, or, where it has none, after its whole `interval`. Everything that depends on
it starts late by as much.

Sync waves of Argo CD have the same gap between Applications: Argo CD goes on to the next wave once an Application exists,
unless it was told how to see that one is healthy. This is a warning, since it may have been told in a place that is not read.

## Example

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: external-secrets
spec:
  path: ./external-secrets      # has the release, and no gate
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

## Fix

Add `wait: true` to the unit with the release, or name the release in its `healthChecks`. `catalog check --fix` adds the
line. A health check of a definition that the release installs will do as well, unless a webhook of the operator admits the
objects (see `webhook-race`). For Argo CD, set `resource.customizations.health.argoproj.io_Application` in the ConfigMap `argocd-cm`.
"#,
};

impl Check for WeakGate {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let orders = scene.orders.iter();
        orders.flat_map(|order| findings(scene, order)).collect()
    }
}

/// One finding for each dependency that does not hold what it promises, whoever relies on it.
fn findings(scene: &Scene<'_>, order: &Order<'_>) -> Vec<Finding> {
    let mut by_entry: BTreeMap<(Place, usize), Vec<(&Need<'_>, &Weak)>> = BTreeMap::new();
    for need in &order.needs {
        if let (Standing::Weak(weak), What::Definition) = (&need.standing, need.what) {
            let key = (weak.entry.place, need.provider);
            by_entry.entry(key).or_default().push((need, weak));
        }
    }
    let failing = order.needs.iter().map(|need| (need.unit, need.provider));
    let failing: HashSet<(usize, usize)> = failing.collect();
    let mut gates = Gates::of(scene, order);
    let each = by_entry.into_values();
    each.map(|needs| finding(order, &needs, &failing, &mut gates))
        .collect()
}

fn finding(
    order: &Order<'_>,
    needs: &[(&Need<'_>, &Weak)],
    failing: &HashSet<(usize, usize)>,
    gates: &mut Gates<'_, '_>,
) -> Finding {
    let (first, weak) = needs[0];
    let provider = &order.providers[first.provider];
    let release = order.name(provider.unit);
    let dependent = order.name(weak.entry.unit);
    let stated = &order.unit(weak.entry.on).unit.id.name;
    // Of those that are not gated, the one nearest to the release is the first to be mended.
    let ungated = weak.ungated.first().copied().unwrap_or(provider.unit);
    let gate = order.name(ungated);
    // Of those that come before in turn, any stands for all.
    let in_turn = order.unit(ungated).unit.gate == Gate::Unseen;
    let by_way_of = match in_turn || *stated == order.unit(ungated).unit.id.name {
        true => String::new(),
        false => format!(", by way of `{stated}`,"),
    };
    let severity = match weak.certainty {
        Certainty::Sure => Severity::Error,
        Certainty::Likely => Severity::Warning,
    };
    let example = &first.objects[0].statement;
    let message = format!(
        "`{dependent}` waits{by_way_of} for `{gate}`, which counts as ready before its release `{release}` has installed anything"
    );
    let id = &order.unit(ungated).unit.id;
    let advice = match (source::advice(id, Advice::Gate), source::gate(id)) {
        (Some(advice), _) => advice,
        (None, Some(line)) => format!("add `{line}` to `{gate}`"),
        (None, None) => format!("have `{gate}` wait until what it runs is ready"),
    };
    let weakness =
        source::advice(id, Advice::Weakness(&gate)).unwrap_or_else(|| weakness(order, ungated));
    let mut finding = Finding::new(RULE.name, severity, weak.entry.place, message)
        .help(match failing_first(first, weak, failing) {
            Some(other) => format!(
                "{advice}; until then, `{}` fails first on a new cluster, and what waits for it starts late: it is tried again {}",
                order.name(other),
                wording::again(order, other, Refusal::Kind)
            ),
            None => format!(
                "{advice}; until then, a new cluster answers {}, and the unit is tried again {}",
                wording::no_matches(&example.id),
                wording::again(order, first.unit, Refusal::Kind)
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
    match gates.fix(&weak.ungated) {
        Some(fix) => finding.fix(fix),
        None => finding,
    }
}

/// Why a unit counts as ready too early.
fn weakness(order: &Order<'_>, unit: usize) -> String {
    let (gate, name) = (&order.unit(unit).unit.gate, order.name(unit));
    match order::checks(gate) {
        [] => format!("`{name}` neither waits for its release nor checks its health"),
        [one] => format!("`{name}` checks the health of {one}, which says nothing of its release"),
        [one, more @ ..] => format!(
            "`{name}` checks the health of {one} and {} more, which say nothing of its release",
            more.len()
        ),
    }
}

/// The unit in between that has custom resources of the same provider: it is the one that fails.
fn failing_first(need: &Need<'_>, weak: &Weak, failing: &HashSet<(usize, usize)>) -> Option<usize> {
    let between = weak.entry.on;
    let fails = failing.contains(&(between, need.provider));
    fails.then_some(between)
}
