//! What lines start and end with: one marker for each kind that a picture has.

use super::super::{Tip, push_all};

impl Tip {
    /// Whether it is wider than an arrow head.
    pub fn is_wide(self) -> bool {
        !matches!(self, Tip::None | Tip::Arrow | Tip::Open)
    }

    /// The end of the id of its marker. A plain arrow has none, since it is what lines inherit.
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

    /// Its drawing towards the right, in a box of 24 by 12 with the node at x = 24, and where the line ends in it.
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

/// Stands for the id of a picture until that is known.
pub const ID: char = '\u{1}';

/// The attributes of a line with these tips. Lines inherit an arrow at their end.
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

/// The markers of a picture, the plain arrow among them.
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
