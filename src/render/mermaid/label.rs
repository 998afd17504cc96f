//! A label that the engine wrote as HTML in an SVG, as the lines of text that it comes to.

use std::borrow::Cow;

use roxmltree::Node;

use super::geometry::number;
use super::sheet::Sheet;
use super::style::Style;
use crate::render::diagram::glyph;

pub struct Label<'a> {
    pub style: Style<'a>,
    lines: Vec<String>,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    align: Align,
    ground: Ground,
}

/// Whether the label hides what is under it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    Clear,
    Canvas,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Middle,
}

/// Higher than the font, as lines are in HTML.
const LINE: f64 = 1.3;

/// The label in a `foreignObject` of this style, if it says anything.
pub fn read<'a>(node: Node<'a, 'a>, style: &Style<'a>, sheet: &Sheet<'a>) -> Option<Label<'a>> {
    let edge = |name: &str| {
        let value = node
            .attribute(name)
            .and_then(|value| value.parse::<f64>().ok());
        value.filter(|value| value.abs() < 1e6).unwrap_or(0.0)
    };
    let first = node
        .descendants()
        .find(|node| node.is_text() && says(node))?;
    let mut chain: Vec<_> = first
        .ancestors()
        .skip(1)
        .take_while(|ancestor| *ancestor != node)
        .collect();
    chain.reverse();
    let style = chain
        .into_iter()
        .fold(*style, |style, element| style.of(element, sheet));
    let mut paragraphs = vec![String::new()];
    for inner in node.descendants() {
        if inner.is_text() {
            if let (Some(last), Some(text)) = (paragraphs.last_mut(), inner.text()) {
                last.push_str(&plain(text));
            }
        } else if matches!(inner.tag_name().name(), "br" | "p" | "div" | "li" | "pre") {
            paragraphs.push(String::new());
        }
    }
    let size = style.font_size();
    let width = edge("width");
    let room = if width > 0.0 {
        width + 1.0
    } else {
        f64::INFINITY
    };
    let lines: Vec<String> = paragraphs
        .iter()
        .flat_map(|text| wrap(text, size, room))
        .collect();
    let left = node
        .ancestors()
        .take(3)
        .filter_map(|ancestor| ancestor.attribute("style"));
    let align = match left
        .into_iter()
        .any(|style| style.replace(' ', "").contains("text-align:left"))
    {
        true => Align::Left,
        false => Align::Middle,
    };
    let backed = node
        .descendants()
        .filter_map(|inner| inner.attribute("class"));
    let ground = match backed.into_iter().any(|class| class.contains("labelBkg")) {
        true => Ground::Canvas,
        false => Ground::Clear,
    };
    Some(Label {
        style,
        lines,
        ground,
        left: edge("x"),
        top: edge("y"),
        width,
        height: edge("height"),
        align,
    })
}

/// The properties that matter for a line of text.
pub fn keeps(property: &str) -> bool {
    property.starts_with("font-") || property == "opacity" || property == "text-decoration"
}

impl Label<'_> {
    /// Where each line stands, and what it says.
    pub fn lines(&self) -> Vec<(String, String, String)> {
        let size = self.style.font_size();
        let step = size * LINE;
        let x = match self.align {
            Align::Left => self.left,
            Align::Middle => self.left + self.width / 2.0,
        };
        let middle = self.top + self.height / 2.0 + size * 0.35;
        let first = middle - step * (self.lines.len().saturating_sub(1)) as f64 / 2.0;
        let lines = self.lines.iter().enumerate();
        lines
            .map(|(at, line)| (number(x), number(first + step * at as f64), line.clone()))
            .collect()
    }

    /// What it covers, as x, y, width and height.
    pub fn ground(&self) -> Option<[f64; 4]> {
        let size = self.style.font_size();
        let widest = self
            .lines
            .iter()
            .map(|line| glyph::width(line, size))
            .fold(0.0, f64::max);
        let high = size * LINE * self.lines.len() as f64;
        let (x, y) = (self.left + self.width / 2.0, self.top + self.height / 2.0);
        (self.ground == Ground::Canvas).then_some([
            x - widest / 2.0 - 2.0,
            y - high / 2.0,
            widest + 4.0,
            high,
        ])
    }

    pub fn anchor(&self) -> &'static str {
        match self.align {
            Align::Left => "start",
            Align::Middle => "middle",
        }
    }
}

/// Text with the entities that the engine left in it: authors write `#quot;` and `#35;` for what Mermaid would take as its own.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let known = rest.find(';').filter(|end| *end < 12);
        match known.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "quot" => '"',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control())?
        }
    })
}

fn says(node: &Node) -> bool {
    node.text().is_some_and(|text| !text.trim().is_empty())
}

/// As many words on each line as fit.
fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if glyph::width(line, size) + glyph::width(word, size) + 0.37 * size <= room =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
