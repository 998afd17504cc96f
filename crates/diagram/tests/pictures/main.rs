//! Diagrams through the public interface: pictures against golden files, and rules of the layout.

#![allow(clippy::unwrap_used)]

mod random;
mod sample;

use std::fs;
use std::path::Path;

use catalog_diagram::{Diagram, DiagramBody, Direction, FlowNode, Layout, NodeClass, Sequence};

use sample::*;

#[test]
fn pictures_are_as_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let kept = [
        "topology",
        "sequence",
        "neighbours",
        "neighbours-wrapped",
        "cycle",
        "one",
    ];
    for (name, diagram) in samples() {
        if !kept.contains(&name) {
            continue;
        }
        let told = [
            ("svg", diagram.svg()),
            ("mmd", diagram.mermaid()),
            ("txt", diagram.text()),
        ];
        for (kind, text) in told {
            let golden = folder.join(format!("{name}.{kind}"));
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                fs::write(&golden, &text).unwrap();
            }
            let expected = fs::read_to_string(&golden).unwrap();
            assert!(
                expected == text,
                "{name}.{kind} differs: run the tests once with UPDATE_GOLDEN=1 and look at it"
            );
        }
    }
}

/// A rectangle: left, top, right, bottom.
type Area = [f64; 4];

fn areas(svg: &str) -> Vec<(String, Area)> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let nodes = document.descendants().filter(|node| {
        node.attribute("class")
            .is_some_and(|class| class.starts_with("d-node"))
    });
    let area = |node: roxmltree::Node| {
        let rect = node
            .children()
            .find(|child| child.has_tag_name("rect"))
            .unwrap();
        let get = |name: &str| rect.attribute(name).unwrap().parse::<f64>().unwrap();
        let (x, y) = (get("x"), get("y"));
        [x, y, x + get("width"), y + get("height")]
    };
    let text = |node: roxmltree::Node| {
        let texts = node.children().filter(|child| child.has_tag_name("text"));
        texts.filter_map(|text| text.text()).collect::<String>()
    };
    nodes.map(|node| (text(node), area(node))).collect()
}

/// Points along every edge.
fn lines(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let edges = document.descendants().filter(|node| {
        let class = node.attribute("class").unwrap_or_default();
        class.split(' ').any(|class| class == "d-edge")
    });
    edges
        .map(|edge| points(edge.attribute("d").unwrap()))
        .collect()
}

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

#[test]
fn nodes_do_not_overlap_and_lines_do_not_run_through_them() {
    for (name, diagram) in samples() {
        let DiagramBody::Flow(_) = &diagram.body else {
            continue;
        };
        let svg = diagram.svg();
        let areas = areas(&svg);
        for (at, (a, one)) in areas.iter().enumerate() {
            for (b, two) in &areas[at + 1..] {
                let apart =
                    one[2] < two[0] || two[2] < one[0] || one[3] < two[1] || two[3] < one[1];
                assert!(apart, "{name}: {a} lies on {b}");
            }
        }
        for line in lines(&svg) {
            let (first, last) = (line[0], *line.last().unwrap());
            for (label, [left, top, right, bottom]) in &areas {
                let inside = |(x, y): (f64, f64), by: f64| {
                    x > left + by && x < right - by && y > top + by && y < bottom - by
                };
                let through = line.iter().any(|point| inside(*point, 1.0));
                assert!(!through, "{name}: a line runs through {label}");
            }
            let on_a_border = |(x, y): (f64, f64)| {
                areas.iter().any(|(_, [left, top, right, bottom])| {
                    let within =
                        x > left - 0.2 && x < right + 0.2 && y > top - 0.2 && y < bottom + 0.2;
                    let edges = [x - left, right - x, y - top, bottom - y];
                    within && edges.iter().any(|distance| distance.abs() < 0.2)
                })
            };
            assert!(
                on_a_border(first) && on_a_border(last),
                "{name}: {first:?} {last:?}"
            );
        }
    }
}

#[test]
fn a_neighbourhood_fits_a_laptop() {
    for (before, after) in [(0, 1), (3, 14), (1, 36), (12, 12), (30, 200), (0, 5_000)] {
        let svg = neighbourhood(before, after, &["dependsOn", "a rather long reason for it"]).svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let size = |name| {
            document
                .root_element()
                .attribute(name)
                .unwrap()
                .parse::<f64>()
                .unwrap()
        };
        let (wide, high) = (size("width"), size("height"));
        assert!(
            wide <= 900.0 && high <= 860.0,
            "{before} and {after}: {wide} x {high}"
        );
    }
}

#[test]
fn what_a_side_has_no_room_for_is_counted() {
    let svg = neighbourhood(2, 100, &[]).svg();
    let labels: Vec<String> = areas(&svg).into_iter().map(|(label, _)| label).collect();
    assert_eq!(labels.len(), 1 + 2 + 36);
    assert_eq!(labels.last().unwrap(), "65 more");
    // In words they are all there.
    assert_eq!(neighbourhood(2, 100, &[]).text().lines().count(), 102);
}

#[test]
fn members_of_a_group_stay_within_its_frame() {
    let svg = platform(5, 8, true, Direction::Down).svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let frames: Vec<Area> = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("d-group"))
        .map(|rect| {
            let get = |name: &str| rect.attribute(name).unwrap().parse::<f64>().unwrap();
            let (x, y) = (get("x"), get("y"));
            [x, y, x + get("width"), y + get("height")]
        })
        .collect();
    let names = ["foundation", "data", "platform", "applications", "edge"];
    let mut counted = 0;
    for (label, area) in areas(&svg) {
        for (name, frame) in names.iter().zip(&frames) {
            let within = area[0] > frame[0]
                && area[1] > frame[1]
                && area[2] < frame[2]
                && area[3] < frame[3];
            assert_eq!(
                within,
                label.starts_with(name),
                "{label} and the frame {name}"
            );
            counted += usize::from(within);
        }
    }
    assert_eq!((counted, frames.len()), (40, 5));
}

#[test]
fn several_edges_between_two_nodes_are_one_with_all_reasons() {
    let nodes = vec![page("a"), page("b")];
    let edges = vec![
        edge(0, 1, "dependsOn"),
        edge(0, 1, "secret"),
        edge(0, 1, "dependsOn"),
    ];
    let diagram = flow("Merged", nodes, edges, Layout::Neighbourhood { centre: 1 });
    assert_eq!(diagram.text(), "a → b: dependsOn, secret\n");
    assert_eq!(lines(&diagram.svg()).len(), 1);
    assert!(
        diagram
            .mermaid()
            .contains("n0 -->|\"dependsOn, secret\"| n1")
    );
}

#[test]
fn only_safe_links_are_kept() {
    let linked = |href: &str| FlowNode {
        href: Some(href.to_owned()),
        ..node("x", NodeClass::Component)
    };
    let layout = Layout::Neighbourhood { centre: 0 };
    for good in [
        "https://example.org/a",
        "mailto:a@example.org",
        "../n8n/#purpose",
        "a/b:c",
        "#top",
    ] {
        let diagram = flow("Link", vec![linked(good)], vec![], layout);
        assert!(diagram.svg().contains("<a href="), "{good}");
        assert!(
            diagram.svg().contains("role=\"group\""),
            "an image must not contain links"
        );
        assert!(diagram.mermaid().contains("click n0 href"), "{good}");
    }
    for bad in [
        "javascript:alert(1)",
        " JavaScript:x",
        "data:text/html,x",
        "java\nscript:x",
        "",
        "x:y",
    ] {
        let diagram = flow("Link", vec![linked(bad)], vec![], layout);
        assert!(!diagram.svg().contains("<a"), "{bad}");
        assert!(diagram.svg().contains("role=\"img\""));
        assert!(!diagram.mermaid().contains("click"), "{bad}");
    }
}

#[test]
fn a_graph_that_is_too_large_says_so_and_is_still_drawn_in_time() {
    let small = platform(5, 8, false, Direction::Down);
    let DiagramBody::Flow(small) = small.body else {
        unreachable!()
    };
    assert!(small.fits());
    let nodes: Vec<FlowNode> = (0..600)
        .map(|at| page(&format!("component-{at}")))
        .collect();
    let edges = (0..5_000).map(|at| edge(at * 7 % 600, (at * 13 + at / 600) % 600, "uses"));
    let large = flow("Large", nodes, edges.collect(), DOWN);
    let DiagramBody::Flow(body) = &large.body else {
        unreachable!()
    };
    assert!(!body.fits());
    let start = std::time::Instant::now();
    let svg = large.svg();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert_eq!(areas(&svg).len(), 600);
}

#[test]
fn an_empty_diagram_is_a_picture_too() {
    for layout in [DOWN, Layout::Neighbourhood { centre: 0 }] {
        let empty = flow("", vec![], vec![edge(0, 1, "x")], layout);
        roxmltree::Document::parse(&empty.svg()).unwrap();
        assert_eq!(empty.text(), "");
    }
    let silence = Diagram {
        title: String::new(),
        body: DiagramBody::Sequence(Sequence {
            participants: vec![],
            boxes: vec![],
            steps: vec![],
        }),
    };
    roxmltree::Document::parse(&silence.svg()).unwrap();
    assert_eq!(silence.mermaid(), "sequenceDiagram\n");
}
