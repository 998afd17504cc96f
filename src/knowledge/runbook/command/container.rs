//! Containers in commands: `logs deploy/web -c nginx`, `set image deploy/web nginx=nginx:2`. Compared with the containers
//! that the manifest of the workload has.

use super::super::inventory::Inventory;
use super::{CommandFault, with};
use base::Severity;
use shell::Sense;
use shell::args::Args;
use shell::kind::{self, Meant};

/// Containers that admission webhooks put into pods.
const INJECTED: &[&str] = &[
    "istio-proxy",
    "istio-init",
    "istio-validation",
    "linkerd-proxy",
    "linkerd-init",
    "vault-agent",
    "vault-agent-init",
    "cloud-sql-proxy",
    "daprd",
    "envoy",
    "jaeger-agent",
    "otc-container",
];

/// The fault of a container that a workload does not have.
pub fn check(args: &Args<'_>, verb: &str, inventory: &Inventory<'_>) -> Option<CommandFault> {
    let (turn, is_image) = match verb {
        "logs" | "exec" | "attach" | "debug" => (1, false),
        "set" if args.said(1) == Some("image") => (2, true),
        _ => return None,
    };
    let word = args.said(turn)?;
    let (called, name, next) = match word.split_once('/') {
        Some((called, name)) => (called, name, turn + 1),
        None if is_image => (word, args.said(turn + 1)?, turn + 2),
        // Behind `logs`, a word alone is a pod.
        None => ("pod", word, turn + 1),
    };
    let Meant::Kind(kind) = kind::meant(called, inventory.kinds()) else {
        return None;
    };
    // The pods of a StatefulSet are numbered.
    let (kind, name) = match name.rsplit_once('-') {
        Some((set, number)) if kind == "Pod" && number.parse::<u8>().is_ok() => {
            ("StatefulSet".to_owned(), set)
        }
        _ => (kind, name),
    };
    let namespace = args.value(&["n", "namespace"]);
    if let Some((at, _)) = namespace
        && args.words[at].sense != Sense::Plain
    {
        return None;
    }
    let workload = inventory.applied(&kind, namespace.map(|(_, name)| name), name)?;
    let containers = workload.containers();
    if containers.is_empty() {
        return None;
    }
    let fault = |at: usize, said: &str, word: &dyn Fn(&str) -> String| {
        let is_known = containers.iter().any(|own| own == said) || INJECTED.contains(&said);
        if is_known || said == "*" || said.is_empty() || !said.chars().all(is_letter) {
            return None;
        }
        let all: Vec<&str> = containers.iter().map(|own| own.as_str()).collect();
        let near = base::text::nearest(said, &all).or(match all.as_slice() {
            [one] => Some(one),
            _ => None,
        });
        let help = match near {
            Some(near) => format!("did you mean `{}`?", with(args.words, at, &word(near))),
            None => format!("its containers are {}", all.join(", ")),
        };
        Some(CommandFault {
            rule: "command-unknown-name",
            severity: Severity::Warning,
            message: format!("the {kind} `{name}` has no container `{said}`"),
            help: Some(help),
            declared: Some(workload.place),
        })
    };
    if !is_image {
        let (at, said) = args.value(&["c", "container"])?;
        let text = &args.words[at].text;
        let is_plain = args.words[at].sense == Sense::Plain;
        return fault(at, said, &|near| text.replacen(said, near, 1)).filter(|_| is_plain);
    }
    (next..args.plain.len()).find_map(|turn| {
        let (said, image) = args.said(turn)?.split_once('=')?;
        fault(args.plain[turn], said, &|near| format!("{near}={image}"))
    })
}

fn is_letter(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
}
