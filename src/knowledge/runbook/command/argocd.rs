//! The Argo CD command line. Plugins add verbs, so only misplaced subcommands and typos are mistakes.

use super::super::inventory::Inventory;
use super::args::{Args, Flags};
use super::{CommandFault, misspelt, typed, unknown_verb, with};
use base::Severity;
use shell::{Sense, Word};

/// argocd 3 and before.
const VERBS: &[&str] = &[
    "account",
    "admin",
    "app",
    "appset",
    "cert",
    "cluster",
    "completion",
    "configure",
    "context",
    "ctx",
    "gpg",
    "help",
    "login",
    "logout",
    "proj",
    "relogin",
    "repo",
    "repocreds",
    "version",
];

const OF_APP: &[&str] = &[
    "actions",
    "add-source",
    "confirm-deletion",
    "create",
    "delete",
    "delete-resource",
    "diff",
    "edit",
    "get",
    "get-resource",
    "history",
    "list",
    "logs",
    "manifests",
    "patch",
    "patch-resource",
    "remove-source",
    "resources",
    "rollback",
    "set",
    "sync",
    "terminate-op",
    "unset",
    "wait",
];

const FLAGS: Flags = Flags {
    with_value: &[
        "argocd-context",
        "auth-token",
        "client-crt",
        "client-crt-key",
        "config",
        "controller-name",
        "core-context",
        "H",
        "header",
        "kube-context",
        "logformat",
        "loglevel",
        "port-forward-namespace",
        "redis-name",
        "server-crt",
        "server-name",
        "repo-server-name",
        "redis-haproxy-name",
        "redis-compress",
        "http-retry-max",
    ],
    alone: &[
        "core",
        "grpc-web",
        "insecure",
        "plaintext",
        "port-forward",
        "prompts-enabled",
    ],
};

pub fn check(words: &[Word], _: &Inventory<'_>) -> Vec<CommandFault> {
    let args = Args::parse(words, &[&super::kubectl::GLOBAL, &FLAGS]);
    let Some((verb, at)) = args.said(0).zip(args.plain.first().copied()) else {
        return Vec::new();
    };
    if verb == "app" {
        return of_app(&args).into_iter().collect();
    }
    if VERBS.contains(&verb) || args.word(1).is_none() {
        return Vec::new();
    }
    let message = format!("`argocd` has no `{verb}` command");
    if OF_APP.contains(&verb) {
        let mut right = args.words.to_vec();
        right.insert(
            at,
            Word {
                text: "app".to_owned(),
                sense: Sense::Plain,
            },
        );
        let message = format!("{message}, but `argocd app` has one");
        return vec![unknown_verb(Severity::Error, message, Some(typed(&right)))];
    }
    if let Some(near) = misspelt(verb, VERBS) {
        let right = with(args.words, at, near);
        return vec![unknown_verb(Severity::Warning, message, Some(right))];
    }
    const OF_OTHERS: &[&str] = &[
        "restart",
        "apply",
        "describe",
        "scale",
        "reconcile",
        "suspend",
        "resume",
        "refresh",
        "upgrade",
    ];
    if !OF_OTHERS.contains(&verb) {
        return Vec::new();
    }
    let fault = unknown_verb(Severity::Warning, message, None);
    vec![CommandFault {
        help: Some("run `argocd --help` to list its commands".to_owned()),
        ..fault
    }]
}

fn of_app(args: &Args<'_>) -> Option<CommandFault> {
    let verb = args
        .said(1)
        .filter(|verb| args.is_certain && !OF_APP.contains(verb))?;
    let near = misspelt(verb, OF_APP).map(|near| with(args.words, args.plain[1], near));
    let message = format!("`argocd app` has no `{verb}` command");
    let fault = unknown_verb(Severity::Error, message, near);
    Some(match fault.help {
        Some(_) => fault,
        None => CommandFault {
            help: Some(format!("its commands are {}", OF_APP.join(", "))),
            ..fault
        },
    })
}
