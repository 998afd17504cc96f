//! The Helm command line. Plugins add verbs, so only verbs of other tools and typos are mistakes.

use super::super::inventory::Inventory;
use super::{CommandFault, misspelt, typed, unknown_verb, with};
use base::Severity;
use shell::Word;
use shell::args::{Args, Flags};

/// helm 3 and 4.
const VERBS: &[&str] = &[
    "completion",
    "create",
    "del",
    "delete",
    "dep",
    "dependencies",
    "dependency",
    "env",
    "fetch",
    "get",
    "help",
    "hist",
    "history",
    "inspect",
    "install",
    "lint",
    "list",
    "ls",
    "package",
    "plugin",
    "pull",
    "push",
    "registry",
    "repo",
    "rollback",
    "search",
    "show",
    "status",
    "template",
    "test",
    "un",
    "uninstall",
    "upgrade",
    "verify",
    "version",
];

const BELOW: &[(&str, &[&str])] = &[
    (
        "get",
        &["all", "hooks", "manifest", "metadata", "notes", "values"],
    ),
    (
        "repo",
        &["add", "index", "list", "ls", "remove", "rm", "update", "up"],
    ),
    ("search", &["hub", "repo"]),
    ("show", &["all", "chart", "crds", "readme", "values"]),
    ("registry", &["login", "logout"]),
    ("dependency", &["build", "list", "ls", "update", "up"]),
];

const FLAGS: Flags = Flags {
    with_value: &[
        "kube-context",
        "kube-token",
        "kube-apiserver",
        "kube-as-user",
        "registry-config",
        "repository-cache",
        "repository-config",
        "burst-limit",
        "qps",
    ],
    alone: &["debug"],
};

/// Verbs of Flux that act on what Helm installed.
const OF_FLUX: &[&str] = &["suspend", "resume", "reconcile"];

/// Verbs of other tools that no known plugin adds.
const OF_OTHERS: &[&str] = &[
    "restart", "apply", "describe", "logs", "scale", "start", "stop", "sync", "update", "remove",
    "rollout", "exec", "patch",
];

pub fn check(words: &[Word], _: &Inventory<'_>) -> Vec<CommandFault> {
    let args = Args::parse(words, &[&super::kubectl::GLOBAL, &FLAGS]);
    let Some((verb, at)) = args.said(0).zip(args.plain.first().copied()) else {
        return Vec::new();
    };
    if args.word(1).is_none() {
        return Vec::new();
    }
    if !VERBS.contains(&verb) {
        return unknown(&args, verb, at).into_iter().collect();
    }
    let below = BELOW.iter().find(|(above, _)| *above == verb);
    let fault = below.and_then(|(_, known)| {
        let said = args
            .said(1)
            .filter(|said| args.is_certain && !known.contains(said))?;
        let near = misspelt(said, known).map(|near| with(args.words, args.plain[1], near));
        let message = format!("`helm {verb}` has no `{said}` command");
        let fault = unknown_verb(Severity::Error, message, near);
        Some(match fault.help {
            Some(_) => fault,
            None => CommandFault {
                help: Some(format!("its commands are {}", known.join(", "))),
                ..fault
            },
        })
    });
    fault.into_iter().collect()
}

fn unknown(args: &Args<'_>, verb: &str, at: usize) -> Option<CommandFault> {
    let message = format!("`helm` has no `{verb}` command");
    if OF_FLUX.contains(&verb) {
        let mut right = args.words.to_vec();
        right[0].text = "flux".to_owned();
        let takes_kind = args
            .said(1)
            .is_some_and(|word| matches!(word, "hr" | "helmrelease"));
        if !takes_kind {
            right.insert(
                at + 1,
                Word {
                    text: "helmrelease".to_owned(),
                    ..Word::default()
                },
            );
        }
        let message = format!("`helm` cannot {verb} a release, but `flux` can");
        return Some(unknown_verb(Severity::Error, message, Some(typed(&right))));
    }
    let is_word = verb.chars().all(|c| c.is_ascii_lowercase());
    match misspelt(verb, VERBS) {
        Some(near) => {
            let right = with(args.words, at, near);
            Some(unknown_verb(Severity::Warning, message, Some(right)))
        }
        // A plugin that nobody here knows may add any other verb.
        None if is_word && OF_OTHERS.contains(&verb) => {
            let fault = unknown_verb(Severity::Warning, message, None);
            Some(CommandFault {
                help: Some("run `helm --help` to list its commands".to_owned()),
                ..fault
            })
        }
        None => None,
    }
}
