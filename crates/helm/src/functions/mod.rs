//! The functions of templates: Go's own, those of Sprig, and Helm's.

mod cast;
pub mod date;
mod dict;
mod encode;
pub mod files;
mod list;
mod logic;
mod name;
mod number;
mod random;
mod regex;
mod release;
mod text;
mod url;
pub mod version;

use std::sync::OnceLock;

use smol_str::SmolStr;

use crate::engine::{Fail, Run, Val};
use base::hash::HashMap;

pub use random::State;

type Call = fn(&mut Run, &[Val]) -> Result<Val, Fail>;

/// A function: its name, the types of its parameters and what it does.
#[derive(Debug)]
pub struct Function {
    pub name: &'static str,
    parameters: &'static [Parameter],
    /// The type of further arguments.
    rest: Option<Parameter>,
    body: FunctionBody,
}

/// The body of a function; most functions over text need nothing but the text.
#[derive(Debug)]
enum FunctionBody {
    Any(Call),
    Text(fn(&str) -> SmolStr),
    Texts(fn(&str, &str) -> SmolStr),
}

/// The type of a parameter in Go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    Any,
    Text,
    Int,
    Float,
    Bool,
    /// `map[string]interface{}`.
    Dict,
    /// `[]interface{}`.
    List,
    Time,
}

impl Parameter {
    pub fn accepts(self, value: &Val) -> bool {
        match self {
            Parameter::Any => true,
            Parameter::Text => matches!(value, Val::Text(_)),
            Parameter::Int => matches!(value, Val::Int(_)),
            Parameter::Float => matches!(value, Val::Float(_)),
            Parameter::Bool => matches!(value, Val::Bool(_)),
            Parameter::Dict => value.as_map().is_some_and(|map| map.is_dict()),
            Parameter::List => matches!(value, Val::List(_)),
            Parameter::Time => matches!(value, Val::Time(_)),
        }
    }

    /// Whether Go passes null.
    pub fn is_nillable(self) -> bool {
        matches!(self, Parameter::Any | Parameter::Dict | Parameter::List)
    }

    pub fn type_name(self) -> &'static str {
        match self {
            Parameter::Any => "interface {}",
            Parameter::Text => "string",
            Parameter::Int => "int",
            Parameter::Float => "float64",
            Parameter::Bool => "bool",
            Parameter::Dict => "map[string]interface {}",
            Parameter::List => "[]interface {}",
            Parameter::Time => "time.Time",
        }
    }
}

impl Function {
    const fn fixed(name: &'static str, parameters: &'static [Parameter], run: Call) -> Function {
        Function {
            name,
            parameters,
            rest: None,
            body: FunctionBody::Any(run),
        }
    }

    /// A function of one text.
    const fn text(name: &'static str, run: fn(&str) -> SmolStr) -> Function {
        Function {
            name,
            parameters: &[Parameter::Text],
            rest: None,
            body: FunctionBody::Text(run),
        }
    }

    /// A function of two texts.
    const fn texts(name: &'static str, run: fn(&str, &str) -> SmolStr) -> Function {
        Function {
            name,
            parameters: &[Parameter::Text, Parameter::Text],
            rest: None,
            body: FunctionBody::Texts(run),
        }
    }

    /// Runs the function on arguments that were checked.
    pub fn run(&self, run: &mut Run, arguments: &[Val]) -> Result<Val, Fail> {
        match self.body {
            FunctionBody::Any(call) => call(run, arguments),
            FunctionBody::Text(call) => Ok(Val::Text(call(text_at(arguments, 0)))),
            FunctionBody::Texts(call) => Ok(Val::Text(call(
                text_at(arguments, 0),
                text_at(arguments, 1),
            ))),
        }
    }

    const fn many(
        name: &'static str,
        parameters: &'static [Parameter],
        rest: Parameter,
        run: Call,
    ) -> Function {
        Function {
            name,
            parameters,
            rest: Some(rest),
            body: FunctionBody::Any(run),
        }
    }

    pub fn parameter(&self, at: usize) -> Parameter {
        let stated = self.parameters.get(at).copied();
        stated.or(self.rest).unwrap_or(Parameter::Any)
    }

    /// How many arguments are wanted, if a count is wrong.
    pub fn wrong_count(&self, count: usize) -> Option<String> {
        let wanted = self.parameters.len();
        match self.rest {
            None if count != wanted => Some(wanted.to_string()),
            Some(_) if count < wanted => Some(format!("at least {wanted}")),
            _ => None,
        }
    }
}

const FAMILIES: &[&[Function]] = &[
    logic::FUNCTIONS,
    text::FUNCTIONS,
    name::FUNCTIONS,
    number::FUNCTIONS,
    list::FUNCTIONS,
    dict::FUNCTIONS,
    encode::FUNCTIONS,
    regex::FUNCTIONS,
    version::FUNCTIONS,
    date::FUNCTIONS,
    random::FUNCTIONS,
    url::FUNCTIONS,
    release::FUNCTIONS,
];

/// The function with a name.
pub fn find(name: &str) -> Option<&'static Function> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Function>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let all = FAMILIES.iter().flat_map(|family| family.iter());
        all.map(|function| (function.name, function)).collect()
    });
    by_name.get(name).copied()
}

/// The argument at an index; null if it is missing, which callers never see.
fn at(arguments: &[Val], nth: usize) -> &Val {
    arguments.get(nth).unwrap_or(&Val::Nil)
}

/// The text of an argument, which was checked to be one.
fn text_at(arguments: &[Val], nth: usize) -> &str {
    at(arguments, nth).as_str().unwrap_or_default()
}

fn int_at(arguments: &[Val], nth: usize) -> i64 {
    at(arguments, nth).as_int().unwrap_or_default()
}
