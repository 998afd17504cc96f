//! Properties of layouts, over random graphs: no line runs through a box that is not its own, no two boxes and no two
//! labels overlap, and nothing leaves its frame or the picture.

use proptest::prelude::*;

use super::super::{
    Direction, Flow, FlowAuthor, FlowEdge, FlowNode, Group, Layout, Line, NodeClass, Outline, Port,
    Shape, Style, Tip,
};
use super::curve::Point;
use super::layered;
use super::scene::Scene;

/// Left, top, right, bottom.
type Area = [f64; 4];

fn around(middle: Point, size: Point) -> Area {
    let (x, y) = (size.x / 2.0, size.y / 2.0);
    [middle.x - x, middle.y - y, middle.x + x, middle.y + y]
}

fn overlap(a: Area, b: Area, by: f64) -> bool {
    a[0] + by < b[2] && b[0] + by < a[2] && a[1] + by < b[3] && b[1] + by < a[3]
}

fn holds(area: Area, point: (f64, f64), by: f64) -> bool {
    point.0 > area[0] + by
        && point.0 < area[2] - by
        && point.1 > area[1] + by
        && point.1 < area[3] - by
}

/// Points along a path of moves, straight lines and cubic curves.
fn points(path: &str) -> Vec<(f64, f64)> {
    let spaced = path
        .replace('M', " M ")
        .replace('L', " L ")
        .replace('C', " C ");
    let mut words = spaced.split_whitespace();
    let mut found: Vec<(f64, f64)> = Vec::new();
    while let Some(command) = words.next() {
        let mut pair = || {
            let mut next = || words.next().unwrap().parse::<f64>().unwrap();
            (next(), next())
        };
        let (ends, steps) = match command {
            "M" => (vec![pair()], 1),
            "L" => (vec![*found.last().unwrap(), pair()], 40),
            _ => (vec![*found.last().unwrap(), pair(), pair(), pair()], 40),
        };
        for step in 1..=steps {
            let mut level = ends.clone();
            let share = f64::from(step) / f64::from(steps);
            // De Casteljau: the mean of means is on the curve.
            while level.len() > 1 {
                let mean = |a: f64, b: f64| a * (1.0 - share) + b * share;
                level = level
                    .windows(2)
                    .map(|pair| (mean(pair[0].0, pair[1].0), mean(pair[0].1, pair[1].1)))
                    .collect();
            }
            found.push(level[0]);
        }
    }
    found
}

/// What is wrong with the picture of a flow; nothing, it is hoped.
fn faults(flow: &Flow) -> Vec<String> {
    let Layout::Layered(direction) = flow.layout else {
        return Vec::new();
    };
    let scene = layered::lay_out(flow, direction);
    let mut faults = Vec::new();
    let boxes: Vec<Area> = scene
        .blocks
        .iter()
        .map(|(at, block)| around(*at, block.size))
        .collect();
    for (at, one) in boxes.iter().enumerate() {
        for (other, two) in boxes.iter().enumerate().skip(at + 1) {
            if overlap(*one, *two, 0.5) {
                faults.push(format!("node {at} lies on node {other}"));
            }
        }
    }
    let tags = scene.wires.iter().flat_map(|wire| &wire.tags);
    let tags: Vec<Area> = tags.map(|(at, tag)| around(*at, tag.size)).collect();
    for (at, one) in tags.iter().enumerate() {
        for two in &tags[at + 1..] {
            if overlap(*one, *two, 0.5) {
                faults.push(format!("labels overlap at {one:?} and {two:?}"));
            }
        }
        for (node, area) in boxes.iter().enumerate() {
            if overlap(*one, *area, 0.5) {
                faults.push(format!("a label lies on node {node}"));
            }
        }
    }
    faults.extend(lines_through_boxes(flow, &scene, &boxes));
    faults.extend(outside(flow, &scene, &boxes));
    faults
}

/// Its own two boxes a line may touch; no other, and no frame that holds neither of its ends.
fn lines_through_boxes(flow: &Flow, scene: &Scene, boxes: &[Area]) -> Vec<String> {
    let arrows = flow.arrows();
    assert_eq!(arrows.len(), scene.wires.len(), "every edge is drawn");
    let mut faults = Vec::new();
    for (own, (arrow, wire)) in arrows.iter().zip(&scene.wires).enumerate() {
        let line = points(&wire.path);
        for (node, area) in boxes.iter().enumerate() {
            let is_own = node == arrow.from || node == arrow.to;
            if !is_own && line.iter().any(|point| holds(*area, *point, 1.0)) {
                faults.push(format!(
                    "{} to {} runs through {node}",
                    arrow.from, arrow.to
                ));
            }
        }
        for (other, foreign) in scene.wires.iter().enumerate().filter(|(at, _)| *at != own) {
            let tags = foreign.tags.iter().map(|(at, tag)| around(*at, tag.size));
            for tag in tags {
                if line.iter().any(|point| holds(tag, *point, 1.0)) {
                    faults.push(format!("edge {own} runs through the label of edge {other}"));
                }
            }
        }
        for frame in &scene.frames {
            let title = [
                frame.at.x + 12.0,
                frame.at.y + 7.0,
                frame.at.x + 12.0 + super::glyph::width(&frame.label, super::block::DETAIL),
                frame.at.y + 20.0,
            ];
            if !frame.label.is_empty() && line.iter().any(|point| holds(title, *point, 1.0)) {
                let name = &frame.label;
                faults.push(format!(
                    "{} to {} runs through the name {name}",
                    arrow.from, arrow.to
                ));
            }
        }
    }
    faults
}

/// The groups around a vertex, as vertices, without those that would close a cycle.
fn ancestors(flow: &Flow, vertex: usize) -> Vec<usize> {
    let nodes = flow.nodes.len();
    let tree = super::tree::Tree::new(flow, &[], Direction::Down);
    let mut found = Vec::new();
    let mut at = vertex;
    while tree.scope_of[at] > 0 {
        at = tree.vertex_of(tree.scope_of[at]);
        found.push(at);
    }
    assert!(found.iter().all(|group| *group >= nodes));
    found
}

/// Nodes beyond the frame of their group, and anything beyond the picture.
fn outside(flow: &Flow, scene: &Scene, boxes: &[Area]) -> Vec<String> {
    let mut faults = Vec::new();
    let whole = [-0.5, -0.5, scene.size.x + 0.5, scene.size.y + 0.5];
    let is_within = |inner: Area, outer: Area| {
        inner[0] >= outer[0] - 0.5
            && inner[1] >= outer[1] - 0.5
            && inner[2] <= outer[2] + 0.5
            && inner[3] <= outer[3] + 0.5
    };
    for (at, tag) in scene.wires.iter().flat_map(|wire| &wire.tags) {
        let area = around(*at, tag.size);
        if !is_within(area, whole) {
            faults.push(format!("the label {:?} leaves the picture", tag.lines));
        }
        for frame in &scene.frames {
            let end = [frame.at.x + frame.size.x, frame.at.y + frame.size.y];
            let framed = [frame.at.x, frame.at.y, end[0], end[1]];
            if overlap(area, framed, 0.5) && !is_within(area, framed) {
                faults.push(format!("the label {:?} lies on a border", tag.lines));
            }
        }
    }
    for (node, area) in boxes.iter().enumerate() {
        if !is_within(*area, whole) {
            faults.push(format!(
                "node {node} leaves the picture: {area:?} of {whole:?}"
            ));
        }
        let labels = ancestors(flow, node)
            .into_iter()
            .map(|group| flow.name(group).to_owned());
        for label in labels {
            let frame = scene
                .frames
                .iter()
                .find(|frame| frame.label == label)
                .unwrap();
            let end = [frame.at.x + frame.size.x, frame.at.y + frame.size.y];
            if !is_within(*area, [frame.at.x, frame.at.y, end[0], end[1]]) {
                faults.push(format!("node {node} leaves its frame {label}"));
            }
        }
    }
    faults
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![
        Just(Direction::Down),
        Just(Direction::Right),
        Just(Direction::Up),
        Just(Direction::Left)
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        6 => Just(Shape::Box),
        1 => Just(Shape::Diamond),
        1 => Just(Shape::Circle),
        1 => Just(Shape::Stadium),
        1 => Just(Shape::Hexagon),
        1 => Just(Shape::Cylinder),
        1 => Just(Shape::Bar),
        1 => Just(Shape::Start),
    ]
}

fn flow() -> impl Strategy<Value = Flow> {
    let groups = proptest::collection::vec(
        (
            proptest::option::of(0..5usize),
            proptest::option::of(direction()),
        ),
        0..5,
    );
    let node = (
        "[a-z]{1,12}( [a-z]{1,9}){0,4}",
        shape(),
        proptest::option::of(0..5usize),
        0..4usize,
    );
    let nodes = proptest::collection::vec(node, 1..18);
    let edge = (
        0..22usize,
        0..22usize,
        proptest::option::of("[a-z ]{1,40}"),
        0..8usize,
    );
    let edges = proptest::collection::vec(edge, 0..30);
    (groups, nodes, edges, direction()).prop_map(|(groups, nodes, edges, direction)| {
        let groups: Vec<Group> = groups
            .into_iter()
            .enumerate()
            .map(|(at, (parent, direction))| Group {
                parent,
                direction,
                style: Style {
                    outline: Outline::Dashed,
                    ..Style::default()
                },
                ..Group::new(format!("group number {at}"))
            })
            .collect();
        let nodes: Vec<FlowNode> = nodes
            .into_iter()
            .map(|(label, shape, group, members)| FlowNode {
                shape: if members == 3 { Shape::Box } else { shape },
                group,
                compartments: match members {
                    3 => vec![vec!["+int size".to_owned(); 2], Vec::new()],
                    _ => Vec::new(),
                },
                ..FlowNode::new(label, NodeClass::Component)
            })
            .collect();
        let ports = nodes.len() + groups.len();
        let port = |at: usize| {
            let at = at % ports;
            match at.checked_sub(nodes.len()) {
                Some(group) => Port::Group(group),
                None => Port::Node(at),
            }
        };
        let edges = edges
            .into_iter()
            .map(|(from, to, label, kind)| FlowEdge {
                label,
                ends: match kind {
                    0 => [Some("1".to_owned()), Some("0..*".to_owned())],
                    _ => [None, None],
                },
                line: if kind == 1 { Line::Dashed } else { Line::Solid },
                tips: [if kind == 2 { Tip::Circle } else { Tip::None }, Tip::Arrow],
                ..FlowEdge::new(port(from), port(to))
            })
            .collect();
        Flow {
            nodes,
            groups,
            edges,
            layout: Layout::Layered(direction),
            origin: FlowAuthor::Authored,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn no_line_crosses_a_foreign_box_and_no_labels_overlap(flow in flow()) {
        let faults = faults(&flow);
        prop_assert!(faults.is_empty(), "{faults:#?}");
    }
}
