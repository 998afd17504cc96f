//! What a layout has placed, as SVG. Colours, sizes of text and lines come from classes: pages are many, and their
//! style is one file.

use std::borrow::Cow;

use super::curve::{Point, push_number, push_numbers};
use super::glyph::{clean, width, wrap};
use super::{
    Body, Class, Diagram, Layout, Line, Node, layered, neighbourhood, push_all, safe, sequence,
};

pub const LABEL: f64 = 13.0;
pub const DETAIL: f64 = 11.0;
/// How much wider heavy text is.
pub const BOLD: f64 = 1.1;
const MARGIN: f64 = 8.0;

/// A flow with everything in its place.
#[derive(Default)]
pub struct Scene {
    pub size: Point,
    pub frames: Vec<Frame>,
    pub wires: Vec<Wire>,
    pub blocks: Vec<(Point, Block)>,
}

/// A group: its upper left corner and its size.
pub struct Frame {
    pub at: Point,
    pub size: Point,
    pub label: String,
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
    /// The middle of the label and what it says.
    pub tag: Option<(Point, Tag)>,
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
    pub fn new(label: &str, room: f64) -> Tag {
        let lines = wrap(label, DETAIL, room, 2);
        let widest = lines
            .iter()
            .map(|line| width(line, DETAIL))
            .fold(0.0, f64::max);
        let size = Point {
            x: widest + 8.0,
            y: 14.0 * lines.len() as f64 + 2.0,
        };
        let full = shortened(&lines).then(|| clean(label).into_owned());
        Tag { lines, size, full }
    }
}

/// A node with its text broken into lines: placed by its middle.
pub struct Block {
    pub lines: Vec<String>,
    pub detail: Vec<String>,
    pub size: Point,
    class: Class,
    href: Option<String>,
    full: Option<String>,
}

impl Block {
    /// `room` is the widest that a line of text may be.
    pub fn new(node: &Node, room: f64) -> Block {
        let heavy = if node.class == Class::Current {
            BOLD
        } else {
            1.0
        };
        let lines = wrap(&node.label, LABEL, room / heavy, 2);
        let detail = node
            .detail
            .as_deref()
            .map(|detail| wrap(detail, DETAIL, room, 2));
        let mut detail = detail.unwrap_or_default();
        let long = shortened(&lines) || shortened(&detail);
        let full = long.then(|| match &node.detail {
            Some(detail) => format!("{} ({})", clean(&node.label), clean(detail)),
            None => clean(&node.label).into_owned(),
        });
        detail.retain(|line| !line.is_empty());
        let wide = lines.iter().map(|line| width(line, LABEL) * heavy);
        let small = detail.iter().map(|line| width(line, DETAIL));
        let widest = wide.chain(small).fold(0.0, f64::max);
        let small_lines = 15.0 * detail.len() as f64;
        Block {
            size: Point {
                x: widest.max(40.0) + 24.0,
                y: 16.0 + 17.0 * lines.len() as f64 + small_lines,
            },
            lines,
            detail,
            class: node.class,
            href: node.href.as_deref().and_then(safe).map(str::to_owned),
            full,
        }
    }

    pub fn linked(&self) -> bool {
        self.href.is_some()
    }
}

pub fn draw(diagram: &Diagram) -> String {
    match &diagram.body {
        Body::Flow(flow) => {
            let scene = match flow.layout {
                Layout::Neighbourhood { centre } => neighbourhood::lay_out(flow, centre),
                Layout::Layered(direction) => layered::lay_out(flow, direction),
            };
            let mut links = Links::None;
            let mut body = String::with_capacity(4096);
            for (_, block) in &scene.blocks {
                if block.linked() {
                    links = Links::Some;
                }
            }
            write_scene(&mut body, &scene);
            finish(diagram, scene.size, &body, links)
        }
        Body::Sequence(sequence) => {
            let (size, body, links) = sequence::draw(sequence);
            finish(diagram, size, &body, links)
        }
    }
}

/// Whether anything in a picture can be followed. An image may not contain links, since readers
/// of the accessibility tree never reach them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Links {
    None,
    Some,
}

fn finish(diagram: &Diagram, size: Point, body: &str, links: Links) -> String {
    let id = format!("d{:08x}", hash(&[&diagram.title, body]));
    let role = match links {
        Links::None => "img",
        Links::Some => "group",
    };
    let kind = match &diagram.body {
        Body::Flow(_) => "d-flow",
        Body::Sequence(_) => "d-sequence",
    };
    let mut out = String::with_capacity(body.len() + 1024);
    let (wide, high) = (size.x + 2.0 * MARGIN, size.y + 2.0 * MARGIN);
    push_all(
        &mut out,
        &[
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram ",
            kind,
            "\" role=\"",
            role,
            "\" aria-labelledby=\"",
            &id,
            "-t\" viewBox=\"",
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
        &[
            ">\n<title id=\"",
            &id,
            "-t\">",
            &escape(&title),
            "</title>\n",
        ],
    );
    push_all(
        &mut out,
        &[
            "<defs><marker id=\"",
            &id,
            "\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"d-arrow\" \
             d=\"M0 1L10 5L0 9L2.5 5z\"/></marker></defs>\n",
        ],
    );
    // Arrow heads are inherited, so that the id is written once.
    match body.split_once(EDGES) {
        Some((before, after)) => push_all(
            &mut out,
            &[
                before,
                "<g class=\"d-edges\" marker-end=\"url(#",
                &id,
                ")\">\n",
                after,
            ],
        ),
        None => out.push_str(body),
    }
    out.push_str("</svg>\n");
    out
}

/// Begins the lines of a picture, whose arrow heads are known once it is drawn.
pub const EDGES: &str = "<g class=\"d-edges\">\n";

fn write_scene(out: &mut String, scene: &Scene) {
    for frame in &scene.frames {
        write_frame(out, frame);
    }
    out.push_str(EDGES);
    for wire in &scene.wires {
        let class = match wire.line {
            Line::Solid => "d-edge",
            Line::Dashed => "d-edge d-dashed",
            Line::Bold => "d-edge d-bold",
        };
        write_path(out, class, &wire.path, wire.title.as_deref());
    }
    out.push_str("</g>\n");
    // Names of frames lie above the lines that enter there.
    for frame in &scene.frames {
        write_frame_label(out, frame);
    }
    for (at, tag) in scene.wires.iter().filter_map(|wire| wire.tag.as_ref()) {
        let framed = scene.frames.iter().any(|frame| frame.contains(*at));
        write_tag(
            out,
            *at,
            tag,
            if framed {
                "d-label d-framed"
            } else {
                "d-label"
            },
        );
    }
    for (at, block) in &scene.blocks {
        write_block(out, *at, block);
    }
}

/// A line, with what is shown on hover.
pub fn write_path(out: &mut String, class: &str, path: &str, title: Option<&str>) {
    push_all(out, &["<path class=\"", class, "\" d=\"", path, "\""]);
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

/// By its upper left corner.
fn write_rect(out: &mut String, class: &str, at: Point, size: Point, radius: f64) {
    out.push_str("<rect");
    if !class.is_empty() {
        push_all(out, &[" class=\"", class, "\""]);
    }
    let place = [("x", at.x), ("y", at.y)];
    push_numbers(out, &place);
    let extent = [("width", size.x), ("height", size.y), ("rx", radius)];
    push_numbers(out, &extent);
    out.push_str("/>");
}

fn write_frame(out: &mut String, frame: &Frame) {
    write_rect(out, "d-group", frame.at, frame.size, 10.0);
    out.push('\n');
}

fn write_frame_label(out: &mut String, frame: &Frame) {
    let lines = wrap(&frame.label, DETAIL, (frame.size.x - 24.0) / BOLD, 1);
    out.push_str("<text class=\"d-group-label\"");
    push_numbers(out, &[("x", frame.at.x + 12.0), ("y", frame.at.y + 18.0)]);
    out.push('>');
    if shortened(&lines) {
        write_title(out, &clean(&frame.label));
    }
    let label = lines.first().map_or("", String::as_str);
    push_all(out, &[&escape(label), "</text>\n"]);
}

pub fn write_tag(out: &mut String, at: Point, tag: &Tag, class: &str) {
    push_all(out, &["<g class=\"", class, "\">"]);
    if let Some(full) = &tag.full {
        write_title(out, full);
    }
    write_rect(out, "", corner(at, tag.size), tag.size, 3.0);
    let first = at.y - 7.0 * (tag.lines.len() as f64 - 1.0) + DETAIL * 0.35;
    for (index, line) in tag.lines.iter().enumerate() {
        write_line(out, at.x, first + 14.0 * index as f64, "", line);
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
    let Block {
        lines,
        detail,
        size,
        class,
        href,
        full,
    } = block;
    if let Some(href) = href {
        push_all(out, &["<a href=\"", &escape(href), "\">"]);
    }
    push_all(out, &["<g class=\"d-node ", class_name(*class), "\">"]);
    if let Some(full) = full {
        write_title(out, full);
    }
    let radius = match class {
        Class::External => (size.y / 2.0).min(22.0),
        _ => 7.0,
    };
    write_rect(out, "", corner(at, *size), *size, radius);
    let small_lines = 7.5 * detail.len() as f64;
    let first = at.y - 8.5 * (lines.len() as f64 - 1.0) - small_lines + LABEL * 0.35;
    for (index, line) in lines.iter().enumerate() {
        write_line(out, at.x, first + 17.0 * index as f64, "", line);
    }
    let last = first + 17.0 * (lines.len() as f64 - 1.0);
    for (index, line) in detail.iter().enumerate() {
        let y = last + 15.5 + 15.0 * index as f64;
        write_line(out, at.x, y, "d-detail", line);
    }
    out.push_str("</g>");
    out.push_str(if href.is_some() { "</a>\n" } else { "\n" });
}

fn write_line(out: &mut String, x: f64, y: f64, class: &str, line: &str) {
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
