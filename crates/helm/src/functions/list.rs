//! Functions over lists. They never change one in place.

use super::Parameter::{Any, Int};
use super::cast::to_int;
use super::logic::deep_equal;
use super::{Function, at, int_at};
use crate::engine::{Fail, Run, Val};

pub const FUNCTIONS: &[Function] = &[
    Function::many("list", &[], Any, |_, all| Ok(Val::list(all.to_vec()))),
    Function::many("tuple", &[], Any, |_, all| Ok(Val::list(all.to_vec()))),
    Function::fixed("append", &[Any, Any], append),
    Function::fixed("push", &[Any, Any], append),
    Function::fixed("mustAppend", &[Any, Any], append),
    Function::fixed("mustPush", &[Any, Any], append),
    Function::fixed("prepend", &[Any, Any], prepend),
    Function::fixed("mustPrepend", &[Any, Any], prepend),
    Function::fixed("first", &[Any], first),
    Function::fixed("mustFirst", &[Any], first),
    Function::fixed("last", &[Any], last),
    Function::fixed("mustLast", &[Any], last),
    Function::fixed("rest", &[Any], rest),
    Function::fixed("mustRest", &[Any], rest),
    Function::fixed("initial", &[Any], initial),
    Function::fixed("mustInitial", &[Any], initial),
    Function::fixed("reverse", &[Any], reverse),
    Function::fixed("mustReverse", &[Any], reverse),
    Function::fixed("compact", &[Any], compact),
    Function::fixed("mustCompact", &[Any], compact),
    Function::fixed("uniq", &[Any], uniq),
    Function::fixed("mustUniq", &[Any], uniq),
    Function::many("without", &[Any], Any, without),
    Function::many("mustWithout", &[Any], Any, without),
    Function::fixed("has", &[Any, Any], has),
    Function::fixed("mustHas", &[Any, Any], has),
    Function::many("slice", &[Any], Any, slice),
    Function::many("mustSlice", &[Any], Any, slice),
    Function::many("concat", &[], Any, concat),
    Function::fixed("chunk", &[Int, Any], chunk),
    Function::fixed("mustChunk", &[Int, Any], chunk),
];

/// The items of the list, or a fault that says what was attempted.
fn items(run: &mut Run, value: &Val, attempt: &str) -> Result<Vec<Val>, Fail> {
    if value.is_null() {
        return Err(Fail::new(
            "runtime error: invalid memory address or nil pointer dereference",
        ));
    }
    let items = value
        .items()
        .ok_or_else(|| Fail::new(format!("{attempt} type {}", value.kind_name())))?;
    run.spent.charge(items.len() as u64)?;
    Ok(items)
}

fn append(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut items = items(run, at(all, 0), "Cannot push on")?;
    items.push(at(all, 1).clone());
    Ok(Val::list(items))
}

fn prepend(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut items = items(run, at(all, 0), "Cannot prepend on")?;
    items.insert(0, at(all, 1).clone());
    Ok(Val::list(items))
}

fn first(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let items = items(run, at(all, 0), "Cannot find first on")?;
    Ok(items.first().cloned().unwrap_or(Val::Nil))
}

fn last(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let items = items(run, at(all, 0), "Cannot find last on")?;
    Ok(items.last().cloned().unwrap_or(Val::Nil))
}

fn rest(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let items = items(run, at(all, 0), "Cannot find rest on")?;
    Ok(Val::list(items.into_iter().skip(1).collect()))
}

fn initial(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut items = items(run, at(all, 0), "Cannot find initial on")?;
    items.pop();
    Ok(Val::list(items))
}

fn reverse(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut items = items(run, at(all, 0), "Cannot find reverse on")?;
    items.reverse();
    Ok(Val::list(items))
}

fn compact(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut items = items(run, at(all, 0), "Cannot compact on")?;
    items.retain(|item| !item.is_empty());
    Ok(Val::list(items))
}

fn contains(run: &mut Run, items: &[Val], wanted: &Val) -> Result<bool, Fail> {
    for item in items {
        if deep_equal(run, wanted, item, 0)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn uniq(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut kept: Vec<Val> = Vec::new();
    for item in items(run, at(all, 0), "Cannot find uniq on")? {
        if !contains(run, &kept, &item)? {
            kept.push(item);
        }
    }
    Ok(Val::list(kept))
}

fn without(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut kept: Vec<Val> = Vec::new();
    for item in items(run, at(all, 0), "Cannot find without on")? {
        if !contains(run, &all[1..], &item)? {
            kept.push(item);
        }
    }
    Ok(Val::list(kept))
}

fn has(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    if at(all, 1).is_null() {
        return Ok(Val::Bool(false));
    }
    let items = items(run, at(all, 1), "Cannot find has on")?;
    contains(run, &items, at(all, 0)).map(Val::Bool)
}

fn slice(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let list = at(all, 0);
    let items = items(run, list, "list should be type of slice or array but")?;
    if items.is_empty() {
        return Ok(Val::Nil);
    }
    let start = all.get(1).map_or(0, to_int);
    let end = all.get(2).map_or(items.len() as i64, to_int);
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let range = range.filter(|(start, end)| start <= end && *end <= items.len());
    let Some((start, end)) = range else {
        return Err(Fail::new("reflect.Value.Slice: slice index out of bounds"));
    };
    Ok(Val::list(items[start..end].to_vec()))
}

fn concat(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut joined = Vec::new();
    for list in all {
        if !list.is_null() && list.items().is_none() {
            let kind = list.kind_name();
            return Err(Fail::new(format!("Cannot concat type {kind} as list")));
        }
        joined.extend(items(run, list, "Cannot concat")?);
    }
    Ok(Val::list(joined))
}

fn chunk(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let items = items(run, at(all, 1), "Cannot chunk")?;
    let Some(size) = usize::try_from(int_at(all, 0))
        .ok()
        .filter(|size| *size > 0)
    else {
        return Err(Fail::new("runtime error: integer divide by zero"));
    };
    Ok(Val::list(
        items
            .chunks(size)
            .map(|part| Val::list(part.to_vec()))
            .collect(),
    ))
}
