//! Class diagrams.

use super::{all_ends, flow, group_of, labels, line_of_error, node};
use crate::{Direction, Layout, Line, Shape, Tint, Tip};

#[test]
fn every_relation_has_its_line_and_tips() {
    use Line::{Dashed, Solid};
    use Tip::{Diamond, HollowDiamond, None, Open, Triangle};
    for (relation, line, tips) in [
        ("<|--", Solid, [Triangle, None]),
        ("--|>", Solid, [None, Triangle]),
        ("*--", Solid, [Diamond, None]),
        ("--*", Solid, [None, Diamond]),
        ("o--", Solid, [HollowDiamond, None]),
        ("--o", Solid, [None, HollowDiamond]),
        ("-->", Solid, [None, Open]),
        ("<--", Solid, [Open, None]),
        ("--", Solid, [None, None]),
        ("..>", Dashed, [None, Open]),
        ("<..", Dashed, [Open, None]),
        ("..|>", Dashed, [None, Triangle]),
        ("<|..", Dashed, [Triangle, None]),
        ("..", Dashed, [None, None]),
        ("<|--|>", Solid, [Triangle, Triangle]),
        ("<-->", Solid, [Open, Open]),
        ("*--o", Solid, [Diamond, HollowDiamond]),
    ] {
        let found = flow(&format!("classDiagram\nA {relation} B : text"));
        let edge = &found.edges[0];
        assert_eq!(
            (edge.line, edge.tips, edge.label.as_deref()),
            (line, tips, Some("text")),
            "{relation}"
        );
        assert_eq!(all_ends(&found), ["A>B"], "{relation}");
    }
}

#[test]
fn relations_have_cardinalities() {
    let found = flow("classDiagram\nA \"1\" *-- \"0..*\" B : owns\nC --> \"many\" D\nE \"x\"-->F");
    let counts: Vec<_> = found
        .edges
        .iter()
        .map(|edge| (edge.ends[0].as_deref(), edge.ends[1].as_deref()))
        .collect();
    assert_eq!(
        counts,
        [
            (Some("1"), Some("0..*")),
            (None, Some("many")),
            (Some("x"), None)
        ]
    );
    assert_eq!(all_ends(&found), ["A>B", "C>D", "E>F"]);
}

#[test]
fn members_are_attributes_or_methods() {
    let found = flow(
        "classDiagram\nclass Duck{\n <<interface>>\n +String beak\n -int legs$\n\n +swim()\n #quack(int times) bool\n ~fly(List~int~ where)* : void\n +List~List~int~~ deep\n}\nDuck : +later()\nDuck : ~int inner\nclass Empty { }\nclass One { +int x }",
    );
    let duck = node(&found, "Duck");
    assert_eq!(duck.detail.as_deref(), Some("«interface»"));
    assert_eq!(
        duck.compartments[0],
        [
            "+String beak",
            "-int legs",
            "+List<List<int>> deep",
            "~int inner"
        ]
    );
    assert_eq!(
        duck.compartments[1],
        [
            "+swim()",
            "#quack(int times) : bool",
            "~fly(List<int> where) : void",
            "+later()"
        ]
    );
    assert!(node(&found, "Empty").compartments.is_empty());
    assert_eq!(node(&found, "One").compartments, [vec!["+int x"], vec![]]);
}

#[test]
fn names_may_be_generic_labelled_or_quoted() {
    let found = flow(
        "classDiagram\nclass Square~Shape~ {\n int id\n}\nSquare --> A\nclass A[\"A label (x)\"]\nclass `Some name!`\n`Some name!` --> Map~K, V~ : x\nmy-class --> a.b.C\n<<service>> A\nclass Anno <<abstract>> {\n int x\n}",
    );
    assert_eq!(
        labels(&found),
        [
            "Square<Shape>",
            "A label (x)",
            "Some name!",
            "Map<K, V>",
            "my-class",
            "a.b.C",
            "Anno"
        ]
    );
    assert_eq!(
        all_ends(&found),
        [
            "Square<Shape>>A label (x)",
            "Some name!>Map<K, V>",
            "my-class>a.b.C"
        ]
    );
    assert_eq!(
        node(&found, "A label (x)").detail.as_deref(),
        Some("«service»")
    );
    assert_eq!(node(&found, "Anno").detail.as_deref(), Some("«abstract»"));
}

#[test]
fn namespaces_are_groups() {
    let found = flow(
        "classDiagram\nnamespace Outer {\n class A\n class B { int x }\n namespace Inner {\n  class C\n }\n}\nnamespace A {\n class D\n}\nA --> C",
    );
    let groups: Vec<_> = found
        .groups
        .iter()
        .map(|group| (group.label.as_str(), group.parent))
        .collect();
    assert_eq!(groups, [("Outer", None), ("Inner", Some(0)), ("A", None)]);
    assert_eq!(
        (
            group_of(&found, "B"),
            group_of(&found, "C"),
            group_of(&found, "D")
        ),
        (Some("Outer"), Some("Inner"), Some("A"))
    );
    assert_eq!(all_ends(&found), ["A>C"]);
}

#[test]
fn lollipops_and_notes_are_nodes() {
    let found = flow(
        "classDiagram\nbar ()-- foo\nfoo --() baz\nnote \"alone<br>here\"\nnote for foo \"two\nlines\"\n",
    );
    assert_eq!(
        labels(&found),
        ["bar", "foo", "baz", "alone\nhere", "two\nlines"]
    );
    assert_eq!(
        (node(&found, "bar").shape, node(&found, "baz").shape),
        (Shape::Circle, Shape::Circle)
    );
    assert_eq!(node(&found, "alone\nhere").shape, Shape::Note);
    assert_eq!(all_ends(&found), ["bar>foo", "foo>baz", "foo>two\nlines"]);
    assert_eq!(
        (found.edges[2].line, found.edges[2].tips),
        (Line::Dashed, [Tip::None, Tip::None])
    );
}

#[test]
fn classes_have_styles_links_and_a_direction() {
    let found = flow(
        "classDiagram\ndirection RL\nclass A:::hot\nclass B\nclass C:::hot {\n int x\n}\ncssClass \"B,D\" hot\nclass D\nD:::hot\nstyle E fill:#00f,stroke-width:4px\nclass E\nclassDef hot fill:#f00\nlink A \"https://a\" \"Tip\"\nclick B href \"https://b\" _blank\nclick C call f()\ncallback D \"f\"",
    );
    assert_eq!(found.layout, Layout::Layered(Direction::Left));
    for label in ["A", "B", "C", "D"] {
        assert_eq!(
            node(&found, label).style.tint.map(Tint::index),
            Some(8),
            "{label}"
        );
    }
    assert_eq!(node(&found, "E").style.tint.map(Tint::index), Some(0));
    let links: Vec<_> = found
        .nodes
        .iter()
        .take(3)
        .map(|node| node.href.as_deref())
        .collect();
    assert_eq!(links, [Some("https://a"), Some("https://b"), None]);
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (source, line) in [
        ("class A {\n", 2),
        ("namespace N {\nclass A\n", 2),
        ("A --> B\n}", 3),
        ("A -->", 2),
        ("A B C", 2),
        ("class", 2),
        ("<<open A", 2),
        ("note text", 2),
        ("A \"1\" B", 2),
    ] {
        let source = format!("classDiagram\n{source}");
        if source.ends_with("class") {
            // A class can have the name of a keyword.
            assert_eq!(labels(&flow(&source)), ["class"]);
            continue;
        }
        assert_eq!(line_of_error(&source), line, "{source}");
    }
}
