//! Parses pipelines, commands and operands.

use smol_str::SmolStr;

use super::lex::TokenKind;
use super::parse::{Parse, TemplateParser};
use super::tree::{Assignment, Pipe, PipeCommand, TemplateOperand, Term};
use crate::functions;

impl TemplateParser<'_> {
    /// A pipeline, with the variables it sets, up to and including `end`.
    pub(super) fn pipe(&mut self, context: &str, end: &TokenKind) -> Parse<Pipe> {
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
            // Nothing need follow the last `|`.
            commands.push(self.command(context, end)?);
        }
        for (nth, command) in commands.iter().enumerate().skip(1) {
            let PipeCommand { operands } = command;
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
        while let TokenKind::Variable(name) = self.peek().kind.clone() {
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
    fn command(&mut self, context: &str, end: &TokenKind) -> Parse<PipeCommand> {
        let mut operands = Vec::new();
        loop {
            self.skip_space();
            let token = self.peek().clone();
            if token.kind == *end {
                break;
            }
            if token.kind == TokenKind::Pipe {
                self.next += 1;
                break;
            }
            operands.push(self.operand(context)?);
            let next = &self.peek().kind;
            if *next != TokenKind::Space && *next != TokenKind::Pipe && next != end {
                let token = self.peek().clone();
                return Err(self.unexpected(&token, "operand"));
            }
        }
        if operands.is_empty() {
            return Err(self.error(self.peek().at, "empty command"));
        }
        Ok(PipeCommand { operands })
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
