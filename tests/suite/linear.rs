//! The work of hand-written scanners grows no faster than their input. Steps are counted, not timed (`base::steps`).

use std::borrow::Cow;

use base::steps::counted;
use claims::asciidoc;
use claims::promql::Expression;
use markdown::BlockKind;
use search::{Row, RowValue, RowWeight, Searchable, TextField};

use crate::fuzz::engines::TARGETS;
use crate::fuzz::program;

/// Texts that are repeated: what opens something and never closes it, and what makes a scanner look back or ahead.
const REPEATED: &[&str] = &[
    "a",
    " ",
    "=",
    ":",
    "@",
    "?",
    "://",
    "a=",
    "a: ",
    "password=",
    "password: x ",
    "token=\"",
    "\"",
    "'",
    "\\",
    "$",
    "${",
    "${a:-",
    "$(",
    "`",
    "<",
    "<a ",
    "<password>",
    "&",
    "&amp;",
    "#",
    "%3D",
    "Bearer ",
    "Bearer a ",
    "ghp_",
    "ghp_aaaaaaaaaaaaaaaa",
    "eyJ",
    "-u ",
    "--password ",
    "a:b@",
    "http://a:b@",
    "http://a?b=",
    "{{",
    "{{ \"",
    "}}",
    "[",
    "](",
    "![",
    "- ",
    "> ",
    "*",
    "**a",
    "_a_",
    "|",
    "a|b\n",
    "\n",
    "\r\n",
    "a\n",
    "a: b\n",
    "- a\n",
    "<<E\n",
    "| a",
    "&& a",
    "PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----",
    "a-->b\n",
    "%%{",
    "ü",
    "日本",
];

/// What comes before the repeated text, so that a target takes it for what it reads.
const STARTS: &[(&str, &[&str])] = &[
    ("redaction", &[""]),
    ("highlight", &["yaml\n", "sh\n", "console\n$ "]),
    ("template", &["", "{{ "]),
    ("markdown", &[""]),
    (
        "mermaid",
        &["flowchart TD\n", "sequenceDiagram\n", "classDiagram\n"],
    ),
    ("shell", &[""]),
    ("address", &[""]),
    ("yaml", &["", "a: ", "- ", "a: |\n  ", "a: [", "a: \""]),
    ("chart", &["", "{{ ", "{{ tpl \""]),
    ("hcl", &["", "a = ", "locals {\n  a = \""]),
    ("typescript", &["", "const a = ", "const a = `"]),
    ("substitution", &["", "${a"]),
    ("promql", &["", "sum(", "up{"]),
    ("sentence", &["", "The file `a.yaml` contains "]),
    ("asciidoc", &["", "= ", "a: "]),
    ("search", &[""]),
];

/// Scanners that are no targets of the fuzzer.
const OTHERS: &[(&str, fn(&str))] = &[
    ("promql", |text| drop(Expression::read(text))),
    ("sentence", read_sentences),
    ("asciidoc", |text| drop(asciidoc::to_markdown(text))),
    ("search", index),
];

fn read_sentences(text: &str) {
    for block in markdown::blocks(text).blocks {
        let (BlockKind::Item { text, .. } | BlockKind::Paragraph(text)) = &block.kind else {
            continue;
        };
        drop(claims::Sentence::parse(text));
        drop(claims::prose::facts(text, &["a"]));
    }
}

fn index(text: &str) {
    let document = Searchable {
        title: Cow::Borrowed(text),
        href: Cow::Borrowed("a/"),
        kind: "page",
        context: Cow::Borrowed(text),
        fields: vec![(TextField::Text, Cow::Borrowed(text))],
        rows: vec![Row {
            kind: "setting",
            weight: RowWeight::Prose,
            title: Cow::Borrowed(text),
            values: vec![RowValue {
                text: Cow::Borrowed(text),
                environments: Vec::new(),
            }],
            anchor: None,
        }],
    };
    drop(search::index(&[document], &[]));
}

const BYTES: usize = 1_000;

#[test]
fn twice_the_input_costs_little_more_than_twice_the_steps() {
    let mut worst: Vec<(f64, String)> = Vec::new();
    let runs = || TARGETS.iter().chain(program::TARGETS).chain(OTHERS);
    for (name, starts) in STARTS {
        let (_, run) = runs().find(|(target, _)| target == name).unwrap();
        let (mut half, mut all) = (0, 0);
        for start in *starts {
            for repeated in REPEATED {
                let text =
                    |bytes: usize| format!("{start}{}", repeated.repeat(bytes / repeated.len()));
                let (small, large) = (text(BYTES), text(2 * BYTES));
                let one = counted(|| run(&small));
                let two = counted(|| run(&large));
                half += one;
                all += two;
                // What a few bytes cost says nothing.
                let growth = (two + 200) as f64 / (one + 200) as f64;
                worst.push((
                    growth,
                    format!("{name}: {start:?} {repeated:?}: {one} and {two} steps"),
                ));
            }
        }
        // The exponent of all texts together; `--nocapture` shows it.
        println!("{name}: {:.2}", (all as f64 / half as f64).log2());
        assert!(*name == "address" || all > 0, "{name} counts nothing");
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slow: Vec<_> = worst
        .iter()
        .take_while(|(growth, _)| *growth > 2.5)
        .collect();
    assert!(slow.is_empty(), "{slow:#?}");
}
