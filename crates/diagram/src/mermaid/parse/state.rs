//! `stateDiagram` and `stateDiagram-v2`. Composite states become groups, `[*]` a start or an end in each of them.

mod note;

use super::cursor::{Cursor, excerpt};
use super::graph::{GraphBuilder, direction_named};
use super::lines::MermaidSource;
use super::style::Paint;
use super::{Error, MOST_LEVELS, check_count, text};
use crate::{Flow, FlowEdge, Shape};

pub(super) fn parse(document: &MermaidSource) -> Result<Flow, Error> {
    let mut cursor = Cursor::new(&document.body);
    cursor.take(document.header);
    let mut reader = StateDiagramParser {
        cursor,
        graph: GraphBuilder::default(),
        described: Vec::new(),
        scopes: vec![StateScope::default()],
        scope_count: 1,
    };
    while reader.read_statement()? {}
    match reader.scopes.last() {
        Some(scope) if reader.scopes.len() > 1 => {
            Err(Error::at(scope.line, "this composite state has no `}`"))
        }
        _ => reader.graph.finish(),
    }
}

struct StateDiagramParser<'a> {
    cursor: Cursor<'a>,
    graph: GraphBuilder,
    /// For each vertex, whether a description has replaced its id.
    described: Vec<bool>,
    /// The diagram and the composite states around the cursor, innermost last.
    scopes: Vec<StateScope>,
    scope_count: usize,
}

#[derive(Default)]
struct StateScope {
    /// The frame of the composite state. The diagram itself has none.
    composite: Option<usize>,
    /// The frame of the current region, once there is a `--`.
    region: Option<usize>,
    /// Distinguishes the `[*]` of this region.
    number: usize,
    line: usize,
    /// The vertices mentioned so far.
    mentioned: Vec<usize>,
}

impl StateScope {
    fn frame(&self) -> Option<usize> {
        self.region.or(self.composite)
    }
}

/// Which side of an arrow a `[*]` is on.
#[derive(Clone, Copy)]
enum ArrowSide {
    From,
    To,
}

impl<'a> StateDiagramParser<'a> {
    /// False at the end of the source.
    fn read_statement(&mut self) -> Result<bool, Error> {
        if !self.cursor.skip_to_statement() {
            return Ok(false);
        }
        if self.cursor.starts_with("%%") || self.cursor.starts_with("#") {
            self.cursor.take_line();
        } else if self.cursor.eat("}") {
            self.close_composite()?;
        } else if self.cursor.starts_with("--") && !self.cursor.starts_with("-->") {
            self.cursor.take_while(|c| c == '-');
            self.start_region()?;
        } else if !self.read_keyword()? {
            self.read_transition()?;
        }
        Ok(true)
    }

    /// False if the statement starts with no keyword.
    fn read_keyword(&mut self) -> Result<bool, Error> {
        let start = self.cursor;
        let word = self.cursor.take_while(|c| c.is_ascii_alphabetic());
        let before_blanks = self.cursor;
        self.cursor.skip_spaces();
        let has_blank = before_blanks.rest().len() > self.cursor.rest().len();
        let is_arrow = self.cursor.starts_with("-->") || self.cursor.starts_with(":");
        if !has_blank || is_arrow {
            self.cursor = start;
            return Ok(false);
        }
        match word.to_ascii_lowercase().as_str() {
            "state" => self.read_state()?,
            "note" => self.read_note()?,
            "direction" => self.read_direction()?,
            "classdef" => {
                let names = self.cursor.take_word();
                let paint = Paint::parse(self.cursor.take_line());
                self.graph.define_classes(names, paint);
            }
            "class" => {
                let line = self.take_statement_line();
                let Some((ids, class)) = line.rsplit_once(char::is_whitespace) else {
                    return Err(self
                        .cursor
                        .error("`class` needs states and the name of a class"));
                };
                self.graph.add_class(ids, class);
            }
            "style" => {
                let ids = self.cursor.take_word();
                let paint = Paint::parse(self.cursor.take_line());
                self.graph.add_paint(ids, paint);
            }
            "click" => self.graph.read_href(&mut self.cursor),
            "scale" | "hide" => {
                self.cursor.take_line();
            }
            _ => {
                self.cursor = start;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take_statement_line(&mut self) -> &'a str {
        self.cursor
            .take_line()
            .trim()
            .trim_end_matches(';')
            .trim_end()
    }

    fn read_direction(&mut self) -> Result<(), Error> {
        let word = self.cursor.take_word();
        let Some(direction) = direction_named(word) else {
            let message = format!(
                "`{}` is no direction; write `TB`, `BT`, `LR` or `RL`",
                excerpt(word)
            );
            return Err(self.cursor.error(message));
        };
        match self.scopes.last().and_then(StateScope::frame) {
            Some(frame) => self.graph.frames[frame].group.direction = Some(direction),
            None => self.graph.direction = Some(direction),
        }
        Ok(())
    }

    /// The vertex of a state, in the group around the cursor. As in Mermaid, the last group that mentions it has it.
    fn mention(&mut self, id: &str, shape: Shape) -> usize {
        let vertex = self.graph.vertex(id, shape);
        self.place(vertex);
        vertex
    }

    fn place(&mut self, vertex: usize) {
        if self.described.len() <= vertex {
            self.described.resize(vertex + 1, false);
        }
        if let Some(scope) = self.scopes.last_mut() {
            if let Some(frame) = scope.frame() {
                self.graph.node(vertex).group = Some(frame);
            }
            scope.mentioned.push(vertex);
        }
    }

    /// `A --> B : text`, `A : description`, or a state alone.
    fn read_transition(&mut self) -> Result<(), Error> {
        let line = self.cursor.line();
        let from = self.read_end(ArrowSide::From)?;
        self.cursor.skip_spaces();
        if self.cursor.eat("-->") {
            self.cursor.skip_spaces();
            let to = self.read_end(ArrowSide::To)?;
            self.cursor.skip_spaces();
            let mut edge = FlowEdge::new(from, to);
            if self.cursor.eat(":") {
                let label = text::label(self.cursor.take_line());
                edge.label = (!label.is_empty()).then_some(label);
            }
            self.graph.connect(edge, line)?;
        } else if self.cursor.eat(":") {
            let description = self.cursor.take_line();
            self.describe(from, description);
        }
        self.expect_end()
    }

    fn expect_end(&mut self) -> Result<(), Error> {
        self.cursor.skip_spaces();
        let is_end = self
            .cursor
            .peek()
            .is_none_or(|c| matches!(c, '\n' | ';' | '}' | '#'));
        if is_end || self.cursor.starts_with("%%") {
            return Ok(());
        }
        let message = format!("unexpected `{}`", self.cursor.excerpt());
        Err(self.cursor.error(message))
    }

    /// A state on one side of an arrow, with its class.
    fn read_end(&mut self, end: ArrowSide) -> Result<usize, Error> {
        if self.cursor.eat("[*]") {
            let number = self.scopes.last().map_or(0, |scope| scope.number);
            // No id has a line break.
            let (id, shape) = match end {
                ArrowSide::From => (format!("\nstart {number}"), Shape::Start),
                ArrowSide::To => (format!("\nend {number}"), Shape::End),
            };
            let vertex = self.mention(&id, shape);
            self.graph.node(vertex).label.clear();
            self.read_class(&id);
            return Ok(vertex);
        }
        let id = self.take_id();
        if id.is_empty() {
            let message = format!("expected a state, found `{}`", self.cursor.excerpt());
            return Err(self.cursor.error(message));
        }
        let vertex = self.mention(id, Shape::Round);
        self.read_class(id);
        Ok(vertex)
    }

    fn read_class(&mut self, id: &str) {
        if self.cursor.eat(":::") {
            let class = self
                .cursor
                .take_while(|c| c.is_alphanumeric() || c == '_' || c == '-');
            self.graph.add_class(id, class);
        }
    }

    /// The id of a state. An arrow ends it, a single dash does not.
    fn take_id(&mut self) -> &'a str {
        let rest = self.cursor.rest();
        let end = rest.char_indices().find(|(at, c)| {
            c.is_whitespace()
                || matches!(c, ':' | '{' | '}' | ';' | '"')
                || rest[*at..].starts_with("--")
                || rest[*at..].starts_with("%%")
        });
        self.cursor.take(end.map_or(rest.len(), |(at, _)| at))
    }

    /// The first description replaces the id, further ones are added below.
    fn describe(&mut self, vertex: usize, description: &str) {
        let line = text::label(description);
        let was_described = std::mem::replace(&mut self.described[vertex], true);
        let label = &mut self.graph.node(vertex).label;
        if !was_described {
            *label = line;
        } else if !label.split('\n').any(|known| known == line) {
            label.push('\n');
            label.push_str(&line);
        }
    }

    /// `state id`, `state "text" as id`, `state id <<fork>>`, `state id { … }`.
    fn read_state(&mut self) -> Result<(), Error> {
        let line = self.cursor.line();
        let description = if self.cursor.peek() == Some('"') {
            let Some(quoted) = self.cursor.take_quoted() else {
                return Err(self
                    .cursor
                    .error("the description of this state has no quote at its end"));
            };
            self.cursor.skip_spaces();
            let is_named =
                self.cursor.eat("as ") || self.cursor.eat("AS ") || self.cursor.eat("as\t");
            self.cursor.skip_spaces();
            Some((quoted, is_named))
        } else {
            None
        };
        let id = match description {
            Some((quoted, false)) => quoted,
            _ => self.take_id(),
        };
        if id.is_empty() {
            return Err(self.cursor.error("`state` needs the id of a state"));
        }
        let vertex = self.mention(id, Shape::Round);
        self.read_class(id);
        if let Some((quoted, _)) = description {
            self.describe(vertex, quoted);
        }
        self.cursor.skip_spaces();
        self.read_stereotype(vertex);
        self.cursor.skip_spaces();
        if self.cursor.eat("{") {
            return self.open_composite(id, vertex, line);
        }
        if self.cursor.eat(":") {
            let further = self.cursor.take_line();
            self.describe(vertex, further);
        }
        self.expect_end()
    }

    /// `<<fork>>` or `[[fork]]`.
    fn read_stereotype(&mut self, vertex: usize) {
        let start = self.cursor;
        if !self.cursor.eat("<<") && !self.cursor.eat("[[") {
            return;
        }
        let name = self.cursor.take_while(|c| c.is_ascii_alphanumeric());
        let is_closed = self.cursor.eat(">>") || self.cursor.eat("]]");
        let (shape, label) = match name.to_ascii_lowercase().as_str() {
            _ if !is_closed => {
                self.cursor = start;
                return;
            }
            "fork" | "join" => (Shape::Bar, ""),
            "choice" => (Shape::Diamond, ""),
            "history" => (Shape::Circle, "H"),
            "start" => (Shape::Start, ""),
            "end" => (Shape::End, ""),
            _ => return,
        };
        let node = self.graph.node(vertex);
        node.shape = shape;
        node.label = label.to_owned();
        self.described[vertex] = true;
    }

    fn open_composite(&mut self, id: &str, vertex: usize, line: usize) -> Result<(), Error> {
        check_count("levels of groups", self.scopes.len(), MOST_LEVELS)?;
        let label = self.graph.node(vertex).label.clone();
        let frame = self.graph.frame(id, label);
        if self
            .scopes
            .iter()
            .any(|scope| scope.composite == Some(frame))
        {
            return Err(Error::at(line, "this composite state is inside itself"));
        }
        self.scopes.push(StateScope {
            composite: Some(frame),
            number: self.scope_count,
            line,
            ..StateScope::default()
        });
        self.scope_count += 1;
        Ok(())
    }

    fn close_composite(&mut self) -> Result<(), Error> {
        if self.scopes.len() < 2 {
            return Err(self.cursor.error("`}` without a composite state"));
        }
        self.scopes.pop();
        Ok(())
    }

    /// `--`: what follows runs beside what came before. Each part is a group without a label.
    fn start_region(&mut self) -> Result<(), Error> {
        let Some(scope) = self
            .scopes
            .last_mut()
            .filter(|scope| scope.composite.is_some())
        else {
            return Err(self.cursor.error("`--` outside of a composite state"));
        };
        let composite = scope.composite;
        if scope.region.is_none() {
            let first = self.graph.nameless_frame(String::new());
            self.graph.frames[first].group.parent = composite;
            for vertex in &scope.mentioned {
                let group = &mut self.graph.node(*vertex).group;
                if *group == composite {
                    *group = Some(first);
                }
            }
        }
        let next = self.graph.nameless_frame(String::new());
        self.graph.frames[next].group.parent = composite;
        scope.region = Some(next);
        scope.mentioned.clear();
        scope.number = self.scope_count;
        self.scope_count += 1;
        Ok(())
    }
}
