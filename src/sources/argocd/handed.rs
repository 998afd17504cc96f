//! The values that each chart of a family sees: what the chart around it has under its name, over its own. They also say
//! which of the charts are wanted.

use super::super::around::Around;
use super::family::{Family, Member};
use helm::Value;

const GLOBAL: &str = "global";

/// The values of every member; none for those that are switched off.
pub fn values(family: &Family, given: &Value, around: &Around<'_>) -> Vec<Option<Value>> {
    let members = &family.members;
    let mut own: Vec<Value> = Vec::with_capacity(members.len());
    for (at, member) in members.iter().enumerate() {
        let stated = match member.parent {
            Some(parent) => handed_down(&own[parent], &member.name),
            None => given.clone(),
        };
        own.push(put_over(defaults(member, around), &stated, family, at));
    }
    if members.len() == 1 {
        return own.into_iter().map(Some).collect();
    }
    // What a part says by itself counts where its parent asks for it, too.
    let all = joined(members, own.clone(), |_| true);
    let mut wanted: Vec<bool> = Vec::with_capacity(members.len());
    for member in members {
        wanted.push(member.parent.is_none_or(|parent| {
            wanted[parent] && is_wanted(member, &all[parent], all[0].get("tags"))
        }));
    }
    let seen = joined(members, own, |at| wanted[at])
        .into_iter()
        .zip(&wanted);
    seen.map(|(values, wanted)| wanted.then_some(values))
        .collect()
}

/// What a chart has itself.
fn defaults(member: &Member, around: &Around<'_>) -> Value {
    let mut values = Value::default();
    values.set(&[GLOBAL], nothing());
    if let Some(file) = around.facts.repo.file_in(&member.directory, "values.yaml") {
        for document in around.documents(file) {
            values.merge(&Value::of(document));
        }
    }
    values
}

fn nothing() -> Value {
    Value::map(std::iter::empty())
}

/// What a chart has for a part of it, with what it has for all.
fn handed_down(values: &Value, name: &str) -> Value {
    let is_map = |value: &&Value| matches!(value, Value::Map(_));
    let stated = values.get(name).filter(is_map);
    let mut stated = stated.cloned().unwrap_or_else(nothing);
    let mut global = stated.get(GLOBAL).cloned().unwrap_or_else(nothing);
    if let Some(over) = values.get(GLOBAL).filter(is_map) {
        global.merge(over);
    }
    stated.set(&[GLOBAL], global);
    stated
}

/// Puts what a chart is given over what it has. In what is meant for a part, nothing stays: a default of the part is to go.
fn put_over(mut own: Value, stated: &Value, family: &Family, at: usize) -> Value {
    let kept = family.names_in(at).filter_map(|name| {
        let (Value::Map(_), over @ Value::Map(_)) = (own.get(name)?, stated.get(name)?) else {
            return None;
        };
        let mut both = own.get(name)?.clone();
        both.merge(over);
        Some((name, both))
    });
    let kept: Vec<_> = kept.collect();
    own.put_over(stated);
    for (name, both) in kept {
        own.set(&[name.as_str()], both);
    }
    own
}

/// Charts see what the charts in them have, under their names.
fn joined(
    members: &[Member],
    mut values: Vec<Value>,
    is_part: impl Fn(usize) -> bool,
) -> Vec<Value> {
    for (at, member) in members.iter().enumerate().rev() {
        if let Some(parent) = member.parent.filter(|_| is_part(at)) {
            let inner = values[at].clone();
            let taken = taken_over(member, &inner);
            values[parent].set(&[member.name.as_str()], inner);
            // What a chart has itself counts before what it takes over.
            if let Some(mut taken) = taken {
                taken.merge(&values[parent]);
                values[parent] = taken;
            }
        }
    }
    values
}

/// What the chart around a part takes over of its values, as it stands there.
fn taken_over(member: &Member, values: &Value) -> Option<Value> {
    let mut taken: Option<Value> = None;
    for (from, to) in &member.imports {
        let mut keys = from.split('.');
        let found = keys.try_fold(values, |value, key| value.get(key));
        let Some(found @ Value::Map(_)) = found else {
            continue;
        };
        let path: Vec<&str> = to.split('.').filter(|key| !key.is_empty()).collect();
        let mut here = nothing();
        here.set(&path, found.clone());
        // The first that takes something over counts.
        if let Some(before) = &taken {
            here.merge(before);
        }
        taken = Some(here);
    }
    taken
}

/// The first condition that something true or false stands at decides; else tags, of which one that is on is enough.
fn is_wanted(member: &Member, values: &Value, tags: Option<&Value>) -> bool {
    let truth = |value: &Value| match value {
        Value::Bool(value) => Some(*value),
        _ => None,
    };
    let mut conditions = member.conditions.iter();
    let stated = conditions.find_map(|path| {
        let mut keys = path.split('.');
        truth(keys.try_fold(values, |value, key| value.get(key))?)
    });
    stated.unwrap_or_else(|| {
        let stated = member.tags.iter().filter_map(|tag| tags?.get(tag));
        let stated: Vec<bool> = stated.filter_map(truth).collect();
        stated.is_empty() || stated.contains(&true)
    })
}
