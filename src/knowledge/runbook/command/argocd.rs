//! The Argo CD command line. Plugins add verbs, so only misplaced subcommands and typos are mistakes.

use super::super::inventory::{Inventory, InventoryScope};
use super::{CommandFault, misspelt, typed, unknown_verb, with};
use base::Severity;
use shell::args::{Args, Flags};
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
        "N",
        "app-namespace",
        "l",
        "o",
        "output",
        "resource",
        "revision",
        "selector",
        "timeout",
    ],
    alone: &[
        "async",
        "core",
        "dry-run",
        "force",
        "hard-refresh",
        "health",
        "prune",
        "refresh",
        "sync",
        "grpc-web",
        "insecure",
        "plaintext",
        "port-forward",
        "prompts-enabled",
    ],
};

/// Verbs that take the name of an Application.
const ON_APP: &[&str] = &[
    "diff",
    "get",
    "history",
    "logs",
    "manifests",
    "resources",
    "rollback",
    "set",
    "sync",
    "terminate-op",
    "unset",
    "wait",
];

/// What people call a verb that takes another word.
const INSTEAD: &[(&str, &str)] = &[
    ("application", "app"),
    ("applications", "app"),
    ("apps", "app"),
    ("applicationset", "appset"),
    ("project", "proj"),
    ("projects", "proj"),
    ("repository", "repo"),
    ("clusters", "cluster"),
];

pub fn check(words: &[Word], inventory: &Inventory<'_>) -> Vec<CommandFault> {
    let args = Args::parse(words, &[&super::kubectl::GLOBAL, &FLAGS]);
    let Some((verb, at)) = args.said(0).zip(args.plain.first().copied()) else {
        return Vec::new();
    };
    if verb == "app" {
        let fault = of_app(&args).or_else(|| named(&args, inventory));
        return fault.into_iter().collect();
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
    let instead = INSTEAD.iter().find(|(wrong, _)| *wrong == verb);
    let instead = instead.map(|(_, right)| *right);
    if let Some(near) = instead.or_else(|| misspelt(verb, VERBS)) {
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

/// An Application whose name is near to one that is declared, and is not declared itself. Others may be made by hand.
fn named(args: &Args<'_>, inventory: &Inventory<'_>) -> Option<CommandFault> {
    let said = args
        .said(2)
        .filter(|_| args.is_certain && args.said(1).is_some_and(|verb| ON_APP.contains(&verb)))?;
    let (before, name) = match said.split_once('/') {
        Some((namespace, name)) => (format!("{namespace}/"), name),
        None => (String::new(), said),
    };
    let all: Vec<&str> = inventory
        .objects("Application")
        .map(|(_, name)| name)
        .collect();
    if inventory.view() != InventoryScope::Whole || all.contains(&name) {
        return None;
    }
    // `web-1` and `web-2` are two.
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let near = misspelt(name, &all).filter(|near| digits(near) == digits(name))?;
    Some(CommandFault {
        rule: "command-unknown-name",
        severity: Severity::Warning,
        message: format!("no manifest declares an Application `{name}`"),
        help: Some(format!(
            "did you mean `{}`?",
            with(args.words, args.plain[2], &format!("{before}{near}"))
        )),
        declared: None,
    })
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
