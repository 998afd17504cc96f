//! Nodes, subgraphs and their places.

use super::super::{Error, parse};
use super::{all_ends, flow, group_of, labels, line_of_error, message, node};
use crate::{Direction, FlowAuthor, Layout, Shape};

#[test]
fn every_bracket_has_its_shape() {
    for (brackets, shape) in [
        ("[x]", Shape::Box),
        ("(x)", Shape::Round),
        ("([x])", Shape::Stadium),
        ("[[x]]", Shape::Subroutine),
        ("[(x)]", Shape::Cylinder),
        ("((x))", Shape::Circle),
        ("(((x)))", Shape::DoubleCircle),
        (">x]", Shape::Flag),
        ("{x}", Shape::Diamond),
        ("{{x}}", Shape::Hexagon),
        ("[/x/]", Shape::LeanRight),
        ("[\\x\\]", Shape::LeanLeft),
        ("[/x\\]", Shape::Trapezoid),
        ("[\\x/]", Shape::TrapezoidFlipped),
        ("(-x-)", Shape::Round),
        ("[|borders:lt|x]", Shape::Box),
        ("[\"x\"]", Shape::Box),
        ("{\"x\"}", Shape::Diamond),
        ("@{ shape: cyl, label: \"x\" }", Shape::Cylinder),
        ("@{ shape: docs, label: x }", Shape::Note),
        ("@{\n  shape: fork\n  label: \"x\"\n}", Shape::Bar),
        ("[y]@{ shape: hex, label: 'x' }", Shape::Hexagon),
        ("[x]@{ icon: \"fa:user\", form: \"square\" }", Shape::Box),
    ] {
        let found = flow(&format!("flowchart TD\nA{brackets} --> B"));
        assert_eq!(
            (found.nodes[0].label.as_str(), found.nodes[0].shape),
            ("x", shape),
            "{brackets}"
        );
        assert_eq!(all_ends(&found), ["x>B"]);
    }
    assert_eq!(
        message("flowchart TD\nA@{ shape: nonesuch }"),
        "line 2: `nonesuch` is no shape of Mermaid"
    );
}

#[test]
fn the_first_line_gives_the_direction() {
    for (header, direction) in [
        ("flowchart", Direction::Down),
        ("flowchart TD", Direction::Down),
        ("graph TB;", Direction::Down),
        ("graph BT", Direction::Up),
        ("graph LR", Direction::Right),
        ("graph RL", Direction::Left),
        ("graph >", Direction::Right),
        ("flowchart\ndirection LR", Direction::Right),
    ] {
        let found = flow(&format!("{header}\nA"));
        assert_eq!(found.layout, Layout::Layered(direction), "{header}");
        assert_eq!(found.origin, FlowAuthor::Authored);
    }
    assert_eq!(line_of_error("flowchart UP\nA"), 1);
}

#[test]
fn semicolons_separate_statements() {
    let found = flow("graph LR;A-->B;B-->C;;\nD;classDef x fill:#f00;class A x;click A \"u;v\";E");
    assert_eq!(all_ends(&found), ["A>B", "B>C"]);
    assert_eq!(labels(&found), ["A", "B", "C", "D", "E"]);
    assert_eq!(found.nodes[0].href.as_deref(), Some("u;v"));
}

#[test]
fn ids_may_have_dots_dashes_and_letters_of_any_script() {
    let found = flow("flowchart TD\na.b-c --> größe\ndotted.1--- x_2\nA-1-->B=2\n日本-->é");
    assert_eq!(
        all_ends(&found),
        ["a.b-c>größe", "dotted.1>x_2", "A-1>B=2", "日本>é"]
    );
}

#[test]
fn chains_and_fans_make_every_edge() {
    let found = flow("flowchart TD\nA & B[b] --> C{c} -->|x| D & E:::k");
    assert_eq!(all_ends(&found), ["A>c", "b>c", "c>D", "c>E"]);
}

#[test]
fn a_label_may_come_later_and_the_last_one_counts() {
    let found = flow("flowchart TD\nA --> B\nB[first]\nB((second))\nB --> A");
    assert_eq!(
        (labels(&found), node(&found, "second").shape),
        (vec!["A", "second"], Shape::Circle)
    );
}

#[test]
fn a_node_belongs_to_the_first_subgraph_that_ends_and_mentions_it() {
    let found = flow(
        "flowchart TD\nz --> a\nsubgraph one\n a --> b\n outer\nend\nsubgraph two\n b --> c\n inner\n subgraph three\n  inner --> d\n end\nend\nroot",
    );
    for (label, group) in [
        ("z", None),
        ("root", None),
        ("a", Some("one")),
        ("b", Some("one")),
        ("outer", Some("one")),
        ("c", Some("two")),
        ("inner", Some("three")),
        ("d", Some("three")),
    ] {
        assert_eq!(group_of(&found, label), group, "{label}");
    }
    let three = found
        .groups
        .iter()
        .find(|group| group.label == "three")
        .unwrap();
    assert_eq!(found.groups[three.parent.unwrap()].label, "two");
}

#[test]
fn subgraphs_have_titles_in_every_form() {
    let found = flow(
        "flowchart TD\nsubgraph a [Title A]\nx1\nend\nsubgraph b[\"Title (B)\"]\nx2\nend\nsubgraph \"Title C\"\nx3\nend\nsubgraph Title D\nx4\nend\nsubgraph\nx5\nend\nsubgraph e\ndirection LR\nx6\nend",
    );
    let titles: Vec<_> = found
        .groups
        .iter()
        .map(|group| group.label.as_str())
        .collect();
    assert_eq!(
        titles,
        ["Title A", "Title (B)", "Title C", "Title D", "", "e"]
    );
    assert_eq!(found.groups[5].direction, Some(Direction::Right));
    assert_eq!(found.groups[0].direction, None);
    assert_eq!(line_of_error("flowchart TD\nsubgraph one (two)\nA\nend"), 2);
}

#[test]
fn edges_lead_to_subgraphs() {
    let found = flow(
        "flowchart TD\nA --> one\nsubgraph one [One]\n b\nend\nsubgraph two\n c\nend\none --> two",
    );
    assert_eq!(all_ends(&found), ["A>[One]", "[One]>[two]"]);
    assert_eq!(labels(&found), ["A", "b", "c"]);
    let nested = flow("flowchart TD\nsubgraph one\n b\nend\nsubgraph two\n one --> c\nend");
    assert_eq!(all_ends(&nested), ["[one]>c"]);
    assert_eq!(nested.groups[0].parent, Some(1));
}

#[test]
fn an_edge_from_a_subgraph_to_something_inside_it_is_an_error() {
    for source in [
        "flowchart TD\nsubgraph one\n b\nend\none --> b",
        "flowchart TD\nsubgraph one\n b\nend\nb --> one",
        "flowchart TD\nsubgraph one\nsubgraph two\nb\nend\nend\none --> two",
    ] {
        assert!(message(source).contains("something inside it"), "{source}");
    }
    assert_eq!(
        line_of_error("flowchart TD\nsubgraph one\n b\nend\none --> b"),
        5
    );
    let own = flow("flowchart TD\nsubgraph one\n b\nend\none --> one");
    assert_eq!(all_ends(&own), ["[one]>[one]"]);
}

#[test]
fn an_empty_subgraph_is_a_node() {
    let found = flow(
        "flowchart TD\nsubgraph one [One]\nend\nA --> one\nsubgraph two\n subgraph three\n end\nend",
    );
    assert_eq!(labels(&found), ["A", "One", "three"]);
    assert_eq!(all_ends(&found), ["A>One"]);
    assert_eq!(group_of(&found, "three"), Some("two"));
}

#[test]
fn a_subgraph_may_be_continued_but_not_contain_itself() {
    let found = flow("flowchart TD\nsubgraph one\n a\nend\nsubgraph one\n b\nend");
    assert_eq!(
        (found.groups.len(), group_of(&found, "b")),
        (1, Some("one"))
    );
    assert_eq!(
        line_of_error("flowchart TD\nsubgraph one\nsubgraph one\nend\nend"),
        3
    );
    let crossed = flow(
        "flowchart TD\nsubgraph a\nsubgraph b\nx\nend\nend\nsubgraph b\nsubgraph a\ny\nend\nend",
    );
    assert_eq!(crossed.groups.len(), 2);
    let own = flow("flowchart TD\nsubgraph a\n a\n x\nend");
    assert_eq!((own.groups.len(), own.groups[0].parent), (1, None));
}

#[test]
fn keywords_within_words_and_labels_are_text() {
    let found =
        flow("flowchart TD\nendpoint --> classic[the end] --> styled\nsubgraphs --> clicker");
    assert_eq!(
        all_ends(&found),
        ["endpoint>the end", "the end>styled", "subgraphs>clicker"]
    );
    assert!(message("flowchart TD\nA --> end").contains("write `End`"));
}

#[test]
fn clicks_are_links() {
    let source = "flowchart TD\nA --> B --> C --> D\nclick A \"https://a/?b=1&c=2\" \"Tip\" _blank\nclick B href \"../b/\" \"Tip\"\nclick C call f(\"x\")\nclick D callback \"Tip\"";
    let found = flow(source);
    let links: Vec<_> = found
        .nodes
        .iter()
        .map(|node| node.href.as_deref())
        .collect();
    assert_eq!(
        links,
        [Some("https://a/?b=1&c=2"), Some("../b/"), None, None]
    );
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (source, line) in [
        ("flowchart TD\n A --> B\n C -->", 3),
        ("flowchart TD\n A --> B\n subgraph x\n", 3),
        ("flowchart TD\n A[one] --> B[two (2)]\n B --> C\n", 2),
        ("flowchart TD\n A --> B\n A[\"never closed\n\n", 3),
        ("flowchart TD\n A[never closed\n\n", 2),
        ("flowchart TD\n A --> B C\n", 2),
        ("flowchart TD\n A -> B\n", 2),
        ("flowchart TD\n\n A -- text B\n", 3),
        ("flowchart TD\n A -->|text B\n", 2),
        ("flowchart TD\n A@{ shape: rect\n", 2),
        ("flowchart TD\n ]]]\n", 2),
        ("flowchart TD\n \"quoted\" --> B\n", 2),
    ] {
        assert_eq!(line_of_error(source), line, "{source}");
    }
    assert_eq!(
        message("flowchart TD\nA\n\nend"),
        "line 4: `end` without a `subgraph`"
    );
    assert_eq!(
        message("flowchart TD\n A[one (1)]"),
        "line 2: `(` in the label of `A`; put the label in quotes"
    );
}

#[test]
fn what_is_too_large_is_refused() {
    let mut nodes = String::from("flowchart TD\n");
    (0..301).for_each(|at| nodes.push_str(&format!("a{at}\n")));
    let error = parse(&nodes).unwrap_err();
    assert_eq!(
        error,
        Error::TooLarge {
            what: "nodes",
            count: 301,
            most: 300
        }
    );
    let fan = (0..40)
        .map(|at| format!("a{at}"))
        .collect::<Vec<_>>()
        .join(" & ");
    let error = parse(&format!("flowchart TD\n{fan} --> {fan}")).unwrap_err();
    assert_eq!(
        error,
        Error::TooLarge {
            what: "edges",
            count: 1_600,
            most: 1_200
        }
    );
    let deep = "flowchart TD\nsubgraph s\nA\nend\n";
    assert!(parse(deep).is_ok());
    let mut deep = String::from("flowchart TD\n");
    (0..33).for_each(|at| deep.push_str(&format!("subgraph s{at}\n")));
    let error = parse(&deep).unwrap_err();
    assert!(
        matches!(
            error,
            Error::TooLarge {
                what: "levels of groups",
                ..
            }
        ),
        "{error}"
    );
    let mut mentioned = String::from("flowchart TD\nsubgraph s0\nx\nend\n");
    (1..40).for_each(|at| mentioned.push_str(&format!("subgraph s{at}\ns{}\nend\n", at - 1)));
    let error = parse(&mentioned).unwrap_err();
    assert!(
        matches!(
            error,
            Error::TooLarge {
                what: "levels of groups",
                ..
            }
        ),
        "{error}"
    );
}
