//! Parses a template into its tree.

use std::sync::Arc;

use smol_str::SmolStr;

use super::lex::{LexedToken, SyntaxError, TokenKind, lex};
use super::tree::{Branch, Node, ParsedTemplate, Source, SyntaxTree};
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

pub(super) struct TemplateParser<'t> {
    pub(super) tokens: &'t [LexedToken],
    pub(super) next: usize,
    pub(super) depth: usize,
    source: Arc<Source>,
    /// Names of the variables in scope.
    pub(super) variables: Vec<SmolStr>,
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

pub(super) type Parse<T> = Result<T, SyntaxError>;

impl TemplateParser<'_> {
    pub(super) fn error(&self, at: u32, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            at,
        }
    }

    pub(super) fn peek(&self) -> &LexedToken {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub(super) fn take(&mut self) -> LexedToken {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    pub(super) fn skip_space(&mut self) {
        while self.peek().kind == TokenKind::Space {
            self.next += 1;
        }
    }

    pub(super) fn enter(&mut self) -> Parse<()> {
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

    pub(super) fn unexpected(&self, token: &LexedToken, context: &str) -> SyntaxError {
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
}
