//! The methods of `.Files`.

use std::rc::Rc;

use smol_str::SmolStr;

use crate::engine::value::{Entries, GoMap, MapKind};
use crate::engine::{Fail, Run, Val};
use crate::format::{base64, yaml};
use crate::glob::Glob;
use base::slash;

pub fn is_method(name: &str) -> bool {
    matches!(
        name,
        "Get" | "GetBytes" | "Glob" | "AsConfig" | "AsSecrets" | "Lines"
    )
}

/// Calls a method of the files of a chart.
pub fn call(
    run: &mut Run,
    files: &Rc<GoMap>,
    name: &SmolStr,
    arguments: &[Val],
) -> Result<Val, Fail> {
    let entries = files.entries.borrow();
    match (name.as_str(), arguments) {
        ("AsConfig", []) => {
            let mut config = Entries::new();
            for (path, content) in entries.iter() {
                let text = text_of(run, content)?;
                config.insert(slash::last(path).into(), Val::text(text));
            }
            yaml::write(run, &Val::map(config), yaml::YamlLayout::Compact).map(Val::text)
        }
        ("AsSecrets", []) => {
            let mut config = Entries::new();
            for (path, content) in entries.iter() {
                let Val::Bytes(bytes) = content else { continue };
                run.spent.charge_text(bytes.len().saturating_mul(2))?;
                config.insert(slash::last(path).into(), Val::text(base64(bytes)));
            }
            yaml::write(run, &Val::map(config), yaml::YamlLayout::Compact).map(Val::text)
        }
        ("Get", [Val::Text(path)]) => match entries.get(path) {
            Some(content) => text_of(run, content).map(Val::text),
            None => Ok(Val::text("")),
        },
        ("GetBytes", [Val::Text(path)]) => {
            let found = entries.get(path).cloned();
            Ok(found.unwrap_or_else(|| Val::Bytes(Vec::new().into())))
        }
        ("Lines", [Val::Text(path)]) => {
            let Some(content) = entries.get(path) else {
                return Ok(Val::texts(Vec::<SmolStr>::new()));
            };
            let text = text_of(run, content)?;
            if text.is_empty() {
                return Err(Fail::new("runtime error: index out of range [-1]"));
            }
            run.spent.charge(text.len() as u64 / 8)?;
            let text = text.strip_suffix('\n').unwrap_or(&text);
            Ok(Val::texts(text.split('\n')))
        }
        ("Glob", [Val::Text(pattern)]) => {
            let glob = Glob::new(pattern);
            let mut found = Entries::new();
            for (path, content) in entries.iter() {
                run.spent.charge(1 + path.len() as u64 / 8)?;
                if glob.matches(path) {
                    found.insert(path.clone(), content.clone());
                }
            }
            Ok(Val::of_kind(found, MapKind::Files))
        }
        (_, arguments) => {
            let wanted = usize::from(!matches!(name.as_str(), "AsConfig" | "AsSecrets"));
            if arguments.len() == wanted {
                let got = arguments.first().map_or("nil", Val::type_name);
                return Err(Fail::new(format!(
                    "wrong type for value; expected string; got {got}"
                )));
            }
            Err(Fail::new(format!(
                "wrong number of args for {name}: want {wanted} got {}",
                arguments.len()
            )))
        }
    }
}

fn text_of(run: &mut Run, content: &Val) -> Result<String, Fail> {
    match content {
        Val::Bytes(bytes) => {
            run.spent.charge_text(bytes.len())?;
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
        _ => Ok(String::new()),
    }
}
