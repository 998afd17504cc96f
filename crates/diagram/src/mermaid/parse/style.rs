//! `style`, `classDef` and `linkStyle`: CSS declarations in terms of the theme.

use super::colour::{self, Hue};
use crate::{Line, NodeClass, Outline, Style};

/// Parsed declarations; `None` for properties that are not set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Paint {
    fill: Option<Hue>,
    stroke: Option<Hue>,
    dashed: Option<bool>,
    thick: Option<bool>,
}

impl Paint {
    /// Reads `fill:#f9f,stroke-width:4px`.
    pub fn parse(declarations: &str) -> Paint {
        let mut paint = Paint::default();
        for declaration in split_declarations(declarations) {
            let Some((property, value)) = declaration.split_once(':') else {
                continue;
            };
            let value = value.trim().trim_end_matches("!important").trim();
            match property.trim() {
                "fill" | "background" | "background-color" => {
                    paint.fill = colour::hue(value).or(paint.fill);
                }
                "stroke" | "border-color" => paint.stroke = colour::hue(value).or(paint.stroke),
                "stroke-dasharray" => {
                    let is_dash = |c: char| c.is_ascii_digit() && c != '0';
                    paint.dashed = Some(value.contains(is_dash));
                }
                "stroke-width" => paint.thick = pixels(value).map(|width| width >= 3.0),
                _ => {}
            }
        }
        paint
    }

    /// These declarations, with those of `base` for properties that are not set.
    pub fn over(self, base: Paint) -> Paint {
        Paint {
            fill: self.fill.or(base.fill),
            stroke: self.stroke.or(base.stroke),
            dashed: self.dashed.or(base.dashed),
            thick: self.thick.or(base.thick),
        }
    }

    pub fn has_colour(self) -> bool {
        self.fill.is_some() || self.stroke.is_some()
    }

    pub fn style(self) -> Style {
        let fill = self.fill.and_then(Hue::tint);
        let outline = if self.dashed == Some(true) {
            Outline::Dashed
        } else if self.thick == Some(true) {
            Outline::Thick
        } else {
            Outline::Plain
        };
        Style {
            tint: fill.or(self.stroke.and_then(Hue::tint)),
            outline,
        }
    }

    /// The line style of an edge that would otherwise be drawn as `line`.
    pub fn line(self, line: Line) -> Line {
        if line == Line::Hidden {
            line
        } else if self.dashed == Some(true) {
            Line::Dashed
        } else if self.thick == Some(true) && line == Line::Solid {
            Line::Bold
        } else {
            line
        }
    }
}

/// Splits at `,` and `;`, but not within parentheses.
fn split_declarations(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c == ';')
    })
}

fn pixels(value: &str) -> Option<f64> {
    let length = value
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(value.len());
    let number: f64 = value[..length].parse().ok()?;
    let is_relative = value[length..].trim().ends_with("em");
    Some(if is_relative { number * 16.0 } else { number })
}

/// The class of ours that has this name.
pub(super) fn class_named(name: &str) -> Option<NodeClass> {
    match name {
        "current" => Some(NodeClass::Current),
        "disabled" => Some(NodeClass::Disabled),
        "external" => Some(NodeClass::External),
        "missing" => Some(NodeClass::Missing),
        "namespace" => Some(NodeClass::Namespace),
        "secret" => Some(NodeClass::Secret),
        "source" => Some(NodeClass::Source),
        "store" => Some(NodeClass::Store),
        "workload" => Some(NodeClass::Workload),
        _ => None,
    }
}
