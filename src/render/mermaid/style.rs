//! How an element looks: what attributes, stylesheet and `style` say of it together, with what it has from its parent.
//! Only properties and values that are known here are seen at all.

use roxmltree::Node;

use super::colour::Colour;
use super::sheet::{Declaration, Sheet, Weight, declarations};

/// A property that is drawn as an attribute or as a class.
pub struct Property {
    pub name: &'static str,
    nature: Nature,
    pub passes: Passes,
    initial: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nature {
    Paint,
    Number,
    Dashes,
    Word,
}

/// Whether children have it from their parent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    Down,
    Not,
}

const fn down(name: &'static str, nature: Nature, initial: &'static str) -> Property {
    Property {
        name,
        nature,
        passes: Passes::Down,
        initial,
    }
}

const fn own(name: &'static str, nature: Nature, initial: &'static str) -> Property {
    Property {
        name,
        nature,
        passes: Passes::Not,
        initial,
    }
}

pub const FILL: usize = 0;
pub const STROKE: usize = 1;
pub const COLOR: usize = 2;
const DISPLAY: usize = 3;
const FONT_SIZE: usize = 4;
const STOP_COLOR: usize = 5;
pub const OPACITY: usize = 6;
const COUNT: usize = 24;

pub const PROPERTIES: [Property; COUNT] = [
    down("fill", Nature::Paint, "black"),
    down("stroke", Nature::Paint, "none"),
    down("color", Nature::Paint, "black"),
    own("display", Nature::Word, "inline"),
    down("font-size", Nature::Number, "16px"),
    own("stop-color", Nature::Paint, "black"),
    own("opacity", Nature::Number, "1"),
    down("stroke-width", Nature::Number, "1"),
    down("stroke-dasharray", Nature::Dashes, "none"),
    down("stroke-linecap", Nature::Word, "butt"),
    down("stroke-linejoin", Nature::Word, "miter"),
    down("stroke-opacity", Nature::Number, "1"),
    down("fill-opacity", Nature::Number, "1"),
    down("fill-rule", Nature::Word, "nonzero"),
    down("font-weight", Nature::Word, "normal"),
    down("font-style", Nature::Word, "normal"),
    down("text-anchor", Nature::Word, "start"),
    down("dominant-baseline", Nature::Word, "auto"),
    down("visibility", Nature::Word, "visible"),
    own("alignment-baseline", Nature::Word, "auto"),
    own("text-decoration", Nature::Word, "none"),
    own("stop-opacity", Nature::Number, "1"),
    own("rx", Nature::Number, "0"),
    own("ry", Nature::Number, "0"),
];

/// The value of every property.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    pub values: [&'a str; COUNT],
    /// Which of them were said of the element itself.
    said: [bool; COUNT],
}

impl<'a> Style<'a> {
    /// What holds where nothing is said.
    pub fn initial() -> Style<'a> {
        let mut values = [""; COUNT];
        for (value, property) in values.iter_mut().zip(&PROPERTIES) {
            *value = property.initial;
        }
        Style {
            values,
            said: [false; COUNT],
        }
    }

    /// The style of `node` below a parent of this style.
    pub fn of(&self, node: Node<'a, 'a>, sheet: &Sheet<'a>) -> Style<'a> {
        let mut style = Style::initial();
        for (at, property) in PROPERTIES.iter().enumerate() {
            if property.passes == Passes::Down {
                style.values[at] = self.values[at];
            }
        }
        // Attributes, then rules, then `style`; an important declaration is above them all, in the same order.
        let mut weights = [(false, 0_u8, Weight::default()); COUNT];
        for (at, property) in PROPERTIES.iter().enumerate() {
            if let Some(value) = node.attribute(property.name) {
                self.say(&mut style, at, value.trim());
            }
        }
        let rules = sheet.declared(node).map(|(weight, each)| (1, weight, each));
        let inline = declarations(node.attribute("style").unwrap_or_default());
        let inline = inline
            .enumerate()
            .map(|(at, each)| (2, (0, 0, 0, at), each));
        for (
            origin,
            weight,
            Declaration {
                name,
                value,
                important,
            },
        ) in rules.chain(inline)
        {
            let Some(at) = PROPERTIES.iter().position(|property| property.name == name) else {
                continue;
            };
            let weight = (important, origin, weight);
            if weight >= weights[at] && self.say(&mut style, at, value) {
                weights[at] = weight;
            }
        }
        style
    }

    /// Takes over a value if it is one, and tells whether it did.
    fn say(&self, style: &mut Style<'a>, at: usize, value: &'a str) -> bool {
        if value.eq_ignore_ascii_case("inherit") {
            style.values[at] = self.values[at];
            return true;
        }
        let valid = valid(PROPERTIES[at].nature, value);
        if valid {
            style.values[at] = match PROPERTIES[at].nature {
                Nature::Dashes if unbroken(value) => "none",
                _ => value,
            };
            style.said[at] = true;
        }
        valid
    }

    /// The values that must be written on an element of this style where `around` is what it would have otherwise.
    pub fn differences(&self, around: &Style) -> impl Iterator<Item = (usize, &'a str)> {
        let around = around.values;
        (0..COUNT).filter_map(move |at| {
            let value = self.values[at];
            let relative = self.said[at] && value.ends_with(['m', '%']);
            let otherwise = match PROPERTIES[at].passes {
                Passes::Down => around[at],
                Passes::Not => PROPERTIES[at].initial,
            };
            let differs = value != otherwise || relative;
            (differs && at != COLOR && at != DISPLAY).then_some((at, value))
        })
    }

    /// `value`, or what it refers to if it is `currentColor`.
    pub fn resolved(&self, value: &'a str) -> &'a str {
        match value.eq_ignore_ascii_case("currentcolor") {
            true => self.values[COLOR],
            false => value,
        }
    }

    pub fn hidden(&self) -> bool {
        self.values[DISPLAY] == "none"
    }

    pub fn font_size(&self) -> f64 {
        let size = self.values[FONT_SIZE].trim_end_matches("px").parse();
        size.ok()
            .filter(|size| (1.0..200.0).contains(size))
            .unwrap_or(14.0)
    }
}

/// Whether a property is painted, and so is a class where its colour is a role.
pub fn painted(at: usize) -> bool {
    matches!(at, FILL | STROKE | STOP_COLOR)
}

/// The id in `url(#id)`.
pub fn reference(value: &str) -> Option<&str> {
    let inner = value.trim().strip_prefix("url(")?.strip_suffix(')')?;
    inner.trim_matches(['"', '\'', ' ']).strip_prefix('#')
}

fn valid(nature: Nature, value: &str) -> bool {
    match nature {
        Nature::Paint => {
            reference(value).is_some()
                || Colour::parse(value).is_some()
                || ["none", "transparent", "currentcolor"]
                    .iter()
                    .any(|word| value.eq_ignore_ascii_case(word))
        }
        Nature::Number => number(value),
        Nature::Dashes => {
            value == "none"
                || value
                    .split([',', ' '])
                    .filter(|part| !part.is_empty())
                    .all(number)
        }
        Nature::Word => {
            !value.is_empty()
                && value
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        }
    }
}

/// Dashes without gaps are a line.
fn unbroken(dashes: &str) -> bool {
    let mut gaps = dashes
        .split([',', ' '])
        .filter(|part| !part.is_empty())
        .skip(1)
        .step_by(2);
    let zero = |part: &str| part.trim_end_matches("px").parse() == Ok(0.0);
    zero(dashes) || gaps.next().is_some_and(zero)
}

fn number(value: &str) -> bool {
    let unit =
        value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    let digits = &value[..value.len() - unit.len()];
    matches!(unit, "" | "px" | "em" | "rem" | "ex" | "pt" | "%")
        && digits.parse::<f64>().is_ok_and(f64::is_finite)
}
