//! `crd-deadlock`: a custom resource that blocks the release that installs its CRD.

use super::order::{Certainty, Need, OrderingVerdict, StartupOrder, What};
use super::{Check, CheckContext, ordering_fix, wording};
use crate::cluster::UnitIx;
use crate::sources::{self, Advice};
use base::{Finding, Rule, Severity};

pub struct CrdDeadlock;

pub static RULE: Rule = Rule {
    name: "crd-deadlock",
    severity: Severity::Error,
    skips_input: false,
    security: None,
    summary: "A custom resource blocks the Helm release that installs its CRD.",
    about: r#"
## What it does

Checks for custom resources that can only be applied before their CRD exists. Either the same unit (Kustomization,
HelmRelease or Application) also applies the Helm release that installs the CRD, or that release cannot start until the
unit has been applied.

## Why is this bad?

Flux dry-runs everything in a Kustomization before it applies any of it. The API server does not know the kind yet, so the
whole Kustomization fails:

```text
ClusterSecretStore/vault dry-run failed: no matches for kind "ClusterSecretStore" in version "external-secrets.io/v1"
```

The release that would install the CRD is part of what failed, so every retry fails in the same way. An existing cluster
hides the problem, because the CRD is already there. A new cluster never starts.

Argo CD dry-runs a whole Application before its first sync wave. It skips custom resources whose CRD is part of the same
Application, including the charts in it. It does not skip those whose CRD is created by a running operator, or installed by
another Application next to them.

Terraform looks up the type of a `kubernetes_manifest` while planning, before it installs any release in the same run.
`depends_on` does not change that.

## Example

One directory, applied by one Kustomization:

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

## How to fix it

Move the custom resource into its own directory, and apply that with a second Kustomization that depends on the first. The
first also needs `wait: true`: without it, it reports ready before the release is installed (see `weak-gate`).
`catalog check --fix` does all of this for simple layouts.

A Kustomization that applies a whole entry point, such as `flux-system`, creates all the others, so none of them can wait
for it. If it contains both objects, move the release into its own directory and Kustomization as well, and make the
Kustomization with the custom resource depend on that.

For Argo CD, annotate the custom resource with `argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true`, or move
it into its own Application.

For Terraform, move the `kubernetes_manifest` into a separate root module that is applied later, or into a chart.

If a distribution or a bootstrap script installs the CRD before anything in this repository is applied, list its API group
under `external_crds` in `catalog.toml`.
"#,
};

impl Check for CrdDeadlock {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for order in &context.orders {
            for need in &order.needs {
                let (OrderingVerdict::Deadlock(certainty), What::Definition) =
                    (&need.verdict, need.what)
                else {
                    continue;
                };
                let provider = &order.providers[need.provider];
                let release = order.name(provider.unit);
                let installer = wording::kind_and_name(order, provider.unit);
                let first = &need.objects[0].statement;
                let owner = order.unit(provider.unit).owner.unwrap_or(provider.unit);
                let apart =
                    sources::advice(&order.unit(need.unit).unit.id, Advice::Apart(&release))
                        .unwrap_or_else(|| apart(order, need, owner));
                let why = why(order, need, owner);
                let fails = wording::no_matches(&first.id);
                let (severity, message, help) = match certainty {
                    Certainty::Sure => (
                        Severity::Error,
                        format!("{} can never be applied on a new cluster: {why}", first.id),
                        format!("{apart}; until then, a new cluster fails with {fails}"),
                    ),
                    Certainty::Likely => (
                        Severity::Warning,
                        format!(
                            "{} cannot be applied on a new cluster unless its CRD is installed beforehand: {why}",
                            first.id
                        ),
                        format!(
                            "{apart}; if something outside this repository installs the CRD first, list its \
                             group under `external_crds` in catalog.toml. Otherwise a new cluster fails with {fails}"
                        ),
                    ),
                };
                let mut finding = Finding::new(RULE.name, severity, first.place, message)
                    .help(help)
                    .about(first.id.to_string())
                    .note(provider.place, format!("{installer} installs the CRD"));
                for object in wording::some(&need.objects[1..]) {
                    let id = &object.statement.id;
                    let note = format!("{id} is affected too");
                    finding = finding.note(object.statement.place, note);
                }
                for object in &need.objects {
                    let statement = &object.statement;
                    finding = finding.covers(statement.place, &statement.id);
                }
                findings.push(finding.fix(ordering_fix::split(context, order, need)));
            }
        }
        findings
    }
}

/// Why custom resources can never be applied, if `owner` applies the release that installs their CRD.
fn why(order: &StartupOrder<'_>, need: &Need<'_>, owner: UnitIx) -> String {
    let installing = order.providers[need.provider].unit;
    let installer = wording::kind_and_name(order, installing);
    let unit = wording::kind_and_name(order, need.unit);
    if need.objects[0].statement.order.is_tried_first {
        format!(
            "its type is looked up during planning, before {installer} in the same run can install its CRD"
        )
    } else if installing == need.unit {
        format!("{unit} applies it together with the chart that installs its CRD")
    } else if owner == need.unit {
        format!("{unit} applies it together with {installer}, which installs its CRD")
    } else {
        format!(
            "{unit} applies it, but {installer}, which installs its CRD, only starts after `{}`",
            order.name(need.unit)
        )
    }
}

/// How to separate custom resources from the release that they need, if `owner` applies that release.
fn apart(order: &StartupOrder<'_>, need: &Need<'_>, owner: UnitIx) -> String {
    let release = order.providers[need.provider].unit;
    let (unit, name) = (order.name(owner), order.name(release));
    let gate = sources::gate(&order.unit(owner).unit.id);
    let kind = &order.unit(need.unit).unit.id.kind;
    // The unit that applies a whole entry point creates the new unit as well.
    let is_root = order.unit(owner).owner == Some(owner);
    let from = match order.unit(need.unit).directory.as_ref() {
        Some(directory) if !directory.as_str().is_empty() => format!(" out of `{directory}`"),
        _ => String::new(),
    };
    if !is_root && !order.is_awaited_below(owner) {
        let wait = gate.filter(|_| owner != release && !order.gated(owner).contains(&release));
        let wait = wait.map(|gate| format!(", and add `{gate}` to `{unit}`"));
        return format!(
            "move it{from} into its own directory and {kind} that depends on `{unit}`{}",
            wait.unwrap_or_default()
        );
    }
    let gate = gate.map(|gate| format!(" with `{gate}`"));
    format!(
        "move `{name}`{from} into its own directory and {kind}{}, and the custom resource into a second {kind} that depends on it, because nothing that `{unit}` creates can wait for `{unit}`",
        gate.unwrap_or_default()
    )
}
