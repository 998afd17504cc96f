//! The rules that runbooks, alerts and prose are held to.

use crate::diagnostic::{Rule, Severity};

/// By name.
pub const RULES: &[Rule] = &[
    Rule {
        name: "alert-without-runbook",
        severity: Severity::Info,
        summary: "An alert does not say what to do about it.",
        about: "An alert has no `runbook_url`, and no runbook names it.

Whoever is called has to find out alone what the alert means and what to do.

```yaml
- alert: CheckoutErrorRateHigh
  expr: …
  annotations:
    runbook_url: https://git.example.com/acme/platform/blob/main/docs/runbooks/checkout-error-rate.md
```

Set `runbook_url` in the annotations, or write a page in `docs/runbooks/` whose title, file name or front matter
(`alert: CheckoutErrorRateHigh`) names the alert. One finding lists all alerts of a file.",
    },
    Rule {
        name: "command-prints-secret",
        severity: Severity::Warning,
        summary: "A command of a runbook prints the value of a secret.",
        about: "`kubectl get secret … -o yaml`, or the same with `-o jsonpath` and `base64 -d` behind it, shows the value.

It stays in the terminal, in its scrollback, in a shared screen and in whatever records the session.

`kubectl describe secret NAME` shows the keys and how long their values are, which is nearly always the question. Where the
value itself is needed, pass it on without printing it: into a variable, a file or the clipboard.",
    },
    Rule {
        name: "command-unknown-label",
        severity: Severity::Warning,
        summary: "A command of a runbook selects pods by a label that none has.",
        about: "The command selects pods in a namespace whose pods are all made by manifests of this repository, and none of them
has that label with that value. The command finds nothing, which at night looks like nothing is there.

Nothing is said about namespaces into which charts or operators put pods: their labels are written nowhere.",
    },
    Rule {
        name: "command-unknown-name",
        severity: Severity::Warning,
        summary: "A command of a runbook names an object that no cluster has.",
        about: "The command names a unit, a source, a store, a namespace or a workload that the manifests would have, and they do
not: it was renamed, moved or removed since the runbook was written.

Objects that charts and operators make are not checked. Placeholders such as `<name>` and `$NAME` are left alone.",
    },
    Rule {
        name: "command-unknown-namespace",
        severity: Severity::Warning,
        summary: "A command of a runbook looks into a namespace that nothing is in.",
        about: "The command has `-n` with a namespace that no manifest declares, uses or installs a chart into. It finds nothing,
which at night looks like nothing is there.",
    },
    Rule {
        name: "command-unknown-resource",
        severity: Severity::Warning,
        summary: "A command of a runbook names a kind that does not exist.",
        about: "The word for the kind is misspelt, or it is kubectl's word in a command of `flux`, whose sources are
`source git`, `source helm` and so on.",
    },
    Rule {
        name: "command-unknown-verb",
        severity: Severity::Error,
        summary: "A command of a runbook has a verb that its tool does not know.",
        about: "The command cannot work: the verb belongs to another tool, or is misspelt.

```bash
kubectl -n flux-system suspend helmrelease podinfo   # kubectl cannot suspend a release
flux -n flux-system suspend helmrelease podinfo      # Flux can
```

Verbs of kubectl's and Helm's plugins are left alone.",
    },
    Rule {
        name: "prose-drift",
        severity: Severity::Warning,
        summary: "What a page says about its component is not what the manifests say.",
        about: "A table row or a labelled line of a component's README states a namespace, a chart version, a version, a port or a
dependency, and no environment agrees.

Change the page, or leave the fact out: the component's page shows it from the manifests.",
    },
    Rule {
        name: "runbook-missing",
        severity: Severity::Warning,
        summary: "An alert points to a runbook that does not exist.",
        about: "`runbook_url` is an address in this repository, and there is no such file.

Write the page, or point the alert at one that exists.",
    },
];
