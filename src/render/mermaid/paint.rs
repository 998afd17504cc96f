//! Which colour of a drawing means what. The engine is given a colour of its own for every role; where that colour comes
//! back, a class stands for it, so that light and dark are the stylesheet's. What an author chose stays as it is.

use super::colour::Colour;

/// What an area, a line or a text is painted with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Paint<'a> {
    None,
    /// A role: `f-…` and `s-…` in the stylesheet.
    Role(&'static str),
    /// A colour that the author wrote.
    Authored(&'a str),
    /// A gradient within the drawing, by its id.
    Reference(&'a str),
}

/// The roles, each with the colour that stands for it on the way through the engine. They are sane colours, since the
/// engine derives others from them, and odd ones, since an author's must not be taken for them.
const ROLES: [(&str, &str); 27] = [
    ("canvas", "#fdfdfb"),
    ("node", "#fefefc"),
    ("node-line", "#8b8478"),
    ("group", "#f2f0eb"),
    ("group-line", "#dedad1"),
    ("edge", "#8c8577"),
    ("ink", "#1e2226"),
    ("muted", "#5b5f65"),
    ("note", "#faf0d9"),
    ("note-line", "#855301"),
    ("accent", "#2c48c1"),
    ("accent-soft", "#e8ecfa"),
    ("done", "#e6f3e9"),
    ("bad", "#b3261d"),
    ("bad-soft", "#fbe9e6"),
    ("h0", "#c7d5fb"),
    ("h1", "#f8d9b5"),
    ("h2", "#c3e7cb"),
    ("h3", "#f3c9d8"),
    ("h4", "#dccdf6"),
    ("h5", "#bfe6ea"),
    ("h6", "#f2e6a9"),
    ("h7", "#d8dbe1"),
    ("h8", "#f6cbc1"),
    ("h9", "#d3e9ac"),
    ("h10", "#bfdef7"),
    ("h11", "#e8cfe9"),
];

const HUES: usize = 12;

/// The engine's theme variables by role; `a.b` is the member `b` of the group `a`.
const VARIABLES: [(&str, &str); 17] = [
    (
        "canvas",
        "background edgeLabelBackground relationLabelBackground pieStrokeColor pieOuterStrokeColor sequenceNumberColor \
         attributeBackgroundColorOdd rowOdd xyChart.backgroundColor altSectionBkgColor commitLabelBackground labelBackgroundColor",
    ),
    (
        "node",
        "primaryColor nodeBkg mainBkg actorBkg labelBoxBkgColor stateBkg personBkg requirementBackground tagLabelBackground \
         taskBkgColor compositeTitleBackground",
    ),
    (
        "node-line",
        "primaryBorderColor nodeBorder actorBorder labelBoxBorderColor taskBorderColor personBorder requirementBorderColor \
         tagLabelBorder compositeBorder border2 quadrantInternalBorderStrokeFill quadrantExternalBorderStrokeFill",
    ),
    (
        "group",
        "secondaryColor tertiaryColor clusterBkg rectBkgColor sectionBkgColor sectionBkgColor2 compositeBackground altBackground \
         attributeBackgroundColorEven rowEven excludeBkgColor quadrant1Fill quadrant2Fill quadrant3Fill quadrant4Fill \
         errorBkgColor surface0 surface1 surface2 surface3 surface4 surfacePeer0 surfacePeer1 surfacePeer2 surfacePeer3 surfacePeer4",
    ),
    (
        "group-line",
        "secondaryBorderColor tertiaryBorderColor clusterBorder flowContainerStroke gridColor radar.graticuleColor \
         archGroupBorderColor actorLineColor",
    ),
    (
        "edge",
        "lineColor arrowheadColor defaultLinkColor signalColor transitionColor relationColor specialStateColor innerEndBackground \
         radar.axisColor archEdgeColor archEdgeArrowColor xyChart.xAxisTickColor xyChart.xAxisLineColor xyChart.yAxisTickColor \
         xyChart.yAxisLineColor",
    ),
    (
        "ink",
        "primaryTextColor secondaryTextColor tertiaryTextColor textColor titleColor nodeTextColor actorTextColor signalTextColor \
         labelTextColor taskTextColor taskTextOutsideColor taskTextLightColor taskTextDarkColor transitionLabelColor stateLabelColor \
         errorTextColor scaleLabelColor classText pieTitleTextColor pieSectionTextColor pieLegendTextColor noteTextColor \
         quadrantPointTextFill quadrantTitleFill xyChart.titleColor xyChart.dataLabelColor xyChart.legendTextColor \
         requirementTextColor branchLabelColor tagLabelColor commitLabelColor",
    ),
    (
        "muted",
        "loopTextColor relationLabelColor quadrant1TextFill quadrant2TextFill quadrant3TextFill quadrant4TextFill \
         quadrantXAxisTextFill quadrantYAxisTextFill xyChart.xAxisTitleColor xyChart.xAxisLabelColor xyChart.yAxisTitleColor \
         xyChart.yAxisLabelColor",
    ),
    ("note", "noteBkgColor"),
    ("note-line", "noteBorderColor"),
    (
        "accent",
        "activeTaskBorderColor activationBorderColor quadrantPointFill taskTextClickableColor",
    ),
    ("accent-soft", "activeTaskBkgColor activationBkgColor"),
    ("done", "doneTaskBkgColor"),
    ("node-line", "doneTaskBorderColor"),
    ("bad-soft", "critBkgColor"),
    ("bad", "critBorderColor todayLineColor vertLineColor"),
    ("node-line", "gradientStart gradientStop"),
];

/// Theme variables that come in a row, one for each hue: what comes before and after the number, and the first number.
const ROWS: [(&str, usize, usize); 6] = [
    ("cScale", 0, 12),
    ("cScalePeer", 0, 12),
    ("git", 0, 8),
    ("pie", 1, 12),
    ("fillType", 0, 8),
    ("actor", 0, 6),
];

/// Rows of texts and lines that stand on a hue.
const PLAIN_ROWS: [(&str, &str, usize); 4] = [
    ("cScaleLabel", "ink", 12),
    ("cScaleInv", "edge", 12),
    ("gitBranchLabel", "ink", 8),
    ("gitInv", "edge", 8),
];

/// Every theme variable with its value.
pub fn variables() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (role, names) in VARIABLES {
        all.extend(
            names
                .split_whitespace()
                .map(|name| (name.to_owned(), mark(role).to_owned())),
        );
    }
    for (name, first, count) in ROWS {
        all.extend((0..count).map(|at| (format!("{name}{}", at + first), hue(at).to_owned())));
    }
    for (name, role, count) in PLAIN_ROWS {
        all.extend((0..count).map(|at| (format!("{name}{at}"), mark(role).to_owned())));
    }
    let palette: Vec<&str> = (0..HUES).map(hue).collect();
    all.push(("xyChart.plotColorPalette".to_owned(), palette.join(",")));
    for (name, value) in [
        ("fontFamily", "sans-serif"),
        ("fontSize", "14px"),
        ("pieTitleTextSize", "17px"),
        ("pieSectionTextSize", "14px"),
        ("pieLegendTextSize", "14px"),
        ("pieOpacity", "1"),
        ("pieOuterStrokeWidth", "0px"),
        ("tagLabelFontSize", "11px"),
        ("commitLabelFontSize", "11px"),
        ("archEdgeWidth", "2"),
    ] {
        all.push((name.to_owned(), value.to_owned()));
    }
    all
}

/// The options of C4 diagrams that are colours.
pub fn c4() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for what in ["person", "system", "container", "component"] {
        for (prefix, area, line) in [
            ("", "accent-soft", "accent"),
            ("external_", "group", "node-line"),
        ] {
            for suffix in ["", "_db", "_queue"] {
                let name = format!("{prefix}{what}{suffix}");
                all.push((format!("{name}_bg_color"), mark(area).to_owned()));
                all.push((format!("{name}_border_color"), mark(line).to_owned()));
            }
        }
    }
    all
}

fn hue(at: usize) -> &'static str {
    ROLES[ROLES.len() - HUES + at % HUES].1
}

fn mark(role: &str) -> &'static str {
    let known = ROLES.iter().find(|(name, _)| *name == role);
    known.map_or("#000000", |(_, mark)| mark)
}

/// What the author wrote, to tell his colours from the engine's.
pub struct Author {
    /// In small letters.
    source: String,
    /// Without blanks as well, since functions may be written with them or without.
    dense: String,
}

impl Author {
    pub fn new(source: &str) -> Author {
        let source = source.to_ascii_lowercase();
        let dense = dense(&source);
        Author { source, dense }
    }

    /// The paint that a value of `fill` or `stroke` means; nothing if it is no value that we know.
    pub fn paint<'a>(&self, value: &'a str, part: Part) -> Option<Paint<'a>> {
        let value = value.trim();
        if let Some(id) = super::style::reference(value) {
            return Some(Paint::Reference(id));
        }
        if value.eq_ignore_ascii_case("none") || value.eq_ignore_ascii_case("transparent") {
            return Some(Paint::None);
        }
        // The engine may write a colour in another way than it was told.
        let colour = Colour::parse(value)?;
        let role = ROLES
            .iter()
            .find(|(_, mark)| Colour::parse(mark).is_some_and(|mark| mark.is(colour)));
        if let Some((role, _)) = role {
            return Some(Paint::Role(role));
        }
        // Among the engine's own, only those of data are vivid, and they are read on light and on dark.
        Some(if self.wrote(value) || colour.vivid() {
            Paint::Authored(value)
        } else {
            Paint::Role(colour.role(part))
        })
    }

    fn wrote(&self, value: &str) -> bool {
        let value = value.to_ascii_lowercase();
        if value.contains('(') {
            return self.dense.contains(&dense(&value));
        }
        let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        self.source.match_indices(&value).any(|(at, _)| {
            let (before, after) = (&self.source[..at], &self.source[at + value.len()..]);
            !inner(before.chars().next_back()) && !inner(after.chars().next())
        })
    }
}

fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// What of a shape is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Area,
    Line,
    Text,
}
