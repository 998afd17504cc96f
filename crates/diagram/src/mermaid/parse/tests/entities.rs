//! Entity relationship diagrams.

use super::{all_ends, flow, labels, line_of_error, node};
use crate::{Direction, Layout, Line, Tint, Tip};

#[test]
fn every_cardinality_has_its_foot() {
    use Line::{Dashed, Solid};
    use Tip::{One, OneOrMore, ZeroOrMore, ZeroOrOne};
    for (relation, line, tips) in [
        ("||--o{", Solid, [One, ZeroOrMore]),
        ("}|..|{", Dashed, [OneOrMore, OneOrMore]),
        ("|o--o|", Solid, [ZeroOrOne, ZeroOrOne]),
        ("}o.-||", Dashed, [ZeroOrMore, One]),
        ("}o-.||", Dashed, [ZeroOrMore, One]),
        (
            " one or more to zero or one ",
            Solid,
            [OneOrMore, ZeroOrOne],
        ),
        (" only one optionally to many ", Dashed, [One, ZeroOrMore]),
        (" one to many(1) ", Solid, [One, OneOrMore]),
        (" 1+ to 0+ ", Solid, [OneOrMore, ZeroOrMore]),
        (" 1--1 ", Solid, [One, One]),
        (
            " zero or many to one or many ",
            Solid,
            [ZeroOrMore, OneOrMore],
        ),
    ] {
        let found = flow(&format!("erDiagram\nA{relation}B : has"));
        let edge = &found.edges[0];
        assert_eq!(
            (edge.line, edge.tips, edge.label.as_deref()),
            (line, tips, Some("has")),
            "{relation}"
        );
        assert_eq!(all_ends(&found), ["A>B"], "{relation}");
    }
}

#[test]
fn entities_have_attributes() {
    let found = flow(
        "erDiagram\nCUSTOMER {\n string name PK, FK \"the full name\"\n int[] numbers UK\n varchar(255) text\n decimal(10, 2) price\n List~int~ list\n *string odd\n alone\n}\nLINE-ITEM { string a int b }\nEMPTY {\n}\nCUSTOMER {\n date later\n}",
    );
    assert_eq!(
        node(&found, "CUSTOMER").compartments,
        [[
            "string name PK, FK (the full name)",
            "int[] numbers UK",
            "varchar(255) text",
            "decimal(10, 2) price",
            "List<int> list",
            "*string odd",
            "alone",
            "date later",
        ]]
    );
    assert_eq!(
        node(&found, "LINE-ITEM").compartments,
        [["string a", "int b"]]
    );
    assert!(node(&found, "EMPTY").compartments.is_empty());
}

#[test]
fn names_may_be_quoted_aliased_and_unicode() {
    let found = flow(
        "erDiagram\n\"Order item\" ||--|| größe : \"belongs to\"\np[Person] {\n int id\n}\na[\"Delivery address\"]\np ||--o{ a : \"\"\ndb.table",
    );
    assert_eq!(
        labels(&found),
        [
            "Order item",
            "größe",
            "Person",
            "Delivery address",
            "db.table"
        ]
    );
    assert_eq!(found.edges[0].label.as_deref(), Some("belongs to"));
    assert_eq!(found.edges[1].label, None);
}

#[test]
fn entities_have_classes_styles_and_a_direction() {
    let found = flow(
        "erDiagram\ndirection LR\nA:::hot ||--o{ B:::hot : x\nC:::hot {\n int id\n}\nclass D,E hot\nD\nE\nstyle F fill:#00f,stroke:#333\nF\nclassDef hot fill:#f00",
    );
    assert_eq!(found.layout, Layout::Layered(Direction::Right));
    for label in ["A", "B", "C", "D", "E"] {
        assert_eq!(
            node(&found, label).style.tint.map(Tint::index),
            Some(8),
            "{label}"
        );
    }
    assert_eq!(node(&found, "F").style.tint.map(Tint::index), Some(0));
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (source, line) in [
        ("A ||--o{ B : x\n]]]\n", 3),
        ("A {\n string a\n", 2),
        ("A || B : x", 2),
        ("A ||-- B : x", 2),
        ("A ||--o{", 2),
        ("A {\n string a \"open\n}", 3),
        ("A[open", 2),
        ("\"open", 2),
    ] {
        assert_eq!(
            line_of_error(&format!("erDiagram\n{source}")),
            line,
            "{source}"
        );
    }
}
