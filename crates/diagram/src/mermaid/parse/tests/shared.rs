//! What all kinds of diagram have in common.

use super::super::{Error, MOST_BYTES, parse};
use super::{flow, labels, line_of_error};

#[test]
fn the_first_line_names_the_kind() {
    for (source, title) in [
        ("graph TD\nA", "Flowchart"),
        ("flowchart\nA", "Flowchart"),
        ("flowchart-elk LR\nA", "Flowchart"),
        ("sequenceDiagram\nA->>B: x", "Sequence diagram"),
        ("stateDiagram\na", "State diagram"),
        ("stateDiagram-v2\na", "State diagram"),
        ("erDiagram\nA", "Entity relationship diagram"),
        ("classDiagram\nA", "Class diagram"),
        ("classDiagram-v2\nA", "Class diagram"),
    ] {
        let authored = parse(source).unwrap();
        assert_eq!(authored.diagram.title, title);
        assert_eq!((authored.heading, authored.description), (None, None));
    }
}

#[test]
fn other_kinds_of_mermaid_are_told_from_what_is_no_diagram() {
    for kind in [
        "pie",
        "gantt",
        "gitGraph",
        "mindmap",
        "timeline",
        "journey",
        "quadrantChart",
        "C4Context",
        "xychart-beta",
        "block-beta",
        "packet",
        "packet-beta",
        "architecture-beta",
        "sankey-beta",
        "requirementDiagram",
        "kanban",
        "radar-beta",
        "treemap-beta",
        "zenuml",
    ] {
        let error = parse(&format!("{kind}\n a")).unwrap_err();
        assert_eq!(
            error,
            Error::Unsupported {
                kind: kind.to_owned()
            }
        );
    }
    let error = parse("gitGraph:\n commit").unwrap_err();
    assert_eq!(
        error.to_string(),
        "catalog does not draw the kind of diagram `gitGraph`"
    );
    for source in [
        "",
        "hello",
        "not a diagram\n A-->B",
        "%% only a comment",
        "---\ntitle: x\n---\n",
        "---\ngraph TD",
    ] {
        assert_eq!(parse(source).unwrap_err(), Error::Unknown, "{source}");
    }
}

#[test]
fn front_matter_gives_the_heading() {
    let source = "\n---\ntitle: \"A title\"\nconfig:\n  theme: dark\n---\nflowchart TD\nA-->B";
    let authored = parse(source).unwrap();
    assert_eq!(authored.heading.as_deref(), Some("A title"));
    assert_eq!(authored.diagram.title, "A title");
}

#[test]
fn an_accessible_title_names_the_diagram() {
    let source = "---\ntitle: Seen\n---\nflowchart TD\n accTitle: Cause & effect\n accDescr: From a to b\n A-->B";
    let authored = parse(source).unwrap();
    assert_eq!(authored.diagram.title, "Cause & effect");
    assert_eq!(authored.heading.as_deref(), Some("Seen"));
    assert_eq!(authored.description.as_deref(), Some("From a to b"));
    assert_eq!(labels(&flow(source)), ["A", "B"]);
}

#[test]
fn a_description_may_span_lines() {
    let source = "sequenceDiagram\naccDescr {\n one\n two\n}\nA->>B: x\nnonsense";
    assert_eq!(line_of_error(source), 7);
    let authored = parse(source.strip_suffix("nonsense").unwrap()).unwrap();
    assert_eq!(authored.description.as_deref(), Some("one two"));
    let open = parse("flowchart TD\nA\naccDescr { never closed\n").unwrap();
    assert_eq!(open.description.as_deref(), Some("never closed"));
}

#[test]
fn directives_and_comments_are_ignored_and_keep_the_lines() {
    let source = "%%{init: {\n 'theme': 'dark'\n}}%%\n%% comment\nflowchart TD\n%% A --> X\nA --> B %% trailing\nC -->";
    assert_eq!(line_of_error(source), 8);
    let good = source.replace("C -->", "");
    assert_eq!(labels(&flow(&good)), ["A", "B"]);
}

#[test]
fn line_ends_of_windows_tabs_and_a_byte_order_mark_are_fine() {
    let source = "\u{feff}flowchart TD\r\n\tA[x]\t-->\tB\r\n\r\n  B --> C\r\n";
    assert_eq!(labels(&flow(source)), ["x", "B", "C"]);
    assert_eq!(line_of_error("flowchart TD\r\nA -->\r\n"), 2);
}

#[test]
fn labels_become_plain_text() {
    for (raw, shown) in [
        (
            "\"a #quot;b#quot; #35; &amp; &lt;c&gt; #9829;\"",
            "a \"b\" # & <c> ♥",
        ),
        ("\"&#x41;&#66;\"", "AB"),
        ("one<br>two<br/>three<BR />four", "one\ntwo\nthree\nfour"),
        ("one\\ntwo", "one\ntwo"),
        ("\"<b>bold</b> <i class='x'>it</i> a < b\"", "bold it a < b"),
        ("\"environments/<env>/apps\"", "environments/<env>/apps"),
        (
            "\"`**bold** and *italic* snake_case _x_`\"",
            "bold and italic snake_case x",
        ),
        ("\"`one\n   two`\"", "one\ntwo"),
        ("fa:fa-car Car fab:fa-docker", "Car"),
        ("\"$$\\nabla x$$\"", "$$\\nabla x$$"),
        (
            "\"with (brackets) [x] {y} | ; --> end\"",
            "with (brackets) [x] {y} | ; --> end",
        ),
        ("\"a\u{202e}b\u{7}c\"", "a b c"),
        ("\"#nothing; &unknown; #\"", "#nothing; &unknown; #"),
        ("\" \"", ""),
        ("   padded   text  ", "padded text"),
        ("\"日本語 é 🙂\"", "日本語 é 🙂"),
        ("\"#xD800; #99999999;\"", "#xD800; #99999999;"),
    ] {
        let found = flow(&format!("flowchart TD\nA[{raw}]"));
        assert_eq!(found.nodes[0].label, shown, "{raw}");
    }
}

#[test]
fn a_long_source_is_refused() {
    let source = format!("flowchart TD\n A[\"{}\"]", "x".repeat(MOST_BYTES));
    let error = parse(&source).unwrap_err();
    assert!(matches!(error, Error::TooLong { .. }), "{error}");
    assert!(error.to_string().contains("split it"), "{error}");
}
