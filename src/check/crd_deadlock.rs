//! `crd-deadlock`: a custom resource that must be applied before the release that installs its definition can be.

use super::order::{Certainty, Need, Order, Standing, What};
use super::{Check, Scene, fix, wording};
use crate::diagnostic::{Finding, Rule, Severity};
use crate::source::{self, Advice};

pub struct CrdDeadlock;

pub static RULE: Rule = Rule {
    name: "crd-deadlock",
    severity: Severity::Error,
    summary: "A custom resource stands in the way of the release that installs its definition.",
    about: r#"
## What it does

Looks for custom resources that are applied by the same unit as the release that installs their definition (CRD), or by
a unit that has to be applied before that release can be.

## Why is this bad

Before a reconciler applies anything of a unit, it has the API server try all of it. The API server does not know the
kind yet, so the whole unit fails:

```text
ClusterSecretStore/vault dry-run failed: no matches for kind "ClusterSecretStore" in version "external-secrets.io/v1"
```

The release is part of what failed, so its definitions are never installed, and every retry fails in the same way. A
cluster that lives does not show it, because there the definition exists; a new cluster never starts.

Argo CD tries all of an Application before its first sync wave. It leaves out custom resources whose definition is part of
the same Application, also of a chart in it, but not those whose definition an operator makes once it runs, nor those beside
an Application that brings it.

Terraform asks the API server for the type of a `kubernetes_manifest` while it plans, before it installs any release of the
same run, whatever `depends_on` says.

## Example

One directory, applied by one unit:

```yaml
# external-secrets/release.yaml
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: external-secrets
---
# external-secrets/store.yaml
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata:
  name: vault
```

## Fix

Move the custom resource into a directory and a unit of its own, which depends on the unit with the release. That one
needs `wait: true` as well: without it, it counts as ready before the release is installed (see `weak-gate`). Where the
layout is plain, `catalog check --fix` does all of this.

The unit that applies a whole entry point, such as `flux-system`, creates all others, so none of those can wait for it. Where it
has both, move the release into a directory and a unit of its own as well, and let the custom resource depend on that.

For Argo CD, annotate the custom resource with `argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true`, or move it into an
Application of its own.

For Terraform, move the `kubernetes_manifest` into a root module of its own that is applied later, or into a chart.

Definitions that are there before anything is applied, from a distribution or a bootstrap script, belong into
`external_crds` in `catalog.toml`.
"#,
};

impl Check for CrdDeadlock {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for order in &scene.orders {
            for need in &order.needs {
                let (Standing::Deadlock(certainty), What::Definition) = (&need.standing, need.what)
                else {
                    continue;
                };
                let provider = &order.providers[need.provider];
                let (unit, release) = (order.name(need.unit), order.name(provider.unit));
                let first = &need.objects[0].statement;
                let owner = order.unit(provider.unit).owner.unwrap_or(provider.unit);
                let apart = source::advice(&order.unit(need.unit).unit.id, Advice::Apart(&release))
                    .unwrap_or_else(|| apart(order, need, owner));
                let is_together = owner == need.unit || provider.unit == need.unit;
                let why = match is_together {
                    _ if first.is_tried_first => format!(
                        "its type is looked for before anything of its run is applied, and the release `{release}` of the same run installs its CRD"
                    ),
                    true => format!(
                        "the unit `{unit}` applies it together with the release `{release}` that installs its CRD"
                    ),
                    false => format!(
                        "the unit `{unit}` that applies it must be applied before the release `{release}`, which installs its CRD, can be"
                    ),
                };
                let severity = match certainty {
                    Certainty::Sure => Severity::Error,
                    Certainty::Likely => Severity::Warning,
                };
                let mut finding = Finding::new(
                    RULE.name,
                    severity,
                    first.place,
                    format!("{} can never be applied on a new cluster: {why}", first.id),
                )
                .help(format!(
                    "the API server answers {}; {apart}",
                    wording::no_matches(&first.id)
                ))
                .about(first.id.to_string())
                .note(
                    provider.place,
                    format!("the release `{release}` installs the CRD"),
                );
                for object in wording::some(&need.objects[1..]) {
                    let id = &object.statement.id;
                    finding = finding.note(object.statement.place, format!("so does {id} need it"));
                }
                findings.push(match fix::split(scene, order, need) {
                    Some(fix) => finding.fix(fix),
                    None => finding,
                });
            }
        }
        findings
    }
}

/// What to do with the custom resources where `owner` applies the release that they need.
fn apart(order: &Order<'_>, need: &Need<'_>, owner: usize) -> String {
    let release = order.providers[need.provider].unit;
    let (unit, name) = (order.name(owner), order.name(release));
    let gate = source::gate(&order.unit(owner).unit.id);
    // What applies a whole entry point creates the new unit as well.
    let is_root = order.unit(owner).owner == Some(owner);
    let from = match order.unit(need.unit).directory.as_ref() {
        Some(directory) if !directory.as_str().is_empty() => format!(" out of `{directory}`,"),
        _ => String::new(),
    };
    if !is_root && !order.is_awaited_below(owner) {
        let wait = gate.filter(|_| owner != release && !order.gated(owner).contains(&release));
        let wait = wait.map(|gate| format!(", and add `{gate}` to `{unit}`"));
        return format!(
            "move it{from} into a directory and a unit of its own that depends on `{unit}`{}",
            wait.unwrap_or_default()
        );
    }
    let gate = gate.map(|gate| format!(" with `{gate}`"));
    format!(
        "nothing that `{unit}` creates can wait for `{unit}`, so it takes two units: move `{name}`{from} into a directory and a unit of its own{}, and the custom resource into another that depends on that one",
        gate.unwrap_or_default()
    )
}
