//! `erDiagram`: entities with their attributes, and relationships with crow's feet.

use super::cursor::{Cursor, excerpt};
use super::graph::{GraphBuilder, direction_named};
use super::lines::MermaidSource;
use super::style::Paint;
use super::{Error, text};
use crate::{Flow, FlowEdge, Line, Shape, Tip};

pub(super) fn parse(document: &MermaidSource) -> Result<Flow, Error> {
    let mut cursor = Cursor::new(&document.body);
    cursor.take(document.header);
    let mut reader = EntityDiagramParser {
        cursor,
        graph: GraphBuilder::default(),
    };
    while reader.read_statement()? {}
    reader.graph.finish()
}

struct EntityDiagramParser<'a> {
    cursor: Cursor<'a>,
    graph: GraphBuilder,
}

/// How many of an entity take part. Longer words come before their beginnings.
const CARDINALITIES: [(&str, Tip); 20] = [
    ("one or zero", Tip::ZeroOrOne),
    ("zero or one", Tip::ZeroOrOne),
    ("one or more", Tip::OneOrMore),
    ("one or many", Tip::OneOrMore),
    ("zero or more", Tip::ZeroOrMore),
    ("zero or many", Tip::ZeroOrMore),
    ("only one", Tip::One),
    ("many(0)", Tip::ZeroOrMore),
    ("many(1)", Tip::OneOrMore),
    ("many", Tip::ZeroOrMore),
    ("one", Tip::One),
    ("0+", Tip::ZeroOrMore),
    ("1+", Tip::OneOrMore),
    ("1", Tip::One),
    ("||", Tip::One),
    ("|o", Tip::ZeroOrOne),
    ("o|", Tip::ZeroOrOne),
    ("}o", Tip::ZeroOrMore),
    ("o{", Tip::ZeroOrMore),
    ("u", Tip::None),
];
const MORE_CARDINALITIES: [(&str, Tip); 2] = [("}|", Tip::OneOrMore), ("|{", Tip::OneOrMore)];

/// A relationship is dashed if the entities exist independently.
const RELATIONS: [(&str, Line); 6] = [
    ("--", Line::Solid),
    ("..", Line::Dashed),
    (".-", Line::Dashed),
    ("-.", Line::Dashed),
    ("optionally to", Line::Dashed),
    ("to", Line::Solid),
];

impl<'a> EntityDiagramParser<'a> {
    /// False at the end of the source.
    fn read_statement(&mut self) -> Result<bool, Error> {
        if !self.cursor.skip_to_statement() {
            return Ok(false);
        }
        if self.cursor.starts_with("%%") {
            self.cursor.take_line();
            return Ok(true);
        }
        let start = self.cursor;
        let word = self.take_name().unwrap_or_default();
        let has_blank = self.cursor.peek().is_some_and(|c| c == ' ' || c == '\t');
        let line = self.cursor.rest().lines().next().unwrap_or_default().trim();
        match word {
            "direction" if has_blank && direction_named(line).is_some() => {
                self.graph.direction = direction_named(line);
                self.cursor.take_line();
            }
            "classDef" if has_blank => {
                let names = self.take_list();
                let paint = Paint::parse(self.cursor.take_line());
                self.graph.define_classes(names, paint);
            }
            "class" if has_blank && line.contains(' ') => {
                let ids = self.take_list();
                let classes = self.take_list();
                self.add_classes(ids, classes);
                self.expect_end()?;
            }
            "style" if has_blank && line.contains(':') => {
                let ids = self.take_list();
                let paint = Paint::parse(self.cursor.take_line());
                self.graph.add_paint(ids, paint);
            }
            "title" if has_blank && !line.starts_with(['{', '|', '}', '[']) => {
                self.cursor.take_line();
            }
            _ => {
                self.cursor = start;
                self.read_entity()?;
            }
        }
        Ok(true)
    }

    /// An entity, with its attributes or its relationship to another one.
    fn read_entity(&mut self) -> Result<(), Error> {
        let first = self.read_reference()?;
        self.cursor.skip_spaces();
        if self.cursor.eat("{") {
            self.read_attributes(first)?;
            return Ok(());
        }
        let line = self.cursor.line();
        let Some(first_tip) = self.take_cardinality() else {
            return self.expect_end();
        };
        let relation = RELATIONS
            .iter()
            .find(|(mark, _)| starts_with_word(self.cursor.rest(), mark));
        let Some((mark, relation_line)) = relation else {
            let message = format!(
                "expected `--`, `..` or `to`, found `{}`",
                self.cursor.excerpt()
            );
            return Err(self.cursor.error(message));
        };
        self.cursor.take(mark.len());
        self.cursor.skip_spaces();
        let Some(second_tip) = self.take_cardinality() else {
            let message = format!(
                "expected how many, such as `||` or `o{{`, found `{}`",
                self.cursor.excerpt()
            );
            return Err(self.cursor.error(message));
        };
        let second = self.read_reference()?;
        self.cursor.skip_spaces();
        let label = if self.cursor.eat(":") {
            text::label(self.cursor.take_line())
        } else {
            String::new()
        };
        self.expect_end()?;
        let edge = FlowEdge {
            label: (!label.is_empty()).then_some(label),
            line: *relation_line,
            tips: [first_tip, second_tip],
            ..FlowEdge::new(first, second)
        };
        self.graph.connect(edge, line)
    }

    fn expect_end(&mut self) -> Result<(), Error> {
        self.cursor.skip_spaces();
        let is_end = self.cursor.peek().is_none_or(|c| c == '\n' || c == ';');
        if is_end || self.cursor.starts_with("%%") {
            return Ok(());
        }
        let message = format!("unexpected `{}`", self.cursor.excerpt());
        Err(self.cursor.error(message))
    }

    /// `id`, `"id"`, `id[Label]` or `id:::class`.
    fn read_reference(&mut self) -> Result<usize, Error> {
        self.cursor.skip_spaces();
        let Some(id) = self.take_name().filter(|id| !id.is_empty()) else {
            let message = format!("expected an entity, found `{}`", self.cursor.excerpt());
            return Err(self.cursor.error(message));
        };
        let entity = self.graph.vertex(id, Shape::Box);
        let before = self.cursor;
        self.cursor.skip_spaces();
        if self.cursor.eat("[") {
            let raw = match self.cursor.take_quoted() {
                Some(quoted) => quoted,
                None => self.cursor.take_while(|c| c != ']' && c != '\n'),
            };
            self.cursor.skip_spaces();
            if !self.cursor.eat("]") {
                return Err(self
                    .cursor
                    .error("the name of this entity has no `]` at its end"));
            }
            self.graph.node(entity).label = text::label(raw);
        } else {
            self.cursor = before;
        }
        if self.cursor.eat(":::") {
            let classes = self.take_list();
            self.add_classes(id, classes);
        }
        Ok(entity)
    }

    fn add_classes(&mut self, ids: &str, classes: &str) {
        for class in classes.split(',') {
            self.graph.add_class(ids, class.trim());
        }
    }

    /// Names with commas between them.
    fn take_list(&mut self) -> &'a str {
        self.cursor.skip_spaces();
        let rest = self.cursor.rest();
        let mut length = 0;
        let mut after_comma = true;
        for (at, c) in rest.char_indices() {
            let is_part = is_name_char(c) || c == ',' || (after_comma && c == ' ');
            if !is_part {
                break;
            }
            after_comma = c == ',' || (after_comma && c == ' ');
            length = at + c.len_utf8();
        }
        self.cursor.take(length)
    }

    /// The id of an entity, which may be quoted. None if a quote is not closed.
    fn take_name(&mut self) -> Option<&'a str> {
        if self.cursor.peek() == Some('"') {
            return self.cursor.take_quoted().map(str::trim);
        }
        let rest = self.cursor.rest();
        let end = rest.char_indices().find(|(at, c)| {
            // In `A1..1B` the dots are a relationship.
            !is_name_char(*c) || rest[*at..].starts_with("..") || rest[*at..].starts_with("--")
        });
        Some(self.cursor.take(end.map_or(rest.len(), |(at, _)| at)))
    }

    fn take_cardinality(&mut self) -> Option<Tip> {
        let mut all = CARDINALITIES.iter().chain(&MORE_CARDINALITIES);
        let (mark, tip) = all.find(|(mark, _)| starts_with_word(self.cursor.rest(), mark))?;
        self.cursor.take(mark.len());
        self.cursor.skip_spaces();
        Some(*tip)
    }

    /// The lines up to `}`: a type, a name, keys and a comment each.
    fn read_attributes(&mut self, entity: usize) -> Result<(), Error> {
        let line = self.cursor.line();
        let mut attributes = Vec::new();
        loop {
            self.cursor
                .take_while(|c| c.is_whitespace() || c == ',' || c == ';');
            if self.cursor.is_at_end() {
                return Err(Error::at(
                    line,
                    "the attributes of this entity have no `}` at their end",
                ));
            }
            if self.cursor.eat("}") {
                break;
            }
            if self.cursor.starts_with("%%") {
                self.cursor.take_line();
                continue;
            }
            attributes.push(self.read_attribute()?);
        }
        let compartments = &mut self.graph.node(entity).compartments;
        match compartments.first_mut() {
            Some(known) => known.append(&mut attributes),
            None if attributes.is_empty() => {}
            None => compartments.push(attributes),
        }
        Ok(())
    }

    /// `string name PK, FK "comment"`.
    fn read_attribute(&mut self) -> Result<String, Error> {
        let mut words: Vec<&str> = Vec::new();
        let mut keys: Vec<&str> = Vec::new();
        loop {
            self.cursor.skip_spaces();
            if self.cursor.peek() == Some('"') {
                if words.is_empty() {
                    return Err(self.cursor.error("a comment needs an attribute before it"));
                }
                let Some(comment) = self.cursor.take_quoted() else {
                    return Err(self
                        .cursor
                        .error("the comment of this attribute has no quote at its end"));
                };
                return Ok(attribute_line(&words, &keys, comment));
            }
            let start = self.cursor;
            let word = take_attribute_word(&mut self.cursor);
            let is_key = words.len() >= 2
                && word
                    .split(',')
                    .all(|key| matches!(key, "PK" | "FK" | "UK" | ""));
            if word.is_empty() || (words.len() >= 2 && !is_key) {
                let is_end =
                    word.is_empty() && self.cursor.peek().is_none_or(|c| matches!(c, '\n' | '}'));
                if !is_end && words.is_empty() {
                    let message = format!(
                        "expected an attribute, found `{}`",
                        excerpt(self.cursor.rest())
                    );
                    return Err(self.cursor.error(message));
                }
                self.cursor = start;
                return Ok(attribute_line(&words, &keys, ""));
            }
            if is_key {
                keys.extend(word.split(',').filter(|key| !key.is_empty()));
            } else {
                words.push(word);
            }
        }
    }
}

fn attribute_line(words: &[&str], keys: &[&str], comment: &str) -> String {
    let mut line = text::with_generics(&words.join(" "));
    if !keys.is_empty() {
        line.push(' ');
        line.push_str(&keys.join(", "));
    }
    if let Some(comment) = text::plain(comment) {
        line.push_str(&format!(" ({comment})"));
    }
    line
}

/// A word of an attribute. Commas belong to it within parentheses and between keys.
fn take_attribute_word<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    let mut depth = 0_usize;
    let rest = cursor.rest();
    let end = rest.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '\n' || c == '"' || c == '}' || (c.is_whitespace() && depth == 0)
    });
    cursor.take(end.unwrap_or(rest.len()))
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '_' | '-' | '*' | '.')
        || (!c.is_ascii() && !c.is_whitespace())
}

/// Whether a text starts with a mark and, if that is a word, the word ends there.
fn starts_with_word(text: &str, mark: &str) -> bool {
    let Some(after) = text
        .get(..mark.len())
        .filter(|start| start.eq_ignore_ascii_case(mark))
        .map(|_| &text[mark.len()..])
    else {
        return false;
    };
    let is_word = mark.ends_with(|c: char| c.is_ascii_alphanumeric())
        && mark.starts_with(|c: char| c.is_ascii_alphanumeric());
    !is_word || !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}
