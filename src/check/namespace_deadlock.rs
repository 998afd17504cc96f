//! `namespace-deadlock`: an object that must be applied before its namespace can be made.

use super::order::{Order, Trapped};
use super::{Check, Scene, fix, wording};
use crate::diagnostic::{Finding, Rule, Severity};

pub struct NamespaceDeadlock;

pub static RULE: Rule = Rule {
    name: "namespace-deadlock",
    severity: Severity::Error,
    summary: "An object stands in the way of what creates its namespace.",
    about: r#"
## What it does

Looks for objects in a namespace that only comes once their own unit has been applied: a release of the same unit creates it, or a
unit that this one creates does. A Namespace in the same unit is applied first, so that all is well. Custom resources count where their
definition in this repository says that they live in namespaces. Where something that is not in this repository may create the
namespace, nothing is reported.

## Why is this bad

Before Flux applies anything of a Kustomization but namespaces and definitions, it has the API server try all of it. The namespace does
not exist yet, so the whole unit fails:

```text
ConfigMap/shop/texts dry-run failed (NotFound): namespaces "shop" not found
```

What would create the namespace is part of what failed, so every retry fails in the same way. A cluster that lives does not
show it, because there the namespace exists; a new cluster never starts.

## Example

A release that is to create the namespace that it stands in itself, and no Namespace beside it:

```yaml
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: shop
  namespace: shop
spec:
  install:
    createNamespace: true
```

## Fix

Add the Namespace to the unit that applies the object; a release that is to create it takes it as it is. Where the layout is plain,
`catalog check --fix` does this.

```yaml
apiVersion: v1
kind: Namespace
metadata:
  name: shop
```

A Kustomization need not stand in the namespace of what it applies: it can stand in `flux-system`, with `targetNamespace`.

Where somebody makes the namespace before Flux runs, no file says so: accept the finding with a comment that gives this reason.
"#,
};

impl Check for NamespaceDeadlock {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let each = scene.orders.iter();
        let trapped: Vec<Vec<Trapped<'_>>> = each.map(Order::trapped).collect();
        let mut findings = Vec::new();
        for (order, here) in scene.orders.iter().zip(&trapped) {
            for one in here {
                let finding = finding(order, one);
                findings.push(match fix::namespace(scene, order, one, &trapped) {
                    Some(fix) => finding.fix(fix),
                    None => finding,
                });
            }
        }
        findings
    }
}

fn finding(order: &Order<'_>, trapped: &Trapped<'_>) -> Finding {
    let namespace = trapped.namespace;
    let maker = order.unit(trapped.makers[0]);
    let (unit, name) = (order.name(trapped.unit), order.name(trapped.makers[0]));
    let first = &trapped.objects[0].statement;
    let is_itself = maker.unit.place == first.place;
    let why = match (maker.unit.release.is_some(), maker.owner) {
        _ if is_itself => {
            format!("it stands in the namespace `{namespace}`, which only it would create")
        }
        (true, Some(owner)) if owner == trapped.unit => format!(
            "the unit `{unit}` applies it together with the release `{name}` that creates its namespace"
        ),
        (is_release, _) => {
            let what = if is_release { "release" } else { "unit" };
            format!(
                "the unit `{unit}` that applies it must be applied before the {what} `{name}`, which creates its namespace, can be"
            )
        }
    };
    let mut finding = Finding::new(
        RULE.name,
        RULE.severity,
        first.place,
        format!("{} can never be applied on a new cluster: {why}", first.id),
    )
    .help(format!(
        "the API server answers {}; have `{unit}` apply a Namespace `{namespace}` itself",
        wording::no_namespace(namespace)
    ));
    let objects = maker.applied.iter().flat_map(|applied| &applied.objects);
    let mut namespaces = objects.map(|object| &object.statement).filter(|statement| {
        let id = &statement.id;
        id.kind == "Namespace" && id.name == namespace
    });
    if let Some(made) = namespaces.next() {
        let note = format!("the unit `{name}` creates the namespace here");
        finding = finding.note(made.place, note);
    } else if !is_itself {
        let note = format!("the release `{name}` creates the namespace");
        finding = finding.note(maker.unit.place, note);
    }
    for object in wording::some(&trapped.objects[1..]) {
        let statement = &object.statement;
        let note = format!("so does {} need it", statement.id);
        finding = finding.note(statement.place, note);
    }
    finding
}
