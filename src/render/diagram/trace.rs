//! Routes on their way into the picture: moved to where their frame is, without needless points.

use super::curve::{Point, bend};
use super::place::{Route, Spot};

pub fn add(a: Spot, b: Spot) -> Spot {
    Spot {
        across: a.across + b.across,
        along: a.along + b.along,
    }
}

pub fn moved(route: Option<&Route>, by: Spot) -> Route {
    let Some(route) = route else {
        return Route::default();
    };
    Route {
        points: route.points.iter().map(|spot| add(*spot, by)).collect(),
        label: route.label.map(|spot| add(spot, by)),
    }
}

/// Without the points in the middle of a straight stretch.
pub fn straightened(points: &[Spot]) -> Vec<Spot> {
    let mut kept: Vec<Spot> = Vec::with_capacity(points.len());
    for &point in points {
        if let [.., a, b] = kept[..] {
            let near = |x: f64, y: f64| (x - y).abs() < 0.75;
            if near(a.across, b.across) && near(b.across, point.across) {
                kept.pop();
            }
        }
        kept.push(point);
    }
    kept
}

/// A line from a node to itself, beside it.
pub fn loop_path(middle: Spot, size: Spot, point: &impl Fn(Spot) -> Point) -> String {
    let at = |across: f64, along: f64| {
        point(Spot {
            across: middle.across + across,
            along: middle.along + along,
        })
    };
    let (side, far) = (size.across / 2.0, size.across / 2.0 + 24.0);
    let reach = (size.along * 0.22).min(12.0);
    bend(
        at(side, -reach),
        at(far, -reach * 1.8),
        at(far, reach * 1.8),
        at(side, reach),
    )
}
