//! Lines as SVG path data: smooth through their points, leaving and arriving along the flow.

use std::fmt::{Display, Formatter, Write};

/// A position on the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// The axis along which a curve leaves each of its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    Vertical,
    Horizontal,
}

/// Cubic curves from point to point, straight where two points are in line.
pub fn smooth(points: &[Point], tangent: Tangent) -> String {
    let mut path = String::new();
    let Some(first) = points.first() else {
        return path;
    };
    let _ = write!(path, "M{} {}", number(first.x), number(first.y));
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let across = match tangent {
            Tangent::Vertical => (a.x - b.x).abs(),
            Tangent::Horizontal => (a.y - b.y).abs(),
        };
        if across < 2.0 {
            let _ = write!(path, "L{} {}", number(b.x), number(b.y));
            continue;
        }
        let (c, d) = match tangent {
            Tangent::Vertical => {
                let half = (a.y + b.y) / 2.0;
                (Point { x: a.x, y: half }, Point { x: b.x, y: half })
            }
            Tangent::Horizontal => {
                let half = (a.x + b.x) / 2.0;
                (Point { x: half, y: a.y }, Point { x: half, y: b.y })
            }
        };
        cubic(&mut path, c, d, b);
    }
    path
}

/// A curve with given control points.
pub fn bend(a: Point, c: Point, d: Point, b: Point) -> String {
    let mut path = format!("M{} {}", number(a.x), number(a.y));
    cubic(&mut path, c, d, b);
    path
}

/// On to `b`, bent towards two control points.
fn cubic(path: &mut String, c: Point, d: Point, b: Point) {
    let [c, d, b] = [c, d, b].map(|point| (number(point.x), number(point.y)));
    let _ = write!(path, "C{} {} {} {} {} {}", c.0, c.1, d.0, d.1, b.0, b.1);
}

/// A number with at most one decimal, and none where it says nothing.
pub fn number(value: f64) -> Tenths {
    let tenths = (value * 10.0).round();
    // Layouts are finite and small; what is not becomes the origin rather than a broken picture.
    Tenths(if tenths.is_finite() { tenths as i64 } else { 0 })
}

/// Shown without an allocation: a picture has hundreds.
pub struct Tenths(i64);

impl Display for Tenths {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        // From the last digit to the first; the longest number has nineteen, a point and a sign.
        let mut text = [0u8; 24];
        let mut start = text.len();
        let mut put = |byte: u8| {
            start -= 1;
            text[start] = byte;
        };
        let digit = |rest: u64| b'0' + (rest % 10) as u8;
        let mut rest = self.0.unsigned_abs();
        if !rest.is_multiple_of(10) {
            put(digit(rest));
            put(b'.');
        }
        rest /= 10;
        put(digit(rest));
        while rest > 9 {
            rest /= 10;
            put(digit(rest));
        }
        if self.0 < 0 {
            put(b'-');
        }
        f.write_str(std::str::from_utf8(&text[start..]).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_minus_zero() {
        assert_eq!(number(12.0).to_string(), "12");
        assert_eq!(number(12.34).to_string(), "12.3");
        assert_eq!(number(-0.04).to_string(), "0");
        assert_eq!(number(-0.5).to_string(), "-0.5");
        assert_eq!(number(f64::NAN).to_string(), "0");
        assert_eq!(number(1234.56).to_string(), "1234.6");
        assert_eq!(number(1e18).to_string(), "922337203685477580.7");
        assert_eq!(number(-1e18).to_string(), "-922337203685477580.8");
    }

    #[test]
    fn points_in_line_are_joined_straight() {
        let point = |x, y| Point { x, y };
        let points = [point(1.0, 2.0), point(1.0, 12.0), point(11.0, 22.0)];
        assert_eq!(
            smooth(&points, Tangent::Vertical),
            "M1 2L1 12C1 17 11 17 11 22"
        );
    }
}
