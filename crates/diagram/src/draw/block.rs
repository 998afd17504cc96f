//! Nodes and labels: line breaks, sizes and markup.

use super::super::{FlowAuthor, FlowNode, NodeClass, Shape, Style, push_all, safe};
use super::curve::{Point, push_numbers};
use super::glyph::{TextRoom, clean, width};
use super::scene::{push_style, write_title};
use super::shape::{self, Ending, write_lines, write_rect};
use base::markup::xml;

pub const LABEL: f64 = 13.0;
pub const DETAIL: f64 = 12.0;
/// Width of bold text relative to regular text.
pub const BOLD: f64 = 1.1;
/// Line height of a label.
const LABEL_STEP: f64 = 17.0;
const DETAIL_STEP: f64 = 15.0;
/// Line height of a compartment, and the padding above and below.
const MEMBER_STEP: f64 = 17.0;
const MEMBER_AIR: f64 = 6.0;

/// The label of an edge, broken into lines.
pub struct EdgeLabel {
    pub lines: Vec<String>,
    pub size: Point,
    pub full: Option<String>,
}

impl EdgeLabel {
    pub fn new(label: &str, room: f64, origin: FlowAuthor) -> EdgeLabel {
        let lines = TextRoom { wide: room, origin }.lines(label, DETAIL);
        let widest = lines
            .iter()
            .map(|line| width(line, DETAIL))
            .fold(0.0, f64::max);
        let size = Point {
            x: widest + 8.0,
            y: DETAIL_STEP * lines.len() as f64 + 2.0,
        };
        let full = shortened(&lines).then(|| clean(label).into_owned());
        EdgeLabel { lines, size, full }
    }

    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(String::is_empty)
    }
}

/// A node with its text broken into lines, positioned by its centre.
#[derive(Clone)]
pub struct TextBlock {
    pub lines: Vec<String>,
    pub detail: Vec<String>,
    compartments: Vec<Vec<String>>,
    pub size: Point,
    pub class: NodeClass,
    pub shape: Shape,
    style: Style,
    href: Option<String>,
    full: Option<String>,
}

/// Maximum width of a line of text in a flow.
const TEXT: f64 = 168.0;
const AUTHORED_TEXT: f64 = 220.0;

impl TextBlock {
    pub fn new(node: &FlowNode, origin: FlowAuthor) -> TextBlock {
        let wide = match origin {
            FlowAuthor::Generated => TEXT,
            FlowAuthor::Authored => AUTHORED_TEXT,
        };
        TextBlock::within(node, TextRoom { wide, origin })
    }

    pub fn within(node: &FlowNode, room: TextRoom) -> TextBlock {
        let heavy = if node.class == NodeClass::Current || !node.compartments.is_empty() {
            BOLD
        } else {
            1.0
        };
        let narrower = TextRoom {
            wide: room.wide / heavy,
            ..room
        };
        let lines = narrower.lines(&node.label, LABEL);
        let mut detail = node
            .detail
            .as_deref()
            .map(|detail| room.lines(detail, DETAIL))
            .unwrap_or_default();
        let is_long = shortened(&lines) || shortened(&detail);
        let full = is_long.then(|| match &node.detail {
            Some(detail) => format!("{} ({})", clean(&node.label), clean(detail)),
            None => clean(&node.label).into_owned(),
        });
        detail.retain(|line| !line.is_empty());
        let clean_all =
            |lines: &Vec<String>| lines.iter().map(|line| clean(line).into_owned()).collect();
        let compartments: Vec<Vec<String>> = node.compartments.iter().map(clean_all).collect();
        let members = compartments.iter().flatten();
        let wide = lines.iter().map(|line| width(line, LABEL) * heavy);
        let small = detail.iter().chain(members).map(|line| width(line, DETAIL));
        let text = Point {
            x: wide.chain(small).fold(0.0, f64::max),
            y: LABEL_STEP * lines.len() as f64 + DETAIL_STEP * detail.len() as f64,
        };
        let mut size = shape::size(node.shape, text);
        size.y += compartments
            .iter()
            .map(|members| compartment_height(members))
            .sum::<f64>();
        TextBlock {
            size,
            lines,
            detail,
            compartments,
            class: node.class,
            shape: node.shape,
            style: node.style,
            href: node.href.as_deref().and_then(safe).map(str::to_owned),
            full,
        }
    }

    pub fn linked(&self) -> bool {
        self.href.is_some()
    }
}

/// An empty compartment is a thin strip.
fn compartment_height(members: &[String]) -> f64 {
    MEMBER_STEP * members.len() as f64 + 2.0 * MEMBER_AIR
}

pub fn write_tag(out: &mut String, at: Point, tag: &EdgeLabel, class: &str) {
    push_all(out, &["<g class=\"", class, "\">"]);
    if let Some(full) = &tag.full {
        write_title(out, full);
    }
    write_rect(out, "", corner(at, tag.size), tag.size, 3.0);
    let first = at.y - DETAIL_STEP / 2.0 * (tag.lines.len() as f64 - 1.0) + DETAIL * 0.35;
    for (index, line) in tag.lines.iter().enumerate() {
        write_line(out, at.x, first + DETAIL_STEP * index as f64, "", line);
    }
    out.push_str("</g>\n");
}

/// The upper left corner of a box, from its centre.
fn corner(middle: Point, size: Point) -> Point {
    Point {
        x: middle.x - size.x / 2.0,
        y: middle.y - size.y / 2.0,
    }
}

pub fn write_block(out: &mut String, at: Point, block: &TextBlock) {
    if let Some(href) = &block.href {
        push_all(out, &["<a href=\"", &xml(href), "\">"]);
    }
    let mut class = format!("d-node {}", class_name(block.class));
    push_style(&mut class, block.style);
    if let Some(shape) = shape_class(block.shape) {
        push_all(&mut class, &[" ", shape]);
    }
    push_all(out, &["<g class=\"", &class, "\">"]);
    if let Some(full) = &block.full {
        write_title(out, full);
    }
    shape::write(out, block.shape, block.class, at, block.size);
    if !matches!(block.shape, Shape::Start | Shape::End | Shape::Bar) {
        write_text(out, at, block);
    }
    out.push_str("</g>");
    out.push_str(if block.href.is_some() { "</a>\n" } else { "\n" });
}

/// Classes of shapes that the stylesheet treats specially.
fn shape_class(shape: Shape) -> Option<&'static str> {
    match shape {
        Shape::Note => Some("d-note"),
        Shape::Start | Shape::Bar => Some("d-solid"),
        _ => None,
    }
}

/// Writes label and detail in the middle, or at the top if compartments follow.
fn write_text(out: &mut String, at: Point, block: &TextBlock) {
    let TextBlock { lines, detail, .. } = block;
    let below: f64 = block
        .compartments
        .iter()
        .map(|members| compartment_height(members))
        .sum();
    let small_lines = DETAIL_STEP / 2.0 * detail.len() as f64;
    let first = at.y - below / 2.0 - LABEL_STEP / 2.0 * (lines.len() as f64 - 1.0) - small_lines
        + LABEL * 0.35;
    let class = if block.compartments.is_empty() {
        ""
    } else {
        "d-head"
    };
    for (index, line) in lines.iter().enumerate() {
        write_line(out, at.x, first + LABEL_STEP * index as f64, class, line);
    }
    let last = first + LABEL_STEP * (lines.len() as f64 - 1.0);
    for (index, line) in detail.iter().enumerate() {
        let y = last + 15.5 + DETAIL_STEP * index as f64;
        write_line(out, at.x, y, "d-detail", line);
    }
    let (left, right) = (at.x - block.size.x / 2.0, at.x + block.size.x / 2.0);
    let mut top = at.y + block.size.y / 2.0 - below;
    for members in &block.compartments {
        let ends = [Point { x: left, y: top }, Point { x: right, y: top }];
        write_lines(out, "d-inner", &ends, Ending::Open);
        for (index, member) in members.iter().enumerate() {
            let y = top + MEMBER_AIR + MEMBER_STEP * (index as f64 + 0.5) + DETAIL * 0.35;
            write_line(out, left + 12.0, y, "d-member", member);
        }
        top += compartment_height(members);
    }
}

pub fn write_line(out: &mut String, x: f64, y: f64, class: &str, line: &str) {
    out.push_str("<text");
    push_numbers(out, &[("x", x), ("y", y)]);
    if !class.is_empty() {
        push_all(out, &[" class=\"", class, "\""]);
    }
    push_all(out, &[">", &xml(line), "</text>"]);
}

fn class_name(class: NodeClass) -> &'static str {
    match class {
        NodeClass::Component => "d-component",
        NodeClass::Current => "d-current",
        NodeClass::Workload => "d-workload",
        NodeClass::Store => "d-store",
        NodeClass::Secret => "d-secret",
        NodeClass::Source => "d-source",
        NodeClass::Namespace => "d-namespace",
        NodeClass::External => "d-external",
        NodeClass::Disabled => "d-disabled",
        NodeClass::Missing => "d-missing",
        NodeClass::More => "d-more",
    }
}

fn shortened(lines: &[String]) -> bool {
    lines.last().is_some_and(|line| line.ends_with('…'))
}
