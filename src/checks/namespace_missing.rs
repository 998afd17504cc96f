//! `namespace-missing`: objects in a namespace that nothing creates.

use std::collections::BTreeMap;

use super::order::{StartupOrder, is_namespaced};
use super::{Check, CheckContext, wording};
use crate::cluster::{Destination, Object, Role};
use base::text::{counted, has_gap};
use base::{Finding, Rule, Severity};

pub struct NamespaceMissing;

pub static RULE: Rule = Rule {
    name: "namespace-missing",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "Objects are applied to a namespace that nothing creates.",
    about: r#"
## What it does

Checks for objects and releases in a namespace that neither a Namespace nor a release on that cluster creates. Namespaces
that Kubernetes creates, and those of the units (Kustomizations, HelmReleases or Applications) at the entry point, are
assumed to exist. Nothing is reported if the cluster also applies something that is not in this repository.

## Why is this bad?

On a new cluster, the whole unit with these objects fails:

```text
Deployment/shop/web namespace not specified: namespaces "shop" not found
```

## Example

```yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
```

## How to fix it

Add a Namespace next to the objects, or set `createNamespace: true` under `install` in the HelmRelease:

```yaml
apiVersion: v1
kind: Namespace
metadata:
  name: shop
```
"#,
};

impl Check for NamespaceMissing {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let orders = context.orders.iter();
        let known = orders.filter(|order| order.unknown().is_empty());
        let all: Vec<&StartupOrder<'_>> = context.orders.iter().collect();
        known.flat_map(|order| findings(order, &all)).collect()
    }
}

fn findings(order: &StartupOrder<'_>, all: &[&StartupOrder<'_>]) -> Vec<Finding> {
    let (cluster, there) = (order.cluster, &order.namespaces);
    // A program installs into a cluster, where a reconciler may create the namespace.
    let is_program = cluster.role == Role::Programs;
    let is_elsewhere =
        |name: &str| is_program && all.iter().any(|other| other.namespaces.has(name));
    let mut missing: BTreeMap<&str, Vec<&Object>> = BTreeMap::new();
    for (unit, object) in cluster.objects() {
        // Somebody who applies objects by hand creates namespaces the same way.
        let by_hand = unit.is_some_and(|at| cluster.units[at].unit.is_applied_by_command());
        if by_hand {
            continue;
        }
        let to_another = cluster.target_of(unit) != Destination::HERE;
        let id = &object.statement.id;
        if !to_another && !there.has(&id.namespace) && is_namespaced(object) {
            missing.entry(&id.namespace).or_default().push(object);
        }
        let declared = object.statement.unit.as_ref();
        let release = declared.and_then(|unit| unit.release.as_ref());
        if let Some(release) = release
            && declared.is_some_and(|unit| unit.remote.is_none())
        {
            let target = release.target_namespace.as_str();
            if !to_another && !there.has(target) && target != id.namespace {
                missing.entry(target).or_default().push(object);
            }
        }
    }
    let findings = missing
        .into_iter()
        .filter(|(name, _)| !has_gap(name) && !is_elsewhere(name));
    findings
        .map(|(name, objects)| {
            let first = &objects[0].statement;
            // A release can be in one namespace and install into another.
            let installs = first.id.namespace != name;
            let more = counted(objects.len() - 1, "more object");
            let needed_by = match objects.len() {
                1 if installs => format!("{} installs into", first.id),
                1 => format!("{} needs", first.id),
                _ => format!("{} and {more} need", first.id),
            };
            let message = format!("nothing creates namespace `{name}`, which {needed_by}");
            let mut finding = Finding::warning(RULE.name, first.place, message).help(format!(
                "add a Namespace `{name}`; otherwise, a new cluster fails with {}",
                wording::no_namespace(name)
            ));
            for object in wording::some(&objects[1..]) {
                let statement = &object.statement;
                finding = finding.note(statement.place, statement.id.to_string());
            }
            for object in &objects {
                let id = format_args!("{name} {}", object.statement.id);
                finding = finding.covers(object.statement.place, id);
            }
            finding
        })
        .collect()
}
