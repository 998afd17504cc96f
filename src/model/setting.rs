//! Settings: the variables that a component's objects use and the values that its chart is given,
//! each with its value in every environment and the place that set it.

use std::sync::Arc;

use smol_str::SmolStr;

use super::component::Part;
use super::gather::objects;
use crate::compose::Cluster;
use crate::diagnostic::Place;

/// A parameter and its value in each environment.
#[derive(Debug, Clone)]
pub struct Setting {
    pub name: SmolStr,
    pub values: ByEnvironment,
    pub secret: bool,
}

/// Values in the order of their environments: a part of the one list that a component's settings
/// share, as there are many settings with few values each.
#[derive(Debug, Clone)]
pub struct ByEnvironment {
    all: Arc<[(SmolStr, SettingValue)]>,
    start: u32,
    end: u32,
}

#[derive(Debug, Clone)]
pub struct SettingValue {
    /// None when it is secret.
    pub value: Option<SmolStr>,
    pub place: Place,
}

impl Setting {
    /// Whether environments disagree about it. Of secrets nobody can tell.
    pub fn differs(&self, environments: &[&str]) -> bool {
        let value = |name: &&str| {
            self.values
                .get(name)
                .and_then(|value| value.value.as_deref())
        };
        let mut values = environments.iter().map(value);
        let first = values.next();
        !self.secret && values.any(|value| Some(value) != first)
    }
}

impl ByEnvironment {
    pub fn get(&self, environment: &str) -> Option<&SettingValue> {
        let mut all = self.iter();
        all.find_map(|(name, value)| (name == environment).then_some(value))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &SettingValue)> {
        let own = &self.all[self.start as usize..self.end as usize];
        own.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// The settings of a component, by name.
pub fn settings(parts: &[Part], clusters: &[Cluster]) -> Vec<Setting> {
    let mut facts: Vec<Fact<'_>> = parts
        .iter()
        .flat_map(|part| facts(part, clusters))
        .collect();
    // Stable, so that the first to state a value in an environment stays first.
    facts.sort_by_key(|fact| (fact.name, fact.environment));
    let mut all: Vec<(SmolStr, SettingValue)> = Vec::with_capacity(facts.len());
    let mut names: Vec<(&SmolStr, Secrecy, usize)> = Vec::new();
    for stated in facts.chunk_by(|a, b| a.name == b.name) {
        let secrecy = secrecy(stated);
        all.extend(values(stated, secrecy));
        names.push((stated[0].name, secrecy, all.len()));
    }
    let all: Arc<[(SmolStr, SettingValue)]> = all.into();
    let mut start = 0;
    let settings = names.into_iter().map(|(name, secrecy, end)| Setting {
        name: name.clone(),
        values: ByEnvironment {
            all: all.clone(),
            start: std::mem::replace(&mut start, end as u32),
            end: end as u32,
        },
        secret: secrecy == Secrecy::Secret,
    });
    settings.collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrecy {
    Open,
    Secret,
}

/// A value as an object of one cluster has it.
struct Fact<'a> {
    name: &'a SmolStr,
    environment: &'a str,
    value: Option<&'a SmolStr>,
    place: Place,
}

fn facts<'a>(part: &'a Part, clusters: &'a [Cluster]) -> impl Iterator<Item = Fact<'a>> {
    let cluster = &clusters[part.cluster];
    let variables = part.unit.map(|unit| &cluster.units[unit].variables);
    objects(part, clusters).flat_map(move |object| {
        let used = object.variables.iter().filter_map(move |name| {
            let variable = variables?.get(name)?;
            let value = variable.value.as_ref();
            Some(Fact {
                name,
                environment: &cluster.name,
                value: value.filter(|value| *value != crate::fact::MARKER),
                place: variable.place,
            })
        });
        let defaulted = object.defaulted.iter().map(|variable| Fact {
            name: &variable.name,
            environment: &cluster.name,
            value: variable.value.as_ref(),
            place: variable.place,
        });
        let given = object.statement.settings.iter().map(|fact| Fact {
            name: &fact.name,
            environment: &cluster.name,
            value: fact.value.as_ref(),
            place: fact.place,
        });
        used.chain(defaulted).chain(given)
    })
}

/// Secret in one environment, secret in all.
fn secrecy(stated: &[Fact<'_>]) -> Secrecy {
    match stated.iter().any(|fact| fact.value.is_none()) {
        true => Secrecy::Secret,
        false => Secrecy::Open,
    }
}

/// The values of one setting, out of all that is said about it.
fn values(stated: &[Fact<'_>], secrecy: Secrecy) -> impl Iterator<Item = (SmolStr, SettingValue)> {
    let environments = stated.chunk_by(|a, b| a.environment == b.environment);
    environments.map(move |facts| {
        let first = &facts[0];
        let shown = first.value.filter(|_| secrecy == Secrecy::Open);
        let value = SettingValue {
            value: shown.cloned(),
            place: first.place,
        };
        (first.environment.into(), value)
    })
}
