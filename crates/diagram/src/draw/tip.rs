//! Tips of lines: one SVG marker for each kind that a picture uses.

use super::super::{Tip, push_all};

impl Tip {
    /// Whether it is wider than an arrow head.
    pub fn is_wide(self) -> bool {
        !matches!(self, Tip::None | Tip::Arrow | Tip::Open)
    }

    /// The suffix of its marker's id. A plain arrow has none, since lines inherit it.
    fn suffix(self) -> &'static str {
        match self {
            Tip::None | Tip::Arrow => "",
            Tip::Open => "-open",
            Tip::Circle => "-circle",
            Tip::Cross => "-cross",
            Tip::Triangle => "-triangle",
            Tip::Diamond => "-diamond",
            Tip::HollowDiamond => "-hollow",
            Tip::One => "-one",
            Tip::ZeroOrOne => "-maybe",
            Tip::OneOrMore => "-some",
            Tip::ZeroOrMore => "-any",
        }
    }

    /// Its drawing towards the right, in a box of 24 by 12 with the node at x = 24.
    fn drawing(self) -> &'static str {
        match self {
            Tip::None => "",
            Tip::Arrow => "<path class=\"d-arrow\" d=\"M15 2L24 6L15 10L17.3 6z\"/>",
            Tip::Open => "<path class=\"d-tip\" d=\"M16 1.5L23.5 6L16 10.5\"/>",
            Tip::Circle => "<circle class=\"d-tip-hollow\" cx=\"19.5\" cy=\"6\" r=\"4\"/>",
            Tip::Cross => "<path class=\"d-tip\" d=\"M15 2L23 10M23 2L15 10\"/>",
            Tip::Triangle => "<path class=\"d-tip-hollow\" d=\"M12 0.8L23.4 6L12 11.2z\"/>",
            Tip::Diamond => "<path class=\"d-arrow\" d=\"M8 6L16 1.2L24 6L16 10.8z\"/>",
            Tip::HollowDiamond => {
                "<path class=\"d-tip-hollow\" d=\"M8.6 6L16 1.4L23.4 6L16 10.6z\"/>"
            }
            Tip::One => "<path class=\"d-tip\" d=\"M14 1V11M19 1V11\"/>",
            Tip::ZeroOrOne => {
                "<circle class=\"d-tip-hollow\" cx=\"11\" cy=\"6\" r=\"4\"/><path class=\"d-tip\" d=\"M19 1V11\"/>"
            }
            Tip::OneOrMore => "<path class=\"d-tip\" d=\"M24 1L14 6L24 11M12 1V11\"/>",
            Tip::ZeroOrMore => {
                "<path class=\"d-tip\" d=\"M24 1L15 6L24 11\"/><circle class=\"d-tip-hollow\" cx=\"10.5\" cy=\"6\" r=\"4\"/>"
            }
        }
    }
}

/// Placeholder for the id of a picture until it is known.
pub const ID: char = '\u{1}';

/// Writes the marker attributes of a line. Lines inherit an arrow at their end.
pub fn write_attributes(out: &mut String, [start, end]: [Tip; 2]) {
    if start != Tip::None {
        push_all(out, &[" marker-start=\"url(#\u{1}", start.suffix(), ")\""]);
    }
    match end {
        Tip::Arrow => {}
        Tip::None => out.push_str(" marker-end=\"none\""),
        _ => push_all(out, &[" marker-end=\"url(#\u{1}", end.suffix(), ")\""]),
    }
}

/// Writes the markers of a picture, including the plain arrow.
pub fn write_markers(out: &mut String, tips: &[Tip]) {
    out.push_str("<defs>");
    let mut written = Vec::new();
    for tip in std::iter::once(Tip::Arrow).chain(tips.iter().copied()) {
        if tip == Tip::None || written.contains(&tip) {
            continue;
        }
        written.push(tip);
        push_all(
            out,
            &[
                "<marker id=\"\u{1}",
                tip.suffix(),
                "\" viewBox=\"0 0 24 12\" refX=\"24\" refY=\"6\" markerWidth=\"24\" markerHeight=\"12\" \
                 markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\">",
                tip.drawing(),
                "</marker>",
            ],
        );
    }
    out.push_str("</defs>\n");
}
