//! The arrows of flowcharts.

use super::{all_ends, flow, message};
use crate::{Line, Tip};

#[test]
fn every_arrow_has_its_line_and_tips() {
    use Line::{Bold, Dashed, Hidden, Solid};
    use Tip::{Arrow, Circle, Cross, None};
    for (arrow, line, tips) in [
        ("-->", Solid, [None, Arrow]),
        ("---->", Solid, [None, Arrow]),
        ("---", Solid, [None, None]),
        ("------", Solid, [None, None]),
        ("-.->", Dashed, [None, Arrow]),
        ("-...->", Dashed, [None, Arrow]),
        ("-.-", Dashed, [None, None]),
        ("==>", Bold, [None, Arrow]),
        ("====>", Bold, [None, Arrow]),
        ("===", Bold, [None, None]),
        ("~~~", Hidden, [None, None]),
        ("~~~~~", Hidden, [None, None]),
        ("--o", Solid, [None, Circle]),
        ("--x", Solid, [None, Cross]),
        ("-.-x", Dashed, [None, Cross]),
        ("==o", Bold, [None, Circle]),
        ("<-->", Solid, [Arrow, Arrow]),
        ("<-.->", Dashed, [Arrow, Arrow]),
        ("<==>", Bold, [Arrow, Arrow]),
        ("o--o", Solid, [Circle, Circle]),
        ("x--x", Solid, [Cross, Cross]),
        ("x-.-x", Dashed, [Cross, Cross]),
    ] {
        let found = flow(&format!("flowchart TD\nA {arrow} B"));
        let edge = &found.edges[0];
        assert_eq!((edge.line, edge.tips), (line, tips), "{arrow}");
        assert_eq!(all_ends(&found), ["A>B"], "{arrow}");
    }
}

#[test]
fn labels_stand_in_the_arrow_or_after_it() {
    for (link, line, label) in [
        ("-- text -->", Line::Solid, "text"),
        ("--text---", Line::Solid, "text"),
        ("-- a-b c -->", Line::Solid, "a-b c"),
        ("-- \"quoted -- text\" -->", Line::Solid, "quoted -- text"),
        ("== text ==>", Line::Bold, "text"),
        ("== a=b ===", Line::Bold, "a=b"),
        ("-. v1.2 .->", Line::Dashed, "v1.2"),
        ("-. text .-", Line::Dashed, "text"),
        ("-. text -.->", Line::Dashed, "text"),
        ("-->|text|", Line::Solid, "text"),
        ("--> |text|", Line::Solid, "text"),
        ("-->|\"a | (b)\"|", Line::Solid, "a | (b)"),
        ("-.->|\"`**md**`\"|", Line::Dashed, "md"),
        ("==>|one<br/>two|", Line::Bold, "one\ntwo"),
        ("<-- both -->", Line::Solid, "both"),
        ("e1@-- text -->", Line::Solid, "text"),
        ("e1@==>|text|", Line::Bold, "text"),
        ("-- fix -->", Line::Solid, "fix"),
    ] {
        let found = flow(&format!("flowchart TD\nA {link} B"));
        let edge = &found.edges[0];
        assert_eq!(
            (edge.line, edge.label.as_deref()),
            (line, Some(label)),
            "{link}"
        );
        assert_eq!(all_ends(&found), ["A>B"], "{link}");
    }
}

#[test]
fn arrows_need_no_blanks_and_may_start_a_line() {
    let found = flow("flowchart TD\nA-->B---C-.->D==>E--xF\nG\n  --> H -->\n  I\nxylo\nx---y");
    assert_eq!(
        all_ends(&found),
        ["A>B", "B>C", "C>D", "D>E", "E>F", "G>H", "H>I", "x>y"]
    );
}

#[test]
fn ids_of_edges_are_no_nodes() {
    let found = flow("flowchart TD\nA e1@--> B & C\ne1@{ animate: true }\nD");
    assert_eq!(all_ends(&found), ["A>B", "A>C"]);
    assert_eq!(found.nodes.len(), 4);
}

#[test]
fn link_styles_change_the_line() {
    let found = flow(
        "flowchart TD\nA-->B-->C-->D-->E\nlinkStyle 0 stroke:red,stroke-width:4px;\nlinkStyle 1,2 stroke-dasharray: 5 5\nlinkStyle 99 stroke:red\nlinkStyle default stroke:#333,stroke-width:1px",
    );
    let lines: Vec<_> = found.edges.iter().map(|edge| edge.line).collect();
    assert_eq!(lines, [Line::Bold, Line::Dashed, Line::Dashed, Line::Solid]);
    let all = flow("flowchart TD\nA-->B~~~C\nlinkStyle default stroke-width:3px");
    assert_eq!(
        (all.edges[0].line, all.edges[1].line),
        (Line::Bold, Line::Hidden)
    );
}

#[test]
fn an_arrow_without_an_end_is_told() {
    let text = message("flowchart TD\nA -- B");
    assert_eq!(
        text,
        "line 2: this arrow has no end; write `-->` or `-- text -->`"
    );
    assert!(message("flowchart TD\nA -. B").contains("-. text .->"));
    assert!(message("flowchart TD\nA == B").contains("== text ==>"));
    assert!(message("flowchart TD\nA --> B\nC --> ;").contains("leads nowhere"));
}
