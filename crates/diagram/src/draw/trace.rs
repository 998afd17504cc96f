//! Prepares routes for drawing: removes needless points, and routes loops from a node to itself.

use super::super::Direction;
use super::curve::{Point, Tangent, bend};

/// A route without the points on straight stretches.
pub fn straightened(points: &[Point], tangent: Tangent) -> Vec<Point> {
    let across = |point: Point| match tangent {
        Tangent::Vertical => point.x,
        Tangent::Horizontal => point.y,
    };
    let is_near = |a: Point, b: Point| (across(a) - across(b)).abs() < 0.75;
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for &point in points {
        if let [.., a, b] = kept[..]
            && is_near(a, b)
            && is_near(b, point)
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

/// A line from a node to itself, beside it: to the right of a node in columns, below one in rows.
pub struct SelfLoop {
    middle: Point,
    size: Point,
    direction: Direction,
}

/// How far a loop reaches from the node, and the gap to its label.
const REACH: f64 = 24.0;
const AIR: f64 = 2.0;

impl SelfLoop {
    /// The room that a loop needs beside its node; the same on both sides, so that the node stays centred.
    pub fn room(label_across: f64) -> f64 {
        2.0 * (REACH + AIR + label_across)
    }

    pub fn new(middle: Point, size: Point, direction: Direction) -> SelfLoop {
        SelfLoop {
            middle,
            size,
            direction,
        }
    }

    /// A point relative to the centre, across and along the direction.
    fn at(&self, across: f64, along: f64) -> Point {
        let (x, y) = match self.direction {
            Direction::Down | Direction::Up => (across, along),
            Direction::Right | Direction::Left => (along, across),
        };
        Point {
            x: self.middle.x + x,
            y: self.middle.y + y,
        }
    }

    fn half(&self) -> (f64, f64) {
        let (x, y) = (self.size.x / 2.0, self.size.y / 2.0);
        match self.direction {
            Direction::Down | Direction::Up => (x, y),
            Direction::Right | Direction::Left => (y, x),
        }
    }

    pub fn path(&self) -> String {
        let (side, along) = self.half();
        let far = side + REACH;
        let reach = (along * 0.44).min(12.0);
        bend(
            self.at(side, -reach),
            self.at(far, -reach * 1.8),
            self.at(far, reach * 1.8),
            self.at(side, reach),
        )
    }

    /// The middle of its label.
    pub fn label(&self, size: Point) -> Point {
        let across = match self.direction {
            Direction::Down | Direction::Up => size.x,
            Direction::Right | Direction::Left => size.y,
        };
        let (side, _) = self.half();
        // The curve stays within three quarters of the distance to its control points.
        self.at(side + REACH * 0.75 + AIR + across / 2.0, 0.0)
    }
}
