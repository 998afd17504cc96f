//! Writes a finished layout as SVG. Colours, font sizes and line widths come from classes, because one stylesheet
//! serves all pages.

use super::super::{Diagram, DiagramBody, FlowAuthor, Layout, Line, Outline, Style, Tip, push_all};
use super::block::{BOLD, DETAIL, EdgeLabel, TextBlock, write_block, write_tag};
use super::curve::{Point, push_number, push_numbers};
use super::glyph::{TextRoom, clean};
use super::shape::write_rect;
use super::{layered, neighbourhood, sequence, tip};
use base::markup::xml;

const MARGIN: f64 = 8.0;

/// A flow with positions for everything.
#[derive(Default)]
pub struct Scene {
    pub size: Point,
    /// Outer frames first.
    pub frames: Vec<GroupFrame>,
    pub wires: Vec<Wire>,
    pub blocks: Vec<(Point, TextBlock)>,
}

/// A group, by its upper left corner and size.
pub struct GroupFrame {
    pub at: Point,
    pub size: Point,
    pub label: String,
    pub style: Style,
    /// Number of frames around it.
    pub depth: usize,
}

impl GroupFrame {
    fn contains(&self, point: Point) -> bool {
        let within = |at: f64, start: f64, size: f64| start <= at && at <= start + size;
        within(point.x, self.at.x, self.size.x) && within(point.y, self.at.y, self.size.y)
    }
}

pub struct Wire {
    pub path: String,
    pub line: Line,
    pub tips: [Tip; 2],
    /// The centre and text of each label.
    pub tags: Vec<(Point, EdgeLabel)>,
    /// Shown on hover where there is no room for a label.
    pub title: Option<String>,
}

/// Writes a diagram. `id` must be valid in markup.
pub fn draw(diagram: &Diagram, id: Option<&str>) -> String {
    match &diagram.body {
        DiagramBody::Flow(flow) => {
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
                    links: Links::for_diagram(links.any(|(_, block)| block.linked())),
                    tips,
                },
            )
        }
        DiagramBody::Sequence(sequence) => finish(diagram, id, &sequence::draw(sequence)),
    }
}

/// A picture without its `svg` element.
pub struct Drawn {
    pub size: Point,
    pub body: String,
    pub links: Links,
    /// The tips of its lines.
    pub tips: Vec<Tip>,
}

/// Whether a picture has links. With role `img` it may not, since screen readers never reach them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Links {
    None,
    Some,
}

impl Links {
    pub fn for_diagram(has_links: bool) -> Links {
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
        DiagramBody::Flow(_) => "d-flow",
        DiagramBody::Sequence(_) => "d-sequence",
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
        &[">\n<title id=\"\u{1}-t\">", &xml(&title), "</title>\n"],
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
    // Names of frames are above the lines that enter there.
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

/// The class of a line; `None` if it is not drawn.
pub fn line_class(line: Line) -> Option<&'static str> {
    match line {
        Line::Hidden => None,
        Line::Solid => Some("d-edge"),
        Line::Dashed => Some("d-edge d-dashed"),
        Line::Bold => Some("d-edge d-bold"),
    }
}

/// Writes a line, with its tooltip.
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

pub fn write_title(out: &mut String, title: &str) {
    push_all(out, &["<title>", &xml(title), "</title>"]);
}

fn write_frame(out: &mut String, frame: &GroupFrame) {
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

fn write_frame_label(out: &mut String, frame: &GroupFrame) {
    let label = clean(&frame.label);
    if label.is_empty() {
        return;
    }
    // Frames of generated flows do not grow with long names.
    let room = TextRoom {
        wide: (frame.size.x - 24.0) / BOLD,
        origin: FlowAuthor::Generated,
    };
    let shown = room.one_line(&label, DETAIL);
    out.push_str("<text class=\"d-group-label\"");
    push_numbers(out, &[("x", frame.at.x + 12.0), ("y", frame.at.y + 18.0)]);
    out.push('>');
    if shown != label {
        write_title(out, &label);
    }
    push_all(out, &[&xml(&shown), "</text>\n"]);
}

/// FNV-1a over eight bytes at a time: fast, and enough to keep the ids of a page distinct.
fn hash(parts: &[&str]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
        // Multiplication only carries upwards, so fold the top bits down.
        hash ^= hash >> 32;
    };
    for part in parts {
        let (words, rest) = part.as_bytes().as_chunks::<8>();
        words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| add(u64::from(*byte)));
    }
    hash as u32
}
