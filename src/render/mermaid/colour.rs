//! Colours as authors and the engine write them, and how bright they are.

use super::paint::Part;

/// A colour by its channels, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Colour {
    red: f64,
    green: f64,
    blue: f64,
}

impl Colour {
    /// The forms that Mermaid takes and browsers know; anything else is no colour.
    pub fn parse(value: &str) -> Option<Colour> {
        let value = value.trim();
        if let Some(digits) = value.strip_prefix('#') {
            return Colour::hex(digits);
        }
        if let Some((function, rest)) = value.split_once('(') {
            let inner = rest.strip_suffix(')')?;
            let numbers: Vec<f64> = inner
                .split([',', ' ', '/'])
                .filter(|part| !part.is_empty())
                .map(|part| {
                    part.trim_end_matches("deg")
                        .trim_end_matches('%')
                        .parse()
                        .ok()
                })
                .collect::<Option<_>>()?;
            let [a, b, c, ..] = numbers[..] else {
                return None;
            };
            if numbers.len() > 4 || !numbers.iter().all(|number| number.is_finite()) {
                return None;
            }
            return match function.to_ascii_lowercase().as_str() {
                "rgb" | "rgba" => Some(Colour {
                    red: (a / 255.0).clamp(0.0, 1.0),
                    green: (b / 255.0).clamp(0.0, 1.0),
                    blue: (c / 255.0).clamp(0.0, 1.0),
                }),
                "hsl" | "hsla" => Some(Colour::hsl(a, b / 100.0, c / 100.0)),
                _ => None,
            };
        }
        let name = value.to_ascii_lowercase();
        let known = NAMES.iter().find(|(known, _)| *known == name)?;
        Colour::hex(known.1)
    }

    fn hex(digits: &str) -> Option<Colour> {
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let number = u32::from_str_radix(digits, 16).ok()?;
        let channel = |shift: u32| f64::from((number >> shift) & 0xff) / 255.0;
        let short = |shift: u32| f64::from((number >> shift) & 0xf) / 15.0;
        let (red, green, blue) = match digits.len() {
            3 => (short(8), short(4), short(0)),
            4 => (short(12), short(8), short(4)),
            6 => (channel(16), channel(8), channel(0)),
            8 => (channel(24), channel(16), channel(8)),
            _ => return None,
        };
        Some(Colour { red, green, blue })
    }

    fn hsl(hue: f64, saturation: f64, lightness: f64) -> Colour {
        let (saturation, lightness) = (saturation.clamp(0.0, 1.0), lightness.clamp(0.0, 1.0));
        let reach = saturation * lightness.min(1.0 - lightness);
        let channel = |shift: f64| {
            let k = (shift + hue / 30.0).rem_euclid(12.0);
            lightness - reach * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
        };
        Colour {
            red: channel(0.0),
            green: channel(8.0),
            blue: channel(4.0),
        }
    }

    /// Whether a screen shows them alike.
    pub fn is(self, other: Colour) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() < 0.4 / 255.0;
        near(self.red, other.red) && near(self.green, other.green) && near(self.blue, other.blue)
    }

    /// How bright it looks, from 0 to 1.
    fn light(self) -> f64 {
        let linear = |channel: f64| {
            if channel <= 0.04045 {
                channel / 12.92
            } else {
                ((channel + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }

    /// What is read better on it: its name for the stylesheet, the same in light and in dark.
    pub fn text_on(self) -> &'static str {
        // Black and white have the same contrast to a light of 0.18.
        if self.light() > 0.18 {
            "on-light"
        } else {
            "on-dark"
        }
    }

    pub fn vivid(self) -> bool {
        let most = self.red.max(self.green).max(self.blue);
        let least = self.red.min(self.green).min(self.blue);
        most - least > 0.2 && (0.1..0.6).contains(&self.light())
    }

    /// The role that comes closest to a colour which the engine chose by itself.
    pub fn role(self, part: Part) -> &'static str {
        match (part, self.light()) {
            // The areas under its texts are ours, and so is what can be read on them.
            (Part::Text, _) => "ink",
            (Part::Line, light) if light > 0.5 => "group-line",
            (Part::Line, _) => "edge",
            (Part::Area, light) if light > 0.8 => "canvas",
            (Part::Area, light) if light > 0.5 => "group",
            (Part::Area, light) if light > 0.1 => "edge",
            (Part::Area, _) => "ink",
        }
    }
}

/// The colours of CSS by name.
const NAMES: [(&str, &str); 148] = [
    ("aliceblue", "f0f8ff"),
    ("antiquewhite", "faebd7"),
    ("aqua", "00ffff"),
    ("aquamarine", "7fffd4"),
    ("azure", "f0ffff"),
    ("beige", "f5f5dc"),
    ("bisque", "ffe4c4"),
    ("black", "000000"),
    ("blanchedalmond", "ffebcd"),
    ("blue", "0000ff"),
    ("blueviolet", "8a2be2"),
    ("brown", "a52a2a"),
    ("burlywood", "deb887"),
    ("cadetblue", "5f9ea0"),
    ("chartreuse", "7fff00"),
    ("chocolate", "d2691e"),
    ("coral", "ff7f50"),
    ("cornflowerblue", "6495ed"),
    ("cornsilk", "fff8dc"),
    ("crimson", "dc143c"),
    ("cyan", "00ffff"),
    ("darkblue", "00008b"),
    ("darkcyan", "008b8b"),
    ("darkgoldenrod", "b8860b"),
    ("darkgray", "a9a9a9"),
    ("darkgreen", "006400"),
    ("darkgrey", "a9a9a9"),
    ("darkkhaki", "bdb76b"),
    ("darkmagenta", "8b008b"),
    ("darkolivegreen", "556b2f"),
    ("darkorange", "ff8c00"),
    ("darkorchid", "9932cc"),
    ("darkred", "8b0000"),
    ("darksalmon", "e9967a"),
    ("darkseagreen", "8fbc8f"),
    ("darkslateblue", "483d8b"),
    ("darkslategray", "2f4f4f"),
    ("darkslategrey", "2f4f4f"),
    ("darkturquoise", "00ced1"),
    ("darkviolet", "9400d3"),
    ("deeppink", "ff1493"),
    ("deepskyblue", "00bfff"),
    ("dimgray", "696969"),
    ("dimgrey", "696969"),
    ("dodgerblue", "1e90ff"),
    ("firebrick", "b22222"),
    ("floralwhite", "fffaf0"),
    ("forestgreen", "228b22"),
    ("fuchsia", "ff00ff"),
    ("gainsboro", "dcdcdc"),
    ("ghostwhite", "f8f8ff"),
    ("gold", "ffd700"),
    ("goldenrod", "daa520"),
    ("gray", "808080"),
    ("green", "008000"),
    ("greenyellow", "adff2f"),
    ("grey", "808080"),
    ("honeydew", "f0fff0"),
    ("hotpink", "ff69b4"),
    ("indianred", "cd5c5c"),
    ("indigo", "4b0082"),
    ("ivory", "fffff0"),
    ("khaki", "f0e68c"),
    ("lavender", "e6e6fa"),
    ("lavenderblush", "fff0f5"),
    ("lawngreen", "7cfc00"),
    ("lemonchiffon", "fffacd"),
    ("lightblue", "add8e6"),
    ("lightcoral", "f08080"),
    ("lightcyan", "e0ffff"),
    ("lightgoldenrodyellow", "fafad2"),
    ("lightgray", "d3d3d3"),
    ("lightgreen", "90ee90"),
    ("lightgrey", "d3d3d3"),
    ("lightpink", "ffb6c1"),
    ("lightsalmon", "ffa07a"),
    ("lightseagreen", "20b2aa"),
    ("lightskyblue", "87cefa"),
    ("lightslategray", "778899"),
    ("lightslategrey", "778899"),
    ("lightsteelblue", "b0c4de"),
    ("lightyellow", "ffffe0"),
    ("lime", "00ff00"),
    ("limegreen", "32cd32"),
    ("linen", "faf0e6"),
    ("magenta", "ff00ff"),
    ("maroon", "800000"),
    ("mediumaquamarine", "66cdaa"),
    ("mediumblue", "0000cd"),
    ("mediumorchid", "ba55d3"),
    ("mediumpurple", "9370db"),
    ("mediumseagreen", "3cb371"),
    ("mediumslateblue", "7b68ee"),
    ("mediumspringgreen", "00fa9a"),
    ("mediumturquoise", "48d1cc"),
    ("mediumvioletred", "c71585"),
    ("midnightblue", "191970"),
    ("mintcream", "f5fffa"),
    ("mistyrose", "ffe4e1"),
    ("moccasin", "ffe4b5"),
    ("navajowhite", "ffdead"),
    ("navy", "000080"),
    ("oldlace", "fdf5e6"),
    ("olive", "808000"),
    ("olivedrab", "6b8e23"),
    ("orange", "ffa500"),
    ("orangered", "ff4500"),
    ("orchid", "da70d6"),
    ("palegoldenrod", "eee8aa"),
    ("palegreen", "98fb98"),
    ("paleturquoise", "afeeee"),
    ("palevioletred", "db7093"),
    ("papayawhip", "ffefd5"),
    ("peachpuff", "ffdab9"),
    ("peru", "cd853f"),
    ("pink", "ffc0cb"),
    ("plum", "dda0dd"),
    ("powderblue", "b0e0e6"),
    ("purple", "800080"),
    ("rebeccapurple", "663399"),
    ("red", "ff0000"),
    ("rosybrown", "bc8f8f"),
    ("royalblue", "4169e1"),
    ("saddlebrown", "8b4513"),
    ("salmon", "fa8072"),
    ("sandybrown", "f4a460"),
    ("seagreen", "2e8b57"),
    ("seashell", "fff5ee"),
    ("sienna", "a0522d"),
    ("silver", "c0c0c0"),
    ("skyblue", "87ceeb"),
    ("slateblue", "6a5acd"),
    ("slategray", "708090"),
    ("slategrey", "708090"),
    ("snow", "fffafa"),
    ("springgreen", "00ff7f"),
    ("steelblue", "4682b4"),
    ("tan", "d2b48c"),
    ("teal", "008080"),
    ("thistle", "d8bfd8"),
    ("tomato", "ff6347"),
    ("turquoise", "40e0d0"),
    ("violet", "ee82ee"),
    ("wheat", "f5deb3"),
    ("white", "ffffff"),
    ("whitesmoke", "f5f5f5"),
    ("yellow", "ffff00"),
    ("yellowgreen", "9acd32"),
];
