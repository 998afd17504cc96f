//! Shades of an accent colour: one for light and one for dark mode, each readable where the theme uses it.

use base::colour::Colour;

/// Backgrounds of the built-in theme that accented text is on.
const LIGHT: [Colour; 3] = [
    Colour([0xfb, 0xfa, 0xf8]),
    Colour::WHITE,
    Colour([0xf2, 0xf0, 0xec]),
];
const DARK: [Colour; 3] = [
    Colour([0x14, 0x16, 0x1a]),
    Colour([0x1a, 0x1d, 0x22]),
    Colour([0x23, 0x27, 0x2e]),
];
/// The darkest background, which is also the text on light accents.
const INK: Colour = DARK[0];

/// The variables that follow from an accent colour, for the end of the style sheet.
pub fn style(accent: Colour) -> String {
    let light = shades(
        accent,
        &LIGHT,
        Colour::WHITE.mixed(accent, 0.1),
        Colour::BLACK,
    );
    let dark = shades(accent, &DARK, DARK[1].mixed(accent, 0.22), Colour::WHITE);
    format!(
        "\n:root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root:not([data-theme=\"light\"]) {{ {dark} }} }}\n\
         :root[data-theme=\"dark\"] {{ {dark} }}\n@media print {{ :root:root {{ --accent: #000; --accent-soft: #fff; }} }}\n"
    )
}

fn shades(accent: Colour, backgrounds: &[Colour], soft: Colour, end: Colour) -> String {
    let mut all = backgrounds.to_vec();
    all.push(soft);
    let shade = accent.readable_on(&all, end);
    let on_accent = if shade.contrast(Colour::WHITE) >= shade.contrast(INK) {
        Colour::WHITE
    } else {
        INK
    };
    format!(
        "--accent: {}; --accent-soft: {}; --on-accent: {};",
        shade.css(),
        soft.css(),
        on_accent.css()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(style: &str, name: &str) -> Colour {
        let (_, rest) = style.split_once(&format!("{name}: ")).unwrap();
        Colour::parse(rest.split(';').next().unwrap()).unwrap()
    }

    #[test]
    fn accented_text_is_readable_in_light_and_in_dark() {
        for text in [
            "#0b6e4f", "#ffcc00", "#2c48c2", "#000000", "#ffffff", "#ff0000",
        ] {
            let accent = Colour::parse(text).unwrap();
            for (backgrounds, end) in [(LIGHT, Colour::BLACK), (DARK, Colour::WHITE)] {
                let soft = backgrounds[1].mixed(accent, 0.1);
                let style = shades(accent, &backgrounds, soft, end);
                let shade = value(&style, "--accent");
                for background in backgrounds.into_iter().chain([soft]) {
                    assert!(shade.contrast(background) >= 4.5, "{text}: {style}");
                }
                let on_accent = value(&style, "--on-accent");
                assert!(shade.contrast(on_accent) >= 4.5, "{text}: {style}");
            }
        }
    }

    #[test]
    fn a_readable_accent_stays_as_it_is() {
        let style = style(Colour::parse("#0b6e4f").unwrap());
        assert!(style.contains(":root { --accent: #0b6e4f;"), "{style}");
    }
}
