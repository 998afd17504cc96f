//! Commands that change an object which a reconciler applies: the change lasts until the next reconciliation. Reported
//! only if the manifest sets what the command changes, and nothing on the page was suspended before.

use super::super::inventory::{AppliedObject, Inventory};
use super::{CommandFault, Reconciling};
use crate::catalog::UnitView;
use crate::sources::{self, Verb};
use base::Severity;
use shell::args::{Args, Flags};
use shell::kind::{self, Meant};
use shell::{Sense, Word};

const PATCH: Flags = Flags {
    with_value: &[
        "p",
        "patch",
        "type",
        "patch-file",
        "replicas",
        "current-replicas",
        "c",
        "containers",
    ],
    alone: &["local", "record"],
};

/// Whether reconcilers are at work after a command.
pub fn after(tool: &str, words: &[Word], before: Reconciling) -> Reconciling {
    let has = |text: &str| words.iter().any(|word| word.text == text);
    let says = |text: &str| {
        words
            .iter()
            .any(|word| word.text.replace(' ', "").contains(text))
    };
    let is_suspended = match tool {
        "flux" => has("suspend"),
        "argocd" => has("unset") || says("--sync-policy=none") || has("none") || has("manual"),
        "kubectl" => {
            let off = [
                "\"suspend\":true",
                "\"automated\":null",
                "\"syncPolicy\":null",
                "\"selfHeal\":false",
            ];
            off.iter().any(|off| says(off)) || has("--replicas=0") && says("controller")
        }
        _ => false,
    };
    let is_resumed = match tool {
        "flux" => has("resume"),
        "argocd" => has("automated") || has("auto"),
        "kubectl" => says("\"suspend\":false") || says("\"selfHeal\":true"),
        _ => false,
    };
    match (is_suspended, is_resumed) {
        (true, _) => Reconciling::Suspended,
        (_, true) => Reconciling::Active,
        _ => before,
    }
}

/// Whether a text tells that changes are put back, or how to keep that from happening: then the reader knows.
pub fn is_told(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = [
        "selfheal",
        "self-heal",
        "auto-sync",
        "autosync",
        "suspend",
        "revert",
        "drift",
    ];
    words.iter().any(|word| lower.contains(word))
}

/// The fault of a command whose change is put back.
pub fn reverted(tool: &str, words: &[Word], inventory: &Inventory<'_>) -> Option<CommandFault> {
    match tool {
        "kubectl" => of_kubectl(words, inventory),
        "helm" => of_helm(words, inventory),
        _ => None,
    }
}

fn of_kubectl(words: &[Word], inventory: &Inventory<'_>) -> Option<CommandFault> {
    let args = Args::parse(
        words,
        &[&super::kubectl::GLOBAL, &super::kubectl::COMMON, &PATCH],
    );
    let is_dry = args
        .value(&["dry-run"])
        .is_some_and(|(_, how)| how != "none");
    if is_dry || args.has(&["f", "filename", "k", "kustomize", "local", "subresource"]) {
        return None;
    }
    let verb = args.said(0)?;
    let (turn, change) = match verb {
        "scale" => (1, ChangedFields::Replicas),
        "edit" => (1, ChangedFields::Anything),
        "patch" => (1, ChangedFields::Anything),
        "set" => match args.said(1)? {
            "image" | "resources" => (2, ChangedFields::Anything),
            _ => return None,
        },
        _ => return None,
    };
    if verb == "patch" && !changes_spec(args.value(&["p", "patch"])?.1) {
        return None;
    }
    let (kind, name) = object(&args, turn, inventory)?;
    let namespace = args.value(&["n", "namespace"]);
    if let Some((at, _)) = namespace
        && words[at].sense != Sense::Plain
    {
        return None;
    }
    let object = inventory.applied(&kind, namespace.map(|(_, name)| name), name)?;
    if change == ChangedFields::Replicas && !object.sets_replicas() {
        return None;
    }
    Some(fault(&kind, name, &object))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangedFields {
    Replicas,
    Anything,
}

/// The kind and name of what a command changes: `deploy/web`, `deployment web`.
fn object<'w>(
    args: &Args<'w>,
    turn: usize,
    inventory: &Inventory<'_>,
) -> Option<(String, &'w str)> {
    let word = args.said(turn)?;
    let (called, name) = match word.split_once('/') {
        Some((called, name)) => (called, name),
        None => (word, args.said(turn + 1)?),
    };
    match kind::meant(called, inventory.kinds()) {
        Meant::Kind(kind) => Some((kind, name)),
        Meant::Several | Meant::Unknown => None,
    }
}

/// Whether a patch changes what manifests set: not a finalizer, a suspension or an annotation of its own.
fn changes_spec(patch: &str) -> bool {
    let bare: String = patch.chars().filter(|c| !c.is_whitespace()).collect();
    let kept = [
        "suspend",
        "finalizers",
        "paused",
        "ownerReferences",
        "annotations",
        "labels",
        "op:remove",
        "\"op\":\"remove\"",
    ];
    let sets = [
        "\"replicas\"",
        "\"image\"",
        "\"resources\"",
        "\"containers\"",
        "/replicas",
        "/image",
        "/resources",
        "replicas:",
        "image:",
    ];
    !kept.iter().any(|word| bare.contains(word)) && sets.iter().any(|word| bare.contains(word))
}

fn fault(kind: &str, name: &str, object: &AppliedObject<'_>) -> CommandFault {
    let unit = object.unit;
    let when = if object.is_of_chart {
        "the next upgrade of its release reverts this".to_owned()
    } else {
        format!("{} reverts this", unit.id)
    };
    CommandFault {
        rule: "command-reverted",
        severity: Severity::Warning,
        message: format!("{when}: the {kind} `{name}` is declared in the repository"),
        help: Some(right_way(unit, "change the manifest")),
        declared: Some(object.place),
    }
}

/// Change what is declared, or suspend its unit first.
fn right_way(unit: &UnitView, change: &str) -> String {
    match sources::command(&unit.id, unit.sync_policy, Verb::Suspend) {
        Some(suspend) => format!("{change}, or suspend the reconciler first: `{suspend}`"),
        None => change.to_owned(),
    }
}

const HELM: Flags = Flags {
    with_value: &[
        "n",
        "namespace",
        "f",
        "values",
        "set",
        "set-string",
        "set-file",
        "version",
        "timeout",
        "kube-context",
        "kubeconfig",
        "repo",
        "history-max",
    ],
    alone: &[
        "install",
        "i",
        "wait",
        "atomic",
        "reuse-values",
        "reset-values",
        "force",
        "debug",
        "dry-run",
        "create-namespace",
        "cleanup-on-fail",
        "no-hooks",
        "devel",
    ],
};

/// `helm upgrade` of a release that a unit installs. With `--install`, it may be what comes before the reconciler.
fn of_helm(words: &[Word], inventory: &Inventory<'_>) -> Option<CommandFault> {
    let args = Args::parse(words, &[&HELM]);
    let verb = args.said(0)?;
    let is_change = matches!(verb, "upgrade" | "rollback");
    if !is_change || args.has(&["install", "i", "dry-run"]) || !args.is_certain {
        return None;
    }
    let name = args.said(1)?;
    let namespace = args.value(&["n", "namespace"]);
    if let Some((at, _)) = namespace
        && words[at].sense != Sense::Plain
    {
        return None;
    }
    let unit = inventory.release(name, namespace.map(|(_, name)| name))?;
    let change = match verb {
        "upgrade" => "change its version or values in the manifest",
        _ => "revert the commit that changed it",
    };
    Some(CommandFault {
        rule: "command-reverted",
        severity: Severity::Warning,
        message: format!(
            "{} upgrades the release `{name}` again, and undoes this",
            unit.id
        ),
        help: Some(right_way(unit, change)),
        declared: Some(unit.place),
    })
}
