//! Shapes of nodes: their size around a text, their markup, and where a line meets them.

use super::super::{NodeClass, Shape, push_all};
use super::curve::{Point, push_number, push_numbers};

/// The size of a node around a text.
pub fn size(shape: Shape, text: Point) -> Point {
    let point = |x: f64, y: f64| Point { x, y };
    let (wide, high) = (text.x.max(24.0), text.y.max(17.0));
    let plain = point(wide.max(40.0) + 24.0, high + 16.0);
    match shape {
        Shape::Box | Shape::Round | Shape::Bare | Shape::Note => plain,
        Shape::Stadium => point(plain.x + high * 0.3, plain.y),
        Shape::Subroutine => point(plain.x + 14.0, plain.y),
        Shape::Cylinder => point(plain.x, plain.y + 4.0 * RIM),
        Shape::Circle | Shape::DoubleCircle => {
            let ring = if shape == Shape::Circle { 0.0 } else { 10.0 };
            let across = wide.hypot(high) + 14.0 + ring;
            point(across, across)
        }
        // The text touches the four sides where its share of the width and of the height make up the whole.
        Shape::Diamond => {
            let tall = 2.0 * high + 18.0;
            point(wide / (1.0 - high / tall) + 14.0, tall)
        }
        Shape::Hexagon => point(plain.x + plain.y / 2.0, plain.y),
        Shape::LeanRight | Shape::LeanLeft | Shape::Trapezoid | Shape::TrapezoidFlipped => {
            point(plain.x + plain.y * 0.8, plain.y)
        }
        Shape::Flag => point(plain.x + plain.y / 3.0, plain.y),
        Shape::Start => point(16.0, 16.0),
        Shape::End => point(20.0, 20.0),
        Shape::Bar => point(72.0, 7.0),
    }
}

/// Half the height of a cylinder's end.
const RIM: f64 = 5.0;

/// Whether lines should meet it near the middle of its sides.
pub fn is_pointed(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Diamond | Shape::Circle | Shape::DoubleCircle | Shape::Start | Shape::End
    )
}

/// The outline of a node.
enum ShapeOutline {
    /// A box with rounded corners.
    Box(f64),
    /// Corners from the middle of the node.
    Corners(Vec<Point>),
    Ellipse,
    Cylinder,
}

fn outline(shape: Shape, class: NodeClass, size: Point) -> ShapeOutline {
    let (x, y) = (size.x / 2.0, size.y / 2.0);
    let corners = |corners: &[(f64, f64)]| {
        let corners = corners.iter().map(|(x, y)| Point { x: *x, y: *y });
        ShapeOutline::Corners(corners.collect())
    };
    let lean = size.y * 0.4;
    match shape {
        Shape::Box if class == NodeClass::External => ShapeOutline::Box(y.min(22.0)),
        Shape::Box => ShapeOutline::Box(7.0),
        Shape::Round => ShapeOutline::Box(y.min(14.0)),
        Shape::Stadium => ShapeOutline::Box(y),
        Shape::Subroutine | Shape::Note => ShapeOutline::Box(2.0),
        Shape::Bare => ShapeOutline::Box(0.0),
        Shape::Bar => ShapeOutline::Box(3.0),
        Shape::Cylinder => ShapeOutline::Cylinder,
        Shape::Circle | Shape::DoubleCircle | Shape::Start | Shape::End => ShapeOutline::Ellipse,
        Shape::Diamond => corners(&[(0.0, -y), (x, 0.0), (0.0, y), (-x, 0.0)]),
        Shape::Hexagon => {
            let edge = x - y / 2.0;
            corners(&[
                (-edge, -y),
                (edge, -y),
                (x, 0.0),
                (edge, y),
                (-edge, y),
                (-x, 0.0),
            ])
        }
        Shape::LeanRight => corners(&[(lean - x, -y), (x, -y), (x - lean, y), (-x, y)]),
        Shape::LeanLeft => corners(&[(-x, -y), (x - lean, -y), (x, y), (lean - x, y)]),
        Shape::Trapezoid => corners(&[(lean - x, -y), (x - lean, -y), (x, y), (-x, y)]),
        Shape::TrapezoidFlipped => corners(&[(-x, -y), (x, -y), (x - lean, y), (lean - x, y)]),
        Shape::Flag => corners(&[(-x, -y), (x, -y), (x, y), (-x, y), (lean - x, 0.0)]),
    }
}

/// The point on the outline where a line ends that meets the bounding box at `border`. Both are relative to the centre.
pub fn meeting(shape: Shape, class: NodeClass, size: Point, border: Point) -> Point {
    let (x, y) = (size.x / 2.0, size.y / 2.0);
    let is_beside = (border.x.abs() - x).abs() < (border.y.abs() - y).abs();
    let inset = match outline(shape, class, size) {
        ShapeOutline::Box(radius) => {
            let (along, end) = if is_beside {
                (border.y, y)
            } else {
                (border.x, x)
            };
            arc(radius, along.abs() - (end - radius))
        }
        ShapeOutline::Ellipse => {
            let (along, end, depth) = if is_beside {
                (border.y, y, x)
            } else {
                (border.x, x, y)
            };
            let share = (along / end).clamp(-1.0, 1.0);
            depth * (1.0 - (1.0 - share * share).sqrt())
        }
        ShapeOutline::Cylinder if is_beside => 0.0,
        ShapeOutline::Cylinder => {
            let share = (border.x / x).clamp(-1.0, 1.0);
            RIM * (1.0 - (1.0 - share * share).sqrt())
        }
        ShapeOutline::Corners(corners) => depth(&corners, border, is_beside),
    };
    if is_beside {
        Point {
            x: border.x - inset * border.x.signum(),
            y: border.y,
        }
    } else {
        Point {
            x: border.x,
            y: border.y - inset * border.y.signum(),
        }
    }
}

/// How far a rounded corner is inside its box, at a distance from where it begins.
fn arc(radius: f64, beyond: f64) -> f64 {
    let beyond = beyond.clamp(0.0, radius);
    radius - (radius * radius - beyond * beyond).max(0.0).sqrt()
}

/// The distance from the border to the first side of a polygon, straight inwards.
fn depth(corners: &[Point], border: Point, is_beside: bool) -> f64 {
    let turned = |point: Point| {
        if is_beside {
            (point.y, point.x)
        } else {
            (point.x, point.y)
        }
    };
    let (at, from) = turned(border);
    let pairs = corners.iter().zip(corners.iter().cycle().skip(1));
    let meetings = pairs.filter_map(|(a, b)| {
        let ((a_at, a_out), (b_at, b_out)) = (turned(*a), turned(*b));
        let (low, high) = (a_at.min(b_at), a_at.max(b_at));
        // A side that runs inwards is met at its ends, which belong to other sides too.
        let is_met = low <= at && at <= high && high - low > 1e-6;
        is_met.then(|| (from - (a_out + (b_out - a_out) * (at - a_at) / (b_at - a_at))).abs())
    });
    let nearest = meetings.fold(f64::INFINITY, f64::min);
    if nearest.is_finite() { nearest } else { 0.0 }
}

/// The outline as markup, around a middle.
pub fn write(out: &mut String, shape: Shape, class: NodeClass, at: Point, size: Point) {
    let corner = Point {
        x: at.x - size.x / 2.0,
        y: at.y - size.y / 2.0,
    };
    match shape {
        Shape::Note => return write_note(out, corner, size),
        Shape::Bare => return write_rect(out, "d-bare", corner, size, 0.0),
        _ => {}
    }
    match outline(shape, class, size) {
        ShapeOutline::Box(radius) => {
            write_rect(out, "", corner, size, radius);
            if shape == Shape::Subroutine {
                let (top, bottom) = (corner.y, corner.y + size.y);
                for x in [corner.x + 7.0, corner.x + size.x - 7.0] {
                    let ends = [Point { x, y: top }, Point { x, y: bottom }];
                    write_lines(out, "d-inner", &ends, Ending::Open);
                }
            }
        }
        ShapeOutline::Corners(corners) => {
            let corners: Vec<Point> = corners
                .iter()
                .map(|corner| Point {
                    x: at.x + corner.x,
                    y: at.y + corner.y,
                })
                .collect();
            write_lines(out, "d-outline", &corners, Ending::Closed);
        }
        ShapeOutline::Ellipse => {
            write_ellipse(out, "d-outline", at, size.x / 2.0, size.y / 2.0);
            match shape {
                Shape::DoubleCircle => {
                    write_ellipse(out, "d-inner", at, size.x / 2.0 - 4.0, size.y / 2.0 - 4.0);
                }
                Shape::End => write_ellipse(out, "d-dot", at, size.x / 4.0, size.y / 4.0),
                _ => {}
            }
        }
        ShapeOutline::Cylinder => write_cylinder(out, at, size),
    }
}

/// By its upper left corner.
pub fn write_rect(out: &mut String, class: &str, at: Point, size: Point, radius: f64) {
    out.push_str("<rect");
    if !class.is_empty() {
        push_all(out, &[" class=\"", class, "\""]);
    }
    push_numbers(out, &[("x", at.x), ("y", at.y)]);
    push_numbers(
        out,
        &[("width", size.x), ("height", size.y), ("rx", radius)],
    );
    out.push_str("/>");
}

pub enum Ending {
    Open,
    Closed,
}

/// Straight lines from point to point.
pub fn write_lines(out: &mut String, class: &str, points: &[Point], ending: Ending) {
    push_all(out, &["<path class=\"", class, "\" d=\""]);
    for (at, point) in points.iter().enumerate() {
        out.push(if at == 0 { 'M' } else { 'L' });
        push_pair(out, *point);
    }
    if matches!(ending, Ending::Closed) {
        out.push('z');
    }
    out.push_str("\"/>");
}

fn write_ellipse(out: &mut String, class: &str, at: Point, rx: f64, ry: f64) {
    push_all(out, &["<ellipse class=\"", class, "\""]);
    push_numbers(out, &[("cx", at.x), ("cy", at.y), ("rx", rx), ("ry", ry)]);
    out.push_str("/>");
}

fn write_cylinder(out: &mut String, at: Point, size: Point) {
    let (x, y) = (size.x / 2.0, size.y / 2.0 - RIM);
    let arc = |out: &mut String, to: Point, sweep: &str| {
        out.push('A');
        push_pair(out, Point { x, y: RIM });
        push_all(out, &[" 0 0 ", sweep, " "]);
        push_pair(out, to);
    };
    let point = |dx: f64, dy: f64| Point {
        x: at.x + dx,
        y: at.y + dy,
    };
    out.push_str("<path class=\"d-outline\" d=\"M");
    push_pair(out, point(-x, -y));
    arc(out, point(x, -y), "1");
    out.push('L');
    push_pair(out, point(x, y));
    arc(out, point(-x, y), "1");
    out.push_str("z\"/><path class=\"d-inner\" d=\"M");
    push_pair(out, point(-x, -y));
    arc(out, point(x, -y), "0");
    out.push_str("\"/>");
}

/// A sheet whose upper right corner is folded.
fn write_note(out: &mut String, at: Point, size: Point) {
    let fold = 9.0;
    let point = |x: f64, y: f64| Point {
        x: at.x + x,
        y: at.y + y,
    };
    let sheet = [
        point(0.0, 0.0),
        point(size.x - fold, 0.0),
        point(size.x, fold),
        point(size.x, size.y),
        point(0.0, size.y),
    ];
    write_lines(out, "d-outline", &sheet, Ending::Closed);
    let folded = [
        point(size.x - fold, 0.0),
        point(size.x - fold, fold),
        point(size.x, fold),
    ];
    write_lines(out, "d-inner", &folded, Ending::Open);
}

fn push_pair(out: &mut String, point: Point) {
    push_number(out, point.x);
    out.push(' ');
    push_number(out, point.y);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 19] = [
        Shape::Box,
        Shape::Round,
        Shape::Stadium,
        Shape::Subroutine,
        Shape::Cylinder,
        Shape::Circle,
        Shape::DoubleCircle,
        Shape::Flag,
        Shape::Diamond,
        Shape::Hexagon,
        Shape::LeanRight,
        Shape::LeanLeft,
        Shape::Trapezoid,
        Shape::TrapezoidFlipped,
        Shape::Bare,
        Shape::Note,
        Shape::Start,
        Shape::End,
        Shape::Bar,
    ];

    #[test]
    fn a_line_meets_the_outline_within_the_box_around_it() {
        for shape in SHAPES {
            let size = size(shape, Point { x: 80.0, y: 34.0 });
            for share in [-0.7, -0.3, 0.0, 0.5, 0.7] {
                let top = Point {
                    x: size.x / 2.0 * share,
                    y: -size.y / 2.0,
                };
                let met = meeting(shape, NodeClass::Component, size, top);
                assert_eq!(met.x, top.x, "{shape:?}");
                assert!(met.y >= top.y - 0.01 && met.y <= 0.01, "{shape:?}: {met:?}");
                let right = Point {
                    x: size.x / 2.0,
                    y: size.y / 2.0 * share,
                };
                let met = meeting(shape, NodeClass::Component, size, right);
                assert!(
                    met.x <= right.x + 0.01 && met.x >= -0.01,
                    "{shape:?}: {met:?}"
                );
            }
        }
    }

    #[test]
    fn the_text_of_a_diamond_lies_within_its_sides() {
        let text = Point { x: 120.0, y: 51.0 };
        let size = size(Shape::Diamond, text);
        assert!(text.x / size.x + text.y / size.y <= 1.0);
    }
}
