//! What a layout has placed, as SVG. Colours, sizes of text and lines come from classes: pages are many, and their
//! style is one file.

use std::borrow::Cow;

use super::super::{
    Body, Class, Diagram, Layout, Line, Node, Origin, Outline, Shape, Style, Tip, push_all, safe,
};
use super::curve::{Point, push_number, push_numbers};
use super::glyph::{TextRoom, clean, width};
use super::shape::{self, Ending, write_lines, write_rect};
use super::{layered, neighbourhood, sequence, tip};

pub const LABEL: f64 = 13.0;
pub const DETAIL: f64 = 12.0;
/// How much wider heavy text is.
pub const BOLD: f64 = 1.1;
/// From one line of text to the next.
const LABEL_STEP: f64 = 17.0;
const DETAIL_STEP: f64 = 15.0;
/// The lines of a compartment, and the air above and below them.
const MEMBER_STEP: f64 = 17.0;
const MEMBER_AIR: f64 = 6.0;
const MARGIN: f64 = 8.0;

/// A flow with everything in its place.
#[derive(Default)]
pub struct Scene {
    pub size: Point,
    /// Each before those within it.
    pub frames: Vec<Frame>,
    pub wires: Vec<Wire>,
    pub blocks: Vec<(Point, Block)>,
}

/// A group: its upper left corner and its size.
pub struct Frame {
    pub at: Point,
    pub size: Point,
    pub label: String,
    pub style: Style,
    /// How many frames are around it.
    pub depth: usize,
}

impl Frame {
    fn contains(&self, point: Point) -> bool {
        let within = |at: f64, start: f64, size: f64| start <= at && at <= start + size;
        within(point.x, self.at.x, self.size.x) && within(point.y, self.at.y, self.size.y)
    }
}

pub struct Wire {
    pub path: String,
    pub line: Line,
    pub tips: [Tip; 2],
    /// The middle of each label and what it says.
    pub tags: Vec<(Point, Tag)>,
    /// Shown on hover where there is no room for a label.
    pub title: Option<String>,
}

/// The label of an edge, in as many lines as it needs.
pub struct Tag {
    pub lines: Vec<String>,
    pub size: Point,
    pub full: Option<String>,
}

impl Tag {
    pub fn new(label: &str, room: f64, origin: Origin) -> Tag {
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
        Tag { lines, size, full }
    }

    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(String::is_empty)
    }
}

/// A node with its text broken into lines: placed by its middle.
#[derive(Clone)]
pub struct Block {
    pub lines: Vec<String>,
    pub detail: Vec<String>,
    compartments: Vec<Vec<String>>,
    pub size: Point,
    pub class: Class,
    pub shape: Shape,
    style: Style,
    href: Option<String>,
    full: Option<String>,
}

/// The widest that a line of text may be in a flow.
const TEXT: f64 = 168.0;
const AUTHORED_TEXT: f64 = 220.0;

impl Block {
    pub fn new(node: &Node, origin: Origin) -> Block {
        let wide = match origin {
            Origin::Generated => TEXT,
            Origin::Authored => AUTHORED_TEXT,
        };
        Block::within(node, TextRoom { wide, origin })
    }

    pub fn within(node: &Node, room: TextRoom) -> Block {
        let heavy = if node.class == Class::Current || !node.compartments.is_empty() {
            BOLD
        } else {
            1.0
        };
        let narrower = TextRoom {
            wide: room.wide / heavy,
            ..room
        };
        let lines = narrower.lines(&node.label, LABEL);
        let detail = node
            .detail
            .as_deref()
            .map(|detail| room.lines(detail, DETAIL));
        let mut detail = detail.unwrap_or_default();
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
        Block {
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

/// `id` must be one that markup may have.
pub fn draw(diagram: &Diagram, id: Option<&str>) -> String {
    match &diagram.body {
        Body::Flow(flow) => {
            let scene = match flow.layout {
                Layout::Neighbourhood { centre } => neighbourhood::lay_out(flow, centre),
                Layout::Layered(direction) => layered::lay_out(flow, direction),
            };
            let mut body = String::with_capacity(4096);
            write_scene(&mut body, &scene);
            let mut links = scene.blocks.iter();
            let tips: Vec<Tip> = scene.wires.iter().flat_map(|wire| wire.tips).collect();
            finish(
                diagram,
                id,
                &Drawn {
                    size: scene.size,
                    body,
                    links: Links::of(links.any(|(_, block)| block.linked())),
                    tips,
                },
            )
        }
        Body::Sequence(sequence) => finish(diagram, id, &sequence::draw(sequence)),
    }
}

/// A picture without its envelope.
pub struct Drawn {
    pub size: Point,
    pub body: String,
    pub links: Links,
    /// What its lines start and end with.
    pub tips: Vec<Tip>,
}

/// Whether anything in a picture can be followed. An image may not contain links, since readers
/// of the accessibility tree never reach them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Links {
    None,
    Some,
}

impl Links {
    pub fn of(has_links: bool) -> Links {
        if has_links { Links::Some } else { Links::None }
    }
}

fn finish(diagram: &Diagram, id: Option<&str>, drawn: &Drawn) -> String {
    let own = || format!("d{:08x}", hash(&[&diagram.title, &drawn.body]));
    let id = id.map_or_else(own, str::to_owned);
    let role = match drawn.links {
        Links::None => "img",
        Links::Some => "group",
    };
    let kind = match &diagram.body {
        Body::Flow(_) => "d-flow",
        Body::Sequence(_) => "d-sequence",
    };
    let mut out = String::with_capacity(drawn.body.len() + 1024);
    let (wide, high) = (drawn.size.x + 2.0 * MARGIN, drawn.size.y + 2.0 * MARGIN);
    push_all(
        &mut out,
        &[
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram ",
            kind,
            "\" role=\"",
            role,
            "\" aria-labelledby=\"\u{1}-t\" viewBox=\"",
        ],
    );
    for (at, value) in [-MARGIN, -MARGIN, wide, high].into_iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        push_number(&mut out, value);
    }
    out.push('"');
    push_numbers(&mut out, &[("width", wide), ("height", high)]);
    let title = clean(&diagram.title);
    push_all(
        &mut out,
        &[">\n<title id=\"\u{1}-t\">", &escape(&title), "</title>\n"],
    );
    tip::write_markers(&mut out, &drawn.tips);
    out.push_str(&drawn.body);
    out.push_str("</svg>\n");
    out.replace(tip::ID, &id)
}

/// Begins the lines of a picture. Arrow heads are inherited, so that they are named once.
pub const EDGES: &str = "<g class=\"d-edges\" marker-end=\"url(#\u{1})\">\n";

fn write_scene(out: &mut String, scene: &Scene) {
    for frame in &scene.frames {
        write_frame(out, frame);
    }
    out.push_str(EDGES);
    for wire in &scene.wires {
        if let Some(class) = line_class(wire.line) {
            write_path(out, class, &wire.path, wire.tips, wire.title.as_deref());
        }
    }
    out.push_str("</g>\n");
    // Names of frames lie above the lines that enter there.
    for frame in &scene.frames {
        write_frame_label(out, frame);
    }
    for (at, tag) in scene.wires.iter().flat_map(|wire| &wire.tags) {
        // The innermost frame comes last.
        let frame = scene.frames.iter().rfind(|frame| frame.contains(*at));
        let is_shaded = frame.is_some_and(|frame| frame.depth % 2 == 0);
        let class = if is_shaded {
            "d-label d-framed"
        } else {
            "d-label"
        };
        write_tag(out, *at, tag, class);
    }
    for (at, block) in &scene.blocks {
        write_block(out, *at, block);
    }
}

/// None for a line that is not drawn.
pub fn line_class(line: Line) -> Option<&'static str> {
    match line {
        Line::Hidden => None,
        Line::Solid => Some("d-edge"),
        Line::Dashed => Some("d-edge d-dashed"),
        Line::Bold => Some("d-edge d-bold"),
    }
}

/// A line, with what is shown on hover.
pub fn write_path(out: &mut String, class: &str, path: &str, tips: [Tip; 2], title: Option<&str>) {
    push_all(out, &["<path class=\"", class, "\" d=\"", path, "\""]);
    tip::write_attributes(out, tips);
    match title {
        Some(title) => {
            out.push('>');
            write_title(out, title);
            out.push_str("</path>\n");
        }
        None => out.push_str("/>\n"),
    }
}

fn write_title(out: &mut String, title: &str) {
    push_all(out, &["<title>", &escape(title), "</title>"]);
}

fn write_frame(out: &mut String, frame: &Frame) {
    let mut class = String::from("d-group");
    if frame.depth % 2 == 1 {
        class += " d-within";
    }
    push_style(&mut class, frame.style);
    write_rect(out, &class, frame.at, frame.size, 10.0);
    out.push('\n');
}

/// The classes of a style, each after a space.
pub fn push_style(class: &mut String, style: Style) {
    if let Some(tint) = style.tint {
        *class += &format!(" d-tint d-h{}", tint.index());
    }
    match style.outline {
        Outline::Plain => {}
        Outline::Dashed => *class += " d-dash",
        Outline::Thick => *class += " d-thick",
    }
}

fn write_frame_label(out: &mut String, frame: &Frame) {
    let label = clean(&frame.label);
    if label.is_empty() {
        return;
    }
    // Frames of generated flows do not grow with long names.
    let room = TextRoom {
        wide: (frame.size.x - 24.0) / BOLD,
        origin: Origin::Generated,
    };
    let shown = room.one_line(&label, DETAIL);
    out.push_str("<text class=\"d-group-label\"");
    push_numbers(out, &[("x", frame.at.x + 12.0), ("y", frame.at.y + 18.0)]);
    out.push('>');
    if shown != label {
        write_title(out, &label);
    }
    push_all(out, &[&escape(&shown), "</text>\n"]);
}

pub fn write_tag(out: &mut String, at: Point, tag: &Tag, class: &str) {
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

/// Of something that is placed by its middle.
fn corner(middle: Point, size: Point) -> Point {
    Point {
        x: middle.x - size.x / 2.0,
        y: middle.y - size.y / 2.0,
    }
}

pub fn write_block(out: &mut String, at: Point, block: &Block) {
    if let Some(href) = &block.href {
        push_all(out, &["<a href=\"", &escape(href), "\">"]);
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

/// Shapes that the stylesheet treats in their own way.
fn shape_class(shape: Shape) -> Option<&'static str> {
    match shape {
        Shape::Note => Some("d-note"),
        Shape::Start | Shape::Bar => Some("d-solid"),
        _ => None,
    }
}

/// Label and detail in the middle, or at the top where compartments follow.
fn write_text(out: &mut String, at: Point, block: &Block) {
    let Block { lines, detail, .. } = block;
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
    push_all(out, &[">", &escape(line), "</text>"]);
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Component => "d-component",
        Class::Current => "d-current",
        Class::Workload => "d-workload",
        Class::Store => "d-store",
        Class::Secret => "d-secret",
        Class::Source => "d-source",
        Class::Namespace => "d-namespace",
        Class::External => "d-external",
        Class::Disabled => "d-disabled",
        Class::Missing => "d-missing",
        Class::More => "d-more",
    }
}

fn shortened(lines: &[String]) -> bool {
    lines.last().is_some_and(|line| line.ends_with('…'))
}

pub fn escape(text: &str) -> Cow<'_, str> {
    // Most text is plain, and pages are many.
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) && !b"&<>\"'".contains(&byte);
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// FNV-1a, of eight bytes at a time: short and quick; it keeps ids of one page apart, nothing more.
fn hash(parts: &[&str]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
        // A product carries upwards only, and the next one would lose what is on top.
        hash ^= hash >> 32;
    };
    for part in parts {
        let (words, rest) = part.as_bytes().as_chunks::<8>();
        words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| add(u64::from(*byte)));
    }
    hash as u32
}
