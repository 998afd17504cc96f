//! `classDiagram`: classes with attributes and methods, their relations, namespaces and notes.

mod member;
mod name;
mod relation;

use super::cursor::Cursor;
use super::graph::{GraphBuilder, direction_named};
use super::lines::MermaidSource;
use super::style::Paint;
use super::{Error, MOST_LEVELS, check_count, text};
use crate::{Flow, FlowEdge, Line, Shape, Tip};
use name::{class_id, take_name};
use relation::{Relation, RelationEnd};

pub(super) fn parse(document: &MermaidSource) -> Result<Flow, Error> {
    let mut cursor = Cursor::new(&document.body);
    cursor.take(document.header);
    let mut reader = ClassDiagramParser {
        cursor,
        graph: GraphBuilder::default(),
        namespaces: Vec::new(),
    };
    while reader.read_statement()? {}
    if let Some(namespace) = reader.namespaces.last() {
        return Err(Error::at(namespace.line, "this `namespace` has no `}`"));
    }
    reader.graph.finish()
}

struct ClassDiagramParser<'a> {
    cursor: Cursor<'a>,
    graph: GraphBuilder,
    /// The namespaces around the cursor, innermost last.
    namespaces: Vec<Namespace>,
}

struct Namespace {
    frame: usize,
    line: usize,
}

impl<'a> ClassDiagramParser<'a> {
    /// False at the end of the source.
    fn read_statement(&mut self) -> Result<bool, Error> {
        if !self.cursor.skip_to_statement() {
            return Ok(false);
        }
        if self.cursor.starts_with("%%") {
            self.cursor.take_line();
        } else if self.cursor.eat("}") {
            if self.namespaces.pop().is_none() {
                return Err(self.cursor.error("`}` without a `namespace`"));
            }
        } else if self.cursor.eat("<<") {
            self.read_annotation()?;
        } else if !self.read_keyword()? {
            self.read_relation()?;
        }
        Ok(true)
    }

    /// False if the statement starts with no keyword.
    fn read_keyword(&mut self) -> Result<bool, Error> {
        let start = self.cursor;
        let word = self.cursor.take_while(|c| c.is_ascii_alphabetic());
        let has_blank = self.cursor.peek().is_some_and(|c| c == ' ' || c == '\t');
        self.cursor.skip_spaces();
        // A class can have the name of a keyword: `note : +int x`.
        if !has_blank || self.cursor.starts_with(":") || relation::starts(&self.cursor) {
            self.cursor = start;
            return Ok(false);
        }
        match word {
            "class" => self.read_class()?,
            "namespace" => self.open_namespace()?,
            "note" => self.read_note()?,
            "direction" => {
                let word = self.cursor.take_word();
                let Some(direction) = direction_named(word) else {
                    return Err(self
                        .cursor
                        .error("write `direction TB`, `BT`, `LR` or `RL`"));
                };
                self.graph.direction = Some(direction);
            }
            "classDef" => {
                let names = self.cursor.take_word();
                let paint = Paint::parse(self.cursor.take_line());
                self.graph.define_classes(names, paint);
            }
            "cssClass" => {
                let ids = self.cursor.take_quoted().unwrap_or_default();
                let class = self.cursor.take_word().trim_end_matches(';');
                self.graph.add_class(ids, class);
            }
            "style" => {
                let ids = self.cursor.take_word();
                let paint = Paint::parse(self.cursor.take_line());
                self.graph.add_paint(ids, paint);
            }
            "click" | "link" => self.graph.read_href(&mut self.cursor),
            "callback" => {
                self.cursor.take_line();
            }
            _ => {
                self.cursor = start;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The class with this name. `List~int~` and `List` are the same class.
    fn mention(&mut self, name: &str) -> usize {
        let id = class_id(name);
        let class = self.graph.vertex(id, Shape::Box);
        let node = self.graph.node(class);
        if id.len() < name.len() && node.label == id {
            node.label = text::with_generics(&name.replace('`', ""));
        }
        class
    }

    fn read_name(&mut self) -> Result<&'a str, Error> {
        self.cursor.skip_spaces();
        let name = take_name(&mut self.cursor);
        if name.is_empty() {
            let message = format!("expected a class, found `{}`", self.cursor.excerpt());
            return Err(self.cursor.error(message));
        }
        Ok(name)
    }

    /// `class A`, `class A["label"]`, `class A:::style`, `class A <<interface>>`, `class A { … }`.
    fn read_class(&mut self) -> Result<(), Error> {
        let name = self.read_name()?;
        let class = self.mention(name);
        if let Some(namespace) = self.namespaces.last() {
            self.graph.node(class).group = Some(namespace.frame);
        }
        loop {
            self.cursor.skip_spaces();
            if self.cursor.eat("[") {
                let label = self.cursor.take_quoted();
                let (Some(label), true) = (label, self.cursor.eat("]")) else {
                    return Err(self
                        .cursor
                        .error("write the label of a class as `[\"label\"]`"));
                };
                self.graph.node(class).label = text::label(label);
            } else if self.cursor.eat(":::") {
                let style = self
                    .cursor
                    .take_while(|c| c.is_alphanumeric() || c == '_' || c == '-');
                self.graph.add_class(class_id(name), style);
            } else if self.cursor.eat("<<") {
                let annotation = self.take_annotation()?;
                member::annotate(self.graph.node(class), annotation);
            } else if self.cursor.eat("{") {
                return self.read_members(class);
            } else {
                return self.expect_end();
            }
        }
    }

    fn expect_end(&mut self) -> Result<(), Error> {
        self.cursor.skip_spaces();
        let next = self.cursor.peek();
        if next.is_none_or(|c| matches!(c, '\n' | ';' | '}')) || self.cursor.starts_with("%%") {
            return Ok(());
        }
        let message = format!("unexpected `{}`", self.cursor.excerpt());
        Err(self.cursor.error(message))
    }

    /// The lines up to `}`.
    fn read_members(&mut self, class: usize) -> Result<(), Error> {
        let line = self.cursor.line();
        loop {
            let text = self.cursor.take_while(|c| c != '\n' && c != '}');
            let trimmed = text.trim();
            if !trimmed.starts_with("%%") {
                member::add(self.graph.node(class), trimmed);
            }
            match self.cursor.bump() {
                Some('}') => return Ok(()),
                Some(_) => {}
                None => return Err(Error::at(line, "this class has no `}` at its end")),
            }
        }
    }

    /// The text between `<<` and `>>`. The cursor is after `<<`.
    fn take_annotation(&mut self) -> Result<&'a str, Error> {
        let annotation = self.cursor.take_while(|c| c != '>' && c != '\n').trim();
        if !self.cursor.eat(">>") {
            return Err(self.cursor.error("`<<` without a `>>`"));
        }
        Ok(annotation)
    }

    /// `<<interface>> A`.
    fn read_annotation(&mut self) -> Result<(), Error> {
        let annotation = self.take_annotation()?;
        let name = self.read_name()?;
        let class = self.mention(name);
        member::annotate(self.graph.node(class), annotation);
        self.expect_end()
    }

    fn open_namespace(&mut self) -> Result<(), Error> {
        let line = self.cursor.line();
        check_count("levels of groups", self.namespaces.len() + 1, MOST_LEVELS)?;
        let name = self.read_name()?;
        let mut label = text::label(name);
        self.cursor.skip_spaces();
        if self.cursor.eat("[") {
            label = text::label(self.cursor.take_quoted().unwrap_or_default());
            self.cursor.eat("]");
            self.cursor.skip_spaces();
        }
        if !self.cursor.eat("{") {
            return Err(Error::at(line, "a `namespace` needs `{` after its name"));
        }
        // A line break keeps it apart from a class with the same name, and edges lead to the class.
        let frame = self.graph.frame(&format!("{name}\n"), label);
        if self.namespaces.iter().any(|around| around.frame == frame) {
            return Err(Error::at(line, "this `namespace` is inside itself"));
        }
        if let Some(around) = self.namespaces.last() {
            self.graph.nest(frame, around.frame);
        }
        self.namespaces.push(Namespace { frame, line });
        Ok(())
    }

    /// `note "text"` or `note for A "text"`.
    fn read_note(&mut self) -> Result<(), Error> {
        let line = self.cursor.line();
        let class = if self.cursor.eat("for ") {
            let name = self.read_name()?;
            Some(self.mention(name))
        } else {
            None
        };
        self.cursor.skip_spaces();
        let Some(quoted) = self.cursor.take_quoted() else {
            return Err(Error::at(line, "write the text of a note in quotes"));
        };
        let note = self.graph.nameless_vertex(text::label(quoted), Shape::Note);
        if let Some(class) = class {
            self.graph.node(note).group = self.graph.node(class).group;
            let edge = FlowEdge {
                line: Line::Dashed,
                tips: [Tip::None, Tip::None],
                ..FlowEdge::new(class, note)
            };
            self.graph.connect(edge, line)?;
        } else if let Some(namespace) = self.namespaces.last() {
            self.graph.node(note).group = Some(namespace.frame);
        }
        self.expect_end()
    }

    /// `A "1" *-- "many" B : text`, `A : member`, or a class alone.
    fn read_relation(&mut self) -> Result<(), Error> {
        let line = self.cursor.line();
        let first = self.read_name()?;
        self.cursor.skip_spaces();
        if self.cursor.starts_with(":::") {
            self.cursor.eat(":::");
            let style = self.cursor.take_word();
            self.mention(first);
            self.graph.add_class(class_id(first), style);
            return self.expect_end();
        }
        if self.cursor.eat(":") {
            let class = self.mention(first);
            let text = self.cursor.take_line().trim();
            member::add(self.graph.node(class), text.trim_end_matches(';'));
            return Ok(());
        }
        let first_count = self.take_count()?;
        let Some(relation) = relation::read(&mut self.cursor) else {
            self.mention(first);
            if first_count.is_some() {
                let message = format!("expected a relation, found `{}`", self.cursor.excerpt());
                return Err(self.cursor.error(message));
            }
            return self.expect_end();
        };
        self.cursor.skip_spaces();
        let second_count = self.take_count()?;
        let second = self.read_name()?;
        self.cursor.skip_spaces();
        let label = if self.cursor.eat(":") {
            text::label(&text::with_generics(self.cursor.take_line()))
        } else {
            String::new()
        };
        self.expect_end()?;
        let edge = FlowEdge {
            label: (!label.is_empty()).then_some(label),
            ends: [first_count, second_count],
            line: relation.line,
            tips: [relation.first.tip(), relation.second.tip()],
            ..self.edge_between(first, second, &relation)
        };
        self.graph.connect(edge, line)
    }

    /// The interface at a lollipop is a circle of its own.
    fn edge_between(&mut self, first: &str, second: &str, relation: &Relation) -> FlowEdge {
        let mut vertex = |name: &str, end: RelationEnd, other: RelationEnd| match (end, other) {
            (RelationEnd::Lollipop, RelationEnd::Plain) => {
                let label = text::label(&text::with_generics(name));
                self.graph.nameless_vertex(label, Shape::Circle)
            }
            _ => self.mention(name),
        };
        let from = vertex(first, relation.first, relation.second);
        let to = vertex(second, relation.second, relation.first);
        FlowEdge::new(from, to)
    }

    /// How many take part, in quotes.
    fn take_count(&mut self) -> Result<Option<String>, Error> {
        if self.cursor.peek() != Some('"') {
            return Ok(None);
        }
        let Some(quoted) = self.cursor.take_quoted() else {
            return Err(self.cursor.error("this quote is not closed"));
        };
        self.cursor.skip_spaces();
        let count = text::label(quoted);
        Ok((!count.is_empty()).then_some(count))
    }
}
