//! Runs a parsed template within the limits on steps, output and visited values. Pure computation: values in, text out.

use smol_str::SmolStr;

use base::budget::Budget;

use super::change::Changes;
use super::output::Output;
use super::parse::{Blocks, Body, Operand, Pipeline, TemplateNode};
use super::{
    ENDLESS, Fault, MAX_DEPTH, MAX_STEPS, MAX_TEXT, MAX_VISITED, Missing, TOO_MUCH, Value, Written,
    function,
};

pub fn run(body: &Body, blocks: Blocks, root: &Value, missing: Missing) -> Result<Written, Fault> {
    let mut runner = Runner {
        blocks,
        missing,
        steps: Budget::new(MAX_STEPS),
        written: 0,
        visited: Budget::new(MAX_VISITED),
        depth: 0,
        line: 1,
        changes: Changes::default(),
    };
    let mut out = Output::default();
    runner.body(body, &mut TemplateScope::new(root), &mut out)?;
    Ok(out.finish())
}

/// Skipping this many variables costs as much as visiting one value.
const PASSED: u64 = 16;

/// The state of a run.
pub struct Runner {
    blocks: Blocks,
    missing: Missing,
    steps: Budget,
    /// Bytes of intermediate text.
    pub(super) written: usize,
    /// Values and bytes visited.
    visited: Budget,
    depth: usize,
    line: u32,
    /// Maps that were changed in place.
    changes: Changes,
}

/// The values of the dot and of the variables.
struct TemplateScope {
    dot: ScopedValue,
    variables: Vec<(SmolStr, ScopedValue)>,
}

impl TemplateScope {
    fn new(root: &Value) -> TemplateScope {
        TemplateScope {
            dot: ScopedValue::computed(root.clone()),
            variables: vec![(SmolStr::default(), ScopedValue::computed(root.clone()))],
        }
    }
}

/// A value and its origin. Reading a field of null gives null if an action returned it, but fails if it is an element
/// of a list. Go makes this distinction, and templates rely on it.
#[derive(Clone)]
struct ScopedValue {
    value: Value,
    is_element: bool,
}

impl ScopedValue {
    fn computed(value: Value) -> ScopedValue {
        ScopedValue {
            value,
            is_element: false,
        }
    }

    fn element(value: Value) -> ScopedValue {
        ScopedValue {
            value,
            is_element: true,
        }
    }
}

/// How a loop continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Next,
    Out,
}

impl Runner {
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault {
            message: message.into(),
            line: self.line,
        }
    }

    pub fn too_much(&self) -> Fault {
        self.fault(TOO_MUCH)
    }

    /// Charges a visit before it happens.
    pub fn charge(&mut self, weight: u64) -> Result<(), Fault> {
        let charged = self.visited.charge(weight);
        charged.map_err(|_| self.too_much())
    }

    fn step(&mut self, out: &Output) -> Result<(), Fault> {
        if self.steps.charge(1).is_err() || self.written + out.text.len() > MAX_TEXT {
            Err(self.fault(ENDLESS))
        } else {
            Ok(())
        }
    }

    fn body(
        &mut self,
        body: &Body,
        scope: &mut TemplateScope,
        out: &mut Output,
    ) -> Result<Flow, Fault> {
        for step in body {
            self.step(out)?;
            let flow = self.execute(step, scope, out)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn execute(
        &mut self,
        step: &TemplateNode,
        scope: &mut TemplateScope,
        out: &mut Output,
    ) -> Result<Flow, Fault> {
        match step {
            TemplateNode::Text(text, line) => out.text(text, *line),
            TemplateNode::Break => return Ok(Flow::Out),
            TemplateNode::Continue => return Ok(Flow::Next),
            TemplateNode::Write(pipeline, line) => {
                self.line = *line;
                let value = self.value(pipeline, scope)?;
                if pipeline.names.is_empty() {
                    self.charge(value.size().weight)?;
                    out.value(&printed(&value), *line);
                }
            }
            TemplateNode::If(branches, other, line) => {
                for (condition, body) in branches {
                    self.line = *line;
                    let known = scope.variables.len();
                    let is_true = self.value(condition, scope)?.is_true();
                    if is_true {
                        let flow = self.body(body, scope, out);
                        scope.variables.truncate(known);
                        return flow;
                    }
                    scope.variables.truncate(known);
                }
                return self.run_scoped(other, None, scope, out);
            }
            TemplateNode::With(over, body, other, line) => {
                self.line = *line;
                let known = scope.variables.len();
                let value = self.value(over, scope)?;
                let flow = if value.is_true() {
                    self.run_scoped(body, Some(ScopedValue::computed(value)), scope, out)
                } else {
                    self.run_scoped(other, None, scope, out)
                };
                scope.variables.truncate(known);
                return flow;
            }
            TemplateNode::Range(over, body, other, line) => {
                self.line = *line;
                self.range(over, body, other, scope, out)?;
            }
            TemplateNode::Include(name, argument, line) => {
                self.line = *line;
                let argument = match argument {
                    Some(argument) => self.value(argument, scope)?,
                    None => Value::Nil,
                };
                let since = self.changes.len();
                let text = self.include(name, argument)?;
                self.follow(since, scope)?;
                out.value(&text, *line);
            }
        }
        Ok(Flow::On)
    }

    fn run_scoped(
        &mut self,
        body: &Body,
        dot: Option<ScopedValue>,
        scope: &mut TemplateScope,
        out: &mut Output,
    ) -> Result<Flow, Fault> {
        let known = scope.variables.len();
        let since = self.changes.len();
        let before = dot.map(|dot| std::mem::replace(&mut scope.dot, dot));
        let flow = self.body(body, scope, out);
        scope.variables.truncate(known);
        if let Some(before) = before {
            scope.dot = before;
            self.follow(since, scope)?;
        }
        flow
    }

    /// Replaces maps that were changed since `since` in all variables and the dot.
    fn follow(&mut self, since: usize, scope: &mut TemplateScope) -> Result<(), Fault> {
        let variables = scope.variables.iter_mut();
        let held = variables.map(|(_, held)| &mut held.value);
        let followed = self
            .changes
            .follow(since, held.chain([&mut scope.dot.value]));
        followed.map_err(|_| self.fault("the template changes too many values in place"))
    }

    fn range(
        &mut self,
        over: &Pipeline,
        body: &Body,
        other: &Body,
        scope: &mut TemplateScope,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let known = scope.variables.len();
        let bare = Pipeline {
            names: Vec::new(),
            ..over.clone()
        };
        let items: Vec<(Value, Value)> = match self.value(&bare, scope)? {
            Value::Nil => Vec::new(),
            Value::List(items) => {
                let items = items.iter().cloned().enumerate();
                items
                    .map(|(at, item)| (Value::Int(at as i64), item))
                    .collect()
            }
            Value::Map(map) => {
                let entries = map.iter();
                entries
                    .map(|(key, value)| (Value::Text(key.clone()), value.clone()))
                    .collect()
            }
            Value::Int(count @ 0..=10_000) => (0..count)
                .map(|at| (Value::Int(at), Value::Int(at)))
                .collect(),
            _ => return Err(self.fault("`range` is used on a value that cannot be iterated")),
        };
        self.charge(items.len() as u64)?;
        if items.is_empty() {
            return self.run_scoped(other, None, scope, out).map(drop);
        }
        for (key, item) in items {
            let item = ScopedValue::element(item);
            match over.names.as_slice() {
                [one] => scope.variables.push((one.clone(), item.clone())),
                [first, second] => {
                    scope
                        .variables
                        .push((first.clone(), ScopedValue::computed(key)));
                    scope.variables.push((second.clone(), item.clone()));
                }
                _ => {}
            }
            let flow = self.run_scoped(body, Some(item), scope, out)?;
            scope.variables.truncate(known);
            if flow == Flow::Out {
                break;
            }
        }
        Ok(())
    }

    /// The output of a named template.
    pub fn include(&mut self, name: &str, argument: Value) -> Result<String, Fault> {
        let Some(body) = self.blocks.get(name).cloned() else {
            return Err(self.fault(format!("the template `{name}` is not defined")));
        };
        self.run_body(&body, argument)
    }

    fn run_body(&mut self, body: &Body, argument: Value) -> Result<String, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(self.fault("templates include each other endlessly"));
        }
        self.depth += 1;
        let line = self.line;
        let mut out = Output::default();
        self.body(body, &mut TemplateScope::new(&argument), &mut out)?;
        self.depth -= 1;
        self.line = line;
        self.written += out.text.len();
        Ok(out.text)
    }

    fn value(&mut self, pipeline: &Pipeline, scope: &mut TemplateScope) -> Result<Value, Fault> {
        let mut last: Option<Value> = None;
        for command in &pipeline.commands {
            let _ = self.steps.charge(1);
            last = Some(self.command(command, last, scope)?);
        }
        let value = last.unwrap_or_default();
        if let [name] = pipeline.names.as_slice() {
            let known = scope.variables.iter_mut().rev();
            let known = known.into_iter().find(|(other, _)| other == name);
            match known.filter(|_| !pipeline.is_new) {
                Some((_, old)) => *old = ScopedValue::computed(value.clone()),
                None => {
                    let held = ScopedValue::computed(value.clone());
                    scope.variables.push((name.clone(), held));
                }
            }
        }
        Ok(value)
    }

    fn command(
        &mut self,
        operands: &[Operand],
        piped: Option<Value>,
        scope: &mut TemplateScope,
    ) -> Result<Value, Fault> {
        let (first, rest) = operands
            .split_first()
            .ok_or_else(|| self.fault("an action is empty"))?;
        let Operand::Call(name) = first else {
            let is_call = !rest.is_empty() || piped.is_some();
            // A chain may end in a method call; no other operand has methods.
            return match (is_call, first) {
                (false, _) => self.operand(first, scope),
                (true, Operand::Dot(chain)) => {
                    Err(self.fault(format!("`.{}` is not supported", chain.join("."))))
                }
                (true, _) => Err(self.fault("a value is used as a function")),
            };
        };
        // `and` and `or` evaluate their operands lazily.
        if matches!(name.as_str(), "and" | "or") {
            let mut value = Value::Nil;
            for operand in rest {
                value = self.operand(operand, scope)?;
                if value.is_true() == (name == "or") {
                    return Ok(value);
                }
            }
            return Ok(piped.unwrap_or(value));
        }
        let mut arguments = Vec::with_capacity(rest.len() + 1);
        for operand in rest {
            arguments.push(self.operand(operand, scope)?);
        }
        arguments.extend(piped);
        let since = self.changes.len();
        let changed = if function::changes_in_place(name) {
            arguments.first().cloned()
        } else {
            None
        };
        let value = function::call(self, name, arguments)?;
        if let Some(old) = changed {
            self.changes.note(&old, &value);
        }
        self.follow(since, scope)?;
        Ok(value)
    }

    fn operand(&mut self, operand: &Operand, scope: &mut TemplateScope) -> Result<Value, Fault> {
        let (held, chain) = match operand {
            Operand::Literal(value) => (ScopedValue::computed(value.clone()), [].as_slice()),
            Operand::Dot(chain) => (scope.dot.clone(), chain.as_slice()),
            Operand::Inner(pipeline, chain) => (
                ScopedValue::computed(self.value(pipeline, scope)?),
                chain.as_slice(),
            ),
            Operand::Call(name) => {
                let value = function::call(self, name, Vec::new())?;
                (ScopedValue::computed(value), [].as_slice())
            }
            Operand::Variable(name, chain) => {
                let mut known = scope.variables.iter().rev().enumerate();
                let known = known.find(|(_, (other, _))| other == name);
                let Some((passed, (_, held))) = known else {
                    return Err(self.fault(format!("the variable `${name}` is not defined")));
                };
                self.charge(passed as u64 / PASSED)?;
                (held.clone(), chain.as_slice())
            }
        };
        if held.value == Value::Nil && !held.is_element {
            return match (chain.first(), self.missing) {
                (Some(name), Missing::Fault) => Err(self.null_field(name)),
                _ => Ok(Value::Nil),
            };
        }
        let mut value = held.value;
        for name in chain {
            value = match &value {
                Value::Map(map) => match (map.get(name), self.missing) {
                    (Some(inner), _) => inner.clone(),
                    (None, Missing::Zero) => Value::Nil,
                    (None, Missing::NoValue) => return Ok(Value::Nil),
                    (None, Missing::Fault) => {
                        return Err(self.fault(format!("`.{name}` is not set")));
                    }
                },
                Value::Nil => {
                    return Err(self.null_field(name));
                }
                _ => {
                    return Err(
                        self.fault(format!("`.{name}` is read from a value that has no fields"))
                    );
                }
            };
        }
        Ok(value)
    }

    fn null_field(&self, name: &str) -> Fault {
        self.fault(format!("`.{name}` is read from a null value"))
    }
}

/// The text that an action prints. Go says so where there is no value; functions get an empty text.
fn printed(value: &Value) -> String {
    match value {
        Value::Nil => "<no value>".to_owned(),
        value => value.written(),
    }
}
