//! `namespace-missing`: objects in a namespace that nothing creates.

use std::collections::BTreeMap;

use super::order::{Order, has_gap, is_namespaced};
use super::{Check, Scene, wording};
use crate::compose::{Destination, Object};
use crate::diagnostic::{Finding, Rule, Severity};

pub struct NamespaceMissing;

pub static RULE: Rule = Rule {
    name: "namespace-missing",
    severity: Severity::Warning,
    summary: "Objects are applied into a namespace that nothing creates.",
    about: r#"
## What it does

Looks for objects and releases in a namespace for which the cluster gets no Namespace, and which no release creates
either. Namespaces of Kubernetes itself, and those that the units of the entry point live in, exist. Where a cluster
applies something that is not in this repository, the namespace may come from there, and nothing is reported.

## Why is this bad

On a new cluster, the unit fails as a whole:

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

## Fix

Add the Namespace to the unit, or `createNamespace: true` below `install` to the release:

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

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let orders = scene.orders.iter();
        let known = orders.filter(|order| order.unknown().is_empty());
        known.flat_map(findings).collect()
    }
}

fn findings(order: &Order<'_>) -> Vec<Finding> {
    let (cluster, there) = (order.cluster, &order.namespaces);
    let mut missing: BTreeMap<&str, Vec<&Object>> = BTreeMap::new();
    for (unit, object) in cluster.objects() {
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
    let findings = missing.into_iter().filter(|(name, _)| !has_gap(name));
    findings
        .map(|(name, objects)| {
            let first = &objects[0].statement;
            let more = match objects.len() {
                1 => String::new(),
                count => format!(", and {} more", wording::counted(count - 1, "object")),
            };
            // A unit may stand in one namespace and install into another.
            let goes = match first.id.namespace == name {
                true => "is applied into",
                false => "installs into",
            };
            let message = format!(
                "nothing creates the namespace `{name}`, which {} {goes}{more}",
                first.id
            );
            let mut finding = Finding::warning(RULE.name, first.place, message).help(format!(
                "add a Namespace `{name}`; without it, a new cluster answers {}",
                wording::no_namespace(name)
            ));
            for object in wording::some(&objects[1..]) {
                let statement = &object.statement;
                finding = finding.note(statement.place, statement.id.to_string());
            }
            finding
        })
        .collect()
}
