//! Rules about runbooks, the commands in them, alerts, and prose that contradicts the manifests.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "command-unknown-verb": "A runbook command uses a verb that the tool does not have.",
        does: "Parses every `kubectl`, `flux`, `helm` and `argocd` command in a runbook, and reports verbs that the \
               tool does not have: those of another tool, and misspelt ones. Plugin commands of kubectl and Helm are \
               not checked.",
        bad: "The command fails, and whoever copies it at 3 a.m. loses time finding out why.",
        example: "bash" "kubectl -n flux-system suspend helmrelease podinfo   # only flux can suspend a release",
        fix: "Use the command that the finding suggests.",
    },
    rule! {
        Warning "command-unknown-resource": "A runbook command names a kind that does not exist.",
        does: "Checks for misspelt kinds in commands, and for kubectl's name of a kind in a `flux` command, where \
               sources are `source git`, `source helm` and so on.",
        bad: "The command fails.",
        example: "bash" "flux get gitrepository -A   # flux calls it `source git`",
        fix: "Use the name that the finding suggests.",
    },
    rule! {
        Warning "command-unknown-name": "A runbook command names an object that no cluster has.",
        does: "Checks commands for the names of units (Kustomizations, HelmReleases, Applications), sources, secret \
               stores and namespaces that no manifest declares. In namespaces whose objects are all known, it checks \
               every other kind that controllers do not create, too. Objects of charts count if the charts were read. \
               Containers are compared with those of the workload. Placeholders such as `<name>` and `$NAME` are skipped.",
        bad: "The object was renamed, moved or removed since the runbook was written, so the command finds nothing.",
        example: "bash" "flux reconcile kustomization postgress   # the Kustomization is named postgres",
        fix: "Use the name from the manifests.",
    },
    rule! {
        Warning "command-unknown-namespace": "A runbook command uses a namespace that is empty.",
        does: "Checks for `-n` with a namespace that no manifest declares, uses or installs a chart into.",
        bad: "The command finds nothing, which at 3 a.m. looks as if nothing is running.",
        example: "bash" "kubectl -n databse get pods",
        fix: "Use the component's namespace.",
    },
    rule! {
        Warning "command-unknown-label": "A runbook command selects pods by a label that no pod has.",
        does: "Checks for selectors that match no pod in a namespace whose pods all come from manifests in this \
               repository. Namespaces with pods from charts or operators are skipped, because those labels are not in \
               the repository.",
        bad: "The command finds nothing, which at 3 a.m. looks as if nothing is running.",
        example: "bash" "kubectl -n shop get pods -l app=storefront   # the pods have app=shop-web",
        fix: "Select by a label that the pods have.",
    },
    rule! {
        Warning "command-prints-secret": "A runbook command prints a secret value.",
        does: "Checks for `kubectl get secret` with an output format that shows values, including through `base64 -d`, \
               and for `env`, `printenv`, `echo` and `cat` in a container that show secrets.",
        bad: "The value ends up in the terminal's scrollback, on shared screens and in session recordings.",
        example: "bash" "kubectl -n shop get secret database -o jsonpath='{.data.password}' | base64 -d",
        fix: "Use `kubectl describe secret`: it shows the keys and the size of each value, which is usually enough. If \
              you need the value itself, pass it to a variable, a file or the clipboard without printing it.",
        security: 4.0, cwe: 532,
    },
    rule! {
        Warning "command-reverted": "A runbook command changes an object that a reconciler changes back.",
        does: "Checks for `kubectl scale`, `edit`, `patch` and `set` on objects that a reconciler applies from this \
               repository, and for `helm upgrade` and `helm rollback` of releases that it installs. Commands after \
               one that suspends a reconciler are skipped, and so is `scale` if the manifest does not set `replicas`.",
        bad: "The change lasts until the next reconciliation, often only minutes, and then the problem is back.",
        example: "bash" "kubectl -n shop scale deployment web --replicas=5   # the manifest has replicas: 2",
        fix: "Change the manifest. If there is no time for that, suspend the reconciler first and resume it afterwards.",
    },
    rule! {
        Info "alert-without-runbook": "An alert has no runbook.",
        does: "Checks for alerts without `runbook_url` that no runbook names. One finding lists all such alerts of a \
               file.",
        bad: "The on-call engineer has to work out alone what the alert means and what to do.",
        example: "yaml" "- alert: CheckoutErrorRateHigh\n  expr: rate(checkout_errors_total[5m]) > 1",
        fix: "Set `runbook_url` in the alert's annotations, or write a page in `docs/runbooks/` whose title, file name \
              or front matter (`alert: CheckoutErrorRateHigh`) names the alert.",
    },
    rule! {
        Warning "runbook-missing": "An alert points to a runbook that does not exist.",
        does: "Checks for a `runbook_url` in this repository that points to a missing file.",
        bad: "The on-call engineer follows the link and finds nothing.",
        example: "yaml" "runbook_url: https://git.example.com/acme/platform/blob/main/docs/runbooks/gone.md",
        fix: "Write the page, or point the alert to an existing one.",
    },
    rule! {
        Warning "prose-drift": "A page contradicts the manifests.",
        does: "Compares what a component's page states in tables, lists and sentences with the manifests: namespace, \
               versions, images, ports, addresses, replicas, requests and limits, volumes and dependencies. A value is \
               fine if it is right in at least one environment. Sentences about the past, other components and \
               possibilities are skipped.",
        bad: "Readers act on information that is no longer true.",
        example: "md" "| Chart version | 0.9.11 |   <!-- the HelmRelease has 0.19.2 -->",
        fix: "Correct the page, or remove the fact: the component's page shows it from the manifests.",
    },
];
