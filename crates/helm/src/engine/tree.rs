//! The syntax tree of a template.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::functions::Function;
use base::hash::HashMap;

/// A parsed file: its own body and the templates that it defines.
#[derive(Debug)]
pub struct ParsedTemplate {
    pub main: Arc<SyntaxTree>,
    pub defined: HashMap<SmolStr, Arc<SyntaxTree>>,
}

/// A template.
#[derive(Debug)]
pub struct SyntaxTree {
    /// Empty for the body of a file.
    pub name: SmolStr,
    pub source: Arc<Source>,
    pub body: Vec<Node>,
}

impl SyntaxTree {
    /// Whether the template writes nothing but white space; such a definition does not replace another.
    pub fn is_blank(&self) -> bool {
        self.body.iter().all(|node| match node {
            Node::Text { text, .. } => text.trim().is_empty(),
            _ => false,
        })
    }
}

/// The text of a file, and where its lines begin.
#[derive(Debug)]
pub struct Source {
    pub text: SmolStr,
    starts: Vec<u32>,
}

impl Source {
    pub fn new(text: SmolStr) -> Source {
        let breaks = text.match_indices('\n');
        let starts = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at as u32 + 1))
            .collect();
        Source { text, starts }
    }

    /// The line, counted from one, and the column in bytes, counted from zero.
    pub fn line_column(&self, at: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).map_or(0, |before| self.starts[before]);
        (line as u32, at - start)
    }
}

#[derive(Debug)]
pub enum Node {
    Text {
        text: SmolStr,
        at: u32,
    },
    Write(Pipe),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template {
        name: SmolStr,
        argument: Option<Pipe>,
        at: u32,
    },
    Break,
    Continue,
}

/// A condition or loop, and what runs otherwise.
#[derive(Debug)]
pub struct Branch {
    pub pipe: Pipe,
    pub body: Vec<Node>,
    pub otherwise: Vec<Node>,
}

#[derive(Debug)]
pub struct Pipe {
    pub at: u32,
    pub variables: Vec<SmolStr>,
    pub assignment: Assignment,
    pub commands: Vec<PipeCommand>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    /// `:=`, or none.
    Declares,
    /// `=`.
    Changes,
}

#[derive(Debug)]
pub struct PipeCommand {
    pub operands: Vec<TemplateOperand>,
}

/// An operand, and the range of the text that it is written in.
#[derive(Debug)]
pub struct TemplateOperand {
    pub value: Term,
    /// The position that Go reports.
    pub at: u32,
    pub start: u32,
    pub end: u32,
}

#[derive(Debug)]
pub enum Term {
    Dot,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(SmolStr),
    /// `.a.b`.
    Field(Vec<SmolStr>),
    /// `$x.a`.
    Variable(SmolStr, Vec<SmolStr>),
    Function(&'static Function),
    Pipe(Box<Pipe>),
    /// Fields of something else, such as `(index . 0).a`.
    Chain(Box<TemplateOperand>, Vec<SmolStr>),
}
