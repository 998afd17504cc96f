//! `.env` files as kustomize's generators read them under `envs:`: line by line, nothing quoted and nothing escaped.
//! Text in, variables and findings out. A text is UTF-8 by then: kustomize refuses a file that is not.

use smol_str::SmolStr;

use base::hash::HashMap;
use base::{Few, FileId, Finding, Place, Severity};

/// One `name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: SmolStr,
    pub value: String,
    /// Where the value stands; a byte order mark takes up no column.
    pub place: Place,
}

/// The variables of a file that a `configMapGenerator` reads, as kustomize gives them, and what may surprise.
pub fn read(text: &str, file: FileId) -> (Vec<Variable>, Vec<Finding>) {
    read_lines(text, file, Audience::Everyone)
}

/// As [`read`], for a file that a `secretGenerator` reads: no message shows a value, whatever its name looks like.
pub fn read_secret(text: &str, file: FileId) -> (Vec<Variable>, Vec<Finding>) {
    read_lines(text, file, Audience::Nobody)
}

/// Who may see the values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audience {
    Everyone,
    Nobody,
}

/// kustomize stops at a line as long as this, without a word.
const MAX_LINE: usize = 64 * 1024;
/// The longest key that Kubernetes takes.
const MAX_KEY: usize = 253;
/// How many characters of a value or a key a message shows.
const MAX_SHOWN: usize = 60;

fn read_lines(text: &str, file: FileId, audience: Audience) -> (Vec<Variable>, Vec<Finding>) {
    let mut variables: Vec<Variable> = Vec::new();
    let mut findings = Few::default();
    let mut seen: HashMap<&str, u32> = HashMap::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, number) in text.split('\n').zip(1..) {
        if line.len() >= MAX_LINE {
            findings.take(overlong(Place {
                line: number,
                ..Place::start_of(file)
            }));
            break;
        }
        // One carriage return belongs to the line's end; a second one is part of the value.
        let line = line.strip_suffix('\r').unwrap_or(line);
        let entry = line.trim_start();
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        let (name, value) = match entry.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (entry, None),
        };
        let column = 1 + width(line) - width(entry);
        let key = Place {
            file,
            line: number,
            column,
            len: width(name),
        };
        let place = Place {
            column: column + width(name) + u32::from(value.is_some()),
            len: value.map_or(0, width),
            ..key
        };
        if name.is_empty() {
            findings.push("env-bad-line", Severity::Error, key, || {
                Finding::error(
                    "env-bad-line",
                    key,
                    "there is no name before the `=`, so kustomize skips the line",
                )
                .help("add a name, or remove the line")
            });
            continue;
        }
        if let Some(reason) = fault_of_key(name) {
            findings.push("env-bad-line", Severity::Error, key, || {
                bad_key(name, reason, key, audience)
            });
        }
        match value {
            None => findings.push("env-bad-line", Severity::Error, key, || valueless(key)),
            Some(value) => surprises(name, value, place, audience, &mut findings),
        }
        if let Some(first) = seen.get(name) {
            findings.push("env-duplicate-key", Severity::Error, key, || {
                duplicate(name, key, audience, *first)
            });
        } else {
            seen.insert(name, number);
            variables.push(Variable {
                name: name.into(),
                value: value.unwrap_or_default().to_owned(),
                place,
            });
        }
    }
    (variables, findings.finish())
}

fn width(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

fn overlong(place: Place) -> Finding {
    let message = format!(
        "the line is longer than {} bytes: kustomize stops here without an error and drops this line and \
         all that follow",
        MAX_LINE - 1
    );
    Finding::error("env-bad-line", place, message)
        .help("put the value into a file of its own, and list it under `files:`")
}

/// The line is not shown: it may be a piece of a key or a certificate that spans several lines.
fn valueless(place: Place) -> Finding {
    let message = "the line has no `=`: kustomize sets the variable to an empty value, and older releases \
                   take it from their own environment";
    Finding::error("env-bad-line", place, message).help(
        "write `NAME=value`; put a multi-line value into a file of its own, and list it under `files:`",
    )
}

fn bad_key(name: &str, reason: &str, place: Place, audience: Audience) -> Finding {
    let help = if name.starts_with("export ") {
        "remove `export`: kustomize does not read shell syntax"
    } else if name.ends_with(char::is_whitespace) {
        "remove the space before the `=`"
    } else {
        "start with a letter, and use only letters, digits, `_`, `-` and `.`"
    };
    let message = format!("the name of {} {reason}", subject(name, audience));
    Finding::error("env-bad-line", place, message).help(help)
}

fn duplicate(name: &str, place: Place, audience: Audience, line: u32) -> Finding {
    let message = format!(
        "{} is already set on line {line}, and kustomize rejects a generator with a duplicate key",
        subject(name, audience)
    );
    Finding::error("env-duplicate-key", place, message).help("remove one of the two lines")
}

/// What kustomize keeps in a value although most other readers of `.env` files do not.
fn surprises(name: &str, value: &str, place: Place, audience: Audience, findings: &mut Few) {
    let subject = subject(name, audience);
    let may_show =
        audience == Audience::Everyone && !looks_secret(name) && !holds_credentials(value);
    let becomes = if may_show {
        format!(", which becomes `{}`", shown(value))
    } else {
        String::new()
    };
    let comment = comment_start(value).filter(|_| quoting(value) == Quoting::None);
    let bare = &value[..comment.unwrap_or(value.len())];
    let quotes = match quoting(bare) {
        Quoting::None => None,
        Quoting::Whole => Some((
            format!("kustomize keeps the quotes in the value of {subject}{becomes}"),
            "remove the quotes, unless the application expects them",
        )),
        Quoting::Open => Some((
            format!(
                "the value of {subject} starts with a quote that is not closed on the same line: kustomize \
                 keeps the quote, and ends the value with the line"
            ),
            "put a multi-line value into a file of its own, and list it under `files:`",
        )),
    };
    if let Some((message, help)) = quotes {
        findings.take(Finding::warning("env-quoted-value", place, message).help(help));
    }
    if let Some(start) = comment {
        let place = Place {
            column: place.column + width(bare),
            len: width(&value[start..]),
            ..place
        };
        let message = format!("kustomize keeps the comment in the value of {subject}{becomes}");
        findings.take(
            Finding::warning("env-comment-in-value", place, message)
                .help("move the comment to a line of its own"),
        );
    }
}

/// A variable in a message. What is no proper key may be a piece of a value that spans several lines.
fn subject(name: &str, audience: Audience) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let is_key = fault_of_key(name).is_none();
    let is_harmless = audience == Audience::Everyone && name.chars().all(is_plain);
    if is_key || is_harmless {
        format!("`{}`", shown(name))
    } else {
        "the variable on this line".to_owned()
    }
}

/// Where a `#` follows white space.
fn comment_start(value: &str) -> Option<usize> {
    let mut hashes = value.match_indices('#').map(|(index, _)| index);
    hashes.find(|index| value[..*index].ends_with(char::is_whitespace))
}

#[derive(PartialEq, Eq)]
enum Quoting {
    None,
    Whole,
    /// It starts with a quote of which there is no other.
    Open,
}

fn quoting(value: &str) -> Quoting {
    let value = value.trim();
    let Some(quote @ ('"' | '\'')) = value.chars().next() else {
        return Quoting::None;
    };
    match value[1..].replace("\\\"", "  ").find(quote) {
        None => Quoting::Open,
        Some(index) if index + 2 == value.len() => Quoting::Whole,
        Some(_) => Quoting::None,
    }
}

/// Why a ConfigMap or a Secret with this key cannot be; kustomize itself checks nothing.
fn fault_of_key(name: &str) -> Option<&'static str> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if !name.bytes().all(is_allowed) {
        Some(
            "contains a character that is not allowed in a key: kustomize accepts it, but the API server \
             rejects the object",
        )
    } else if name == "." || name.starts_with("..") {
        Some("looks like a path: kustomize accepts it, but the API server rejects the object")
    } else if name.len() > MAX_KEY {
        Some("is too long for a key: kustomize accepts it, but the API server rejects the object")
    } else if is_no_string(name) {
        Some("is a number, a boolean or null in YAML, and kustomize rejects such a key")
    } else {
        None
    }
}

fn is_no_string(name: &str) -> bool {
    let is_number = name.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    (is_number && name.replace('_', "").parse::<f64>().is_ok())
        || ["true", "false", "null"]
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word))
}

/// Hides too much rather than too little: only messages depend on it.
fn looks_secret(name: &str) -> bool {
    const SIGNS: &[&str] = &[
        "auth", "cert", "cookie", "cred", "dsn", "hash", "hook", "jwt", "key", "license", "pass",
        "pin", "private", "psk", "pwd", "salt", "secret", "seed", "sign", "token",
    ];
    let name = name.to_ascii_lowercase();
    SIGNS.iter().any(|sign| name.contains(sign))
}

/// A URL with a user in it, or a key.
fn holds_credentials(value: &str) -> bool {
    let after_scheme = value.split_once("://").map(|(_, rest)| rest);
    after_scheme.is_some_and(|rest| rest.contains('@')) || value.contains("-----BEGIN")
}

fn shown(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(MAX_SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown.replace("\\\"", "\"").replace("\\'", "'")
}

#[cfg(test)]
mod tests {
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
}
