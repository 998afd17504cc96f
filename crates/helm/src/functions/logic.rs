//! Conditions, comparisons, types and defaults.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Parameter::{Any, Bool, Text};
use super::{Function, at, text_at};
use crate::engine::value::MapKind;
use crate::engine::{Fail, Run, Val, print};

pub const FUNCTIONS: &[Function] = &[
    Function::many("and", &[Any], Any, |_, _| Ok(Val::Nil)),
    Function::many("or", &[Any], Any, |_, _| Ok(Val::Nil)),
    Function::fixed("not", &[Any], |_, all| Ok(Val::Bool(!at(all, 0).is_true()))),
    Function::many("eq", &[Any], Any, eq),
    Function::fixed("ne", &[Any, Any], |run, all| {
        Ok(Val::Bool(!is_equal(run, at(all, 0), at(all, 1))?))
    }),
    Function::fixed("lt", &[Any, Any], |_, all| less(all, |order| order.is_lt())),
    Function::fixed("le", &[Any, Any], |_, all| less(all, |order| order.is_le())),
    Function::fixed("gt", &[Any, Any], |_, all| less(all, |order| order.is_gt())),
    Function::fixed("ge", &[Any, Any], |_, all| less(all, |order| order.is_ge())),
    Function::fixed("len", &[Any], len),
    Function::many("index", &[Any], Any, index),
    Function::many("call", &[Any], Any, |_, _| {
        Err(Fail::new("non-function of type interface {}"))
    }),
    Function::many("default", &[Any], Any, |_, all| {
        let given = at(all, 1);
        Ok(if all.len() < 2 || given.is_empty() {
            at(all, 0).clone()
        } else {
            given.clone()
        })
    }),
    Function::fixed("empty", &[Any], |_, all| {
        Ok(Val::Bool(at(all, 0).is_empty()))
    }),
    Function::many("coalesce", &[], Any, |_, all| {
        let found = all.iter().find(|value| !value.is_empty());
        Ok(found.cloned().unwrap_or(Val::Nil))
    }),
    Function::many("all", &[], Any, |_, all| {
        Ok(Val::Bool(!all.iter().any(Val::is_empty)))
    }),
    Function::many("any", &[], Any, |_, all| {
        Ok(Val::Bool(all.iter().any(|value| !value.is_empty())))
    }),
    Function::fixed("ternary", &[Any, Any, Bool], |_, all| {
        let nth = if at(all, 2).is_true() { 0 } else { 1 };
        Ok(at(all, nth).clone())
    }),
    Function::fixed("typeOf", &[Any], |_, all| {
        Ok(Val::text(at(all, 0).type_name()))
    }),
    Function::fixed("typeIs", &[Text, Any], |_, all| {
        Ok(Val::Bool(text_at(all, 0) == at(all, 1).type_name()))
    }),
    Function::fixed("typeIsLike", &[Text, Any], |_, all| {
        let (wanted, name) = (text_at(all, 0), at(all, 1).type_name());
        Ok(Val::Bool(
            name == wanted || name.strip_prefix('*') == Some(wanted),
        ))
    }),
    Function::fixed("kindOf", &[Any], |_, all| {
        Ok(Val::text(at(all, 0).kind_name()))
    }),
    Function::fixed("kindIs", &[Text, Any], |_, all| {
        Ok(Val::Bool(text_at(all, 0) == at(all, 1).kind_name()))
    }),
    Function::fixed("deepEqual", &[Any, Any], |run, all| {
        Ok(Val::Bool(deep_equal(run, at(all, 0), at(all, 1), 0)?))
    }),
];

/// The kinds that Go compares.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Basic {
    Bool,
    Int,
    Float,
    Text,
    Other,
}

fn basic(value: &Val) -> Basic {
    match value {
        Val::Bool(_) => Basic::Bool,
        Val::Int(_) | Val::Int64(_) => Basic::Int,
        Val::Float(_) => Basic::Float,
        Val::Text(_) => Basic::Text,
        _ => Basic::Other,
    }
}

fn eq(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let Some((first, rest)) = all.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return Err(Fail::new("missing argument for comparison"));
    };
    for other in rest {
        if is_equal(run, first, other)? {
            return Ok(Val::Bool(true));
        }
    }
    Ok(Val::Bool(false))
}

fn is_equal(run: &mut Run, one: &Val, other: &Val) -> Result<bool, Fail> {
    if one.is_null() || other.is_null() {
        return Ok(one.is_null() && other.is_null());
    }
    if basic(one) != basic(other) {
        return Err(Fail::new("incompatible types for comparison"));
    }
    match (one, other) {
        (Val::Bool(a), Val::Bool(b)) => Ok(a == b),
        (Val::Float(a), Val::Float(b)) => Ok(a == b),
        (Val::Text(a), Val::Text(b)) => Ok(a == b),
        (Val::Time(a), Val::Time(b)) => Ok(a == b),
        (Val::Version(a), Val::Version(b)) => Ok(Rc::ptr_eq(a, b)),
        (a, b) => match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => Ok(a == b),
            _ => {
                let shown = print::to_text(&mut run.spent, one)?;
                let other_shown = print::to_text(&mut run.spent, other)?;
                Err(Fail::new(format!(
                    "non-comparable types {shown}: {}, {}: {other_shown}",
                    one.type_name(),
                    other.type_name()
                )))
            }
        },
    }
}

fn less(all: &[Val], is_met: fn(Ordering) -> bool) -> Result<Val, Fail> {
    let (one, other) = (at(all, 0), at(all, 1));
    if basic(one) == Basic::Other || basic(other) == Basic::Other {
        return Err(Fail::new("invalid type for comparison"));
    }
    if basic(one) != basic(other) {
        return Err(Fail::new("incompatible types for comparison"));
    }
    let order = match (one, other) {
        (Val::Float(a), Val::Float(b)) => a.partial_cmp(b),
        (Val::Text(a), Val::Text(b)) => Some(a.as_str().cmp(b)),
        (Val::Bool(_), _) => return Err(Fail::new("invalid type for comparison")),
        (a, b) => Some(a.as_int().cmp(&b.as_int())),
    };
    Ok(Val::Bool(order.is_some_and(is_met)))
}

/// `reflect.DeepEqual`: types count, too.
pub fn deep_equal(run: &mut Run, one: &Val, other: &Val, depth: usize) -> Result<bool, Fail> {
    run.spent.charge(1)?;
    if depth > 400 {
        return Err(Fail::limit("a value is nested too deeply"));
    }
    Ok(match (one, other) {
        (Val::Nil | Val::Null, Val::Nil | Val::Null) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Int(a), Val::Int(b)) | (Val::Int64(a), Val::Int64(b)) => a == b,
        (Val::Float(a), Val::Float(b)) => a == b,
        (Val::Text(a), Val::Text(b)) => {
            run.spent.charge(a.len().min(b.len()) as u64 / 64)?;
            a == b
        }
        (Val::Bytes(a), Val::Bytes(b)) => {
            run.spent.charge(a.len().min(b.len()) as u64 / 64)?;
            a == b
        }
        (Val::Time(a), Val::Time(b)) => a == b,
        (Val::Version(a), Val::Version(b)) => a == b,
        (Val::List(a), Val::List(b)) => {
            if a.items.len() != b.items.len() {
                return Ok(false);
            }
            for (a, b) in a.items.iter().zip(&b.items) {
                if !deep_equal(run, a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        (Val::Map(a), Val::Map(b)) => {
            let (a, b) = (a.entries.borrow(), b.entries.borrow());
            if a.len() != b.len() {
                return Ok(false);
            }
            for ((a_key, a), (b_key, b)) in a.iter().zip(b.iter()) {
                if a_key != b_key || !deep_equal(run, a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        _ => false,
    })
}

fn len(_: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let length = match at(all, 0) {
        Val::Text(text) => text.len(),
        Val::Bytes(bytes) => bytes.len(),
        Val::List(list) => list.items.len(),
        Val::Map(map) if !matches!(map.kind, MapKind::Struct(_)) => map.entries.borrow().len(),
        Val::Nil | Val::Null => return Err(Fail::new("len of nil pointer")),
        other => return Err(Fail::new(format!("len of type {}", other.type_name()))),
    };
    Ok(Val::Int(length as i64))
}

fn index(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let mut item = at(all, 0).clone();
    if item.is_null() {
        return Err(Fail::new("index of untyped nil"));
    }
    let start = run.trace.now();
    for index in &all[1..] {
        item = match &item {
            Val::Nil | Val::Null => return Err(Fail::new("index of nil pointer")),
            Val::Map(map) => {
                let key = match index {
                    Val::Text(key) => key,
                    Val::Nil | Val::Null => {
                        return Err(Fail::new("value is nil; should be of type string"));
                    }
                    other => {
                        return Err(Fail::new(format!(
                            "value has type {}; should be string",
                            other.type_name()
                        )));
                    }
                };
                let found = map.entries.borrow().get(key).map(Val::as_element);
                if let Some(found) = &found {
                    run.trace.forget(start);
                    run.trace.read(&item, key, found);
                }
                match map.kind {
                    MapKind::Texts => found.unwrap_or_else(|| Val::text("")),
                    MapKind::Files => found.unwrap_or_else(|| Val::Bytes(Vec::new().into())),
                    MapKind::Struct(name) => {
                        return Err(Fail::new(format!("can't index item of type {name}")));
                    }
                    _ => found.unwrap_or(Val::Null),
                }
            }
            Val::List(list) => {
                let found = list.items.get(position(index)?);
                found
                    .map(Val::as_element)
                    .ok_or_else(|| out_of_range(index))?
            }
            Val::Text(text) => {
                let byte = text.as_bytes().get(position(index)?).copied();
                Val::Int(i64::from(byte.ok_or_else(|| out_of_range(index))?))
            }
            Val::Bytes(bytes) => {
                let byte = bytes.get(position(index)?).copied();
                Val::Int(i64::from(byte.ok_or_else(|| out_of_range(index))?))
            }
            other => {
                return Err(Fail::new(format!(
                    "can't index item of type {}",
                    other.type_name()
                )));
            }
        };
    }
    Ok(item)
}

fn out_of_range(index: &Val) -> Fail {
    let index = index.as_int().unwrap_or_default();
    Fail::new(format!("index out of range: {index}"))
}

fn position(index: &Val) -> Result<usize, Fail> {
    match index {
        Val::Int(at) | Val::Int64(at) => Ok(usize::try_from(*at).unwrap_or(usize::MAX)),
        Val::Nil | Val::Null => Err(Fail::new("cannot index slice/array with nil")),
        other => Err(Fail::new(format!(
            "cannot index slice/array with type {}",
            other.type_name()
        ))),
    }
}
