//! Fields and methods of values.

use smol_str::SmolStr;

use super::limit::Fail;
use super::run::{MissingKey, Run};
use super::value::{ListKind, MapKind, Val};
use crate::functions::{date, files};

/// The value of a field. `depth` is how many fields of the chain come before it.
pub fn read(run: &mut Run, value: &Val, name: &SmolStr, depth: usize) -> Result<Val, Fail> {
    match value {
        Val::Nil => match run.missing() {
            MissingKey::Error => Err(Fail::new(format!("nil data; no entry for key {name:?}"))),
            _ => Ok(Val::Nil),
        },
        Val::Null => Err(Fail::new(format!(
            "nil pointer evaluating interface {{}}.{name}"
        ))),
        Val::Map(map) => {
            let known = map.entries.borrow().get(name).cloned();
            match (map.kind, known) {
                (MapKind::Files, _) if files::is_method(name) => call(run, value, name, &[]),
                // Functions that want a plain map take this one, and no values.
                (MapKind::Values, _) if name == "AsMap" => {
                    Ok(Val::map(map.entries.borrow().clone()))
                }
                (_, Some(found)) => Ok(found.as_element()),
                (MapKind::Struct("chartutil.KubeVersion"), None)
                    if matches!(name.as_str(), "GitVersion" | "String") =>
                {
                    Ok(value.get("Version").unwrap_or(Val::Nil))
                }
                (MapKind::Struct(kind), None) => {
                    let kind = if depth > 0 { "interface {}" } else { kind };
                    Err(Fail::new(format!(
                        "can't evaluate field {name} in type {kind}"
                    )))
                }
                (MapKind::Texts, None) => Ok(Val::text("")),
                (MapKind::Files, None) => Ok(Val::Bytes(Vec::new().into())),
                (_, None) => match run.missing() {
                    MissingKey::Zero => Ok(Val::Null),
                    MissingKey::Invalid => Ok(Val::Nil),
                    MissingKey::Error => {
                        Err(Fail::new(format!("map has no entry for key {name:?}")))
                    }
                },
            }
        }
        Val::Version(_) | Val::Time(_) => call(run, value, name, &[]),
        Val::List(list) if list.kind == ListKind::Versions && name == "Has" => {
            call(run, value, name, &[])
        }
        other => {
            let kind = if depth > 0 {
                "interface {}"
            } else {
                other.type_name()
            };
            Err(Fail::new(format!(
                "can't evaluate field {name} in type {kind}"
            )))
        }
    }
}

/// Calls a method.
pub fn call(run: &mut Run, value: &Val, name: &SmolStr, arguments: &[Val]) -> Result<Val, Fail> {
    let wrong_count = |wanted: usize| {
        Fail::new(format!(
            "wrong number of args for {name}: want {wanted} got {}",
            arguments.len()
        ))
    };
    match value {
        Val::Map(map) if map.kind == MapKind::Files && files::is_method(name) => {
            files::call(run, map, name, arguments)
        }
        Val::Map(map) => {
            if map.kind == MapKind::Struct("chartutil.KubeVersion") && arguments.is_empty() {
                return read(run, value, name, 0);
            }
            Err(Fail::new(format!(
                "{name} is not a method but has arguments"
            )))
        }
        Val::List(list) if list.kind == ListKind::Versions && name == "Has" => {
            let [wanted] = arguments else {
                return Err(wrong_count(1));
            };
            let has = list
                .items
                .iter()
                .any(|item| item.as_str() == wanted.as_str());
            if let Some(wanted) = wanted.as_str().filter(|_| !has) {
                run.asked.add(wanted);
            }
            Ok(Val::Bool(has))
        }
        Val::Version(version) => crate::functions::version::field(version, name, arguments),
        Val::Time(time) => date::method(run, time, name, arguments),
        Val::Nil => Err(Fail::new(format!(
            "nil pointer evaluating interface {{}}.{name}"
        ))),
        other => Err(Fail::new(format!(
            "can't evaluate field {name} in type {}",
            other.type_name()
        ))),
    }
}
