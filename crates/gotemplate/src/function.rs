//! The functions of templates: Go's, Sprig's and Argo CD's, as far as they only compute. Dispatches by name; each call
//! is charged before it runs.

mod cost;
mod format;
mod list;
mod logic;
mod map;
mod name;
mod number;
mod pattern;
mod text;

pub use name::normal;

use smol_str::SmolStr;

use super::run::Runner;
use super::{Fault, MAX_NESTED, MAX_TEXT, Value};

/// Calls a function by name.
pub fn call(runner: &mut Runner, name: &str, arguments: Vec<Value>) -> Result<Value, Fault> {
    let name = without_must(name);
    let name = name.as_str();
    if let ("fail", [message]) = (name, arguments.as_slice()) {
        runner.charge(message.size().weight)?;
        return Err(runner.fault(message.written()));
    }
    if let Some(value) = pattern::call(runner, name, &arguments)? {
        return charge_result(runner, value);
    }
    runner.charge(cost::visit_cost(name, &arguments))?;
    if cost::output_bound(name, &arguments) > MAX_TEXT as u64 {
        return Err(runner.too_much());
    }
    let mut result = logic::call(name, &arguments)
        .or_else(|| list::call(name, &arguments))
        .or_else(|| map::call(name, &arguments))
        .or_else(|| number::call(name, &arguments));
    if result.is_none() {
        // These write out every argument first.
        runner.charge(cost::weight(&arguments))?;
        result = text::call(name, &arguments);
    }
    let Some(value) = result else {
        return Err(runner.fault(format!("the function `{name}` is not supported")));
    };
    if matches!(name, "deepCopy" | "fromYaml" | "fromJson" | "fromYamlArray") {
        // The result shares nothing with the arguments.
        runner.charge(value.size().weight)?;
    }
    charge_result(runner, value)
}

/// Charges a result, even if the template drops it.
fn charge_result(runner: &mut Runner, value: Value) -> Result<Value, Fault> {
    runner.written += match &value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        _ => 0,
    };
    if runner.written > MAX_TEXT || value.size().depth > MAX_NESTED {
        Err(runner.too_much())
    } else {
        Ok(value)
    }
}

/// Whether a function changes its first argument in place and returns it.
pub fn changes_in_place(name: &str) -> bool {
    let name = without_must(name);
    matches!(name.as_str(), "set" | "unset" | "merge" | "mergeOverwrite")
}

/// `mustToJson` is `toJson`, except that it fails instead of returning nothing.
fn without_must(name: &str) -> SmolStr {
    let rest = name.strip_prefix("must").unwrap_or_default();
    match rest.chars().next().filter(char::is_ascii_uppercase) {
        Some(first) => format!("{}{}", first.to_ascii_lowercase(), &rest[1..]).into(),
        None => name.into(),
    }
}
