//! The Flux command line. Before version 2.8 no plugin can add verbs, so all verbs are known.

use super::super::inventory::Inventory;
use super::name::{Asked, Leftover, names, namespace};
use super::{CommandFault, misspelt, typed, unknown_verb, with};
use base::Severity;
use shell::Word;
use shell::args::{Args, Flags};

/// flux 2.7 and before.
const VERBS: &[&str] = &[
    "bootstrap",
    "build",
    "check",
    "completion",
    "create",
    "debug",
    "delete",
    "diff",
    "envsubst",
    "events",
    "export",
    "get",
    "help",
    "install",
    "list",
    "logs",
    "migrate",
    "operator",
    "plugin",
    "pull",
    "push",
    "reconcile",
    "resume",
    "stats",
    "suspend",
    "tag",
    "trace",
    "tree",
    "uninstall",
    "version",
];

/// Verbs of other tools that people type here.
const OF_KUBECTL: &[&str] = &[
    "describe", "edit", "apply", "rollout", "scale", "exec", "patch",
];

/// The words that verbs take for kinds.
const KINDS: &[&str] = &[
    "alert",
    "alerts",
    "alert-provider",
    "alert-providers",
    "all",
    "artifact",
    "artifacts",
    "helmrelease",
    "helmreleases",
    "hr",
    "image",
    "images",
    "kustomization",
    "kustomizations",
    "ks",
    "receiver",
    "receivers",
    "source",
    "sources",
];

const SOURCES: &[&str] = &["all", "bucket", "chart", "external", "git", "helm", "oci"];
const IMAGES: &[&str] = &["all", "policy", "repository", "update"];

/// Verbs that act on an object of a kind.
const ON_OBJECTS: &[&str] = &["get", "suspend", "resume", "reconcile", "export", "delete"];

/// Kinds that go by words of Flux.
const CALLED: &[(&str, &str)] = &[
    ("Kustomization", "kustomization"),
    ("HelmRelease", "helmrelease"),
    ("GitRepository", "source git"),
    ("HelmRepository", "source helm"),
    ("HelmChart", "source chart"),
    ("OCIRepository", "source oci"),
    ("Bucket", "source bucket"),
    ("ImageRepository", "image repository"),
    ("ImageUpdateAutomation", "image update"),
    ("Receiver", "receiver"),
    ("Alert", "alert"),
];

const FLAGS: Flags = Flags {
    with_value: &[
        "timeout",
        "o",
        "output",
        "path",
        "kind",
        "status-selector",
        "label-selector",
        "l",
        "since",
        "tail",
        "level",
        "flux-namespace",
        "interval",
        "with-source-timeout",
        "for",
        "file",
        "f",
        "kustomization-file",
        "ignore-paths",
        "export-secret-file",
        "api-version",
        "kube-api-qps",
        "kube-api-burst",
        "local-sources",
    ],
    alone: &[
        "A",
        "all-namespaces",
        "all",
        "with-source",
        "force",
        "reset",
        "w",
        "watch",
        "verbose",
        "no-header",
        "silent",
        "s",
        "show-values",
        "show-vars",
        "dry-run",
        "export",
        "wait",
        "compact",
        "follow",
        "with-secret",
        "recursive",
        "strict-substitute",
        "progress-bar",
        "pre",
        "client",
    ],
};

/// The Flux CLI name of a kind.
pub fn called(kind: &str) -> Option<&'static str> {
    let known = CALLED.iter().find(|(own, _)| *own == kind);
    known.map(|(_, called)| *called)
}

pub fn check(words: &[Word], inventory: &Inventory<'_>) -> Vec<CommandFault> {
    let args = Args::parse(words, &[&super::kubectl::GLOBAL, &FLAGS]);
    let Some(verb) = args.said(0) else {
        return Vec::new();
    };
    if !VERBS.contains(&verb) {
        return unknown(&args, verb).into_iter().collect();
    }
    let mut faults: Vec<CommandFault> = Vec::new();
    if ON_OBJECTS.contains(&verb) {
        if let Some(fault) = kind(&args, verb) {
            return vec![fault];
        }
        faults.extend(namespace(&args, &["n", "namespace"], inventory));
        if faults.is_empty() && args.is_certain && verb != "delete" {
            faults.extend(named(&args, inventory));
        }
    }
    faults
}

fn unknown(args: &Args<'_>, verb: &str) -> Option<CommandFault> {
    let at = *args.plain.first()?;
    // A word alone may be talk about Flux.
    args.word(1)?;
    let message = format!("`flux` has no `{verb}` command");
    if OF_KUBECTL.contains(&verb) {
        let mut right = args.words.to_vec();
        right[0].text = "kubectl".to_owned();
        let message = format!("{message}, but `kubectl` has one");
        return Some(unknown_verb(Severity::Error, message, Some(typed(&right))));
    }
    // The others have a verb for what people mean.
    let right = match (verb, misspelt(verb, VERBS)) {
        (_, Some(near)) => Some(near),
        ("sync" | "refresh" | "restart" | "apply", None) => Some("reconcile"),
        ("pause" | "stop", None) => Some("suspend"),
        ("unpause" | "start", None) => Some("resume"),
        ("status" | "ls", None) => Some("get"),
        _ => None,
    };
    let right = right.map(|right| with(args.words, at, right));
    let fault = unknown_verb(Severity::Error, message, right);
    Some(match fault.help {
        Some(_) => fault,
        None => CommandFault {
            help: Some("run `flux --help` to list its commands".to_owned()),
            ..fault
        },
    })
}

/// A kind that the verb does not take.
fn kind(args: &Args<'_>, verb: &str) -> Option<CommandFault> {
    let word = args.said(1)?;
    // What stands for the rest of a command is no kind.
    if word.contains("...") || word.contains('…') {
        return None;
    }
    let unknown = |word: &str, turn: usize, known: &[&str]| {
        let near = misspelt(word, known).or_else(|| meant(word));
        CommandFault {
            rule: "command-unknown-resource",
            severity: Severity::Error,
            message: format!("`flux {verb}` does not accept `{word}`"),
            help: Some(match near {
                Some(near) => {
                    let right = with(args.words, args.plain[turn], near);
                    format!("use `{}`", right.replace(&format!("'{near}'"), near))
                }
                None => format!("it accepts {}", known.join(", ")),
            }),
            declared: None,
        }
    };
    if !KINDS.contains(&word) {
        return Some(unknown(word, 1, KINDS));
    }
    let below = match word {
        "source" | "sources" => SOURCES,
        "image" | "images" => IMAGES,
        _ => return None,
    };
    let word = args.said(2)?;
    (!below.contains(&word)).then(|| unknown(word, 2, below))
}

/// The Flux CLI name for a Kubernetes resource word: `flux get gitrepository` is `flux get source git`.
fn meant(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let singular = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let singular = singular.as_deref().unwrap_or(word.trim_end_matches('s'));
    let mut known = CALLED.iter();
    known.find_map(|(kind, called)| (kind.to_ascii_lowercase() == singular).then_some(*called))
}

/// Where `flux` looks for objects if no namespace is given.
const OWN_NAMESPACE: &str = "flux-system";

fn named(args: &Args<'_>, inventory: &Inventory<'_>) -> Option<CommandFault> {
    let (kind, turn) = match (args.said(1)?, args.said(2)) {
        ("kustomization" | "kustomizations" | "ks", _) => ("Kustomization", 2),
        ("helmrelease" | "helmreleases" | "hr", _) => ("HelmRelease", 2),
        ("source" | "sources", Some("git")) => ("GitRepository", 3),
        ("source" | "sources", Some("helm")) => ("HelmRepository", 3),
        ("source" | "sources", Some("oci")) => ("OCIRepository", 3),
        _ => return None,
    };
    let stated = args.value(&["n", "namespace"]).map(|(_, name)| name);
    let name = args.said(turn)?;
    // Without one, Flux looks in its own: what is elsewhere is not found.
    let is_everywhere = args.has(&["A", "all-namespaces"]);
    let is_declared = || inventory.objects(kind).any(|(_, own)| own == name);
    let own = (!is_everywhere && is_declared()).then_some(OWN_NAMESPACE);
    let asked = Asked {
        kind,
        name,
        namespace: stated.or(own),
        leftover: Leftover::Unlikely,
        kind_at: args.plain[turn],
        at: args.plain[turn],
        with_name: &str::to_owned,
    };
    names(args, &asked, inventory)
}
