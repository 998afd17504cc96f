//! `flowchart` and `graph`. Statements end at a line break or `;`, but labels may span lines.

mod link;
mod shape;
mod subgraph;
mod word;

use std::collections::HashSet;

use super::cursor::{Cursor, excerpt};
use super::graph::{GraphBuilder, direction_named};
use super::lines::MermaidSource;
use super::style::Paint;
use super::{Error, MOST_EDGES, check_count};
use crate::{Direction, Flow, FlowEdge, Shape};
use word::{capitalised, is_class_char, starts_with_declaration, take_id};

pub(super) fn parse(document: &MermaidSource) -> Result<Flow, Error> {
    let mut cursor = Cursor::new(&document.body);
    cursor.take(document.header);
    let mut reader = FlowchartParser {
        cursor,
        graph: GraphBuilder::default(),
        open: Vec::new(),
        edge_ids: HashSet::new(),
        default_line: Paint::default(),
    };
    reader.read_direction()?;
    while reader.read_statement()? {}
    if let Some(open) = reader.open.last() {
        return Err(Error::at(open.line, "this `subgraph` has no `end`"));
    }
    let default_line = reader.default_line;
    let mut flow = reader.graph.finish()?;
    for edge in &mut flow.edges {
        edge.line = default_line.line(edge.line);
    }
    Ok(flow)
}

struct FlowchartParser<'a> {
    cursor: Cursor<'a>,
    graph: GraphBuilder,
    /// The subgraphs around the cursor, innermost last.
    open: Vec<Subgraph>,
    edge_ids: HashSet<&'a str>,
    /// `linkStyle default`.
    default_line: Paint,
}

struct Subgraph {
    frame: usize,
    line: usize,
    /// The vertices mentioned within. As in Mermaid, a vertex belongs to the first subgraph that ends and mentions it.
    mentioned: Vec<usize>,
}

impl<'a> FlowchartParser<'a> {
    /// The direction in the first line.
    fn read_direction(&mut self) -> Result<(), Error> {
        self.cursor.skip_spaces();
        let word = self.cursor.take_while(|c| !c.is_whitespace() && c != ';');
        self.graph.direction = match word {
            "" => None,
            "<" => Some(Direction::Left),
            ">" => Some(Direction::Right),
            "^" => Some(Direction::Up),
            "v" => Some(Direction::Down),
            // Mermaid knows `BR` and draws it like `TB`.
            "BR" => Some(Direction::Down),
            name => match direction_named(name) {
                Some(direction) => Some(direction),
                None => {
                    let message = format!(
                        "`{}` is no direction; write `TD`, `BT`, `LR` or `RL`",
                        excerpt(name)
                    );
                    return Err(self.cursor.error(message));
                }
            },
        };
        Ok(())
    }

    /// False at the end of the source.
    fn read_statement(&mut self) -> Result<bool, Error> {
        self.skip_separators();
        if self.cursor.is_at_end() {
            return Ok(false);
        }
        let start = self.cursor;
        let word = self.cursor.take_while(|c| c.is_ascii_alphabetic());
        let stands_alone = self
            .cursor
            .peek()
            .is_none_or(|c| c.is_whitespace() || c == ';');
        match word {
            "subgraph" if stands_alone => self.open_subgraph()?,
            "end" if stands_alone => self.close_subgraph()?,
            "direction" if stands_alone && self.read_group_direction() => {}
            "classDef" if stands_alone => {
                let names = self.cursor.take_word();
                let paint = Paint::parse(self.take_declarations());
                self.graph.define_classes(names, paint);
            }
            "class" if stands_alone => {
                let statement = self.take_statement().trim();
                let Some((ids, class)) = statement.rsplit_once(char::is_whitespace) else {
                    return Err(self
                        .cursor
                        .error("`class` needs node ids and the name of a class"));
                };
                self.graph.add_class(ids, class);
            }
            "style" if stands_alone => {
                let ids = self.cursor.take_word();
                let paint = Paint::parse(self.take_declarations());
                for id in ids.split(',').filter(|id| !id.is_empty()) {
                    self.graph.vertex(id, Shape::Box);
                }
                self.graph.add_paint(ids, paint);
            }
            "linkStyle" if stands_alone => self.read_link_style(),
            "click" if stands_alone => self.read_click(),
            _ => {
                self.cursor = start;
                self.read_chain()?;
            }
        }
        Ok(true)
    }

    fn skip_separators(&mut self) {
        loop {
            self.cursor.take_while(|c| c.is_whitespace() || c == ';');
            if !self.cursor.starts_with("%%") {
                return;
            }
            self.cursor.take_line();
        }
    }

    /// `A & B --> C -- text --> D`.
    fn read_chain(&mut self) -> Result<(), Error> {
        let start = self.cursor;
        let id = take_id(&mut self.cursor);
        if self.edge_ids.contains(id) && self.cursor.starts_with("@{") {
            // Properties of an edge only animate it.
            shape::read_properties(&mut self.cursor)?;
            return Ok(());
        }
        self.cursor = start;
        let mut from = self.read_nodes()?;
        loop {
            let before = self.cursor;
            let Some(link) = self.read_link()? else {
                self.cursor = before;
                break;
            };
            let line = self.cursor.line();
            self.cursor.skip_blank();
            if self.cursor.is_at_end() || self.cursor.peek() == Some(';') {
                return Err(Error::at(
                    line,
                    "the edge leads nowhere; write a node after the arrow",
                ));
            }
            let to = self.read_nodes()?;
            let count = self.graph.edge_count() + from.len() * to.len();
            check_count("edges", count, MOST_EDGES)?;
            for start in &from {
                for end in &to {
                    let edge = FlowEdge {
                        label: link.label.clone(),
                        line: link.line,
                        tips: link.tips,
                        ..FlowEdge::new(*start, *end)
                    };
                    self.graph.connect(edge, line)?;
                }
            }
            from = to;
        }
        self.cursor.skip_spaces();
        let next = self.cursor.peek();
        if next.is_none_or(|c| c == '\n' || c == ';') || self.cursor.starts_with("%%") {
            return Ok(());
        }
        let message = format!("unexpected `{}`", self.cursor.excerpt());
        Err(self.cursor.error(message))
    }

    /// The arrow after a node. It may be on the next line.
    fn read_link(&mut self) -> Result<Option<link::Arrowed>, Error> {
        self.cursor.skip_spaces();
        let before = self.cursor;
        let id = take_id(&mut self.cursor);
        if !id.is_empty()
            && self.cursor.eat("@")
            && self.cursor.peek() != Some('{')
            && let Some(link) = link::read(&mut self.cursor)?
        {
            self.edge_ids.insert(id);
            return Ok(Some(link));
        }
        self.cursor = before;
        if let Some(link) = link::read(&mut self.cursor)? {
            return Ok(Some(link));
        }
        self.cursor.skip_blank();
        // In a line of its own, `x--y` starts with the node `x`.
        if self.cursor.peek().is_some_and(|c| c == 'x' || c == 'o') {
            return Ok(None);
        }
        link::read(&mut self.cursor)
    }

    /// Nodes with `&` between them.
    fn read_nodes(&mut self) -> Result<Vec<usize>, Error> {
        let mut nodes = vec![self.read_node()?];
        loop {
            let before = self.cursor;
            self.cursor.skip_spaces();
            if !self.cursor.eat("&") {
                self.cursor = before;
                return Ok(nodes);
            }
            self.cursor.skip_blank();
            nodes.push(self.read_node()?);
        }
    }

    /// `id`, `id[label]`, `id:::class` or `id@{ shape: … }`.
    fn read_node(&mut self) -> Result<usize, Error> {
        let id = take_id(&mut self.cursor);
        if id.is_empty() {
            let message = format!("expected a node, found `{}`", self.cursor.excerpt());
            return Err(self.cursor.error(message));
        }
        if id == "end" || id == "subgraph" {
            let message = format!(
                "`{id}` cannot be the id of a node; write `{}`",
                capitalised(id)
            );
            return Err(self.cursor.error(message));
        }
        let vertex = self.graph.vertex(id, Shape::Box);
        if let Some((shape, label)) = shape::read(&mut self.cursor, id)? {
            let node = self.graph.node(vertex);
            node.shape = shape;
            node.label = label;
        }
        loop {
            if self.cursor.eat(":::") {
                let class = self.cursor.take_while(is_class_char);
                self.graph.add_class(id, class);
            } else if self.cursor.starts_with("@{") {
                let properties = shape::read_properties(&mut self.cursor)?;
                let line = self.cursor.line();
                shape::apply_properties(&properties, self.graph.node(vertex), line)?;
            } else {
                break;
            }
        }
        if let Some(subgraph) = self.open.last_mut() {
            subgraph.mentioned.push(vertex);
        }
        Ok(vertex)
    }

    /// `linkStyle 0,1 stroke:red` or `linkStyle default …`.
    fn read_link_style(&mut self) {
        self.cursor.skip_spaces();
        let is_default = self.cursor.eat("default");
        let numbers = self
            .cursor
            .take_while(|c| c.is_ascii_digit() || c == ',' || c == ' ');
        let paint = Paint::parse(self.take_declarations());
        if is_default {
            self.default_line = paint;
        }
        for number in numbers.split([',', ' ']) {
            if let Some(edge) = number.parse().ok().and_then(|at| self.graph.edge(at)) {
                edge.line = paint.line(edge.line);
            }
        }
    }

    /// `click id href "url"` and `click id "url"`. Calls of functions are ignored.
    fn read_click(&mut self) {
        let ids = self.cursor.take_word();
        let statement = self.take_statement().trim();
        let target = statement
            .strip_prefix("href")
            .map_or(statement, str::trim_start);
        if let Some(href) = Cursor::new(target).take_quoted() {
            self.graph.add_href(ids, href);
        }
    }

    /// The rest of the statement. A `;` in quotes does not end it.
    fn take_statement(&mut self) -> &'a str {
        let mut is_quoted = false;
        let rest = self.cursor.rest();
        let end = rest.find(|c| {
            is_quoted ^= c == '"';
            c == '\n' || (c == ';' && !is_quoted)
        });
        self.cursor.take(end.unwrap_or(rest.len()))
    }

    /// Declarations of CSS. A `;` ends them, unless another declaration follows.
    fn take_declarations(&mut self) -> &'a str {
        let line = self.cursor.rest();
        let line = &line[..line.find('\n').unwrap_or(line.len())];
        let is_end = |(at, _): &(usize, &str)| !starts_with_declaration(&line[at + 1..]);
        let end = line.match_indices(';').find(is_end);
        self.cursor.take(end.map_or(line.len(), |(at, _)| at))
    }
}
