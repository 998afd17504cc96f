//! The colours of CSS, by their hue, as the colours of the theme.

use crate::render::diagram::Tint;

/// What a colour becomes in the theme.
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
    ("aliceblue", 0xf0_f8_ff),
    ("antiquewhite", 0xfa_eb_d7),
    ("aqua", 0x00_ff_ff),
    ("aquamarine", 0x7f_ff_d4),
    ("azure", 0xf0_ff_ff),
    ("beige", 0xf5_f5_dc),
    ("bisque", 0xff_e4_c4),
    ("black", 0x00_00_00),
    ("blanchedalmond", 0xff_eb_cd),
    ("blue", 0x00_00_ff),
    ("blueviolet", 0x8a_2b_e2),
    ("brown", 0xa5_2a_2a),
    ("burlywood", 0xde_b8_87),
    ("cadetblue", 0x5f_9e_a0),
    ("chartreuse", 0x7f_ff_00),
    ("chocolate", 0xd2_69_1e),
    ("coral", 0xff_7f_50),
    ("cornflowerblue", 0x64_95_ed),
    ("cornsilk", 0xff_f8_dc),
    ("crimson", 0xdc_14_3c),
    ("cyan", 0x00_ff_ff),
    ("darkblue", 0x00_00_8b),
    ("darkcyan", 0x00_8b_8b),
    ("darkgoldenrod", 0xb8_86_0b),
    ("darkgray", 0xa9_a9_a9),
    ("darkgreen", 0x00_64_00),
    ("darkgrey", 0xa9_a9_a9),
    ("darkkhaki", 0xbd_b7_6b),
    ("darkmagenta", 0x8b_00_8b),
    ("darkolivegreen", 0x55_6b_2f),
    ("darkorange", 0xff_8c_00),
    ("darkorchid", 0x99_32_cc),
    ("darkred", 0x8b_00_00),
    ("darksalmon", 0xe9_96_7a),
    ("darkseagreen", 0x8f_bc_8f),
    ("darkslateblue", 0x48_3d_8b),
    ("darkslategray", 0x2f_4f_4f),
    ("darkslategrey", 0x2f_4f_4f),
    ("darkturquoise", 0x00_ce_d1),
    ("darkviolet", 0x94_00_d3),
    ("deeppink", 0xff_14_93),
    ("deepskyblue", 0x00_bf_ff),
    ("dimgray", 0x69_69_69),
    ("dimgrey", 0x69_69_69),
    ("dodgerblue", 0x1e_90_ff),
    ("firebrick", 0xb2_22_22),
    ("floralwhite", 0xff_fa_f0),
    ("forestgreen", 0x22_8b_22),
    ("fuchsia", 0xff_00_ff),
    ("gainsboro", 0xdc_dc_dc),
    ("ghostwhite", 0xf8_f8_ff),
    ("gold", 0xff_d7_00),
    ("goldenrod", 0xda_a5_20),
    ("gray", 0x80_80_80),
    ("green", 0x00_80_00),
    ("greenyellow", 0xad_ff_2f),
    ("grey", 0x80_80_80),
    ("honeydew", 0xf0_ff_f0),
    ("hotpink", 0xff_69_b4),
    ("indianred", 0xcd_5c_5c),
    ("indigo", 0x4b_00_82),
    ("ivory", 0xff_ff_f0),
    ("khaki", 0xf0_e6_8c),
    ("lavender", 0xe6_e6_fa),
    ("lavenderblush", 0xff_f0_f5),
    ("lawngreen", 0x7c_fc_00),
    ("lemonchiffon", 0xff_fa_cd),
    ("lightblue", 0xad_d8_e6),
    ("lightcoral", 0xf0_80_80),
    ("lightcyan", 0xe0_ff_ff),
    ("lightgoldenrodyellow", 0xfa_fa_d2),
    ("lightgray", 0xd3_d3_d3),
    ("lightgreen", 0x90_ee_90),
    ("lightgrey", 0xd3_d3_d3),
    ("lightpink", 0xff_b6_c1),
    ("lightsalmon", 0xff_a0_7a),
    ("lightseagreen", 0x20_b2_aa),
    ("lightskyblue", 0x87_ce_fa),
    ("lightslategray", 0x77_88_99),
    ("lightslategrey", 0x77_88_99),
    ("lightsteelblue", 0xb0_c4_de),
    ("lightyellow", 0xff_ff_e0),
    ("lime", 0x00_ff_00),
    ("limegreen", 0x32_cd_32),
    ("linen", 0xfa_f0_e6),
    ("magenta", 0xff_00_ff),
    ("maroon", 0x80_00_00),
    ("mediumaquamarine", 0x66_cd_aa),
    ("mediumblue", 0x00_00_cd),
    ("mediumorchid", 0xba_55_d3),
    ("mediumpurple", 0x93_70_db),
    ("mediumseagreen", 0x3c_b3_71),
    ("mediumslateblue", 0x7b_68_ee),
    ("mediumspringgreen", 0x00_fa_9a),
    ("mediumturquoise", 0x48_d1_cc),
    ("mediumvioletred", 0xc7_15_85),
    ("midnightblue", 0x19_19_70),
    ("mintcream", 0xf5_ff_fa),
    ("mistyrose", 0xff_e4_e1),
    ("moccasin", 0xff_e4_b5),
    ("navajowhite", 0xff_de_ad),
    ("navy", 0x00_00_80),
    ("oldlace", 0xfd_f5_e6),
    ("olive", 0x80_80_00),
    ("olivedrab", 0x6b_8e_23),
    ("orange", 0xff_a5_00),
    ("orangered", 0xff_45_00),
    ("orchid", 0xda_70_d6),
    ("palegoldenrod", 0xee_e8_aa),
    ("palegreen", 0x98_fb_98),
    ("paleturquoise", 0xaf_ee_ee),
    ("palevioletred", 0xdb_70_93),
    ("papayawhip", 0xff_ef_d5),
    ("peachpuff", 0xff_da_b9),
    ("peru", 0xcd_85_3f),
    ("pink", 0xff_c0_cb),
    ("plum", 0xdd_a0_dd),
    ("powderblue", 0xb0_e0_e6),
    ("purple", 0x80_00_80),
    ("rebeccapurple", 0x66_33_99),
    ("red", 0xff_00_00),
    ("rosybrown", 0xbc_8f_8f),
    ("royalblue", 0x41_69_e1),
    ("saddlebrown", 0x8b_45_13),
    ("salmon", 0xfa_80_72),
    ("sandybrown", 0xf4_a4_60),
    ("seagreen", 0x2e_8b_57),
    ("seashell", 0xff_f5_ee),
    ("sienna", 0xa0_52_2d),
    ("silver", 0xc0_c0_c0),
    ("skyblue", 0x87_ce_eb),
    ("slateblue", 0x6a_5a_cd),
    ("slategray", 0x70_80_90),
    ("slategrey", 0x70_80_90),
    ("snow", 0xff_fa_fa),
    ("springgreen", 0x00_ff_7f),
    ("steelblue", 0x46_82_b4),
    ("tan", 0xd2_b4_8c),
    ("teal", 0x00_80_80),
    ("thistle", 0xd8_bf_d8),
    ("tomato", 0xff_63_47),
    ("turquoise", 0x40_e0_d0),
    ("violet", 0xee_82_ee),
    ("wheat", 0xf5_de_b3),
    ("white", 0xff_ff_ff),
    ("whitesmoke", 0xf5_f5_f5),
    ("yellow", 0xff_ff_00),
    ("yellowgreen", 0x9a_cd_32),
];
