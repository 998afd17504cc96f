//! The kubectl command line. Plugins add verbs, so an unknown verb is a mistake only if it belongs to another tool or
//! is a typo.

use super::super::inventory::Inventory;
use super::name::{Asked, Leftover, names, namespace, selector};
use super::{CommandFault, container, misspelt, typed, unknown_verb, with};
use base::Severity;
use shell::args::Args;
use shell::kind::{self, Meant};
use shell::kubectl::table::{ASKING, BELOW, INSTEAD, OF_FLUX, PLUGINS, VERBS};
pub use shell::kubectl::table::{COMMON, GLOBAL};
use shell::{Sense, Word};

pub fn check(words: &[Word], inventory: &Inventory<'_>) -> Vec<CommandFault> {
    let args = Args::parse(words, &[&GLOBAL, &COMMON]);
    let Some(verb) = args.said(0) else {
        return Vec::new();
    };
    // `-n` is the namespace for kubectl itself, and `-p` of logs has no value; what is not sure is not used below.
    if !VERBS.contains(&verb) {
        return unknown(&args, verb, inventory).into_iter().collect();
    }
    if let Some(fault) = below(&args, verb) {
        return vec![fault];
    }
    let mut faults: Vec<CommandFault> = Vec::new();
    if ASKING.contains(&verb) || verb == "top" {
        faults.extend(namespace(&args, &["n", "namespace"], inventory));
    }
    if ASKING.contains(&verb) && args.is_certain {
        faults.extend(objects(&args, verb, inventory));
    }
    if verb == "delete" && args.is_certain {
        let fault = resource(&args, 1, inventory);
        let fault = fault.or_else(|| named(&args, 1, verb, inventory));
        faults.extend(fault);
    }
    if verb == "create" {
        faults.extend(job_of(&args, inventory));
    }
    if faults.is_empty() {
        faults.extend(container::check(&args, verb, inventory));
    }
    if faults.is_empty() {
        faults.extend(selector(&args, verb, inventory));
    }
    faults
}

/// A verb that is not kubectl's.
fn unknown(args: &Args<'_>, verb: &str, inventory: &Inventory<'_>) -> Option<CommandFault> {
    let at = *args.plain.first()?;
    let word = args.said(1)?;
    let (called, name) = word.split_once('/').unwrap_or((word, ""));
    let kind = match kind::meant(called, inventory.kinds()) {
        Meant::Kind(kind) => kind,
        Meant::Several => String::new(),
        Meant::Unknown => return misspelt_verb(args, at, verb),
    };
    if OF_FLUX.contains(&verb) {
        if let Some(called) = super::flux::called(&kind) {
            let mut right = args.words.to_vec();
            right[0].text = "flux".to_owned();
            let at = args.plain[1];
            right[at].text = called.to_owned();
            if !name.is_empty() {
                right.insert(
                    at + 1,
                    Word {
                        text: name.to_owned(),
                        sense: Sense::Plain,
                    },
                );
            }
            // `flux suspend source git`: a kind of two words.
            let right = typed(&right).replace(&format!("'{called}'"), called);
            let message = format!("`kubectl` cannot {verb} a {kind}, but `flux` can");
            return Some(unknown_verb(Severity::Error, message, Some(right)));
        }
        if kind == "CronJob" && verb != "reconcile" {
            let state = verb == "suspend";
            let name = match name {
                "" => args.word(2).map_or("<name>", |word| word.text.as_str()),
                name => name,
            };
            let space = args.value(&["n", "namespace"]);
            let space = space.map_or(String::new(), |(_, space)| format!("-n {space} "));
            let right = format!(
                "kubectl {space}patch cronjob {name} -p '{{\"spec\":{{\"suspend\":{state}}}}}'"
            );
            let message = format!("`kubectl` has no `{verb}` command; patch the CronJob instead");
            return Some(unknown_verb(Severity::Error, message, Some(right)));
        }
        return None;
    }
    let instead = INSTEAD.iter().find(|(wrong, kinds, _)| {
        *wrong == verb && (kinds.is_empty() || kinds.contains(&kind.as_str()))
    });
    if let Some((_, _, right)) = instead {
        let message = format!("`kubectl` has no `{verb}` command");
        let right = with(args.words, at, right).replace(&format!("'{right}'"), right);
        return Some(unknown_verb(Severity::Warning, message, Some(right)));
    }
    misspelt_verb(args, at, verb)
}

fn misspelt_verb(args: &Args<'_>, at: usize, verb: &str) -> Option<CommandFault> {
    let near = misspelt(verb, VERBS).filter(|_| !PLUGINS.contains(&verb))?;
    let message = format!("`kubectl` has no `{verb}` command");
    Some(unknown_verb(
        Severity::Warning,
        message,
        Some(with(args.words, at, near)),
    ))
}

/// A verb below another that is not there.
fn below(args: &Args<'_>, verb: &str) -> Option<CommandFault> {
    let (_, known) = BELOW.iter().find(|(above, _)| *above == verb)?;
    let below = args.said(1).filter(|_| args.is_certain)?;
    if known.contains(&below) {
        return None;
    }
    let near = misspelt(below, known).map(|near| with(args.words, args.plain[1], near));
    let message = format!("`kubectl {verb}` has no `{below}` command");
    let fault = unknown_verb(Severity::Error, message, near);
    Some(match fault.help {
        Some(_) => fault,
        None => CommandFault {
            help: Some(format!("its commands are {}", known.join(", "))),
            ..fault
        },
    })
}

/// The kinds and names that a verb is asked about.
fn objects(args: &Args<'_>, verb: &str, inventory: &Inventory<'_>) -> Option<CommandFault> {
    // These take a kind behind a verb of their own.
    let turn = match verb {
        "rollout" | "set" => 2,
        "logs" | "exec" | "port-forward" | "attach" | "debug" | "cp" | "events" => {
            return bare(args, inventory);
        }
        _ => 1,
    };
    // With a file, the kinds and names are in that file.
    if args.has(&["f", "filename", "k", "kustomize", "raw"]) {
        return None;
    }
    resource(args, turn, inventory).or_else(|| named(args, turn, verb, inventory))
}

/// `logs deployment/x`: a word without a kind is a pod, and pod names are generated.
fn bare(args: &Args<'_>, inventory: &Inventory<'_>) -> Option<CommandFault> {
    let word = args.said(1)?;
    let (called, name) = word.split_once('/')?;
    let Meant::Kind(kind) = kind::meant(called, inventory.kinds()) else {
        return None;
    };
    let asked = Asked {
        kind: &kind,
        name,
        namespace: args.value(&["n", "namespace"]).map(|(_, name)| name),
        leftover: Leftover::Unlikely,
        kind_at: args.plain[1],
        at: args.plain[1],
        with_name: &|name| format!("{called}/{name}"),
    };
    names(args, &asked, inventory)
}

/// `create job --from=cronjob/nightly now`: the CronJob must be there.
fn job_of(args: &Args<'_>, inventory: &Inventory<'_>) -> Option<CommandFault> {
    let (at, from) = args
        .value(&["from"])
        .filter(|_| args.said(1) == Some("job"))?;
    let (called, name) = from.split_once('/')?;
    let asked = Asked {
        kind: "CronJob",
        name,
        namespace: args.value(&["n", "namespace"]).map(|(_, name)| name),
        leftover: Leftover::Unlikely,
        kind_at: at,
        at,
        with_name: &|name| format!("--from={called}/{name}"),
    };
    names(args, &asked, inventory).filter(|_| matches!(called, "cronjob" | "cj" | "cronjobs"))
}

/// Reports an unknown kind that resembles a known one.
fn resource(args: &Args<'_>, turn: usize, inventory: &Inventory<'_>) -> Option<CommandFault> {
    let word = args.said(turn)?;
    let called = word.split('/').next().unwrap_or_default();
    if called.contains('.') || kind::meant(called, inventory.kinds()) != Meant::Unknown {
        return None;
    }
    let words = kind::words(inventory.kinds());
    let known: Vec<&str> = words.iter().map(String::as_str).collect();
    let near = misspelt(&called.to_ascii_lowercase(), &known)?;
    let right = word.replacen(called, near, 1);
    Some(CommandFault {
        rule: "command-unknown-resource",
        severity: Severity::Warning,
        message: format!("there is no kind `{called}`"),
        help: Some(format!(
            "use `{}`",
            with(args.words, args.plain[turn], &right)
        )),
        declared: None,
    })
}

/// `get helmrelease a b`, `get helmrelease/a`.
fn named(
    args: &Args<'_>,
    turn: usize,
    verb: &str,
    inventory: &Inventory<'_>,
) -> Option<CommandFault> {
    let word = args.said(turn)?;
    let namespace = args.value(&["n", "namespace"]).map(|(_, name)| name);
    let leftover = match verb {
        "delete" => Leftover::Likely,
        _ => Leftover::Unlikely,
    };
    if let Some((called, name)) = word.split_once('/') {
        let Meant::Kind(kind) = kind::meant(called, inventory.kinds()) else {
            return None;
        };
        let asked = Asked {
            kind: &kind,
            name,
            namespace,
            leftover,
            kind_at: args.plain[turn],
            at: args.plain[turn],
            with_name: &|name| format!("{called}/{name}"),
        };
        return names(args, &asked, inventory);
    }
    let Meant::Kind(kind) = kind::meant(word, inventory.kinds()) else {
        return None;
    };
    // Behind the first name, what labels, patches or scales may have words of its own.
    let most = if matches!(verb, "get" | "describe") {
        usize::MAX
    } else {
        1
    };
    let kind_at = args.plain[turn];
    let turns = (turn + 1..args.plain.len()).take(most);
    turns.into_iter().find_map(|turn| {
        let asked = Asked {
            kind: &kind,
            name: args.said(turn)?,
            namespace,
            leftover,
            kind_at,
            at: args.plain[turn],
            with_name: &str::to_owned,
        };
        names(args, &asked, inventory)
    })
}
