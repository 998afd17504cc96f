//! How an element of a drawing looks once it is drawn anew: attributes that are known and checked, classes for the roles
//! of colours, and colours where an author chose them.

use std::fmt::Write;

use roxmltree::Node;

use super::colour::Colour;
use super::geometry::{number, tidy};
use super::label;
use super::paint::{Paint, Part};
use super::redraw::{Pen, Sort, Within, has_class};
use super::style::{COLOR, FILL, OPACITY, PROPERTIES, STROKE, Style, painted, reference};
use crate::render::push_text;

/// Attributes of numbers, paths and transformations.
const GEOMETRY: [&str; 25] = [
    "x",
    "y",
    "width",
    "height",
    "cx",
    "cy",
    "r",
    "x1",
    "y1",
    "x2",
    "y2",
    "dx",
    "dy",
    "d",
    "points",
    "transform",
    "viewBox",
    "refX",
    "refY",
    "markerWidth",
    "markerHeight",
    "orient",
    "offset",
    "gradientTransform",
    "textLength",
];

/// Attributes of one word.
const WORDS: [&str; 4] = [
    "markerUnits",
    "gradientUnits",
    "clipPathUnits",
    "preserveAspectRatio",
];

/// Attributes that refer to a definition.
const REFERENCES: [&str; 4] = ["marker-start", "marker-mid", "marker-end", "clip-path"];

impl<'a> Pen<'a> {
    pub fn attributes(&mut self, node: Node<'a, 'a>) {
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            if let Some(known) = GEOMETRY.iter().find(|known| **known == name) {
                let digits = if *known == "transform" { 4 } else { 2 };
                if let Some(value) = tidy(value, digits).filter(|value| !value.is_empty()) {
                    self.attribute(known, &value);
                }
            } else if let Some(known) = WORDS.iter().find(|known| **known == name) {
                if value
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b' ')
                {
                    self.attribute(known, value);
                }
            } else if let Some(known) = REFERENCES.iter().find(|known| **known == name) {
                if let Some(target) = reference(value).and_then(|target| self.refer(target)) {
                    self.attribute(known, &format!("url(#{target})"));
                }
            } else if name == "transform-origin" && has_class(node, &["milestone"]) {
                // The stylesheet turns it into a diamond.
                let middle = value.replace("px", "");
                if let Some(middle) = tidy(&middle, 2) {
                    self.attribute("transform", &format!("rotate(45 {middle})"));
                }
            } else if name == "space" && value == "preserve" {
                self.attribute("xml:space", value);
            }
        }
    }

    /// Classes and attributes for whatever is not as it is around.
    pub fn look(&mut self, node: Node<'a, 'a>, sort: Sort, style: &Style<'a>, around: &Style<'a>) {
        let mut classes: Vec<String> = Vec::new();
        let mut text = sort == Sort::Text && node.tag_name().name() == "text";
        let fill = self.paint(style.resolved(style.values[FILL]), Part::Area);
        for (at, value) in style.differences(around) {
            if !painted(at) {
                // What lies under a label hides the line through it.
                if at != OPACITY || fill != Some(Paint::Role("canvas")) {
                    self.attribute(PROPERTIES[at].name, value);
                }
                continue;
            }
            let part = match (sort, at) {
                (Sort::Text, FILL) => Part::Text,
                (_, FILL) => Part::Area,
                _ => Part::Line,
            };
            text &= at != FILL;
            let paint = self.paint(style.resolved(value), part);
            if at == FILL && sort == Sort::Shape {
                self.stand(node, paint, &mut classes);
            }
            match paint {
                Some(Paint::Role(role)) if at == FILL => {
                    match self.ground.filter(|_| part == Part::Text) {
                        Some(ground) => classes.push(format!("f-{ground}")),
                        None => classes.push(format!("f-{role}")),
                    }
                }
                Some(Paint::Role(role)) if at == STROKE => classes.push(format!("s-{role}")),
                // A stop of a gradient has no classes.
                Some(Paint::Role(_)) => self.attribute(PROPERTIES[at].name, value),
                Some(Paint::None) => self.attribute(PROPERTIES[at].name, "none"),
                Some(Paint::Authored(colour)) => self.attribute(PROPERTIES[at].name, colour),
                Some(Paint::Reference(target)) => {
                    if let Some(target) = self.refer(target) {
                        self.attribute(PROPERTIES[at].name, &format!("url(#{target})"));
                    }
                }
                None => {}
            }
        }
        if let Some(ground) = self.ground.filter(|_| text) {
            let inherited = self.paint(style.resolved(style.values[FILL]), Part::Text);
            if matches!(inherited, Some(Paint::Role(_))) {
                classes.push(format!("f-{ground}"));
            }
        }
        if !classes.is_empty() {
            self.attribute("class", &classes.join(" "));
        }
    }

    /// Notes the colour of an area for what will be written on it.
    fn stand(&mut self, node: Node<'a, 'a>, paint: Option<Paint>, classes: &mut Vec<String>) {
        let parent = node.parent_element();
        match paint {
            Some(Paint::Authored(colour)) => {
                if has_class(node, &["rect"])
                    || parent.is_some_and(|parent| has_class(parent, &["cluster"]))
                {
                    // Other things than the author's stand on it.
                    classes.push("tint".to_owned());
                } else if self.within == Within::Box {
                    self.ground = Colour::parse(colour).map(Colour::text_on);
                }
            }
            Some(Paint::Role(_)) => self.ground = None,
            _ => {}
        }
    }

    fn paint(&self, value: &'a str, part: Part) -> Option<Paint<'a>> {
        match self.within {
            Within::Icon if Colour::parse(value).is_some() => Some(Paint::Authored(value)),
            _ => self.author.paint(value, part),
        }
    }

    /// The label of an HTML box as lines of text.
    pub fn foreign(&mut self, node: Node<'a, 'a>, style: &Style<'a>, around: &Style<'a>) {
        let Some(label) = label::read(node, style, &self.sheet) else {
            return;
        };
        let fill = self.paint(label.style.resolved(label.style.values[COLOR]), Part::Text);
        if let Some(edges) = label.ground() {
            let [x, y, width, height] = edges.map(number);
            let _ = write!(
                self.out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" class=\"f-canvas\"/>"
            );
        }
        for (x, y, line) in label.lines() {
            let _ = write!(
                self.out,
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{}\"",
                label.anchor()
            );
            for (at, value) in label.style.differences(around) {
                if !painted(at) && label::keeps(PROPERTIES[at].name) {
                    self.attribute(PROPERTIES[at].name, value);
                }
            }
            if around.values[STROKE] != "none" {
                self.attribute("stroke", "none");
            }
            match (fill, self.ground) {
                (Some(Paint::Authored(colour)), _) => self.attribute("fill", colour),
                (Some(Paint::Role(_)), Some(ground)) => {
                    self.attribute("class", &format!("f-{ground}"))
                }
                (Some(Paint::Role(role)), None) => self.attribute("class", &format!("f-{role}")),
                _ => self.attribute("class", "f-ink"),
            }
            self.out.push('>');
            push_text(&mut self.out, &line);
            self.out.push_str("</text>");
        }
    }
}
