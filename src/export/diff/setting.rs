//! Compares settings per environment. Secret values are not known here, so a secret is only reported as added or removed.
//! A component's first settings in a new environment are left out: the new environment is the change.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::Change;
use crate::catalog::{Component, Setting};

/// A setting in one environment.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct SettingChange {
    pub name: String,
    pub environment: String,
    pub change: Change,
    /// Whether it is secret in either version. Values of secrets are never included.
    pub secret: bool,
    pub before: Option<String>,
    pub after: Option<String>,
}

pub fn changes(then: &Component, now: &Component) -> Vec<SettingChange> {
    let by_name = |settings: &'_ [Setting]| -> BTreeMap<String, Setting> {
        let all = settings.iter();
        all.map(|one| (one.name.to_string(), one.clone())).collect()
    };
    let (before, after) = (by_name(&then.settings), by_name(&now.settings));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let runs = |component: &Component, environment: &str| {
        let mut environments = component.environments.iter();
        environments.any(|one| one.name == environment)
    };
    let changes = names.into_iter().flat_map(|name| {
        let (then, now) = (before.get(name), after.get(name));
        of_one(name, then, now)
    });
    let in_both = changes.filter(|change| {
        let environment = change.environment.as_str();
        runs(then, environment) == runs(now, environment)
    });
    in_both.collect()
}

fn of_one(name: &str, then: Option<&Setting>, now: Option<&Setting>) -> Vec<SettingChange> {
    let is_secret = |one: Option<&Setting>| one.is_some_and(|one| one.secret);
    let secret = is_secret(then) || is_secret(now);
    // Whether the setting became secret or stopped being one.
    let turned = then.is_some() && now.is_some() && is_secret(then) != is_secret(now);
    let values = |one: Option<&Setting>| -> BTreeMap<String, Option<String>> {
        let all = one.into_iter().flat_map(|one| one.values.iter());
        all.map(|(environment, value)| {
            let value = value.value.as_ref().filter(|_| !secret);
            (environment.to_owned(), value.map(|value| value.to_string()))
        })
        .collect()
    };
    let (before, after) = (values(then), values(now));
    let environments: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changes = environments.into_iter().filter_map(|environment| {
        let (was, is) = (before.get(environment), after.get(environment));
        let change = match (was, is) {
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
            (was, is) if was != is || turned => Change::Changed,
            _ => return None,
        };
        Some(SettingChange {
            name: name.to_owned(),
            environment: environment.clone(),
            change,
            secret,
            before: was.cloned().flatten(),
            after: is.cloned().flatten(),
        })
    });
    changes.collect()
}
