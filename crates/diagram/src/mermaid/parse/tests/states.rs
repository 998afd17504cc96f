//! State diagrams.

use super::{all_ends, flow, group_of, labels, line_of_error, message, node};
use crate::{Direction, Layout, Line, Shape, Tint, Tip};

#[test]
fn transitions_have_labels_starts_and_ends() {
    let found = flow(
        "stateDiagram-v2\n[*] --> Idle\nIdle --> Busy : work: hard\nBusy-->[*]\nmy-state --> Idle:x",
    );
    assert_eq!(labels(&found), ["", "Idle", "Busy", "", "my-state"]);
    assert_eq!(
        (
            found.nodes[0].shape,
            found.nodes[1].shape,
            found.nodes[3].shape
        ),
        (Shape::Start, Shape::Round, Shape::End)
    );
    assert_eq!(
        all_ends(&found),
        [">Idle", "Idle>Busy", "Busy>", "my-state>Idle"]
    );
    let texts: Vec<_> = found
        .edges
        .iter()
        .map(|edge| edge.label.as_deref())
        .collect();
    assert_eq!(texts, [None, Some("work: hard"), None, Some("x")]);
}

#[test]
fn descriptions_replace_the_id() {
    let found = flow(
        "stateDiagram\ns1\nstate \"Long text\" as s2\ns3 : First\ns3 : Second\nstate s4 : Text\nstate \"A\" as s5 : B",
    );
    assert_eq!(
        labels(&found),
        ["s1", "Long text", "First\nSecond", "Text", "A\nB"]
    );
}

#[test]
fn composites_are_groups_with_starts_of_their_own() {
    let found = flow(
        "stateDiagram-v2\n[*] --> One\nstate One {\n [*] --> a\n a --> [*]\n state \"Inner text\" as Two {\n  direction LR\n  b --> c\n }\n}\nOne --> Three\nstate Three { d --> e }",
    );
    let groups: Vec<_> = found
        .groups
        .iter()
        .map(|group| (group.label.as_str(), group.parent))
        .collect();
    assert_eq!(
        groups,
        [("One", None), ("Inner text", Some(0)), ("Three", None)]
    );
    assert_eq!(found.groups[1].direction, Some(Direction::Right));
    assert_eq!(group_of(&found, "a"), Some("One"));
    assert_eq!(group_of(&found, "b"), Some("Inner text"));
    assert_eq!(group_of(&found, "e"), Some("Three"));
    assert_eq!(
        all_ends(&found),
        [">[One]", ">a", "a>", "b>c", "[One]>[Three]", "d>e"]
    );
    assert_eq!(
        found
            .nodes
            .iter()
            .filter(|node| node.shape == Shape::Start)
            .count(),
        2
    );
}

#[test]
fn the_last_composite_that_mentions_a_state_has_it() {
    let found = flow("stateDiagram-v2\nstate A {\n x --> y\n}\nstate B {\n y --> z\n}\ny --> x");
    assert_eq!(
        (group_of(&found, "x"), group_of(&found, "y")),
        (Some("A"), Some("B"))
    );
}

#[test]
fn concurrent_regions_are_groups_without_labels() {
    let found =
        flow("stateDiagram-v2\nstate Active {\n [*] --> a\n a --> b\n --\n [*] --> c\n --\n d\n}");
    let groups: Vec<_> = found
        .groups
        .iter()
        .map(|group| (group.label.as_str(), group.parent))
        .collect();
    assert_eq!(
        groups,
        [
            ("Active", None),
            ("", Some(0)),
            ("", Some(0)),
            ("", Some(0))
        ]
    );
    let region = |label: &str| node(&found, label).group;
    assert_eq!(
        (region("a"), region("b"), region("c"), region("d")),
        (Some(1), Some(1), Some(2), Some(3))
    );
    assert_eq!(
        found
            .nodes
            .iter()
            .filter(|node| node.shape == Shape::Start)
            .count(),
        2
    );
    let trailing = flow("stateDiagram-v2\nstate Active {\n a\n --\n}");
    assert_eq!(trailing.groups.len(), 2);
    assert_eq!(line_of_error("stateDiagram-v2\na\n--\nb"), 3);
}

#[test]
fn stereotypes_are_shapes() {
    let found = flow(
        "stateDiagram-v2\nstate f <<fork>>\nstate j [[join]]\nstate c <<choice>>\nstate h <<history>>\nf --> j",
    );
    let shapes: Vec<_> = found
        .nodes
        .iter()
        .map(|node| (node.shape, node.label.as_str()))
        .collect();
    assert_eq!(
        shapes,
        [
            (Shape::Bar, ""),
            (Shape::Bar, ""),
            (Shape::Diamond, ""),
            (Shape::Circle, "H")
        ]
    );
}

#[test]
fn notes_hang_on_their_state() {
    let found = flow(
        "stateDiagram-v2\na --> b\nnote right of a : one line\nnote left of b\n two\n lines --> x\nend note\nnote \"floating\" as N\nc",
    );
    assert_eq!(
        labels(&found),
        ["a", "b", "one line", "two\nlines --> x", "floating", "c"]
    );
    assert_eq!(
        all_ends(&found),
        ["a>b", "a>one line", "two\nlines --> x>b"]
    );
    assert_eq!(
        (found.edges[1].line, found.edges[1].tips),
        (Line::Dashed, [Tip::None, Tip::None])
    );
    assert_eq!(node(&found, "one line").shape, Shape::Note);
    assert_eq!(
        line_of_error("stateDiagram-v2\na\nnote right of a\nnever closed"),
        3
    );
}

#[test]
fn states_have_styles_links_and_a_direction() {
    let found = flow(
        "stateDiagram-v2\ndirection LR\nclassDef bad fill:#f00,color:white\na:::bad --> b\n[*] --> c:::bad\nclass b bad\nstyle d fill:#00f\nd\nclick a href \"https://a\"\nhide empty description\nscale 350 width\n# comment\nb --> a %% comment",
    );
    assert_eq!(found.layout, Layout::Layered(Direction::Right));
    for label in ["a", "b", "c"] {
        assert_eq!(
            node(&found, label).style.tint.map(Tint::index),
            Some(8),
            "{label}"
        );
    }
    assert_eq!(node(&found, "d").style.tint.map(Tint::index), Some(0));
    assert_eq!(node(&found, "a").href.as_deref(), Some("https://a"));
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (source, text) in [
        ("a --> b\n}", "line 3: `}` without a composite state"),
        ("state A {\nb", "line 2: this composite state has no `}`"),
        ("a -->", "line 2: expected a state, found ``"),
        ("a b", "line 2: unexpected `b`"),
        (
            "state A {\nstate A {\n}\n}",
            "line 3: this composite state is inside itself",
        ),
        (
            "direction UP",
            "line 2: `UP` is no direction; write `TB`, `BT`, `LR` or `RL`",
        ),
    ] {
        assert_eq!(message(&format!("stateDiagram-v2\n{source}")), text);
    }
    assert_eq!(
        line_of_error("stateDiagram-v2\nstate A {\nb\n}\nA --> b"),
        5
    );
}
