//! Parses the pieces of a template into a tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::lex::{self, TemplatePiece, Token};
use super::{Fault, MAX_DEPTH, Value};

pub type Body = Vec<TemplateNode>;
/// Named templates. Shared, so that including one does not copy it.
pub type Blocks = BTreeMap<SmolStr, Arc<Body>>;

/// A node of a template's tree.
#[derive(Debug, Clone)]
pub enum TemplateNode {
    Text(String, u32),
    Write(Pipeline, u32),
    /// Branches, the first true one of which runs, and the `else` branch.
    If(Vec<(Pipeline, Body)>, Body, u32),
    With(Pipeline, Body, Body, u32),
    Range(Pipeline, Body, Body, u32),
    Include(SmolStr, Option<Pipeline>, u32),
    Break,
    Continue,
}

#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The variables that are set to its value.
    pub names: Vec<SmolStr>,
    pub is_new: bool,
    pub commands: Vec<Vec<Operand>>,
}

#[derive(Debug, Clone)]
pub enum Operand {
    Literal(Value),
    Dot(Vec<SmolStr>),
    Variable(SmolStr, Vec<SmolStr>),
    Inner(Pipeline, Vec<SmolStr>),
    Call(SmolStr),
}

pub fn parse(text: &str, blocks: &mut Blocks) -> Result<Body, Fault> {
    let pieces = lex::pieces(text)?;
    let mut parser = Parser {
        pieces: &pieces,
        at: 0,
        blocks,
    };
    let (body, end) = parser.body(0)?;
    match end {
        None => Ok(body),
        Some((word, _, line)) => Err(Fault {
            message: format!("`{word}` without a matching block"),
            line,
        }),
    }
}

struct Parser<'p, 't> {
    pieces: &'p [TemplatePiece<'t>],
    at: usize,
    blocks: &'p mut Blocks,
}

/// `end` or `else`, with the tokens after it.
type BlockEnd = (SmolStr, Vec<Token>, u32);

impl Parser<'_, '_> {
    fn body(&mut self, depth: usize) -> Result<(Body, Option<BlockEnd>), Fault> {
        let mut body = Body::new();
        while let Some(piece) = self.pieces.get(self.at) {
            self.at += 1;
            let (tokens, line) = match piece {
                TemplatePiece::Text(text, line) => {
                    body.push(TemplateNode::Text((*text).to_owned(), *line));
                    continue;
                }
                TemplatePiece::Action(tokens, line) => (tokens, *line),
            };
            if depth > MAX_DEPTH {
                return Err(fault("actions are nested too deeply", line));
            }
            let mut tokens: &[Token] = tokens;
            skip(&mut tokens);
            let keyword = match tokens.first() {
                Some(Token::Word(word)) => word.as_str(),
                Some(_) => "",
                None => return Err(fault("an action is empty", line)),
            };
            let rest = &tokens[1..];
            match keyword {
                "end" | "else" => {
                    return Ok((body, Some((keyword.into(), rest.to_vec(), line))));
                }
                "if" => body.push(self.choice(rest, line, depth)?),
                "with" | "range" => {
                    let over = pipeline(rest, line)?;
                    let (inner, end) = self.body(depth + 1)?;
                    let other = self.otherwise(end, line, depth)?;
                    body.push(match keyword {
                        "with" => TemplateNode::With(over, inner, other, line),
                        _ => TemplateNode::Range(over, inner, other, line),
                    });
                }
                "define" | "block" => {
                    let mut rest = rest;
                    skip(&mut rest);
                    let Some(Token::Text(name)) = rest.first() else {
                        return Err(fault("a definition has no name", line));
                    };
                    let (inner, end) = self.body(depth + 1)?;
                    closed(&end, line)?;
                    self.blocks.insert(name.clone(), Arc::new(inner));
                    if keyword == "block" {
                        let argument = Some(pipeline(&rest[1..], line)?);
                        body.push(TemplateNode::Include(name.clone(), argument, line));
                    }
                }
                "template" => {
                    let mut rest = rest;
                    skip(&mut rest);
                    let Some(Token::Text(name)) = rest.first() else {
                        return Err(fault("`template` has no name", line));
                    };
                    let mut rest = &rest[1..];
                    skip(&mut rest);
                    let argument = if rest.is_empty() {
                        None
                    } else {
                        Some(pipeline(rest, line)?)
                    };
                    body.push(TemplateNode::Include(name.clone(), argument, line));
                }
                "break" => body.push(TemplateNode::Break),
                "continue" => body.push(TemplateNode::Continue),
                _ => body.push(TemplateNode::Write(pipeline(tokens, line)?, line)),
            }
        }
        Ok((body, None))
    }

    fn choice(
        &mut self,
        condition: &[Token],
        line: u32,
        depth: usize,
    ) -> Result<TemplateNode, Fault> {
        let mut branches = Vec::new();
        let mut condition = pipeline(condition, line)?;
        loop {
            let (inner, end) = self.body(depth + 1)?;
            branches.push((condition, inner));
            match end {
                Some((word, rest, line)) if word == "else" => {
                    let mut rest: &[Token] = &rest;
                    skip(&mut rest);
                    match rest.first() {
                        Some(Token::Word(word)) if word == "if" => {
                            condition = pipeline(&rest[1..], line)?;
                        }
                        _ => {
                            let (other, end) = self.body(depth + 1)?;
                            closed(&end, line)?;
                            return Ok(TemplateNode::If(branches, other, line));
                        }
                    }
                }
                end => {
                    closed(&end, line)?;
                    return Ok(TemplateNode::If(branches, Body::new(), line));
                }
            }
        }
    }

    fn otherwise(&mut self, end: Option<BlockEnd>, line: u32, depth: usize) -> Result<Body, Fault> {
        match end {
            Some((word, _, _)) if word == "else" => {
                let (other, end) = self.body(depth + 1)?;
                closed(&end, line)?;
                Ok(other)
            }
            end => closed(&end, line).map(|()| Body::new()),
        }
    }
}

fn fault(message: &str, line: u32) -> Fault {
    Fault {
        message: message.to_owned(),
        line,
    }
}

fn closed(end: &Option<BlockEnd>, line: u32) -> Result<(), Fault> {
    match end {
        Some((word, _, _)) if word == "end" => Ok(()),
        _ => Err(fault("an `end` is missing", line)),
    }
}

fn skip(tokens: &mut &[Token]) {
    while let Some((Token::Space, rest)) = tokens.split_first() {
        *tokens = rest;
    }
}

fn pipeline(tokens: &[Token], line: u32) -> Result<Pipeline, Fault> {
    let mut tokens = tokens;
    let pipeline = pipeline_of(&mut tokens, line, 0)?;
    if tokens.is_empty() {
        Ok(pipeline)
    } else {
        Err(fault("a closing parenthesis has no opening one", line))
    }
}

fn pipeline_of(tokens: &mut &[Token], line: u32, depth: usize) -> Result<Pipeline, Fault> {
    if depth > MAX_DEPTH {
        return Err(fault("parentheses are nested too deeply", line));
    }
    let (names, is_new) = declared(tokens);
    let mut commands = vec![Vec::new()];
    loop {
        skip(tokens);
        let Some((token, rest)) = tokens.split_first() else {
            break;
        };
        let operands = commands.last_mut().expect("there is one from the start");
        match token {
            Token::Close => break,
            Token::Pipe => {
                *tokens = rest;
                commands.push(Vec::new());
                continue;
            }
            _ => {}
        }
        *tokens = rest;
        operands.push(match token {
            Token::Text(text) => Operand::Literal(Value::Text(text.clone())),
            Token::Int(number) => Operand::Literal(Value::Int(*number)),
            Token::Float(number) => Operand::Literal(Value::Float(*number)),
            Token::Word(word) => match word.as_str() {
                "true" => Operand::Literal(Value::Bool(true)),
                "false" => Operand::Literal(Value::Bool(false)),
                "nil" => Operand::Literal(Value::Nil),
                _ => Operand::Call(word.clone()),
            },
            Token::Dot => Operand::Dot(Vec::new()),
            Token::Field(name) => {
                let mut chain = vec![name.clone()];
                chain.extend(fields(tokens));
                Operand::Dot(chain)
            }
            Token::Variable(name) => Operand::Variable(name.clone(), fields(tokens)),
            Token::Open => {
                let inner = pipeline_of(tokens, line, depth + 1)?;
                match tokens.split_first() {
                    Some((Token::Close, rest)) => *tokens = rest,
                    _ => return Err(fault("a parenthesis is not closed", line)),
                }
                Operand::Inner(inner, fields(tokens))
            }
            _ => return Err(fault("an action is invalid", line)),
        });
    }
    if commands.iter().any(Vec::is_empty) {
        Err(fault("an action is empty", line))
    } else {
        Ok(Pipeline {
            names,
            is_new,
            commands,
        })
    }
}

/// Parses `$a :=`, `$a =` and `$a, $b :=`.
fn declared(tokens: &mut &[Token]) -> (Vec<SmolStr>, bool) {
    let mut rest: &[Token] = tokens;
    let mut names = Vec::new();
    loop {
        skip(&mut rest);
        let Some((Token::Variable(name), after)) = rest.split_first() else {
            return (Vec::new(), false);
        };
        names.push(name.clone());
        rest = after;
        skip(&mut rest);
        match rest.split_first() {
            Some((Token::Comma, after)) if names.len() == 1 => rest = after,
            Some((token @ (Token::Declare | Token::Assign), after)) => {
                *tokens = after;
                return (names, *token == Token::Declare);
            }
            _ => return (Vec::new(), false),
        }
    }
}

/// Parses the further fields of a chain, which follow without a space.
fn fields(tokens: &mut &[Token]) -> Vec<SmolStr> {
    let mut names = Vec::new();
    while let Some((Token::Field(name), rest)) = tokens.split_first() {
        names.push(name.clone());
        *tokens = rest;
    }
    names
}
