//! Lines as SVG path data: smooth through their points, leaving and arriving along the flow. Numbers in, text out.

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
    path.reserve(points.len() * 36);
    push_points(&mut path, 'M', &[*first]);
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let across = match tangent {
            Tangent::Vertical => (a.x - b.x).abs(),
            Tangent::Horizontal => (a.y - b.y).abs(),
        };
        if across < 2.0 {
            push_points(&mut path, 'L', &[b]);
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
        push_points(&mut path, 'C', &[c, d, b]);
    }
    path
}

/// A curve with given control points.
pub fn bend(a: Point, c: Point, d: Point, b: Point) -> String {
    let mut path = String::new();
    push_points(&mut path, 'M', &[a]);
    push_points(&mut path, 'C', &[c, d, b]);
    path
}

/// A straight line from a point: horizontal with the step `H`, vertical with `V`.
pub fn straight(x: f64, y: f64, step: char, to: f64) -> String {
    let mut path = String::new();
    push_points(&mut path, 'M', &[Point { x, y }]);
    path.push(step);
    push_number(&mut path, to);
    path
}

/// A step of a path.
fn push_points(path: &mut String, step: char, points: &[Point]) {
    path.push(step);
    for (at, point) in points.iter().enumerate() {
        if at > 0 {
            path.push(' ');
        }
        push_number(path, point.x);
        path.push(' ');
        push_number(path, point.y);
    }
}

/// Writes a number with at most one decimal. Avoids `format!`, because a picture has hundreds of numbers.
pub fn push_number(out: &mut String, value: f64) {
    // Layouts are finite and small; anything else becomes 0 rather than a broken picture.
    let tenths = if value.is_finite() { value * 10.0 } else { 0.0 };
    // Rounds to the nearest; the conversion alone truncates.
    let tenths = (tenths + 0.5_f64.copysign(tenths)) as i64;
    if tenths < 0 {
        out.push('-');
    }
    let (whole, tenth) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    match whole {
        0..100 => out.push_str(short(whole)),
        100..10_000 => {
            out.push_str(short(whole / 100));
            out.push_str(pair(whole % 100));
        }
        _ => out.push_str(&whole.to_string()),
    }
    if tenth > 0 {
        out.push('.');
        out.push_str(short(tenth));
    }
}

/// A number below a hundred, with as many digits as it needs.
fn short(number: u64) -> &'static str {
    let pair = pair(number);
    if number < 10 { &pair[1..] } else { pair }
}

/// The same with two digits.
fn pair(number: u64) -> &'static str {
    const PAIRS: &str = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
                         5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    let start = 2 * number as usize;
    &PAIRS[start..start + 2]
}

/// Attributes with numbers, each after a space.
pub fn push_numbers(out: &mut String, attributes: &[(&str, f64)]) {
    for (name, value) in attributes {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        push_number(out, *value);
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_minus_zero() {
        let number = |value: f64| {
            let mut out = String::new();
            push_number(&mut out, value);
            out
        };
        assert_eq!(number(12.0), "12");
        assert_eq!(number(12.34), "12.3");
        assert_eq!(number(-0.04), "0");
        assert_eq!(number(-0.5), "-0.5");
        assert_eq!(number(f64::NAN), "0");
        assert_eq!(number(1234.56), "1234.6");
        assert_eq!(number(1e18), "922337203685477580.7");
        assert_eq!(number(-1e18), "-922337203685477580.8");
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
