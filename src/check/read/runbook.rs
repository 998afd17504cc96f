//! What is said about runbooks, the commands in them, alerts, and prose that contradicts the manifests.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "command-unknown-verb": "A command of a runbook has a verb that its tool does not know.",
        does: "Parses every `kubectl`, `flux`, `helm` and `argocd` command of a runbook, and looks for verbs that the tool \
               does not have: those of another tool, and misspelt ones. Verbs of kubectl's and Helm's plugins are left alone.",
        bad: "The command cannot work, and whoever copies it at night loses time to find out.",
        example: "bash" "kubectl -n flux-system suspend helmrelease podinfo   # it is Flux that suspends a release",
        fix: "Use the command that the finding names.",
    },
    rule! {
        Warning "command-unknown-resource": "A command of a runbook names a kind that does not exist.",
        does: "Looks for a misspelt kind in a command, or for kubectl's word for a kind in a command of `flux`, whose \
               sources are `source git`, `source helm` and so on.",
        bad: "The command ends with an error instead of an answer.",
        example: "bash" "flux get gitrepository -A   # flux calls it `source git`",
        fix: "Use the word that the finding names.",
    },
    rule! {
        Warning "command-unknown-name": "A command of a runbook names an object that no cluster has.",
        does: "Looks for units, sources, stores, namespaces and workloads in commands that the manifests would have, and \
               do not. Objects that charts and operators make are not checked; placeholders such as `<name>` and `$NAME` \
               are left alone.",
        bad: "The object was renamed, moved or removed since the runbook was written: the command finds nothing.",
        example: "bash" "flux reconcile kustomization postgress   # the unit is called postgres",
        fix: "Name the object as the manifests do.",
    },
    rule! {
        Warning "command-unknown-namespace": "A command of a runbook looks into a namespace that nothing is in.",
        does: "Looks for `-n` with a namespace that no manifest declares, uses or installs a chart into.",
        bad: "The command finds nothing, which at night looks like nothing is there.",
        example: "bash" "kubectl -n databse get pods",
        fix: "Name the namespace that the component is in.",
    },
    rule! {
        Warning "command-unknown-label": "A command of a runbook selects pods by a label that none has.",
        does: "Looks for selectors that match no pod in a namespace whose pods are all made by manifests of this \
               repository. Nothing is said about namespaces into which charts or operators put pods: their labels are \
               written nowhere.",
        bad: "The command finds nothing, which at night looks like nothing is there.",
        example: "bash" "kubectl -n shop get pods -l app=storefront   # the pods have app=shop-web",
        fix: "Select by a label that the pods have.",
    },
    rule! {
        Warning "command-prints-secret": "A command of a runbook prints the value of a secret.",
        does: "Looks for `kubectl get secret` with an output that shows values, also through `base64 -d`.",
        bad: "The value stays in the terminal, in its scrollback, in a shared screen and in whatever records them.",
        example: "bash" "kubectl -n shop get secret database -o jsonpath='{.data.password}' | base64 -d",
        fix: "`kubectl describe secret` shows the keys and how long their values are, which is nearly always the question. \
              Where the value itself is needed, pass it on without printing it: into a variable, a file or the clipboard.",
    },
    rule! {
        Info "alert-without-runbook": "An alert does not say what to do about it.",
        does: "Looks for alerts without `runbook_url` that no runbook names. One finding lists all alerts of a file.",
        bad: "Whoever is called has to find out alone what the alert means and what to do.",
        example: "yaml" "- alert: CheckoutErrorRateHigh\n  expr: rate(checkout_errors_total[5m]) > 1",
        fix: "Set `runbook_url` in the alert's annotations, or write a page in `docs/runbooks/` whose title, file name or \
              front matter (`alert: CheckoutErrorRateHigh`) names the alert.",
    },
    rule! {
        Warning "runbook-missing": "An alert points to a runbook that does not exist.",
        does: "Looks for `runbook_url` with an address in this repository at which there is no file.",
        bad: "Somebody is called, follows the link, and finds nothing.",
        example: "yaml" "runbook_url: https://git.example.com/acme/platform/blob/main/docs/runbooks/gone.md",
        fix: "Write the page, or point the alert at one that exists.",
    },
    rule! {
        Warning "prose-drift": "What a page says about its component is not what the manifests say.",
        does: "Compares table rows and labelled lines of a component's page that state a namespace, a version, a port or \
               a dependency with the manifests. It is enough that one environment agrees.",
        bad: "Whoever reads the page acts on what is no longer true.",
        example: "md" "| Chart version | 0.9.11 |   <!-- the release has 0.19.2 -->",
        fix: "Correct the page, or leave the fact out: the component's page shows it from the manifests.",
    },
];
