//! The engine's SVG drawn anew: only elements, attributes and values that are known here are written, ids are the page's,
//! and colours are classes. Whatever the engine let through, nothing else comes out.

use std::collections::BTreeMap;
use std::fmt::Write;

use roxmltree::{Document, Node, ParsingOptions};

use super::Error;
use super::engine::Picture;
use super::geometry::{number, view_box};
use super::label::plain;
use super::paint::Author;
use super::sheet::Sheet;
use super::style::{PROPERTIES, Style, painted};
use crate::render::diagram::safe;
use crate::render::{push_attribute, push_text};

pub fn redraw(picture: &Picture, source: &str, id: &str) -> Result<String, Error> {
    let broken = |reason: String| Error::Broken { reason };
    let options = ParsingOptions {
        nodes_limit: 400_000,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(&picture.svg, options)
        .map_err(|error| broken(error.to_string()))?;
    let root = document.root_element();
    let area = root.attribute("viewBox").and_then(view_box);
    let area = area.ok_or_else(|| broken("it has no size".to_owned()))?;
    let mut sheet = Sheet::default();
    let mut ids = BTreeMap::new();
    for node in root.descendants() {
        if node.has_tag_name((SVG, "style")) {
            sheet.add(node.text().unwrap_or_default());
        }
        if let Some(id) = node.attribute("id") {
            ids.entry(id).or_insert(node);
        }
    }
    let mut pen = Pen {
        sheet,
        author: Author::new(source),
        ids,
        prefix: id
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '_' {
                    c
                } else {
                    '-'
                }
            })
            .collect(),
        names: BTreeMap::new(),
        waiting: Vec::new(),
        out: String::with_capacity(picture.svg.len() / 2),
        linked: false,
        ground: None,
        within: Within::Page,
        depth: 0,
    };
    let style = Style::initial().of(root, &pen.sheet);
    pen.children(root, &style, &style);
    pen.definitions(root, &style);
    Ok(pen.finish(picture, area, &style))
}

const SVG: &str = "http://www.w3.org/2000/svg";

/// Deeper than any drawing is; the stack is not.
const MOST_DEPTH: usize = 200;

/// What an element is to the writer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Holds others; without any, it is nothing.
    Group,
    Shape,
    Text,
    /// Is drawn where something refers to it.
    Definition,
}

fn sort(name: &str) -> Option<Sort> {
    Some(match name {
        "g" | "a" | "svg" => Sort::Group,
        "path" | "rect" | "circle" | "ellipse" | "line" | "polyline" | "polygon" | "stop"
        | "use" => Sort::Shape,
        "text" | "tspan" => Sort::Text,
        "marker" | "linearGradient" | "radialGradient" | "clipPath" | "symbol" => Sort::Definition,
        _ => return None,
    })
}

pub struct Pen<'a> {
    pub sheet: Sheet<'a>,
    pub author: Author,
    ids: BTreeMap<&'a str, Node<'a, 'a>>,
    prefix: String,
    /// The number of every definition that something refers to.
    names: BTreeMap<&'a str, usize>,
    /// Those of them that are still to be drawn.
    waiting: Vec<&'a str>,
    pub out: String,
    linked: bool,
    /// What is read best on the box that is being drawn, where its colour is the author's.
    pub ground: Option<&'static str>,
    pub within: Within,
    depth: usize,
}

/// What is being drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Within {
    Page,
    /// A box with its label.
    Box,
    /// A picture of its own, with colours of its own.
    Icon,
}

impl<'a> Pen<'a> {
    /// `parent` is the style of `node`, `around` that of the element which was last written around it.
    fn children(&mut self, node: Node<'a, 'a>, parent: &Style<'a>, around: &Style<'a>) {
        if self.depth >= MOST_DEPTH {
            return;
        }
        self.depth += 1;
        for child in node.children() {
            if child.is_text() {
                let within = node.tag_name().name();
                if sort(within) == Some(Sort::Text) {
                    push_text(&mut self.out, &plain(child.text().unwrap_or_default()));
                }
            } else if child.is_element() {
                self.element(child, parent, around);
            }
        }
        self.depth -= 1;
    }

    fn element(&mut self, node: Node<'a, 'a>, parent: &Style<'a>, around: &Style<'a>) {
        let name = node.tag_name().name();
        if node.tag_name().namespace() != Some(SVG) {
            return;
        }
        let style = parent.of(node, &self.sheet);
        if style.hidden() {
            return;
        }
        match name {
            // A text beside them says the same.
            "switch" => {
                let texts: Vec<_> = node
                    .children()
                    .filter(|child| child.has_tag_name((SVG, "text")))
                    .collect();
                match texts.is_empty() {
                    true => self.children(node, &style, around),
                    false => texts
                        .into_iter()
                        .for_each(|text| self.element(text, &style, around)),
                }
            }
            "foreignObject" => self.foreign(node, &style, around),
            "title" if self.depth > 1 => self.tip(node.text().unwrap_or_default()),
            _ => match sort(name) {
                Some(Sort::Definition) | None => {}
                Some(sort) => self.write(node, sort, style, around),
            },
        }
    }

    fn write(&mut self, node: Node<'a, 'a>, sort: Sort, style: Style<'a>, around: &Style<'a>) {
        if empty(node) {
            return;
        }
        let start = self.out.len();
        let mut name = node.tag_name().name();
        let href = node
            .attribute("href")
            .or_else(|| node.attribute((XLINK, "href")));
        let link = href.filter(|_| name == "a").and_then(safe);
        if name == "a" && link.is_none() {
            name = "g";
        }
        let _ = write!(self.out, "<{name}");
        let bare = self.out.len();
        if let Some(link) = link {
            self.linked = true;
            self.attribute("href", link);
        }
        if name == "use" {
            let target = href
                .and_then(|href| href.strip_prefix('#'))
                .and_then(|target| self.refer(target));
            let Some(target) = target else {
                self.out.truncate(start);
                return;
            };
            self.attribute("href", &format!("#{target}"));
        }
        let (ground, within) = (self.ground, self.within);
        let boxed = name == "g" && has_class(node, &["node", "c4-shape"]);
        if name == "svg" {
            self.within = Within::Icon;
        } else if boxed {
            self.within = Within::Box;
            self.ground = None;
        }
        self.attributes(node);
        self.look(node, sort, &style, around);
        let plain = self.out.len() == bare && matches!(name, "g" | "tspan");
        if plain {
            self.out.truncate(start);
        } else {
            self.out.push('>');
        }
        let inside = self.out.len();
        if let Some(tip) = node.attribute("title") {
            self.tip(tip);
        }
        self.children(node, &style, &style);
        if sort == Sort::Group && self.out.len() == inside {
            self.out.truncate(start);
        } else if !plain {
            self.close(name, inside);
        }
        self.within = within;
        if boxed {
            self.ground = ground;
        }
    }

    fn close(&mut self, name: &str, inside: usize) {
        if self.out.len() == inside {
            self.out.pop();
            self.out.push_str("/>");
        } else {
            let _ = write!(self.out, "</{name}>");
        }
    }

    fn tip(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.out.push_str("<title>");
            push_text(&mut self.out, &plain(text.trim()));
            self.out.push_str("</title>");
        }
    }

    pub fn attribute(&mut self, name: &str, value: &str) {
        let _ = write!(self.out, " {name}=\"");
        push_attribute(&mut self.out, value);
        self.out.push('"');
    }

    /// The page's id of a definition, which will be drawn at the end.
    pub fn refer(&mut self, target: &'a str) -> Option<String> {
        let node = self.ids.get(target)?;
        if sort(node.tag_name().name()) != Some(Sort::Definition) {
            return None;
        }
        let next = self.names.len();
        let number = *self.names.entry(target).or_insert_with(|| {
            self.waiting.push(target);
            next
        });
        Some(format!("{}-{number}", self.prefix))
    }

    /// Whatever was referred to, and what that refers to in turn.
    fn definitions(&mut self, root: Node<'a, 'a>, around: &Style<'a>) {
        let start = self.out.len();
        self.out.push_str("<defs>");
        let inside = self.out.len();
        self.ground = None;
        while let Some(target) = self.waiting.pop() {
            let (Some(node), Some(number)) = (
                self.ids.get(target).copied(),
                self.names.get(target).copied(),
            ) else {
                continue;
            };
            // It looks as where it stood, although it is written elsewhere.
            let mut chain: Vec<_> = node
                .ancestors()
                .take_while(|ancestor| *ancestor != root)
                .collect();
            chain.reverse();
            let style = chain
                .into_iter()
                .fold(*around, |style, ancestor| style.of(ancestor, &self.sheet));
            let name = node.tag_name().name();
            let _ = write!(self.out, "<{name} id=\"{}-{number}\"", self.prefix);
            self.attributes(node);
            self.look(node, Sort::Definition, &style, around);
            self.out.push('>');
            let within = self.out.len();
            self.depth = 1;
            self.children(node, &style, &style);
            self.close(name, within);
        }
        if self.out.len() == inside {
            self.out.truncate(start);
        } else {
            self.out.push_str("</defs>");
        }
    }

    fn finish(mut self, picture: &Picture, area: [f64; 4], style: &Style<'a>) -> String {
        let body = std::mem::take(&mut self.out);
        let [x, y, width, height] = area;
        // An image may not contain links, since readers of the accessibility tree never reach them.
        let role = if self.linked { "group" } else { "img" };
        self.out
            .push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram authored\"");
        self.attribute("role", role);
        match &picture.title {
            Some(_) => {
                let title = format!("{}-title", self.prefix);
                self.attribute("aria-labelledby", &title);
            }
            None => self.attribute("aria-label", picture.kind),
        }
        if picture.description.is_some() {
            let description = format!("{}-desc", self.prefix);
            self.attribute("aria-describedby", &description);
        }
        let view = [x, y, width, height].map(number);
        self.attribute("viewBox", &view.join(" "));
        self.attribute("width", &width.ceil().to_string());
        self.attribute("height", &height.ceil().to_string());
        for (at, value) in style.differences(&Style::initial()) {
            if !painted(at) {
                self.attribute(PROPERTIES[at].name, value);
            }
        }
        self.out.push('>');
        for (name, id, text) in [
            ("title", "title", &picture.title),
            ("desc", "desc", &picture.description),
        ] {
            if let Some(text) = text {
                let _ = write!(self.out, "<{name} id=\"{}-{id}\">", self.prefix);
                push_text(&mut self.out, text);
                let _ = write!(self.out, "</{name}>");
            }
        }
        self.out.push_str(&body);
        self.out.push_str("</svg>\n");
        self.out
    }
}

const XLINK: &str = "http://www.w3.org/1999/xlink";

pub fn has_class(node: Node, classes: &[&str]) -> bool {
    let own = node.attribute("class").unwrap_or_default();
    own.split_ascii_whitespace()
        .any(|own| classes.contains(&own))
}

/// Whether nothing of it would be seen.
fn empty(node: Node) -> bool {
    let missing = |name: &str| {
        let value = node.attribute(name).unwrap_or_default();
        value.is_empty() || value.parse() == Ok(0.0)
    };
    match node.tag_name().name() {
        "rect" => missing("width") || missing("height"),
        "path" => missing("d"),
        "circle" => missing("r"),
        "polygon" | "polyline" => missing("points"),
        "text" | "tspan" => {
            let texts = node.descendants().filter(Node::is_text);
            texts
                .filter_map(|text| text.text())
                .all(|text| text.is_empty())
        }
        _ => false,
    }
}
