//! Diagrams through the public door: pictures against golden files, and hostile values.

mod sample;

use std::fs;
use std::path::Path;

use diagram::{
    Body, Class, Diagram, Direction, Edge, Flow, FrameKind, Group, Layout, Line, Message, Node,
    Note, Origin, Outline, Participant, Port, Role, Sequence, SequenceStep, Shape, Side, Style,
    Tint, Tip, parse,
};
use proptest::prelude::*;

use sample::*;

#[test]
fn pictures_are_as_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/diagram");
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
        let Body::Flow(_) = &diagram.body else {
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
    let linked = |href: &str| Node {
        href: Some(href.to_owned()),
        ..node("x", Class::Component)
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
    let Body::Flow(small) = small.body else {
        unreachable!()
    };
    assert!(small.fits());
    let nodes: Vec<Node> = (0..600)
        .map(|at| page(&format!("component-{at}")))
        .collect();
    let edges = (0..5_000).map(|at| edge(at * 7 % 600, (at * 13 + at / 600) % 600, "uses"));
    let large = flow("Large", nodes, edges.collect(), DOWN);
    let Body::Flow(body) = &large.body else {
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
        body: Body::Sequence(Sequence {
            participants: vec![],
            boxes: vec![],
            steps: vec![],
        }),
    };
    roxmltree::Document::parse(&silence.svg()).unwrap();
    assert_eq!(silence.mermaid(), "sequenceDiagram\n");
}

/// What people and attackers put into names.
fn label() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "<script>alert(1)</script>",
        "\"]; click n0 href \"javascript:x\"",
        "end",
        "a\nend\nb",
        "]]>&amp;&#x0;",
        "`**md**`",
        "%%{init: {}}%%",
        "#quot;",
        "style x:#1;",
        "\u{0}\u{1b}[31m\u{202e}\u{ffff}",
        "証明書管理システム",
        "👩‍🚀 e\u{301}",
        "",
    ]);
    prop_oneof![
        3 => any::<String>(),
        2 => nasty.prop_map(str::to_owned),
        1 => "[a-z-]{1,60}",
    ]
}

fn any_shape() -> impl Strategy<Value = Shape> {
    prop::sample::select(vec![
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
    ])
}

fn any_tip() -> impl Strategy<Value = Tip> {
    prop::sample::select(vec![
        Tip::None,
        Tip::Arrow,
        Tip::Open,
        Tip::Circle,
        Tip::Cross,
        Tip::Triangle,
        Tip::Diamond,
        Tip::HollowDiamond,
        Tip::One,
        Tip::ZeroOrOne,
        Tip::OneOrMore,
        Tip::ZeroOrMore,
    ])
}

/// A step of a sequence, which may name participants that do not exist and frames that are not open.
fn any_step() -> impl Strategy<Value = SequenceStep> {
    let index = || prop_oneof![9 => 0..6usize, 1 => Just(usize::MAX)];
    let line = prop::sample::select(vec![Line::Solid, Line::Dashed]);
    let said = (index(), index(), label(), line, any_tip());
    let said = said.prop_map(|(from, to, text, line, tip)| {
        SequenceStep::Message(Message {
            line,
            tips: [Tip::None, tip],
            ..Message::new(from, to, text)
        })
    });
    let kind = prop::sample::select(vec![
        FrameKind::Loop,
        FrameKind::Alt,
        FrameKind::Par,
        FrameKind::Rect(None),
    ]);
    let side = prop_oneof![
        index().prop_map(Side::LeftOf),
        index().prop_map(Side::RightOf),
        (index(), index()).prop_map(|(first, last)| Side::Over(first, last)),
    ];
    prop_oneof![
        6 => said,
        1 => (side, label()).prop_map(|(side, text)| SequenceStep::Note(Note { side, text })),
        1 => (kind, label()).prop_map(|(kind, text)| SequenceStep::Open { kind, text }),
        1 => label().prop_map(|text| SequenceStep::Next { text }),
        1 => Just(SequenceStep::Close),
        1 => index().prop_map(SequenceStep::Activate),
        1 => index().prop_map(SequenceStep::Deactivate),
        1 => index().prop_map(SequenceStep::Destroy),
    ]
}

fn any_diagram() -> impl Strategy<Value = Diagram> {
    let class = prop::sample::select(vec![
        Class::Component,
        Class::Current,
        Class::Store,
        Class::More,
    ]);
    let a_node = (
        label(),
        prop::option::of(label()),
        prop::option::of(label()),
        class,
        prop::option::of(0..4usize),
    );
    let look = (
        any_shape(),
        prop::option::of(0..12u8),
        prop::collection::vec(label(), 0..3),
    );
    let a_node = (a_node, look).prop_map(|((label, detail, href, class, group), look)| {
        let (shape, tint, members) = look;
        Node {
            detail,
            href,
            group,
            shape,
            style: Style {
                tint: tint.and_then(Tint::new),
                outline: Outline::Dashed,
            },
            compartments: if members.is_empty() {
                vec![]
            } else {
                vec![members]
            },
            ..Node::new(label, class)
        }
    });
    let line = prop::sample::select(vec![Line::Solid, Line::Dashed, Line::Bold, Line::Hidden]);
    let index = || prop_oneof![9 => 0..12usize, 1 => Just(usize::MAX)];
    let port =
        || prop_oneof![5 => index().prop_map(Port::Node), 1 => (0..4usize).prop_map(Port::Group)];
    let an_edge = (
        port(),
        port(),
        prop::option::of(label()),
        line,
        any_tip(),
        prop::option::of(label()),
    );
    let an_edge = an_edge.prop_map(|(from, to, label, line, tip, end)| Edge {
        label,
        line,
        tips: [tip, Tip::Arrow],
        ends: [end, None],
        ..Edge::new(from, to)
    });
    let layout = prop_oneof![
        index().prop_map(|centre| Layout::Neighbourhood { centre }),
        Just(DOWN),
        Just(Layout::Layered(Direction::Right)),
        Just(Layout::Layered(Direction::Up)),
        Just(Layout::Layered(Direction::Left)),
    ];
    let a_group = (label(), prop::option::of(0..4usize)).prop_map(|(label, parent)| Group {
        parent,
        direction: Some(Direction::Left),
        ..Group::new(label)
    });
    let a_flow = (
        prop::collection::vec(a_node, 0..12),
        prop::collection::vec(a_group, 0..3),
        prop::collection::vec(an_edge, 0..30),
        layout,
        prop::sample::select(vec![Origin::Generated, Origin::Authored]),
    );
    let a_flow = a_flow.prop_map(|(nodes, groups, edges, layout, origin)| {
        Body::Flow(Flow {
            nodes,
            groups,
            edges,
            layout,
            origin,
        })
    });
    let who = (
        label(),
        prop::option::of(label()),
        prop::sample::select(vec![Role::System, Role::Actor]),
    );
    let who = who.prop_map(|(label, href, role)| Participant {
        href,
        role,
        ..Participant::new(label)
    });
    let a_sequence = (
        prop::collection::vec(who, 0..6),
        prop::collection::vec(any_step(), 0..20),
    );
    let a_sequence = a_sequence.prop_map(|(participants, steps)| {
        Body::Sequence(Sequence {
            participants,
            boxes: vec![],
            steps,
        })
    });
    (label(), prop_oneof![2 => a_flow, 1 => a_sequence])
        .prop_map(|(title, body)| Diagram { title, body })
}

proptest! {
    #[test]
    fn any_value_becomes_a_well_formed_picture_without_script_or_style(diagram in any_diagram()) {
        let svg = diagram.svg();
        prop_assert_eq!(&svg, &diagram.svg());
        let document = roxmltree::Document::parse(&svg).unwrap();
        for node in document.descendants().filter(|node| node.is_element()) {
            let known = [
                "svg", "title", "desc", "defs", "marker", "path", "g", "a", "rect", "text", "circle",
                "ellipse",
            ];
            prop_assert!(known.contains(&node.tag_name().name()), "{}", node.tag_name().name());
            for attribute in node.attributes() {
                let name = attribute.name();
                prop_assert!(name != "style" && !name.starts_with("on"), "{name}");
                prop_assert!(!attribute.value().contains("NaN"));
            }
        }
        for line in diagram.mermaid().lines().skip(1) {
            // Every line starts with a word of ours, so no label began one.
            let word = line.trim_start();
            let ours = [
                "n", "g", "p", "subgraph g", "end", "click n", "classDef ", "class n", "link p",
                "actor p", "note ", "loop ", "alt ", "par ", "rect ", "else ", "and ", "activate p",
                "deactivate p",
            ];
            prop_assert!(ours.iter().any(|start| word.starts_with(start)), "{line}");
            prop_assert!(word == "end" || word.matches('"').count() % 2 == 0, "{line}");
        }
        let _ = diagram.text();
    }

    #[test]
    fn generated_source_is_read_back_as_the_same_graph(diagram in any_diagram()) {
        let read = parse(&diagram.mermaid()).unwrap().diagram;
        match (&diagram.body, &read.body) {
            (Body::Flow(wrote), Body::Flow(read)) => {
                // A group without members is read as a node.
                let wrote_all = wrote.nodes.len() + wrote.groups.len();
                prop_assert!(read.nodes.len() >= wrote.nodes.len());
                prop_assert!(read.nodes.len() + read.groups.len() <= wrote_all);
            }
            (Body::Sequence(wrote), Body::Sequence(read)) => {
                prop_assert_eq!(wrote.participants.len(), read.participants.len());
            }
            _ => prop_assert!(false, "another kind of diagram"),
        }
    }
}
