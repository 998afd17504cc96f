//! Functions over maps. `set`, `unset` and the merging ones change them in place.

use std::rc::Rc;

use super::Parameter::{Any, Dict, Text};
use super::{Function, at, text_at};
use crate::engine::value::{Entries, GoMap, MapKind};
use crate::engine::{Fail, Run, Val, print};

/// Maximum nesting of maps that are copied or merged.
const MAX_DEPTH: usize = 400;

pub const FUNCTIONS: &[Function] = &[
    Function::many("dict", &[], Any, dict),
    Function::fixed("get", &[Dict, Text], |run, all| {
        let found = at(all, 0).get(text_at(all, 1));
        let found = found.unwrap_or_else(|| Val::text(""));
        run.trace.read(at(all, 0), &text_at(all, 1).into(), &found);
        Ok(found)
    }),
    Function::fixed("set", &[Dict, Text, Any], |run, all| {
        let Some(map) = at(all, 0).as_map() else {
            return Err(Fail::new("assignment to entry in nil map"));
        };
        run.changes(map);
        map.entries
            .borrow_mut()
            .insert(text_at(all, 1).into(), at(all, 2).clone());
        Ok(at(all, 0).clone())
    }),
    Function::fixed("unset", &[Dict, Text], |run, all| {
        if let Some(map) = at(all, 0).as_map() {
            run.changes(map);
            map.entries.borrow_mut().remove(text_at(all, 1));
        }
        Ok(at(all, 0).clone())
    }),
    Function::fixed("hasKey", &[Dict, Text], |_, all| {
        Ok(Val::Bool(at(all, 0).get(text_at(all, 1)).is_some()))
    }),
    Function::many("pluck", &[Text], Dict, |_, all| {
        let found = all[1..].iter().filter_map(|map| map.get(text_at(all, 0)));
        Ok(Val::list(found.collect()))
    }),
    Function::many("keys", &[], Dict, |run, all| {
        let mut keys = Vec::new();
        for map in all.iter().filter_map(Val::as_map) {
            let entries = map.entries.borrow();
            run.spent.charge(entries.len() as u64)?;
            keys.extend(entries.keys().cloned());
        }
        Ok(Val::texts(keys))
    }),
    Function::fixed("values", &[Dict], |run, all| {
        let Some(map) = at(all, 0).as_map() else {
            return Ok(Val::list(Vec::new()));
        };
        let entries = map.entries.borrow();
        run.spent.charge(entries.len() as u64)?;
        Ok(Val::list(entries.values().cloned().collect()))
    }),
    Function::many("pick", &[Dict], Text, |run, all| {
        run.spent.charge_map()?;
        run.spent.charge(all.len() as u64)?;
        let names = all[1..].iter().filter_map(Val::as_str);
        let picked = names.filter_map(|name| Some((name.into(), at(all, 0).get(name)?)));
        Ok(Val::map(picked.collect()))
    }),
    Function::many("omit", &[Dict], Text, |run, all| {
        let Some(map) = at(all, 0).as_map() else {
            return Ok(Val::map(Entries::new()));
        };
        run.spent.charge_map()?;
        let mut entries = map.entries.borrow().clone();
        run.spent.charge((entries.len() + all.len()) as u64)?;
        for name in all[1..].iter().filter_map(Val::as_str) {
            entries.remove(name);
        }
        Ok(Val::map(entries))
    }),
    Function::many("merge", &[Dict], Dict, |run, all| {
        merge(run, all, Winner::First)
    }),
    Function::many("mustMerge", &[Dict], Dict, |run, all| {
        merge(run, all, Winner::First)
    }),
    Function::many("mergeOverwrite", &[Dict], Dict, |run, all| {
        merge(run, all, Winner::Last)
    }),
    Function::many("mustMergeOverwrite", &[Dict], Dict, |run, all| {
        merge(run, all, Winner::Last)
    }),
    Function::fixed("deepCopy", &[Any], |run, all| copy(run, at(all, 0), 0)),
    Function::fixed("mustDeepCopy", &[Any], |run, all| copy(run, at(all, 0), 0)),
    Function::many("dig", &[], Any, dig),
];

fn dict(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    run.spent.charge_map()?;
    let mut entries = Entries::new();
    for pair in all.chunks(2) {
        let key = match &pair[0] {
            Val::Text(key) => key.clone(),
            other => print::strval(&mut run.spent, other)?.into(),
        };
        let value = pair.get(1).cloned().unwrap_or_else(|| Val::text(""));
        entries.insert(key, value);
    }
    Ok(Val::map(entries))
}

/// Which of two values wins when maps are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Winner {
    First,
    Last,
}

fn merge(run: &mut Run, all: &[Val], winner: Winner) -> Result<Val, Fail> {
    let Some(target) = at(all, 0).as_map() else {
        return Err(Fail::new("assignment to entry in nil map"));
    };
    for source in all[1..].iter().filter_map(Val::as_map) {
        merge_maps(run, target, source, winner, 0)?;
    }
    Ok(at(all, 0).clone())
}

/// Merges as the library `mergo` does: empty values are overwritten, maps that are missing are shared.
fn merge_maps(
    run: &mut Run,
    target: &Rc<GoMap>,
    source: &Rc<GoMap>,
    winner: Winner,
    depth: usize,
) -> Result<(), Fail> {
    if Rc::ptr_eq(target, source) {
        return Ok(());
    }
    if depth > MAX_DEPTH {
        return Err(Fail::limit("maps are nested too deeply"));
    }
    run.changes(target);
    let entries: Vec<_> = {
        let entries = source.entries.borrow();
        run.spent.charge(entries.len() as u64)?;
        entries
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    for (key, value) in entries {
        let known = target.entries.borrow().get(&key).cloned();
        if value.is_null() {
            if winner == Winner::Last {
                target.entries.borrow_mut().insert(key, value);
            }
            continue;
        }
        if let (Some(Val::Map(known)), Val::Map(over)) = (&known, &value) {
            merge_maps(run, known, over, winner, depth + 1)?;
            if !known.entries.borrow().is_empty() {
                continue;
            }
        }
        let is_free = known.is_none_or(|known| known.is_empty());
        if is_free || winner == Winner::Last {
            target.entries.borrow_mut().insert(key, value);
        }
    }
    Ok(())
}

pub fn copy(run: &mut Run, value: &Val, depth: usize) -> Result<Val, Fail> {
    run.spent.charge(3)?;
    if depth > MAX_DEPTH {
        return Err(Fail::limit("a value is nested too deeply"));
    }
    Ok(match value {
        Val::List(list) => {
            let mut items = Vec::with_capacity(list.items.len());
            for item in &list.items {
                items.push(copy(run, item, depth + 1)?);
            }
            Val::list(items)
        }
        Val::Map(map) => {
            run.spent.charge_map()?;
            let mut entries = Entries::new();
            for (key, inner) in map.entries.borrow().iter() {
                entries.insert(key.clone(), copy(run, inner, depth + 1)?);
            }
            Val::of_kind(entries, map.kind)
        }
        other => other.clone(),
    })
}

fn dig(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let [keys @ .., default, map] = all else {
        return Err(Fail::new("dig needs at least three arguments"));
    };
    if keys.is_empty() {
        return Err(Fail::new("dig needs at least three arguments"));
    }
    let mut value = map.clone();
    let start = run.trace.now();
    for key in keys {
        let is_dict = value.as_map().is_some_and(|map| map.kind == MapKind::Any);
        let is_values = value
            .as_map()
            .is_some_and(|map| map.kind == MapKind::Values);
        if !is_dict {
            let found = if is_values {
                "chartutil.Values"
            } else {
                value.type_name()
            };
            let found = if value.is_null() { "nil" } else { found };
            return Err(Fail::new(format!(
                "interface conversion: interface {{}} is {found}, not map[string]interface {{}}"
            )));
        }
        let Some(key) = key.as_str() else {
            return Err(Fail::new(format!(
                "interface conversion: interface {{}} is {}, not string",
                key.type_name()
            )));
        };
        match value.get(key) {
            Some(inner) => {
                run.trace.forget(start);
                run.trace.read(&value, &key.into(), &inner);
                value = inner;
            }
            None => return Ok(default.clone()),
        }
    }
    Ok(value)
}
