//! Checks names in commands against the manifests. Reports only names that the manifests would contain: charts and
//! operators create objects that no manifest lists.

use super::super::inventory::{Inventory, InventoryScope};
use super::{CommandFault, is_slip, typed, with};
use base::Severity;
use base::text::with_article;
use shell::Sense;
use shell::args::Args;

/// An object that a command asks about.
pub struct Asked<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    pub namespace: Option<&'a str>,
    /// Whether the command may be about what is left over, and no manifest has any more.
    pub leftover: Leftover,
    /// The position of the word that has the kind.
    pub kind_at: usize,
    /// The position of the word that has the name.
    pub at: usize,
    /// Returns that word with another name in it.
    pub with_name: &'a dyn Fn(&str) -> String,
}

/// Whether an object that no manifest declares may be what a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftover {
    Unlikely,
    /// It deletes, and what is gone from the manifests may still be there.
    Likely,
}

/// Kinds that a repo writes itself wherever it has all of its units.
const UNITS: &[&str] = &[
    "Kustomization",
    "HelmRelease",
    "GitRepository",
    "HelmRepository",
    "OCIRepository",
];
/// Kinds that charts seldom make, so that one of another name is most likely meant.
const SHARED: &[&str] = &["ClusterSecretStore", "ClusterIssuer"];
/// Kinds that run, and that are all known where a namespace has neither charts nor operators.
const RUNNING: &[&str] = &["Deployment", "StatefulSet", "DaemonSet", "CronJob"];

/// Kinds whose objects controllers make, also where everything that is applied is known.
const MADE: &[&str] = &[
    "Certificate",
    "CertificateRequest",
    "Challenge",
    "CiliumEndpoint",
    "CiliumIdentity",
    "ConfigMap",
    "ControllerRevision",
    "CustomResourceDefinition",
    "Endpoints",
    "EndpointSlice",
    "Event",
    "HelmChart",
    "HorizontalPodAutoscaler",
    "Job",
    "Lease",
    "Node",
    "Order",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "ReplicaSet",
    "Secret",
    "VolumeAttachment",
    "VolumeSnapshot",
    "VolumeSnapshotContent",
];

/// The fault of a name that no cluster has.
pub fn names(
    args: &Args<'_>,
    asked: &Asked<'_>,
    inventory: &Inventory<'_>,
) -> Option<CommandFault> {
    let Asked { kind, name, .. } = *asked;
    if args.words[asked.at].sense != Sense::Plain || !is_name(name) {
        return None;
    }
    // Two groups may have one kind; then neither list is the whole truth.
    let objects: Vec<(&str, &str)> = inventory.objects(kind).collect();
    if objects.is_empty() && !RUNNING.contains(&kind) {
        return None;
    }
    let here: Vec<&str> = objects
        .iter()
        .filter(|(_, own)| *own == name)
        .map(|(space, _)| *space)
        .collect();
    if let Some(namespace) = asked.namespace.filter(|space| is_name(space)) {
        if here
            .iter()
            .any(|space| *space == namespace || space.is_empty())
        {
            return None;
        }
        if !here.is_empty() && is_known(kind, namespace, inventory) {
            return Some(elsewhere(args, asked, namespace, &here));
        }
    }
    if here.is_empty()
        && let Some(fault) = slip(args, asked, inventory, &objects)
    {
        return Some(fault);
    }
    if !here.is_empty() || !is_known(kind, asked.namespace.unwrap_or_default(), inventory) {
        return None;
    }
    if let Some(fault) = other_kind(args, asked, inventory) {
        return Some(fault);
    }
    let is_given = kind == "ServiceAccount" && name == "default";
    if is_given {
        return None;
    }
    let all: Vec<&str> = objects
        .iter()
        .filter(|(space, _)| {
            asked
                .namespace
                .is_none_or(|own| own == *space || space.is_empty())
        })
        .map(|(_, name)| *name)
        .collect();
    let near = nearest(name, &all);
    if near.is_none() && asked.leftover == Leftover::Likely {
        return None;
    }
    let near = near.or_else(|| only(&all));
    let place = asked.namespace.map_or(String::new(), |space| {
        format!(" in the namespace `{space}`")
    });
    let message = format!(
        "no manifest declares {} `{name}`{place}",
        with_article(kind)
    );
    Some(CommandFault {
        rule: "command-unknown-name",
        severity: Severity::Warning,
        message,
        help: near.map(|near| {
            let right = with(args.words, asked.at, &(asked.with_name)(near));
            format!("did you mean `{right}`?")
        }),
        declared: None,
    })
}

/// Kinds that controllers make as well, and whose declared names are misspelt rather than continued by one letter.
const MISSPELT: &[&str] = &["PersistentVolumeClaim", "ConfigMap", "Certificate"];

/// A name that is one slip away from the only one that it can be, of a kind that controllers make, too.
fn slip(
    args: &Args<'_>,
    asked: &Asked<'_>,
    inventory: &Inventory<'_>,
    objects: &[(&str, &str)],
) -> Option<CommandFault> {
    let namespace = asked.namespace?;
    let is_letter = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if !MISSPELT.contains(&asked.kind)
        || !inventory.shows_all_of(namespace)
        || !is_letter(asked.name)
    {
        return None;
    }
    let mut near = objects.iter().filter(|(space, own)| {
        *space == namespace && own.len() == asked.name.len() && is_slip(asked.name, own)
    });
    let (_, right) = near.next().filter(|_| near.next().is_none())?;
    let right = with(args.words, asked.at, &(asked.with_name)(right));
    Some(CommandFault {
        rule: "command-unknown-name",
        severity: Severity::Warning,
        message: format!(
            "no manifest declares {} `{}` in the namespace `{namespace}`",
            with_article(asked.kind),
            asked.name
        ),
        help: Some(format!("did you mean `{right}`?")),
        declared: None,
    })
}

/// A workload of this name that is of another kind.
fn other_kind(
    args: &Args<'_>,
    asked: &Asked<'_>,
    inventory: &Inventory<'_>,
) -> Option<CommandFault> {
    let Asked { kind, name, .. } = *asked;
    let namespace = asked.namespace.filter(|_| RUNNING.contains(&kind))?;
    let others = RUNNING.iter().filter(|other| **other != kind);
    let other = others
        .filter(|other| inventory.objects(other).any(|own| own == (namespace, name)))
        .copied()
        .next()?;
    let word = &args.words[asked.kind_at].text;
    let rest = word.find('/').map_or("", |at| &word[at..]);
    let right = with(
        args.words,
        asked.kind_at,
        &format!("{}{rest}", other.to_lowercase()),
    );
    let declared = inventory.applied(other, Some(namespace), name);
    Some(CommandFault {
        rule: "command-unknown-name",
        severity: Severity::Warning,
        message: format!(
            "`{name}` in the namespace `{namespace}` is {}, not {}",
            with_article(other),
            with_article(kind)
        ),
        help: Some(format!("use `{right}`")),
        declared: declared.map(|object| object.place),
    })
}

fn elsewhere(args: &Args<'_>, asked: &Asked<'_>, namespace: &str, here: &[&str]) -> CommandFault {
    let Asked { kind, name, .. } = *asked;
    let right = here.first().copied().unwrap_or_default();
    let corrected = match args.value(&["n", "namespace"]) {
        Some((at, _)) => {
            let word = &args.words[at].text;
            with(args.words, at, &word.replacen(namespace, right, 1))
        }
        None => format!("{} -n {right}", typed(args.words)),
    };
    let help = Some(format!("use `{corrected}`"));
    CommandFault {
        rule: "command-unknown-name",
        severity: Severity::Warning,
        message: format!("the {kind} `{name}` is in the namespace `{right}`, not in `{namespace}`"),
        help,
        declared: None,
    }
}

/// Whether the manifests would have an object of this kind.
fn is_known(kind: &str, namespace: &str, inventory: &Inventory<'_>) -> bool {
    let is_whole = inventory.view() == InventoryScope::Whole;
    match kind {
        kind if UNITS.contains(&kind) || SHARED.contains(&kind) => is_whole,
        "Namespace" => is_whole,
        kind if MADE.contains(&kind) => false,
        _ => inventory.shows_all_of(namespace),
    }
}

fn only<'a>(all: &[&'a str]) -> Option<&'a str> {
    match all {
        [one] => Some(one),
        _ => None,
    }
}

/// The fault of a namespace that the manifests do not have.
pub fn namespace(
    args: &Args<'_>,
    flags: &[&str],
    inventory: &Inventory<'_>,
) -> Option<CommandFault> {
    let (at, name) = args.value(flags)?;
    if args.words[at].sense != Sense::Plain || !is_name(name) || inventory.has_namespace(name) {
        return None;
    }
    let all: Vec<&str> = inventory.namespaces().collect();
    let near = nearest(name, &all);
    if inventory.view() == InventoryScope::Part && near.is_none() {
        return None;
    }
    let message = format!("no manifest uses a namespace `{name}`");
    Some(CommandFault {
        rule: "command-unknown-namespace",
        severity: Severity::Warning,
        message,
        help: near.map(|near| {
            let word = &args.words[at].text;
            format!(
                "did you mean `{}`?",
                with(args.words, at, &word.replacen(name, near, 1))
            )
        }),
        declared: None,
    })
}

/// Labels that manifests name pods by.
const NAMING_LABELS: &[&str] = &["app", "app.kubernetes.io/name", "k8s-app"];

/// The fault of a label that no pod of a namespace has, where all pods there are known.
pub fn selector(args: &Args<'_>, verb: &str, inventory: &Inventory<'_>) -> Option<CommandFault> {
    let (at, said) = args.value(&["l", "selector"])?;
    let (_, namespace) = args.value(&["n", "namespace"])?;
    let asks_pods = verb == "logs"
        || verb == "top"
        || args
            .said(1)
            .is_some_and(|word| matches!(word, "pod" | "pods" | "po"));
    let is_plain = args.words[at].sense == Sense::Plain;
    if !asks_pods || !is_plain || !inventory.shows_all_of(namespace) {
        return None;
    }
    for pair in said.split(',') {
        let (key, value) = pair.split_once("==").or_else(|| pair.split_once('='))?;
        if key.ends_with('!') || key.contains(' ') {
            return None;
        }
        let mut labels = inventory.labels(namespace);
        if labels.any(|label| label == (key, value)) {
            continue;
        }
        let values: Vec<&str> = inventory
            .labels(namespace)
            .filter(|(own, _)| *own == key)
            .map(|(_, value)| value)
            .collect();
        // A key that no pod has at all may be added by something that is not in the manifests, unless it is one that
        // people give to pods themselves.
        let has_pods = inventory.labels(namespace).next().is_some();
        if values.is_empty() && !(has_pods && NAMING_LABELS.contains(&key)) {
            return None;
        }
        let near = nearest(value, &values).or_else(|| only(&values));
        // The same value may be that of another label.
        let other = || {
            let mut named = inventory
                .labels(namespace)
                .filter(|(key, own)| *own == value && NAMING_LABELS.contains(key));
            named.next()
        };
        let meant = near.map(|near| (key, near)).or_else(other);
        return Some(CommandFault {
            rule: "command-unknown-label",
            severity: Severity::Warning,
            message: format!("no pod in `{namespace}` has the label `{key}={value}`"),
            help: meant.map(|(key, near)| {
                let word = &args.words[at].text;
                let right = word.replacen(pair, &format!("{key}={near}"), 1);
                format!("did you mean `{}`?", with(args.words, at, &right))
            }),
            declared: None,
        });
    }
    None
}

/// Whether a word can be a name, not a placeholder for one.
fn is_name(word: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let stands_for_one = [
        "my-",
        "your-",
        "foo",
        "bar",
        "example",
        "name",
        "namespace",
        "xxx",
        "some-",
    ];
    !word.is_empty()
        && word.chars().all(is_inside)
        && !word.starts_with(['-', '.'])
        && !word.ends_with(['-', '.'])
        && !stands_for_one.iter().any(|other| word.starts_with(other))
}

/// The most similar name. Skipped for very long lists.
fn nearest<'a>(name: &str, all: &[&'a str]) -> Option<&'a str> {
    const MOST: usize = 2_000;
    match all.len() {
        0..=MOST => base::text::nearest(name, all),
        _ => None,
    }
}
