//! Settings: the variables that a component's objects use and the values that its chart is given,
//! each with its value in every environment and the place that set it.

use secret::outgoing::ShownSetting;
use std::rc::Rc;
use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::component::Placement;
use super::part_objects::objects;
use crate::cluster::Clusters;
use crate::facts::without_hash;
use base::Place;

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
    /// None when it is secret. Nothing else holds a value that outputs are made from.
    pub value: Option<ShownSetting>,
    pub place: Place,
}

impl Setting {
    /// Whether environments disagree about it. Secrets cannot be compared.
    pub fn differs(&self, environments: &[&str]) -> bool {
        let mut values = environments.iter().map(|name| self.text(name));
        let first = values.next();
        !self.secret && values.any(|value| Some(value) != first)
    }

    /// Its value in an environment, if there is one and it is no secret.
    pub fn text(&self, environment: &str) -> Option<&str> {
        self.values.get(environment)?.value.as_deref()
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
pub fn settings(parts: &[Placement], clusters: &Clusters) -> Vec<Setting> {
    let mut facts: Vec<ClusterValue<'_>> = parts
        .iter()
        .flat_map(|part| facts(part, clusters))
        .collect();
    // Stable, so that the first to state a value in an environment stays first.
    facts.sort_by_cached_key(|fact| (start_of(fact.name), fact.name, fact.environment));
    let mut all: Vec<(SmolStr, SettingValue)> = Vec::with_capacity(facts.len());
    let mut names: Vec<(SmolStr, Secrecy, usize)> = Vec::new();
    let mut add = |name: SmolStr, stated: &[ClusterValue<'_>]| {
        let (values, secrecy) = values(stated);
        all.extend(values);
        names.push((name, secrecy, all.len()));
    };
    for stated in facts.chunk_by_mut(|a, b| a.name == b.name) {
        if !is_shared(stated) {
            add(stated[0].name.clone(), stated);
            continue;
        }
        stated.sort_by_key(|fact| (fact.object, fact.environment));
        for stated in stated.chunk_by(|a, b| a.object == b.object) {
            let name = stated[0].name;
            let object = stated[0].object;
            add(
                object.map_or_else(|| name.clone(), |object| format_smolstr!("{object}.{name}")),
                stated,
            );
        }
    }
    let all: Arc<[(SmolStr, SettingValue)]> = all.into();
    let mut start = 0;
    let settings = names.into_iter().map(|(name, secrecy, end)| Setting {
        name,
        values: ByEnvironment {
            all: all.clone(),
            start: std::mem::replace(&mut start, end as u32),
            end: end as u32,
        },
        secret: secrecy == Secrecy::Secret,
    });
    let mut settings: Vec<Setting> = settings.collect();
    settings.sort_by(|a, b| a.name.cmp(&b.name));
    settings
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrecy {
    Open,
    Secret,
}

/// A value in an object of one cluster.
struct ClusterValue<'a> {
    name: &'a SmolStr,
    /// The object that has the value to itself; none for a variable, which any may use.
    object: Option<&'a str>,
    environment: &'a str,
    value: Option<&'a SmolStr>,
    place: Place,
}

fn facts<'a>(
    part: &'a Placement,
    clusters: &'a Clusters,
) -> impl Iterator<Item = ClusterValue<'a>> {
    let cluster = &clusters[part.cluster];
    let environment = part.environment(clusters);
    let variables = part.unit.map(|unit| &cluster.units[unit].variables);
    // Put into a secret place by one object, a variable is secret for all of them.
    let secret = objects(part, clusters).flat_map(|object| &object.secret);
    let secret: Rc<[&SmolStr]> = secret.collect();
    objects(part, clusters).flat_map(move |object| {
        let secret = secret.clone();
        let used = object.variables.iter().filter_map(move |name| {
            let variable = variables?.get(name)?;
            let value = variable.value.as_ref();
            let value = value.filter(|_| !secret.contains(&name));
            Some(ClusterValue {
                name,
                object: None,
                environment,
                value: value.filter(|value| *value != crate::facts::MARKER),
                place: variable.place,
            })
        });
        let defaulted = object.defaulted.iter().map(move |variable| ClusterValue {
            name: &variable.name,
            object: None,
            environment,
            value: variable.value.as_ref(),
            place: variable.place,
        });
        let own = without_hash(&object.statement.id.name);
        let given = object
            .statement
            .settings
            .iter()
            .map(move |fact| ClusterValue {
                name: &fact.name,
                object: Some(own),
                environment,
                value: fact.value.as_ref(),
                place: fact.place,
            });
        used.chain(defaulted).chain(given)
    })
}

/// How a name begins, as a number that is in the order in which names are: it decides nearly every comparison.
fn start_of(name: &str) -> u128 {
    let mut start = [0; 16];
    let bytes = name.as_bytes();
    let length = bytes.len().min(start.len());
    start[..length].copy_from_slice(&bytes[..length]);
    u128::from_be_bytes(start)
}

/// Whether several objects of one environment have a setting of this name, each its own.
fn is_shared(stated: &[ClusterValue<'_>]) -> bool {
    let mut pairs = stated.windows(2);
    pairs.any(|pair| pair[0].environment == pair[1].environment && pair[0].object != pair[1].object)
}

/// The value of one setting in each environment, from all facts about it. Secret in one environment, secret in all.
fn values(stated: &[ClusterValue<'_>]) -> (Vec<(SmolStr, SettingValue)>, Secrecy) {
    let environments = stated.chunk_by(|a, b| a.environment == b.environment);
    let values = environments.map(|facts| {
        let first = &facts[0];
        let value = SettingValue {
            value: first
                .value
                .and_then(|value| ShownSetting::new(first.name, value)),
            place: first.place,
        };
        (first.environment.into(), value)
    });
    let mut values: Vec<(SmolStr, SettingValue)> = values.collect();
    let is_secret = stated.iter().any(|fact| fact.value.is_none())
        || values.iter().any(|(_, value)| value.value.is_none());
    if !is_secret {
        return (values, Secrecy::Open);
    }
    for (_, value) in &mut values {
        value.value = None;
    }
    (values, Secrecy::Secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact<'a>(
        name: &'a SmolStr,
        object: Option<&'a str>,
        environment: &'a str,
    ) -> ClusterValue<'a> {
        ClusterValue {
            name,
            object,
            environment,
            value: None,
            place: Place::default(),
        }
    }

    #[test]
    fn a_name_is_shared_where_two_objects_of_one_environment_have_it() {
        let name = SmolStr::from("replicas");
        let one = |object, environment| fact(&name, Some(object), environment);
        assert!(!is_shared(&[one("a", "dev"), one("b", "prod")]));
        assert!(!is_shared(&[one("a", "dev"), one("a", "dev")]));
        assert!(is_shared(&[one("a", "dev"), one("b", "dev")]));
        assert!(is_shared(&[fact(&name, None, "dev"), one("a", "dev")]));
    }

    #[test]
    fn names_are_in_the_order_in_which_their_beginnings_are() {
        let names = [
            "",
            "a",
            "a\u{0}",
            "b.resources.limits",
            "b.resources.limits.cpu",
            "b.resources.limits.memory",
            "b.resources.requests",
            "b.ü",
        ];
        assert!(names.is_sorted());
        assert!(names.is_sorted_by_key(|name| (start_of(name), *name)));
        assert!(names.is_sorted_by_key(|name| start_of(name)));
    }
}
