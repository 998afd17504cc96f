//! `dependency-cycle`: units that wait for each other in a cycle.

use super::order::StartupOrder;
use super::{Check, CheckContext};
use crate::catalog::cycles;
use crate::cluster::UnitIx;
use base::{Finding, Place, Rule, Severity};

pub struct DependencyCycle;

pub static RULE: Rule = Rule {
    name: "dependency-cycle",
    severity: Severity::Error,
    skips_input: false,
    security: None,
    summary: "Kustomizations, HelmReleases or Applications wait for each other in a cycle.",
    about: r#"
## What it does

Checks for units (Kustomizations, HelmReleases or Applications) that wait for themselves, directly or through others. A unit
waits for:

- its dependencies;
- the unit that creates it;
- the units that it creates, if its health gate (`wait: true` or `healthChecks`) covers them;
- the unit that installs CRDs which its chart needs.

## Why is this bad?

None of them ever becomes ready:

```text
dependency 'flux-system/apps' is not ready
```

A cycle through a health gate is easy to miss. A Kustomization with `wait: true` is ready only when the Kustomizations that
it creates are ready, so none of those may depend on it.

## Example

```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: apps
spec:
  path: ./apps            # creates `web`
  wait: true
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: web
spec:
  dependsOn:
    - name: apps
```

## How to fix it

Remove one dependency from the cycle. A unit never needs to depend on the one that creates it: it cannot exist before.
"#,
};

impl Check for DependencyCycle {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        context.orders.iter().flat_map(findings).collect()
    }
}

/// Why one thing must happen before another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Dependency(Place),
    Owner,
    Gate,
    /// Its chart has custom resources, whose CRDs another installs.
    Chart,
    /// A unit that is ready was applied before.
    Itself,
}

fn findings(order: &StartupOrder<'_>) -> Vec<Finding> {
    let steps = steps(order);
    let each = steps.iter().enumerate();
    let edges = each.flat_map(|(from, to)| to.iter().map(move |(to, _)| (from, *to)));
    cycles(steps.len(), edges.collect())
        .iter()
        .filter_map(|cycle| finding(order, &steps, cycle))
        .collect()
}

/// Events that each event waits for. A unit has two: it is applied (even numbers) and it is ready (odd numbers).
fn steps(order: &StartupOrder<'_>) -> Vec<Vec<(usize, Why)>> {
    let count = order.cluster.units.len();
    let mut steps: Vec<Vec<(usize, Why)>> = vec![Vec::new(); 2 * count];
    let (tried, ready) = (|at: UnitIx| 2 * at.index(), |at: UnitIx| 2 * at.index() + 1);
    for index in order.cluster.units.indices() {
        steps[ready(index)].push((tried(index), Why::Itself));
        for (nth, on) in order.depends_on(index) {
            let place = order.entry(index, *nth);
            steps[tried(index)].push((ready(*on), Why::Dependency(place)));
        }
        if let Some(owner) = order.creator(index) {
            steps[tried(index)].push((tried(owner), Why::Owner));
        }
        let gated = order.gated(index).iter();
        steps[ready(index)].extend(gated.map(|child| (ready(*child), Why::Gate)));
        let needed = order.charts_need(index).iter();
        steps[ready(index)].extend(needed.map(|other| (tried(*other), Why::Chart)));
    }
    steps
}

fn finding(
    order: &StartupOrder<'_>,
    steps: &[Vec<(usize, Why)>],
    cycle: &[usize],
) -> Option<Finding> {
    let path = path_round(steps, cycle)?;
    let mut phrases = Vec::new();
    let mut places = Vec::new();
    for (from, to, why) in &path {
        let name = |event: usize| order.name(UnitIx::from_usize(event / 2));
        let (from, to) = (name(*from), name(*to));
        match why {
            Why::Dependency(place) => {
                phrases.push(format!("`{from}` depends on `{to}`"));
                places.push((*place, format!("`{from}` depends on `{to}`")));
            }
            Why::Owner => phrases.push(format!("`{from}` is created by `{to}`")),
            Why::Gate => phrases.push(format!("`{from}` is not ready until `{to}` is")),
            Why::Chart => phrases.push(format!(
                "the chart of `{from}` needs CRDs that `{to}` installs"
            )),
            Why::Itself => {}
        }
    }
    let (place, _) = places.first()?.clone();
    let mut finding = Finding::error(
        RULE.name,
        place,
        format!(
            "dependency cycle, so none of these ever becomes ready: {}",
            phrases.join(", ")
        ),
    )
    .help("remove one of these dependencies");
    for (place, note) in places.into_iter().skip(1) {
        finding = finding.note(place, note);
    }
    Some(finding)
}

/// The shortest path from the first member of a cycle back to itself.
fn path_round(steps: &[Vec<(usize, Why)>], cycle: &[usize]) -> Option<Vec<(usize, usize, Why)>> {
    let start = *cycle.first()?;
    let mut came: std::collections::BTreeMap<usize, (usize, Why)> = Default::default();
    let mut next = std::collections::VecDeque::from([start]);
    while let Some(at) = next.pop_front() {
        for (to, why) in &steps[at] {
            if cycle.binary_search(to).is_err() {
                continue;
            }
            if *to == start {
                let mut path = vec![(at, start, *why)];
                let mut at = at;
                while at != start {
                    let (from, why) = came[&at];
                    path.push((from, at, why));
                    at = from;
                }
                path.reverse();
                return Some(path);
            }
            if !came.contains_key(to) {
                came.insert(*to, (at, *why));
                next.push_back(*to);
            }
        }
    }
    None
}
