//! The objects that commands name, whatever the commands do with them.

use std::collections::BTreeSet;

use super::{MOST_COMMANDS, TOOLS, kubectl, tool};
use shell::Sense;
use shell::args::Args;
use shell::kind::{self, Meant};

/// An object or a namespace as a command names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedObject {
    pub kind: Option<String>,
    pub name: Option<String>,
    pub namespace: Option<String>,
}

/// What the commands of a text name, one entry for each command that names anything.
pub fn named_objects(text: &str, kinds: &BTreeSet<&str>) -> Vec<NamedObject> {
    let is_any = TOOLS.iter().any(|tool| text.contains(tool.name));
    if !is_any {
        return Vec::new();
    }
    let pipelines = shell::pipelines(text).into_iter();
    let mut found = Vec::new();
    for command in pipelines
        .take(MOST_COMMANDS)
        .flat_map(|pipeline| pipeline.commands)
    {
        let Some((tool, words)) = tool(&command) else {
            continue;
        };
        let args = Args::parse(words, &[&kubectl::GLOBAL, &kubectl::COMMON]);
        let namespace = args
            .value(&["n", "namespace"])
            .filter(|(at, _)| words[*at].sense == Sense::Plain)
            .map(|(_, name)| name.to_owned());
        let meant = |called: &str| match kind::meant(called, kinds.iter().copied()) {
            Meant::Kind(kind) => Some(kind),
            Meant::Several | Meant::Unknown => None,
        };
        // Behind the verb, the first word that is a kind, and the name after it.
        let mut object = None;
        for turn in 1..args.plain.len().min(4) {
            let Some(word) = args.said(turn) else { break };
            let (called, joined) = match word.split_once('/') {
                Some((called, name)) => (called, Some(name)),
                None => (word, None),
            };
            if let Some(kind) = meant(called) {
                let name = joined.or_else(|| args.said(turn + 1)).map(str::to_owned);
                object = Some((kind, name));
                break;
            }
        }
        // `helm status web`, `argocd app get web`: the name of a release or an Application.
        let by_tool = || match (tool.name, args.said(1), args.said(2)) {
            ("helm", Some(name), _) => Some(("HelmRelease".to_owned(), Some(name.to_owned()))),
            ("argocd", _, Some(name)) => Some(("Application".to_owned(), Some(name.to_owned()))),
            _ => None,
        };
        let object = object.or_else(by_tool);
        if object.is_none() && namespace.is_none() {
            continue;
        }
        let (kind, name) = object.map_or((None, None), |(kind, name)| (Some(kind), name));
        found.push(NamedObject {
            kind,
            name,
            namespace,
        });
    }
    found
}
