//! Random and hostile diagrams: every value becomes a well-formed picture and readable Mermaid.

use catalog_diagram::{
    Diagram, DiagramBody, Direction, Flow, FlowAuthor, FlowEdge, FlowNode, FrameKind, Group,
    Layout, Line, Message, NodeClass, Note, Outline, Participant, ParticipantRole, Port, Sequence,
    SequenceStep, Shape, Side, Style, Tint, Tip, parse,
};
use proptest::prelude::*;

use super::sample::DOWN;

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
        NodeClass::Component,
        NodeClass::Current,
        NodeClass::Store,
        NodeClass::More,
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
        FlowNode {
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
            ..FlowNode::new(label, class)
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
    let an_edge = an_edge.prop_map(|(from, to, label, line, tip, end)| FlowEdge {
        label,
        line,
        tips: [tip, Tip::Arrow],
        ends: [end, None],
        ..FlowEdge::new(from, to)
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
        prop::sample::select(vec![FlowAuthor::Generated, FlowAuthor::Authored]),
    );
    let a_flow = a_flow.prop_map(|(nodes, groups, edges, layout, origin)| {
        DiagramBody::Flow(Flow {
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
        prop::sample::select(vec![ParticipantRole::System, ParticipantRole::Actor]),
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
        DiagramBody::Sequence(Sequence {
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
            (DiagramBody::Flow(wrote), DiagramBody::Flow(read)) => {
                // A group without members is read as a node.
                let wrote_all = wrote.nodes.len() + wrote.groups.len();
                prop_assert!(read.nodes.len() >= wrote.nodes.len());
                prop_assert!(read.nodes.len() + read.groups.len() <= wrote_all);
            }
            (DiagramBody::Sequence(wrote), DiagramBody::Sequence(read)) => {
                prop_assert_eq!(wrote.participants.len(), read.participants.len());
            }
            _ => prop_assert!(false, "another kind of diagram"),
        }
    }
}
