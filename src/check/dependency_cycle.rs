//! `dependency-cycle`: units that wait for each other in a circle.

use super::order::Order;
use super::{Check, Scene};
use crate::diagnostic::{Finding, Place, Rule, Severity};
use crate::model::{Edge, EnvironmentSet, Graph};

pub struct DependencyCycle;

pub static RULE: Rule = Rule {
    name: "dependency-cycle",
    severity: Severity::Error,
    summary: "Units wait for each other in a circle.",
    about: r#"
## What it does

Looks for units that wait for themselves, directly or by way of others. Three things make a unit wait: its dependencies,
the unit that creates it, and its gate, which has it wait for the units that it creates.

## Why is this bad

None of them ever starts:

```text
dependency 'flux-system/apps' is not ready
```

The circle that is easily missed goes through a gate: a unit with `wait: true` is ready only once the units that it
creates are, so none of those may depend on it.

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

## Fix

Remove one dependency of the circle. A unit need not depend on the one that creates it: it would not be there without it.
"#,
};

impl Check for DependencyCycle {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene.orders.iter().flat_map(findings).collect()
    }
}

/// Why one thing must happen before another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Dependency(Place),
    Owner,
    Gate,
    /// What is ready was tried.
    Itself,
}

fn findings(order: &Order<'_>) -> Vec<Finding> {
    let steps = steps(order);
    let edges: Vec<Edge> = steps
        .iter()
        .enumerate()
        .flat_map(|(from, to)| {
            to.iter().map(move |(to, _)| Edge {
                from,
                to: *to,
                reason: "",
                place: Place::default(),
                environments: EnvironmentSet::ALL,
            })
        })
        .collect();
    let graph = Graph::new(steps.len(), edges.iter());
    let circles = graph.circles();
    circles
        .filter_map(|circle| finding(order, &steps, circle))
        .collect()
}

/// Two events for each unit: that it is tried, which has an even number, and that it is ready.
fn steps(order: &Order<'_>) -> Vec<Vec<(usize, Why)>> {
    let count = order.cluster.units.len();
    let mut steps: Vec<Vec<(usize, Why)>> = vec![Vec::new(); 2 * count];
    for index in 0..count {
        let (tried, ready) = (2 * index, 2 * index + 1);
        steps[ready].push((tried, Why::Itself));
        for (nth, on) in order.depends_on(index) {
            let place = order.entry((index, *nth));
            steps[tried].push((2 * on + 1, Why::Dependency(place)));
        }
        if let Some(owner) = order.unit(index).owner.filter(|owner| *owner != index) {
            steps[tried].push((2 * owner, Why::Owner));
        }
        let gated = order.gated(index).iter();
        steps[ready].extend(gated.map(|child| (2 * child + 1, Why::Gate)));
    }
    steps
}

fn finding(order: &Order<'_>, steps: &[Vec<(usize, Why)>], circle: &[usize]) -> Option<Finding> {
    let way = way_round(steps, circle)?;
    let mut phrases = Vec::new();
    let mut places = Vec::new();
    for (from, to, why) in &way {
        let (from, to) = (order.name(from / 2), order.name(to / 2));
        match why {
            Why::Dependency(place) => {
                phrases.push(format!("`{from}` waits for `{to}`"));
                places.push((*place, format!("`{from}` waits for `{to}`")));
            }
            Why::Owner => phrases.push(format!("`{from}` is created by `{to}`")),
            Why::Gate => phrases.push(format!("`{from}` is ready only once `{to}` is")),
            Why::Itself => {}
        }
    }
    let (place, _) = places.first()?.clone();
    let mut finding = Finding::error(
        RULE.name,
        place,
        format!("none of these ever starts: {}", phrases.join(", ")),
    )
    .help("remove one of the dependencies");
    for (place, note) in places.into_iter().skip(1) {
        finding = finding.note(place, note);
    }
    Some(finding)
}

/// The shortest way from the first member of a circle back to it.
fn way_round(steps: &[Vec<(usize, Why)>], circle: &[usize]) -> Option<Vec<(usize, usize, Why)>> {
    let start = *circle.first()?;
    let mut came: std::collections::BTreeMap<usize, (usize, Why)> = Default::default();
    let mut next = std::collections::VecDeque::from([start]);
    while let Some(at) = next.pop_front() {
        for (to, why) in &steps[at] {
            if circle.binary_search(to).is_err() {
                continue;
            }
            if *to == start {
                let mut way = vec![(at, start, *why)];
                let mut at = at;
                while at != start {
                    let (from, why) = came[&at];
                    way.push((from, at, why));
                    at = from;
                }
                way.reverse();
                return Some(way);
            }
            if !came.contains_key(to) {
                came.insert(*to, (at, *why));
                next.push_back(*to);
            }
        }
    }
    None
}
