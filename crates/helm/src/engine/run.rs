//! Runs templates on values, as Go's `text/template` does with Helm's settings.

use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use super::call::{located, wrapped};
use super::limit::{Fail, FailKind, Spent};
use super::parse::{self, ParseError};
use super::print;
use super::tree::{Assignment, Branch, Node, ParsedTemplate, Pipe, SyntaxTree};
use super::value::{GoMap, MapKind, Val};
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

/// Named templates. Those of a `tpl` call are added to the ones around it.
#[derive(Debug, Default)]
pub struct NamedTemplates {
    outer: Option<Rc<NamedTemplates>>,
    named: HashMap<SmolStr, Named>,
}

/// A template, and the name of the file it is in.
#[derive(Debug, Clone)]
struct Named {
    tree: Arc<SyntaxTree>,
    file: SmolStr,
}

impl NamedTemplates {
    /// Adds a file: its body under its name, and the templates that it defines. Blank ones replace nothing.
    pub fn add(&mut self, file: &SmolStr, parsed: &ParsedTemplate) {
        self.put(file, file, &parsed.main);
        for (name, tree) in &parsed.defined {
            self.put(file, name, tree);
        }
    }

    fn put(&mut self, file: &SmolStr, name: &SmolStr, tree: &Arc<SyntaxTree>) {
        if !tree.is_blank() || self.find(name).is_none() {
            let named = Named {
                tree: tree.clone(),
                file: file.clone(),
            };
            self.named.insert(name.clone(), named);
        }
    }

    fn find(&self, name: &str) -> Option<&Named> {
        let mut scope = Some(self);
        while let Some(templates) = scope {
            if let Some(tree) = templates.named.get(name) {
                return Some(tree);
            }
            scope = templates.outer.as_deref();
        }
        None
    }
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
    /// The output of the outermost template, in order.
    pub marks: Vec<Mark>,
    template_depth: usize,
    pub state: functions::State,
}

impl Drop for Run {
    fn drop(&mut self) {
        for map in self.changed.drain(..) {
            drop(std::mem::take(&mut *map.entries.borrow_mut()));
        }
    }
}

/// From which offset on the output was written by a node of the template.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    pub offset: usize,
    /// The line of the template.
    pub line: u32,
    pub source: Written,
}

/// The output of a node of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Its own text, of which each line is a line of the template.
    Text,
    /// Something that was computed.
    Value,
}

/// A template that is running.
pub(super) struct Frame<'t> {
    pub(super) tree: &'t SyntaxTree,
    pub(super) file: &'t SmolStr,
    pub(super) variables: Vec<(SmolStr, Val)>,
}

/// How a list of nodes was left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoopFlow {
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
            marks: Vec::new(),
            template_depth: 0,
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

    /// Makes the run fit for another template after one failed.
    pub fn reset_depth(&mut self) {
        self.spent.reset_depth();
        self.template_depth = 0;
        self.included.clear();
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
    pub fn include(&mut self, name: &SmolStr, dot: &Val) -> Result<String, Fail> {
        let count = self.included.entry(name.clone()).or_default();
        if *count > MAX_SAME_NAME {
            let message = format!(
                "rendering template has a nested reference name: {name}: unable to execute template"
            );
            return Err(Fail::new(message));
        }
        *count += 1;
        let text = self.execute(name, dot);
        if let Some(count) = self.included.get_mut(name) {
            *count -= 1;
        }
        text
    }

    /// `tpl`: runs a text as a template, with the templates that it defines.
    pub fn run_text(&mut self, text: &SmolStr, dot: &Val) -> Result<String, Fail> {
        if !text.contains("{{") {
            return Ok(text.replace("<no value>", ""));
        }
        self.spent.charge_text(text.len())?;
        let parsed = match self.parsed.get(text) {
            Some(parsed) => parsed.clone(),
            None => {
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
        Ok(without_no_value(out))
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
            variables: vec![(SmolStr::default(), dot.clone())],
        };
        let done = self.body(&mut frame, &tree.body, dot, out);
        self.template_depth -= 1;
        self.spent.leave();
        done.map(drop)
    }

    fn mark(&mut self, frame: &Frame, at: u32, out: &str, source: Written) {
        if self.template_depth == 1 {
            self.marks.push(Mark {
                offset: out.len(),
                line: frame.tree.source.line_column(at).0,
                source,
            });
        }
    }

    fn body(
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
            Node::Write(pipe) => {
                let value = self.pipe(frame, pipe, dot)?;
                if pipe.variables.is_empty() {
                    self.mark(frame, pipe.at, out, Written::Value);
                    let before = out.len();
                    print::print(&mut self.spent, &value, out)?;
                    self.spent.charge_text(out.len() - before)?;
                }
            }
            Node::If(branch) => return self.branch(frame, branch, dot, None, out),
            Node::With(branch) => return self.branch(frame, branch, dot, Some(()), out),
            Node::Range(branch) => {
                let known = frame.variables.len();
                let done = self.range(frame, branch, dot, out);
                frame.variables.truncate(known);
                return done;
            }
            Node::Template { name, argument, at } => {
                let argument = match argument {
                    Some(pipe) => self.pipe(frame, pipe, dot)?,
                    None => Val::Nil,
                };
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
        let value = self.pipe(frame, &branch.pipe, dot)?;
        let flow = if value.is_true() {
            let dot = replaces_dot.map_or(dot, |()| &value);
            self.body(frame, &branch.body, dot, out)
        } else {
            self.body(frame, &branch.otherwise, dot, out)
        };
        self.spent.leave();
        frame.variables.truncate(known);
        flow
    }

    fn range(
        &mut self,
        frame: &mut Frame,
        branch: &Branch,
        dot: &Val,
        out: &mut String,
    ) -> Result<LoopFlow, Fail> {
        let over = self.pipe_value(frame, &branch.pipe, dot)?;
        let items: Vec<(Val, Val)> = match &over {
            Val::Nil | Val::Null => Vec::new(),
            Val::Map(map) if !matches!(map.kind, MapKind::Struct(_)) => {
                let entries = map.entries.borrow();
                entries
                    .iter()
                    .map(|(key, value)| (Val::Text(key.clone()), value.as_element()))
                    .collect()
            }
            Val::List(list) => {
                let items = list.items.iter().enumerate();
                items
                    .map(|(at, item)| (Val::Int(at as i64), item.as_element()))
                    .collect()
            }
            Val::Int(count) | Val::Int64(count) => {
                self.spent.charge((*count).max(0) as u64)?;
                (0..*count).map(|at| (Val::Int(at), Val::Int(at))).collect()
            }
            other => match other.items() {
                Some(items) => {
                    let items = items.into_iter().enumerate();
                    items
                        .map(|(at, item)| (Val::Int(at as i64), item))
                        .collect()
                }
                None => {
                    let shown = print::to_text(&mut self.spent, other)?;
                    let message = format!("range can't iterate over {shown}");
                    let last = branch.pipe.commands.last();
                    let last = last.and_then(|command| command.operands.last());
                    let at = last.map_or(branch.pipe.at, |last| last.at);
                    return Err(located(frame, at, last, &message));
                }
            },
        };
        self.spent.charge(items.len() as u64)?;
        let known = frame.variables.len();
        let names = &branch.pipe.variables;
        if items.is_empty() {
            return self.body(frame, &branch.otherwise, dot, out);
        }
        self.spent.enter()?;
        for (key, item) in items {
            match names.as_slice() {
                [] => {}
                [one] => self.set(frame, &branch.pipe, one, item.clone())?,
                [first, second, ..] => {
                    self.set(frame, &branch.pipe, first, key)?;
                    self.set(frame, &branch.pipe, second, item.clone())?;
                }
            }
            let flow = self.body(frame, &branch.body, &item, out)?;
            frame.variables.truncate(known);
            if flow == LoopFlow::Break {
                break;
            }
        }
        self.spent.leave();
        Ok(LoopFlow::On)
    }

    fn set(&self, frame: &mut Frame, pipe: &Pipe, name: &SmolStr, value: Val) -> Result<(), Fail> {
        match pipe.assignment {
            Assignment::Declares => frame.variables.push((name.clone(), value)),
            Assignment::Changes => {
                let mut known = frame.variables.iter_mut().rev();
                match known.find(|(other, _)| other == name) {
                    Some((_, old)) => *old = value,
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
        let value = self.pipe_value(frame, pipe, dot)?;
        for name in &pipe.variables {
            self.set(frame, pipe, name, value.clone())?;
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

fn without_no_value(text: String) -> String {
    if text.contains("<no value>") {
        text.replace("<no value>", "")
    } else {
        text
    }
}
