//! `namespace-deadlock`: an object that must be applied before its namespace can be created.

use super::order::{StartupOrder, Trapped};
use super::{Check, CheckContext, ordering_fix, wording};
use base::{Finding, Rule, Severity};

pub struct NamespaceDeadlock;

pub static RULE: Rule = Rule {
    name: "namespace-deadlock",
    severity: Severity::Error,
    skips_input: false,
    security: None,
    summary: "An object must be applied before its namespace can be created.",
    about: r#"
## What it does

Checks for objects in a namespace that cannot exist until their own unit (Kustomization, HelmRelease or Application) has been
applied. Either a release in that unit creates the namespace, or one of the units that it creates does.

A Namespace in the same unit is fine, because it is applied first. Custom resources are only checked if their CRD is in this
repository and is namespaced. Nothing is reported if something outside this repository may create the namespace.

## Why is this bad?

Flux applies Namespaces and CRDs first. It then dry-runs everything else in the Kustomization before it applies any of it.
The namespace does not exist yet, so the whole Kustomization fails:

```text
ConfigMap/shop/texts dry-run failed (NotFound): namespaces "shop" not found
```

The object that would create the namespace is part of what failed, so every retry fails in the same way. An existing cluster hides
the problem, because the namespace is already there. A new cluster never starts.

## Example

A HelmRelease in the namespace that it is meant to create, with no Namespace next to it:

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

## How to fix it

Add the Namespace to the Kustomization that applies the object. A release with `createNamespace: true` accepts a namespace
that already exists. `catalog check --fix` does this for simple layouts.

```yaml
apiVersion: v1
kind: Namespace
metadata:
  name: shop
```

A Kustomization does not have to be in the namespace it deploys to: keep it in `flux-system` and set `targetNamespace`.

If somebody creates the namespace before Flux runs, no file in the repository shows it. Suppress the finding with a comment
that says so.
"#,
};

impl Check for NamespaceDeadlock {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let each = context.orders.iter();
        let trapped: Vec<Vec<Trapped<'_>>> = each.map(StartupOrder::trapped).collect();
        let mut findings = Vec::new();
        for (order, here) in context.orders.iter().zip(&trapped) {
            for one in here {
                let remedy = ordering_fix::namespace(context, order, one, &trapped);
                findings.push(finding(order, one).fix(remedy));
            }
        }
        findings
    }
}

fn finding(order: &StartupOrder<'_>, trapped: &Trapped<'_>) -> Finding {
    let namespace = trapped.namespace;
    let maker = order.unit(trapped.makers[0]);
    let unit = wording::kind_and_name(order, trapped.unit);
    let creator = wording::kind_and_name(order, trapped.makers[0]);
    let first = &trapped.objects[0].statement;
    let is_itself = maker.unit.place == first.place;
    let is_together = maker.unit.release.is_some() && maker.owner == Some(trapped.unit);
    let why = if is_itself {
        format!("its namespace `{namespace}` is only created by its own installation")
    } else if is_together {
        format!("{unit} applies it together with {creator}, which creates its namespace")
    } else {
        format!(
            "{unit} applies it, but {creator}, which creates its namespace, only starts after `{}`",
            order.name(trapped.unit)
        )
    };
    let mut finding = Finding::new(
        RULE.name,
        RULE.severity,
        first.place,
        format!("{} can never be applied on a new cluster: {why}", first.id),
    )
    .help(format!(
        "add a Namespace `{namespace}` to {unit}; until then, a new cluster fails with {}",
        wording::no_namespace(namespace)
    ));
    let objects = maker.applied.iter().flat_map(|applied| &applied.objects);
    let mut namespaces = objects.map(|object| &object.statement).filter(|statement| {
        let id = &statement.id;
        id.is("", "Namespace") && id.name == namespace
    });
    if let Some(made) = namespaces.next() {
        let note = format!("{creator} creates the namespace here");
        finding = finding.note(made.place, note);
    } else if !is_itself {
        let note = format!("{creator} creates the namespace");
        finding = finding.note(maker.unit.place, note);
    }
    for object in wording::some(&trapped.objects[1..]) {
        let statement = &object.statement;
        let note = format!("{} is affected too", statement.id);
        finding = finding.note(statement.place, note);
    }
    for object in &trapped.objects {
        finding = finding.covers(object.statement.place, &object.statement.id);
    }
    finding
}
