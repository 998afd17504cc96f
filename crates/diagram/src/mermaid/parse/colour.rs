//! The colours of CSS, by their hue, as the colours of the theme.

use crate::Tint;

/// The theme's equivalent of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hue {
    Tinted(Tint),
    /// White, black, a grey, or transparent.
    None,
}

impl Hue {
    pub fn tint(self) -> Option<Tint> {
        match self {
            Hue::Tinted(tint) => Some(tint),
            Hue::None => None,
        }
    }
}

/// The hue of a CSS colour. None if the text is no colour.
pub(super) fn hue(text: &str) -> Option<Hue> {
    let name = text.trim().to_ascii_lowercase();
    if ["transparent", "none"].contains(&name.as_str()) {
        return Some(Hue::None);
    }
    let [red, green, blue] = match name.strip_prefix('#') {
        Some(digits) => from_hex(digits)?,
        None => match name.split_once('(') {
            Some((function, rest)) => from_function(function.trim(), rest)?,
            None => from_name(&name)?,
        },
    };
    let tint = nearest_tint(red, green, blue);
    Some(tint.map_or(Hue::None, Hue::Tinted))
}

fn from_name(name: &str) -> Option<[f64; 3]> {
    let at = NAMES.binary_search_by_key(&name, |(known, _)| known).ok()?;
    let (_, code) = NAMES.get(at)?;
    Some([16, 8, 0].map(|shift| f64::from(code >> shift & 0xff) / 255.0))
}

/// `rgb`, `rrggbb`, or either with an opacity.
fn from_hex(digits: &str) -> Option<[f64; 3]> {
    let values: Option<Vec<u32>> = digits.chars().map(|c| c.to_digit(16)).collect();
    let values = values?;
    let channel = |at: usize| match values.len() {
        3 | 4 => Some(f64::from(values[at] * 17) / 255.0),
        6 | 8 => Some(f64::from(values[at * 2] * 16 + values[at * 2 + 1]) / 255.0),
        _ => None,
    };
    Some([channel(0)?, channel(1)?, channel(2)?])
}

/// `rgb(…)`, `rgba(…)`, `hsl(…)` or `hsla(…)`.
fn from_function(function: &str, rest: &str) -> Option<[f64; 3]> {
    let arguments = rest.trim_end().strip_suffix(')')?;
    let mut parts = arguments
        .split([',', ' ', '/', '\t'])
        .filter(|part| !part.is_empty());
    let mut next = || -> Option<(f64, &str)> {
        let part = parts.next()?;
        let length = part
            .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
            .unwrap_or(part.len());
        Some((part[..length].parse().ok()?, &part[length..]))
    };
    let (first, second, third) = (next()?, next()?, next()?);
    match function {
        "rgb" | "rgba" => {
            let channel = |(value, unit): (f64, &str)| {
                let most = if unit == "%" { 100.0 } else { 255.0 };
                (value / most).clamp(0.0, 1.0)
            };
            Some([channel(first), channel(second), channel(third)])
        }
        "hsl" | "hsla" => {
            let saturation = (second.0 / 100.0).clamp(0.0, 1.0);
            let lightness = (third.0 / 100.0).clamp(0.0, 1.0);
            Some(from_hsl(first.0.rem_euclid(360.0), saturation, lightness))
        }
        _ => None,
    }
}

fn from_hsl(hue: f64, saturation: f64, lightness: f64) -> [f64; 3] {
    let reach = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset| {
        let turn = (offset + hue / 30.0).rem_euclid(12.0);
        lightness - reach * (turn - 3.0).min(9.0 - turn).clamp(-1.0, 1.0)
    })
}

/// None for white, black and greys.
fn nearest_tint(red: f64, green: f64, blue: f64) -> Option<Tint> {
    /// The hues of the theme in degrees. The eighth is grey.
    const HUES: [Option<f64>; Tint::COUNT as usize] = [
        Some(225.0),
        Some(30.0),
        Some(135.0),
        Some(340.0),
        Some(262.0),
        Some(185.0),
        Some(52.0),
        None,
        Some(10.0),
        Some(80.0),
        Some(205.0),
        Some(297.0),
    ];
    let most = red.max(green).max(blue);
    let least = red.min(green).min(blue);
    let chroma = most - least;
    let lightness = (most + least) / 2.0;
    let saturation = chroma / (1.0 - (2.0 * lightness - 1.0).abs()).max(f64::EPSILON);
    if chroma < 8.0 / 255.0 || saturation < 0.2 || lightness < 0.06 {
        return None;
    }
    let sixth = if most == red {
        (green - blue) / chroma
    } else if most == green {
        (blue - red) / chroma + 2.0
    } else {
        (red - green) / chroma + 4.0
    };
    let degrees = (sixth * 60.0).rem_euclid(360.0);
    let distance = |hue: f64| {
        let difference = (hue - degrees).abs();
        difference.min(360.0 - difference)
    };
    let candidates = HUES
        .iter()
        .zip(0..)
        .filter_map(|(hue, at)| Some((distance((*hue)?), at)));
    let (_, nearest) = candidates.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Tint::new(nearest)
}

/// The colour names of CSS, sorted.
const NAMES: [(&str, u32); 148] = [
    ("aliceblue", 0xf0_f8ff),
    ("antiquewhite", 0xfa_ebd7),
    ("aqua", 0x00_ffff),
    ("aquamarine", 0x7f_ffd4),
    ("azure", 0xf0_ffff),
    ("beige", 0xf5_f5dc),
    ("bisque", 0xff_e4c4),
    ("black", 0x00_0000),
    ("blanchedalmond", 0xff_ebcd),
    ("blue", 0x00_00ff),
    ("blueviolet", 0x8a_2be2),
    ("brown", 0xa5_2a2a),
    ("burlywood", 0xde_b887),
    ("cadetblue", 0x5f_9ea0),
    ("chartreuse", 0x7f_ff00),
    ("chocolate", 0xd2_691e),
    ("coral", 0xff_7f50),
    ("cornflowerblue", 0x64_95ed),
    ("cornsilk", 0xff_f8dc),
    ("crimson", 0xdc_143c),
    ("cyan", 0x00_ffff),
    ("darkblue", 0x00_008b),
    ("darkcyan", 0x00_8b8b),
    ("darkgoldenrod", 0xb8_860b),
    ("darkgray", 0xa9_a9a9),
    ("darkgreen", 0x00_6400),
    ("darkgrey", 0xa9_a9a9),
    ("darkkhaki", 0xbd_b76b),
    ("darkmagenta", 0x8b_008b),
    ("darkolivegreen", 0x55_6b2f),
    ("darkorange", 0xff_8c00),
    ("darkorchid", 0x99_32cc),
    ("darkred", 0x8b_0000),
    ("darksalmon", 0xe9_967a),
    ("darkseagreen", 0x8f_bc8f),
    ("darkslateblue", 0x48_3d8b),
    ("darkslategray", 0x2f_4f4f),
    ("darkslategrey", 0x2f_4f4f),
    ("darkturquoise", 0x00_ced1),
    ("darkviolet", 0x94_00d3),
    ("deeppink", 0xff_1493),
    ("deepskyblue", 0x00_bfff),
    ("dimgray", 0x69_6969),
    ("dimgrey", 0x69_6969),
    ("dodgerblue", 0x1e_90ff),
    ("firebrick", 0xb2_2222),
    ("floralwhite", 0xff_faf0),
    ("forestgreen", 0x22_8b22),
    ("fuchsia", 0xff_00ff),
    ("gainsboro", 0xdc_dcdc),
    ("ghostwhite", 0xf8_f8ff),
    ("gold", 0xff_d700),
    ("goldenrod", 0xda_a520),
    ("gray", 0x80_8080),
    ("green", 0x00_8000),
    ("greenyellow", 0xad_ff2f),
    ("grey", 0x80_8080),
    ("honeydew", 0xf0_fff0),
    ("hotpink", 0xff_69b4),
    ("indianred", 0xcd_5c5c),
    ("indigo", 0x4b_0082),
    ("ivory", 0xff_fff0),
    ("khaki", 0xf0_e68c),
    ("lavender", 0xe6_e6fa),
    ("lavenderblush", 0xff_f0f5),
    ("lawngreen", 0x7c_fc00),
    ("lemonchiffon", 0xff_facd),
    ("lightblue", 0xad_d8e6),
    ("lightcoral", 0xf0_8080),
    ("lightcyan", 0xe0_ffff),
    ("lightgoldenrodyellow", 0xfa_fad2),
    ("lightgray", 0xd3_d3d3),
    ("lightgreen", 0x90_ee90),
    ("lightgrey", 0xd3_d3d3),
    ("lightpink", 0xff_b6c1),
    ("lightsalmon", 0xff_a07a),
    ("lightseagreen", 0x20_b2aa),
    ("lightskyblue", 0x87_cefa),
    ("lightslategray", 0x77_8899),
    ("lightslategrey", 0x77_8899),
    ("lightsteelblue", 0xb0_c4de),
    ("lightyellow", 0xff_ffe0),
    ("lime", 0x00_ff00),
    ("limegreen", 0x32_cd32),
    ("linen", 0xfa_f0e6),
    ("magenta", 0xff_00ff),
    ("maroon", 0x80_0000),
    ("mediumaquamarine", 0x66_cdaa),
    ("mediumblue", 0x00_00cd),
    ("mediumorchid", 0xba_55d3),
    ("mediumpurple", 0x93_70db),
    ("mediumseagreen", 0x3c_b371),
    ("mediumslateblue", 0x7b_68ee),
    ("mediumspringgreen", 0x00_fa9a),
    ("mediumturquoise", 0x48_d1cc),
    ("mediumvioletred", 0xc7_1585),
    ("midnightblue", 0x19_1970),
    ("mintcream", 0xf5_fffa),
    ("mistyrose", 0xff_e4e1),
    ("moccasin", 0xff_e4b5),
    ("navajowhite", 0xff_dead),
    ("navy", 0x00_0080),
    ("oldlace", 0xfd_f5e6),
    ("olive", 0x80_8000),
    ("olivedrab", 0x6b_8e23),
    ("orange", 0xff_a500),
    ("orangered", 0xff_4500),
    ("orchid", 0xda_70d6),
    ("palegoldenrod", 0xee_e8aa),
    ("palegreen", 0x98_fb98),
    ("paleturquoise", 0xaf_eeee),
    ("palevioletred", 0xdb_7093),
    ("papayawhip", 0xff_efd5),
    ("peachpuff", 0xff_dab9),
    ("peru", 0xcd_853f),
    ("pink", 0xff_c0cb),
    ("plum", 0xdd_a0dd),
    ("powderblue", 0xb0_e0e6),
    ("purple", 0x80_0080),
    ("rebeccapurple", 0x66_3399),
    ("red", 0xff_0000),
    ("rosybrown", 0xbc_8f8f),
    ("royalblue", 0x41_69e1),
    ("saddlebrown", 0x8b_4513),
    ("salmon", 0xfa_8072),
    ("sandybrown", 0xf4_a460),
    ("seagreen", 0x2e_8b57),
    ("seashell", 0xff_f5ee),
    ("sienna", 0xa0_522d),
    ("silver", 0xc0_c0c0),
    ("skyblue", 0x87_ceeb),
    ("slateblue", 0x6a_5acd),
    ("slategray", 0x70_8090),
    ("slategrey", 0x70_8090),
    ("snow", 0xff_fafa),
    ("springgreen", 0x00_ff7f),
    ("steelblue", 0x46_82b4),
    ("tan", 0xd2_b48c),
    ("teal", 0x00_8080),
    ("thistle", 0xd8_bfd8),
    ("tomato", 0xff_6347),
    ("turquoise", 0x40_e0d0),
    ("violet", 0xee_82ee),
    ("wheat", 0xf5_deb3),
    ("white", 0xff_ffff),
    ("whitesmoke", 0xf5_f5f5),
    ("yellow", 0xff_ff00),
    ("yellowgreen", 0x9a_cd32),
];
