//! `style`, `classDef` and the colours of the theme.

use super::super::colour::hue;
use super::flow;
use crate::{NodeClass, Outline, Tint};

fn tint(colour: &str) -> Option<u8> {
    hue(colour).and_then(|hue| hue.tint()).map(Tint::index)
}

#[test]
fn colours_become_the_nearest_hue() {
    for (colour, index) in [
        ("#00f", 0),
        ("#1e3a8a", 0),
        ("orange", 1),
        ("#2ecc71", 2),
        ("hotpink", 3),
        ("rebeccapurple", 4),
        ("teal", 5),
        ("#ffff00", 6),
        ("gold", 6),
        ("red", 8),
        ("rgb(255, 0, 0)", 8),
        ("rgba(255,0,0,.5)", 8),
        ("rgb(100% 0% 0% / 50%)", 8),
        ("hsl(80, 60%, 50%)", 9),
        ("hsla(205deg 80% 40% / 1)", 10),
        ("#F0F", 11),
        ("#ff0000ff", 8),
        ("LightSkyBlue", 10),
        ("#eef9f0", 2),
    ] {
        assert_eq!(tint(colour), Some(index), "{colour}");
    }
}

#[test]
fn greys_and_what_is_no_colour_give_none() {
    for grey in [
        "white",
        "#fff",
        "black",
        "#333",
        "grey",
        "#f8f9fa",
        "#6c757d",
        "none",
        "transparent",
        "rgb(9,9,9)",
    ] {
        assert!(hue(grey).is_some() && tint(grey).is_none(), "{grey}");
    }
    for wrong in [
        "",
        "#",
        "#12",
        "#ggg",
        "nonesuch",
        "rgb(",
        "rgb()",
        "rgb(1,2)",
        "hsl(a,b,c)",
        "#éé",
        "rgb(NaN,1,1)",
        "url(x)",
    ] {
        assert_eq!(hue(wrong), None, "{wrong}");
    }
}

#[test]
fn classes_and_styles_colour_nodes() {
    let found = flow(
        "flowchart TD\nA:::hot --> B --> C --> D --> E\nclassDef hot,warm fill:#f00,stroke:#333,stroke-width:4px;\nclassDef dash stroke:#00f,stroke-dasharray: 5 5\nclassDef white fill:#fff,stroke:#0a0\nclass B,C dash;\nclass D white\nstyle C fill:rgb(0, 200, 0),color:#fff\n",
    );
    let styles: Vec<_> = found
        .nodes
        .iter()
        .map(|node| (node.style.tint.map(Tint::index), node.style.outline))
        .collect();
    assert_eq!(
        styles,
        [
            (Some(8), Outline::Thick),
            (Some(0), Outline::Dashed),
            (Some(2), Outline::Dashed),
            (Some(2), Outline::Plain),
            (None, Outline::Plain),
        ]
    );
}

#[test]
fn the_default_class_is_for_all_nodes() {
    let found =
        flow("flowchart TD\nclassDef default fill:#f00\nclassDef cold fill:#00f\nA:::cold --> B");
    let tints: Vec<_> = found
        .nodes
        .iter()
        .map(|node| node.style.tint.map(Tint::index))
        .collect();
    assert_eq!(tints, [Some(0), Some(8)]);
}

#[test]
fn declarations_may_be_separated_by_semicolons() {
    let found = flow(
        "flowchart TD\nA --> B\nstyle A fill:#f00;stroke-width:4px;\nclassDef x fill:#00f; class B x;",
    );
    assert_eq!(found.nodes.len(), 2);
    assert_eq!(found.nodes[0].style.outline, Outline::Thick);
    assert_eq!(found.nodes[1].style.tint.map(Tint::index), Some(0));
}

#[test]
fn our_own_classes_count_where_they_have_no_colours() {
    let found = flow(
        "flowchart TD\nA:::store --> B:::secret --> C:::external --> D:::other\nclassDef store stroke-width:2px\nclassDef secret fill:#f00",
    );
    let classes: Vec<_> = found.nodes.iter().map(|node| node.class).collect();
    assert_eq!(
        classes,
        [
            NodeClass::Store,
            NodeClass::Component,
            NodeClass::External,
            NodeClass::Component
        ]
    );
}

#[test]
fn subgraphs_are_styled_too() {
    let found = flow(
        "flowchart TD\nsubgraph one\nA\nend\nsubgraph two\nB\nend\nstyle one fill:#f00,stroke-dasharray: 3\nclassDef x fill:#00f\nclass two x",
    );
    assert_eq!(found.groups[0].style.tint.map(Tint::index), Some(8));
    assert_eq!(found.groups[0].style.outline, Outline::Dashed);
    assert_eq!(found.groups[1].style.tint.map(Tint::index), Some(0));
    assert_eq!(found.nodes.len(), 2);
}

#[test]
fn a_style_makes_the_node_it_names() {
    let found = flow("flowchart TD\nA\nstyle X fill:#f00\nclass Y hot");
    assert_eq!(found.nodes.len(), 2);
}
