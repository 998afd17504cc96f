//! Parses a template into its tree.

use std::sync::Arc;

use smol_str::SmolStr;

use super::lex::{LexedToken, SyntaxError, TokenKind, lex};
use super::tree::{
    Assignment, Branch, Command, Node, ParsedTemplate, Pipe, Source, SyntaxTree, TemplateOperand,
    Term,
};
use crate::functions;
use base::hash::HashMap;

/// Maximum nesting of actions and parentheses.
const MAX_DEPTH: usize = 100;

/// Why a file cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    pub message: String,
    pub line: u32,
}

/// Parses a file. Its main template has no name, so that charts can share it.
pub fn parse(text: SmolStr) -> Result<ParsedTemplate, ParseError> {
    let source = Arc::new(Source::new(text));
    let failed = |error: SyntaxError| ParseError {
        line: source.line_column(error.at).0,
        message: error.message,
    };
    let tokens = lex(&source.text).map_err(failed)?;
    let mut parser = TemplateParser {
        tokens: &tokens,
        next: 0,
        depth: 0,
        source: source.clone(),
        variables: vec![SmolStr::default()],
        range_depth: 0,
        defined: HashMap::default(),
    };
    let (body, end) = parser.body().map_err(failed)?;
    if end != Ending::File {
        let at = tokens[parser.next.saturating_sub(1)].at;
        return Err(failed(parser.error(at, "unexpected {{end}}")));
    }
    let main = Arc::new(SyntaxTree {
        name: SmolStr::default(),
        source: source.clone(),
        body,
    });
    Ok(ParsedTemplate {
        main,
        defined: parser.defined,
    })
}

struct TemplateParser<'t> {
    tokens: &'t [LexedToken],
    next: usize,
    depth: usize,
    source: Arc<Source>,
    /// Names of the variables in scope.
    variables: Vec<SmolStr>,
    range_depth: usize,
    defined: HashMap<SmolStr, Arc<SyntaxTree>>,
}

/// How a list of nodes ends.
#[derive(Debug, PartialEq, Eq)]
enum Ending {
    File,
    End,
    /// `else`, with the keyword that follows it.
    Else(Option<&'static str>),
}

type Parse<T> = Result<T, SyntaxError>;

impl TemplateParser<'_> {
    fn error(&self, at: u32, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            at,
        }
    }

    fn peek(&self) -> &LexedToken {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> LexedToken {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    fn skip_space(&mut self) {
        while self.peek().kind == TokenKind::Space {
            self.next += 1;
        }
    }

    fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(self.peek().at, "the template is nested too deeply"));
        }
        Ok(())
    }

    /// Nodes up to `end`, `else` or the end of the file.
    fn body(&mut self) -> Parse<(Vec<Node>, Ending)> {
        self.enter()?;
        let mut nodes = Vec::new();
        let ending = loop {
            let token = self.take();
            match token.kind {
                TokenKind::Text(text) => nodes.push(Node::Text { text, at: token.at }),
                TokenKind::Open => {
                    if let Some(ending) = self.action(&mut nodes)? {
                        break ending;
                    }
                }
                _ => break Ending::File,
            }
        };
        self.depth -= 1;
        Ok((nodes, ending))
    }

    /// One action; returns the ending if it ends the list.
    fn action(&mut self, nodes: &mut Vec<Node>) -> Parse<Option<Ending>> {
        self.skip_space();
        let token = self.peek().clone();
        let word = match &token.kind {
            TokenKind::Word(word) => word.clone(),
            _ => SmolStr::default(),
        };
        match word.as_str() {
            "end" => {
                self.next += 1;
                self.close("end")?;
                return Ok(Some(Ending::End));
            }
            "else" => return self.otherwise().map(Some),
            "if" | "with" | "range" => {
                self.next += 1;
                nodes.push(self.branch(&word)?);
            }
            "define" => {
                self.next += 1;
                self.define()?;
            }
            "block" => {
                self.next += 1;
                nodes.push(self.block()?);
            }
            "template" => {
                self.next += 1;
                nodes.push(self.template(token.at)?);
            }
            "break" | "continue" => {
                self.next += 1;
                if self.range_depth == 0 {
                    return Err(
                        self.error(token.at, format!("{{{{{word}}}}} outside {{{{range}}}}"))
                    );
                }
                self.close(&word)?;
                nodes.push(if word == "break" {
                    Node::Break
                } else {
                    Node::Continue
                });
            }
            _ => {
                let pipe = self.pipe("command", &TokenKind::Close)?;
                nodes.push(Node::Write(pipe));
            }
        }
        Ok(None)
    }

    fn otherwise(&mut self) -> Parse<Ending> {
        self.next += 1;
        self.skip_space();
        let token = self.peek().clone();
        match &token.kind {
            TokenKind::Close => {
                self.next += 1;
                Ok(Ending::Else(None))
            }
            TokenKind::Word(word) if word == "if" || word == "with" => {
                self.next += 1;
                Ok(Ending::Else(Some(if word == "if" { "if" } else { "with" })))
            }
            _ => Err(self.unexpected(&token, "else")),
        }
    }

    fn close(&mut self, context: &str) -> Parse<()> {
        self.skip_space();
        let token = self.take();
        if token.kind == TokenKind::Close {
            Ok(())
        } else {
            Err(self.unexpected(&token, context))
        }
    }

    fn unexpected(&self, token: &LexedToken, context: &str) -> SyntaxError {
        let text = &self.source.text;
        let shown = text.get(token.at as usize..token.end as usize);
        let shown = shown.filter(|shown| !shown.is_empty()).unwrap_or("EOF");
        self.error(token.at, format!("unexpected {shown:?} in {context}"))
    }

    /// `if`, `with` or `range`, after the keyword.
    fn branch(&mut self, word: &str) -> Parse<Node> {
        let known = self.variables.len();
        let is_loop = word == "range";
        let pipe = self.pipe(word, &TokenKind::Close)?;
        if is_loop {
            self.range_depth += 1;
        }
        let (body, ending) = self.body()?;
        if is_loop {
            self.range_depth -= 1;
        }
        // As in Go, variables of the body are known after `else`; using one fails when it runs.
        let otherwise = match ending {
            Ending::End => Vec::new(),
            Ending::Else(None) => {
                let (body, ending) = self.body()?;
                if ending != Ending::End {
                    let at = self.peek().at;
                    return Err(self.error(at, "expected end; found {{else}}"));
                }
                body
            }
            Ending::Else(Some(next)) if next == word => {
                self.enter()?;
                let node = self.branch(next)?;
                self.depth -= 1;
                vec![node]
            }
            Ending::Else(Some(_)) => {
                let token = self.peek().clone();
                return Err(self.unexpected(&token, word));
            }
            Ending::File => return Err(self.error(self.peek().at, "unexpected EOF")),
        };
        self.variables.truncate(known);
        let branch = Branch {
            pipe,
            body,
            otherwise,
        };
        Ok(match word {
            "if" => Node::If(branch),
            "with" => Node::With(branch),
            _ => Node::Range(branch),
        })
    }

    fn name(&mut self, context: &str) -> Parse<SmolStr> {
        self.skip_space();
        let token = self.take();
        match token.kind {
            TokenKind::Quoted(name) => Ok(name),
            _ => Err(self.unexpected(&token, context)),
        }
    }

    fn define(&mut self) -> Parse<()> {
        let name = self.name("define clause")?;
        self.close("define clause")?;
        let tree = self.definition(&name)?;
        self.add(tree)
    }

    /// The body of a definition, with variables of its own.
    fn definition(&mut self, name: &SmolStr) -> Parse<SyntaxTree> {
        let outer = std::mem::replace(&mut self.variables, vec![SmolStr::default()]);
        let loops = std::mem::take(&mut self.range_depth);
        let (body, ending) = self.body()?;
        if ending != Ending::End {
            return Err(self.error(self.peek().at, "unexpected EOF"));
        }
        self.variables = outer;
        self.range_depth = loops;
        Ok(SyntaxTree {
            name: name.clone(),
            source: self.source.clone(),
            body,
        })
    }

    fn add(&mut self, tree: SyntaxTree) -> Parse<()> {
        let name = tree.name.clone();
        match self.defined.get(&name) {
            Some(known) if !known.is_blank() => {
                if !tree.is_blank() {
                    let message = format!("template: multiple definition of template {name:?}");
                    return Err(self.error(self.peek().at, message));
                }
            }
            _ => drop(self.defined.insert(name, Arc::new(tree))),
        }
        Ok(())
    }

    fn block(&mut self) -> Parse<Node> {
        let at = self.peek().at;
        let name = self.name("block clause")?;
        let argument = self.pipe("block clause", &TokenKind::Close)?;
        let tree = self.definition(&name)?;
        self.add(tree)?;
        Ok(Node::Template {
            name,
            argument: Some(argument),
            at,
        })
    }

    fn template(&mut self, at: u32) -> Parse<Node> {
        let name = self.name("template clause")?;
        self.skip_space();
        let argument = if self.peek().kind == TokenKind::Close {
            self.next += 1;
            None
        } else {
            Some(self.pipe("template clause", &TokenKind::Close)?)
        };
        Ok(Node::Template { name, argument, at })
    }

    /// A pipeline, with the variables it sets, up to and including `end`.
    fn pipe(&mut self, context: &str, end: &TokenKind) -> Parse<Pipe> {
        self.enter()?;
        self.skip_space();
        let at = self.peek().at;
        let (variables, assignment) = self.declarations(context)?;
        let mut commands = Vec::new();
        loop {
            self.skip_space();
            let token = self.peek().clone();
            if token.kind == *end {
                self.next += 1;
                if commands.is_empty() {
                    return Err(self.error(token.at, format!("missing value for {context}")));
                }
                break;
            }
            let (command, has_more) = self.command(context, end)?;
            commands.push(command);
            if has_more {
                self.skip_space();
                let token = self.peek().clone();
                if token.kind == *end {
                    return Err(self.error(token.at, format!("missing value for {context}")));
                }
            }
        }
        for (nth, command) in commands.iter().enumerate().skip(1) {
            let Command { operands } = command;
            if matches!(
                operands[0].value,
                Term::Bool(_)
                    | Term::Dot
                    | Term::Nil
                    | Term::Int(_)
                    | Term::Float(_)
                    | Term::Text(_)
            ) {
                let message = format!("non executable command in pipeline stage {}", nth + 1);
                return Err(self.error(operands[0].at, message));
            }
        }
        if assignment == Assignment::Declares {
            self.variables.extend(variables.iter().cloned());
        }
        self.depth -= 1;
        Ok(Pipe {
            at,
            variables,
            assignment,
            commands,
        })
    }

    /// `$x :=`, `$x =` or `$i, $x :=`.
    fn declarations(&mut self, context: &str) -> Parse<(Vec<SmolStr>, Assignment)> {
        let mut names = Vec::new();
        let start = self.next;
        loop {
            let TokenKind::Variable(name) = self.peek().kind.clone() else {
                break;
            };
            self.next += 1;
            self.skip_space();
            names.push(name);
            match self.peek().kind {
                TokenKind::Declare => {
                    self.next += 1;
                    return Ok((names, Assignment::Declares));
                }
                TokenKind::Assign => {
                    self.next += 1;
                    return Ok((names, Assignment::Changes));
                }
                TokenKind::Comma if context == "range" && names.len() < 2 => {
                    self.next += 1;
                    self.skip_space();
                }
                _ => break,
            }
        }
        self.next = start;
        Ok((Vec::new(), Assignment::Declares))
    }

    /// Operands up to a pipe sign or the end; returns whether more commands follow.
    fn command(&mut self, context: &str, end: &TokenKind) -> Parse<(Command, bool)> {
        let mut operands = Vec::new();
        let has_more = loop {
            self.skip_space();
            let token = self.peek().clone();
            if token.kind == *end {
                break false;
            }
            if token.kind == TokenKind::Pipe {
                self.next += 1;
                break true;
            }
            operands.push(self.operand(context)?);
            let next = &self.peek().kind;
            if *next != TokenKind::Space && *next != TokenKind::Pipe && next != end {
                let token = self.peek().clone();
                return Err(self.unexpected(&token, "operand"));
            }
        };
        if operands.is_empty() {
            return Err(self.error(self.peek().at, "empty command"));
        }
        Ok((Command { operands }, has_more))
    }

    /// A term with the fields that directly follow it.
    fn operand(&mut self, context: &str) -> Parse<TemplateOperand> {
        let first = self.term(context)?;
        let mut fields = Vec::new();
        let at = self.peek().at;
        while let TokenKind::Field(name) = &self.peek().kind {
            fields.push(name.clone());
            self.next += 1;
        }
        if fields.is_empty() {
            return Ok(first);
        }
        let end = self.tokens[self.next - 1].end;
        let start = first.start;
        let value = match first.value {
            Term::Field(mut names) => {
                names.extend(fields);
                Term::Field(names)
            }
            Term::Variable(name, mut names) => {
                names.extend(fields);
                Term::Variable(name, names)
            }
            Term::Bool(_)
            | Term::Int(_)
            | Term::Float(_)
            | Term::Text(_)
            | Term::Nil
            | Term::Dot => {
                return Err(self.error(at, "unexpected . after term"));
            }
            _ => Term::Chain(Box::new(first), fields),
        };
        Ok(TemplateOperand {
            value,
            at,
            start,
            end,
        })
    }

    fn term(&mut self, context: &str) -> Parse<TemplateOperand> {
        let token = self.take();
        let mut end = token.end;
        let value = match &token.kind {
            TokenKind::Dot => Term::Dot,
            TokenKind::Field(name) => Term::Field(vec![name.clone()]),
            TokenKind::Variable(name) => {
                if !self.variables.contains(name) {
                    return Err(self.error(token.at, format!("undefined variable \"${name}\"")));
                }
                Term::Variable(name.clone(), Vec::new())
            }
            TokenKind::Int(value) => Term::Int(*value),
            TokenKind::Float(value) => Term::Float(*value),
            TokenKind::Quoted(text) => Term::Text(text.clone()),
            TokenKind::Word(word) => match word.as_str() {
                "true" => Term::Bool(true),
                "false" => Term::Bool(false),
                "nil" => Term::Nil,
                name => match functions::find(name) {
                    Some(function) => Term::Function(function),
                    None => {
                        return Err(self.error(token.at, format!("function {name:?} not defined")));
                    }
                },
            },
            TokenKind::Left => {
                let pipe = self.pipe("parenthesized pipeline", &TokenKind::Right)?;
                end = self.tokens[self.next - 1].end;
                Term::Pipe(Box::new(pipe))
            }
            _ => return Err(self.unexpected(&token, context)),
        };
        Ok(TemplateOperand {
            value,
            at: token.at,
            start: token.at,
            end,
        })
    }
}
