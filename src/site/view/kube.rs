//! kubectl contexts of environments, as `catalog.toml` states them, in commands.

use serde::Serialize;

use super::Here;
use crate::catalog::{Component, is_production};

/// An environment with its context.
#[derive(Debug, Clone, Serialize)]
pub struct ContextView {
    pub environment: String,
    pub context: String,
}

/// The contexts of the environments that have a component, production first.
pub fn contexts(here: &Here<'_>, component: &Component) -> Vec<ContextView> {
    let environments = component.environments.iter();
    let stated = environments.filter_map(|environment| {
        Some(ContextView {
            environment: environment.name.clone(),
            context: context(here, &environment.name)?,
        })
    });
    let mut stated: Vec<ContextView> = stated.collect();
    stated.sort_by_key(|one| !is_production(&one.environment));
    stated
}

/// The context of an environment, quoted for a shell.
pub fn context(here: &Here<'_>, environment: &str) -> Option<String> {
    let mut contexts = here.context.config.contexts.iter();
    let stated = contexts.find(|stated| stated.name == environment)?;
    Some(shell::quote(&stated.context).into_owned())
}

/// A command in a context, if its tool has one.
pub fn in_context(command: &str, context: &str) -> String {
    let tools = [
        ("kubectl ", "--context"),
        ("flux ", "--context"),
        ("helm ", "--kube-context"),
    ];
    let found = tools
        .iter()
        .find_map(|(tool, flag)| Some((tool, flag, command.strip_prefix(tool)?)));
    match found {
        Some((tool, flag, rest)) => format!("{tool}{flag} {context} {rest}"),
        None => command.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_tools_that_have_contexts_get_one() {
        assert_eq!(
            in_context("flux suspend kustomization a", "p"),
            "flux --context p suspend kustomization a"
        );
        assert_eq!(in_context("helm list", "p"), "helm --kube-context p list");
        assert_eq!(in_context("argocd app get a", "p"), "argocd app get a");
    }
}
