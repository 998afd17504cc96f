//! Evaluates operands: fields, functions and their arguments, with Go's messages when they fail.

use smol_str::{SmolStr, format_smolstr};

use super::field;
use super::limit::{Fail, FailKind};
use super::print;
use super::run::{Frame, Run, TemplateVariable};
use super::tree::{PipeCommand, TemplateOperand, Term};
use super::value::Val;
use crate::functions::{Function, Parameter};

impl Run {
    pub(super) fn command(
        &mut self,
        frame: &mut Frame,
        command: &PipeCommand,
        dot: &Val,
        last: Option<Val>,
    ) -> Result<Val, Fail> {
        let first = &command.operands[0];
        let arguments = &command.operands[1..];
        match &first.value {
            Term::Function(function) => {
                return self.call(frame, function, first, arguments, dot, last);
            }
            Term::Field(names) => {
                return self.fields(
                    frame,
                    first,
                    dot.clone(),
                    names,
                    Given {
                        arguments,
                        dot,
                        last,
                    },
                );
            }
            Term::Variable(name, names) if !names.is_empty() => {
                let value = variable(frame, first, name)?.value.clone();
                return self.fields(
                    frame,
                    first,
                    value,
                    names,
                    Given {
                        arguments,
                        dot,
                        last,
                    },
                );
            }
            Term::Chain(inner, names) => {
                let value = self.operand(frame, inner, dot)?;
                return self.fields(
                    frame,
                    first,
                    value,
                    names,
                    Given {
                        arguments,
                        dot,
                        last,
                    },
                );
            }
            Term::Pipe(pipe) if arguments.is_empty() && last.is_none() => {
                return self.pipe_value(frame, pipe, dot);
            }
            _ => {}
        }
        if !arguments.is_empty() || last.is_some() {
            let shown = source(frame, first);
            let message = format!("can't give argument to non-function {shown}");
            return Err(located(frame, first.at, Some(first), &message));
        }
        if matches!(first.value, Term::Nil) {
            return Err(located(
                frame,
                first.at,
                Some(first),
                "nil is not a command",
            ));
        }
        self.operand(frame, first, dot)
    }

    /// The value of an operand that is not called with arguments.
    fn operand(
        &mut self,
        frame: &mut Frame,
        operand: &TemplateOperand,
        dot: &Val,
    ) -> Result<Val, Fail> {
        let given = Given {
            arguments: &[],
            dot,
            last: None,
        };
        match &operand.value {
            Term::Dot => {
                self.trace.used(dot, frame.dot_origin.as_ref());
                Ok(dot.clone())
            }
            Term::Nil => Ok(Val::Nil),
            Term::Bool(value) => Ok(Val::Bool(*value)),
            Term::Int(value) => Ok(Val::Int(*value)),
            Term::Float(value) => Ok(Val::Float(*value)),
            Term::Text(text) => Ok(Val::Text(text.clone())),
            Term::Field(names) => self.fields(frame, operand, dot.clone(), names, given),
            Term::Variable(name, names) => {
                let value = variable(frame, operand, name)?;
                if names.is_empty() {
                    self.trace.used(&value.value, value.origin.as_ref());
                }
                let value = value.value.clone();
                self.fields(frame, operand, value, names, given)
            }
            Term::Function(function) => self.call(frame, function, operand, &[], dot, None),
            Term::Pipe(pipe) => self.pipe_value(frame, pipe, dot),
            Term::Chain(inner, names) => {
                let value = self.operand(frame, inner, dot)?;
                self.fields(frame, operand, value, names, given)
            }
        }
    }

    /// Follows fields; the last one may be a method with arguments.
    fn fields(
        &mut self,
        frame: &mut Frame,
        operand: &TemplateOperand,
        start: Val,
        names: &[SmolStr],
        given: Given,
    ) -> Result<Val, Fail> {
        let Some((last, leading)) = names.split_last() else {
            return Ok(start);
        };
        let mut value = start;
        for (nth, name) in leading.iter().enumerate() {
            value = field::read(self, &value, name, nth)
                .map_err(|fail| located_fail(frame, operand, fail))?;
        }
        let mut arguments = Vec::with_capacity(given.arguments.len() + 1);
        for argument in given.arguments {
            arguments.push(self.operand(frame, argument, given.dot)?.settled());
        }
        arguments.extend(given.last);
        let done = if arguments.is_empty() {
            field::read(self, &value, last, leading.len())
        } else {
            field::call(self, &value, last, &arguments)
        };
        let found = done.map_err(|fail| located_fail(frame, operand, fail))?;
        self.trace.read(&value, last, &found);
        Ok(found)
    }

    fn call(
        &mut self,
        frame: &mut Frame,
        function: &'static Function,
        operand: &TemplateOperand,
        given: &[TemplateOperand],
        dot: &Val,
        last: Option<Val>,
    ) -> Result<Val, Fail> {
        if matches!(function.name, "and" | "or") {
            let mut value = Val::Nil;
            for argument in given {
                value = self.operand(frame, argument, dot)?;
                if value.is_true() == (function.name == "or") {
                    return Ok(value);
                }
            }
            return Ok(last.unwrap_or(value));
        }
        let count = given.len() + usize::from(last.is_some());
        if let Some(wanted) = function.wrong_count(count) {
            let message = format!(
                "wrong number of args for {}: want {wanted} got {count}",
                function.name
            );
            return Err(located(frame, operand.at, Some(operand), &message));
        }
        let mut arguments = Vec::with_capacity(count);
        for (at, argument) in given.iter().enumerate() {
            let value = self.operand(frame, argument, dot)?;
            let value = checked(value, function.parameter(at), Some(argument));
            arguments.push(
                value.map_err(|message| located(frame, argument.at, Some(argument), &message))?,
            );
        }
        if let Some(value) = last {
            let value = checked(value, function.parameter(given.len()), None);
            let blamed = given.last().unwrap_or(operand);
            arguments
                .push(value.map_err(|message| located(frame, blamed.at, Some(blamed), &message))?);
        }
        let texts = arguments.iter().filter_map(Val::as_str);
        let read: usize = texts.map(str::len).sum();
        self.spent.charge(1 + read as u64 / 64)?;
        self.asked.reads_list |= arguments.iter().any(Val::is_versions);
        let value = function.run(self, &arguments).map_err(|fail| {
            if fail.kind == FailKind::Limit {
                return fail;
            }
            let message = format!("error calling {}: {}", function.name, fail.message);
            let shown = at_operand(frame, operand, given);
            Fail {
                message: wrapped(frame, operand.at, &shown, &message, fail.kind),
                ..fail
            }
        })?;
        if let Val::Text(text) = &value {
            self.spent.charge_text(text.len())?;
        }
        Ok(value)
    }
}

/// The arguments of a field at the end of a chain.
struct Given<'a> {
    arguments: &'a [TemplateOperand],
    dot: &'a Val,
    last: Option<Val>,
}

fn variable<'f>(
    frame: &'f Frame,
    operand: &TemplateOperand,
    name: &SmolStr,
) -> Result<&'f TemplateVariable, Fail> {
    let mut known = frame.variables.iter().rev();
    known.find(|other| other.name == *name).ok_or_else(|| {
        let message = format!("undefined variable: ${name}");
        located(frame, operand.at, Some(operand), &message)
    })
}

/// An argument as Go passes it to a parameter, or why it cannot.
fn checked(
    value: Val,
    wanted: Parameter,
    operand: Option<&TemplateOperand>,
) -> Result<Val, String> {
    if wanted == Parameter::Any || wanted.accepts(&value) {
        return Ok(value.settled());
    }
    // A constant is converted.
    if let Some(TemplateOperand {
        value: Term::Int(number),
        ..
    }) = operand
        && wanted == Parameter::Float
    {
        return Ok(Val::Float(*number as f64));
    }
    let name = wanted.type_name();
    if let Some(TemplateOperand {
        value: constant @ (Term::Text(_) | Term::Int(_) | Term::Float(_) | Term::Bool(_)),
        ..
    }) = operand
    {
        if let (Term::Float(number), Parameter::Int) = (constant, wanted)
            && number.fract() == 0.0
        {
            return Ok(Val::Int(*number as i64));
        }
        let name = if wanted == Parameter::Int {
            "integer"
        } else {
            name
        };
        let name = if wanted == Parameter::Float {
            "float"
        } else {
            name
        };
        let found = match constant {
            Term::Text(text) => print::quoted(text),
            Term::Int(number) => number.to_string(),
            Term::Float(number) => print::float(*number),
            _ => value.is_true().to_string(),
        };
        if matches!(
            wanted,
            Parameter::Text | Parameter::Int | Parameter::Float | Parameter::Bool
        ) {
            return Err(format!("expected {name}; found {found}"));
        }
    }
    match value {
        Val::Nil if wanted.is_nillable() => Ok(Val::Nil),
        Val::Nil => Err(format!("invalid value; expected {name}")),
        Val::Null => Err(format!(
            "wrong type for value; expected {name}; got interface {{}}"
        )),
        other => Err(format!(
            "wrong type for value; expected {name}; got {}",
            other.type_name()
        )),
    }
}

fn place(frame: &Frame, at: u32) -> String {
    let (line, column) = frame.tree.source.line_column(at);
    format!("{}:{line}:{column}", frame.file)
}

/// An operand as written.
fn source(frame: &Frame, operand: &TemplateOperand) -> String {
    let text = &frame.tree.source.text;
    let range = operand.start as usize..operand.end as usize;
    text.get(range).unwrap_or_default().to_owned()
}

/// A call as written, with its arguments.
fn at_operand(frame: &Frame, operand: &TemplateOperand, given: &[TemplateOperand]) -> String {
    let end = given.last().map_or(operand.end, |last| last.end);
    let text = &frame.tree.source.text;
    let range = operand.start as usize..end as usize;
    text.get(range).unwrap_or_default().to_owned()
}

pub(super) fn wrapped(
    frame: &Frame,
    at: u32,
    shown: &str,
    message: &str,
    kind: FailKind,
) -> String {
    let place = place(frame, at);
    if kind == FailKind::Limit {
        return message.to_owned();
    }
    let name = if frame.tree.name.is_empty() {
        frame.file
    } else {
        &frame.tree.name
    };
    format!("template: {place}: executing {name:?} at <{shown}>: {message}")
}

pub(super) fn located(
    frame: &Frame,
    at: u32,
    operand: Option<&TemplateOperand>,
    message: &str,
) -> Fail {
    let shown = operand.map_or_else(SmolStr::default, |operand| {
        format_smolstr!("{}", source(frame, operand))
    });
    Fail::new(wrapped(frame, at, &shown, message, FailKind::Error))
}

fn located_fail(frame: &Frame, operand: &TemplateOperand, fail: Fail) -> Fail {
    let shown = source(frame, operand);
    Fail {
        message: wrapped(frame, operand.at, &shown, &fail.message, fail.kind),
        ..fail
    }
}
