//! Runs templates on values, as Go's `text/template` does with Helm's settings.

use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use super::call::{located, wrapped};
use super::limit::{Fail, FailKind, Spent};
use super::named::NamedTemplates;
use super::parse::{self, ParseError};
use super::print;
use super::trace::{Mark, MarkRule, Trace, ValueRead, Written};
use super::tree::{Assignment, Branch, Node, ParsedTemplate, Pipe, SyntaxTree};
use super::value::{GoMap, Val};
use crate::capabilities::AskedVersions;
use crate::functions::{self};
use base::hash::HashMap;

/// How often templates of one name may be nested, as in Helm.
const MAX_SAME_NAME: usize = 1_000;

/// The result of reading a field that a map does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingKey {
    /// Null; reading its fields fails. Helm's setting.
    #[default]
    Zero,
    /// Null, and so are its fields.
    Invalid,
    /// The template fails.
    Error,
}

/// The state of a run.
pub struct Run {
    pub spent: Spent,
    templates: Rc<NamedTemplates>,
    missing: MissingKey,
    /// How often each template is being included.
    included: HashMap<SmolStr, usize>,
    /// Texts that `tpl` has parsed.
    parsed: HashMap<SmolStr, Arc<ParsedTemplate>>,
    /// Maps that were changed. They may contain themselves, so they are emptied in the end.
    changed: Vec<Rc<GoMap>>,
    /// The values that pipelines read, and where they wrote them.
    pub trace: Trace,
    pub asked: AskedVersions,
    template_depth: usize,
    /// The line of the outermost template that is running.
    line: u32,
    pub state: functions::State,
}

impl Drop for Run {
    fn drop(&mut self) {
        for map in self.changed.drain(..) {
            drop(std::mem::take(&mut *map.entries.borrow_mut()));
        }
    }
}

/// A template that is running.
pub(super) struct Frame<'t> {
    pub(super) tree: &'t SyntaxTree,
    pub(super) file: &'t SmolStr,
    pub(super) variables: Vec<TemplateVariable>,
    /// The value that the dot is, if it is a scalar.
    pub(super) dot_origin: Option<ValueRead>,
}

/// A variable of a template.
pub(super) struct TemplateVariable {
    pub(super) name: SmolStr,
    pub(super) value: Val,
    /// The value that it was set to, if it is a scalar.
    pub(super) origin: Option<ValueRead>,
}

/// How a list of nodes was left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopFlow {
    On,
    Continue,
    Break,
}

impl Run {
    pub fn new(templates: NamedTemplates, missing: MissingKey) -> Run {
        Run {
            spent: Spent::default(),
            templates: Rc::new(templates),
            missing,
            included: HashMap::default(),
            parsed: HashMap::default(),
            changed: Vec::new(),
            trace: Trace::default(),
            asked: AskedVersions::default(),
            template_depth: 0,
            line: 1,
            state: functions::State::default(),
        }
    }

    /// Notes that a map is about to be changed.
    pub fn changes(&mut self, map: &Rc<GoMap>) {
        if self
            .changed
            .last()
            .is_none_or(|last| !Rc::ptr_eq(last, map))
        {
            self.changed.push(map.clone());
        }
    }

    /// The maps that were changed so far.
    pub fn changed(&self) -> &[Rc<GoMap>] {
        &self.changed
    }

    /// Makes the run fit for another template after one failed.
    pub fn reset_depth(&mut self) {
        self.spent.reset_depth();
        self.template_depth = 0;
        self.included.clear();
        self.trace = Trace::default();
    }

    pub fn missing(&self) -> MissingKey {
        self.missing
    }

    /// The output of a named template.
    pub fn execute(&mut self, name: &str, dot: &Val) -> Result<String, Fail> {
        let Some(named) = self.templates.find(name).cloned() else {
            return Err(Fail::new(format!(
                "template: no template {name:?} associated with template \"gotpl\""
            )));
        };
        let mut out = String::new();
        self.run_tree(&named.tree, &named.file, dot, &mut out)?;
        Ok(out)
    }

    /// `include`: limits how often a template is nested in itself.
    pub fn include(&mut self, name: &SmolStr, dot: &Val) -> Result<SmolStr, Fail> {
        let count = self.included.entry(name.clone()).or_default();
        if *count > MAX_SAME_NAME {
            let message = format!(
                "rendering template has a nested reference name: {name}: unable to execute template"
            );
            return Err(Fail::new(message));
        }
        *count += 1;
        let outer = self.trace.enter();
        let text = self.execute(name, dot);
        if let Some(count) = self.included.get_mut(name) {
            *count -= 1;
        }
        let text = SmolStr::from(text?);
        self.trace.leave(outer, &text);
        Ok(text)
    }

    /// `tpl`: runs a text as a template, with the templates that it defines.
    pub fn run_text(&mut self, text: &SmolStr, dot: &Val) -> Result<SmolStr, Fail> {
        if !text.contains("{{") {
            return Ok(without_no_value(text.clone()));
        }
        self.spent.charge_text(text.len())?;
        let parsed = match self.parsed.get(text) {
            Some(parsed) => parsed.clone(),
            None => {
                // Parsing takes longer than writing.
                self.spent.charge(text.len() as u64 / 8)?;
                let parsed = parse::parse(text.clone()).map_err(|error| {
                    let ParseError { message, line } = &error;
                    Fail::new(format!(
                        "cannot parse template {text:?}: template: gotpl:{line}: {message}"
                    ))
                })?;
                let parsed = Arc::new(parsed);
                self.parsed.insert(text.clone(), parsed.clone());
                parsed
            }
        };
        let outer = self.templates.clone();
        if !parsed.defined.is_empty() {
            let mut inner = NamedTemplates {
                outer: Some(outer.clone()),
                named: HashMap::default(),
            };
            for (name, tree) in &parsed.defined {
                inner.put(&"gotpl".into(), name, tree);
            }
            self.templates = Rc::new(inner);
        }
        let mut out = String::new();
        let marks = self.trace.enter();
        let done = self.run_tree(&parsed.main, &"gotpl".into(), dot, &mut out);
        self.templates = outer;
        done.map_err(|fail| Fail {
            message: if fail.kind == FailKind::Limit {
                fail.message
            } else {
                format!(
                    "error during tpl function execution for {}: {}",
                    print::quoted(text),
                    fail.message
                )
            },
            kind: fail.kind,
            stated: fail.stated,
        })?;
        let text = without_no_value(out.into());
        self.trace.leave(marks, &text);
        Ok(text)
    }

    fn run_tree(
        &mut self,
        tree: &SyntaxTree,
        file: &SmolStr,
        dot: &Val,
        out: &mut String,
    ) -> Result<(), Fail> {
        self.spent.enter()?;
        self.template_depth += 1;
        let mut frame = Frame {
            tree,
            file,
            variables: vec![TemplateVariable {
                name: SmolStr::default(),
                value: dot.clone(),
                origin: None,
            }],
            dot_origin: None,
        };
        let done = self.body(&mut frame, &tree.body, dot, out);
        self.template_depth -= 1;
        self.spent.leave();
        done.map(drop)
    }

    /// Marks where the output of a node begins.
    fn mark(&mut self, frame: &Frame, at: u32, out: &str, source: Written) {
        if self.template_depth == 1 {
            let mark = self.new_mark(frame, at, out.len(), source);
            self.trace.marks.push(mark);
        }
    }

    fn new_mark(&mut self, frame: &Frame, at: u32, offset: usize, source: Written) -> Mark {
        if self.template_depth == 1 {
            self.line = frame.tree.source.line_column(at).0;
        }
        Mark {
            offset,
            end: offset,
            line: self.line,
            source,
            includes: false,
            reads: Vec::new(),
        }
    }

    /// Writes what a pipeline yields, unless it only sets variables.
    fn write(
        &mut self,
        frame: &mut Frame,
        pipe: &Pipe,
        dot: &Val,
        out: &mut String,
    ) -> Result<(), Fail> {
        let start = self.trace.now();
        let value = self.pipe(frame, pipe, dot)?;
        if !pipe.variables.is_empty() {
            self.trace.forget(start);
            return Ok(());
        }
        let before = out.len();
        print::print(&mut self.spent, &value, out)?;
        self.spent.charge_text(out.len() - before)?;
        let mut mark = self.new_mark(frame, pipe.at, before, Written::Value);
        mark.end = out.len();
        let keeps = match self.template_depth {
            1 => MarkRule::All,
            _ => MarkRule::Values,
        };
        self.trace.wrote(mark, out, start, keeps);
        Ok(())
    }

    pub(super) fn body(
        &mut self,
        frame: &mut Frame,
        nodes: &[Node],
        dot: &Val,
        out: &mut String,
    ) -> Result<LoopFlow, Fail> {
        for node in nodes {
            self.spent.charge(1)?;
            let flow = self.node(frame, node, dot, out)?;
            if flow != LoopFlow::On {
                return Ok(flow);
            }
        }
        Ok(LoopFlow::On)
    }

    fn node(
        &mut self,
        frame: &mut Frame,
        node: &Node,
        dot: &Val,
        out: &mut String,
    ) -> Result<LoopFlow, Fail> {
        match node {
            Node::Text { text, at } => {
                self.mark(frame, *at, out, Written::Text);
                self.spent.charge_text(text.len())?;
                out.push_str(text);
            }
            Node::Break => return Ok(LoopFlow::Break),
            Node::Continue => return Ok(LoopFlow::Continue),
            Node::Write(pipe) => self.write(frame, pipe, dot, out)?,
            Node::If(branch) => return self.branch(frame, branch, dot, None, out),
            Node::With(branch) => return self.branch(frame, branch, dot, Some(()), out),
            Node::Range(branch) => {
                let known = frame.variables.len();
                let done = self.range(frame, branch, dot, out);
                frame.variables.truncate(known);
                return done;
            }
            Node::Template { name, argument, at } => {
                let start = self.trace.now();
                let argument = match argument {
                    Some(pipe) => self.pipe(frame, pipe, dot)?,
                    None => Val::Nil,
                };
                self.trace.forget(start);
                self.mark(frame, *at, out, Written::Value);
                let Some(named) = self.templates.find(name).cloned() else {
                    let message = format!("template {name:?} not defined");
                    let shown = format!("{{{{template {name:?}}}}}");
                    return Err(Fail::new(wrapped(
                        frame,
                        *at,
                        &shown,
                        &message,
                        FailKind::Error,
                    )));
                };
                self.run_tree(&named.tree, &named.file, &argument, out)?;
            }
        }
        Ok(LoopFlow::On)
    }

    /// `if`, or `with` if the dot is replaced.
    fn branch(
        &mut self,
        frame: &mut Frame,
        branch: &Branch,
        dot: &Val,
        replaces_dot: Option<()>,
        out: &mut String,
    ) -> Result<LoopFlow, Fail> {
        let known = frame.variables.len();
        self.spent.enter()?;
        let start = self.trace.now();
        let value = self.pipe(frame, &branch.pipe, dot)?;
        let origin = self.trace.only(start);
        self.trace.forget(start);
        let flow = match replaces_dot {
            Some(()) if value.is_true() => {
                let outer = std::mem::replace(&mut frame.dot_origin, origin);
                let flow = self.body(frame, &branch.body, &value, out);
                frame.dot_origin = outer;
                flow
            }
            None if value.is_true() => self.body(frame, &branch.body, dot, out),
            _ => self.body(frame, &branch.otherwise, dot, out),
        };
        self.spent.leave();
        frame.variables.truncate(known);
        flow
    }

    pub(super) fn set(
        &self,
        frame: &mut Frame,
        pipe: &Pipe,
        name: &SmolStr,
        value: Val,
        origin: Option<ValueRead>,
    ) -> Result<(), Fail> {
        let variable = TemplateVariable {
            name: name.clone(),
            value,
            origin,
        };
        match pipe.assignment {
            Assignment::Declares => frame.variables.push(variable),
            Assignment::Changes => {
                let mut known = frame.variables.iter_mut().rev();
                match known.find(|other| other.name == *name) {
                    Some(old) => *old = variable,
                    None => {
                        let message = format!("undefined variable: ${name}");
                        return Err(located(frame, pipe.at, None, &message));
                    }
                }
            }
        }
        Ok(())
    }

    /// The value of a pipeline, which is also put into its variables.
    fn pipe(&mut self, frame: &mut Frame, pipe: &Pipe, dot: &Val) -> Result<Val, Fail> {
        let start = self.trace.now();
        let value = self.pipe_value(frame, pipe, dot)?;
        for name in &pipe.variables {
            let origin = self.trace.only(start);
            self.set(frame, pipe, name, value.clone(), origin)?;
        }
        Ok(value)
    }

    pub(super) fn pipe_value(
        &mut self,
        frame: &mut Frame,
        pipe: &Pipe,
        dot: &Val,
    ) -> Result<Val, Fail> {
        self.spent.enter()?;
        let mut last = None;
        for command in &pipe.commands {
            self.spent.charge(1)?;
            last = Some(self.command(frame, command, dot, last)?.settled());
        }
        self.spent.leave();
        Ok(last.unwrap_or(Val::Nil))
    }
}

fn without_no_value(text: SmolStr) -> SmolStr {
    if print::no_values(&text).next().is_some() {
        text.replace(print::NO_VALUE, "").into()
    } else {
        text
    }
}
