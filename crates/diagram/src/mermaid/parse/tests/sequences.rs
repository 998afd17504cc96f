//! Sequence diagrams.

use super::super::{Error, parse};
use super::{line_of_error, message, sequence};
use crate::{FrameKind, Line, Message, ParticipantRole, Sequence, SequenceStep, Side, Tint, Tip};

fn messages(sequence: &Sequence) -> Vec<&Message> {
    let messages = sequence.steps.iter().filter_map(|step| match step {
        SequenceStep::Message(message) => Some(message),
        _ => None,
    });
    messages.collect()
}

fn names(sequence: &Sequence) -> Vec<&str> {
    let participants = sequence.participants.iter();
    participants
        .map(|participant| participant.label.as_str())
        .collect()
}

#[test]
fn participants_come_in_the_order_of_their_first_mention() {
    let found = sequence(
        "sequenceDiagram\nparticipant B as The B<br/>of all\nC->>A: x\nactor Some One\nACTOR D AS \"Dee\"\nparticipant E@{ \"type\" : \"database\" } as Store\nparticipant F@{ \"type\": \"actor\", \"alias\": \"Eff\" }",
    );
    assert_eq!(
        names(&found),
        ["The B\nof all", "C", "A", "Some One", "Dee", "Store", "Eff"]
    );
    let roles: Vec<_> = found
        .participants
        .iter()
        .map(|participant| participant.role)
        .collect();
    use ParticipantRole::{Actor, System};
    assert_eq!(roles, [System, System, System, Actor, Actor, System, Actor]);
}

#[test]
fn every_arrow_has_its_line_and_tips() {
    use Line::{Dashed, Solid};
    use Tip::{Arrow, Cross, None, Open};
    for (arrow, line, tips) in [
        ("->", Solid, [None, None]),
        ("-->", Dashed, [None, None]),
        ("->>", Solid, [None, Arrow]),
        ("-->>", Dashed, [None, Arrow]),
        ("-x", Solid, [None, Cross]),
        ("--x", Dashed, [None, Cross]),
        ("-)", Solid, [None, Open]),
        ("--)", Dashed, [None, Open]),
        ("<<->>", Solid, [Arrow, Arrow]),
        ("<<-->>", Dashed, [Arrow, Arrow]),
        ("-|\\", Solid, [None, Open]),
        ("--//", Dashed, [None, Open]),
        ("/|-", Solid, [Open, None]),
    ] {
        for source in [
            format!("A{arrow}B: text"),
            format!("A {arrow} B : text"),
            format!("A{arrow}B:text"),
        ] {
            let found = sequence(&format!("sequenceDiagram\n{source}"));
            let message = messages(&found)[0];
            assert_eq!(
                (message.line, message.tips, message.text.as_str()),
                (line, tips, "text"),
                "{source}"
            );
            assert_eq!(names(&found), ["A", "B"], "{source}");
        }
    }
}

#[test]
fn names_may_have_dashes_and_blanks() {
    let found =
        sequence("sequenceDiagram\nmy-xray->>the other: a -> b: c\nAlice Smith-->>my-xray: ok");
    assert_eq!(names(&found), ["my-xray", "the other", "Alice Smith"]);
    assert_eq!(messages(&found)[0].text, "a -> b: c");
}

#[test]
fn suffixes_activate_and_deactivate() {
    let found = sequence("sequenceDiagram\nA->>+B: one\nB-->>-A: two\nactivate A\ndeactivate A");
    let steps: Vec<_> = found
        .steps
        .iter()
        .filter(|step| !matches!(step, SequenceStep::Message(_)))
        .collect();
    assert_eq!(
        steps,
        [
            &SequenceStep::Activate(1),
            &SequenceStep::Deactivate(1),
            &SequenceStep::Activate(0),
            &SequenceStep::Deactivate(0)
        ]
    );
    assert_eq!(
        message("sequenceDiagram\nA->>B: x\nB-->>-A: y"),
        "line 3: `B` is not active here"
    );
}

#[test]
fn notes_stand_beside_or_over() {
    let found = sequence(
        "sequenceDiagram\nNote left of A: one\nnote right of B: two<br>lines\nNOTE OVER A,B: both\nNote over C: own",
    );
    let notes: Vec<_> = found
        .steps
        .iter()
        .map(|step| match step {
            SequenceStep::Note(note) => (note.side, note.text.as_str()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        notes,
        [
            (Side::LeftOf(0), "one"),
            (Side::RightOf(1), "two\nlines"),
            (Side::Over(0, 1), "both"),
            (Side::Over(2, 2), "own"),
        ]
    );
    assert_eq!(line_of_error("sequenceDiagram\nNote beside A: x"), 2);
}

#[test]
fn frames_nest_and_are_balanced() {
    let found = sequence(
        "sequenceDiagram\nloop every day\nalt up\nA->>B: x\nelse down\nA->>B: y\nelse\nA->>B: z\nend\nopt maybe\nend\nend\npar one\nand two\nend\ncritical c\noption o\nend\nbreak b\nend\nrect rgb(0, 0, 255)\nend\npar_over p\nend",
    );
    let kinds: Vec<_> = found
        .steps
        .iter()
        .filter_map(|step| match step {
            SequenceStep::Open { kind, text } => Some((*kind, text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(
        kinds,
        [
            (FrameKind::Loop, "every day"),
            (FrameKind::Alt, "up"),
            (FrameKind::Opt, "maybe"),
            (FrameKind::Par, "one"),
            (FrameKind::Critical, "c"),
            (FrameKind::Break, "b"),
            (FrameKind::Rect(Tint::new(0)), ""),
            (FrameKind::Par, "p"),
        ]
    );
    let closed = found
        .steps
        .iter()
        .filter(|step| **step == SequenceStep::Close)
        .count();
    assert_eq!(closed, kinds.len());
    for (source, text) in [
        ("loop x\nA->>B: y", "line 2: this `loop` has no `end`"),
        ("A->>B: y\nend", "line 3: `end` without a frame or `box`"),
        ("loop x\nelse y\nend", "line 3: `else` outside of `alt`"),
        ("and", "line 2: `and` outside of `par`"),
        (
            "alt a\noption b\nend",
            "line 3: `option` outside of `critical`",
        ),
    ] {
        assert_eq!(message(&format!("sequenceDiagram\n{source}")), text);
    }
}

#[test]
fn numbers_start_step_and_stop() {
    let found = sequence(
        "sequenceDiagram\nA->>B: a\nautonumber\nA->>B: b\nautonumber 10 5\nA->>B: c\nA->>B: d\nautonumber off\nA->>B: e\nautonumber 1.5\nA->>B: f\nA->>B: g",
    );
    let numbers: Vec<_> = messages(&found)
        .iter()
        .map(|message| message.number.as_deref())
        .collect();
    assert_eq!(
        numbers,
        [
            None,
            Some("2"),
            Some("10"),
            Some("15"),
            None,
            Some("1.5"),
            Some("2.5")
        ]
    );
    assert_eq!(line_of_error("sequenceDiagram\nautonumber x"), 2);
    assert_eq!(
        line_of_error("sequenceDiagram\nautonumber 99999999999999999999"),
        2
    );
}

#[test]
fn boxes_keep_their_participants_side_by_side() {
    let found = sequence(
        "sequenceDiagram\nA->>X: early\nbox rgb(0,255,0) Team One\nparticipant A\nparticipant B\nend\nbox Aqua\nactor C\nend\nbox My team\nparticipant D\nend\nbox empty\nend\nB->>X: late",
    );
    assert_eq!(names(&found), ["A", "B", "X", "C", "D"]);
    let boxes: Vec<_> = found
        .boxes
        .iter()
        .map(|frame| {
            (
                frame.label.as_str(),
                frame.first,
                frame.last,
                frame.tint.map(Tint::index),
            )
        })
        .collect();
    assert_eq!(
        boxes,
        [
            ("Team One", 0, 1, Some(2)),
            ("", 3, 3, Some(5)),
            ("My team", 4, 4, None)
        ]
    );
    assert_eq!((messages(&found)[0].to, messages(&found)[1].from), (2, 1));
    assert!(message("sequenceDiagram\nbox x\nA->>B: y\nend").contains("only participants"));
}

#[test]
fn a_life_line_ends_with_the_message_that_destroys_it() {
    let found = sequence(
        "sequenceDiagram\ncreate participant B as Bee\nA->>B: new\ndestroy B\nA-xB: gone\nA->>A: alone",
    );
    assert_eq!(names(&found), ["Bee", "A"]);
    assert_eq!(found.steps[2], SequenceStep::Destroy(0));
}

#[test]
fn participants_have_links_and_the_diagram_a_title() {
    let source = "sequenceDiagram\ntitle The title\nA->>B: x\nlink A: Dashboard @ https://a/?b@c\nlink A: Other @ https://other\nlinks B: {\"One\": \"https://b\", \"Two\": \"https://c\"}\nproperties A: {\"class\": \"x\"}";
    let found = sequence(source);
    let links: Vec<_> = found
        .participants
        .iter()
        .map(|participant| participant.href.as_deref())
        .collect();
    assert_eq!(links, [Some("https://a/?b@c"), Some("https://b")]);
    let authored = parse(source).unwrap();
    assert_eq!(authored.heading.as_deref(), Some("The title"));
    assert_eq!(
        parse("sequenceDiagram\ntitle: Old\nA->>B: x")
            .unwrap()
            .heading
            .as_deref(),
        Some("Old")
    );
}

#[test]
fn semicolons_end_statements_but_not_entities_or_prose() {
    let found = sequence(
        "sequenceDiagram; A->>B: one;B-->>A: #quot;two#quot; #35;; A->>B: three; four\n# comment\nA->>B: wrap: five #6",
    );
    let texts: Vec<_> = messages(&found)
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(texts, ["one", "\"two\" #", "three; four", "five #6"]);
}

#[test]
fn mistakes_and_sizes_are_told() {
    assert_eq!(
        line_of_error("sequenceDiagram\n A->>B: x\n nonsense here\n"),
        3
    );
    assert_eq!(line_of_error("sequenceDiagram\n ->>B: x"), 2);
    assert_eq!(line_of_error("sequenceDiagram\n participant"), 2);
    let long = format!("sequenceDiagram\n{}", "A->>B: x\n".repeat(2_001));
    assert_eq!(
        parse(&long).unwrap_err(),
        Error::TooLarge {
            what: "steps",
            count: 2_001,
            most: 2_000
        }
    );
    let deep = format!("sequenceDiagram\n{}", "opt x\n".repeat(33));
    assert!(matches!(parse(&deep), Err(Error::TooLarge { .. })));
}
