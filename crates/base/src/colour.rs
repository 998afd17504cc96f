//! Colours of a page, and whether people can read them.

/// A colour as red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

/// Least contrast between text and its background (WCAG 2.2, level AA).
const READABLE: f64 = 4.5;
/// Steps from a colour to black or white.
const STEPS: u8 = 50;

impl Colour {
    pub const BLACK: Colour = Colour([0, 0, 0]);
    pub const WHITE: Colour = Colour([255, 255, 255]);

    /// `#0b6e4f`, or `#abc` for `#aabbcc`.
    pub fn parse(text: &str) -> Option<Colour> {
        let digits = text.strip_prefix('#')?;
        let value = |c: char| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let digits: Vec<u8> = digits.chars().map(value).collect::<Option<_>>()?;
        match *digits.as_slice() {
            [r, g, b] => Some(Colour([r * 17, g * 17, b * 17])),
            [r, s, g, h, b, c] => Some(Colour([r * 16 + s, g * 16 + h, b * 16 + c])),
            _ => None,
        }
    }

    /// As CSS writes it.
    pub fn css(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// This colour with a share of another, from 0 to 1.
    pub fn mixed(self, other: Colour, share: f64) -> Colour {
        let mix = |at: usize| {
            let (own, other) = (f64::from(self.0[at]), f64::from(other.0[at]));
            (own + (other - own) * share).round() as u8
        };
        Colour([mix(0), mix(1), mix(2)])
    }

    /// From 1 (the same) to 21 (black on white).
    pub fn contrast(self, other: Colour) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// The nearest colour on the way to `end` that is readable on all of these; `end` if none is.
    pub fn readable_on(self, backgrounds: &[Colour], end: Colour) -> Colour {
        let steps = (0..=STEPS).map(|step| self.mixed(end, f64::from(step) / f64::from(STEPS)));
        let is_readable = |colour: &Colour| {
            let mut all = backgrounds.iter();
            all.all(|background| colour.contrast(*background) >= READABLE)
        };
        steps.into_iter().find(is_readable).unwrap_or(end)
    }

    fn luminance(self) -> f64 {
        let linear = |at: usize| {
            let share = f64::from(self.0[at]) / 255.0;
            if share <= 0.04045 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_css_writes_them() {
        assert_eq!(Colour::parse("#0B6e4f"), Some(Colour([11, 110, 79])));
        assert_eq!(Colour::parse("#abc").unwrap().css(), "#aabbcc");
        for other in ["", "#", "0b6e4f", "#0b6e4", "#0b6e4g", "red", "#é1"] {
            assert_eq!(Colour::parse(other), None, "{other}");
        }
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        assert_eq!(Colour::BLACK.contrast(Colour::WHITE), 21.0);
        let grey = Colour::parse("#767676").unwrap();
        assert!((grey.contrast(Colour::WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn any_colour_becomes_readable() {
        for text in ["#ffff00", "#0000ff", "#808080", "#ffffff", "#000000"] {
            let colour = Colour::parse(text).unwrap();
            let dark = colour.readable_on(&[Colour::WHITE], Colour::BLACK);
            let light = colour.readable_on(&[Colour::BLACK], Colour::WHITE);
            assert!(dark.contrast(Colour::WHITE) >= 4.5, "{text}");
            assert!(light.contrast(Colour::BLACK) >= 4.5, "{text}");
        }
    }
}
