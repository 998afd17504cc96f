//! Tests of `.env` files, and properties over random text.

use proptest::prelude::*;

use super::*;
use base::Severity;

fn pairs(text: &str) -> Vec<(String, String)> {
    let (variables, _) = read(text, FileId(0));
    let pair = |variable: Variable| (variable.name.to_string(), variable.value);
    variables.into_iter().map(pair).collect()
}

#[track_caller]
fn gives(text: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    assert_eq!(pairs(text), expected, "{text:?}");
}

fn findings(text: &str) -> Vec<(&'static str, u32, u32, u32)> {
    let (_, findings) = read(text, FileId(0));
    findings
        .iter()
        .map(|finding| {
            (
                finding.rule,
                finding.place.line,
                finding.place.column,
                finding.place.len,
            )
        })
        .collect()
}

fn message(text: &str) -> String {
    let (_, findings) = read(text, FileId(0));
    findings
        .into_iter()
        .map(|finding| finding.message)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn lines_are_read_as_kustomize_reads_them() {
    gives(
        "  A=1\n\n#x\n \t# y\nB=a=b \t\nC=\n",
        &[("A", "1"), ("B", "a=b \t"), ("C", "")],
    );
    gives(
        "A=1 # c\nB=\"q\"\nC='q'\nD=$A\\n",
        &[("A", "1 # c"), ("B", "\"q\""), ("C", "'q'"), ("D", "$A\\n")],
    );
    gives(
        "\u{a0}A=1\n\u{b}B=2\n\u{2003}C=3",
        &[("A", "1"), ("B", "2"), ("C", "3")],
    );
    gives("", &[]);
}

#[test]
fn one_carriage_return_belongs_to_the_end_of_a_line() {
    gives(
        "A=1\r\nB=2\r\r\n\r\nC=3\r",
        &[("A", "1"), ("B", "2\r"), ("C", "3")],
    );
    gives("A=1\rB=2\n", &[("A", "1\rB=2")]);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_of_the_file_only() {
    gives("\u{feff}A=1\nB=2", &[("A", "1"), ("B", "2")]);
    gives("\u{feff}  # c\nA=1", &[("A", "1")]);
    gives("A=1\n\u{feff}B=2", &[("A", "1"), ("\u{feff}B", "2")]);
    assert_eq!(findings("A=1\n\u{feff}B=2"), [("env-bad-line", 2, 1, 2)]);
}

#[test]
fn a_place_is_that_of_the_value() {
    let (variables, _) = read("\u{feff}\n \tNÄME=é # x\nB=\nC", FileId(3));
    let places: Vec<_> = variables.iter().map(|variable| variable.place).collect();
    let place = |line, column, len| Place {
        file: FileId(3),
        line,
        column,
        len,
    };
    assert_eq!(places, [place(2, 8, 5), place(3, 3, 0), place(4, 2, 0)]);
}

#[test]
fn a_comment_in_a_value_is_reported_with_what_the_value_becomes() {
    assert_eq!(findings("A=1 # c"), [("env-comment-in-value", 1, 5, 3)]);
    assert_eq!(
        message("A=1 # c"),
        "kustomize keeps the comment in the value of `A`, which becomes `1 # c`"
    );
    assert_eq!(
        findings("A= #c\nB=x\t#c"),
        [
            ("env-comment-in-value", 1, 4, 2),
            ("env-comment-in-value", 2, 5, 2)
        ]
    );
    assert!(findings("COLOUR=#fff\nURL=http://x/#y\nN=a#b").is_empty());
}

#[test]
fn quotes_are_reported_with_what_the_value_becomes() {
    assert_eq!(findings("A=\"a b\""), [("env-quoted-value", 1, 3, 5)]);
    assert_eq!(
        message("A=\"a b\""),
        "kustomize keeps the quotes in the value of `A`, which becomes `\"a b\"`"
    );
    assert_eq!(findings("A='a # b'"), [("env-quoted-value", 1, 3, 7)]);
    assert_eq!(
        findings("A=\"x\" # c"),
        [
            ("env-quoted-value", 1, 3, 7),
            ("env-comment-in-value", 1, 7, 3)
        ]
    );
    assert_eq!(
        findings("A=\"a\nb\""),
        [
            ("env-quoted-value", 1, 3, 2),
            ("env-bad-line", 2, 1, 2),
            ("env-bad-line", 2, 1, 2)
        ]
    );
    assert!(findings("A={\"a\": \"b\"}\nB=\"a\" \"b\"\nC=it's").is_empty());
    assert_eq!(findings("A=\"a \\\" b\"").len(), 1);
}

#[test]
fn a_line_that_makes_no_good_variable_is_an_error() {
    gives(
        "A\n=x\nexport B=1\nC =2",
        &[("A", ""), ("export B", "1"), ("C ", "2")],
    );
    let bad = |line, len| ("env-bad-line", line, 1, len);
    assert_eq!(
        findings("A\n=x\nexport B=1\nC =2"),
        [bad(1, 1), bad(2, 0), bad(3, 8), bad(4, 2)]
    );
    for key in [
        "A B",
        ".",
        "..a",
        "a/b",
        "a:b",
        "é",
        "1",
        "1.5",
        "1_0",
        "true",
        "Null",
        &"a".repeat(254),
    ] {
        assert_eq!(findings(&format!("{key}=x")).len(), 1, "{key}");
    }
    for key in [
        "a",
        "_",
        "a.b",
        "a-b",
        ".a",
        "1a",
        "-",
        "inf",
        "nan",
        &"a".repeat(253),
    ] {
        assert!(findings(&format!("{key}=x")).is_empty(), "{key}");
    }
}

#[test]
fn a_repeated_key_is_an_error_and_the_first_one_stays() {
    gives("A=1\nB=2\nA=1", &[("A", "1"), ("B", "2")]);
    let (_, findings) = read("A=1\nB=2\n A=3", FileId(0));
    assert_eq!(findings.len(), 1);
    assert_eq!(
        (findings[0].rule, findings[0].severity),
        ("env-duplicate-key", Severity::Error)
    );
    assert_eq!((findings[0].place.line, findings[0].place.column), (3, 2));
    assert!(
        findings[0]
            .message
            .starts_with("`A` is already set on line 1,")
    );
}

#[test]
fn kustomize_stops_at_an_overlong_line() {
    let longest = "b".repeat(MAX_LINE - 3);
    gives(
        &format!("A=1\nB={longest}\nC=3"),
        &[("A", "1"), ("B", &longest), ("C", "3")],
    );
    let text = format!("A=1\nB={longest}b\nC=3");
    gives(&text, &[("A", "1")]);
    assert_eq!(findings(&text), [("env-bad-line", 2, 1, 0)]);
}

#[test]
fn no_message_shows_what_may_be_secret() {
    for line in [
        "DB_PASSWORD=hunter2 # prod",
        "apiToken=\"hunter2\"",
        "URL=postgres://u:hunter2@db/x # prod",
        "A=\"-----BEGIN hunter2",
        "hunter2",
        "hunter2/+=x",
        "TOKEN=1\nTOKEN=hunter2",
    ] {
        assert!(!message(line).is_empty(), "{line}");
        assert!(!message(line).contains("hunter2"), "{line}");
    }
    let (variables, findings) = read_secret("PLAIN='hunter2' # c", FileId(0));
    assert_eq!(variables[0].value, "'hunter2' # c");
    assert_eq!(findings.len(), 2);
    assert!(
        findings
            .iter()
            .all(|finding| !finding.message.contains("hunter2"))
    );
}

#[test]
fn a_long_value_is_cut_short_in_a_message() {
    let message = message(&format!("A={} # c", "é".repeat(500)));
    assert!(message.contains('…') && message.chars().count() < 200);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        read(&text, FileId(0));
    }

    #[test]
    fn no_mixture_of_its_own_tokens_makes_it_panic(
        tokens in prop::collection::vec(
            prop::sample::select(vec!["A", "b", "=", "\n", "\r", " ", "#", "\"", "'", "\\", "é", "\u{feff}", "export "]),
            0..24,
        )
    ) {
        let text = tokens.concat();
        let (variables, findings) = read(&text, FileId(0));
        prop_assert!(variables.iter().all(|variable| text.contains(variable.value.as_str())));
        prop_assert!(findings.iter().all(|finding| finding.place.line >= 1 && finding.place.column >= 1));
    }

    #[test]
    fn a_value_stands_at_its_place(before in "[ \t]{0,3}", name in "[a-zé]{1,8}", value in "[^\r\n]{0,20}") {
        let line = format!("{before}{name}={value}");
        let (variables, _) = read(&format!("# first\n{line}\n"), FileId(0));
        prop_assert_eq!(variables.len(), 1);
        let place = variables[0].place;
        let there: String = line.chars().skip(place.column as usize - 1).take(place.len as usize).collect();
        prop_assert_eq!((place.line, there.as_str()), (2, variables[0].value.as_str()));
    }
}
